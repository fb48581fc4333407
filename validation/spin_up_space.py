"""Dynamic stiffening in space: a hub spins a beam up while its weight bends it out of the plane."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import clamped_beam, shafts
from flexmb.validation.references import spin_up_space as reference
from flexmb.validation.registry import Check, case

STEP = 0.005
PROPERTIES = fm.spatial.BeamProperties(
    EA=reference.EA, EIy=reference.EI, EIz=reference.EI, GJ=reference.GJ, rhoA=reference.RHO_A, rhoIp=reference.RHO_IP
)


def build(theory: str = "cms", elements: int = 1, **options: Any) -> fm.SpatialModel:
    """The blade along x, straight and at rest, and its hub, which turns about z, the direction of the weight."""
    model = fm.SpatialModel("spin-up in space", gravity=(0.0, 0.0, reference.WEIGHT))
    end = (reference.LENGTH, 0.0, 0.0)
    blade = model.add_beam("blade", (0, 0, 0), end, properties=PROPERTIES, theory=theory, elements=elements, **options)
    model.revolute(model.ground, blade.start, axis="z", name="hub")
    law = fm.SpinUp(reference.SPEED, reference.DURATION)
    model.drive_angle(model.ground, blade.start, law, axis="z", name="motor")
    return model


def deflection(solution: fm.Solution) -> np.ndarray:
    """Lag and flap of the end (k, 2) [m], in the axes of the hub."""
    return np.asarray(solution.relative("blade.end", to="blade.start").position[:, 1:])


def numbers(t_end: float = reference.T_END, **options: Any) -> np.ndarray:
    """The numbers of :class:`~flexmb.validation.references.spin_up_space.Result`, by Radau's method, since bending
    modes that the sudden weight excites are felt until the end."""
    times = np.linspace(0.0, t_end, round(50 * t_end) + 1)
    run = fm.simulate(build(**options), t_end, "radau", tolerance=1e-6, times=times, progress=False)
    return reference.result(run.t, *deflection(run).T).numbers


@case("spin-up-space", draw=build)
def compute() -> Iterator[Check]:
    """lag and flap of a blade that a hub spins up under its weight: CMS, cable, rods agree; the linear beam leaves"""
    exact, cable = reference.EXACT.numbers, reference.CABLE[16].numbers
    fine = "exact rod by polynomials"
    peer = "Exudyn ANCF cable, 16 elements"
    apart = "one CMS element by automatic differentiation and Radau's method"
    for modes, known in reference.CMS.items():
        found = numbers(modes=modes, torsion_modes=0)
        label = f"CMS, 1 element, {modes} mode{'s' * (modes > 1)} a plane"
        for what, k in (("largest lag", 0), ("deepest flap", 2)):
            why = "0.1 %: left by one element"
            yield Check(f"{label}: {what} [m]", found[k], exact[k], 1e-3 * abs(exact[k]), fine, why)
            yield Check(f"{label}: {what} again [m]", found[k], cable[k], 1e-3 * abs(cable[k]), peer, why)
        for what, k, allowed in (("largest lag", 1, 0.02), ("deepest flap", 3, 0.005)):
            why = "flat at its largest: 1e-4 of it in this time"
            yield Check(f"{label}: when {what} [s]", found[k], exact[k], allowed, fine, why)
        for k, value in enumerate(known.numbers[4:], 4):
            when, what = 5 * (k // 2 - 1), ("lag", "flap")[k % 2]
            why = "printed digits; curvatures there are of second order, here exact"
            yield Check(f"{label}: {what} at {when} s [m]", found[k], value, 3e-4, apart, why)
    found = numbers(8.0, elements=2, modes=2, torsion_modes=0)
    for what, k in (("largest lag", 0), ("deepest flap", 2)):
        about = f"CMS, 2 elements, 2 modes a plane: {what} [m]"
        yield Check(about, found[k], exact[k], 1e-4, fine, "left by two elements")
    for elements, part in ((2, 2.5e-3), (4, 5e-4)):
        found = numbers(8.0, theory="exact", elements=elements)
        for what, k in (("largest lag", 0), ("deepest flap", 2)):
            about, why = f"exact, {elements} elements: {what} [m]", f"left by {elements} elements: of fourth order"
            yield Check(about, found[k], exact[k], part * abs(exact[k]), fine, why)
    found = numbers(8.0, theory="ancf", elements=8)
    for what, k in (("largest lag", 0), ("deepest flap", 2)):
        why = "left by 8 elements"
        yield Check(f"ANCF cable, 8 elements: {what} [m]", found[k], exact[k], 2e-4 * abs(exact[k]), fine, why)
    yield from _linear()


def _linear() -> Iterator[Check]:
    """The floating beam: right where deflections are small and nothing turns, then wrong without bounds."""
    model = fm.SpatialModel("blade at rest")
    end = (reference.LENGTH, 0.0, 0.0)
    model.add_beam("blade", model.ground, end, properties=PROPERTIES, theory="floating", modes=3, torsion_modes=1)
    omega = 2.0 * np.pi * np.asarray(fm.modes(model).frequencies)
    bending = clamped_beam.frequencies(3, reference.LENGTH, reference.EI, reference.RHO_A)
    torsion = shafts.bar(1, reference.LENGTH, reference.GJ, reference.RHO_IP)[0]
    law, why = "characteristic equation of a clamped beam", "its modes are exact: round-off"
    for k, wanted in enumerate(np.sort([*bending, *bending, torsion])):
        yield Check(f"floating frame at rest: frequency {k + 1} [rad/s]", omega[k], wanted, 1e-9 * wanted, law, why)
    with warnings.catch_warnings():  # the beam warns that it bends too far for its theory
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        linear = fm.simulate(build("floating"), 12.0, step=STEP, progress=False)
    right = fm.simulate(build(modes=2, torsion_modes=0), 12.0, step=STEP, progress=False)
    between = [np.interp(linear.t, right.t, x) for x in deflection(right).T]
    off = np.hypot(*(deflection(linear).T - between))
    apart, why = "one CMS element", "no foreshortening: it leaves at about 4 s"
    late = linear.t > 2.0  # after the first swings of the weight
    for part, low, high in ((0.05, 4.0, 5.0), (0.25, 4.5, 6.5)):
        when = float(linear.t[late][np.argmax(off[late] > part * abs(reference.EXACT.flap))])
        what = f"floating frame: off by {100 * part:g} % of the largest flap at [s]"
        yield Check(what, when, 0.5 * (low + high), 0.5 * (high - low), apart, why)
    what = "floating frame: 1 if it is off by more than a length at 12 s"
    yield Check(what, float(off[-1] > reference.LENGTH), 1.0, 0.0, "no tension stiffens it: it diverges", "yes or no")
