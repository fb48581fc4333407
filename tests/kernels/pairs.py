"""Two bodies for components that act between two frames."""

from __future__ import annotations

import numpy as np

import flexmb as fm


def pair(model: fm.PlanarModel | fm.SpatialModel) -> list[fm.planar.Frame]:
    """Two frames that stand askew and beside the mass centers of free bodies."""
    rng = np.random.default_rng(1)
    inertia = {"inertia": 1.0} if model.dimension == 2 else {"inertia": (1.0, 1.1, 1.2)}
    bodies = [model.add_body(n, mass=1.0, position=rng.normal(size=model.dimension), **inertia) for n in "ab"]
    return [body.frame.attach(f"place on {body.name}", 0.3 * rng.normal(size=model.dimension)) for body in bodies]
