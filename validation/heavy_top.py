"""The heavy top: a fast symmetric body that spins about a fixed point, held by a joint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.spatial import SpatialModel
from flexmb.validation.references import heavy_top as reference
from flexmb.validation.registry import Check, Errors, Record, case

#: options of a method, the largest error of a place [m] at T_END with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step"),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step"),
    "rkf45": ({"step": 2e-4}, 1e-9, "fifth order at 0.2 ms"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
    "dop853": ({"tolerance": 1e-10}, 1e-10, "the tolerance"),
    "rosenbrock": ({"tolerance": 1e-6}, 1e-6, "the tolerance"),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-6, "tolerance 1e-9 a step"),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
}
T_END = 0.5


def build() -> SpatialModel:
    """The top in its mass center's node, and a spherical joint on the ground."""
    model = SpatialModel("heavy top", gravity=reference.GRAVITY)
    disk = fm.Cylinder(radius=0.25, length=0.04, axis="y")
    top = model.add_body("top", mass=reference.MASS, inertia=reference.INERTIA, position=reference.CENTER, shape=disk)
    top.move(np.cross(reference.START, reference.CENTER), reference.START)
    model.spherical(model.ground, top.attach("tip", -reference.CENTER), name="point")
    return model


@case("heavy-top", draw=build)
def compute() -> Iterator[Record]:
    """a fast top held by a spherical joint: every method against the body in its own axes, orders in q, v and λ"""
    source = "the body in its own axes, DOP853 at 1e-13; Brüls, Cardona and Géradin (2012)"
    start = fm.simulate(build(), 1e-3, step=1e-3, progress=False)
    held = -start.multipliers[0]  # on the top, in the axes of the ground
    off = float(np.max(np.abs(held - reference.force_at_start())))
    yield Check("force of the ground at the start, error [N]", off, 0.0, 1e-10, source, "round-off of m c 150² rad²/s²")
    q, _ = reference.motion(np.array([0.0, T_END]))
    place = reference.center(q)[-1]
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(), T_END, method.partition(",")[0], progress=False, **options)
        off = float(np.max(np.abs(run["top"].position[-1] - place)))
        yield Check(f"{method}: error of the mass center after {T_END:g} s [m]", off, 0.0, allowed, source, why)
    steps = (5e-4, 2.5e-4)
    errors = np.array([_errors(h) for h in steps])
    for name, both in zip(("place [m]", "ω [rad/s]", "λ [N]"), errors.T.tolist()):
        yield Errors(f"generalized_alpha: {name}", "step [s]", steps, both, 2.0)
    for name, order in zip(("place", "ω", "λ"), np.log2(errors[0] / errors[1])):
        what = f"generalized_alpha: measured order of {name}"
        yield Check(what, float(order), 2.0, 0.005, "theory", "terms of higher order")


def _errors(step: float) -> tuple[float, float, float]:
    """Largest errors over 0.1 s of the mass center [m], of ω [rad/s] and of the force of the ground [N]."""
    run = fm.simulate(build(), 0.1, step=step, progress=False)
    q, omega = reference.motion(run.t)
    held = reference.force(q, omega)
    top = run["top"]
    return (
        float(np.max(np.abs(top.position - reference.center(q)))),
        float(np.max(np.abs(run.v[:, 3:6] - omega))),
        float(np.max(np.abs(-run.multipliers - held))),
    )
