"""Parallelogram linkage falling from rest, whose motion is known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.four_bar import build
from flexmb.validation.references import parallelogram as reference
from flexmb.validation.registry import Check, case


@case("four-bar", draw=build)
def compute() -> Iterator[Check]:
    """the parallelogram from rest at 135°: exact motion by elliptic functions"""
    source = "φ̈ = 1.2 g sin φ by Jacobi's elliptic functions"
    origin, because = "φ̈ = 1.2 g sin φ by DOP853, tolerance 1e-13", "its last digit"
    yield Check("period of the reference itself [s]", reference.period(), 1.904482337, 5e-10, origin, because)
    methods: dict[str, tuple[dict[str, Any], float, str]] = {
        "generalized_alpha": ({"step": 2e-4}, 6e-7, "second order at 0.2 ms"),
        "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-8, "ten times the tolerance"),
        "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 2e-11, "tolerance 1e-10, an order higher"),
        "dop853": ({"tolerance": 1e-10}, 1e-10, "the tolerance"),
        "rkf45": ({"step": 1e-3}, 1e-12, "fifth order at 1 ms: round-off"),
    }
    for method, (options, allowed, why) in methods.items():
        solution = fm.simulate(build(), 3.0, method, progress=False, **options)
        phi = 0.5 * np.pi - solution["left"].angle
        error = float(np.max(np.abs(phi - reference.angle(solution.t))))
        yield Check(f"{method}: error of the angle over 3 s [rad]", error, 0.0, allowed, source, why)
    turning = _period(solution.t, solution["left"].angular_velocity)
    what = "period found by rkf45 [s]"
    yield Check(what, turning, reference.period(), 2e-9, source, "parabola through samples 1 ms apart")


def _period(t: np.ndarray, omega: np.ndarray) -> float:
    """The time [s] of the second standstill after the start from rest: one period."""
    turns = []
    for k in range(1, len(t) - 1):
        if omega[k] * omega[k + 1] < 0.0:
            # inverse quadratic through three samples around the zero
            x, y = omega[k - 1 : k + 2], t[k - 1 : k + 2]
            turns.append(float(np.polyval(np.polyfit(x, y, 2), 0.0)))
    return turns[1] if len(turns) > 1 else float("nan")
