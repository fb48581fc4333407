"""A flexible beam thrown and spinning in space: momentum, energy, and the order of the methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 0.1
#: a soft strip of 1 m, unlike in its planes, with sections that have inertia
PROPERTIES = fm.spatial.BeamProperties(
    EA=1e4, EIy=0.5, EIz=1.5, GJ=0.4, rhoA=0.5, rhoIy=2e-5, rhoIz=4e-5, rhoIp=6e-5
)  # fmt: skip


def build(elements: int = 1, **options: Any) -> fm.SpatialModel:
    """The strip, thrown while it spins about an axis askew to it; one end is faster, and turns faster."""
    model = fm.SpatialModel("free flight in space")
    strip = model.add_beam(
        "strip", (0.0, 0.0, 0.0), (0.8, 0.6, 0.0), properties=PROPERTIES, theory="cms", elements=elements, **options
    )
    model.set_rigid_motion((3.0, 1.0, -2.0), (4.0, -3.0, 10.0), about=(0.4, 0.3, 0.0))
    node: Any = strip.end.node
    node.angular_velocity = node.angular_velocity + np.array([5.0, 2.0, -3.0])
    return model


def momentum_errors(solution: fm.Solution) -> tuple[float, float]:
    """Largest change of linear and of angular momentum about the origin, relative to their size."""
    assert solution.model is not None
    system = fm.System(solution.model)
    P = np.array([system.momentum(t, q, v) for t, q, v in zip(solution.t, solution.q, solution.v)])
    linear, angular = P[:, :3], P[:, 3:]
    sizes = [np.max(np.abs(x - x[0])) / np.linalg.norm(x[0]) for x in (linear, angular)]
    return float(sizes[0]), float(sizes[1])


@case("free-flight-space", draw=build)
def compute() -> Iterator[Record]:
    """a strip thrown and spinning in space: momentum to round-off, energy and motion to the methods' orders"""
    law, rounding = "conservation", "round-off"
    exact: dict[str, Any] = {"tolerance": 1e-11}
    for elements, options in ((1, {"modes": 2, "torsion_modes": 1}), (3, {"modes": 1, "torsion_modes": 0})):
        label = f"{elements} element{'s' * (elements > 1)}"
        solution = fm.simulate(build(elements, **options), T_END, "dop853", progress=False, **exact)
        linear, angular = momentum_errors(solution)
        yield Check(f"{label}: linear momentum [–]", linear, 0.0, 1e-12, law, rounding)
        yield Check(f"{label}: angular momentum [–]", angular, 0.0, 1e-12, law, rounding)
        yield Check(f"{label}: energy balance [–]", solution.energy.error, 0.0, 1e-11, law, "tolerance of the run")
    reference = fm.simulate(build(), T_END, "dop853", progress=False, **exact)
    steps = (8e-5, 4e-5)
    runs = [fm.simulate(build(), T_END, step=h, progress=False) for h in steps]
    higher = "terms of higher order"
    energies = [run.energy.error for run in runs]
    momenta = [momentum_errors(run)[1] for run in runs]
    places = [
        float(np.max(np.abs(run["strip.end"].position[-1] - reference["strip.end"].position[-1]))) for run in runs
    ]
    units = {"energy": "–", "angular momentum": "–", "the end's place": "m"}
    for (what, unit), errors in zip(units.items(), (energies, momenta, places)):
        yield Errors(f"generalized_alpha: {what} [{unit}]", "step [s]", steps, errors, 2.0)
        measured = float(np.log2(errors[0] / errors[1]))
        yield Check(f"generalized_alpha: measured order of {what}", measured, 2.0, 0.05, "theory", higher)
