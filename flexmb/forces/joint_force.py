"""Force on a coordinate of a joint, in the plane and in space: an actuator, a damper and friction, as robots have them
in their joints."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.about_axis import Turn
from flexmb.forces.coordinate_force import force_on_sum
from flexmb.forces.drives.lugre import LuGre
from flexmb.forces.friction import Friction
from flexmb.forces.spatial.joint_torque import JOINT_TORQUE, TORQUE
from flexmb.joints.coordinates import OnJoint
from flexmb.joints.planar.drive_position import add_travel
from flexmb.joints.planar.joint import Joint
from flexmb.joints.spatial.drives.drive_joint import ANGLES, PLACES, chosen, own_coordinate, place_axis, single
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.joints.spatial.rows.along import speed_along
from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import product, turned
from flexmb.kernels.slots import strength_at
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import rotation
from flexmb.model.functions.time_function import TimeFunction, as_function

#: turns about an axis of the joint on frame a
TURNS = ("rx", "ry", "rz")


@dataclass(eq=False)
class JointForce(OnJoint, Component):
    """A torque about the axis of a joint, or a force along it, with a damper and friction in parallel.

        Q = τ(t) − c ṡ − F(ṡ)      on the coordinate s of the joint, b against a
        lost: c ṡ² + ṡ F(ṡ),   input: τ ṡ

    s is an angle, counted through all turns, or a place along the axis. A place, and in space an angle too, is a
    coordinate of this component, and the row that makes it that of the joint hands Q on to the bodies: Q about or along
    the axis on b, −Q on a. The law F of
    friction is that of :class:`flexmb.Friction`, of a torque and an angular speed, or of a force and a speed where s is
    a place.

    A joint that turns about any axis, as a spherical one, takes a torque about the axis x, y or z that it has on frame
    a, `coordinate` 'rx', 'ry' or 'rz': Q is then the torque about that axis, and ṡ the angular velocity of b against a
    about it, which is the rate of no angle; there is no friction (:mod:`flexmb.forces.spatial.joint_torque`).

    Arguments: `joint`, one with a coordinate that is one angle or one place; `force` τ [Nm or N], a number or a
    function of time, which controllers command; `damping` c [Nms/rad or Ns/m]; `friction`, a :class:`flexmb.Friction`;
    `coordinate`: 'angle', 'position' or another that the joint has, the only one when not given, 'rx', 'ry', 'rz' of a
    joint that turns about any axis.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=(0.3, 0.3, 0.5))
    >>> hinge = m.revolute(m.ground, arm.frame, axis="z", name="hinge")
    >>> actuator = m.joint_force(hinge, 2.0, damping=0.5, name="actuator")
    >>> solution = fm.simulate(m, 1.0, "radau", progress=False)
    >>> round(float(solution["hinge.rate"][-1]), 6)  # τ/c (1 − exp(−c t/J))
    2.528482
    >>> m = fm.PlanarModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=0.5)
    >>> hinge = m.revolute(m.ground, arm.frame, name="hinge")
    >>> actuator = m.joint_force(hinge, 2.0, damping=0.5, name="actuator")
    >>> round(float(fm.simulate(m, 1.0, "radau", progress=False)["arm.angular_velocity"][-1]), 6)
    2.528482
    """

    joint: Joint | LowerPair
    force: TimeFunction | float = 0.0
    _: KW_ONLY
    damping: float = 0.0
    friction: Friction | LuGre | None = None
    coordinate: str | None = None
    kind = "force"
    glyphs = ("motor",)
    strength = "force"
    dimension = None

    @property
    def acts_on(self) -> str:
        """The coordinate of the joint on which it acts."""
        if isinstance(self.joint, LowerPair) and self.joint.coordinates and not single(self.joint):
            if self.coordinate is None:
                raise ModelError(
                    f"{self.where}: {self.joint.where} turns about any axis; say about which of its axes on frame "
                    f"{self.a.name!r}, coordinate='rx', 'ry' or 'rz'; springs and dampers against turns are a bushing"
                )
            named = f"coordinate of {self.joint.where}"
            return str(checks.choice(self.coordinate, self.joint.coordinates, named, self.where))
        return chosen(self.joint, self.coordinate, self.where)

    @property
    def strength_unit(self) -> str:  # type: ignore[override]
        """The unit of its force."""
        return "N" if self.acts_on in PLACES else "Nm"

    def place(self) -> PairPlace:
        """The axes are those of the joint, which itself says what is measured in them."""
        glyphs = () if self.acts_on in PLACES else self.glyphs
        if isinstance(self.joint, Joint):
            axis = getattr(self.joint, "axis", None)
            along = JointPlace((axis or 0.0,), (axis or 0.0,), acts=(self.acts_on,))
            return PairPlace(self.a.name, self.b.name, glyphs, axis, joint=along)
        place = self.joint.place()
        own = None if place.joint is None else replace(place.joint, coordinates=(), counted="", acts=(self.acts_on,))
        return replace(place, glyphs=glyphs, joint=own)

    def check(self) -> None:
        _ = self.acts_on
        self.force = as_function(self.force, "force", self.where)
        checks.check_fields(self, checks.not_negative, self.where, "damping")
        if self.friction is not None and not isinstance(self.friction, Friction | LuGre):
            raise ModelError(
                f"{self.where}: friction is {checks.quoted(self.friction)}; give fm.Friction(coulomb, …) or fm.LuGre(…)"
            )
        if isinstance(self.friction, LuGre) and self.acts_on in ("angle1", "angle2"):
            raise ModelError(
                f"{self.where}: bristles stand on an angle about one axis, or a place, and {self.acts_on!r} is of a "
                "cross; give two revolute joints, or fm.Friction(…)"
            )
        if self.friction is not None and self.acts_on in TURNS:
            raise ModelError(
                f"{self.where}: friction in {self.joint.where} is against its slip, about whatever axis that is; give "
                "the joint friction=fm.JointFriction(…)"
            )

    def assemble(self, assembly: Assembler) -> None:
        what = self.acts_on
        if what in TURNS:
            joint: Any = self.joint
            axes = product(tuple(self.a.axes), joint.axes().in_a)
            e = turned(axes, np.eye(3)[TURNS.index(what)])
            p = np.array([*e, self.damping, *assembly.strength(self).slot()])
            blocks = [assembly.node(frame.node)[1] for frame in (self.b, self.a)]
            assembly.instance(self, JOINT_TORQUE, blocks, p, label="torque", strength=TORQUE)
            return
        if isinstance(self.joint, Joint) and what == "angle":
            turn = Turn.in_plane(assembly, self.a, self.b)
        elif isinstance(self.joint, Joint):
            axis = rotation(getattr(self.joint, "axis", 0.0))[:, 0]
            turn = Turn.counted(add_travel(self, assembly, axis))
        else:
            own = own_coordinate(assembly, self, self.joint, what, "turn" if what in ANGLES else "travel")[0]
            turn = Turn.counted(own)
        head = [*turn.weights, 0.0]  # of its coordinates only the rate counts
        damping = self.damping + (0.0 if self.friction is None else self.friction.viscous)
        p = np.array([*head, damping, *assembly.strength(self).slot()])
        assembly.instance(self, COORDINATE_FORCE, turn.coordinates, p, label="force", strength=len(head) + 1)
        if self.friction is not None:
            self.friction._add(assembly, self, turn.coordinates, turn.weights, self._start_rate())

    def _start_rate(self) -> float:
        """The rate of its coordinate in the model [rad/s or m/s]."""
        a, b, what = self.a, self.b, self.acts_on
        (beside, turning), (speed, turned_with) = (f.node.moving_at(b.position) for f in (a, b))
        joint: Any = self.joint
        if isinstance(joint, LowerPair):
            if what in PLACES:
                return float(speed_along(joint.a, joint.b, place_axis(joint, what)))
            axis = np.array(turned(tuple(joint.a.node.orientation), tuple(joint.axes().on_a[2])))
            return float(axis @ (np.asarray(turned_with) - np.asarray(turning)))
        if what == "angle":
            return float(turned_with - turning)
        e = rotation(a.angle) @ rotation(getattr(joint, "axis", 0.0))[:, 0]
        return float(e @ (speed - beside))


@compiled
def _actuator(row, at, t, s, rate):
    damping, force = row[at], strength_at(row, at + 1, t)
    return damping * rate - force, 0.0, damping, 0.0, damping * rate * rate, force * rate


#: Parameters behind the weights and 0: damping, the slot of the force.
COORDINATE_FORCE = force_on_sum("force on a coordinate", _actuator).standing_at(__name__, "COORDINATE_FORCE")
