"""Blades whose mass and shear center stand beside the axis: bending, torsion and stretching of all modes are coupled.

The axis is straight, or an arc that goes on as a helix; sections are 6 × 6 matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.curved_rods import cantilever
from flexmb.validation.registry import Check, Errors, Record, case

#: radius [m] and pitch [m] of the helix, the angle that it goes about its axis
RADIUS, PITCH, ANGLE = 0.3, 0.3, 2.5
NUMBERS = (8, 16, 32)
WHY = "rotary inertia between nodes is of order two: (kπ/32)²/12 of its share in a frequency, a few percent"
COUNT = 4


def section() -> fm.spatial.SectionMatrices:
    """The shear center, the tension center and the mass center stand beside the axis."""
    C = np.diag([2e6, 5e5, 4e5, 20.0, 30.0, 50.0])
    C[1, 3] = C[3, 1] = -200.0
    C[0, 4] = C[4, 0] = 300.0
    y, z = 0.01, 0.02
    c = np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])
    M = 0.6 * np.block([[np.eye(3), -c], [c, -c @ c]])
    M[3:, 3:] += np.diag([6e-5, 2e-5, 4e-5])
    return fm.spatial.SectionMatrices(C, M)


def curvature() -> tuple[float, float, float]:
    """Length [m] of the helix, its curvature and its torsion [1/m]."""
    rise = PITCH / (2.0 * math.pi)
    square = RADIUS**2 + rise**2
    return ANGLE * math.sqrt(square), RADIUS / square, rise / square


def build(elements: int = 8, curved: bool = True) -> fm.SpatialModel:
    """The blade along a helix, with the section's y to its axis, or along a straight line of its length."""
    model = fm.SpatialModel("eccentric blade")
    root = model.add_frame("root", (RADIUS, 0.0, 0.0), fixed=True)
    length, _, torsion = curvature()
    shape: dict[str, Any]
    if curved:
        helix = fm.Helix(center=(0, 0, 0), start=(RADIUS, 0, 0), angle=ANGLE, pitch=PITCH)
        shape = {"axis": helix, "twist": torsion * length, "y_axis": (-1.0, 0.0, 0.0)}
    else:
        shape = {"end": (RADIUS, length, 0.0), "y_axis": "z"}
    model.add_beam("blade", root, properties=section(), theory="exact", elements=elements, **shape)
    return model


@case("eccentric-blade", draw=build)
def compute() -> Iterator[Record]:
    """mass and shear center beside the axis, straight and along a helix: coupled frequencies against the exponential of
    the matrix of a uniform rod"""
    length, bent, torsion = curvature()
    source = "exact solution of the uniform rod"
    for curved, name in ((False, "straight"), (True, "helix")):
        turning = np.array([torsion, 0.0, bent]) if curved else np.zeros(3)
        exact = cantilever(COUNT, 1500.0, length, turning, section().flexibility, section().mass_matrix)
        found = np.array([fm.modes(build(n, curved), COUNT).omegas for n in NUMBERS])
        for k, wanted in enumerate(exact):
            off = np.abs(found[:, k] / wanted - 1.0).tolist()
            yield Check(f"{name}, 32 elements: ω{k + 1} [rad/s]", found[-1, k], wanted, 1e-4 * wanted, source, WHY)
            yield Errors(f"{name}: ω{k + 1}, relative error", "elements", NUMBERS, off, -2.0)
