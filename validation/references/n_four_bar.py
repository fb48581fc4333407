"""The N-four-bar mechanism, IFToMM (n.d.), problem A02: a row of N parallelograms that falls over.

N + 1 upright rods stand on the ground 1 m apart, N level ones join their tops; all are uniform, of 1 m and 1 kg. With φ
from the level, the upright ones have the kinetic energy ½ (1/3) φ̇² each, and the level ones, which do not turn, ½ φ̇²:

    J φ̈ = −G cos φ,   J = (N + 1)/3 + N,   G = ((N + 1)/2 + N) g,   φ(0) = π/2,   φ̇(0) = −1

Whenever φ is a multiple of π all rods lie in one line, which the mechanism could also leave by other motions.
"""

from __future__ import annotations

import numpy as np

from . import mathematics

G = 9.81


def coefficients(windows: int) -> tuple[float, float]:
    """J [kg m²] and G [N m]."""
    return (windows + 1) / 3.0 + windows, ((windows + 1) / 2.0 + windows) * G


def motion(windows: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ [rad] and φ̇ [rad/s] at the times, from 0 on."""
    inertia, moment = coefficients(windows)

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -moment / inertia * np.cos(y[0])]

    phi, speed = mathematics.motion(rate, [0.5 * np.pi, -1.0], times)
    return phi, speed


def energy(windows: int, phi: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """½ J φ̇² + G sin φ [J]."""
    inertia, moment = coefficients(windows)
    return 0.5 * inertia * rate**2 + moment * np.sin(phi)
