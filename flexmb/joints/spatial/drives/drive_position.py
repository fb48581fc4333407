"""Drive of a place in space: the origin of one frame, along an axis of another or in all three, follows functions of
time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.joints.spatial.rows.along import add_along, place_along
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_motion
from flexmb.model.spatial_frames import unit_axis


@dataclass(eq=False)
class DrivePosition(SpatialJoint):
    """The origin of frame b, measured along an axis of frame a or in its three axes, follows functions of time.

        g = e · (r_b − r_a) − f(t),    e = the axis, turning with frame a    (:mod:`flexmb.joints.spatial.rows.along`)

    The force on b along each axis is −λ. Frame b may turn.

    Arguments: `position` f(t) [m], a number or a function of time, or three of them along x, y, z of frame a; `axis`
    of a single one: 'x', 'y', 'z' or a direction (3,) in the axes of frame a, z when not given; `relative_to_start`: f
    is added to the position that the frames have in the model.

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> slide = m.add_body("slide", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.2))
    >>> push = m.drive_position(m.ground, slide.frame, fm.SmoothStep(0.0, 1.0, 0.2, 0.5), axis="z", name="push")
    >>> hold = m.drive_position(m.ground, slide.frame, (0.0, fm.Harmonic(0.1, 3.0), 0.2), name="hold")
    >>> [row.where for row in fm.System(m).rows]
    ['push (along)', 'hold (x)', 'hold (y)', 'hold (z)']
    """

    position: Any
    _: KW_ONLY
    axis: Any = None
    relative_to_start: bool = False
    prescribed = "position"
    prescribed_unit = "m"

    @property
    def measures_from_start(self) -> bool:
        return self.relative_to_start

    @property
    def is_drive(self) -> bool:
        """Whether it is driven by a single function, which analyses may replace."""
        return not isinstance(self.position, tuple)

    def functions(self) -> list[TimeFunction]:
        some = self.position if isinstance(self.position, tuple) else (self.position,)
        return [f for f in some if isinstance(f, TimeFunction)]

    def check(self) -> None:
        super().check()
        self.relative_to_start = checks.flag(self.relative_to_start, "relative_to_start", self.where)
        if not isinstance(self.position, tuple | list | np.ndarray):
            self.position = as_motion(self.position, "position", self.where)
            unit_axis("z" if self.axis is None else self.axis, self.where)
            return
        if len(self.position) != 3:
            raise ModelError(
                f"{self.where}: position is {len(self.position)} functions of time; give one along an axis, or three "
                "along x, y and z of frame a"
            )
        if self.axis is not None:
            raise ModelError(f"{self.where}: axis is that of one function; three are along x, y and z of frame a")
        self.position = tuple(as_motion(f, "position", self.where) for f in self.position)

    def assemble(self, assembly: Assembler) -> None:
        if isinstance(self.position, tuple):
            for row, axis, f in zip("xyz", np.eye(3), self.position):
                self._add(assembly, axis, row, assembly.held(f))
        else:
            axis = unit_axis("z" if self.axis is None else self.axis, self.where)
            self._add(assembly, axis, "along", assembly.prescribed(self), prescribed=0)

    def _add(self, assembly: Assembler, axis: np.ndarray, row: str, f: TimeFunction, **more: Any) -> None:
        if self.relative_to_start:
            f = f + place_along(self.a, self.b, axis)
        add_along(assembly, self, self.a, self.b, axis, row, f, found=self.relative_to_start, **more)
