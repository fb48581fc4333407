"""A thick beam on two supports: shear and rotary inertia, and what beams without them say."""

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
LENGTH, HEIGHT, STIFF = 1.0, 0.2, 1e3
STEEL = fm.Material(density=7850.0, youngs_modulus=210e9, poissons_ratio=0.3)
SECTION = fm.Rectangle(width=HEIGHT, height=HEIGHT)
EI, GA = STEEL.youngs_modulus * SECTION.second_moment, STEEL.shear_modulus * SECTION.area * SECTION.shear_coefficient
EA, RHO_A, RHO_I = STIFF * GA, STEEL.density * SECTION.area, STEEL.density * SECTION.second_moment
#: a small force [N], numbers of exact elements, frequencies, and modes of one CMS element
FORCE, ELEMENTS, COUNT, MODES = 100.0, (16, 32, 64), 3, 8


def beam(theory: str = "exact", elements: int = ELEMENTS[0], **options: Any) -> fm.PlanarModel:
    """The beam in the plane: hinged at its start, its end slides along x."""
    model = fm.PlanarModel("thick beam")
    given = fm.planar.BeamProperties(EA, EI, RHO_A, RHO_I, GA)
    bar = model.add_beam("bar", (0, 0), (LENGTH, 0), properties=given, theory=theory, elements=elements, **options)
    model.revolute(model.ground, bar.start, name="hinge")
    model.pin_in_slot(model.ground.attach("seat", (LENGTH, 0)), bar.end, axis=0.0, name="support")
    return model


def beam_in_space() -> fm.SpatialModel:
    """The beam in space, of one CMS element, hinged at its start, its end on the x-axis."""
    model = fm.SpatialModel("thick beam")
    given = fm.spatial.BeamProperties(EA, STIFF * EI, EI, STIFF * EI, RHO_A, RHO_I, RHO_I, GAy=GA, GAz=GA)
    bar = model.add_beam("bar", (0, 0, 0), (LENGTH, 0, 0), properties=given, modes=MODES, y_axis="y")
    model.revolute(model.ground, bar.start, axis="z", name="hinge")
    model.point_on_line(model.ground.attach("seat", (LENGTH, 0, 0)), bar.end, axis="x", name="support")
    return model


def omegas(model: fm.PlanarModel | fm.SpatialModel) -> np.ndarray:
    """Its first frequencies [rad/s], all of bending."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # that a beam has no shear is what the case shows
        return np.asarray(fm.modes(fm.equilibrium(model), COUNT).omegas)


@case("thick-beam", draw=beam)
def compute() -> Iterator[Record]:
    """frequencies of a beam five times as long as high: exact elements with shear against Timoshenko's beam, and by how
    much CMS elements without shear are too high"""
    given = LENGTH, EI, GA, RHO_A, RHO_I
    exact = frequencies(COUNT, *given)
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
    pressed = beam(elements=ELEMENTS[0])
    bar: Any = pressed.components["bar"]
    pressed.point_force(bar.at(0.5), (0.0, -FORCE), name="force")
    sag = -1e6 * float(fm.equilibrium(pressed)["bar@0.5"].position[1])
    wanted = 1e6 * deflection(FORCE, LENGTH, EI, GA)
    why = "elements are exact under forces at their nodes; the square of the deflection is left"
    yield Check(f"exact, {ELEMENTS[0]} el.: deflection halfway [µm]", sag, wanted, 1e-8 * wanted, "closed form", why)
    source, why = "closed forms without and with shear", "eight modes of an element"
    for label, model, inertia in (("plane", beam("cms", 1, modes=MODES), 0.0), ("space", beam_in_space(), RHO_I)):
        without = frequencies(COUNT, LENGTH, EI, math.inf, RHO_A, inertia)
        for k, omega in enumerate(omegas(model)):
            high, wanted = (100.0 * float(value / exact[k] - 1.0) for value in (omega, without[k]))
            yield Check(f"cms in the {label}: ω{k + 1} too high by [%]", high, wanted, 0.005, source, why)
