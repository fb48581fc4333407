"""Strips and columns that buckle out of their plane: as an eigenvalue, and as the path of an imperfect strip."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import strip
from flexmb.validation.references.rod_in_space import RodInSpace, path
from flexmb.validation.registry import Check, Errors, Record, case

#: EIy and GJ of the strip [Nm²], which is 1 m long; EIz unless another one is said
SOFT, STIFF = 1e-3, 1.0
EA = 1e7
#: elements, modes of bending a plane, of torsion, and how far the buckling load may be off, as a part of it
MESHES = ((1, 1, 1, 2.4e-2), (1, 2, 2, 4e-3), (2, 1, 1, 1.4e-3), (2, 2, 2, 4e-4), (8, 1, 1, 2e-5), (8, 2, 2, 1e-6))
#: buckling load of one element without modes by that of a rod that does not bend in its plane, of a prototype
PROTOTYPE = 1.499
#: load factors of the path of the strip with a small force across it, and the part of the load that this is
FACTORS = (2.0, 3.0, 3.6, 3.8, 4.0, 4.1, 4.2, 4.4)
ACROSS = 1e-3


def cantilever(elements: int, modes: int, torsion: int, EIz: float = STIFF, across: float = 0.0) -> fm.SpatialModel:
    """A strip of 1 m along x that is stiff in x–y, clamped at its start, with the force √(EIy GJ)/L² down on its end,
    and a part of it `across`."""
    model = fm.SpatialModel("strip")
    given = fm.spatial.BeamProperties(EA=EA, EIy=SOFT, EIz=EIz, GJ=SOFT, rhoA=1.0, rhoIp=1e-3)
    beam = model.add_beam(
        "beam", model.ground, (1.0, 0.0, 0.0), properties=given, theory="cms", elements=elements, modes=modes,
        torsion_modes=torsion,
    )  # fmt: skip
    model.point_force(beam.end, SOFT * np.array([0.0, -1.0, across]))
    return model


def first_load(model: fm.SpatialModel, to: float, loads: Any = None) -> fm.CriticalPoint:
    """The first critical point of a load path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium_path(model, loads, factor=to).critical[0]


def column(elements: int) -> fm.SpatialModel:
    """A standing column of 1 m, stiffer in one plane than in the other, with a weight of 1 N/m."""
    model = fm.SpatialModel("column", gravity=(0.0, 0.0, -1.0))
    given = fm.spatial.BeamProperties(EA=EA, EIy=1.0, EIz=3.0, GJ=1.0, rhoA=1.0, rhoIp=1e-3)
    model.add_beam("beam", model.ground, (0.0, 0.0, 1.0), properties=given, theory="cms", elements=elements)
    return model


def forks(elements: int, EIz: float) -> fm.SpatialModel:
    """A strip whose ends turn in forks, about axes z of the forks and about the strip's own y, but not about x, under
    equal and opposite torques of 1 Nm on the forks; one fork slides along x."""
    model = fm.SpatialModel("strip in forks")
    given = fm.spatial.BeamProperties(EA=EA, EIy=SOFT, EIz=EIz, GJ=SOFT, rhoA=1.0, rhoIp=1e-3)
    beam = model.add_beam(
        "beam", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), properties=given, theory="cms", elements=elements, modes=1,
        torsion_modes=1,
    )  # fmt: skip
    slide = model.add_body("slide", mass=1e-3, inertia=(1e-6,) * 3, position=(1.0, 0.0, 0.0))
    model.prismatic(model.ground, slide.frame, axis="x", name="guide")
    for side, base, end, sign in (("left", model.ground, beam.start, -1.0), ("right", slide.frame, beam.end, 1.0)):
        fork = model.add_body(f"{side} fork", mass=1e-3, inertia=(1e-6,) * 3, position=end.position)
        model.revolute(base, fork.frame, axis="z", name=f"{side} post")
        model.revolute(fork.frame, end, axis="y", name=f"{side} pin")
        model.point_torque(fork.frame, (0.0, 0.0, sign), name=f"{side} torque")
    return model


def bent() -> fm.State:
    """The imperfect strip behind its buckling load."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium_path(cantilever(4, 1, 1, across=ACROSS), factor=FACTORS[-1]).state(-1)


@case("lateral-buckling", draw=bent)
def compute() -> Iterator[Record]:
    """strips that buckle sideways under a force, a moment or weight; the path of one with a small force across it"""
    exact = RodInSpace(1.0, SOFT, SOFT, STIFF).buckling_force(np.array([0.0, 1.0, 0.0]), 3.9e-3, 4.1e-3) / SOFT
    rod, few = "exact rod, bent in its plane first, by shooting", "left by the elements"
    part = first_load(cantilever(1, 0, 0), 7.0).factor / strip.tip_load()
    source, why = "prototype by automatic differentiation", "printed digits, and curvatures of second order there"
    yield Check(f"force on the end, 1 el., no modes: load [{strip.tip_load():.4f}]", part, PROTOTYPE, 2e-3, source, why)
    loads: dict[int, dict[int, float]] = {}
    for elements, modes, torsion, allowed in MESHES:
        label = f"force on the end, {elements} el., {modes} + {torsion} modes"
        found = first_load(cantilever(elements, modes, torsion), 4.5)
        yield Check(f"{label} [√(EIy GJ)/L²]", found.factor, exact, allowed * exact, rod, few)
        loads.setdefault(modes, {})[elements] = abs(found.factor / exact - 1.0)
        is_bifurcation = float(found.kind == "bifurcation")
        yield Check(f"{label}: is a bifurcation", is_bifurcation, 1.0, 0.0, "Michell (1899)", "yes or no")
    for modes, off_by in loads.items():
        about = f"force on the end, {modes} + {modes} modes: buckling load [–]"
        yield Errors(about, "elements", list(off_by), list(off_by.values()), -4.0)
    wanted = strip.tip_load()
    about = "force on the end, 8 el., EIz/EIy = 1e+07 [√(EIy GJ)/L²]"
    off = first_load(cantilever(8, 1, 1, 1e4), 4.5).factor
    yield Check(about, off, wanted, 2e-5 * wanted, "J_{−1/4}(γ/2) = 0, Prandtl (1899)", few)
    for EIz in (STIFF, 1e-2):
        wanted = strip.moment(1.0, SOFT, SOFT, EIz)
        found = first_load(forks(8, EIz), 1.3 * wanted)
        about = f"moments on both ends, 8 el., EIz/EIy = {EIz / SOFT:g} [√(EIy GJ)/L]"
        source = "π/√((1 − EIy/EIz)(1 − GJ/EIz))"
        yield Check(about, found.factor / SOFT, wanted / SOFT, 2e-4 * wanted / SOFT, source, few)
    for elements, allowed in ((1, 3e-4), (4, 2e-6)):
        found = first_load(column(elements), 9.0, "gravity")
        about = f"own weight, {elements} el. [EI/L³]"
        source = "J_{−1/3}(⅔ √g) = 0, Greenhill (1881)"
        yield Check(about, found.factor, strip.weight(), allowed * strip.weight(), source, few)
    yield from _imperfect()


def _imperfect() -> Iterator[Check]:
    """The path of a strip with a small force across it, until long after the buckling load."""
    model = cantilever(8, 1, 1, across=ACROSS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        found = fm.equilibrium_path(model, factor=FACTORS[-1], at=FACTORS)
    places = path(
        RodInSpace(1.0, SOFT, SOFT, STIFF, EA), lambda f: f * SOFT * np.array([0.0, -1.0, ACROSS]), np.array(FACTORS)
    )
    for factor, place in zip(FACTORS, places):
        k = int(np.argmin(np.abs(found.factor - factor)))
        for x, wanted in zip("yz", place[1:]):
            about = f"strip with a force across it, at {factor:g}: {x} of the end [m]"
            why = "left by 8 elements"
            yield Check(about, float(found[f"beam.end.{x}"][k]), float(wanted), 4e-4, "exact rod, by shooting", why)
    about = "strip with a force across it: number of critical points"
    yield Check(about, float(len(found.critical)), 0.0, 0.0, "its path bends away and does not branch", "a count")
