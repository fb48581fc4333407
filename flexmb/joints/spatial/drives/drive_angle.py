"""Drive of a hinge in space: its counted angle follows a function of time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from flexmb.joints.coordinates import COORDINATE_DRIVE
from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_motion
from flexmb.model.spatial_frames import unit_axis


@dataclass(eq=False)
class DriveAngle(SpatialJoint):
    """The angle by which frame b has turned against frame a since the start follows a function of time.

        g = s − f(t),    s the counted angle (:mod:`flexmb.joints.spatial.rows.counted_angle`)

    Angles are counted through all turns, so f may grow without bound. It takes a hinge to hold the axis. The moment on
    b about the axis is −λ.

    Arguments: `angle` f(t) [rad], a number or a function of time; `axis`: 'x', 'y', 'z' or a direction (3,), in the
    axes of frame a.

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> fan = m.add_body("fan", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> hinge = m.revolute(m.ground, fan.frame, axis="z")
    >>> drive = m.drive_angle(m.ground, fan.frame, fm.SpinUp(speed=6.0, duration=1.0), axis="z", name="drive")
    >>> solution = fm.simulate(m, 10.0, step=0.05, progress=False)
    >>> solution.coordinate("drive.turn")[-1].round(9).tolist()  # nine turns: 6 · (10 − 1/2)
    57.0
    """

    angle: TimeFunction | float
    _: KW_ONLY
    axis: Any = "z"
    prescribed = "angle"
    prescribed_unit = "rad"
    glyphs = ("motor",)
    measures_from_start = True

    def check(self) -> None:
        super().check()
        self.angle = as_motion(self.angle, "angle", self.where)
        unit_axis(self.axis, self.where)

    def assemble(self, assembly: Assembler) -> None:
        s = counted_angle(assembly, self, self.a, self.b, self.axis)
        p = assembly.prescribed(self).parameters()
        assembly.instance(self, COORDINATE_DRIVE, s, p, [("angle", "angle")], prescribed=0)
