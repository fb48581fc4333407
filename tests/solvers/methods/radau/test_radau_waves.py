"""What a run of Radau IIA loses of waves: the estimate against the stability function, and a cable."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.methods.radau.error_of_waves import error_of_waves
from flexmb.solvers.methods.radau.radau_state import Options
from flexmb.validation.performance.work_precision.problems import PROBLEMS
from flexmb.validation.performance.work_precision.references import load

ROOT = np.sqrt(6.0)
GAMMA = 1.0 / (3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0))


def _stability(x):
    """Padé's (2, 3) of the exponential."""
    return (1 + 2 * x / 5 + x**2 / 20) / (1 - 3 * x / 5 + 3 * x**2 / 20 - x**3 / 60)


def _estimate(x):
    """That of a step for ẏ = λy, x = λh, from y = 1: (1 − γx)⁻¹ (γx + Σ e z) (Hairer and Wanner (1991), IV.8)."""
    A = np.array(
        [
            [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
            [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
            [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
        ]
    )
    z = np.linalg.solve(np.eye(3) - x * A, x * A @ np.ones(3))
    e = GAMMA / 3.0 * np.array([-13 - 7 * ROOT, -13 + 7 * ROOT, -1])
    return (GAMMA * x + e @ z) / (1 - GAMMA * x)


def _options(steps: int, h: float) -> Options:
    """Those that are asked for; the others are of no use here."""
    return Options(*(0.0,) * len(Options._fields))._replace(slowest=1.0 / (steps * h), waves=0.25, iterations=1)


@pytest.mark.parametrize("steps", [20, 300, 3000, 100000])
@pytest.mark.parametrize("z", [0.1, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0])
def test_what_is_left_of_a_vibration_is_foreseen(z, steps):
    """About what so many steps lose of its phase and size, from 0.6 to 2.5 times that."""
    h, x = 0.01, 1j * z
    lost = max(abs(np.exp(k * x) - _stability(x) ** k) for k in np.unique(np.linspace(0, steps, 200).astype(int)))
    estimate = abs(_estimate(x))
    foreseen = error_of_waves(_options(steps, h), h, estimate, estimate * z / h) / 0.25
    assert 0.6 * min(lost, 1.0) < foreseen < 2.5 * lost


def test_no_error_is_none():
    assert error_of_waves(_options(10, 1.0), 1.0, 0.0, 0.0) == 0.0


@pytest.mark.parametrize("tolerance", [1e-8, 10.0**-7.5])
def test_a_cable_keeps_ten_tolerances_where_its_waves_are_damped(tolerance):
    """At the times of the reference, of which the angle of the end is worst: 13 tolerances without the estimate."""
    problem = PROBLEMS["cable"]
    run = fm.simulate(problem.build(), problem.t_end, "radau", tolerance=tolerance, progress=False)
    error = problem.observe(run.at(problem.times), problem.length) - load("cable")
    assert np.max(np.abs(error)) < 10.0 * tolerance
