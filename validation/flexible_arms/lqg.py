"""LQG of a flexible arm: poles by Riccati's equations elsewhere, variances by Lyapunov's equation against many runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.linalg
import scipy.stats

import flexmb as fm
from flexmb.control import loop_at, stability_margins
from flexmb.errors import AccuracyWarning
from flexmb.validation.registry import Check, case

PERIOD = 2e-3
#: deviations of the noise: of a torque that is held over a period [Nm], of the rotor's angle [rad], of the strain
GUST, ANGLE, STRAIN = 0.05, 2e-3, 2e-7
#: runs, and the time after which their variance is steady [s]
RUNS, SETTLED = 200, 2.5
#: a variance of so many runs is farther off once in a thousand
CONFIDENCE = 1e-3
STEEL = fm.Material(density=7850, youngs_modulus=205e9)


def arm(seed: int | None = None, law: Any = None) -> fm.PlanarModel:
    """A flexible link on a geared motor, with a gust at its hub; with a law it has noise, drawn from a seed."""
    model = fm.PlanarModel("arm")
    hub = model.add_body("hub", mass=1.0, inertia=0.01)
    model.revolute(model.ground, hub.frame, name="shoulder")
    section = fm.Circle(diameter=0.006)
    link = model.add_beam(
        "link", hub.frame, (0.8, 0), material=STEEL, section=section, damping=fm.StiffnessProportional(2e-4)
    )
    motor = model.motor(model.ground, hub.frame, inertia=1e-4, ratio=50, stiffness=2000.0, damping=1.0, name="motor")
    model.point_torque(hub.frame, 0.0, name="gust")
    noise = (ANGLE, STRAIN) if law is not None else (0.0, 0.0)
    read = [fm.control.MotorAngle(motor, noise=noise[0]), fm.control.StrainGauge(link.at(0.05), noise=noise[1])]
    if law is not None:
        assert seed is not None
        model.add_controller("lqg", period=PERIOD, sensors=read, commands=motor, law=law, seed=2 * seed)
        wind = fm.control.Reference(0.0, noise=GUST)
        model.add_controller("wind", period=PERIOD, sensors=wind, commands="gust", law=[[1.0]], seed=2 * seed + 1)
    return model


def sensors(model: fm.PlanarModel) -> list[Any]:
    """The sensors of the law, without noise."""
    motor: Any = model.components["motor"]
    link: Any = model.components["link"]
    return [fm.control.MotorAngle(motor), fm.control.StrainGauge(link.at(0.05))]


def designed() -> tuple[fm.LinearModel, fm.LinearModel, fm.control.LQG, np.ndarray, np.ndarray]:
    """The plant with both inputs in continuous time and in steps, its LQG, and the weights Q and R."""
    model = arm()
    whole = fm.linearize(model, ["motor", "gust"], sensors(model))
    steps = whole.discrete(PERIOD)
    Q = whole.C.T @ np.diag([1.0, 1e8]) @ whole.C
    wind = steps.B[:, [1]]
    noise = [ANGLE**2, STRAIN**2]
    best = fm.control.lqg(steps.part("motor", None), Q, 100.0, GUST**2 * wind @ wind.T, noise)
    return whole, steps, best, Q, np.array([[100.0]])


def _poles() -> Iterator[Check]:
    whole, steps, best, Q, R = designed()
    # elsewhere: sampled by one exponential, gains by SciPy's Riccati equations in the coordinates of the modes
    n = len(whole)
    both = scipy.linalg.expm(np.block([[whole.A, whole.B], [np.zeros((2, n + 2))]]) * PERIOD)
    A, B, g = both[:n, :n], both[:n, [n]], both[:n, [n + 1]]
    values, T = scipy.linalg.eig(whole.A)
    T = T.real * (values.imag >= 0.0) + T.imag * (values.imag < 0.0)
    T = np.linalg.inv(T) if np.linalg.cond(T) < 1e12 else np.eye(n)
    Az, Bz, Cz, gz = T @ A @ np.linalg.inv(T), T @ B, whole.C @ np.linalg.inv(T), T @ g
    Qz = np.linalg.inv(T).T @ Q @ np.linalg.inv(T)
    P = scipy.linalg.solve_discrete_are(Az, Bz, 0.5 * (Qz + Qz.T), R)
    K = np.linalg.solve(R + Bz.T @ P @ Bz, Bz.T @ P @ Az)
    unit = np.diag([1.0 / ANGLE, 1.0 / STRAIN])
    S = scipy.linalg.solve_discrete_are(Az.T, (unit @ Cz).T, GUST**2 * gz @ gz.T, np.eye(2))
    L = S @ (unit @ Cz).T @ np.linalg.inv(unit @ Cz @ S @ (unit @ Cz).T + np.eye(2)) @ unit
    wanted = np.concatenate([np.linalg.eigvals(Az - Bz @ K), np.linalg.eigvals(Az - Az @ L @ Cz)])
    source = "SciPy's Riccati equations, in the coordinates of the modes"
    yield Check("poles of the design off by", _apart(best.poles, wanted), 0.0, 1e-9, source, "rounding")
    model = arm(0, best.law)
    closed = fm.linearize(model, controllers="closed").poles
    # the commands that are held, that of the law and the wind, are states with poles at the origin
    inside = closed[np.argsort(np.abs(closed))][2:]
    yield Check("poles of the mechanism with its law off by", _apart(inside, wanted), 0.0, 1e-9, source, "rounding")
    outside, within = (
        stability_margins(loop)
        for loop in (loop_at(steps.part("motor", None), "motor", best.controller), loop_at(model, "motor"))
    )
    for what in ("gain", "phase", "delay"):
        a, b = getattr(within, what), getattr(outside, what)
        yield Check(
            f"{what} margin of the sampled loop", a, b, 1e-7 * abs(b), "the linear models in series", "rounding"
        )


def _apart(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance of poles that belong together."""
    if len(found) != len(wanted):
        return np.inf
    from scipy.optimize import linear_sum_assignment

    distance = np.abs(found[:, None] - wanted[None, :])
    rows, columns = linear_sum_assignment(distance)
    return float(distance[rows, columns].max())


def _variances() -> Iterator[Check]:
    _, _, best, _, _ = designed()

    def build(seed: int) -> fm.PlanarModel:
        return arm(int(seed), best.law)

    names = ["motor.rotor", "link.end.y"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # torques that jump at each instant feed the energy balance
        runs = fm.batch(
            build, SETTLED, vary={"seed": list(range(RUNS))}, outputs=names, step=0.5 * PERIOD, second_run=False,
            progress=False,
        )  # fmt: skip
    model = arm()
    measured = fm.linearize(model, ["motor"], names)
    wanted = np.diag(measured.C @ best.covariance @ measured.C.T)
    allowed = 0.5 * (
        scipy.stats.chi2.ppf(1.0 - 0.5 * CONFIDENCE, RUNS) - scipy.stats.chi2.ppf(0.5 * CONFIDENCE, RUNS)
    ) / RUNS  # fmt: skip
    for k, name in enumerate(names):
        variance = float(np.mean(runs[name][:, -1] ** 2)) / wanted[k]
        what = f"variance of {name} over {RUNS} runs, part of Lyapunov's"
        yield Check(what, variance, 1.0, float(allowed), "Lyapunov's equation", "once in 1000 it is farther off")


@case("lqg", draw=arm)
def compute() -> Iterator[Check]:
    """LQG of a flexible arm: poles and margins of the sampled loop, and variances of 200 runs with noise"""
    yield from (*_poles(), *_variances())
