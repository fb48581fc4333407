"""Thick and thin cantilevers bent far: the error of exact elements does not know how slender a beam is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.rod_in_space import RodInSpace
from flexmb.validation.registry import Check, Errors, Record, case

#: a square of the side 1/slenderness, of EI = 1 Nm² at any side, ν = 0.3, and its torsion constant by the fourth power
SLENDERNESS, NU, TORSION = (10.0, 100.0, 1000.0, 10000.0), 0.3, 0.140577
FORCE = np.array([0.0, 2.0, 1.5])
#: the tip of an exact rod, computed elsewhere [m]
TIPS = {
    10.0: (0.7888887219, 0.4478681711, 0.3359011284),
    100.0: (0.7900300127, 0.4445609476, 0.3334207107),
    1000.0: (0.7900414273, 0.4445279039, 0.3333959279),
    10000.0: (0.7900415415, 0.4445275735, 0.3333956801),
}
NUMBERS = (2, 4, 8, 16)


def stiffness(slenderness: float) -> tuple[float, float, float]:
    """GJ [Nm²], EA and GA [N]."""
    EA = 12.0 * slenderness**2
    return 12.0 * TORSION / (2.0 + 2.0 * NU), EA, 5.0 / 6.0 * EA / (2.0 + 2.0 * NU)


def build(slenderness: float, elements: int) -> fm.SpatialModel:
    """The cantilever of 1 m along x with a force on its end."""
    model = fm.SpatialModel("cantilever")
    GJ, EA, GA = stiffness(slenderness)
    given = fm.spatial.BeamProperties(EA, 1.0, 1.0, GJ, rhoA=1.0, rhoIp=1e-3, GAy=GA, GAz=GA)
    beam = model.add_beam(
        "beam", model.ground, (1.0, 0.0, 0.0), properties=given, theory="exact", elements=elements, y_axis="y"
    )
    model.point_force(beam.end, FORCE)
    return model


def end(slenderness: float, elements: int) -> np.ndarray:
    """The place (3,) [m] of its end."""
    return np.asarray(fm.equilibrium(build(slenderness, elements))["beam.end"].position)


@case("slenderness", draw=lambda: fm.equilibrium(build(100.0, 8)))
def compute() -> Iterator[Record]:
    """cantilevers of slenderness 10 to 10 000 bent far: errors that do not grow with it, and fall with order four"""
    shooting = "exact rod, by shooting"
    common = []
    for slenderness in SLENDERNESS:
        GJ, EA, GA = stiffness(slenderness)
        exact = RodInSpace(1.0, GJ, 1.0, 1.0, EA, GA, GA).end(FORCE)[0]
        off = float(np.max(np.abs(exact - TIPS[slenderness])))
        what = f"slenderness {slenderness:g}: the reference against another one [m]"
        yield Check(what, off, 0.0, 1e-9, "exact rod, computed elsewhere", "printed digits")
        errors = [float(np.linalg.norm(end(slenderness, elements) - exact)) for elements in NUMBERS]
        common.append(errors)
        yield Errors(f"slenderness {slenderness:g}: place of the end [m]", "elements", NUMBERS, errors, -4.0)
        for elements, off in zip(NUMBERS, errors):
            what = f"slenderness {slenderness:g}, {elements} el.: the end is off by [m]"
            yield Check(what, off, 0.0, 1.7e-3 * (2.0 / elements) ** 4, shooting, "left by the elements")
        order = float(np.log2(errors[2] / errors[3]))
        what = f"slenderness {slenderness:g}: order of convergence, 8 to 16 elements"
        yield Check(what, order, 4.0, 0.05, "theory of the element", "higher orders")
    for slenderness, errors in zip(SLENDERNESS[2:], common[2:]):
        ratio = errors[2] / common[1][2]
        what = f"8 el.: error at slenderness {slenderness:g} by that at 100"
        yield Check(what, ratio, 1.0, 0.01, "no locking", "shear and stretching count less")
