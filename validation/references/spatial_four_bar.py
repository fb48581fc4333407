"""A four-bar linkage in space with parallel hinges, which moves in a plane that stands askew: :mod:`.hinge_chain`.

Crank, coupler and rocker of unequal lengths between two feet of the ground, from rest; weight is partly across the
plane, where the hinges carry it. In the axes of the plane the places of the hinges at the start follow from the law of
cosines. Four hinges of five rows hold three bodies with 18 coordinates; one degree of freedom is left, so that the rank
is 17 of 20: of the five rows that close the chain of three bodies, three repeat others.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .hinge_chain import Closure, HingeChain, Link

NAMES = ("crank", "coupler", "rocker")
LENGTHS = np.array([1.0, 1.2, 0.9])
GROUND, START = 1.5, 1.0
MASSES = np.array([1.0, 1.5, 0.8])
#: from the axes of the plane to those of the ground
TURN = Rotation.from_rotvec([0.4, -0.7, 1.1])
GRAVITY = TURN.apply([2.0, -9.0, 3.0])


def inertia(bar: int) -> np.ndarray:
    """Principal inertias [kg m²] of a bar that is 0.1 m wide and lies along its x axis."""
    return np.asarray(MASSES[bar] / 12.0 * (LENGTHS[bar] ** 2 * np.array([0.0, 1.0, 1.0]) + 0.01 * np.array([2, 1, 1])))


def corners() -> np.ndarray:
    """The four hinges at the start (4, 3) [m], in the axes of the plane."""
    elbow, foot = np.array([np.cos(START), np.sin(START)]) * LENGTHS[0], np.array([GROUND, 0.0])
    way = foot - elbow
    reach = float(np.hypot(*way))
    along = (reach**2 + LENGTHS[1] ** 2 - LENGTHS[2] ** 2) / (2.0 * reach)
    across = np.sqrt(LENGTHS[1] ** 2 - along**2)
    top = elbow + (along * way + across * np.array([-way[1], way[0]])) / reach
    return np.array([[0.0, 0.0, 0.0], [*elbow, 0.0], [*top, 0.0], [*foot, 0.0]])


def directions() -> np.ndarray:
    """The angles of the three bars at the start (3,) [rad], in the plane."""
    ways = np.diff(corners(), axis=0)
    return np.asarray(np.arctan2(ways[:, 1], ways[:, 0]))


def chain() -> HingeChain:
    """The three bars, and the hinge of the rocker on the ground."""
    angles = directions()
    links = []
    for k, (length, before) in enumerate(zip(LENGTHS, (0.0, *angles[:2]))):
        axes = Rotation.from_euler("z", angles[k] - before)
        axes = TURN * axes if k == 0 else axes
        offset = (LENGTHS[k - 1], 0.0, 0.0) if k else (0.0, 0.0, 0.0)
        links.append(Link(MASSES[k], inertia(k), (0.5 * length, 0.0, 0.0), offset, axes.as_matrix()))
    normal = TURN.apply([0.0, 0.0, 1.0])
    end = Closure((LENGTHS[2], 0.0, 0.0), TURN.apply([GROUND, 0.0, 0.0]), (0.0, 0.0, 1.0), normal)
    return HingeChain(links, GRAVITY, end)


def motion(times: np.ndarray) -> np.ndarray:
    """The angles (k, 3) [rad] by which the bars have turned since the start."""
    return np.asarray(np.cumsum(chain().motion(times)[0], axis=1))
