"""A beam thrown and spinning: momentum, energy, and the measured order of every method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 0.1


def build(theory: str = "cms", elements: int = 1, **options: Any) -> fm.PlanarModel:
    """A soft steel strip of 1 m, thrown at 3 m/s while it spins at 10 rad/s, bent at the start."""
    model = fm.PlanarModel("free flight")
    section, material = fm.Rectangle(0.03, 0.002), fm.Material(7850.0, 2e9)
    beam = model.add_beam(
        "strip", (0, 0), (1, 0), material=material, section=section, theory=theory, elements=elements, **options
    )
    model.set_rigid_motion((3.0, 1.0), 10.0, about=(0.5, 0.0))
    if theory != "ancf":  # one end turns faster: the strip bends
        beam.end.node.angular_velocity += 3.0
    return model


def _momentum_errors(solution: fm.Solution) -> tuple[float, float]:
    """Largest change of linear and of angular momentum, relative to their size."""
    assert solution.model is not None
    system = fm.System(solution.model)
    P = np.array([system.momentum(t, q, v) for t, q, v in zip(solution.t, solution.q, solution.v)])
    linear = float(np.max(np.abs(P[:, :2] - P[0, :2])) / np.linalg.norm(P[0, :2]))
    return linear, float(np.max(np.abs(P[:, 2] - P[0, 2])) / abs(P[0, 2]))


@case("free-flight", draw=build)
def compute() -> Iterator[Record]:
    """a thrown, spinning beam: momentum to round-off, energy and motion to each method's order"""
    law, rounding = "conservation", "round-off"
    exact: dict[str, Any] = {"tolerance": 1e-12, "absolute_tolerance": 1e-13}
    for theory, elements in (("cms", 1), ("ancf", 2), ("exact", 2)):
        # the exact beam's small rotary inertia makes it stiff for an explicit method
        t_end = T_END / 10 if theory == "exact" else T_END
        solution = fm.simulate(build(theory, elements), t_end, "projection", progress=False, **exact)
        linear, angular = _momentum_errors(solution)
        yield Check(f"{theory}: linear momentum [–]", linear, 0.0, 1e-13, law, rounding)
        yield Check(f"{theory}: angular momentum [–]", angular, 0.0, 1e-13, law, rounding)
        yield Check(f"{theory}: energy balance [–]", solution.energy.error, 0.0, 1e-12, law, "tolerance of the run")
    cable = fm.simulate(build("ancf", 8), T_END, step=2e-3, progress=False)
    yield Check("generalized_alpha, ANCF: linear momentum [–]", _momentum_errors(cable)[0], 0.0, 1e-13, law, rounding)
    reference = fm.simulate(build(), T_END, "projection", progress=False, **exact)

    def error(method: str, **options: Any) -> float:
        run = fm.simulate(build(), T_END, method, progress=False, **options)
        assert abs(run.t[-1] - T_END) < 1e-9
        return float(np.max(np.abs(run.q[-1] - reference.q[-1])))

    higher = "terms of higher order"
    for method, order, step in (("generalized_alpha", 2, 2e-5), ("rkf45", 5, 1e-4)):
        coarse, fine = error(method, step=2 * step), error(method, step=step)
        yield Errors(f"{method}: coordinates [m, rad]", "step [s]", (2 * step, step), (coarse, fine), order)
        measured = float(np.log2(coarse / fine))
        what = f"{method}: measured order of the motion"
        yield Check(what, measured, order, 0.06 if order == 2 else 0.02, "theory", higher)
    steps = (4e-5, 2e-5)
    balance = [fm.simulate(build(), T_END, step=h, progress=False).energy.error for h in steps]
    yield Errors("generalized_alpha: balance of energy [–]", "step [s]", steps, balance, 2.0)
    measured = float(np.log2(balance[0] / balance[1]))
    yield Check("generalized_alpha: measured order of the energy", measured, 2.0, 0.002, "theory", higher)
    options: dict[str, dict[str, Any]] = {"projection": {}, "baumgarte": {}, "independent": {"max_order": 5}}
    for method, more in options.items():
        both = (1e-5, 1e-8)
        loose, tight = (error(method, tolerance=r, absolute_tolerance=r * 1e-2, **more) for r in both)
        yield Errors(f"{method}: coordinates [m, rad]", "tolerance", both, (loose, tight), 1.0)
        measured = float(np.log10(loose / tight) / 3.0)
        what = f"{method}: error follows the tolerance with power"
        yield Check(what, measured, 1.0, 0.2, "theory", "steps change by whole factors")
