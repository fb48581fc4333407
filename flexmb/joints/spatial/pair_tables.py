"""Joints in space as tables of primitive rows (:mod:`flexmb.joints.spatial.rows.primitive_rows`): what they share.

Each has axes x, y, z on both frames, z along its own axis (:class:`~flexmb.joints.spatial.joint.HingeAxes`), in which
its coordinates are measured, b against a and right-handed. Angles are zero at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.friction import JointFriction, checked_friction
from flexmb.joints.spatial.joint import HingeAxes, SpatialJoint
from flexmb.joints.spatial.rows.bearing import HINGE, SLIDE, THREAD, parameters, room
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.joints.spatial.rows.primitive_rows import (
    ALONG,
    DOT,
    LOWER_PAIR,
    LOWER_PAIR_WITH_FRICTION,
    POINT,
    PrimitiveRow,
)
from flexmb.joints.spatial.rows.sticking import STICKING_BEARING
from flexmb.joints.spatial.rows.sticking import room as room_to_stick
from flexmb.joints.sticking import FREE
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import dot
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import Frame, unit_axis
from flexmb.model.ways import TURN, Motion, Ways

#: the origins of both frames coincide
ONE_POINT = [PrimitiveRow(name, "length", POINT, n) for name, n in zip("xyz", np.eye(3).tolist())]


@dataclass(eq=False)
class LowerPair(SpatialJoint):
    """A joint that is a table of primitive rows."""

    #: what can be asked of it in a solution: names of :data:`flexmb.model.appearance.JOINT_COORDINATES`
    coordinates: ClassVar[tuple[str, ...]] = ()
    #: the motions that it leaves, from its axes on a to those on b; empty if they cannot be said so
    motions: ClassVar[tuple[Motion, ...]] = ()
    #: the kind of bearing that it is (:mod:`flexmb.joints.spatial.rows.bearing`), if it may have friction
    bearing: ClassVar[float | None] = None
    #: a field of joints that are bearings
    friction: JointFriction | None = field(default=None, init=False, repr=False)
    #: which of its axes x, y, z must not point opposite ways on a and on b, though the rows would hold
    senses: ClassVar[tuple[int, ...]] = ()

    @property
    def counts_turns(self) -> bool:
        """Whether its angle is a coordinate of the mechanism, 'turn', that counts all turns."""
        return False

    @property
    def finds(self) -> bool:
        """Whether it has one row, and holds the value that it finds where it is switched on in a run."""
        return False

    @property
    def kernels(self) -> Kernels:
        """The family of its rows."""
        return LOWER_PAIR if self.friction is None or self.sticks else LOWER_PAIR_WITH_FRICTION

    @property
    def sticks(self) -> bool:
        """Whether its friction truly sticks."""
        return self.friction is not None and self.friction.smoothing == 0.0

    def check(self) -> None:
        super().check()
        checked_friction(self.friction, self.where)
        if self.friction is None:
            return
        if self.bearing is None:
            raise ModelError(
                f"{self.where}: friction by the joint's own force is known for revolute, prismatic, cylindrical, screw "
                "and spherical joints; give it to one of these, or leave it out"
            )
        if self.sticks and self.bearing not in (HINGE, SLIDE, THREAD):
            raise ModelError(
                f"{self.where}: friction that truly sticks, with smoothing=0, is that of joints with one way to move: "
                "revolute, prismatic and screw; give it a smoothing, 1e-6 m/s, say, about which what sticks creeps"
            )
        if self.bearing != SLIDE:
            self.friction.needs(self.where, "radius", without="so that its surfaces would not slip as it turns")

    def table(self) -> list[PrimitiveRow]:
        """The primitive rows of the joint."""
        raise NotImplementedError

    def axes(self) -> HingeAxes:
        """Its axes on both bodies: those of frame a at the start, if it has none of its own."""
        return HingeAxes.of(self.a, self.b, (1.0, 0.0, 0.0, 0.0))

    def ways(self) -> Ways | None:
        if not self.motions:
            return None
        counted = "turn" if self.counts_turns else ""
        own = [replace(m, own=counted) if m.kind == TURN else m for m in self.motions]
        return self.axes().ways(*own)

    def place(self) -> PairPlace:
        axes, place = self.axes(), super().place()
        counted = f"{self.name}.turn" if self.counts_turns else ""
        return replace(place, joint=JointPlace(axes.in_a, axes.in_b, self.coordinates, counted))

    def assemble(self, assembly: Assembler) -> None:
        bearing = () if self.sticks else self.bearing_parameters()
        add_table(assembly, self, self.a, self.b, self.table(), bearing, found=self.finds)

    def add_sticking(self, assembly: Assembler, s: Numbers, kernels: Kernels = STICKING_BEARING) -> None:
        """Add friction that truly sticks on the joint's own coordinate s, whose rows are its last."""
        table = self.table()
        p = np.concatenate([*_arms_and_rows(self.a, self.b, table), self.bearing_parameters(), [FREE, 1.0]])
        coordinates = [*pair_coordinates(assembly, self.a, self.b), s]
        work = room_to_stick(len(table))
        assembly.instance(self, kernels, coordinates, p, work=work, reads=True, state=len(p) - 2)

    def bearing_parameters(self) -> np.ndarray:
        """The parameters of its friction; none without."""
        if self.friction is None or self.bearing is None:
            return np.zeros(0)
        return parameters(self.friction, self.axes().on_b[2], self.bearing)


@dataclass(eq=False)
class Aligned(LowerPair):
    """A lower pair whose rows hold with some axes the other way round as well; such positions are refused."""

    def misplaced(self, system: Assembled, q: np.ndarray) -> str:
        doubts = self.doubts(system, q[None, :])
        return doubts[0].text if doubts else ""

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        if self.name in system.measured:  # it holds its frames as it found them, and not as they were at the start
            return []
        a, b, on_a, on_b = system.once(("axes", self.name), lambda: self._orientations_and_axes(system))
        for k in self.senses:
            against = _first_against(q, a, b, on_a[k], on_b[k])
            if against >= 0:
                return [
                    Doubt(
                        against,
                        f"{self.where}: frame {self.b.name!r} stands upside-down, its {'xyz'[k]}-axis of the joint "
                        "against that of frame "
                        f"{self.a.name!r}; the rows of the joint hold that way too; start nearer to the position meant",
                    )
                ]
        return []

    def _orientations_and_axes(self, system: Assembled) -> tuple[np.ndarray, ...]:
        """The numbers (4,) of the orientations of bodies a and b, and the axes (3, 3) of the joint on both."""
        numbers, axes = system.coordinates_of(self.name, self.kernels)[0], self.axes()
        return numbers[3:7], numbers[10:14], axes.on_a, axes.on_b


@compiled
def _first_against(q, a, b, u, w):
    """The first row of q (k, …) in which axis u (3,) of a frame, turned by the quaternion with the numbers a (4,), is
    against axis w (3,) of another one, turned by that with b (4,); −1 if there is none. Quaternions may be NaN."""
    for k in range(q.shape[0]):
        x = turned((q[k, a[0]], q[k, a[1]], q[k, a[2]], q[k, a[3]]), (u[0], u[1], u[2]))
        y = turned((q[k, b[0]], q[k, b[1]], q[k, b[2]], q[k, b[3]]), (w[0], w[1], w[2]))
        if dot(x, y) < 0.0:
            return k
    return -1


@dataclass(eq=False)
class AxisJoint(LowerPair):
    """A lower pair with an axis.

    Arguments: `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a.
    """

    _: KW_ONLY
    axis: Any = "z"

    def check(self) -> None:
        super().check()
        unit_axis(self.axis, self.where)
        if self._axis_b is not None:
            self.axes()

    def axes(self) -> HingeAxes:
        return HingeAxes.between(self.a, self.b, self.axis, self._axis_b, self.where)

    @property
    def _axis_b(self) -> Any:
        """The axis of b, if it has one of its own."""
        return getattr(self, "axis_b", None)


@dataclass(eq=False)
class AxisPair(Aligned, AxisJoint):
    """A lower pair whose axis on a is an axis of b too.

    Arguments: `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a; `axis_b`, in those of frame b; when
    not given it is the same line at the start. Where the two differ at the start, the bodies are brought together.
    """

    _: KW_ONLY
    axis_b: Any = None
    senses: ClassVar[tuple[int, ...]] = (2,)


@dataclass(eq=False)
class TurningPair(AxisPair):
    """A lower pair that turns about its axis.

    Arguments: `count_turns`: its angle is a coordinate of the mechanism that counts all turns
    (:mod:`flexmb.joints.spatial.rows.counted_angle`).
    """

    _: KW_ONLY
    count_turns: bool = False

    def check(self) -> None:
        super().check()
        self.count_turns = checks.flag(self.count_turns, "count_turns", self.where)

    @property
    def counts_turns(self) -> bool:
        return self.count_turns or self.sticks

    def assemble(self, assembly: Assembler) -> None:
        super().assemble(assembly)
        if self.counts_turns:
            turn = counted_angle(assembly, self, self.a, self.b, self.axis, self._axis_b)
            if self.sticks:
                self.add_sticking(assembly, turn)


def add_table(
    assembly: Assembler,
    owner: Component,
    a: Frame,
    b: Frame,
    table: Sequence[PrimitiveRow],
    bearing: Sequence[float] | np.ndarray = (),
    *,
    found: bool = False,
) -> None:
    """Add the rows of a table between two frames, with friction if there are parameters of a `bearing`; `found`: there
    is one row, and its value is measured where the component is switched on in a run."""
    p = np.concatenate([*_arms_and_rows(a, b, table), bearing])
    rows = [(row.name, row.measure) for row in table]
    kernels, work = (LOWER_PAIR_WITH_FRICTION, room(len(rows))) if len(bearing) else (LOWER_PAIR, 0)
    assembly.instance(owner, kernels, pair_coordinates(assembly, a, b), p, rows, work, found=found)


def _arms_and_rows(a: Frame, b: Frame, table: Sequence[PrimitiveRow]) -> list[Any]:
    """The parameters of a table of rows between two frames."""
    return [a.offset, b.offset, *([row.kind, *row.first, *row.second, row.value] for row in table)]


def tilts(axes: HingeAxes) -> list[PrimitiveRow]:
    """The axes of a and b are parallel."""
    return [PrimitiveRow(f"tilt {k + 1}", "angle", DOT, axes.on_a[k], axes.on_b[2]) for k in range(2)]


def across(axes: HingeAxes) -> list[PrimitiveRow]:
    """The origin of b lies on the axis of a."""
    return [PrimitiveRow(f"across {k + 1}", "length", ALONG, axes.on_a[k]) for k in range(2)]


def normal(axes: HingeAxes) -> PrimitiveRow:
    """The origin of b lies in the plane through that of a, across the axis of a."""
    return PrimitiveRow("normal", "length", ALONG, axes.on_a[2])
