"""Beams in space, with what stands on them and acts on them, for the conformance suite."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import flexmb as fm
from flexmb.elements.spatial import BEAMS as THEORIES
from flexmb.elements.spatial import Beam
from flexmb.elements.spatial.cms_beam import CmsBeam
from flexmb.model.components import Component
from flexmb.spatial import SpatialModel
from tests.models.pairs_in_space import LEAN, WAVE, Make, grounded


def cms_beam(
    elements: int = 1, damping: Any = None, rotary: tuple[float, ...] = (0.03, 0.01, 0.015), **options: Any
) -> Component:
    """A soft beam, so that inertia and elasticity are as large as one another."""
    given = fm.spatial.BeamProperties(1e3, 0.4, 1.3, 0.5, 1.7, rhoIp=rotary[0], rhoIy=rotary[1], rhoIz=rotary[2])
    ends = (0.1, 0.2, 0.3), (1.0, -0.3, 0.8)
    return CmsBeam.build(SpatialModel("m"), "rod", *ends, given, elements, damping, **options)


#: options of beams of component modes, by what they are called
CMS_BEAMS: dict[str, dict[str, Any]] = {
    "CmsBeam": {},
    "CmsBeam: no modes, no rotary inertia": {"modes": 0, "torsion_modes": 0, "rotary": (0.0, 0.0, 0.0)},
    "CmsBeam: all modes": {"modes": (2, 1), "torsion_modes": 2, "axial_modes": 1, "rotary": (0.03, 0.0, 0.0)},
    "CmsBeam: proportional damping": {"axial_modes": 1, "damping": fm.StiffnessProportional(0.02)},
    "CmsBeam: two elements, modal damping": {"elements": 2, "damping": fm.ModalDamping(0.02)},
    "CmsBeam: mean": {"axial": "mean", "modes": 1},
    "CmsBeam: chord": {"axial": "chord", "modes": 1, "damping": fm.ModalDamping(0.02)},
}


#: options of the beams in space that are tested: for each theory several, of elements, modes, damping
BEAMS: dict[str, list[dict[str, Any]]] = {
    "cms": [{"elements": 2, "modes": (2, 1), "torsion_modes": 1, "damping": fm.StiffnessProportional(0.02)}],
    "ancf": [{"elements": 2, "damping": fm.StiffnessProportional(0.02)}, {"elements": 1}],
    "exact": [{"elements": 2, "damping": fm.StiffnessProportional(0.02)}, {"elements": 1}],
    "floating": [
        {"modes": 2, "torsion_modes": 2, "damping": fm.StiffnessProportional(0.07)},
        {"modes": 1, "torsion_modes": 0, "damping": fm.ModalDamping(0.02)},
        {"modes": 0, "torsion_modes": 1},
    ],
}


def beam(theory: str, options: dict[str, Any], start: fm.planar.Frame | None = None) -> Beam:
    """A beam between two points, or on a frame whose node lies askew."""
    m = SpatialModel("m", gravity=(0.3, -9.81, 0.7)) if start is None else start.model
    p = fm.spatial.BeamProperties(
        EA=2e4,
        EIy=3.0,
        EIz=3.0 if theory == "ancf" else 5.0,
        GJ=2.0,
        rhoA=0.6,
        rhoIy=2e-3,
        rhoIz=3e-3,
        rhoIp=6e-3,
        GAy=5e3,
        GAz=4e3,
    )
    place = (0.1, 0.2, -0.3) if start is None else start
    return m.add_beam("rod", place, (1.0, 0.5, 0.2), theory=theory, properties=p, y_axis=(0.2, 0.3, 1.0), **options)


def loaded_place(theory: str, options: dict[str, Any], method: str, axes: str) -> Component:
    rod = beam(theory, options)
    return getattr(rod.model, method)(rod.at(0.3), (3.0, WAVE, -4.0), factor=WAVE, axes=axes)


def loaded_beam(theory: str, options: dict[str, Any], follower: bool) -> Component:
    rod = beam(theory, options)
    density = ((1.0, -3.0, 2.0), (2.0, 5.0, -1.0))
    return rod.model.distributed_load(rod, density, factor=WAVE, axes="section" if follower else "ground")


def heated_beam(theory: str, options: dict[str, Any]) -> Component:
    rod = beam(theory, options)
    rod.properties = dataclasses.replace(rod.properties, thermal_expansion=1e-3)
    return rod.model.thermal_load(rod, 20.0, (70.0, -90.0), factor=WAVE)


def places(theory: str, options: dict[str, Any]) -> Component:
    """A beam with frames welded to places inside of its elements."""
    rod = beam(theory, options)
    rod.at(0.3).attach("clip", (0.1, 0.05, -0.2), LEAN)
    rod.at(0.85).enter()
    return rod


def beams() -> dict[str, Make]:
    """Beams of all theories with what stands on them."""
    found: dict[str, Make] = {name: partial(cms_beam, **options) for name, options in CMS_BEAMS.items()}
    for theory, family in THEORIES.items():
        name, first = family.__name__, BEAMS[theory][0]
        for k, options in enumerate(BEAMS[theory]):
            found[f"{name}: {k}"] = partial(beam, theory, options)
        found[f"{name}: on a leaning node"] = lambda theory=theory, first=first: beam(
            theory, first, grounded()[2].model.components["a"].frame
        )
        found[f"{name}: welded places"] = partial(places, theory, first)
        for axes in ("ground", "body"):
            for method in ("point_force", "point_torque"):
                found[f"{method} at a place of {name}, {axes}"] = partial(loaded_place, theory, first, method, axes)
        for follower in (False, True):
            tag = ", follower" if follower else ""
            found[f"DistributedLoad: {name}{tag}"] = partial(loaded_beam, theory, first, follower)
        if theory in ("cms", "exact"):
            found[f"ThermalLoad: {name}"] = partial(heated_beam, theory, first)
    return found
