"""Forces and motors about an axis between two frames: the angle between these as they see it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple, cast

from flexmb.errors import ModelError
from flexmb.joints.spatial.joint import HingeAxes
from flexmb.joints.spatial.rows.counted_angle import TURN, counted_angle
from flexmb.kernels.blocks import Numbers
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Assembler
from flexmb.model.frames import Frame
from flexmb.model.pairs import PairComponent
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.model.spatial_frames import place_about, unit_axis


class Turn(NamedTuple):
    """The angle of frame b against frame a, counted through all turns: the sum of `coordinates` with their `weights`,
    which is `start` in the model and changes at a `rate` there, and an `offset` [rad]. In the plane the coordinates are
    the angles of both nodes. In space it is one that counts from the start
    (:mod:`flexmb.joints.spatial.rows.counted_angle`), whose rate is not known before it is assembled."""

    coordinates: list[Numbers]
    weights: list[float]
    start: float
    offset: float
    rate: float = 0.0

    @classmethod
    def in_plane(cls, assembly: Assembler, a: Frame, b: Frame) -> Turn:
        """Angle between two frames of the plane."""
        angles = [assembly.node(frame.node)[1] for frame in (a, b)]
        omega_a, omega_b = (node.moving_at(node.position)[1] for node in (a.node, b.node))
        start, offset = b.node.angle - a.node.angle, b.offset_angle - a.offset_angle
        return cls(angles, [-1.0, 1.0], start, offset, omega_b - omega_a)

    @classmethod
    def counted(cls, coordinate: Numbers) -> Turn:
        """Angle of a coordinate that counts turns from the start."""
        return cls([coordinate], [1.0], 0.0, 0.0)


@dataclass(eq=False)
class AboutAxis(PairComponent):
    """The base of what acts about an axis between two frames, of the plane or of space.

    Arguments: `axis`, in space: 'x', 'y', 'z' or a direction (3,), in the axes of frame a; in the plane it is 'z'.
    """

    _: KW_ONLY
    axis: Any = "z"
    dimension = None
    #: what can be asked of its motion by name
    measured: ClassVar[tuple[str, ...]] = ("angle",)

    @property
    def initial_angle(self) -> float:
        """Angle of frame b minus that of frame a in the model [rad]; 0 in space, where it counts from the start."""
        return self.b.angle - self.a.angle if self.stands_in == 2 else 0.0

    def check(self) -> None:
        super().check()
        if self.stands_in == 3:
            unit_axis(self.axis, self.where)
        elif not (isinstance(self.axis, str) and self.axis == "z"):
            raise ModelError(
                f"{self.where}: axis is {checks.quoted(self.axis)}; in the plane all turns are about z; leave axis out"
            )

    def place(self) -> PairPlace:
        if self.stands_in == 2:
            joint = JointPlace((0.0,), (-self.initial_angle,), self.measured, acts=("angle",))
            return PairPlace(self.a.name, self.b.name, self.glyphs, joint=joint)
        a, b = cast(tuple[SpatialFrame, SpatialFrame], (self.a, self.b))
        axes = HingeAxes.between(a, b, self.axis, None, self.where)
        joint = JointPlace(axes.in_a, axes.in_b, self.measured, f"{self.name}.{TURN}", ("angle",))
        return replace(place_about(self), joint=joint)

    def turn(self, assembly: Assembler) -> Turn:
        """The angle of b against a; in space a new coordinate, with the row that makes it so."""
        if self.stands_in == 2:
            return Turn.in_plane(assembly, self.a, self.b)
        a: Any = self.a
        b: Any = self.b
        return Turn.counted(counted_angle(assembly, self, a, b, self.axis))
