"""Slider-crank: rigid against closed forms, and with a flexible rod against an exact one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples import slider_crank as example
from flexmb.validation.references.exact_rod import ExactRod
from flexmb.validation.references.slider_crank import SliderCrank
from flexmb.validation.registry import Check, case

#: the mechanism of the example, in the terms of the closed forms
SHAPE = SliderCrank(example.CRANK, example.ROD, example.CRANK_MASS, example.ROD_MASS, example.SLIDER_MASS)


def exact_bending(times: np.ndarray) -> np.ndarray:
    """Deflection (k,) [m] of the middle of the flexible rod across its chord, by a geometrically exact rod. The crank
    prescribes the motion of its start; the slider is a mass at its end, which a guide keeps on the x axis."""
    EI = (8.0 * example.SPEED) ** 2 * (example.ROD / np.pi) ** 4 * example.ROD_MASS / example.ROD
    rod = ExactRod(
        example.ROD, 1e6, EI, example.ROD_MASS / example.ROD, bending=6, stretching=3, hinged=True,
        end_mass=example.SLIDER_MASS, guided=True,
    )  # fmt: skip

    def given(t: float) -> tuple[complex, complex, float, float, float]:
        angle, rate, second = example.DRIVE(t), example.DRIVE.rate(t), example.DRIVE.second_rate(t)
        pin = complex(example.CRANK * np.exp(1j * angle))
        return pin, (1j * second - rate**2) * pin, 0.0, 0.0, 0.0

    unknowns = rod.motion(given, times, rtol=1e-7, atol=1e-9)
    start, middle, end = (rod.places(times, unknowns, given, s) for s in (0.0, 0.5, 1.0))
    chord = end - start
    return (chord.conj() * (middle - 0.5 * (start + end))).imag / np.abs(chord)


@case("slider-crank", draw=lambda: example.build("cms", start=0.8))
def compute() -> Iterator[Check]:
    """rigid: closed-form kinematics and free motion; flexible rod: CMS and ANCF against an exact rod"""
    driven = fm.simulate(example.build("rigid"), 2 * example.SPIN_UP, step=1e-4, progress=False)
    exact = np.array(
        [SHAPE.slider(example.DRIVE(t), example.DRIVE.rate(t), example.DRIVE.second_rate(t)) for t in driven.t]
    )
    track = driven["slider"]
    closed = "closed form"
    for name, got, reference, scale in (
        ("position [m]", track.position[:, 0], exact[:, 0], 1e-13),
        ("velocity [m/s]", track.velocity[:, 0], exact[:, 1], 5e-10),
    ):
        because = "held by the constraints, to Newton's tolerance"
        yield Check(f"driven, slider {name}", float(np.max(np.abs(got - reference))), 0.0, scale, closed, because)
    error = float(np.max(np.abs(track.acceleration[:, 0] - exact[:, 2])) / np.max(np.abs(exact[:, 2])))
    yield Check("driven, slider acceleration, relative [–]", error, 0.0, 1e-5, closed, "second order at 0.1 ms")
    free = fm.simulate(
        example.build("rigid", driven=False, start=1.0),
        2.0,
        "projection",
        tolerance=1e-10,
        absolute_tolerance=1e-12,
        progress=False,
    )
    reference = SHAPE.free_motion(free.t, 1.0)[0]
    error = float(np.max(np.abs(free["crank"].angle - reference)))
    what = "free, crank angle over 2 s [rad]"
    yield Check(what, error, 0.0, 5e-10, "one coordinate, derived apart", "tolerance 1e-10 a step")
    times = np.linspace(0.0, 1.5 * example.SPIN_UP, 301)
    wanted = exact_bending(times)
    size = float(np.max(np.abs(wanted)))
    for theory, allowed, why in (
        ("ancf", 1e-5, "8 elements; second order at 0.05 ms"),
        ("cms", 3e-3, "left by one element of two modes"),
    ):
        run = fm.simulate(example.build(theory), times[-1], step=5e-5, progress=False)
        off = float(np.max(np.abs(example.bending(run.at(times)) - wanted))) / size
        about = f"flexible rod, {theory}: deflection of the middle, relative [–]"
        yield Check(about, off, 0.0, allowed, "exact rod by polynomials", why)
