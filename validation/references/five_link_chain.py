"""Five bricks in a chain of hinges with askew axes, from rest: relative angles, :mod:`.hinge_chain`.

Bricks of 2 × 0.1 × 0.1 m and 1000 kg/m³, their mass centers at (1, 0, 0) from their hinges, which turn about the z axis
of A_i = 1, Rx(π/2) Ry(π/4), the same, Ry(π/4), Rx(π/2) Ry(π/4), at (2, 0, 0) on the brick before.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .hinge_chain import HingeChain, Link

LENGTH, WIDTH, DENSITY = 2.0, 0.1, 1000.0
GRAVITY = np.array([0.0, -10.0, 0.0])
MASS = DENSITY * LENGTH * WIDTH**2
#: principal inertias about the mass center [kg m²], and that center in the axes of a brick [m]
INERTIA = MASS / 12.0 * np.array([2.0 * WIDTH**2, LENGTH**2 + WIDTH**2, LENGTH**2 + WIDTH**2])
CENTER = np.array([0.5 * LENGTH, 0.0, 0.0])
_BOTH = Rotation.from_euler("XY", [np.pi / 2, np.pi / 4])
#: axes of each hinge in those of the brick before, A_i
AXES = (Rotation.identity(), _BOTH, _BOTH, Rotation.from_euler("Y", np.pi / 4), _BOTH)
#: q̈ at the start [rad/s²] and q(1 s) [rad], computed elsewhere to the digits that are given
START_ACCELERATION = np.array([-3.759550595629, 0.198490258982, -6.187253576348, 4.930181825622, -1.101794109299])
END = np.array([-1.319950283651, -0.036671288262, -0.040616598658, -0.606541632437, 0.694395851603])


def chain() -> HingeChain:
    """The chain."""
    offsets = [(0.0, 0.0, 0.0)] + [(LENGTH, 0.0, 0.0)] * (len(AXES) - 1)
    links = [Link(MASS, INERTIA, CENTER, d, A.as_matrix()) for d, A in zip(offsets, AXES)]
    return HingeChain(links, GRAVITY)
