"""Kernels made by differentiation against those written by hand, in whole runs of chains of bodies: tangents of springs
with dampers, and all that follows from the positions of rods and balls.

    python -m flexmb.validation.performance.derivatives

Both run in turn in one process; what is printed is processor time of a step, and the ratio. The motion must be the
same.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.forces import spring_damper
from flexmb.joints import distance
from flexmb.joints.spatial import lower_pairs
from flexmb.kernels.contract import Kernels
from flexmb.validation.performance.joints_by_positions import LENGTH, LENGTH_IN_SPACE, ONE_PLACE

BODIES = (2, 20)
REPEATS = 5
METHODS: dict[str, dict[str, Any]] = {
    "radau": {"tolerance": 1e-6},
    "generalized_alpha": {"tolerance": 1e-4},
    "independent": {"integrator": "radau", "tolerance": 1e-6},
}
#: where families stand, by the dimension and the verb, and those of joints by their positions
FAMILIES: dict[tuple[int, str], tuple[dict[Any, Any], Any, Kernels | None]] = {
    (2, "spring_damper"): (spring_damper.KERNELS, 2, None),
    (3, "spring_damper"): (spring_damper.KERNELS, 3, None),
    (2, "distance"): (distance.KERNELS, 2, LENGTH),
    (3, "distance"): (distance.KERNELS, 3, LENGTH_IN_SPACE),
    (3, "spherical"): (vars(lower_pairs), "ONE_POINT_PAIR", ONE_PLACE),
}


def chain(dimension: int, verb: str, count: int) -> Any:
    """Bodies one behind the other on springs or joints between points beside their mass centers."""
    return jointed(dimension, verb, count) if verb in ("distance", "spherical") else sprung(dimension, count)


def jointed(dimension: int, verb: str, count: int) -> Any:
    """A chain that hangs on its first end; rods lie between the bodies."""
    space = dimension == 3
    model: Any = (fm.SpatialModel if space else fm.PlanarModel)("chain", (0.0, -9.81, 0.0)[:dimension])
    aside = np.array([-0.3, 0.1, 0.05])[:dimension]
    gap = np.array([0.4, 0.1, 0.0])[:dimension] * (verb == "distance")
    before, end = model.ground, np.zeros(dimension)
    for k in range(count):
        inertia: Any = (0.2, 0.3, 0.4) if space else 0.3
        body = model.add_body(f"body {k}", mass=1.0, inertia=inertia, position=end + gap - aside)
        getattr(model, verb)(before, body.attach("rear", aside), name=f"joint {k}")
        before, end = body.attach("front", -aside), end + gap - 2.0 * aside
    return model


def sprung(dimension: int, count: int) -> Any:
    """A chain of springs with dampers."""
    space = dimension == 3
    model: Any = (fm.SpatialModel if space else fm.PlanarModel)("chain", (0.0, -9.81, 0.0)[:dimension])
    before = model.ground
    for k in range(count):
        place = np.array([k + 1.0, 0.2 * (k % 2), 0.1 * (k % 3)])[:dimension]
        inertia: Any = (0.2, 0.3, 0.4) if space else 0.3
        body = model.add_body(f"body {k}", mass=1.0, inertia=inertia, position=place)
        aside = np.array([-0.3, 0.1, 0.05])[:dimension]
        model.spring_damper(before, body.attach("rear", aside), stiffness=400.0, damping=4.0, name=f"spring {k}")
        before = body.attach("front", -aside)
    return model


def _timed(dimension: int, verb: str, count: int, method: str) -> tuple[float, fm.Solution]:
    model = chain(dimension, verb, count)
    begun = time.process_time()
    run = fm.simulate(model, 1.0, method, progress=False, **METHODS[method])
    return 1e6 * (time.process_time() - begun) / run.statistics.steps, run


def ratio(dimension: int, verb: str, count: int, method: str) -> tuple[float, float, float]:
    """Least processor times of a step [µs] with kernels by hand and with those by differentiation; and the largest
    difference of the motions."""
    place, name, positions = FAMILIES[dimension, verb]
    by_hand: Kernels = place[name]
    both = {True: by_hand, False: positions or replace(by_hand, tangent=None)}
    best, ends = dict.fromkeys(both, np.inf), {}
    try:
        for repeat in range(REPEATS + 1):
            for own, family in both.items():
                place[name] = family
                spent, run = _timed(dimension, verb, count, method)
                if repeat:  # the first one compiles
                    best[own] = min(best[own], spent)
                ends[own] = run.q[-1]
    finally:
        place[name] = by_hand
    return best[True], best[False], float(np.abs(ends[True] - ends[False]).max())


def main() -> None:
    for dimension, verb in FAMILIES:
        for count in BODIES:
            for method in METHODS:
                by_hand, made, apart = ratio(dimension, verb, count, method)
                print(
                    f"{dimension}-D {verb:14s} {count:3d} bodies, {method:18s}: {by_hand:8.1f} µs a step by hand, "
                    f"{made:8.1f} differentiated, {made / by_hand:.2f} times; motions differ by {apart:.1e}"
                )


if __name__ == "__main__":
    main()
