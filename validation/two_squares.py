"""Two hinged squares with a spring-damper: every method against the others and against minimal coordinates."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.examples.two_squares import METHODS, build
from flexmb.validation.references import two_squares as reference
from flexmb.validation.registry import Check, case


@case("two-squares")
def compute() -> list[Check]:
    """the example of source 001 over 10 s, all methods, largest position error and drift"""
    checks = []
    ends = {}
    for method, options in METHODS.items():
        solution = fm.simulate(build(), 10.0, method, progress=False, **options)
        exact = reference.motion(solution.t)
        first, second = solution["first"], solution["second"]
        error = max(
            float(np.max(np.abs(first.angle - exact["theta1"]))),
            float(np.max(np.abs(second.angle - exact["theta2"]))),
            float(np.max(np.abs(first.position - np.column_stack([exact["x1"], exact["y1"]])))),
            float(np.max(np.abs(second.position - np.column_stack([exact["x2"], exact["y2"]])))),
        )
        ends[method] = np.concatenate([first.position[-1], second.position[-1]])
        source = "minimal coordinates, derived apart (validation/references)"
        checks.append(Check(f"{method}: error [m, rad]", error, 0.0, 1e-6, source))
        drift = solution.statistics.position_drift
        bound = 1e-6 if method == "baumgarte" else 1e-9
        checks.append(Check(f"{method}: drift of positions [–]", drift, 0.0, bound, "bound"))
    spread = max(float(np.max(np.abs(x - ends["projection"]))) for x in ends.values())
    checks.append(Check("methods against each other at 10 s [m]", spread, 0.0, 1e-6, "each other"))
    return checks
