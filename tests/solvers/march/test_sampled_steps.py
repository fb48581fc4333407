"""Steps of generalized-α between the instants of sampled controllers."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

PERIOD, LINKS, T_END = 1e-3, 3, 1.0
METHODS = [{}, {"formulation": "aba"}]


def arm(frequency: float) -> fm.SpatialModel:
    """An arm whose hinges follow harmonic functions [rad/s], by controllers with sensors of angles and rates."""
    m = fm.SpatialModel("controlled arm", gravity=(0, 0, -9.81))
    at = m.ground
    for k in range(LINKS):
        link = m.add_body(f"link {k}", mass=2.0, inertia=(0.1, 0.12, 0.05), position=(0, 0, 0.3 * k + 0.15))
        hinge = m.revolute(at, link.attach(f"low {k}", (0, 0, -0.15)), axis="zyy"[k], name=f"hinge {k}")
        m.joint_force(hinge, 0.0, name=f"motor {k}")
        stiffness, damping = ((60.0, 4.0), (600.0, 40.0), (200.0, 15.0))[k]
        sensors = [
            fm.control.JointAngle(hinge),
            fm.control.JointRate(hinge),
            fm.control.Reference(fm.Harmonic(0.5 / (k + 1), frequency)),
        ]
        law = [[-stiffness, -damping, stiffness]]
        m.add_controller(f"law {k}", period=PERIOD, sensors=sensors, commands=f"motor {k}", law=law)
        at = link.attach(f"high {k}", (0, 0, 0.15))
    return m


def off(one: fm.Solution, other: fm.Solution) -> float:
    """How far the angles of two solutions are apart."""
    times = np.linspace(0.0, T_END, 51)
    one, other = one.at(times), other.at(times)
    return max(float(np.abs(one[name].angle - other[name].angle).max()) for name in (f"hinge {k}" for k in range(3)))


@pytest.mark.parametrize("options", METHODS)
def test_a_smooth_loop_takes_a_step_a_period(options):
    solution = fm.simulate(arm(1.0), T_END, "generalized_alpha", progress=False, **options)
    assert solution.statistics.steps <= 1.05 * T_END / PERIOD
    assert off(solution, fm.simulate(arm(1.0), T_END, "radau", tolerance=1e-8, progress=False)) < 1e-5


@pytest.mark.parametrize("options", METHODS)
def test_steps_of_a_period_share_a_matrix(options):
    """They are equal, as far as their errors allow."""
    solution = fm.simulate(arm(15.0), T_END, "generalized_alpha", tolerance=1e-6, progress=False, **options)
    statistics = solution.statistics
    assert statistics.steps > 2 * T_END / PERIOD
    assert statistics.factorizations < 0.3 * statistics.steps and statistics.rejected < 0.02 * statistics.steps
    assert off(solution, fm.simulate(arm(15.0), T_END, "radau", tolerance=1e-8, progress=False)) < 1e-6


@pytest.mark.parametrize("options", METHODS)
def test_steps_are_lengthened_up_to_the_period(options):
    """A step that is cut by the next instant tells that longer ones are possible, too: none is left at a half."""
    solution = fm.simulate(arm(15.0), T_END, "generalized_alpha", tolerance=1e-3, progress=False, **options)
    assert solution.statistics.steps <= 1.1 * T_END / PERIOD
    assert off(solution, fm.simulate(arm(15.0), T_END, "radau", tolerance=1e-8, progress=False)) < 1e-3


@pytest.mark.parametrize("options", METHODS)
def test_no_step_is_longer_than_is_allowed(options):
    solution = fm.simulate(arm(1.0), 0.1, "generalized_alpha", max_step=0.95 * PERIOD, progress=False, **options)
    assert np.diff(solution.t).max() <= 0.95 * PERIOD * (1.0 + 1e-9)


@pytest.mark.parametrize("frequency", [1.0, 15.0])
def test_by_default_each_period_is_one_step(frequency):
    solution = fm.simulate(arm(frequency), T_END, progress=False)
    assert solution.statistics.steps <= 1.01 * T_END / PERIOD
    assert off(solution, fm.simulate(arm(frequency), T_END, "radau", tolerance=1e-9, progress=False)) < 1e-7
