"""A body that turns freely in space near its middle axis, and turns over again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.spatial import SpatialModel
from flexmb.validation.references import free_rotation as reference
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 20.0
#: options of a method, the largest error of a number of the quaternion at T_END with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": (
        {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
        1e-9,
        "tolerance 1e-10 a step, grown by the turning over",
    ),
    "baumgarte": (
        {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
        1e-9,
        "tolerance 1e-10 a step, grown by the turning over",
    ),
    "rkf45": ({"step": 5e-3}, 1e-11, "fifth order at 5 ms"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
    "dop853": ({"tolerance": 1e-10}, 1e-10, "the tolerance"),
    "independent": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        3e-7,
        "tolerance 1e-9 a step, grown by the turning over",
    ),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
}


def build(inertia: Any = reference.INERTIA, start: Any = reference.START) -> SpatialModel:
    """One body without gravity, as the box that has its inertia."""
    model = SpatialModel("free rotation")
    model.add_body("body", mass=1.0, inertia=inertia).move(angular_velocity=start)
    return model


@case("free-rotation", draw=build)
def compute() -> Iterator[Record]:
    """a body that turns over in space: elliptic functions, conservation laws, orders"""
    source = "Landau and Lifshitz (1976), § 37; orientation by DOP853 at 1e-13"
    times = np.array([0.0, T_END])
    q = reference.orientation(reference.INERTIA, reference.START, times)[-1]
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(), T_END, method.partition(",")[0], progress=False, **options)
        found = run["body"].values[-1, 3:7]
        off = float(np.max(np.abs(found * np.sign(found @ q) - q)))
        yield Check(f"{method}: error of the quaternion after {T_END:g} s [–]", off, 0.0, allowed, source, why)
        length = float(np.max(np.abs(np.linalg.norm(run["body"].values[:, 3:7], axis=1) - 1.0)))
        yield Check(f"{method}: length of the quaternion [–]", length, 0.0, 1e-14, "unit quaternions", "round-off")
    across, axial, start = 1.0, 1.7, np.array([0.4, -0.3, 50.0])
    run = fm.simulate(
        build((across, across, axial), start),
        5.0,
        "projection",
        progress=False,
        tolerance=1e-11,
        absolute_tolerance=1e-13,
    )
    turn, omega = reference.symmetric(across, axial, start, run.t)
    off = float(np.max((turn.inv() * run["body"].orientation).magnitude()))
    known, tight = "closed form of a symmetric body", "tolerance 1e-11 a step"
    yield Check("symmetric body, 40 turns: largest error of the orientation [rad]", off, 0.0, 1e-10, known, tight)
    off = float(np.max(np.abs(run.v[:, 3:6] - omega)))
    yield Check("symmetric body, 40 turns: largest error of ω [rad/s]", off, 0.0, 1e-9, known, tight)
    steps = (1e-2, 5e-3)
    errors = np.array([_errors(h) for h in steps])
    for name, both in zip(("orientation [–]", "ω [rad/s]"), errors.T.tolist()):
        yield Errors(f"generalized_alpha: {name}", "step [s]", steps, both, 2.0)
    for name, order in zip(("orientation", "ω"), np.log2(errors[0] / errors[1])):
        what = f"generalized_alpha: measured order of the {name}"
        yield Check(what, float(order), 2.0, 0.002, "theory", "terms of higher order")


def _errors(step: float) -> tuple[float, float]:
    """Largest errors over 5 s of the orientation and of ω [rad/s]."""
    run = fm.simulate(build(), 5.0, step=step, progress=False)
    omega = reference.angular_velocity(reference.INERTIA, reference.START, run.t)
    q = reference.orientation(reference.INERTIA, reference.START, run.t)
    return float(np.max(np.abs(run["body"].values[:, 3:7] - q))), float(np.max(np.abs(run.v[:, 3:6] - omega)))
