"""Control of the arm against vibration, Kobayashi (n.d.), §2.4 with figs. 10 to 17.

Three controllers that know the angles and rates of both rotors and the accelerations of both links' tips, across the
links: *local feedback* of each joint's angle and rate, which does not act on the vibration; *SOFB*, the gain of a
sliding surface by outputs; *SOSMC*, sliding mode control by outputs. A low pass of third order filters the
accelerometers; a tip's speed through the differentiating filter (76) is the same signal, and the plant uses that.

The source prints the structure of the controllers, their period of 1 ms and the motions. It does not print the weights,
the corner of the filter and the rate of reaching; they were found by simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm.arm import LENGTHS, LINK_DAMPING, PERIOD, RATIO, TIP_MASS, Arm, build
from flexmb.examples.two_link_arm.motions import local_feedback, rotor_motion

#: the elbow's angle at which the plant is linear [rad]; outstretched, the two axial modes are not controllable, nor
#: observable
BEND = np.radians(15.0)
#: corner [rad/s] and damping [–] of the accelerometers' low pass
CORNER, DAMPING = 2.0 * np.pi * 19.0, 0.7
#: weights of shoulder angle, rate, elbow angle, rate (on the side of the joints), accelerations of elbow and tip
OUTPUT_WEIGHTS = np.array([1500.0, 0.16, 1700.0, 0.045, 2e-4, 0.19])
#: weights of the torques of shoulder and elbow (on the side of the joints)
TORQUE_WEIGHTS = np.array([0.01, 0.0029])
#: rate at which the sliding surface is reached [1/s]; the part of the gains that switches; the boundary layer
REACHING, SWITCHING, LAYER = 42.0, 0.51, 0.033
#: a rate at which the linear loop without friction decays as fast as it can: above it only a mode of 86 Hz, which the
#: motors hardly reach, is slow. The motors' torque for an acceleration of the tip is then larger than under SOFB
FIRM = 150.0

#: Coulomb friction of the motors in the runs that have it, on the rotors' side [Nm]: of the largest torques under local
#: feedback a seventh at the shoulder and a fifth at the elbow; that of a rotor at rest is larger by a factor
COULOMB, STATIC = (5e-3, 2.5e-3), 1.3


def friction(times: float = 1.0) -> tuple[fm.Friction, fm.Friction] | None:
    """The friction of both motors, so many times; None without."""
    one, two = (
        fm.Friction(coulomb=times * c, static=STATIC * times * c, stribeck_speed=1.0, smoothing=5e-3) if times else None
        for c in COULOMB
    )
    return None if one is None or two is None else (one, two)


FRICTION = friction()

CONTROLLERS = ("local feedback", "SOFB", "SOSMC")


@dataclass(frozen=True)
class JointMotion:
    """Both joints turn by an `angle` [rad] with trapezoidal speed in three phases of `phase` [s] each."""

    name: str
    angle: float
    phase: float


SMALL = JointMotion("both joints +15°", np.radians(15.0), 0.5)
LARGE = JointMotion("both joints +60°", np.radians(60.0), 1.0)


def joints(arm: Arm) -> list[Any]:
    """Angle and rate of each rotor."""
    return [sensor(motor) for motor in arm.motors for sensor in (fm.control.MotorAngle, fm.control.MotorRate)]


def plant(elbow_angle: float = BEND, damping: float = LINK_DAMPING, tip_mass: float = TIP_MASS) -> fm.LinearModel:
    """The arm about rest as a linear plant, eqs. (77)-(78): 14 coordinates, and 3 states for each filter; 34 states.

    Inputs are the torques of the motors, outputs angles and rates of the rotors, and filtered accelerations of the
    links' tips across the links. `damping` of the links' material and `tip_mass` as in :func:`build`.
    """
    arm = build(elbow_angle=elbow_angle, damping=damping, tip_mass=tip_mass)
    across = [fm.control.Speedometer(arm.model.frame(name), 0.5 * np.pi) for name in ("elbow", "tip")]
    linear = fm.linearize(arm.model, list(arm.motors), [*joints(arm), *across])
    filters = {
        sensor.name: fm.control.differentiator(1.0 / CORNER, CORNER, DAMPING, name="filter") for sensor in across
    }
    full = fm.control.filtered(linear, filters)
    names = [name.replace("velocity", "filtered acceleration") for name in full.outputs]
    units = [unit.replace("filtered m/s", "m/s²") for unit in full.output_units]
    return replace(full, outputs=names, output_units=units)


def design(of: fm.LinearModel | None = None, reaching: float = REACHING) -> fm.control.SlidingDesign:
    """The sliding surface and gains of the arm, eqs. (79)-(87); `reaching` [1/s] as in
    :func:`flexmb.control.sliding_mode`.

    The excitation of the Lyapunov equations is B Bᵀ, torques on the motors. With the identity, as in the source, which
    counts a meter as much as a radian, the loop of K_out is unstable with these weights.
    """
    of = plant() if of is None else of
    to_joints = np.array([RATIO, RATIO, RATIO, RATIO, 1.0, 1.0])
    Q = (of.C.T * (OUTPUT_WEIGHTS / to_joints**2)) @ of.C
    return fm.control.sliding_mode(of, Q, TORQUE_WEIGHTS * RATIO**2, reaching=reaching, excitation=of.B @ of.B.T)


def references(motion: JointMotion) -> list[Any]:
    """The readings of a rigid arm: desired angles of the rotors, accelerations of the links' ends."""
    wanted, joint = rotor_motion(motion.angle, motion.phase), fm.TrapezoidalSpeed(motion.angle, *[motion.phase] * 3)
    t = np.arange(0.0, 3.0 * motion.phase + 0.1, PERIOD)
    phi, omega, alpha = joint(t), joint.rate(t), joint.second_rate(t)
    first, second = LENGTHS
    # the shoulder turns by φ and the elbow by φ as well, so that the second link turns by 2φ
    ends = (first * alpha, 2.0 * second * alpha + first * (np.cos(phi) * alpha + np.sin(phi) * omega**2))
    readings = []
    for motor in ("shoulder", "elbow"):
        readings.append(fm.control.Reference(wanted, name=f"wanted angle of {motor}"))
        readings.append(fm.control.Reference(wanted, 1, name=f"wanted rate of {motor}"))
    for place, end in zip(("elbow", "tip"), ends):
        readings.append(fm.control.Reference(fm.Spline(t, end), name=f"wanted acceleration of {place}"))
    return readings


def errors() -> fm.control.LinearLaw:
    """The law that turns six readings and six references into six errors, with the low pass for accelerations."""
    low = fm.control.low_pass(1.0 / CORNER, CORNER, DAMPING)
    return fm.control.servo_errors(6, PERIOD, filters={4: low, 5: low})


def controlled(
    controller: str,
    motion: JointMotion,
    *,
    of: fm.control.SlidingDesign | None = None,
    tip_mass: float = TIP_MASS,
    friction: Sequence[Any] | None = None,
    t_end: float = 6.0,
    switching: float = SWITCHING,
    layer: float = LAYER,
    noise: float = 0.0,
    gain: float = 1.0,
    second_run: bool = True,
    tolerance: float | None = None,
) -> fm.Solution:
    """A motion of the nonlinear arm under one of :data:`CONTROLLERS`, sampled every millisecond.

    `of`: the design (made when not given); `tip_mass` [kg] of the arm, unknown to the controller; `friction` of the
    motors; `switching`, `layer` of SOSMC; `noise` of the accelerometers [m/s²]; `gain` multiplies SOFB.
    `second_run`: whether the error of its steps is estimated, see :func:`flexmb.simulate`; `tolerance` of a run by
    Radau IIA, in place of steps as long as the period.
    """
    pair = None if friction is None else (friction[0], friction[1])
    arm = build(tip_mass=tip_mass, friction=pair)
    if controller == "local feedback":
        local_feedback(arm, (motion.angle, motion.angle), motion.phase)
    else:
        of = design() if of is None else of
        law: fm.control.LinearLaw | fm.control.SlidingLaw = of.law(errors(), switching=switching, layer=layer)
        if controller == "SOFB":
            law = of.output_feedback(errors()).times(gain * np.eye(2))
        ends = [fm.control.Accelerometer(arm.model.frame(name), 0.5 * np.pi, noise=noise) for name in ("elbow", "tip")]
        sensors = [*joints(arm), *ends, *references(motion)]
        arm.model.add_controller(controller, period=PERIOD, sensors=sensors, commands=list(arm.motors), law=law)
    if tolerance is not None:
        return fm.simulate(arm.model, t_end, "radau", tolerance=tolerance, progress=False)
    return fm.simulate(arm.model, t_end, step=PERIOD, second_run=second_run, progress=False)


#: what is left of the vibration, 4 s after the start: the amplitude of the tip's acceleration [m/s²] over a time
#: somewhat longer than a period of the slowest mode
TIP, LATE = ("tip.ax", "tip.ay"), {"after": 3.75, "before": 4.25}


def sticking(gain: Any, mode: int = 1, times: float = 1.0) -> np.ndarray:
    """The amplitudes (2,) of the tip's acceleration [m/s²] below which the gain (2, 6) of a law does not move the
    rotors of shoulder and elbow against their friction, so many `times` that of :func:`friction`, in a mode of the arm
    with its rotors held: 0 or 1, of 2.3 and 6 Hz. Below the smaller one nothing takes energy from the vibration."""
    arm = build(elbow_angle=BEND).model
    for one, other in (("ground", "hub"), ("elbow", "forearm")):
        a = arm.ground if one == "ground" else arm.frame(one)
        arm.lock(a, arm.frame(other), "angle", name=f"{other} brake")
    found = fm.modes(arm, 2)
    shape, omega = found.shape(mode), found.omegas[mode]
    elbow, tip = shape["elbow"], shape["tip"]
    across = np.array([elbow[1], np.cos(BEND) * tip[1] - np.sin(BEND) * tip[0]]) / np.hypot(tip[0], tip[1])
    low = fm.control.low_pass(1.0 / CORNER, CORNER, DAMPING)
    passed = abs(low.response([omega / (2.0 * np.pi)]).values[0, 0, 0])
    return np.asarray(STATIC * times * np.array(COULOMB) / np.abs(passed * gain[:, 4:] @ across))
