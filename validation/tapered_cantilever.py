"""Frequencies and bending of a wedge: a cantilever of constant width whose height falls to 30 % at its tip."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.curved_rods import wedge
from flexmb.validation.registry import Check, Errors, Record, case

#: distances [m] of the tip and of the clamp from the edge of the wedge; EI = x³ Nm², ρA = x kg/m
TIP, CLAMP = 0.3, 1.0
LENGTH = CLAMP - TIP
NUMBERS = (4, 8, 16)
COUNT = 3
#: a small force [N] on the tip
FORCE = 1e-4


def section(s: float) -> fm.spatial.BeamProperties:
    """No shear and no rotary inertia in bending about z, the plane of the case; in the other one it is stiff."""
    x = CLAMP - LENGTH * s
    return fm.spatial.BeamProperties(EA=1e6 * x, EIy=1e3 * x, EIz=x**3, GJ=1e3, rhoA=x, rhoIp=0.1)


def build(elements: int = 8) -> fm.SpatialModel:
    """The wedge along x, clamped at its thick end."""
    model = fm.SpatialModel("wedge")
    wedge_beam = model.add_beam(
        "wedge", model.ground, (LENGTH, 0, 0), properties=section, theory="exact", elements=elements
    )
    model.point_force(wedge_beam.end, (0.0, FORCE, 0.0))
    return model


def deflection() -> float:
    """F ∫ (x − x₀)²/x³ dx [m] of the tip."""
    a, b = TIP, CLAMP
    return FORCE * float(np.log(b / a) + 2.0 * a * (1.0 / b - 1.0 / a) - 0.5 * a * a * (1.0 / b**2 - 1.0 / a**2))


@case("tapered-cantilever", draw=build)
def compute() -> Iterator[Record]:
    """a wedge: frequencies by Bessel functions, deflection in closed form"""
    exact = wedge(COUNT, TIP, CLAMP, 1.0, 1.0)
    rest = [fm.equilibrium(build(n)) for n in NUMBERS]
    found = np.array([fm.modes(x, COUNT).omegas for x in rest])
    why = "errors fall with the fourth power of the length"
    for k, wanted in enumerate(exact):
        off = np.abs(found[:, k] / wanted - 1.0).tolist()
        source = "Bessel functions, Mabie and Rogers (1964)"
        yield Check(f"16 elements: ω{k + 1} [rad/s]", found[-1, k], wanted, 2e-5 * wanted, source, why)
        yield Errors(f"ω{k + 1}, relative error", "elements", NUMBERS, off, -4.0)
    tips = [float(x.solution["wedge.end"].y[0]) for x in rest]
    for n, tip in zip(NUMBERS[:2], tips):
        why = "the moment of an element is exact; Gauss points and the square of the deflection are left"
        yield Check(
            f"{n} elements: deflection of the tip [m]", tip, deflection(), 1e-5 * deflection(), "closed form", why
        )
