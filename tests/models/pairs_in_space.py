"""Pairs of frames in space for tests of components between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.model.components import Component
from flexmb.model.functions.smooth_functions import Harmonic
from flexmb.spatial import SpatialModel

WAVE = Harmonic(1.3, 2.5, 0.3, 0.4)
INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
FULL = np.diag([10.0, 20.0, 30.0, 3.0, 4.0, 5.0])
FULL[0, 1] = FULL[1, 0] = 4.0
FULL[2, 4] = FULL[4, 2] = -2.0

Make = Callable[[], Component]
Pair = tuple[SpatialModel, fm.planar.Frame, fm.planar.Frame]


def pair() -> Pair:
    """Two bodies that may go anywhere, and a frame off the node of each."""
    m = SpatialModel("pair")
    a = m.add_body("a", mass=2.0, inertia=INERTIA, position=(1.0, 0.2, -0.3), orientation=LEAN)
    b = m.add_body("b", mass=3.0, inertia=(0.2, 0.3, 0.4), position=(0.3, -0.5, 0.8), orientation=LEAN.inv())
    on_b = b.attach("p", (-0.2, 0.1, 0.3), Rotation.from_rotvec([1.0, 0.0, 0.2]))
    return m, a.attach("p", (0.1, 0.2, -0.4), Rotation.from_rotvec([0.0, 0.7, 0.2])), on_b


def coincident() -> Pair:
    """The same, with frames that share a place, so that joints are met at the start."""
    m, a, _ = pair()
    body = m.components["b"]
    return m, a, body.attach("c", LEAN.apply(a.position - body.frame.position), Rotation.from_rotvec([1.0, 0.0, 0.2]))


def grounded() -> Pair:
    """A body and a fixed frame."""
    m, a, _ = pair()
    return m, m.ground, a
