"""Curved, twisted and tapered beams in space."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.elements.spatial import Beam

ROUND = fm.spatial.BeamProperties(
    EA=2e4, EIy=3.0, EIz=5.0, GJ=2.0, rhoA=0.6, rhoIy=2e-3, rhoIz=3e-3, rhoIp=6e-3, GAy=5e3, GAz=4e3
)


def coupled_section(s: float) -> fm.spatial.SectionMatrices:
    """A section that grows smaller, couples stretching with bending and shear with torsion, and has its mass beside the
    axis."""
    size = 1.0 - 0.5 * s
    C = np.diag([2e4, 5e3, 4e3, 2.0, 3.0, 5.0]) * size
    C[0, 4] = C[4, 0] = 30.0 * size**2
    C[1, 3] = C[3, 1] = -20.0 * size
    y, z = 0.02 * size, 0.01 + 0.03 * s
    c = np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])
    M = 0.6 * size * np.block([[np.eye(3), -c], [c, -c @ c]])
    M[3:, 3:] += np.diag([6e-3, 2e-3, 4e-3]) * size
    return fm.spatial.SectionMatrices(C, M)


def bent_pipe(**options: Any) -> Beam:
    """A beam along two lines with an arc between, twisted, of sections that couple and vary."""
    m = fm.SpatialModel("m", gravity=(0.3, -9.81, 0.7))
    axis = fm.Polyline(((0.1, 0.2, -0.3), (0.6, 0.2, -0.1), (0.8, 0.7, 0.2)), fillet=0.2)
    given = {"properties": coupled_section, "twist": 0.7, "y_axis": (0.2, 0.3, 1.0), "elements": 3} | options
    return m.add_beam("rod", axis=axis, theory="exact", damping=fm.StiffnessProportional(0.02), **given)
