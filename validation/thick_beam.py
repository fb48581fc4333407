"""Beams of any thickness on two supports: shear and rotary inertia, and what beams without them say."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.thick_beam import deflection, frequencies
from flexmb.validation.registry import Check, Errors, Record, case

#: a square steel bar five times as long as it is high; it bends in one plane, and all else is a thousand times as stiff
LENGTH, SLENDERNESS, STIFF = 1.0, 5.0, 1e3
STEEL = fm.Material(density=7850.0, youngs_modulus=210e9, poissons_ratio=0.3)
#: a small force [N], numbers of exact elements, frequencies, modes of one CMS element, and lengths in heights
FORCE, ELEMENTS, COUNT, MODES, ALL = 100.0, (16, 32, 64), 3, 8, (2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)


def stiffness(slenderness: float) -> tuple[float, float, float, float]:
    """EI [N m²], GA [N], ρA [kg/m] and ρI [kg m] of the bar with that length in heights."""
    section = fm.Rectangle(width=LENGTH / slenderness, height=LENGTH / slenderness)
    GA = STEEL.shear_modulus * section.area * section.shear_coefficient
    EI, rho = STEEL.youngs_modulus * section.second_moment, STEEL.density
    return EI, GA, rho * section.area, rho * section.second_moment


def beam(
    theory: str = "exact", elements: int = ELEMENTS[0], slenderness: float = SLENDERNESS, **options: Any
) -> fm.PlanarModel:
    """The beam in the plane: hinged at its start, its end slides along x."""
    model = fm.PlanarModel("thick beam")
    EI, GA, rhoA, rhoI = stiffness(slenderness)
    given = fm.planar.BeamProperties(STIFF * GA, EI, rhoA, rhoI, GA)
    bar = model.add_beam("bar", (0, 0), (LENGTH, 0), properties=given, theory=theory, elements=elements, **options)
    model.revolute(model.ground, bar.start, name="hinge")
    model.pin_in_slot(model.ground.attach("seat", (LENGTH, 0)), bar.end, axis=0.0, name="support")
    return model


def beam_in_space(slenderness: float = SLENDERNESS, **options: Any) -> fm.SpatialModel:
    """The beam in space, of one CMS element, hinged at its start, its end on the x-axis; it is stiff across and against
    torsion, so that shear makes its shapes differ in both planes."""
    model = fm.SpatialModel("thick beam")
    EI, GA, rhoA, rhoI = stiffness(slenderness)
    given = fm.spatial.BeamProperties(
        STIFF * GA, STIFF * EI, EI, STIFF * EI, rhoA, rhoI, rhoI, GAy=GA, GAz=STIFF**2 * GA
    )
    bar = model.add_beam("bar", (0, 0, 0), (LENGTH, 0, 0), properties=given, modes=MODES, y_axis="y", **options)
    model.revolute(model.ground, bar.start, axis="z", name="hinge")
    model.point_on_line(model.ground.attach("seat", (LENGTH, 0, 0)), bar.end, axis="x", name="support")
    return model


def omegas(model: fm.PlanarModel | fm.SpatialModel, count: int = COUNT) -> np.ndarray:
    """Its first frequencies [rad/s], all of bending."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # that a beam has no shear is what the case shows
        return np.asarray(fm.modes(fm.equilibrium(model), count).omegas)


@case("thick-beam", draw=beam)
def compute() -> Iterator[Record]:
    """frequencies and deflections of beams two to a hundred times as long as high: exact and CMS elements with shear
    against Timoshenko's beam, and by how much beams without shear are too high"""
    given = stiffness(SLENDERNESS)
    exact = frequencies(COUNT, LENGTH, *given)
    found = np.array([omegas(beam(elements=n)) for n in ELEMENTS])
    off = found / exact - 1.0
    source = "closed form of the simply supported beam of Timoshenko (1921)"
    for k in range(COUNT):
        label = f"exact, {ELEMENTS[-1]} el.: ω{k + 1} [rad/s]"
        why = "elements of order 2: (kπ/n)²/12 of the frequency for n elements"
        allowed = exact[k] * ((k + 1) * math.pi / ELEMENTS[-1]) ** 2 / 12.0
        yield Check(label, float(found[-1, k]), float(exact[k]), float(allowed), source, why)
        order = float(np.log2(off[-2, k] / off[-1, k]))
        yield Check(f"exact: order of ω{k + 1}", order, 2.0, 0.05, "order of elements with linear shapes", "finite n")
        yield Errors(f"exact: ω{k + 1}, relative error", "elements", ELEMENTS, np.abs(off[:, k]).tolist(), -2.0)
    why = "elements are exact under forces at their nodes; the square of the deflection is left"
    for theory, elements, name in (("exact", ELEMENTS[0], f"exact, {ELEMENTS[0]} el."), ("cms", 2, "cms, 2 el.")):
        pressed = beam(theory, elements)
        bar: Any = pressed.components["bar"]
        pressed.point_force(bar.at(0.5), (0.0, -FORCE), name="force")
        sag = -1e6 * float(fm.equilibrium(pressed)["bar@0.5"].position[1])
        wanted = 1e6 * deflection(FORCE, LENGTH, *given[:2])
        yield Check(f"{name}: deflection halfway [µm]", sag, wanted, 1e-8 * wanted, "closed form", why)
    yield from _of_one_element()
    yield from _of_all_lengths()
    source, why = "closed forms without and with shear", "eight modes of an element"
    EI, _, rhoA, rhoI = given
    for label, model, inertia in (
        ("the plane", beam("cms", 1, modes=MODES, shear=False), 0.0),
        ("space", beam_in_space(shear=False), rhoI),
    ):
        without = frequencies(COUNT, LENGTH, EI, math.inf, rhoA, inertia)
        for k, omega in enumerate(omegas(model)):
            high, wanted = (100.0 * float(value / exact[k] - 1.0) for value in (omega, without[k]))
            yield Check(f"cms in {label}, shear=False: ω{k + 1} too high by [%]", high, wanted, 0.005, source, why)


def _of_one_element() -> Iterator[Record]:
    """One CMS element at five heights, and its error with the number of elements."""
    exact = frequencies(COUNT, LENGTH, *stiffness(SLENDERNESS))
    source = "closed form of the simply supported beam of Timoshenko (1921)"
    why = "in the moment that bends between the nodes an element leaves out the inertia of turning sections"
    for label, model in (("the plane", beam("cms", 1, modes=MODES)), ("space", beam_in_space())):
        for k, (omega, allowed) in enumerate(zip(omegas(model), (5e-5, 1e-3, 3e-3))):
            limit = allowed * float(exact[k])
            yield Check(f"cms in {label}: ω{k + 1} [rad/s]", float(omega), float(exact[k]), limit, source, why)
    counts = (4, 8, 16)
    off = [float(omegas(beam("cms", n), 1)[0] / exact[0] - 1.0) for n in counts]
    order = math.log2(off[-2] / off[-1])
    yield Check("cms: order of ω1", order, 2.0, 0.05, "order of what the condensation of shear leaves out", "finite n")
    yield Errors("cms: ω1, relative error", "elements", counts, off, -2.0)


def _of_all_lengths() -> Iterator[Record]:
    """One CMS element with two modes, as by default, for all lengths in heights."""
    source, why = "closed form of the simply supported beam of Timoshenko (1921)", "two modes of one element"
    for what, allowed in ((0, 1e-3), (1, 7e-3)):
        off = []
        for slenderness in ALL:
            wanted = frequencies(COUNT, LENGTH, *stiffness(slenderness))[what]
            off.append(float(omegas(beam("cms", 1, slenderness), 2)[what] / wanted - 1.0))
        label = f"cms, L/h of 2 to 100: largest error of ω{what + 1} [%]"
        yield Check(label, 100.0 * max(np.abs(off)), 0.0, 100.0 * allowed, source, why)
