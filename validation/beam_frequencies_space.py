"""Natural frequencies of beams in space: both planes, torsion, stretching, bodies at the end, shafts that turn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import beam_with_mass, clamped_beam, shafts, strip, torsion_bending
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.registry import Check, case

LENGTH, EA, EIy, EIz, GJ, RHO_A, RHO_IP = 1.5, 2e3, 1.3, 2.0, 0.7, 0.5, 0.05
PROPERTIES = fm.spatial.BeamProperties(EA=EA, EIy=EIy, EIz=EIz, GJ=GJ, rhoA=RHO_A, rhoIp=RHO_IP)
#: a shaft of steel; Rayleigh's beam
SHAFT, RADIUS, STEEL, YOUNG = 2.0, 0.05, 7850.0, 2.1e11
SPIN = 1000.0
#: its length, EI, ρA and ρI
_AREA = np.pi * RADIUS**2
SHAFT_GIVEN = (SHAFT, YOUNG * 0.25 * _AREA * RADIUS**2, STEEL * _AREA, STEEL * 0.25 * _AREA * RADIUS**2)


def cantilever(properties: Any = PROPERTIES, length: float = LENGTH, **options: Any) -> fm.SpatialModel:
    """A beam along x, clamped at its start."""
    model = fm.SpatialModel("clamped beam")
    model.add_beam("beam", model.ground, (length, 0.0, 0.0), properties=properties, theory="cms", **options)
    return model


def rates(about: Any, count: int) -> np.ndarray:
    """The lowest circular frequencies (count,) [rad/s] about rest."""
    return 2.0 * np.pi * np.asarray(fm.modes(about, count).frequencies)


def pick(found: np.ndarray, wanted: Any) -> np.ndarray:
    """Of the numbers that were found those nearest to the ones that are wanted, each at most once."""
    left = list(found)
    return np.array([left.pop(int(np.argmin(np.abs(np.array(left) - x)))) for x in wanted])


@case("beam-frequencies-space", draw=lambda: shaft())
def compute() -> Iterator[Check]:
    """frequencies of beams in space: two planes, torsion, stretching, a body at the end, a turning shaft"""
    for modes in range(4):
        model = cantilever(elements=1, modes=modes, torsion_modes=modes, axial_modes=modes)
        found = rates(model, fm.System(model).n)
        known = {}
        for what, EI in (("along y", EIz), ("along z", EIy)):  # the element leaves the stretching of bending out
            planar = CmsCantilever(1, modes, length=LENGTH, EA=EA, EI=EI, rhoA=RHO_A).frequencies()
            known[what] = (planar, "planar element by other coordinates")
        powers, sines = "matrices of powers of η, by hand", "matrices of η and sin kπη, by hand"
        known["of torsion"] = (shafts.bar_by_powers(1 + modes, LENGTH, GJ, RHO_IP), powers)
        known["of stretching"] = (shafts.bar_by_ritz(modes, LENGTH, EA, RHO_A), sines)
        picked = iter(pick(found, np.concatenate([wanted for wanted, _ in known.values()])))
        for what, (wanted, source) in known.items():
            for k, value in enumerate(wanted, 1):
                about = f"1 element, {modes} modes of each kind: frequency {k} {what} [rad/s]"
                yield Check(about, float(next(picked)), float(value), 1e-8 * value, source, "round-off")
    yield from _converged()
    yield from _shaft()


def _converged() -> Iterator[Check]:
    """Eight elements, alone and with a body on the end."""
    mass, roll, pitch, yaw = 0.4, 0.03, 0.01, 0.02
    for label, body in (("alone", False), ("with a body on its end", True)):
        model = cantilever(elements=8, modes=2, torsion_modes=2, axial_modes=2)
        if body:
            end: Any = model.components["beam"].end  # type: ignore[attr-defined]
            model.add_body("body", mass=mass, inertia=(roll, pitch, yaw), frame=end)
        heavy = mass * body
        known = {
            "along y": beam_with_mass.frequencies(3, LENGTH, EIz, RHO_A, heavy, yaw * body, LENGTH),
            "along z": beam_with_mass.frequencies(3, LENGTH, EIy, RHO_A, heavy, pitch * body, LENGTH),
            "of torsion": shafts.bar(2, LENGTH, GJ, RHO_IP, roll * body),
            "of stretching": shafts.bar(1, LENGTH, EA, RHO_A, heavy),
        }
        if not body:
            known["along y"] = clamped_beam.frequencies(3, LENGTH, EIz, RHO_A)
            known["along z"] = clamped_beam.frequencies(3, LENGTH, EIy, RHO_A)
        picked = iter(pick(rates(model, 30), np.concatenate(list(known.values()))))
        for what, wanted in known.items():
            for k, value in enumerate(wanted, 1):
                about = f"8 elements, 2 modes of each kind, {label}: frequency {k} {what} [rad/s]"
                source, why, allowed = "characteristic equation", "left by the elements", 5e-6
                if what == "of stretching":  # linear elements have (z/n)²/24, and one sine leaves 1.5 % of it
                    allowed = 0.0155 * (value * LENGTH / 8) ** 2 * RHO_A / EA / 24.0
                    why = "left by linear ones and sines"
                yield Check(about, float(next(picked)), float(value), allowed * value, source, why)


def shaft() -> fm.SpatialModel:
    """A round shaft along x that two bearings hold, the second one free along it."""
    model = fm.SpatialModel("shaft")
    material, section = fm.Material(STEEL, YOUNG), fm.Circle(radius=RADIUS)
    given = replace(fm.spatial.BeamProperties.of(material, section), GAy=math.inf, GAz=math.inf)
    beam = model.add_beam("shaft", (0, 0, 0), (SHAFT, 0, 0), properties=given, elements=4, modes=3)
    model.spherical(model.ground, beam.start, name="bearing")
    model.point_on_line(model.ground.attach("seat", (SHAFT, 0, 0)), beam.end, axis="x", name="free bearing")
    return model


def whirling(spin: float, count: int = 2) -> list[tuple[float, float]]:
    """Circular frequencies [rad/s] of the first pairs of whirling motions, forward and backward, in axes that are fixed
    in space. In axes that turn along, in which they are computed, they are shifted by the spin; the closed form tells
    which is which."""
    about = fm.equilibrium(shaft(), spin=spin, axis="x") if spin else shaft()
    found = np.abs(fm.complex_modes(about, 24).eigenvalues.imag)
    pairs = []
    for n in range(1, count + 1):
        shifted = np.array(shafts.rayleigh(n, *SHAFT_GIVEN, spin)) - spin
        forward, backward = (float(x * np.sign(y)) for x, y in zip(pick(found, np.abs(shifted)), shifted))
        pairs.append((abs(forward + spin), abs(backward + spin)))
    return pairs


def _shaft() -> Iterator[Check]:
    """Rayleigh's shaft at rest and turning, and the speeds at which it turns as fast as it whirls."""
    closed, why = "closed form (Rayleigh 1877)", "left by 4 elements: shapes of Euler's beam"
    kinds = "forward", "backward"
    for spin in (0.0, SPIN):
        for n, pair in enumerate(whirling(spin), 1):
            for what, value, wanted in zip(kinds, pair, np.abs(shafts.rayleigh(n, *SHAFT_GIVEN, spin))):
                name = f"shaft at {spin:g} rad/s, half wave {n}, {what} [rad/s]"
                yield Check(name, value, float(wanted), 1e-5 * float(wanted), closed, why)
    for n, at_rest in enumerate(whirling(0.0), 1):
        spins = np.array([0.99, 1.01]) * at_rest[0]
        pairs = [whirling(float(spin))[n - 1] for spin in spins]
        for k, (what, wanted) in enumerate(zip(kinds, shafts.critical_speeds(n, *SHAFT_GIVEN))):
            below, above = (pair[k] - spin for pair, spin in zip(pairs, spins))
            value = float(spins[0] + below / (below - above) * (spins[1] - spins[0]))
            name = f"shaft, half wave {n}: critical speed of {what} whirling [rad/s]"
            yield Check(name, value, wanted, 1e-5 * wanted, "closed form, ω = ±Ω", f"{why}; by a straight line")


#: the cantilever with a body beside its axis
ECCENTRIC = torsion_bending.EccentricBody(1.0, 1.0, 0.3, 1.0, 0.01, 0.5, 0.2, 0.03, 0.02)
#: a strip, stiff in its plane, under parts of the force at which it buckles
STRIP, PARTS = 1e-3, (0.0, 0.5, 0.9, 0.99)


def with_body_beside(elements: int, modes: int) -> fm.SpatialModel:
    """A cantilever that carries a body beside its axis."""
    e = ECCENTRIC
    properties = fm.spatial.BeamProperties(EA=1e6, EIy=e.EIy, EIz=1e4, GJ=e.GJ, rhoA=e.rhoA, rhoIp=e.rhoIp)
    model = cantilever(properties, e.length, elements=elements, modes=modes, torsion_modes=modes)
    end: Any = model.components["beam"].end  # type: ignore[attr-defined]
    place = end.attach("beside", (0.0, e.offset, 0.0))
    model.add_body("body", mass=e.mass, inertia=(e.roll, e.pitch, 0.05), frame=place)
    return model


@case("torsion-bending-modes", draw=lambda: with_body_beside(1, 2))
def compute_coupled() -> Iterator[Check]:
    """torsion and bending together: a body beside the axis, and a strip under a force until it buckles"""
    exact = ECCENTRIC.frequencies(5, 40.0)
    for elements, modes, allowed in ((1, 2, 1e-2), (8, 2, 1e-6)):
        model = with_body_beside(elements, modes)
        for k, (found, wanted) in enumerate(zip(pick(rates(model, 12), exact), exact), 1):
            about = f"body beside the axis, {elements} el., {modes} modes: frequency {k} [rad/s]"
            yield Check(about, found, wanted, allowed * wanted, "determinant", "left by the elements")
    given = fm.spatial.BeamProperties(EA=1e8, EIy=STRIP, EIz=1e3, GJ=STRIP, rhoA=1.0, rhoIp=1e-3)
    for part in PARTS:
        force = part * strip.tip_load() * STRIP
        model = cantilever(given, 1.0, elements=8, modes=1, torsion_modes=1)
        end: Any = model.components["beam"].end  # type: ignore[attr-defined]
        model.point_force(end, (0.0, -force, 0.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
            rest = fm.equilibrium(model)
        exact = strip.Strip(1.0, STRIP, STRIP, 1.0, 1e-3, force).omega_squared(4)
        found = (2.0 * np.pi * np.asarray(fm.modes(rest, 4).frequencies)) ** 2
        for k, (value, wanted) in enumerate(zip(found, exact), 1):
            about = f"strip under {part:g} of its buckling force: ω² {k} [1/s²]"
            scale = strip.Strip(1.0, STRIP, STRIP, 1.0, 1e-3).omega_squared(1)[0] if k == 1 else wanted
            source = "polynomials, Michell's equations"
            yield Check(about, float(value), float(wanted), 5e-4 * float(scale), source, "left by 8 elements")
