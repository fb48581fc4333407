"""Two hinged squares with a spring-damper: every method against the others and against minimal coordinates."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.validation.case import Check, case
from flexmb.validation.references import two_squares as reference

#: methods, with the options that make them exact to 1e-6 over 10 s
METHODS: dict[str, dict[str, object]] = {
    "generalized_alpha": {"tolerance": 1e-11},
    "independent": {"rtol": 1e-10, "atol": 1e-12},
    "baumgarte": {"rtol": 1e-10, "atol": 1e-12},
    "projection": {"rtol": 1e-10, "atol": 1e-12},
    "rkf45": {"step": 1e-3},
}


def build() -> fm.PlanarModel:
    """The example of source 001: side 2a = 2 m, mass 5 kg, spring 10 N/m of zero free length, damper 1 Ns/m."""
    a, m = 1.0, 5.0
    model = fm.PlanarModel("two squares", gravity=(0.0, -9.81))
    first = model.add_body("first", mass=m, inertia=2 / 3 * m * a**2, position=(a, a))
    second = model.add_body("second", mass=m, inertia=2 / 3 * m * a**2, position=(3 * a, a))
    model.revolute(model.ground, first.attach("corner", (-a, -a)), name="pin")
    model.revolute(first.attach("hinge", (a, a)), second.attach("hinge", (-a, a)), name="hinge")
    anchor = model.ground.attach("anchor", (4 * a, 0.0))
    end = second.attach("end", (a, -a))
    model.spring_damper(anchor, end, stiffness=10.0, damping=1.0, free_length=0.0, name="spring")
    return model


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
