"""Dynamic stiffening: a beam that a hub spins up beyond its first natural frequency."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.spin_up import build, deflection
from flexmb.validation.references import spin_up as reference
from flexmb.validation.references.spin_up import amplitude, largest
from flexmb.validation.registry import Check, Errors, Record, case

STEP = 0.005


def extrapolated(*args: Any, **options: Any) -> np.ndarray:
    """Largest deflection [m], its time [s], and amplitude after 15 s [m], extrapolated from runs with two steps:
    generalized-α is of second order, so that (4 fine − coarse)/3 has an error of fourth order."""
    results = []
    for step in (STEP, 0.5 * STEP):
        run = fm.simulate(build(*args, **options), reference.T_END, step=step, progress=False)
        w = deflection(run)
        results.append([*largest(run.t, w), amplitude(run.t, w)])
    return (4.0 * np.array(results[1]) - np.array(results[0])) / 3.0


@case("spin-up", draw=build)
def compute() -> Iterator[Record]:
    """largest tip deflection of a beam spun up to 4 rad/s; the linear floating-frame beam must diverge"""
    apart = "the same elements by other coordinates"
    printed = "last digit of the reference"
    exact = "exact rod by polynomials; Exudyn's cable"
    for row in reference.CMS_ROWS:
        w, when, late = extrapolated(elements=row.elements, modes=row.modes, axial=row.axial)
        label = f"CMS {row.axial}, {row.elements} el., {row.modes} modes"
        yield Check(f"{label}: deflection [m]", w, row.deflection, 1e-6, apart, printed)
        yield Check(f"{label}: when [s]", when, row.time, 1e-4, apart, printed)
        if row.axial == "second_order":
            off = 2.5e-4 if row.elements == 1 else 4e-5
            why = "left by the few elements: 0.04 %" if row.elements == 1 else "left by the few elements: 0.006 %"
            yield Check(f"{label}: against exact [m]", w, reference.REFERENCE_DEFLECTION, off, exact, why)
        if row.axial == "second_order" and row.elements == 2:
            about = f"{label}: amplitude after 15 s [m]"
            why = "left by the few elements: 0.05 %"
            yield Check(about, late, reference.REFERENCE_AMPLITUDE, 4e-6, exact, why)
    errors, numbers = [], (4, 8, 16, 32)
    for elements in numbers:
        w, when, late = extrapolated("ancf", elements)
        errors.append(abs(w - reference.REFERENCE_DEFLECTION))
    yield Check("ANCF, 32 elements: deflection [m]", w, reference.REFERENCE_DEFLECTION, 5e-6, exact, printed)
    yield Check("ANCF, 32 elements: when [s]", when, reference.REFERENCE_TIME, 5e-4, exact, printed)
    what = "ANCF, 32 elements: amplitude after 15 s [m]"
    yield Check(what, late, reference.REFERENCE_AMPLITUDE, 1e-6, exact, printed)
    yield Errors("ANCF: largest deflection [m]", "elements", numbers, errors, -4.0)
    what = "ANCF: error of 8 elements by that of 4 [–]"
    yield Check(what, errors[1] / errors[0], 0.0, 1.0 / 16.0, exact, "Hermite's cubics: fourth order at least")
    with warnings.catch_warnings():  # the beam warns that it bends too far for its theory
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        solution = fm.simulate(build("floating", modes=2), 12.0, step=STEP, progress=False)
    w = np.abs(deflection(solution))
    what = "floating frame: 1 if it is off by more than a length at 12 s"
    yield Check(what, float(w[-1] > reference.LENGTH), 1.0, 0.0, "Kobayashi (n.d.), fig. 3: it diverges", "yes or no")
