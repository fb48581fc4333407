"""A stone that falls."""

from __future__ import annotations

import flexmb as fm


def stone(y=1.0, vy=0.0):
    """A body of 1 kg at a height [m] that falls by g = 10 m/s², thrown upwards at a speed [m/s]."""
    model = fm.PlanarModel("falling", gravity=(0, -10))
    model.add_body("stone", mass=1.0, inertia=0.1, position=(0, y)).move((0.0, vy))
    return model
