"""Derivatives of whole runs by parameters, against central differences of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.validation.registry import Check, case


def pendulum(length: float, EI: float, rhoA: float, gravity: float) -> fm.PlanarModel:
    """A soft beam hinged at its start, released level."""
    model = fm.PlanarModel("pendulum", gravity=(0.0, -gravity))
    properties = fm.planar.BeamProperties(EA=2000.0, EI=EI, rhoA=rhoA)
    rod = model.add_beam("rod", (0.0, 0.0), (length, 0.0), properties=properties, modes=2)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def four_bar(coupler: float, crank: float, spring: float) -> fm.PlanarModel:
    """A parallelogram with a spring at its foot, released leaning over by 2 rad."""
    model = fm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    lean = 2.0
    tip = crank * np.array([np.cos(lean), np.sin(lean)])
    a = model.add_body("a", mass=1.0, inertia=0.1, position=0.5 * tip, angle=lean)
    b = model.add_body("b", mass=1.0, inertia=0.1, position=tip + [0.5 * coupler, 0.0])
    c = model.add_body("c", mass=1.0, inertia=0.1, position=0.5 * tip + [coupler, 0.0], angle=lean)
    near, far = (-0.5 * crank, 0.0), (0.5 * crank, 0.0)
    model.revolute(model.ground, a.attach("a0", near), name="j0")
    model.revolute(a.attach("a1", far), b.attach("b0", (-0.5 * coupler, 0.0)), name="j1")
    model.revolute(b.attach("b1", (0.5 * coupler, 0.0)), c.attach("c1", far), name="j2")
    model.revolute(model.ground.attach("foot", (coupler, 0.0)), c.attach("c0", near), name="j3")
    model.torsion_spring(model.ground, a.frame, stiffness=spring, damping=0.1)
    return model


def differences(
    build: Callable[..., fm.PlanarModel],
    parameters: Mapping[str, float],
    t_end: float,
    final: Sequence[str],
    integrals: Sequence[str],
    step: float,
    part: float = 2e-4,
) -> np.ndarray:
    """The derivatives (quantities, parameters) by differences of fourth order between whole runs, in which each
    parameter changes by the fraction `part` of itself."""
    out = np.zeros((len(final) + len(integrals), len(parameters)))
    for p, (name, value) in enumerate(parameters.items()):
        e = part * value
        ends = []
        for offset in OFFSETS:
            model = build(**{**parameters, name: value + offset * e})
            run = fm.simulate(model, t_end, step=step, newton_tolerance=1e-13, progress=False)
            h = np.diff(run.t)
            sums = [float(np.sum(0.5 * h * (y[1:] + y[:-1]))) for y in (run.series(q).values for q in integrals)]
            ends.append(np.array([*(run.series(q).values[-1] for q in final), *sums]))
        out[:, p] = slope(ends, e)
    return out


@case("sensitivities", draw=lambda: four_bar(1.0, 0.7, 3.0))
def compute() -> Iterator[Check]:
    """derivatives of a run's end and of integrals over it by lengths, sections and springs, direct and adjoint"""
    of_pendulum = {"length": 1.0, "EI": 1.5, "rhoA": 0.4, "gravity": 9.81}
    at_the_end = ["rod.end.y", "rod.end.vy", "hinge.fx", "rod@0.5.bending_moment"]
    of_four_bar = {"coupler": 1.0, "crank": 0.7, "spring": 3.0}
    # a change of the parameters by `part`, the step, and the largest relative error. Rounding in the forces of joints
    # grows as 1/h²: derivatives of them by steps of 1 ms are good to 2e-6 only, by either way.
    cases: tuple[tuple[str, Callable[..., fm.PlanarModel], dict, list[str], list[str], float, float, float], ...] = (
        ("flexible pendulum", pendulum, of_pendulum, at_the_end, ["rod.end.y"], 2e-4, 2e-3, 1e-6),
        ("four-bar", four_bar, of_four_bar, ["b.y", "j1.fx"], ["c.angle"], 8e-3, 4e-3, 3e-7),
    )
    for about, build, parameters, final, integrals, part, step, allowed in cases:
        near = differences(build, parameters, 0.3, final, integrals, step, part)
        for method in ("direct", "adjoint"):
            asked: dict[str, Any] = {"final": final, "integrals": integrals, "step": step, "derivatives": method}
            exact = fm.sensitivity(build, parameters, 0.3, **asked)
            for k, quantity in enumerate(exact.quantities):
                size = float(np.max(np.abs(near[k])))
                off = float(np.max(np.abs(exact.matrix[k] - near[k]))) / size
                what = f"{about}, {method}: {quantity} by {', '.join(parameters)}: relative error"
                why = "Newton's tolerance of 1e-13, divided by the change of a parameter"
                yield Check(what, off, 0.0, allowed, "differences of whole runs", why)
