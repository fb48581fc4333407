"""Bricard's mechanism: a closed loop of six hinges that moves although a count of its rows says that it cannot."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

import flexmb as fm
from flexmb.results.sources import SystemSource
from flexmb.validation.references import bricard as reference
from flexmb.validation.registry import Check, Errors, Record, case

TIMES = np.array(list(reference.PLACES))
PLACES = np.array(list(reference.PLACES.values()))
#: options of a method, the largest error of P3 [m] at the TIMES with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-12, "the last digit of the reference"),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-12, "the last digit of the reference"),
    "dop853": ({"tolerance": 1e-11}, 1e-12, "the last digit of the reference"),
    "rkf45": ({"step": 2e-3}, 1e-12, "the last digit of the reference"),
    "radau": ({"tolerance": 1e-9}, 1e-11, "a hundredth of the tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step, 1300 steps"),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-10}, 2e-11, "tolerance 1e-10 a step"),
}
#: two sets of options, of which the second has half the step; the order of the method; how far the measured one may be
ORDERS: dict[str, tuple[list[dict[str, Any]], float, float]] = {
    "radau": ([{"max_step": h, "tolerance": 0.01, "newton_tolerance": 1e-14} for h in (0.05, 0.025)], 5.0, 0.1),
    "rkf45": ([{"step": h} for h in (0.04, 0.02)], 5.0, 0.1),
    "generalized_alpha": ([{"step": h} for h in (4e-3, 2e-3)], 2.0, 0.1),
}


def build() -> fm.SpatialModel:
    """Five rods along the edges of a cube, and the ground in place of the sixth."""
    model = fm.SpatialModel("Bricard", gravity=reference.GRAVITY)
    before = model.ground
    for k in range(5):
        middle = 0.5 * (reference.CORNERS[k] + reference.CORNERS[k + 1])
        rod = model.add_body(f"rod{k}", mass=reference.MASS, inertia=reference.inertia(k), position=middle)
        near = rod.attach("near", reference.CORNERS[k] - middle)
        model.revolute(before, near, axis=reference.AXES[k], name=f"hinge{k}")
        before = rod.attach("far", reference.CORNERS[k + 1] - middle)
    last = model.ground.attach("last", reference.CORNERS[5])
    model.revolute(before, last, axis=reference.AXES[5], name="hinge5")
    return model


@case("bricard", draw=build)
def compute() -> Iterator[Record]:
    """the loop of six hinges, one row of which repeats the others: places to 12 digits, energy, orders"""
    source = "relative angles, Kane's equations, DOP853 at 1e-13"
    for method, (options, allowed, why) in METHODS.items():
        run = _run(method.partition(",")[0], **options)
        yield Check(f"{method}: largest error of P3 at 1, 2, 4 s [m]", _error(run), 0.0, allowed, source, why)
        kept = float(np.max(np.abs(run.energy.total - reference.ENERGY)))
        yield Check(f"{method}: energy drifts by [J]", kept, 0.0, 10.0 * allowed, "conservation of energy", why)
    yield Check(
        "rows left out",
        cast(SystemSource, run.source).system.left_out,
        1,
        0.0,
        "rank 4 of the 5 rows of the loop",
        "a count",
    )
    for method, (both, order, allowed) in ORDERS.items():
        errors = []
        for options in both:
            run = _run(method, **options)
            errors.append((_error(run), float(np.max(np.abs(run.energy.total - reference.ENERGY)))))
        steps = [next(iter(options.values())) for options in both]
        for what, series in zip(("P3 [m]", "energy [J]"), zip(*errors)):
            yield Errors(f"{method}: {what}", "step [s]", steps, series, order)
        for what, measured in zip(("P3", "energy"), np.log2(np.array(errors[0]) / errors[1])):
            name = f"{method}: measured order of {what}"
            yield Check(name, float(measured), order, allowed, "theory", "terms of higher order")


def _run(method: str, **options: Any) -> fm.Solution:
    """The motion at the TIMES."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)  # what the case is about
        return fm.simulate(build(), TIMES[-1], method, times=TIMES, progress=False, **options)


def _error(run: fm.Solution) -> float:
    """The largest error of P3 [m]."""
    return float(np.max(np.abs(run["rod1.far"].position - PLACES)))
