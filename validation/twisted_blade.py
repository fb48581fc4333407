"""Frequencies of a cantilever that is twisted by 45° from its root to its tip."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.curved_rods import cantilever
from flexmb.validation.registry import Check, Errors, Record, case

#: a strip fifteen times as wide as thick, of the length in [m]
LENGTH, TWIST, SECTION = 0.1524, 0.25 * math.pi, fm.Rectangle(width=0.00172722, height=0.0254)
GIVEN = fm.spatial.BeamProperties.of(fm.Material(density=7857.6, youngs_modulus=206.85e9, poissons_ratio=0.25), SECTION)
NUMBERS = (8, 16, 32)
WHY = "rotary inertia between nodes is of order two: (kπ/32)²/12 of its share in a frequency, a few percent"
COUNT = 5


def build(elements: int = 8) -> fm.SpatialModel:
    """The blade, clamped at its start."""
    model = fm.SpatialModel("twisted blade")
    model.add_beam(
        "blade", model.ground, (LENGTH, 0, 0), properties=GIVEN, twist=TWIST, theory="exact", elements=elements
    )
    return model


@case("twisted-blade", draw=build)
def compute() -> Iterator[Record]:
    """a strip twisted by 45°: its first five frequencies against the exponential of the matrix of a uniform rod"""
    turning = np.array([TWIST / LENGTH, 0.0, 0.0])
    exact = cantilever(COUNT, 2.0 * math.pi * 2000.0, LENGTH, turning, GIVEN.flexibility, GIVEN.mass_matrix)
    found = np.array([fm.modes(build(n), COUNT).omegas for n in NUMBERS])
    for k, wanted in enumerate(exact):
        off = np.abs(found[:, k] / wanted - 1.0).tolist()
        yield Check(
            f"32 elements: frequency {k + 1} [Hz]", found[-1, k] / (2.0 * math.pi), wanted / (2.0 * math.pi),
            1e-4 * wanted / (2.0 * math.pi), "exact solution of the uniform twisted rod", WHY,
        )  # fmt: skip
        yield Errors(f"frequency {k + 1}, relative error", "elements", NUMBERS, off, -4.0)
