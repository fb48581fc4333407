"""Parallelogram linkage falling from rest, whose motion is known exactly."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.validation.case import Check, case
from flexmb.validation.references import parallelogram as reference


def build(start: float = reference.START) -> fm.PlanarModel:
    """Three moving links of 1 m and 1 kg; `start` [rad]: the cranks' angle from the upward vertical."""
    model = fm.PlanarModel("four-bar", gravity=(0.0, -reference.G))
    along = np.array([np.sin(start), np.cos(start)])
    upright = 0.5 * np.pi - start
    link = {"mass": 1.0, "inertia": 1.0 / 12.0}
    left = model.add_body("left", position=tuple(0.5 * along), angle=upright, **link)
    right = model.add_body("right", position=tuple(0.5 * along + [1.0, 0.0]), angle=upright, **link)
    coupler = model.add_body("coupler", position=tuple(along + [0.5, 0.0]), **link)
    model.revolute(model.ground, left.attach("foot", (-0.5, 0.0)), name="left foot")
    model.revolute(model.ground.attach("right ground", (1.0, 0.0)), right.attach("foot", (-0.5, 0.0)), name="right foot")
    model.revolute(left.attach("top", (0.5, 0.0)), coupler.attach("left", (-0.5, 0.0)), name="left top")
    model.revolute(right.attach("top", (0.5, 0.0)), coupler.attach("right", (0.5, 0.0)), name="right top")
    return model


@case("four-bar")
def compute() -> list[Check]:
    """the parallelogram from rest at 135°: exact motion by elliptic functions"""
    source = "φ̈ = 1.2 g sin φ by Jacobi's elliptic functions"
    checks = [
        Check("period of the reference itself [s]", reference.period(), 1.904482337, 5e-10, "published value"),
    ]
    for method, options in {
        "generalized_alpha": {"step": 2e-4},
        "independent": {"rtol": 1e-9, "atol": 1e-11},
        "projection": {"rtol": 1e-10, "atol": 1e-12},
        "rkf45": {"step": 1e-3},
    }.items():
        solution = fm.simulate(build(), 3.0, method, progress=False, **options)
        phi = 0.5 * np.pi - solution["left"].angle
        error = float(np.max(np.abs(phi - reference.angle(solution.t))))
        checks.append(Check(f"{method}: error of the angle over 3 s [rad]", error, 0.0, 1e-6, source))
    turning = _period(*(x for x in (solution.t, solution["left"].angular_velocity)))
    checks.append(Check("period found by rkf45 [s]", turning, reference.period(), 1e-6, source))
    return checks


def _period(t: np.ndarray, omega: np.ndarray) -> float:
    """Time between the first and the third standstill after the start."""
    turns = []
    for k in range(1, len(t) - 1):
        if omega[k] * omega[k + 1] < 0.0:
            # inverse quadratic through three samples around the zero
            x, y = omega[k - 1 : k + 2], t[k - 1 : k + 2]
            turns.append(float(np.polyval(np.polyfit(x, y, 2), 0.0)))
    return turns[1] - 0.0 if len(turns) > 1 else float("nan")
