"""Flexible craft upright in orbit: a dumbbell with a spring, and a free beam."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.orbits import closed_forms as reference
from flexmb.validation.registry import Check, case

#: of the earth [m³/s²]; the radius of the orbit [m]
MU, RADIUS = 3.986004418e14, 7.0e6
FIELD = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, float(np.sqrt(MU / RADIUS)), 0))
#: length of the beam [m], its mass by length [kg/m]; its EI and EA in ρA Ω² L⁴ and ρA Ω² L²
LENGTH, RHO_A, EI, EA = 100.0, 0.4, 0.01, 1e5
#: ρI of its sections over ρA L²: about the normal of the orbit this, about the flight half, so that it does not twist
THIN = 1e-8


def dumbbell(kappa: float = 3.0) -> fm.SpatialModel:
    """Two masses of 1 kg on a spring of 100 m."""
    model = fm.SpatialModel("dumbbell", gravity=FIELD)
    length = 100.0 * reference.dumbbell(kappa)[0]
    ends = [
        model.add_body(name, mass=1.0, inertia=(1e-3, 1.8e-3, 2e-3), position=(x * length, 0, 0)).frame
        for name, x in (("inner", -0.5), ("outer", 0.5))
    ]
    model.spring_damper(*ends, stiffness=0.5 * (kappa * FIELD.rate) ** 2, damping=0.0, free_length=100.0)
    return model


def beam(theory: str, elements: int) -> fm.SpatialModel:
    """A free beam along the local vertical."""
    model = fm.SpatialModel("beam in orbit", gravity=FIELD)
    unit = RHO_A * (FIELD.rate * LENGTH) ** 2
    bending, thin = EI * unit * LENGTH**2, THIN * RHO_A * LENGTH**2
    given = fm.spatial.BeamProperties(
        EA=EA * unit, EIy=bending, EIz=bending, GJ=bending, rhoA=RHO_A, rhoIy=0.5 * thin, rhoIz=thin
    )
    half = (0.5 * LENGTH, 0.0, 0.0)
    model.add_beam("beam", (-half[0], 0.0, 0.0), half, properties=given, theory=theory, elements=elements, y_axis="y")
    return model


def nearest(model: fm.SpatialModel, wanted: float, count: int) -> float:
    """The frequency of the steady motion, over the orbit's rate, that is nearest to one."""
    steady = fm.equilibrium(model, spin=FIELD.rate, axis="z")
    found = np.abs(fm.complex_modes(steady, count).eigenvalues.imag) / FIELD.rate
    return float(found[np.argmin(np.abs(found - wanted))])


@case("orbit-boom", draw=lambda: beam("exact", 8))
def compute() -> Iterator[Check]:
    """flexible craft upright in orbit: frequencies of a dumbbell with a spring, and of a free beam"""
    for kappa in (3.0, 10.0, 30.0):
        _, *wanted = reference.dumbbell(kappa)
        for what, one in zip(("libration", "stretching"), wanted):
            name = f"dumbbell, spring of {kappa:g}: {what}, as a multiple of the orbit's rate"
            yield Check(name, nearest(dumbbell(kappa), one, 24), one, 1e-8, "closed form", "rounding of the statics")
    for elements, near in ((8, (1e-4, 1e-3, 1e-2)), (16, (1e-5, 1e-4, 1e-3))):
        for k, (one, tolerance) in enumerate(zip(reference.free_beam(EI, 3), near)):
            name = f"beam, {elements} exact elements: frequency {k + 1} in the plane over the orbit's rate"
            found = nearest(beam("exact", elements), float(one), 40)
            yield Check(name, found, float(one), tolerance, "Ritz's method", "its mesh, and stretch by 1/EA")
