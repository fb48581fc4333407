"""A four-bar linkage in space, whose parallel hinges repeat one another's rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.results.sources import SystemSource
from flexmb.validation.references import spatial_four_bar as reference
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 1.5
TIMES = np.linspace(0.0, T_END, 31)
#: options of a method, the largest error of an angle [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 5e-11, "tolerance 1e-11 a step"),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-10, "tolerance 1e-11 a step"),
    "dop853": ({"tolerance": 1e-11}, 5e-12, "the tolerance"),
    "rkf45": ({"step": 5e-4}, 1e-9, "fifth order at 0.5 ms"),
    "radau": ({"tolerance": 1e-9}, 2e-9, "the tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, "tolerance 1e-10 a step"),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-10}, 1e-10, "tolerance 1e-10 a step"),
}


def build() -> fm.SpatialModel:
    """Three bars on four hinges in an askew plane."""
    model = fm.SpatialModel("spatial four-bar", gravity=reference.GRAVITY)
    corners = reference.TURN.apply(reference.corners())
    axis = reference.TURN.apply([0.0, 0.0, 1.0])
    before = model.ground
    for k, name in enumerate(reference.NAMES):
        turn = reference.TURN * Rotation.from_euler("z", reference.directions()[k])
        bar = model.add_body(
            name, mass=reference.MASSES[k], inertia=reference.inertia(k), orientation=turn,
            position=0.5 * (corners[k] + corners[k + 1]),
        )  # fmt: skip
        half = 0.5 * reference.LENGTHS[k]
        near, far = bar.attach("near", (-half, 0.0, 0.0)), bar.attach("far", (half, 0.0, 0.0))
        own = axis if before is model.ground else [0.0, 0.0, 1.0]
        model.revolute(before, near, axis=own, name=f"hinge{k}")
        before = far
    model.revolute(before, model.ground.attach("foot", corners[3]), axis="z", name="hinge3")
    return model


def in_the_plane() -> fm.PlanarModel:
    """The same linkage as a planar model."""
    model = fm.PlanarModel("planar four-bar", gravity=tuple(reference.TURN.inv().apply(reference.GRAVITY)[:2]))
    corners = reference.corners()[:, :2]
    before = model.ground
    for k, name in enumerate(reference.NAMES):
        bar = model.add_body(
            name, mass=reference.MASSES[k], inertia=reference.inertia(k)[2], angle=reference.directions()[k],
            position=0.5 * (corners[k] + corners[k + 1]),
        )  # fmt: skip
        half = 0.5 * reference.LENGTHS[k]
        near, far = bar.attach("near", (-half, 0.0)), bar.attach("far", (half, 0.0))
        model.revolute(before, near, name=f"hinge{k}")
        before = far
    model.revolute(before, model.ground.attach("foot", corners[3]), name="hinge3")
    return model


def turned(run: fm.Solution) -> np.ndarray:
    """The angles (k, 3) [rad] by which the bars have turned since the start, within half a turn."""
    angles = []
    for name in reference.NAMES:
        own = run[name].orientation
        angles.append((own[0].inv() * own).as_rotvec()[:, 2])
    return np.array(angles).T


@case("spatial-four-bar", draw=build)
def compute() -> Iterator[Record]:
    """a four-bar in an askew plane, rank 17 of 20: relative angles, the same linkage in the plane, orders"""
    source, plane = "relative angles, Kane's equations, DOP853 at 1e-13", "the planar model, the same steps"
    exact = reference.motion(TIMES)
    for method, (options, allowed, why) in METHODS.items():
        run = _run(build(), method.partition(",")[0], **options)
        yield Check(f"{method}: largest error of an angle [rad]", _apart(turned(run), exact), 0.0, allowed, source, why)
    left_out = cast(SystemSource, run.source).system.left_out
    yield Check("rows left out", left_out, 3, 0.0, "18 coordinates less one degree of freedom of 20 rows", "a count")
    steps = (1e-3, 5e-4)
    runs = [_run(build(), "generalized_alpha", step=h, newton_tolerance=1e-12) for h in steps]
    coarse, fine = (_apart(turned(run), exact) for run in runs)
    yield Errors("generalized_alpha: angles [rad]", "step [s]", steps, (coarse, fine), 2.0)
    what = "generalized_alpha: measured order"
    yield Check(what, float(np.log2(coarse / fine)), 2.0, 0.01, "theory", "terms of higher order")
    flat = _run(in_the_plane(), "generalized_alpha", step=1e-3, newton_tolerance=1e-12)
    angles = np.array([flat[name].angle for name in reference.NAMES]).T
    off = _apart(turned(runs[0]), angles - angles[0])
    yield Check("generalized_alpha: angles less those in the plane [rad]", off, 0.0, 1e-9, plane, "Newton's tolerance")


def _run(model: Any, method: str, **options: Any) -> fm.Solution:
    """The motion at the TIMES."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)  # what the case is about
        return fm.simulate(model, T_END, method, times=TIMES, progress=False, **options)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two sets of angles [rad], whole turns apart."""
    return float(np.max(np.abs((one - other + np.pi) % (2.0 * np.pi) - np.pi)))
