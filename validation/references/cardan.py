"""Two shafts in a universal joint: the ratio of their speeds, and their free spin.

The pins of the joint are p₁ across the shaft u₁ and p₂ across u₂, with p₁ · p₂ = 0. The relative angular velocity
ω₂ u₂ − ω₁ u₁ lies in their plane, so that with c = p₁ × p₂

    ω₂/ω₁ = (u₁ · c)/(u₂ · c) = cos β/(1 − sin²β cos²φ)

where β is the bend and φ the angle of the pin p₁ from the plane of the shafts. Angles go by tan φ₂ = cos β tan φ₁, with
φ₂ that of the normal of the plane from p₂. With inertias J₁ and J₂ about their own axes and no load the energy
½ (J₁ + J₂ (ω₂/ω₁)²) ω₁² is kept, so a turn of both takes the time ∮ √((J₁ + J₂ (ω₂/ω₁)²)/2E) dφ.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


def ratio(phi: np.ndarray, bend: float) -> np.ndarray:
    """ω₂/ω₁ where the pin of the first shaft stands at the angle φ from the plane of both."""
    return np.cos(bend) / (1.0 - np.sin(bend) ** 2 * np.cos(phi) ** 2)


def turned(phi: np.ndarray, bend: float) -> np.ndarray:
    """The turn of the second shaft [rad] when the first has turned by φ from a start with its pin in the plane."""
    whole = 2.0 * np.pi * np.round(phi / (2.0 * np.pi))
    rest = np.arctan2(np.sin(phi), np.cos(bend) * np.cos(phi))
    return whole + rest


def free_spin(t: float, bend: float, inertias: tuple[float, float], speed: float) -> float:
    """The turn [rad] of the first shaft after a time t without load, from a start with its pin in the plane of the
    shafts and its `speed` [rad/s]."""

    def root(phi: float) -> float:
        return float(np.sqrt(inertias[0] + inertias[1] * ratio(np.array(phi), bend) ** 2))

    goal = root(0.0) * speed * t
    half, _ = quad(root, 0.0, np.pi, epsabs=1e-12, epsrel=1e-13)
    halves = np.floor(goal / half)
    left = goal - halves * half

    def off(phi: float) -> float:
        return quad(root, 0.0, phi, epsabs=1e-12, epsrel=1e-13)[0] - left

    return float(halves * np.pi + brentq(off, 0.0, np.pi, xtol=1e-15, rtol=1e-15))
