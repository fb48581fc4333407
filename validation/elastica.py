"""Large bending of a cantilever: elliptic integrals, and circles."""

from __future__ import annotations

import warnings

import numpy as np

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.validation.references import elastica as reference
from flexmb.validation.registry import Check, case

#: a cantilever of 1 m that hardly stretches: PL²/EA is 1e-7 of its length at the largest force
PROPERTIES = fm.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0, rhoI=1e-6)
#: elements, doubled twice, the order that their theory has, and how near the finest ones are to come [m]
ELEMENTS = {
    "ancf": ((32, 64, 128), 4.0, 1e-6),
    "cms": ((4, 8, 16), 4.0, 1e-5),
    "exact": ((16, 32, 64), 2.0, 1e-4),
}
#: elements with which each theory rolls up
ROLLED = {"ancf": 128, "cms": 4, "exact": 8}


def build(theory: str, elements: int) -> tuple[fm.PlanarModel, fm.Frame]:
    """The cantilever and its end."""
    model = fm.PlanarModel("elastica")
    beam = model.add_beam("beam", model.ground, (1.0, 0.0), properties=PROPERTIES, theory=theory, elements=elements)
    return model, beam.end


def tip_error(theory: str, elements: int, slope: float) -> float:
    """Distance [m] of the end from where the elliptic integrals have it, for the force that belongs to a slope."""
    model, end = build(theory, elements)
    model.point_force(end, (0.0, reference.force(slope)))
    rest = fm.equilibrium(model)
    return float(np.hypot(*(np.array([rest["beam.end.x"], rest["beam.end.y"]]) - reference.tip(slope))))


@case("elastica")
def compute() -> list[Check]:
    """a cantilever under an end force to 85° of slope, and rolled into one and two circles by an end moment"""
    checks = []
    source = "elliptic integrals (Bisshopp and Drucker 1945)"
    for theory, (elements, order, near) in ELEMENTS.items():
        for degrees in (30.0, 60.0, 85.0):
            errors = [tip_error(theory, n, np.radians(degrees)) for n in elements]
            name = f"{theory}, {elements[-1]} elements, {degrees:g}°"
            checks.append(Check(f"{name}: distance of the end from its place [m]", errors[-1], 0.0, near, source))
        observed = float(np.log2(errors[0] / errors[1]))
        about = f"{theory}: order of convergence at 85°, {elements[0]} to {elements[1]} elements"
        checks.append(Check(about, observed, order, 0.6, "theory of the element"))
    for theory, count in ROLLED.items():
        for turns in (1, 2):
            model, end = build(theory, count)
            model.point_torque(end, 2.0 * np.pi * turns)
            path = fm.load_path(model, steps=10, stability=False)
            x, y = path["beam.end.x"][-1], path["beam.end.y"][-1]
            name = f"{theory}, {count} elements, {turns} full circle{'s' * (turns > 1)}"
            checks.append(
                Check(f"{name}: distance between its ends [m]", float(np.hypot(x, y)), 0.0, 1e-6, "a circle is closed")
            )
            angle = float(path["beam.end.angle"][-1])
            checks.append(Check(f"{name}: angle of the end [rad]", angle, 2.0 * np.pi * turns, 1e-5, "M L/EI"))
    return checks


#: end slopes [rad] of a cantilever under a force across its end, and by how much one, two CMS elements put its end off,
#: in percent of its length; the same for a column that a force along it has buckled: the docstring of CmsBeam has them
ACROSS = {0.25: (0.018, 0.0015), 0.5: (0.14, 0.012), 0.8: (0.5, 0.05), 1.0: (0.9, 0.11), 1.2: (1.4, 0.21)}
BUCKLED = {0.8: (1.6, 0.01), 1.0: (2.2, 0.015), 1.3: (3.2, 0.04), 1.6: (4.6, 0.1), 1.9: (6.4, 0.22)}


def buckled_error(elements: int, slope: float) -> float:
    """Distance [m] of the end of a buckled column from where the elliptic integrals have it."""
    model, end = build("cms", elements)
    m = float(np.sin(0.5 * slope) ** 2)
    model.point_force(end, (-reference.buckled_load(m), 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        rest = fm.equilibrium(model)
    x, y = reference.buckled_tip(m)
    return float(np.hypot(rest["beam.end.x"] - x, abs(rest["beam.end.y"]) - y))


@case("bending-range")
def compute_range() -> list[Check]:
    """how far one and two CMS elements may bend: the error of the end, in percent of the length"""
    checks = []
    source = "elliptic integrals; the bounds are those of the element's documentation"
    for what, table in (("force across", ACROSS), ("buckled", BUCKLED)):
        for slope, bounds in table.items():
            for elements, bound in zip((1, 2), bounds):
                error = tip_error("cms", elements, slope) if what == "force across" else buckled_error(elements, slope)
                name = f"{elements} element{'s' * (elements > 1)}, {what}, {slope:g} rad: the end is off by [%]"
                checks.append(Check(name, 100.0 * error, 0.0, bound, source))
    return checks
