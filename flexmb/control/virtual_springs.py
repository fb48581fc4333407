"""Virtual springs and dampers in the joints of a robot, whose gains may follow a state, and a damper that keeps the
mass center where it is.

The torque of a joint's motor is that of a spring and a damper, Takahashi (2012), eq. (6.6),

    τ = k_p (θ₀ − θ) − k_d θ̇

of the joint's own angle, or of another joint's (eq. 6.7: one ankle pushed against the other). A gain that follows a
state α, the angle of the upper body say, goes from one value to another by a polynomial of fifth order,

    k(α) = k₀ + (k₁ − k₀) (10 s³ − 15 s⁴ + 6 s⁵),   s = (|α| − α₀)/(α₁ − α₀) between 0 and 1

so that soft joints yield to a shove, and damp what is left of it.

**Reactionless damper**, eqs. (6.8) to (6.13). With the feet at rest a component L of the momentum of all links is
M_c θ̇. Of two joints, a follower a and a leader h, it stays zero while

    θ̇_a = r θ̇_h,   r = −M_h/M_a,      τ_a = k_a (r θ̇_h − θ̇_a)

For ankle, turn and bend of the hip (a, h₁, h₂) of a body with the masses m₁ of the legs (mass center at l_g1), m_h of
the hips and m₂ of the trunk (l_g2 over the hips), legs l₁ long, the momentum along x has the coefficients

    M_a  = (m₁ l_g1 + (m_h + m₂) l₁) C_a + m₂ l_g2 (C_a C_h2 − S_a C_h1 S_h2)   = n₃₁
    M_h2 = m₂ l_g2 (C_a C_h1 C_h2 − S_a S_h2)                                   = −n₁₁

and r = n₁₁/n₃₁ (6.12). The thesis prints n₁₁ so; in its n₃₁ a bracket is missing after m₂ l_g2, S_h1 stands for C_h1,
and its third term lacks a length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.control.open_chain import joint_sensor
from flexmb.control.reaction_null_space import ReactionNullSpace
from flexmb.errors import ControlError
from flexmb.feedback.controller import Controller
from flexmb.feedback.laws import PythonLaw
from flexmb.feedback.sensors import Sensor
from flexmb.forces.joint_force import JointForce
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model


@dataclass(frozen=True, eq=False)
class FollowingGain(metaclass=AnswersCalls):
    """A gain k(α) that goes from `first` where |α| ≤ α₀ to `last` where |α| ≥ α₁, smoothly, see
    :mod:`flexmb.control.virtual_springs`; α is what the `sensor` reads, `between` are α₀ and α₁.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=1.0)
    >>> turn = fm.control.RelativeAngle(m.ground, body.frame)
    >>> gain = fm.control.FollowingGain(turn, 0.0, 4.0, between=(0.1, 0.3))
    >>> [round(gain.at(angle), 6) for angle in (0.0, -0.2, 0.25, 1.0)]
    [0.0, 2.0, 3.585938, 4.0]
    """

    sensor: Sensor
    first: float
    last: float
    _: KW_ONLY
    between: tuple[float, float]

    def __post_init__(self) -> None:
        where = "following gain"
        if not isinstance(self.sensor, Sensor):
            raise ControlError(
                f"{where}: it follows {checks.quoted(self.sensor)}; give a sensor, e.g. RelativeAngle(ground, trunk)"
            )
        for name in ("first", "last"):
            checks.not_negative(getattr(self, name), name, where)
        low, high = checks.vector(self.between, "between", where, 2)
        if not 0.0 <= low < high:
            raise ControlError(f"{where}: between is ({low:g}, {high:g}); give two sizes of the state that rise from 0")

    def at(self, alpha: float) -> float:
        """k at a state α."""
        alpha = checks.number(alpha, "alpha", "following gain")
        s = min(max((abs(alpha) - self.between[0]) / (self.between[1] - self.between[0]), 0.0), 1.0)
        return self.first + (self.last - self.first) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


@dataclass(frozen=True, eq=False)
class VirtualSpring(metaclass=AnswersCalls):
    """A spring and a damper that the motor of a joint imitates, see :mod:`flexmb.control.virtual_springs`.

    Arguments: `actuator`, a `joint_force` or its name; gains `stiffness` k_p [Nm/rad or N/m] and `damping` k_d [Nms/rad
    or Ns/m], numbers or :class:`FollowingGain`; `free_angle` θ₀ [rad or m]; `of`: another joint, whose angle and rate
    it takes.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=1.0)
    >>> motor = m.joint_force(m.revolute(m.ground, arm.frame, name="hinge"), 0.0, name="motor")
    >>> springs = fm.control.VirtualSprings(m, [fm.control.VirtualSpring(motor, 4.0, 4.0, free_angle=0.5)])
    >>> controller = springs.control(period=0.01)
    >>> round(float(fm.simulate(m, 8.0, progress=False)["arm.angle"][-1]), 4)
    0.5
    """

    actuator: JointForce | str
    stiffness: float | FollowingGain
    damping: float | FollowingGain = 0.0
    _: KW_ONLY
    free_angle: float = 0.0
    of: Any = None


@dataclass(frozen=True, eq=False)
class ReactionlessDamper(metaclass=AnswersCalls):
    """A damper that makes one joint follow another so that a component of momentum stays zero, see
    :mod:`flexmb.control.virtual_springs`.

    Arguments: `model`, one of a few joints, as the controller imagines the robot with its foot at rest; the names
    of its joints `leader` and `follower`; `damping` k_a [Nms/rad]; `shares`: for each joint of the model those of the
    robot, by name, with weights: θ = Σ w θ_robot; each motor of the follower's gets w τ_a. In space angles count from
    the position of the model: both start in the same. `quantity`, which stays zero: "momentum.x" by default, or
    "momentum.z", "angular_momentum.y" … about the origin.

    >>> import flexmb as fm
    >>> def standing():
    ...     m = fm.PlanarModel("standing")
    ...     leg = m.add_body("leg", mass=2.0, inertia=0.02, position=(0, 0.2))
    ...     trunk = m.add_body("trunk", mass=3.0, inertia=0.05, position=(0, 0.6))
    ...     ankle = m.revolute(m.ground, leg.attach("foot", (0, -0.2)), name="ankle")
    ...     hip = m.revolute(leg.attach("top", (0, 0.2)), trunk.attach("waist", (0, -0.2)), name="hip")
    ...     for joint in (ankle, hip):
    ...         m.joint_force(joint, 0.0, name=f"{joint.name} motor")
    ...     return m
    >>> shares = {"ankle": {"ankle": 1.0}, "hip": {"hip": 1.0}}
    >>> damper = fm.control.ReactionlessDamper(standing(), "hip", "ankle", 200.0, shares)
    >>> spring = fm.control.VirtualSpring("hip motor", 2.0, 0.2, free_angle=0.3)
    >>> moved = []
    >>> for springs in ([spring], [spring, damper]):
    ...     robot = standing()
    ...     controller = fm.control.VirtualSprings(robot, springs).control(period=1e-3)
    ...     center = fm.simulate(robot, 0.3, progress=False).whole.center_of_mass[:, 0]
    ...     moved.append(round(1e3 * float(center.max() - center.min()), 2))
    >>> moved  # the mass center [mm] without and with the damper
    [8.5, 0.19]
    """

    model: Model
    leader: str
    follower: str
    damping: float
    shares: Mapping[str, Mapping[str, float]]
    _: KW_ONLY
    quantity: str = "momentum.x"


class VirtualSprings(metaclass=AnswersCalls):
    """A controller of a `model`, made of virtual springs and dampers; see :mod:`flexmb.control.virtual_springs`.

    `springs`: :class:`VirtualSpring` and :class:`ReactionlessDamper`, several of which may act on one motor. Their
    torques are added to those of the motors.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> arm = m.add_body("arm", mass=1.0, inertia=1.0)
    >>> motor = m.joint_force(m.revolute(m.ground, arm.frame, name="hinge"), 0.0, name="motor")
    >>> springs = fm.control.VirtualSprings(m, [fm.control.VirtualSpring(motor, 4.0, 1.0, free_angle=0.5)])
    >>> [sensor.unit for sensor in springs.sensors], springs.torques([0.2, 0.1]).round(6).tolist()  # 4 · 0.3 − 0.1
    (['rad', 'rad/s'], [1.1])
    """

    def __init__(self, model: Model, springs: Sequence[VirtualSpring | ReactionlessDamper]) -> None:
        if not isinstance(model, Model):
            raise ControlError(f"virtual springs: {checks.quoted(model)} is not a model; give the robot's")
        self.model, self.where = model, f"virtual springs of {model.where}"
        self._motors = [c for c in model.components.values() if isinstance(c, JointForce)]
        self._sensors: list[Sensor] = []
        self._read: dict[Any, int] = {}
        self.actuators: list[str] = []
        self._torques = [self._part(part) for part in checks.several(springs, "springs", self.where)]

    def _part(self, part: Any) -> Callable[[np.ndarray, np.ndarray], None]:
        """The function that adds the torques of a part to the commands, from the readings."""
        if isinstance(part, VirtualSpring):
            return self._spring(part)
        if isinstance(part, ReactionlessDamper):
            return self._reactionless(part)
        raise ControlError(
            f"{self.where}: {checks.quoted(part)} is no spring; give VirtualSpring or ReactionlessDamper"
        )

    def _spring(self, spring: VirtualSpring) -> Callable[[np.ndarray, np.ndarray], None]:
        motor = self._motor(spring.actuator)
        place = self._command(motor)
        other = spring.of if spring.of is None or isinstance(spring.of, str) else getattr(spring.of, "name", "")
        joint: Any = motor.joint if other is None else self.model.component(other)
        angle, rate = self._coordinate(joint, motor.acts_on)
        stiffness, damping = (self._gain(getattr(spring, what), what, motor) for what in ("stiffness", "damping"))
        free = checks.number(spring.free_angle, "free_angle", f"{self.where}, {motor.name!r}")

        def add(y: np.ndarray, torque: np.ndarray) -> None:
            torque[place] += stiffness(y) * (free - y[angle]) - damping(y) * y[rate]

        return add

    def _reactionless(self, part: ReactionlessDamper) -> Callable[[np.ndarray, np.ndarray], None]:
        space = ReactionNullSpace(part.model)
        where = f"{self.where}, reactionless damper"
        names = [name.rpartition(".")[0] for name in space.joints]
        if not len(names) == len(set(names)) == space.tree.nq:
            raise ControlError(
                f"{where}: {part.model.where} floats, or has joints that move in several ways; give a chain of hinges "
                "and slides that stands on the ground"
            )
        for name in (part.leader, part.follower, *part.shares):
            given_names.known(name, names, f"joint of {part.model.where}", where)
        W, readings = np.zeros((len(names), 2 * len(self._motors))), []
        gain = checks.not_negative(part.damping, "damping", where)
        for name, weights in part.shares.items():
            for own, weight in weights.items():
                motor = self._motor_of(own)
                read = self._coordinate(motor.joint, motor.acts_on)
                if read not in readings:
                    readings.append(read)
                W[names.index(name), readings.index(read)] = checks.number(weight, f"weight of {own!r}", where)
        missing = [name for name in names if name not in part.shares]
        if missing:
            raise ControlError(f"{where}: no joints of the robot stand for {', '.join(missing)} of {part.model.where}")
        W = W[:, : len(readings)]
        angles, rates = (np.array([r[k] for r in readings]) for k in (0, 1))
        follower, leader = names.index(part.follower), names.index(part.leader)
        shares = [
            (self._command(self._motor_of(own)), weight) for own, weight in part.shares[part.follower].items() if weight
        ]

        def add(y: np.ndarray, torque: np.ndarray) -> None:
            ratio = space.ratio(W @ y[angles], part.follower, part.leader, part.quantity)
            speeds = W @ y[rates]
            moment = gain * (ratio * speeds[leader] - speeds[follower])
            for place, weight in shares:
                torque[place] += weight * moment

        return add

    def _motor(self, actuator: Any) -> JointForce:
        motor = self.model.components.get(actuator) if isinstance(actuator, str) else actuator
        if not isinstance(motor, JointForce) or self.model.components.get(motor.name) is not motor:
            raise ControlError(
                f"{self.where}: {checks.quoted(actuator)} is no actuator of it; give what joint_force returned, or its "
                "name"
            )
        return motor

    def _motor_of(self, joint: str) -> JointForce:
        found = [motor for motor in self._motors if motor.joint.name == joint]
        if not found:
            raise ControlError(f"{self.where}: joint {joint!r} has no actuator; give it one by joint_force")
        return found[0]

    def _command(self, motor: JointForce) -> int:
        if motor.name not in self.actuators:
            self.actuators.append(motor.name)
        return self.actuators.index(motor.name)

    def _coordinate(self, joint: Any, what: str) -> tuple[int, int]:
        """Positions of a joint's coordinate and rate among the readings."""
        name = f"{joint.name}.{what}"
        if name not in self._read:
            self._read[name] = len(self._sensors)
            self._sensors += [joint_sensor(joint, what, rate, self.where) for rate in (False, True)]
        return self._read[name], self._read[name] + 1

    def _gain(self, gain: Any, what: str, motor: JointForce) -> Callable[[np.ndarray], float]:
        where = f"{self.where}, {motor.name!r}"
        if isinstance(gain, FollowingGain):
            state = gain.sensor
            if state not in self._read:
                self._read[state] = len(self._sensors)
                self._sensors.append(state)
            at = self._read[state]
            return lambda y: gain.at(float(y[at]))
        if isinstance(gain, (tuple, list)) or callable(gain):
            raise ControlError(
                f"{where}: {what} is {checks.quoted(gain)}, and nothing says of which state; give a number, or "
                "FollowingGain(sensor, first, last, between=(…, …))"
            )
        value = checks.not_negative(gain, what, where)
        return lambda y: value

    def torques(self, readings: Any) -> np.ndarray:
        """The torque of each of the `actuators` (a,) for readings of the `sensors` (s,)."""
        readings = checks.vector(readings, "readings", self.where, len(self._sensors))
        torque = np.zeros(len(self.actuators))
        for add in self._torques:
            add(readings, torque)
        return torque

    @property
    def sensors(self) -> list[Sensor]:
        """Sensors that the law reads."""
        return list(self._sensors)

    def control(self, *, period: float, delay: float = 0.0, limits: Any = None, name: str = "springs") -> Controller:
        """Add the sampled controller to the model; `limits` of each torque in the order of the `actuators`."""
        own: Any = self.model
        return own.add_controller(
            name,
            period=period,
            sensors=self.sensors,
            commands=self.actuators,
            law=PythonLaw(lambda t, y: self.torques(y), state_count=0),
            delay=delay,
            limits=limits,
        )
