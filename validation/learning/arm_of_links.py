"""Energy of an arm of equal links in hinges, from its angles and rates alone.

Link k is turned against the one below about its own axis z or y; with R_k = R_{k−1} Rot(axis, θ_k), the joints are at
p_{k+1} = p_k + l R_k e_z and the mass centers in the middle. The velocities are V_{k+1} = V_k + ω_k × l R_k e_z, the
angular velocities ω_k = ω_{k−1} + θ̇_k R_{k−1} e.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_AXES = {"z": np.array([0.0, 0.0, 1.0]), "y": np.array([0.0, 1.0, 0.0])}


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about an axis by an angle, Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)


def energy(
    angles: Sequence[float], rates: Sequence[float], axes: str, length: float, mass: float,
    inertia: Sequence[float], gravity: float,
) -> float:  # fmt: skip
    """Kinetic and potential energy [J]; `axes` as "zyz", `inertia` about the links' own axes x, y, z [kg m²].

    A link that hangs level from its hinge about y, at rest, has the potential energy 0:

    >>> round(energy([np.pi / 2], [0.0], "y", 1.0, 2.0, (0.1, 0.1, 0.0), 9.81), 12)
    0.0
    """
    R, omega, p, V, total = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    for angle, rate, letter in zip(angles, rates, axes, strict=True):
        omega = omega + rate * (R @ _AXES[letter])
        R = R @ _turn(_AXES[letter], angle)
        along = R @ _AXES["z"]
        center, v = p + 0.5 * length * along, V + np.cross(omega, 0.5 * length * along)
        own = R.T @ omega
        total += 0.5 * mass * v @ v + 0.5 * own @ (np.asarray(inertia) * own) + mass * gravity * center[2]
        p, V = p + length * along, V + np.cross(omega, length * along)
    return float(total)
