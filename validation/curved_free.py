"""A free ring: frequencies of bending in its plane and out of it, of one beam along a circle."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references.curved_rods import WHY, change, ring_in_plane, ring_out_of_plane
from flexmb.validation.registry import Check, Errors, Record, case

#: a steel ring of a rectangular section, a tenth of the radius wide
RADIUS, SECTION = 1.0, fm.Rectangle(width=0.1, height=0.06)
GIVEN = fm.spatial.BeamProperties.of(fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3), SECTION)
NUMBERS = (8, 16, 32)
WAVES = (2, 3)


def build(elements: int = 16) -> fm.SpatialModel:
    """The ring: start and end share the node of one frame."""
    model = fm.SpatialModel("ring")
    seam = model.add_frame("seam", (RADIUS, 0.0, 0.0))
    circle = fm.Arc(center=(0, 0, 0), start=(RADIUS, 0, 0), angle=2.0 * math.pi)
    model.add_beam("ring", seam, seam, axis=circle, properties=GIVEN, theory="exact", elements=elements)
    return model


def exact() -> dict[str, float]:
    """Circular frequencies [rad/s]; the section's y lies in the plane of the ring."""
    p = GIVEN
    found = {}
    for k in WAVES:
        found[f"in its plane, {k} waves"] = ring_in_plane(k, RADIUS, p.EA, p.GAy, p.EIz, p.rhoA, p.rhoIz)
        out = p.GAz, p.EIy, p.GJ, p.rhoA, p.rhoIy, p.polar_inertia
        found[f"out of its plane, {k} waves"] = ring_out_of_plane(k, RADIUS, *out)
    return found


def nearest(elements: int) -> np.ndarray:
    """The pairs of modes (frequencies, 2) nearest to the exact circular frequencies."""
    omegas = np.asarray(fm.modes(build(elements), 16).omegas)
    return np.array([omegas[np.argsort(np.abs(omegas - wanted))[:2]] for wanted in exact().values()])


@case("curved-free", draw=build)
def compute() -> Iterator[Record]:
    """a free ring of one beam along a circle: frequencies in its plane and out of it, each of them twice"""
    found = np.array([nearest(n) for n in NUMBERS])
    source = "closed form, sine waves along the ring"
    for k, (what, wanted) in enumerate(exact().items()):
        yield Check(
            f"32 elements, {what}: ω [rad/s]", float(np.mean(found[-1, k])), wanted, change(found[:, k, 0]), source, WHY
        )
        apart = float(np.ptp(found[-1, k])) / wanted
        yield Check(f"32 elements, {what}: both modes apart by", apart, 0.0, 1e-7, "a ring has no seam", "rounding")
        yield Errors(
            f"{what}, relative error", "elements", NUMBERS, np.abs(found[:, k, 0] / wanted - 1.0).tolist(), -4.0
        )
