"""Stresses of a flat ring that spins, in closed form (Timoshenko and Goodier (1951), article 32)."""

from __future__ import annotations

import numpy as np


def spinning_annulus(
    r: np.ndarray, inner: float, outer: float, nu: float, load: float
) -> tuple[np.ndarray, np.ndarray]:
    """Radial stress and hoop stress [Pa] at radii r (k,) of a thin ring in plane stress, both edges free; `load`, ρω².

    >>> radial, hoop = spinning_annulus(np.array([1.0, 2.0]), 1.0, 2.0, 0.3, 1.0)
    >>> (radial + 0.0).round(12).tolist(), hoop.round(3).tolist()
    ([0.0, 0.0], [3.475, 1.525])
    """
    r = np.asarray(r, dtype=float)
    k = (3.0 + nu) / 8.0 * load
    both, product = inner**2 + outer**2, (inner * outer) ** 2
    return (
        k * (both - product / r**2 - r**2),
        k * (both + product / r**2 - (1.0 + 3.0 * nu) / (3.0 + nu) * r**2),
    )
