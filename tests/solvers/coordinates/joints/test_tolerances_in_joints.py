"""Runs in joint coordinates end as near to the truth as their tolerance says: every method, by every formulation."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.methods.generalized_alpha.alpha_state import Coefficients
from flexmb.validation import n_four_bar
from flexmb.validation.references import n_four_bar as reference
from tests.models.arms import arm, robot
from tests.models.drives import driven
from tests.models.four_bars import four_bar
from tests.models.pendulums import leaning_pendulum

T_END = 2.0
#: error at the end, as a multiple of the tolerance
MOST = 10.0
#: methods, and the tolerances that are tried
METHODS = {
    "generalized_alpha": (1e-3, 1e-4, 1e-5),
    "dop853": (1e-4, 1e-6, 1e-8),
    "rkf45": (1e-4, 1e-6, 1e-8),
    "rosenbrock": (1e-3, 1e-4, 1e-5),
    "radau": (1e-4, 1e-6, 1e-8),
    "independent": (1e-4, 1e-6, 1e-8),
    "projection": (1e-4, 1e-6, 1e-8),
    "baumgarte": (1e-4, 1e-6, 1e-8),
}
ANGLE = -0.8


def links(count, angle=ANGLE):
    """Equal bars of length 1 in hinges, along one line that is inclined by an angle, released from rest."""
    m = fm.PlanarModel("links", gravity=(0, -9.81))
    at, along = m.ground, np.array((np.cos(angle), np.sin(angle)))
    for k in range(count):
        bar = m.add_body(f"bar{k}", mass=1.0, inertia=1.0 / 12.0, position=(k + 0.5) * along, angle=angle)
        m.revolute(at, bar.attach("start", (-0.5, 0)), name=f"hinge{k}")
        at = bar.attach("end", (0.5, 0))
    return m


@functools.cache
def fall_of_links(count, t):
    """Their angles φ against the ground, by Lagrange's equations in these: of T = ½ Σ cᵢₖ cos(φᵢ − φₖ) φ̇ᵢ φ̇ₖ and
    V = g Σ sᵢ sin φᵢ."""
    behind = np.array([[count - max(i, k) - 1 for k in range(count)] for i in range(count)], dtype=float)
    c = behind + np.where(np.eye(count, dtype=bool), 1.0 / 3.0, 0.5)
    s = count - np.arange(count) - 0.5

    def rates(_, y):
        phi, w = y[:count], y[count:]
        apart = phi[:, None] - phi
        force = -9.81 * s * np.cos(phi) - (c * np.sin(apart)) @ (w * w)
        return np.concatenate((w, np.linalg.solve(c * np.cos(apart), force)))

    start = np.concatenate((np.full(count, ANGLE), np.zeros(count)))
    return solve_ivp(rates, (0.0, t), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:count, -1]


MECHANISMS = {
    "arm": arm, "robot": robot, "four-bar": four_bar, "driven": driven, "pendulum": leaning_pendulum,
    "two links": functools.partial(links, 2), "three links": functools.partial(links, 3),
}  # fmt: skip


@functools.cache
def truth(name):
    """The position at the end, in absolute coordinates."""
    return fm.simulate(MECHANISMS[name](), T_END, "dop853", tolerance=1e-12, progress=False).q[-1]


def end(name, method, tolerance, formulation):
    how = {"tolerance": tolerance, "formulation": formulation, "progress": False}
    solution = fm.simulate(MECHANISMS[name](), T_END, method, times=[0.0, T_END], **how)
    assert solution.status == "finished"
    return solution.q[-1]


@pytest.mark.parametrize("count", [2, 3])
def test_the_truth_is_that_of_lagranges_equations(count):
    found = truth({2: "two links", 3: "three links"}[count])
    assert found.reshape(-1, 3)[:, 2] == pytest.approx(fall_of_links(count, T_END), abs=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("method", METHODS)
def test_errors_are_those_that_are_allowed(method, name):
    for tolerance in METHODS[method]:
        error = np.abs(end(name, method, tolerance, "aba") - truth(name)).max()
        assert error <= MOST * tolerance


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["arm", "robot"])
def test_errors_of_all_formulations(name, formulation):
    """In joint coordinates the rate of u̇ goes through zero; errors must not grow there as the tolerance falls."""
    errors = [
        np.abs(end(name, "generalized_alpha", tolerance, formulation) - truth(name)).max() / tolerance
        for tolerance in (1e-3, 1e-4, 1e-5)
    ]
    assert max(errors) <= MOST
    assert max(errors) < 1.2 * min(errors)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_the_error_of_a_step(rho):
    """C h³ ȧ and D h³ ä, of one step of h = 1 along accelerations t and ½ t²."""
    scheme = Coefficients.of(rho)
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma

    def errors(accelerate, place, speed):
        h, before = 1.0, 40  # the recursion forgets where it began
        a = [accelerate(k * h) for k in range(-before, 2)]
        alg = [a[0]]
        for first, last in itertools.pairwise(a):
            alg.append(((1.0 - af) * last + af * first - am * alg[-1]) / (1.0 - am))
        y = h * speed(0.0) + h * h * ((0.5 - beta) * alg[-2] + beta * alg[-1])
        v = speed(0.0) + h * ((1.0 - gamma) * alg[-2] + gamma * alg[-1])
        return place(h) - place(0.0) - y, speed(h) - v

    in_place, _ = errors(lambda t: t, lambda t: t**3 / 6.0, lambda t: 0.5 * t * t)
    assert abs(in_place) == pytest.approx(scheme.error, abs=1e-9)
    _, in_speed = errors(lambda t: 0.5 * t * t, lambda t: t**4 / 24.0, lambda t: t**3 / 6.0)
    assert abs(in_speed) == pytest.approx(scheme.speed_error, abs=1e-9)


@pytest.mark.parametrize("name", ["arm", "robot", "three links"])
def test_derivatives_serve_for_many_steps(name):
    """Those by differences take two evaluations for each speed; a step takes three."""
    model = MECHANISMS[name]()
    nv = fm.Tree.of(model).nv
    for options in ({"tolerance": 1e-5}, {"step": 5e-3}):
        found = fm.simulate(model, 1.0, "generalized_alpha", formulation="aba", progress=False, **options).statistics
        assert found.evaluations < 3.3 * found.steps + 3 * (2 * nv + 1)
    assert found.factorizations <= 5  # of steps of one size


def test_vibration_that_does_not_matter_is_not_followed():
    """A bar that is stiff along itself, waves in which take 1/31 of a millisecond: about as many steps as in absolute
    coordinates, where the stretching of the bar has the filter of the constraints beside that of the step."""
    model = fm.PlanarModel("stiff bar", gravity=(0.0, -9.81))
    bar = model.add_beam(
        "bar", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e9, EI=100.0, rhoA=1.0), modes=2
    )
    model.revolute(model.ground, bar.start, name="hinge")
    absolute = fm.simulate(model, 0.5, "generalized_alpha", tolerance=1e-3, progress=False)
    by_formulation = fm.simulate(model, 0.5, "generalized_alpha", tolerance=1e-3, formulation="aba", progress=False)
    assert by_formulation.statistics.steps < 1.5 * absolute.statistics.steps
    exact = fm.simulate(model, 0.5, "radau", tolerance=1e-7, progress=False)["bar.end"].position[-1]
    assert np.linalg.norm(by_formulation["bar.end"].position[-1] - exact) < 2e-3


@pytest.mark.parametrize("method", ["baumgarte", "projection"])
def test_angles_that_have_turned_five_times_have_the_same_error(method):
    """Two parallelograms that just go over their tops: a part of the angle itself, 30 rad, was allowed, and steps were
    taken where one of the two estimates of DOP853 goes through zero. Up to 75 tolerances were left."""
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        allowed = {"tolerance": tolerance, "absolute_tolerance": 1e-2 * tolerance}
        run = fm.simulate(n_four_bar.build(2), n_four_bar.T_END, method, formulation="aba", progress=False, **allowed)
        exact, _ = reference.motion(2, run.t)
        assert np.max(np.abs(run["post0"].angle - exact)) < MOST * tolerance
