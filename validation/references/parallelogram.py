"""The parallelogram linkage whose motion is exact: φ̈ = 1.2 g sin φ.

It is the closed chain of Takahashi (2012), §3.1.3, who prints its motion in diagrams only; the ground link is not
printed. Three moving uniform links of 1 m and 1 kg on a ground link of 1 m; both cranks stand at φ from the
upward vertical and the coupler translates. Kinetic energy: two cranks ½ (1/3) φ̇² each and the coupler
½ φ̇² make ½ (5/3) φ̇²; potential energy 2 g cos φ. So (5/3) φ̈ = 2 g sin φ. With ψ = φ − π this is a
pendulum ψ̈ = −1.2 g sin ψ; from rest at ψ0:

    sin(ψ/2) = k cd(Ω t, k²),   k = sin(ψ0/2),   Ω² = 1.2 g,   period 4 K(k²) / Ω

With cd' = −(1 − k²) sn/dn² and 1 − k² cd² = (1 − k²)/dn² the rate is  ψ' = −2 k Ω √(1 − k²) sn/dn.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

G = 9.81
START = np.deg2rad(135.0)
OMEGA = np.sqrt(1.2 * G)


def period(start: float = START) -> float:
    """Period of the motion from rest at the angle `start` [rad] from the upward vertical [s]."""
    k = np.sin((start - np.pi) / 2)
    return float(4.0 * ellipk(k**2) / OMEGA)


def angle(times: np.ndarray, start: float = START) -> np.ndarray:
    """φ [rad] from the upward vertical."""
    k = np.sin((start - np.pi) / 2)
    _, cn, dn, _ = ellipj(OMEGA * np.asarray(times, dtype=float), k**2)
    return np.pi + 2.0 * np.arcsin(k * cn / dn)


def rate(times: np.ndarray, start: float = START) -> np.ndarray:
    """φ̇ [rad/s]."""
    k = np.sin((start - np.pi) / 2)
    sn, _, dn, _ = ellipj(OMEGA * np.asarray(times, dtype=float), k**2)
    return -2.0 * k * OMEGA * np.sqrt(1.0 - k**2) * sn / dn


def acceleration(times: np.ndarray, start: float = START) -> np.ndarray:
    """φ̈ [rad/s²]."""
    return OMEGA**2 * np.sin(angle(times, start))
