"""Screw: a nut that travels along its axis as it turns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.friction import JointFriction
from flexmb.joints.spatial.pair_tables import AxisPair, across, tilts
from flexmb.joints.spatial.rows.along import add_along, place_along
from flexmb.joints.spatial.rows.bearing import SLEEVE, THREAD, parameters
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.joints.spatial.rows.primitive_rows import PrimitiveRow
from flexmb.joints.spatial.rows.sticking_thread import STICKING_THREAD
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import unit_axis
from flexmb.model.ways import SCREW, Motion, Ways


@dataclass(eq=False)
class Screw(AxisPair):
    """The origin of frame b stays on an axis of frame a; b travels along it by `pitch` for each radian that it turns.

        g = e · (r_b − r_a) − h s − (its value at the start),    s the counted angle

    and the rows of a cylindrical joint. s is the joint's coordinate 'turn', which counts all turns. The thrust on b
    along the axis is −λ of the row 'thread', the moment on b about it h λ.

    Arguments: `pitch` h [m/rad], not zero, positive for a right-handed thread: the lead of a turn over 2π; `axis`: 'x',
    'y', 'z' or a direction (3,), in the axes of frame a; `axis_b`, in those of frame b, the same line at the start when
    not given; `friction`, a :class:`~flexmb.JointFriction`, whose `radius` r is the mean one of the thread. A square
    thread with the lead angle α, tan α = h/r, and the friction angle φ, tan φ = μ, lifts a load W by the torque
    W r tan(α + φ), with the efficiency tan α/tan(α + φ), and is driven back by its load if tan α > μ; for flanks at an
    angle β to the normal give μ/cos β. A radial force and a moment across the axis add friction as in a cylindrical
    joint. With `smoothing=0` a thread with tan α < μ_S holds its load for ever, without creep.

    >>> import numpy as np
    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> nut = m.add_body("nut", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> thread = m.screw(m.ground, nut.frame, 0.01 / (2 * np.pi), axis="z", name="thread")
    >>> turn = m.drive_angle(m.ground, nut.frame, fm.Polynomial([0, 2 * np.pi]), axis="z")
    >>> solution = fm.simulate(m, 3.0, step=0.05, progress=False)
    >>> float(solution["nut"].position[-1, 2].round(9))  # three turns of 10 mm
    0.03
    """

    pitch: float
    friction: JointFriction | None = field(default=None, kw_only=True)
    glyphs = ("screw",)
    coordinates = ("position", "angle")
    counts_turns = True
    bearing = THREAD

    def check(self) -> None:
        super().check()
        self.pitch = checks.number(self.pitch, "pitch", self.where)
        if self.pitch == 0.0:
            raise ModelError(f"{self.where}: pitch is 0; use revolute, whose frames turn without traveling")

    def ways(self) -> Ways:
        start = place_along(self.a, self.b, unit_axis(self.axis, self.where))
        return self.axes().ways(Motion(SCREW, place=(0.0, 0.0, start), pitch=self.pitch, name="angle", own="turn"))

    def table(self) -> list[PrimitiveRow]:
        axes = self.axes()
        return [*across(axes), *tilts(axes)]

    def assemble(self, assembly: Assembler) -> None:
        super().assemble(assembly)
        s = counted_angle(assembly, self, self.a, self.b, self.axis, self.axis_b)
        axis = unit_axis(self.axis, self.where)
        start = place_along(self.a, self.b, axis)
        on_thread: list[float] = []
        if self.friction is not None and not self.sticks:
            on_thread = parameters(self.friction, self.axes().on_b[2], THREAD, self.pitch).tolist()
        add_along(assembly, self, self.a, self.b, axis, "thread", start, s, self.pitch, on_thread)
        if self.sticks:
            self.add_sticking(assembly, s, STICKING_THREAD)

    def bearing_parameters(self) -> np.ndarray:
        if self.friction is None:
            return np.zeros(0)
        if self.sticks:  # one force along the thread
            return parameters(self.friction, self.axes().on_b[2], THREAD, self.pitch)
        radial = replace(self.friction, preload=0.0, viscous=0.0)  # which the thread has
        return parameters(radial, self.axes().on_b[2], SLEEVE)
