"""Two hinged squares with a spring-damper: every method against the others and against minimal coordinates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples.two_squares import METHODS, build
from flexmb.validation.references import two_squares as reference
from flexmb.validation.registry import Check, case

#: the largest error of a method over 10 s, and its cause
ALLOWED = {
    "generalized_alpha": (5e-7, "tolerance 3e-7"),
    "radau": (1e-9, "the tolerance"),
    "dop853": (1e-9, "the tolerance"),
    "independent": (1e-7, "tolerance 1e-10 a step"),
    "baumgarte": (1e-9, "tolerance 1e-10"),
    "projection": (1e-9, "tolerance 1e-10"),
    "rkf45": (5e-11, "fifth order at 1 ms"),
}


@case("two-squares", draw=build)
def compute() -> Iterator[Check]:
    """the example of Skyenginlab (n.d.) over 10 s, all methods, largest position error and drift"""
    for method, options in METHODS.items():
        solution = fm.simulate(build(), 10.0, method, progress=False, **options)
        allowed, why = ALLOWED[method]
        exact = reference.motion(solution.t)
        first, second = solution["first"], solution["second"]
        error = max(
            float(np.max(np.abs(first.angle - exact["theta1"]))),
            float(np.max(np.abs(second.angle - exact["theta2"]))),
            float(np.max(np.abs(first.position - np.column_stack([exact["x1"], exact["y1"]])))),
            float(np.max(np.abs(second.position - np.column_stack([exact["x2"], exact["y2"]])))),
        )
        source = "minimal coordinates, derived apart (validation/references)"
        yield Check(f"{method}: error [m, rad]", error, 0.0, allowed, source, why)
        drift = solution.statistics.position_drift
        bound, why = (3e-11, "tolerance 1e-10, held down") if method == "baumgarte" else (1e-11, "closed by projection")
        yield Check(f"{method}: drift of positions [–]", drift, 0.0, bound, "hinges stay closed", why)
