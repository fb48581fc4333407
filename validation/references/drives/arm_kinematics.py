"""Arms by their Denavit–Hartenberg parameters, in NumPy: forward kinematics, and of an arm with a spherical wrist all
inverse ones, by Pieper (1968), as in Craig (2005), chapter 4.

UR5: parameters by Universal Robots; Panda: modified parameters by Franka Emika, both in metres.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np


class Arm(NamedTuple):
    """A table of θ, d, a, α of each joint; whether they are modified ones (Craig); and where the hand is in the last
    frame."""

    table: list[tuple[float, float, float, float]]
    modified: bool
    tool: tuple[float, float, float]


HALF = 0.5 * np.pi
#: shoulder, arm, fore-arm and hand of an arm whose last three axes meet in a point [m]
WRIST = 0.4, 0.5, 0.45, 0.1
ARMS = {
    "spherical wrist": Arm(
        [
            (0, WRIST[0], 0, HALF),
            (0, 0, WRIST[1], 0),
            (0, 0, 0, HALF),
            (0, WRIST[2], 0, -HALF),
            (0, 0, 0, HALF),
            (0, WRIST[3], 0, 0),
        ],
        False,
        (0.0, 0.0, 0.0),
    ),
    "UR5": Arm(
        [
            (0, 0.089159, 0, HALF),
            (0, 0, -0.425, 0),
            (0, 0, -0.39225, 0),
            (0, 0.10915, 0, HALF),
            (0, 0.09465, 0, -HALF),
            (0, 0.0823, 0, 0),
        ],
        False,
        (0.0, 0.0, 0.0),
    ),
    "Panda": Arm(
        [
            (0, 0.333, 0, 0),
            (0, 0, 0, -HALF),
            (0, 0.316, 0, HALF),
            (0, 0, 0.0825, HALF),
            (0, 0.384, -0.0825, -HALF),
            (0, 0, 0, HALF),
            (0, 0, 0.088, HALF),
        ],
        True,
        (0.0, 0.0, 0.107),
    ),
}


def step(theta: float, d: float, a: float, alpha: float, modified: bool) -> np.ndarray:
    """The pose (4, 4) of a frame in the one before it."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    if modified:
        return np.array([[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1]])
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def forward(arm: Arm, q: np.ndarray) -> np.ndarray:
    """The pose (4, 4) of the hand."""
    T = np.eye(4)
    for (theta, d, a, alpha), x in zip(arm.table, q):
        T = T @ step(theta + x, d, a, alpha, arm.modified)
    tool = np.eye(4)
    tool[:3, 3] = arm.tool
    return T @ tool


def inverse(T: np.ndarray) -> np.ndarray:
    """All joint angles (…, 6) by which the arm with the spherical wrist has the pose T."""
    d1, a2, d4, d6 = WRIST
    R, p = T[:3, :3], T[:3, 3]
    x, y, z = p - d6 * R[:, 2]
    found = []
    for shoulder, elbow, flip in product((1, -1), repeat=3):
        q1 = np.arctan2(shoulder * y, shoulder * x)
        r, h = shoulder * np.hypot(x, y), z - d1
        bent = (r * r + h * h - a2 * a2 - d4 * d4) / (2.0 * a2 * d4)
        if abs(bent) > 1.0:
            continue
        inner = elbow * np.arccos(bent)  # from the axis of the arm to that of the fore-arm
        q2 = np.arctan2(h, r) - np.arctan2(d4 * np.sin(inner), a2 + d4 * np.cos(inner))
        q3 = inner + HALF
        M = forward(Arm(ARMS["spherical wrist"].table[:3], False, (0, 0, 0)), np.array([q1, q2, q3]))[:3, :3].T @ R
        q5 = flip * np.arctan2(np.hypot(M[0, 2], M[1, 2]), M[2, 2])
        q4 = np.arctan2(flip * M[1, 2], flip * M[0, 2])
        q6 = np.arctan2(flip * M[2, 1], -flip * M[2, 0])
        found.append([q1, q2, q3, q4, q5, q6])
    return np.array(found)


def parallel_robot(
    x: float, y: float, angle: float, bases: np.ndarray, corners: np.ndarray, lengths: tuple[float, float]
) -> np.ndarray:
    """The angles (3, 2) of both links of each leg of a planar robot, whose platform stands at x, y with an angle: each
    leg is two links from `bases` (3, 2) to the `corners` (3, 2) of the platform, by the law of cosines; elbows to the
    left."""
    c, s = np.cos(angle), np.sin(angle)
    ends = np.array([x, y]) + corners @ np.array([[c, s], [-s, c]])
    found = []
    for base, end in zip(bases, ends):
        (u, w), (a, b) = end - base, lengths
        bend = np.arccos((u * u + w * w - a * a - b * b) / (2.0 * a * b))
        first = np.arctan2(w, u) - np.arctan2(b * np.sin(bend), a + b * np.cos(bend))
        found.append((first, first + bend))
    return np.array(found)
