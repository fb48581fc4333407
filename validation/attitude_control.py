"""A satellite whose reaction wheels are controlled: design on its linear model, proof on the nonlinear one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import attitude_control as reference
from flexmb.validation.registry import Check, Errors, Record, case

#: principal inertias of the hull, the inertia of each wheel about its axis [kg m²], the period of the controller [s]
INERTIA, WHEEL, PERIOD = np.array([100.0, 80.0, 120.0]), 0.05, 0.2
#: weights of the angles, the rates and the torques
WEIGHTS = (1.0, 10.0, 1e-3)
#: gains of the slew, as multiples of the inertia [1/s², 1/s], the rotation at its start [rad], and its time [s]
STIFF, DAMPED, START, T_SLEW = 0.04, 0.4, np.deg2rad(150.0) * np.array([2.0, -3.0, 6.0]) / 7.0, 40.0
#: errors of the readings of the star tracker [rad] and the gyros [rad/s], and how long they are seen [s]
NOISE, T_NOISE = (2e-4, 1e-5), 6000.0
#: generalized-α follows a constant acceleration about one axis exactly
EXACT: tuple[dict[str, Any], float, str] = {"step": 0.1}, 1e-10, "accelerations are constant between instants"
#: options of a method, the largest error of the slew [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "rkf45": ({"step": 0.1}, 1e-9, "fifth order at 0.1 s"),
    "dop853": ({"tolerance": 1e-10}, 1e-9, "ten times the tolerance"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
}


def build(start: Any = (0.0, 0.0, 0.0), turn: Any = (0.0, 0.0, 0.0), wheels: Any = (0.0, 0.0, 0.0)) -> fm.SpatialModel:
    """The satellite, turned by a rotation vector (3,) [rad], with an angular velocity (3,) and speeds of its wheels."""
    model = fm.SpatialModel("satellite")
    hull = model.add_body("hull", mass=500.0, inertia=INERTIA, orientation=fm.rotation_vector(start))
    hull.move(angular_velocity=turn)
    for axis, speed in zip("xyz", wheels):
        model.add_wheel(f"wheel {axis}", hull.frame, inertia=WHEEL, axis=axis, torque=0.0, speed=float(speed))
    model.point_torque(hull.frame, (1.0, 0.0, 0.0), factor=0.0, name="push")
    return model


def sensors(
    model: fm.SpatialModel, noise: tuple[float, float] = (0.0, 0.0), **reference: Any
) -> list[fm.control.Sensor]:
    """Attitude and rate about each axis, against a reference."""
    hull: Any = model.frame("hull")
    attitude = [fm.control.AttitudeError(hull, axis, noise=noise[0], **reference) for axis in "xyz"]
    if reference:
        return [*attitude, *(fm.control.AttitudeRate(hull, axis, noise=noise[1], **reference) for axis in "xyz")]
    return [*attitude, *(fm.control.Gyro(hull, axis, noise=noise[1]) for axis in "xyz")]


def controlled(model: fm.SpatialModel, gain: Any, read: list[fm.control.Sensor], **options: Any) -> fm.SpatialModel:
    """The model with a controller that commands its wheels by a gain (3, 6)."""
    wheels = [f"wheel {axis}" for axis in "xyz"]
    model.add_controller("attitude", period=PERIOD, sensors=read, commands=wheels, law=gain, **options)
    return model


def farthest(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance of a wanted pole from the nearest one found; those at 1, of free momentum, apart."""
    wanted = wanted[(np.abs(wanted - 1.0) > 1e-6) & (np.abs(wanted) > 1e-6)]
    return float(max(np.min(np.abs(found - pole)) for pole in wanted))


@case("attitude-control", draw=build)
def compute() -> Iterator[Record]:
    """a satellite with reaction wheels: linear design, a large slew, sampled poles, noise, in closed form"""
    rounding = "round-off"
    # linear design
    model = build()
    wheels = [f"wheel {axis}" for axis in "xyz"]
    plant = fm.linearize(model, wheels, sensors(model)).observed()
    angle, rate, torque = WEIGHTS
    best = fm.control.lqr(plant, Q=plant.C.T @ np.diag([angle] * 3 + [rate] * 3) @ plant.C, R=torque)
    gain = -best.K @ np.linalg.inv(plant.C)
    source = "Riccati's equation of one axis, closed form"
    for k, axis in enumerate("xyz"):
        first, second = reference.regulator(INERTIA[k], angle, rate, torque)
        yield Check(f"gain of the angle about {axis} [Nm/rad]", gain[k, k], first, 1e-7 * first, source, rounding)
        yield Check(f"gain of the rate about {axis} [Nms/rad]", gain[k, k + 3], second, 1e-7 * second, source, rounding)
    apart = gain - np.hstack([np.diag(np.diag(gain[:, :3])), np.diag(np.diag(gain[:, 3:]))])
    yield Check("largest gain from one axis to another", np.abs(apart).max(), 0.0, 1e-6, source, rounding)

    # the sampled loop, closed in the linear model: with momentum in the wheels, and in a steady turn
    source, why = "matrix exponential of the equations of motion", "differences of fourth order"
    spins = np.array([200.0, -350.0, 120.0])
    A, B = reference.small_motions(INERTIA, WHEEL * spins, np.zeros(3))
    K = np.hstack([gain, np.zeros((3, 3))])
    for delay in (0.0, 0.3 * PERIOD, PERIOD):
        model = build(wheels=spins)
        controlled(model, gain, sensors(model), delay=delay)
        loop = fm.linearize(model, "push", "hull.wx", controllers="closed", steady=True)
        off = farthest(loop.poles, reference.sampled_poles(A, B, K, PERIOD, delay))
        yield Check(f"largest error of a pole with a delay of {delay:g} s", off, 0.0, 1e-8, source, why)
    spins, turn = np.array([0.0, -350.0, 0.0]), np.array([0.0, 0.05, 0.0])
    model = build(turn=turn, wheels=spins)
    read = sensors(model, reference=[fm.Polynomial([0.0, x]) for x in turn])
    controlled(model, gain, read)
    loop = fm.linearize(model, "wheel x", read[0], controllers="closed", steady=True)
    A, B = reference.small_motions(INERTIA, WHEEL * (spins + turn), turn)
    K = np.hstack([gain[:, :3] + gain[:, 3:] @ A[:3, :3], gain[:, 3:], np.zeros((3, 3))])  # of δθ and its rate
    off = farthest(loop.poles, reference.sampled_poles(A, B, K, PERIOD))
    yield Check("largest error of a pole in a steady turn, against a reference that turns", off, 0.0, 1e-8, source, why)

    # a slew of 150° about an oblique axis
    source = "one axis, as the whole momentum is zero: closed form"
    own = np.hstack([np.diag(STIFF * INERTIA), np.diag(DAMPED * INERTIA)])
    far = float(np.linalg.norm(START))
    left, rate_left = np.linalg.matrix_power(reference.sampled_axis(STIFF, DAMPED, PERIOD), round(T_SLEW / PERIOD)) @ (
        far, 0.0
    )  # fmt: skip
    for method, (options, allowed, because) in {"generalized_alpha": EXACT, **METHODS}.items():
        model = build(START)
        run = fm.simulate(controlled(model, own, sensors(model)), T_SLEW, method, progress=False, **options)
        off = float(np.linalg.norm(run["hull"].rotation_vector[-1] - left * START / far))
        yield Check(f"{method}: error after a slew of 150° [rad]", off, 0.0, allowed, source, because)
    speeds = np.array([run[f"{wheel}.rotor rate"][-1] for wheel in wheels])
    wanted = -(INERTIA / WHEEL + 1.0) * rate_left * START / far
    yield Check("largest error of the speeds of the wheels [rad/s]", np.abs(speeds - wanted).max(), 0.0, 1e-6, source,
                "ten times the tolerance")  # fmt: skip

    # the same with momentum in the wheels, which turns the satellite about other axes
    source, spins = "the nonlinear equations by DOP853", np.array([100.0, -150.0, 60.0])
    turned, _, _ = reference.slew(INERTIA, WHEEL * spins, START, own, PERIOD, round(T_SLEW / PERIOD / 4.0))

    def error(method: str, **options: Any) -> float:
        model = build(START, wheels=spins)
        run = fm.simulate(controlled(model, own, sensors(model)), 0.25 * T_SLEW, method, progress=False, **options)
        return float((turned.inv() * run["hull"].orientation[-1]).magnitude())

    for method, (options, allowed, because) in METHODS.items():
        yield Check(f"{method}: error of the orientation in a slew with momentum [rad]", error(method, **options), 0.0,
                    allowed, source, because)  # fmt: skip
    steps = (0.1, 0.05)
    errors = [error("generalized_alpha", step=step) for step in steps]
    yield Errors("generalized_alpha: orientation in a slew with momentum [rad]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[1]))
    yield Check("generalized_alpha: measured order in a slew with momentum", order, 2.0, 0.1, "theory", "higher terms")

    # noise of the sensors
    model = build()
    read = sensors(model, NOISE)
    run = fm.simulate(controlled(model, own, read, seed=3), T_NOISE, "rkf45", step=PERIOD, progress=False)
    log, seen = run.control["attitude"], np.column_stack([sensor.readings(run) for sensor in read])
    first = round(100.0 / PERIOD)  # when the start is forgotten
    wanted = np.sqrt(np.diag(reference.noisy_axis(STIFF, DAMPED, PERIOD, *NOISE)))
    for k, (what, unit) in enumerate((("angle", "rad"), ("rate", "rad/s"))):
        part = slice(3 * k, 3 * k + 3)
        errors_read = (log.y[first:, part] - seen[first : len(log.t), part]).ravel()
        yield Check(
            f"noise of the readings of the {what} [{unit}]", float(np.std(errors_read)), NOISE[k], 0.012 * NOISE[k],
            "what was asked for", "three standard errors of 88 500 readings, 0.7 %, rounded up",
        )  # fmt: skip
        yield Check(
            f"what it does to the {what}, root mean square [{unit}]", float(np.sqrt(np.mean(seen[first:, part] ** 2))),
            float(wanted[k]), 0.08 * float(wanted[k]), "Lyapunov's equation of one axis",
            "three standard errors of some 900 independent values",
        )  # fmt: skip
