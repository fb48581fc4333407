"""Five bricks in a chain of hinges with askew axes, from rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation.references import five_link_chain as reference
from flexmb.validation.registry import Check, Errors, Record, case

#: options of a method, the largest error of an angle after 1 s [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 2e-12, "a few units of the last digit"),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 3e-12, "a few units of the last digit"),
    "dop853": ({"tolerance": 1e-11}, 1e-12, "the last digit of the reference"),
    "rkf45": ({"step": 5e-4}, 1e-12, "the last digit of the reference"),
    "radau": ({"tolerance": 1e-11}, 2e-12, "a few units of the last digit"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-10, "tolerance 1e-10 a step"),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-10}, 2e-12, "a few units of the last digit"),
}
#: two sets of options, of which the second has half the step; the order of the method; how far the measured one may be
ORDERS: dict[str, tuple[list[dict[str, Any]], float, float]] = {
    "radau": ([{"max_step": h, "tolerance": 0.01, "newton_tolerance": 1e-14} for h in (1 / 80, 1 / 160)], 5.0, 0.15),
    "rkf45": ([{"step": h} for h in (0.01, 0.005)], 5.0, 0.15),
    "generalized_alpha": ([{"step": h} for h in (2e-3, 1e-3)], 2.0, 0.03),
}
T_END = 1.0


def build() -> fm.SpatialModel:
    """The chain at q = 0; each brick's axes are those of its hinge."""
    model = fm.SpatialModel("five links", gravity=reference.GRAVITY)
    before, turn = model.ground, reference.AXES[0]
    for k, axes in enumerate(reference.AXES):
        near = before.attach(f"hinge{k}", orientation=axes)
        turn = turn * axes
        body = model.add_body(
            f"link{k}", mass=reference.MASS, inertia=reference.INERTIA, orientation=turn,
            position=near.position + turn.apply(reference.CENTER),
        )  # fmt: skip
        model.revolute(near, body.attach("near", -reference.CENTER), axis="z", name=f"joint{k}")
        before = body.attach("far", reference.CENTER)
    return model


def angles(solution: fm.Solution) -> np.ndarray:
    """The angles q (k, 5) [rad] about the hinges."""
    return np.array([solution[f"joint{k}.angle"] for k in range(len(reference.AXES))]).T


def accelerations(solution: fm.Solution) -> np.ndarray:
    """q̈ at rest (5,) [rad/s²]: the differences of the angular accelerations, along the axes of the hinges."""
    found, before = [], np.zeros(3)
    for k in range(len(reference.AXES)):
        track = solution[f"link{k}"]
        found.append(track.orientation[0].apply([0.0, 0.0, 1.0]) @ (track.angular_acceleration[0] - before))
        before = track.angular_acceleration[0]
    return np.array(found)


@case("five-link-chain", draw=build)
def compute() -> Iterator[Record]:
    """five bricks on askew hinges: accelerations at rest and angles after 1 s to 12 digits; measured orders"""
    source = "relative angles, Kane's equations, DOP853 at 1e-13"
    start = fm.simulate(build(), 1e-3, step=1e-3, progress=False)
    off = float(np.max(np.abs(accelerations(start) - reference.START_ACCELERATION)))
    digits = "the last digit of the reference"
    yield Check("q̈ at rest: largest error [rad/s²]", off, 0.0, 1e-12, source, digits)
    tree = fm.Tree.of(build())
    for formulation in FORMULATIONS:
        off = float(np.max(np.abs(fm.formulation(tree, formulation)(*tree.start()) - reference.START_ACCELERATION)))
        yield Check(f"{formulation}: q̈ at rest, largest error [rad/s²]", off, 0.0, 1e-12, source, digits)
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(), T_END, method.partition(",")[0], progress=False, **options)
        yield Check(f"{method}: largest error of q after 1 s [rad]", _error(run), 0.0, allowed, source, why)
    for formulation in FORMULATIONS:
        run = fm.simulate(build(), T_END, "dop853", formulation=formulation, tolerance=1e-11, progress=False)
        why = "the last digit of the reference"
        yield Check(f"{formulation}, dop853: largest error of q after 1 s [rad]", _error(run), 0.0, 1e-12, source, why)
    for method, (both, order, allowed) in ORDERS.items():
        coarse, fine = (_error(fm.simulate(build(), T_END, method, progress=False, **options)) for options in both)
        steps = [next(iter(options.values())) for options in both]
        yield Errors(f"{method}: q after 1 s [rad]", "step [s]", steps, (coarse, fine), order)
        measured = float(np.log2(coarse / fine))
        yield Check(f"{method}: measured order of q", measured, order, allowed, "theory", "terms of higher order")


def _error(run: fm.Solution) -> float:
    """The largest error of an angle after 1 s [rad]."""
    return float(np.max(np.abs(angles(run)[-1] - reference.END)))
