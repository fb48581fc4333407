"""Cantilevers, and their numbers from tables."""

from __future__ import annotations

import numpy as np

import flexmb as fm

#: roots of cosh λ cos λ = −1, as printed in tables
CANTILEVER = np.array([1.8751040687, 4.6940911330, 7.8547574382])


def strip(elements: int) -> fm.SpatialModel:
    """A clamped steel strip: along it the lowest frequency of an element is about 9e3 rad/s."""
    model = fm.SpatialModel("strip", gravity=(0.0, 0.0, -9.81))
    given = fm.spatial.BeamProperties(EA=2e7, EIy=166.0, EIz=166.0, GJ=112.0, rhoA=0.78, rhoIp=1.3e-5)
    model.add_beam("strip", model.ground, (1, 0, 0), properties=given, modes=2, elements=elements)
    return model
