"""Newmark's method against its closed form for an oscillator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, SolverError

OMEGA = 3.0


def oscillator() -> fm.PlanarModel:
    """A mass on a spring without damping, x = sin ωt."""
    m = fm.PlanarModel("oscillator")
    mass = m.add_body("mass", mass=2.0, inertia=1.0)
    mass.move((OMEGA, 0.0))
    m.bushing(m.ground, mass.frame, stiffness=(2.0 * OMEGA**2, 1.0, 1.0))
    return m


def closed_form(beta: float, gamma: float, h: float, count: int) -> np.ndarray:
    """x after 0 … `count` steps h: with Ω = ωh and D = 1 + β Ω² the characteristic equation of a step is
    λ² − (2 − (γ + ½) Ω²/D) λ + 1 − (γ − ½) Ω²/D = 0, so that x_k = c ρᵏ sin kφ; c from the first step."""
    W = (OMEGA * h) ** 2
    D = 1.0 + beta * W
    rho = np.sqrt(1.0 - (gamma - 0.5) * W / D)
    phi = np.arccos((1.0 - 0.5 * (gamma + 0.5) * W / D) / rho)
    k = np.arange(count + 1)
    return OMEGA * h / D / (rho * np.sin(phi)) * rho**k * np.sin(k * phi)


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize("beta, gamma", [(0.25, 0.5), (1.0 / 6.0, 0.5), (0.3025, 0.6), (0.5, 0.5), (0.49, 0.9)])
@pytest.mark.parametrize("h", [0.02, 0.3])
@pytest.mark.warns(
    fm.errors.AccuracyWarning, "its energy balance is off by", h=0.3, beta=(1.0 / 6.0, 0.3025, 0.5, 0.49)
)
@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by", h=0.02, beta=0.49)
def test_an_oscillator_has_amplitude_and_period_of_the_closed_form(
    beta: float, gamma: float, h: float, formulation: str | None
) -> None:
    options: dict[str, Any] = {} if formulation is None else {"formulation": formulation}
    run = fm.simulate(
        oscillator(), 40 * h, "newmark", step=h, beta=beta, gamma=gamma, newton_tolerance=1e-13, progress=False,
        second_run=False, **options,
    )  # fmt: skip
    np.testing.assert_allclose(run["mass.x"], closed_form(beta, gamma, h, 40), atol=1e-9)


def test_the_trapezoidal_rule_is_generalized_alpha_without_damping() -> None:
    given = {"step": 0.05, "progress": False, "second_run": False}
    newmark = fm.simulate(oscillator(), 2.0, "newmark", **given)
    wanted = fm.simulate(oscillator(), 2.0, "generalized_alpha", spectral_radius=1.0, **given)
    # averages of forces instead of forces of averages: the same for a linear one, but for the first step
    assert np.ptp(newmark["mass.x"]) == pytest.approx(np.ptp(wanted["mass.x"]), rel=1e-2)


@pytest.mark.parametrize("gamma, order", [(0.5, 2), (0.7, 1)])
@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by", gamma=0.7)
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion", gamma=0.7)
def test_the_error_is_estimated_by_the_order(gamma: float, order: int) -> None:
    beta = 0.25 * (gamma + 0.5) ** 2
    runs = [
        fm.simulate(oscillator(), 2.0, "newmark", step=h, beta=beta, gamma=gamma, progress=False) for h in (0.01, 5e-3)
    ]
    errors = [np.abs(run["mass.x"] - np.sin(OMEGA * run.t)).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)
    # a rough estimate suffices where it is small; the second run tells it well
    estimated = runs[1].statistics.estimated_error
    assert 0.8 * errors[1] <= estimated <= (1.2 if order == 1 else 10.0) * errors[1]


def test_mechanisms_with_joints_run_too() -> None:
    m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0))
    m.revolute(m.ground, rod.attach("top", (-0.5, 0)), name="hinge")
    run = fm.simulate(m, 1.0, "newmark", step=1e-3, beta=0.26, progress=False)
    wanted = fm.simulate(m, 1.0, "radau", tolerance=1e-9, progress=False)
    assert run["rod.angle"][-1] == pytest.approx(wanted["rod.angle"][-1], abs=2e-5)
    for options, says in (
        (
            {},
            r"beta is 0\.25, not above half of gamma, 0\.5, with which joint forces alternate from step to",
        ),
        ({"beta": 0.1}, r"beta is 0\.1, not above half of gamma, 0\.5"),
        (
            {"method": "generalized_alpha", "spectral_radius": 1.0},
            "spectral_radius is 1, with which joint forces alternate",
        ),
    ):
        with pytest.raises(SolverError, match=says):
            fm.simulate(m, 1.0, **{"method": "newmark", "step": 1e-3, "progress": False, **options})
    run = fm.simulate(m, 1.0, "newmark", step=1e-3, beta=0.1, formulation="aba", progress=False)
    assert run["rod.angle"][-1] == pytest.approx(wanted["rod.angle"][-1], abs=2e-5)


@pytest.mark.parametrize("method, undamped, better", [
    ("newmark", {"beta": 0.25 + 1e-9}, {"beta": 0.26}), ("newmark", {"beta": 0.25 + 1e-9}, {"formulation": "aba"}),
    ("generalized_alpha", {"spectral_radius": 0.9999}, {"spectral_radius": 0.9}),
])  # fmt: skip
def test_joint_forces_that_alternate_are_a_doubt(method: str, undamped: Any, better: Any) -> None:
    m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1, 0))
    m.revolute(m.ground, rod.attach("top", (-1, 0)), name="hinge")
    given = {"step": 5e-3, "progress": False, "second_run": False}
    with pytest.warns(AccuracyWarning, match="joint forces alternate from step to step, in joint 'hinge' by 0.3 of"):
        alternating = fm.simulate(m, 3.5, method, **given, **undamped)
    steady = fm.simulate(m, 3.5, method, **given, **better)
    wanted = fm.simulate(m, 3.5, "radau", tolerance=1e-9, progress=False).reaction("hinge")[0][-1]
    off = [np.abs(run.reaction("hinge")[0][-1] - wanted).max() for run in (alternating, steady)]
    assert off[0] > 1.0 > 0.05 > off[1] and steady.trustworthy


def test_rounding_of_what_rests_is_no_doubt() -> None:
    m = fm.PlanarModel("two struts", gravity=(0, -9.81))
    high = []
    for x, angle in ((-1, np.arctan2(0.8, 0.6)), (1, np.arctan2(0.8, -0.6))):
        strut = m.add_body(f"strut {x}", mass=0.5, inertia=0.02, position=(0.3 * x, 0.4), angle=angle)
        m.revolute(m.ground.attach(f"foot {x}", (0.6 * x, 0.0)), strut.attach(f"low {x}", (-0.5, 0.0)))
        high.append(strut.attach(f"high {x}", (0.5, 0.0)))
    m.revolute(*high, name="ridge")
    assert fm.simulate(m, 0.1, "newmark", step=1e-3, beta=0.26, progress=False).trustworthy


@pytest.mark.parametrize(
    "options, message",
    [
        ({}, "method 'newmark' has fixed steps; give step=…"),
        ({"step": 0.1, "gamma": 0.4}, "gamma is 0.4; below ½ all motion grows"),
        ({"step": 0.1, "beta": 0.0}, "beta is 0, which is explicit"),
        ({"step": 0.1, "spectral_radius": 0.5}, "method 'newmark' has no option 'spectral_radius'"),
    ],
)
def test_wrong_options_are_named(options: Any, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        fm.simulate(oscillator(), 1.0, "newmark", progress=False, **options)
