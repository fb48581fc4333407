"""The parallelogram linkage whose motion is exact: φ̈ = 1.2 g sin φ.

It is the closed chain of Takahashi (2012), §3.1.3, who prints its motion in diagrams only; the ground link is not
printed. Three moving uniform links of 1 m and 1 kg on a ground link of 1 m; both cranks stand at φ from the
upward vertical and the coupler translates. Kinetic energy: two cranks ½ (1/3) φ̇² each and the coupler
½ φ̇² make ½ (5/3) φ̇²; potential energy 2 g cos φ. So (5/3) φ̈ = 2 g sin φ. With ψ = φ − π this is a
pendulum ψ̈ = −1.2 g sin ψ; from rest at ψ0:

    sin(ψ/2) = k cd(Ω t, k²),   k = sin(ψ0/2),   Ω² = 1.2 g,   period 4 K(k²) / Ω

With cd' = −(1 − k²) sn/dn² and 1 − k² cd² = (1 − k²)/dn² the rate is  ψ' = −2 k Ω √(1 − k²) sn/dn.

All rods lie in one line where φ is 90° or 270°: the linkage is laid flat, and could part there. From rest at ψ0 below
−90° it comes there, since cd u = sn(u + K), at Ω t = K − F, K + F, 3 K − F, 3 K + F …, F = F(arcsin(sin 45°/|k|), k²).
From rest at 60° (§3.3) these are five times in 3 s.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk, ellipkinc

G = 9.81
START = np.deg2rad(135.0)
#: from here it goes through the positions in which it is laid flat
THROUGH_FLAT = np.deg2rad(60.0)
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


def flat(end: float, start: float = THROUGH_FLAT) -> np.ndarray:
    """The times [s] up to an end at which all rods lie in one line."""
    k = abs(np.sin((start - np.pi) / 2))
    whole, part = ellipk(k**2), ellipkinc(np.arcsin(np.sqrt(0.5) / k), k**2)
    count = int(end / period(start)) + 1
    times = np.array([odd * whole + sign * part for odd in range(1, 4 * count, 2) for sign in (-1, 1)]) / OMEGA
    return np.asarray(times[times <= end])


def energy(phi: np.ndarray, turning: np.ndarray) -> np.ndarray:
    """Kinetic and potential energy [J], zero at the height of the feet."""
    return np.asarray(5.0 / 6.0 * turning**2 + 2.0 * G * np.cos(phi))
