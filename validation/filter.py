"""A filter in the loop of a mass on a spring: as equations beside the mechanism, and sampled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import filtered_loop as reference
from flexmb.validation.registry import Check, Errors, Record, case

MASS, DAMPING, STIFFNESS, SPEED, T_END = 2.0, 0.1, 8.0, 1.0, 3.0
#: b(s)/a(s) of the force [N] by the place [m]
NUMERATOR, DENOMINATOR = np.array([3.0, -5.0]), np.array([0.05, 0.4, 1.0])
#: where the sensor stands: the distance of it is the place
FAR = 100.0
#: options of methods, the largest error at T_END with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "radau": ({"tolerance": 1e-10}, 1e-9, "ten times the tolerance"),
    "dop853": ({"tolerance": 1e-11}, 1e-10, "ten times the tolerance"),
    "independent": ({"tolerance": 1e-10}, 1e-8, "tolerance 1e-10 a step"),
    "projection": ({"tolerance": 1e-11}, 1e-9, "tolerance 1e-11 a step"),
}


def build(period: float | None = None) -> fm.PlanarModel:
    """The mass, whose filter stands beside it, or is sampled."""
    model = fm.PlanarModel("mass with a filter")
    mass = model.add_body("mass", mass=MASS, inertia=1.0)
    model.prismatic(model.ground, mass.frame)
    wall = model.ground.attach("wall", (-FAR, 0.0))
    model.spring_damper(wall, mass.frame, stiffness=STIFFNESS, damping=DAMPING, free_length=FAR)
    push = model.point_force(mass.frame, (1.0, 0.0), factor=0.0, name="push")
    mass.move((SPEED, 0.0))
    place = fm.control.RangeFinder(wall, mass.frame, bias=-FAR)
    law = fm.control.transfer_function(NUMERATOR, DENOMINATOR)
    if period is None:
        model.add_states("filter", law, sensors=place, commands=push)
    else:
        one = law.discrete(period)
        held = fm.control.LinearLaw(one.A, one.B, one.C, one.D)
        model.add_controller("filter", period=period, sensors=place, commands=push, law=held)
    return model


@case("filter", draw=build)
def compute() -> Iterator[Record]:
    """a transfer function in the loop of a mass on a spring, beside the mechanism and sampled"""
    given = (MASS, DAMPING, STIFFNESS, NUMERATOR, DENOMINATOR)
    A = reference.loop(*given)
    x, v = reference.after(A, SPEED, T_END)[:2]
    source = "matrix exponential"
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(), T_END, method, progress=False, **options)
        yield Check(f"{method}: place after {T_END:g} s [m]", run["mass.x"][-1], x, allowed, source, why)
        yield Check(f"{method}: speed [m/s]", run["mass.vx"][-1], v, 10.0 * allowed, source, why)
    steps, errors = (2e-3, 1e-3), []
    for step in steps:
        run = fm.simulate(build(), T_END, step=step, progress=False, second_run=False)
        errors.append(abs(run["mass.x"][-1] - x))
    yield Errors("generalized_alpha: place [m]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[1]))
    yield Check("generalized_alpha: measured order", order, 2.0, 0.02, "theory", "higher terms")
    linear = fm.linearize(build(), "push", "mass.x")
    found, wanted = (np.sort_complex(p) for p in (linear.poles, np.linalg.eigvals(A)))
    yield Check("states of the linear model", len(linear), len(A), 0.0, "two of the mass, two of the filter", "exact")
    off = float(np.max(np.abs(found - wanted)))
    yield Check("largest error of its poles [1/s]", off, 0.0, 1e-10, "eigenvalues of the exact loop", "round-off")
    periods, apart = (0.02, 0.01, 0.005), []
    for period in periods:
        run = fm.simulate(build(period), T_END, "radau", tolerance=1e-10, progress=False)
        held = reference.sampled(*given, SPEED, period, round(T_END / period))
        yield Check(
            f"sampled every {1e3 * period:g} ms: place [m]", run["mass.x"][-1], held[0], 1e-8,
            "matrix exponentials, held", "ten times the tolerance, and its errors in each period",
        )  # fmt: skip
        apart.append(abs(run["mass.x"][-1] - x))
    yield Errors("sampled: place against that of the filter beside it [m]", "period [s]", periods, apart, 1.0)
    order = float(np.log2(apart[1] / apart[2]))
    yield Check("sampled: measured order of the difference", order, 1.0, 0.05, "theory of what is held", "higher terms")
