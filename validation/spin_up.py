"""Dynamic stiffening: a beam that a hub spins up beyond its first natural frequency."""

from __future__ import annotations

import warnings

import numpy as np

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.examples.spin_up import build, deflection
from flexmb.validation.references import spin_up as reference
from flexmb.validation.registry import Check, case

#: fixed step [s] at which the time integration adds less than the last printed digit
STEP = 0.005


def largest(t: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """The largest deflection (with its sign) and when, by a parabola through the three samples around it."""
    k = int(np.argmin(w))
    if not 0 < k < len(t) - 1:
        return float(w[k]), float(t[k])
    a, b, c = np.polyfit(t[k - 1 : k + 2] - t[k], w[k - 1 : k + 2], 2)
    return float(c - b**2 / (4 * a)), float(t[k] - b / (2 * a))


@case("spin-up")
def compute() -> list[Check]:
    """largest tip deflection of a beam spun up to 4 rad/s; the linear floating-frame beam must diverge"""
    checks = []
    note = "theory note's table, independent implementation"
    for row in reference.CMS_ROWS:
        solution = fm.simulate(
            build(elements=row.elements, modes=row.modes, axial=row.axial), reference.T_END, step=STEP, progress=False
        )
        w, when = largest(solution.t, deflection(solution))
        label = f"CMS {row.axial}, {row.elements} el., {row.modes} modes"
        checks.append(Check(f"{label}: deflection [m]", w, row.deflection, 0.0005, note))
        if row.time is not None:
            checks.append(Check(f"{label}: when [s]", when, row.time, 0.03, note))
        if row.axial == "second_order" and row.elements == 1:
            bound = 0.001 * abs(reference.REFERENCE_DEFLECTION)
            source = "ANCF cable of 16 elements (Exudyn), 0.1 %"
            checks.append(Check(f"{label}: against reference [m]", w, reference.REFERENCE_DEFLECTION, bound, source))
            late = deflection(solution)[solution.t > reference.DURATION]
            if row.modes == 2:
                amplitude = 0.5 * float(np.ptp(late))
                checks.append(Check("amplitude after 15 s [m]", amplitude, 0.0083, 0.00005, "same, 8 elements"))
    errors = []
    for elements in (4, 8, 16):
        solution = fm.simulate(build("ancf", elements), reference.T_END, step=STEP, progress=False)
        w, _ = largest(solution.t, deflection(solution))
        bound = {4: 0.007, 8: 0.001, 16: 0.0005}[elements] * abs(reference.REFERENCE_DEFLECTION)
        source = "ANCF cable of 16 elements (Exudyn)"
        checks.append(Check(f"ANCF, {elements} elements [m]", w, reference.REFERENCE_DEFLECTION, bound, source))
        errors.append(abs(w - reference.REFERENCE_DEFLECTION))
    # each doubling of the elements divides the error by four at least, down to the reference's last digit
    checks.append(Check("ANCF, error of 8 over error of 4 [–]", errors[1] / errors[0], 0.0, 0.25, "convergence"))
    with warnings.catch_warnings():  # it says that it bends too far for its theory
        warnings.simplefilter("ignore", AccuracyWarning)
        solution = fm.simulate(build("floating", modes=2), 12.0, step=STEP, progress=False)
    w = np.abs(deflection(solution))
    checks.append(
        Check("floating frame: 1 if it is off by more than a length at 12 s", float(w[-1] > reference.LENGTH), 1.0, 0.0,
              "fig. 3: it diverges")
    )  # fmt: skip
    return checks
