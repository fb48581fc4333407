"""Natural frequencies of uniform shafts and bars: torsion and stretching with a body at the end, and Rayleigh's shaft.

Bars: G J ψ'' = −ρIp ω² ψ, and the same with EA and ρA for stretching. Clamped at 0, with the inertia J (the mass m) at
the end, and z = ω L √(ρIp/GJ):

    z tan z = ρIp L/J,   z = (k − ½) π without a body

Rayleigh's shaft, Rayleigh (1877) with the gyroscopic term of the discs, simply supported and round, turning at Ω; with
k = nπ/L and the sideways motion w = y + i z ~ sin kx e^{iωt} in axes that are fixed in space:

    (ρA + ρI k²) ω² − 2 ρI Ω k² ω − EI k⁴ = 0
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq


def bar(count: int, length: float, stiffness: float, density: float, body: float = 0.0) -> np.ndarray:
    """The first frequencies (count,) [rad/s] of a bar of GJ and ρIp, or of EA and ρA, with the inertia or the mass of a
    `body` at its end."""
    ratio = body / (density * length)

    def function(z: float) -> float:
        return float(ratio * z * np.sin(z) - np.cos(z))

    z = np.array([brentq(function, k * np.pi, (k + 0.75) * np.pi, xtol=1e-15) for k in range(count)])
    return np.asarray(z / length * np.sqrt(stiffness / density))


def rayleigh(n: int, length: float, EI: float, rhoA: float, rhoI: float, spin: float = 0.0) -> tuple[float, float]:
    """The frequencies [rad/s] of the n-th pair of whirling motions: the forward, and the backward one, negative."""
    k2 = (n * np.pi / length) ** 2
    mass, gyro = rhoA + rhoI * k2, rhoI * spin * k2
    root = np.sqrt(gyro**2 + mass * EI * k2**2)
    return float((gyro + root) / mass), float((gyro - root) / mass)
