"""Large bending of a cantilever: elliptic integrals, and circles."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references import elastica as reference
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.registry import Check, Errors, Record, case

#: a cantilever of 1 m that hardly stretches: PL²/EA is 1e-7 of its length at the largest force
PROPERTIES = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0, rhoI=1e-6)
ANGLES = (30.0, 60.0, 85.0)
#: of each theory: the smallest number of elements, which is doubled twice; the order of convergence and its tolerance
#: with these numbers; and the largest error of the finest ones at each angle [m]
ELEMENTS = {
    "ancf": ((32, 64, 128), 4.0, 0.6, (1e-8, 5e-8, 4e-7)),
    "cms": ((4, 8, 16), 4.0, 0.15, (4e-8, 4e-7, 4e-6)),
    "exact": ((16, 32, 64), 2.0, 0.03, (5e-6, 2e-5, 4e-5)),
}
#: the number of elements with which each theory rolls up into circles
ROLLED = {"ancf": 128, "cms": 4, "exact": 8}


def build(theory: str, elements: int) -> tuple[fm.PlanarModel, fm.planar.Frame]:
    """The cantilever and its end."""
    model = fm.PlanarModel("elastica")
    beam = model.add_beam("beam", model.ground, (1.0, 0.0), properties=PROPERTIES, theory=theory, elements=elements)
    return model, beam.end


def tip_error(theory: str, elements: int, slope: float) -> float:
    """Distance [m] of the end from its place by elliptic integrals, under the force that belongs to a slope [rad]."""
    model, end = build(theory, elements)
    model.point_force(end, (0.0, reference.force(slope)))
    return float(np.hypot(*(end_at_rest(model) - reference.tip(slope))))


def at_rest(model: fm.PlanarModel) -> fm.Equilibrium:
    """The equilibrium, however far the beam bends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium(model)


def end_at_rest(model: fm.PlanarModel) -> np.ndarray:
    """The place (2,) [m] of the end in equilibrium."""
    rest = at_rest(model)
    return np.array([rest["beam.end.x"], rest["beam.end.y"]])


def bent() -> fm.Equilibrium:
    """The cantilever under a force that bends it to a slope of 85° at its end."""
    model, end = build("cms", 16)
    model.point_force(end, (0.0, reference.force(np.radians(ANGLES[-1]))))
    return at_rest(model)


@case("elastica", draw=bent)
def compute() -> Iterator[Record]:
    """a cantilever under an end force to 85° of slope, and rolled into one and two circles by an end moment"""
    source = "elliptic integrals, Bisshopp and Drucker (1945)"
    for theory, (elements, order, asymptotic, near) in ELEMENTS.items():
        why = "the elements' own, 0 at the order below; the rod stretches by 1e-7"
        for degrees, allowed in zip(ANGLES, near):
            errors = [tip_error(theory, n, np.radians(degrees)) for n in elements]
            name = f"{theory}, {elements[-1]} elements, {degrees:g}°"
            yield Check(f"{name}: distance of the end from its place [m]", errors[-1], 0.0, allowed, source, why)
        about = f"{theory}: place of the end at {ANGLES[-1]:g}° [m]"
        yield Errors(about, "elements", elements, errors, -order)
        observed = float(np.log2(errors[0] / errors[1]))
        about = f"{theory}: order of convergence at 85°, {elements[0]} to {elements[1]} elements"
        yield Check(about, observed, order, asymptotic, "theory of the element", "terms of higher order")
    for theory, count in ROLLED.items():
        for turns in (1, 2):
            if theory == "ancf":  # Hermite's cubics are no circles: an error of fourth order in the angle
                off, angle_off, why = (4e-8, 2e-7, "fourth order") if turns == 1 else (6e-7, 7e-6, "fourth order")
            else:
                off, angle_off, why = 1e-9, 1e-9, "exact under a moment: Newton's tolerance"
            model, end = build(theory, count)
            model.point_torque(end, 2.0 * np.pi * turns)
            with warnings.catch_warnings():  # the warning of large bending is wrong under a pure moment
                warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
                path = fm.equilibrium_path(model, steps=10, stability=False)
            x, y = path["beam.end.x"][-1], path["beam.end.y"][-1]
            name = f"{theory}, {count} elements, {turns} full circle{'s' * (turns > 1)}"
            what = f"{name}: distance between its ends [m]"
            yield Check(what, float(np.hypot(x, y)), 0.0, off, "a circle is closed", why)
            angle = float(path["beam.end.angle"][-1])
            yield Check(f"{name}: angle of the end [rad]", angle, 2.0 * np.pi * turns, angle_off, "M L/EI", why)


#: end slopes [rad] of a cantilever under a force across its end, and the errors of its end with one and two CMS
#: elements, in percent of the length; the same for a buckled column. The docstring of CmsBeam quotes these numbers
ACROSS = {0.25: (0.018, 0.0015), 0.5: (0.14, 0.012), 0.8: (0.5, 0.05), 1.0: (0.9, 0.11), 1.2: (1.4, 0.21)}
BUCKLED = {0.8: (1.6, 0.01), 1.0: (2.2, 0.015), 1.3: (3.2, 0.04), 1.6: (4.6, 0.1), 1.9: (6.4, 0.22)}


def buckled(elements: int, slope: float) -> fm.PlanarModel:
    """A column under the force under which its end leans by a slope [rad] after buckling."""
    model, end = build("cms", elements)
    model.point_force(end, (-reference.buckled_load(float(np.sin(0.5 * slope) ** 2)), 0.0))
    return model


def buckled_error(elements: int, slope: float) -> float:
    """Distance [m] of the end of a buckled column from its place by elliptic integrals."""
    m = float(np.sin(0.5 * slope) ** 2)
    (x, y), (end_x, end_y) = reference.buckled_tip(m), end_at_rest(buckled(elements, slope))
    return float(np.hypot(end_x - x, abs(end_y) - y))


def apart_error(elements: int, slope: float, buckled: bool) -> float:
    """The same distance for one or two elements by other coordinates."""
    beam = CmsCantilever(elements, modes=2, EA=PROPERTIES.EA)
    q: np.ndarray = np.zeros((elements, beam.size // elements))
    if buckled:
        m = float(np.sin(0.5 * slope) ** 2)
        q[:, 1], q[:, 2] = -0.3 * slope, 0.3 * slope  # a guess on the branch
        q = beam.at_rest(np.array([-reference.buckled_load(m), 0.0]), q.ravel())
        exact = reference.buckled_tip(m)
    else:
        q = q.ravel()
        for part in (0.25, 0.5, 0.75, 1.0):
            q = beam.at_rest(np.array([0.0, part * reference.force(slope)]), q)
        exact = reference.tip(slope)
    x, y, _ = beam.place(q[None, :])[1][0]
    return float(np.hypot(x - exact[0], abs(y) - exact[1]))


@case("bending-range", draw=lambda: at_rest(buckled(2, 1.6)))
def compute_range() -> Iterator[Check]:
    """how far one and two CMS elements may bend: how far the end is off elliptic integrals, in percent of the length"""
    for what, table in (("force across", ACROSS), ("buckled", BUCKLED)):
        for slope, bounds in table.items():
            for elements, bound in zip((1, 2), bounds):
                error = tip_error("cms", elements, slope) if what == "force across" else buckled_error(elements, slope)
                wanted = apart_error(elements, slope, what == "buckled")
                name = f"{elements} element{'s' * (elements > 1)}, {what}, {slope:g} rad: the end is off by [%]"
                source, why = "the same elements by other coordinates", "Newton's tolerance, twice"
                yield Check(name, 100.0 * error, 100.0 * wanted, 1e-7, source, why)
                name = name.replace("the end is off by", "and that is at most")
                source, why = "documentation of CmsBeam", "as it is printed there"
                yield Check(name, 100.0 * error, 0.0, bound, source, why)
