"""Bricard's mechanism, IFToMM (n.d.), problem A04: six hinges on the edges of a cube, each square to the next.

Five rods of 1 m and 1 kg, 0.1 × 0.1 m across, lie along edges of a cube, and its sixth edge is the ground. Six hinges
have 6 − 6 = 0 degrees of freedom, and because of its symmetry this mechanism has one: of the five rows that close the
chain of five rods, :mod:`.hinge_chain`, one repeats the others in every position.
"""

from __future__ import annotations

import numpy as np

from .hinge_chain import Closure, HingeChain, Link

GRAVITY = np.array([0.0, -9.81, 0.0])
LENGTH, MASS, WIDTH = 1.0, 1.0, 0.1
#: places of the six hinges at the start [m], and their axes
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = ("y", "z", "x", "y", "z", "x")
#: P3, the third hinge, at some times [s], computed elsewhere to the digits that are given; energy [J]
PLACES = {
    1.0: (0.274481319265, -0.886707938735, -0.462330002687),
    2.0: (-0.778135373033, -0.980352683443, -0.197252670617),
    4.0: (0.283551079082, -0.888022814123, -0.459799392776),
}
ENERGY = -29.43


def inertia(rod: int) -> np.ndarray:
    """Principal inertias [kg m²] of a rod about its mass center, in axes that are those of the ground at the start."""
    along = np.abs(CORNERS[rod + 1] - CORNERS[rod])
    return np.asarray(MASS / 12.0 * (LENGTH**2 * (1.0 - along) + WIDTH**2 * (1.0 + along)))


def direction(hinge: int) -> np.ndarray:
    """The axis of a hinge at the start."""
    return np.eye(3)["xyz".index(AXES[hinge])]


def chain() -> HingeChain:
    """The five rods from the first hinge on; the sixth closes the loop."""
    before = np.vstack([np.zeros(3), CORNERS[1:5] - CORNERS[:4]])
    centers = 0.5 * (CORNERS[1:] - CORNERS[:-1])
    links = [Link(MASS, inertia(k), centers[k], before[k], axis=direction(k)) for k in range(5)]
    return HingeChain(links, GRAVITY, Closure(CORNERS[5] - CORNERS[4], CORNERS[5], direction(5), direction(5)))


def third_hinge(q: np.ndarray) -> np.ndarray:
    """P3 [m]."""
    return np.asarray(chain().pose(q, np.zeros(5)).hinge[2])
