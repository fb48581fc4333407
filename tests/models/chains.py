"""Chains of bodies on hinges."""

from __future__ import annotations

import numpy as np

import flexmb as fm


def chain(links: int = 2) -> fm.PlanarModel:
    """Hinged uniform links of 1 m and 1 kg, released level."""
    model = fm.PlanarModel("chain", gravity=(0.0, -9.81))
    before = model.ground
    for k in range(links):
        link = model.add_body(f"link{k}", mass=1.0, inertia=1 / 12, position=(k + 0.5, 0.0))
        model.revolute(before, link.attach("near", (-0.5, 0.0)), name=f"hinge{k}")
        before = link.attach("far", (0.5, 0.0))
    return model


def askew() -> fm.SpatialModel:
    """Two bodies on hinges that lie askew, thrown so that the first turns on and on."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    axis = np.array([0.3, 0.5, 1.0])
    omega = 6.0 * axis / np.linalg.norm(axis)
    upper = m.add_body("upper", mass=1.0, inertia=(1.0, 1.2, 1.7))
    lower = m.add_body("lower", mass=1.0, inertia=(0.3, 0.2, 0.4), position=(1.0, 0.2, 0.3))
    m.revolute(m.ground, upper.frame, axis=axis)
    m.revolute(upper.attach("end", (1.0, 0, 0)), lower.attach("start", (0, -0.2, -0.3)), axis=(0.1, 1.0, 0.2))
    for part in (upper, lower):
        part.move(np.cross(omega, part.frame.position), omega)
    return m
