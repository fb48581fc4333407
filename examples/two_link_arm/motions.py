"""Motions of the arm under local feedback, Kobayashi (n.d.), figs. 6 and 7."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm.arm import GAINS, PERIOD, RATIO, Arm, build

#: angles of shoulder and elbow [rad], reached in 1.5 s
CASES = {"case 1": (np.radians(45.0), 0.0), "case 2": (np.radians(30.0), np.radians(-60.0))}
#: duration of acceleration, of cruise and of deceleration [s]
PHASE = 0.5


def rotor_motion(angle: float, phase: float = PHASE) -> fm.TimeFunction:
    """The rotor angle for a joint angle [rad] that is reached by trapezoidal speed, in three equal phases [s]."""
    return fm.TrapezoidalSpeed(angle * RATIO, phase, phase, phase) if angle else fm.Constant(0.0)


def local_feedback(arm: Arm, angles: tuple[float, float], phase: float = PHASE) -> None:
    """Each motor follows a trapezoidal speed to its angle [rad]; acceleration, cruise and deceleration take `phase` [s]
    each. Angle and rate of the rotor are fed back to its own torque, every millisecond."""
    for motor, angle, (kp, kd) in zip(arm.motors, angles, GAINS):
        wanted = rotor_motion(angle, phase)
        sensors = [
            fm.control.MotorAngle(motor),
            fm.control.MotorRate(motor),
            fm.control.Reference(wanted, name="wanted angle"),
            fm.control.Reference(wanted, 1, name="wanted rate"),
        ]
        arm.model.add_controller(
            f"{motor.name} servo", period=PERIOD, sensors=sensors, commands=motor, law=[[-kp, -kd, kp, kd]]
        )


def move(case: str, modeling: str = "shared", t_end: float = 4.0, *, second_run: bool = True) -> fm.Solution:
    """A case: 1.5 s of drive, and free vibration after it. `second_run`: whether the error of its steps is estimated,
    see :func:`flexmb.simulate`."""
    arm = build(modeling)
    local_feedback(arm, CASES[case])
    return fm.simulate(arm.model, t_end, step=PERIOD, second_run=second_run, progress=False)


def acceleration_difference(first: fm.Solution, second: fm.Solution, after: float = 3.0 * PHASE) -> float:
    """The difference of the tips' accelerations along y over the free vibration, as a part of the second one (root of
    the mean square)."""
    t = first.t[first.t >= after]
    a, b = (solution.at(t)["tip.ay"] for solution in (first, second))
    return float(np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2)))
