"""Joints that consist of the rows of others: weld, prismatic joint, pin in slot, lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from flexmb.joints.friction import JointFriction
from flexmb.joints.planar.drive_angle import ANGLE
from flexmb.joints.planar.drive_position import add_along_axis
from flexmb.joints.planar.friction import add_guide_friction, check_guide_friction
from flexmb.joints.planar.joint import Joint
from flexmb.joints.planar.revolute import REVOLUTE
from flexmb.kernels.rotations import inverse, product
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.frames import Frame, rotation
from flexmb.model.functions.time_function import Constant
from flexmb.model.ways import FIXED, SLIDE, TURN, Z_ALONG_X, Motion, Ways, about_z

_COORDINATES = ("x", "y", "angle")


@dataclass(eq=False)
class Weld(Joint):
    """The origins of two frames coincide, and their angle stays as it is in the model. Where it is switched on in a
    run, it holds the frames against each other as they then are.

        g₁₂ = r_b − r_a,    g₃ = (θ_b − θ_a) − (θ_b − θ_a)₀

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, angle=0.3)
    >>> joint = m.weld(m.ground, body.frame)
    >>> fm.System(m).constraint(0.0, [0, 0, 0.3], [0, 0, 0])[0].tolist()
    [0.0, 0.0, 0.0]
    """

    def ways(self) -> Ways:
        return self.ways_along(0.0, Motion(FIXED, about_z(self.initial_angle)))

    def assemble(self, assembly: Assembler) -> None:
        self.add_instance(assembly, REVOLUTE, [("x", "length"), ("y", "length")])
        self.add_instance(assembly, ANGLE, [("angle", "angle")], Constant(self.initial_angle).parameters())

    def as_found(self, place: Callable[[Frame], Frame]) -> Weld:
        a, b = place(self.a), place(self.b)
        b.offset = rotation(b.node.angle).T @ (a.position - b.node.position)
        return Weld(a, b, name=self.name)


@dataclass(eq=False)
class _AxisJoint(Joint):
    """A joint that keeps the origin of frame b on an axis of frame a; `axis` is the angle of the axis there [rad]."""

    _: KW_ONLY
    axis: float = 0.0
    friction: JointFriction | None = None
    #: whether it has a bearing that carries a moment
    carries_moment: ClassVar[bool] = False

    def check(self) -> None:
        super().check()
        self.axis = checks.number(self.axis, "axis", self.where)
        check_guide_friction(self.friction, self.where, self.carries_moment)

    def assemble(self, assembly: Assembler) -> None:
        add_along_axis(self, assembly, rotation(self.axis)[:, 1], "across", Constant(0.0))
        self.add_angle(assembly)
        if self.friction is not None:
            add_guide_friction(self, assembly, self.friction, self.axis, self.carries_moment)

    def slide(self) -> Motion:
        """The motion along its axis."""
        own = "travel" if self.friction is not None and self.friction.smoothing == 0.0 else ""
        return Motion(SLIDE, Z_ALONG_X, name="position", own=own)

    def add_angle(self, assembly: Assembler) -> None:
        """Add the row by which the frames do not turn against each other, if there is one."""


@dataclass(eq=False)
class Prismatic(_AxisJoint):
    """The origin of frame b stays on an axis of frame a, and the frames do not turn against each other.

        g₁ = n · (r_b − r_a),    g₂ = (θ_b − θ_a) − (θ_b − θ_a)₀          Skyenginlab (n.d.), eq. (9)

    n is the axis turned by +90°. The source writes parallelism as a cross product, d_a × d_b = 0; this also holds
    when one frame is turned by 180°. The difference of angles does not allow that.

    Arguments: `axis`, the angle of the axis in frame a [rad]; `friction`, a :class:`~flexmb.JointFriction` with the
    `length` L of the bearing, whose middle is the origin of b. It leans on its two ends with

        N₁,₂ = λ/2 ± M/L

    with the force λ across the axis and the moment M about the origin of b; friction goes with N = |N₁| + |N₂|. A push
    along the axis at the distance d from it does not move the slider if  2 μ d ≥ L:  it is jammed, as a drawer is.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> slide = m.add_body("slide", mass=1.0, inertia=0.1, position=(0, 2))
    >>> rail = m.prismatic(m.ground, slide.frame, axis=3.141592653589793 / 2, name="rail")
    >>> [row.where for row in fm.System(m).rows]
    ['rail (across)', 'rail (angle)']
    """

    glyphs = ("slider",)
    carries_moment = True
    coordinates = ("position",)

    def ways(self) -> Ways:
        back = product(inverse(Z_ALONG_X), about_z(self.initial_angle))
        return self.ways_along(self.axis, self.slide(), Motion(FIXED, back))

    def add_angle(self, assembly: Assembler) -> None:
        self.add_instance(assembly, ANGLE, [("angle", "angle")], Constant(self.initial_angle).parameters())


@dataclass(eq=False)
class PinInSlot(_AxisJoint):
    """The origin of frame b, the pin, stays on an axis through the origin of frame a, the slot; it may turn.

        g = n · (r_b − r_a),    n the axis turned by +90°

    Arguments: `axis`, the angle of the slot in frame a [rad]; `friction`, a :class:`~flexmb.JointFriction`, which goes
    with the force N = |λ| across the slot.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> pin = m.add_body("pin", mass=1.0, inertia=0.1)
    >>> slot = m.pin_in_slot(m.ground, pin.frame)
    >>> fm.System(m).jacobian(0.0, [2, 0, 0]).tolist()
    [[0.0, 1.0, 0.0]]
    """

    glyphs = ("pin", "slider")
    coordinates = ("position", "angle")

    def ways(self) -> Ways:
        return self.ways_along(self.axis, self.slide(), Motion(TURN, inverse(Z_ALONG_X), name="angle"))


@dataclass(eq=False)
class Lock(Joint):
    """One coordinate of frame b in the axes of frame a keeps its value; where no value is given and it is switched on
    in a run, the value that it then has.

        g = e · (r_b − r_a) − value,  e the x- or y-axis of frame a;    or    g = θ_b − θ_a − value

    Arguments: `coordinate`, 'x', 'y' or 'angle'; `value` [m or rad], that of the model when not given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(2, 5))
    >>> joint = m.lock(m.ground, body.frame, "y")
    >>> fm.System(m).constraint(0.0, [2, 6, 0], [0, 0, 0])[0].tolist()
    [1.0]
    """

    coordinate: str
    value: float | None = None

    def check(self) -> None:
        super().check()
        checks.choice(self.coordinate, _COORDINATES, "coordinate", self.where)
        if self.value is not None:
            self.value = checks.number(self.value, "value", self.where)

    def assemble(self, assembly: Assembler) -> None:
        k = _COORDINATES.index(self.coordinate)
        initial = [*self.initial_position.tolist(), self.initial_angle][k]
        held = Constant(initial if self.value is None else self.value)
        if self.coordinate == "angle":
            self.add_instance(assembly, ANGLE, [("angle", "angle")], held.parameters(), found=self.value is None)
        else:
            add_along_axis(self, assembly, np.eye(2)[k], self.coordinate, held, found=self.value is None)
