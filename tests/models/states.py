"""Mechanisms with states of first order of a user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

import flexmb as fm
from flexmb.model.components import Component
from tests.models import pairs
from tests.models.pairs_in_space import WAVE, pair

LAW = fm.control.transfer_function([3.0, -5.0], [0.05, 0.4, 1.0])


def cart(commands_at_once: bool = False) -> tuple[fm.PlanarModel, fm.control.States, np.ndarray]:
    """A mass on a spring with a filter in a loop about it, which starts with a speed of 1 m/s; and the matrix of
    x, ẋ, x1, x2. The distance that the sensor reads is x."""
    law = fm.control.transfer_function([0.1, 3.0, -5.0], [0.05, 0.4, 1.0]) if commands_at_once else LAW
    m = fm.PlanarModel("cart")
    body = m.add_body("cart", mass=2.0, inertia=1.0)
    m.prismatic(m.ground, body.frame)
    far = body.attach("far", (200.0, 0.0))
    m.spring_damper(m.ground, far, stiffness=8.0, damping=0.1, free_length=200.0)
    push = m.point_force(body.frame, (1.0, 0.0), factor=0.0, name="push")
    body.move((1.0, 0.0))
    seen = fm.control.RangeFinder(m.ground, far, bias=-200.0)
    states = m.add_states("filter", law, sensors=seen, commands=push)
    A = np.zeros((4, 4))
    A[0, 1], A[1, :2] = 1.0, (-4.0, -0.05)
    A[1, 0] += law.D[0, 0] / 2.0
    A[1, 2:], A[2:, 2:], A[2:, 0] = law.C[0] / 2.0, law.A, law.B[:, 0]
    return m, states, A


def cart_after(A: np.ndarray, t: float) -> np.ndarray:
    """x, ẋ, x1, x2 of the cart."""
    found: np.ndarray = scipy.linalg.expm(A * t) @ [0.0, 1.0, 0.0, 0.0]
    return found


def wheel(
    gain: float = -2.0, delay: float = 0.5, **more: Any
) -> tuple[fm.PlanarModel, fm.control.States, np.ndarray, np.ndarray]:
    """A wheel with a motor that follows gain · ω with a delay; and the matrices of angle, ω, x1 and of the input."""
    m = fm.PlanarModel("wheel")
    body = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, body.frame)
    motor = m.point_torque(body.frame, 0.0, name="motor")
    law = fm.control.transfer_function([gain], [delay, 1.0])
    rate = fm.control.RelativeRate(m.ground, body.frame)
    states = m.add_states("lag", law, sensors=rate, commands=motor, **more)
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, law.C[0, 0]], [0.0, law.B[0, 0], law.A[0, 0]]])
    return m, states, A, np.array([0.0, 0.0, law.B[0, 0]])


def wheel_after(A: np.ndarray, b: np.ndarray, t: float, start: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """angle, ω, x1 of the wheel after t [s] of an input of 1."""
    whole = np.zeros((4, 4))
    whole[:3, :3], whole[:3, 3] = A, b
    found: np.ndarray = (scipy.linalg.expm(whole * t) @ [*start, 1.0])[:3]
    return found


def of_functions(law: Any, decide: Any = None, start: Any = (0.1,), **more: Any) -> fm.PlanarModel:
    """The wheel, with a law of Python."""
    m = fm.PlanarModel("wheel")
    body = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, body.frame)
    motor = m.point_torque(body.frame, 0.0, name="motor")
    read = fm.control.RelativeRate(m.ground, body.frame)
    m.add_states("lag", law, sensors=read, commands=motor, decide=decide, start=start, **more)
    return m


def arm() -> fm.SpatialModel:
    """An arm of two links with motors of three kinds, whose controller has two states."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    one = m.add_body("one", mass=2.0, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
    two = m.add_body("two", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0))
    h1 = m.revolute(m.ground, one.attach("r", (-0.5, 0, 0)), axis="y", name="h1", count_turns=True)
    end, root = one.attach("e", (0.5, 0, 0)), two.attach("r2", (-0.5, 0, 0))
    h2 = m.revolute(end, root, axis=(0.3, 0, 1), name="h2", count_turns=True)
    motors = [
        m.joint_force(h1, 0.0, name="m1"),
        m.motor(end, root, axis=(0.3, 0, 1), inertia=0.01, ratio=10.0, torque=0.0, name="m2"),
        m.add_wheel("wheel", two.frame, inertia=0.05, axis="x", torque=0.0),
    ]
    read = fm.control
    sensors = [read.JointAngle(h1), read.JointRate(h1), read.Gyro(two.frame, "z"), read.JointAngle(h2)]
    m.add_states("ctl", arm_rates, sensors=sensors, commands=motors, decide=arm_torques, start=(0, 0), compiled=True)
    return m


def arm_rates(t: float, y: Any, x: Any) -> Any:
    return 0.5 - y[0] - 0.1 * x[0], (y[2] - x[1]) / 0.05


def arm_torques(t: float, y: Any, x: Any) -> Any:
    return 40.0 * (0.5 - y[0]) - 8.0 * y[1] + 3.0 * x[0], -0.3 * (y[3] - 0.4) + 0.1 * x[1], 0.05 * x[1]


def rates(t: float, y: Any, x: Any) -> Any:
    return y[0] * x[1] - x[0], np.sin(y[1]) - 0.5 * x[1] * y[0]


def commands(t: float, y: Any, x: Any) -> Any:
    return (x[0] * y[1] - 2.0 * x[1],)


def _in_space(kind: str) -> Component:
    m, a, b = pair()
    torque = m.point_torque(b, (1.0, 0.3, -0.2), factor=WAVE, name="torque")
    if kind == "functions":
        read = [fm.control.Gyro(b, "y"), fm.control.RangeFinder(a, b)]
        return m.add_states("states", rates, sensors=read, commands=torque, decide=commands, start=(0.1, 0.2))
    if kind == "feed":
        lag = fm.control.transfer_function([1.0], [0.1, 1.0])
        return m.add_states("states", lag, commands=torque, feed=WAVE)
    law = fm.control.transfer_function([0.3, 1.0, 2.0], [0.1, 0.5, 1.0])
    return m.add_states("states", law, sensors=SENSORS[kind](m, a, b), commands=torque)


def _of_hinge(sensor: Any) -> Callable[..., Any]:
    return lambda m, a, b: sensor(m.cylindrical(a, b, axis=(0.3, 0.2, 1.0), count_turns=True))


#: sensors that can be read at every instant, on frames a and b
SENSORS: dict[str, Callable[..., fm.control.Sensor]] = {
    "Gyro": lambda m, a, b: fm.control.Gyro(b, (1, 2, 3)),
    "Speedometer": lambda m, a, b: fm.control.Speedometer(b, (1, -2, 3)),
    "RangeFinder": lambda m, a, b: fm.control.RangeFinder(a, b),
    "RangeRate": lambda m, a, b: fm.control.RangeRate(a, b),
    "JointAngle": _of_hinge(fm.control.JointAngle),
    "JointRate": _of_hinge(fm.control.JointRate),
    "JointRate: not counted": lambda m, a, b: fm.control.JointRate(m.revolute(a, b, axis=(0.3, 0.2, 1.0))),
    "JointPosition": _of_hinge(fm.control.JointPosition),
    "JointSpeed": _of_hinge(fm.control.JointSpeed),
    "AttitudeError": lambda m, a, b: fm.control.AttitudeError(
        b, (1, 1, 0), reference=fm.rotation_vector((0.1, 0.2, -0.1)), against=a
    ),
    "AttitudeRate": lambda m, a, b: fm.control.AttitudeRate(b, "y", reference=(0.0, WAVE, 0.1)),
    "StarTracker": lambda m, a, b: fm.control.StarTracker(b, number=2),
    "Reference": lambda m, a, b: fm.control.Reference(WAVE),
}


def states_in_space() -> dict[str, Callable[[], Component]]:
    """Components with states, by what they read."""
    kinds = ("functions", "feed", *SENSORS)
    return {f"States: {kind}": lambda kind=kind: _in_space(kind) for kind in kinds}


#: sensors of the plane
PLANAR_SENSORS: dict[str, Callable[..., fm.control.Sensor]] = {
    "RelativeAngle": lambda m, a, b: fm.control.RelativeAngle(a, b),
    "RelativeRate": lambda m, a, b: fm.control.RelativeRate(a, b),
    "Gyro": lambda m, a, b: fm.control.Gyro(b),
    "Speedometer": lambda m, a, b: fm.control.Speedometer(b, 0.4),
    "RangeFinder": lambda m, a, b: fm.control.RangeFinder(a, b),
    "RangeRate": lambda m, a, b: fm.control.RangeRate(a, b),
    "MotorAngle": lambda m, a, b: fm.control.MotorAngle(m.motor(a, b, inertia=0.1, ratio=3.0, stiffness=5.0)),
}


def in_plane(kind: str) -> Component:
    """States that read a sensor of the plane, and command a force and a motor's torque."""
    m, a, b = pairs.pair()
    push = m.point_force(b, (1.0, 0.3), factor=WAVE, axes="body")
    motor = m.motor(a, b, inertia=0.1, ratio=-2.0, stiffness=7.0, torque=WAVE)
    law = fm.control.transfer_function([0.3, 1.0, 2.0], [0.1, 0.5, 1.0])
    both = fm.LinearModel(law.A, law.B, [law.C[0], 2.0 * law.C[0]], [law.D[0], [0.7]])
    return m.add_states("states", both, sensors=PLANAR_SENSORS[kind](m, a, b), commands=[push, motor])
