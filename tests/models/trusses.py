"""Two springs to a block that is pushed between their feet: it snaps through."""

from __future__ import annotations

import numpy as np

import flexmb as fm


def truss(rise: float = 0.3, stiffness: float = 500.0) -> fm.PlanarModel:
    """Two springs to a guided block under a force of 1 N."""
    model = fm.PlanarModel("truss")
    top = model.add_body("top", mass=1.0, inertia=1.0, position=(0.0, rise))
    for name, x in (("left", -1.0), ("right", 1.0)):
        model.spring_damper(model.ground.attach(name, (x, 0.0)), top.frame, stiffness=stiffness)
    model.lock(model.ground, top.frame, "angle")
    model.point_force(top.frame, (0.0, -1.0), name="load")
    return model


def truss_force(y: np.ndarray, rise: float = 0.3, stiffness: float = 500.0) -> np.ndarray:
    return 2.0 * stiffness * (np.hypot(1.0, rise) / np.hypot(1.0, y) - 1.0) * y
