"""A slider-crank in space: crank on a hinge, rod between a ball and a universal joint, slider on a guide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import spatial_slider_crank as reference
from flexmb.validation.registry import Check, Errors, Record, case
from flexmb.validation.shapes import bar

TIMES = np.array(list(reference.PLACES))
PLACES = np.array(list(reference.PLACES.values()))
#: options of a method, the largest error of the slider [m] at the TIMES with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 2e-12, "a few units of the last digit"),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 2e-12, "a few units of the last digit"),
    "dop853": ({"tolerance": 1e-11}, 2e-12, "a few units of the last digit"),
    "rkf45": ({"step": 2.5e-4}, 2e-12, "a few units of the last digit"),
    "radau": ({"tolerance": 1e-10}, 1e-11, "a tenth of the tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step"),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-10}, 1e-11, "tolerance 1e-10 a step"),
}
#: two sets of options, of which the second has half the step; the order of the method; how far the measured one may be
ORDERS: dict[str, tuple[list[dict[str, Any]], float, float]] = {
    "radau": ([{"max_step": h, "tolerance": 0.01, "newton_tolerance": 1e-14} for h in (2.5e-3, 1.25e-3)], 5.0, 0.1),
    "rkf45": ([{"step": h} for h in (2.5e-3, 1.25e-3)], 5.0, 0.1),
    "generalized_alpha": ([{"step": h} for h in (1e-3, 5e-4)], 2.0, 0.05),
}


def build() -> fm.SpatialModel:
    """The mechanism with the crank up; the rod's x axis points to the slider, its y axis is an arm of the cross."""
    model = fm.SpatialModel("spatial slider-crank", gravity=(0.0, 0.0, -reference.G))
    start = reference.Place(0.0)
    bearing = np.array([0.0, *reference.BEARING])
    across = (reference.CRANK_INERTIA, reference.CRANK_INERTIA, reference.CRANK_INERTIA)
    half = 0.5 * (start.pin - bearing)
    crank = model.add_body(
        "crank", mass=reference.CRANK_MASS, inertia=across, position=bearing + half, shape=bar(-half, half)
    )
    slider_at = np.array([start.x, 0.0, 0.0])
    along, square = reference.ROD_INERTIA
    length = np.array([0.5 * reference.ROD, 0.0, 0.0])
    link = model.add_body(
        "rod", mass=reference.ROD_MASS, inertia=(along, square, square), position=0.5 * (start.pin + slider_at),
        orientation=Rotation.from_matrix(start.axes), shape=bar(-length, length, 0.02),
    )  # fmt: skip
    block = fm.Box((0.05, 0.03, 0.03))
    slider = model.add_body("slider", mass=reference.SLIDER_MASS, inertia=(1e-3,) * 3, position=slider_at, shape=block)
    model.revolute(model.ground.attach("post", bearing), crank.attach("foot", -half), axis="x", name="bearing")
    model.spherical(crank.attach("pin", half), link.attach("near", -length), name="ball")
    model.universal(slider.frame, link.attach("far", length), axis="x", axis_b="y", name="cross")
    model.prismatic(model.ground, slider.frame, axis="x", name="guide")
    crank.move(np.cross([reference.SPEED, 0.0, 0.0], half), (reference.SPEED, 0.0, 0.0))
    return model


@case("spatial-slider-crank", draw=build)
def compute() -> Iterator[Record]:
    """the slider-crank in space of Haug (1989): speeds of the rod, places of the slider to 12 digits, orders"""
    source, last = "one coordinate, closed forms, DOP853 at 1e-12", "round-off"
    start = fm.simulate(build(), 1e-3, step=1e-3, progress=False)
    off = float(np.max(np.abs(start["rod"].angular_velocity[0] - reference.ROD_START)))
    yield Check("ω of the rod at the start: largest error [rad/s]", off, 0.0, 1e-13, "Haug (1989), IFToMM (n.d.)", last)
    off = float(abs(start["crank"].alpha_x[0] - reference.Place(0.0).acceleration(reference.SPEED)))
    yield Check("φ̈ of the crank at the start: error [rad/s²]", off, 0.0, 1e-10, source, last)
    for method, (options, allowed, why) in METHODS.items():
        run = _run(method.partition(",")[0], **options)
        yield Check(f"{method}: largest error of x at 0.1 … 1 s [m]", _error(run), 0.0, allowed, source, why)
    run = _run("dop853", tolerance=1e-11)
    for what, got, exact in zip(("angle [rad]", "rate [rad/s]"), ("angle", "rate"), reference.motion(TIMES)):
        off = float(np.max(np.abs(run[f"bearing.{got}"] - exact)))
        yield Check(f"bearing, error of its {what}, beyond one turn", off, 0.0, 1e-10, source, "tolerances of both")
    for method, (both, order, allowed) in ORDERS.items():
        coarse, fine = (_error(_run(method, **options)) for options in both)
        steps = [next(iter(options.values())) for options in both]
        yield Errors(f"{method}: x [m]", "step [s]", steps, (coarse, fine), order)
        measured = float(np.log2(coarse / fine))
        yield Check(f"{method}: measured order of x", measured, order, allowed, "theory", "terms of higher order")


def _run(method: str, **options: Any) -> fm.Solution:
    """The motion at the TIMES."""
    return fm.simulate(build(), TIMES[-1], method, times=TIMES, progress=False, **options)


def _error(run: fm.Solution) -> float:
    """The largest error of the slider [m]."""
    return float(np.max(np.abs(run["slider"].x - PLACES)))
