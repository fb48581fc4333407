"""Natural frequencies of uniform shafts and bars: torsion and stretching with a body at the end, and Rayleigh's shaft.

Bars: G J ψ'' = −ρIp ω² ψ, and the same with EA and ρA for stretching. Clamped at 0, with the inertia J (the mass m) at
the end, and z = ω L √(ρIp/GJ):

    z tan z = ρIp L/J,   z = (k − ½) π without a body

By Ritz' method with η and sin kπη, η = x/L, the bar has the matrices GJ/L diag(1, (kπ)²/2) and, with ρIp L,
∫ η² = 1/3, ∫ η sin kπη = (−1)^{k+1}/(kπ), ∫ sin² = ½. By η, …, ηⁿ they are GJ/L ij/(i + j − 1) and ρIp L/(i + j + 1).

Rayleigh's shaft, Rayleigh (1877) with the gyroscopic term of the disks, simply supported and round, turning at Ω; with
k = nπ/L and the sideways motion w = y + i z ~ sin kx e^{iωt} in axes that are fixed in space:

    (ρA + ρI k²) ω² − 2 ρI Ω k² ω − EI k⁴ = 0

Its critical speeds, ω = Ω and ω = −Ω, are k² √(EI/(ρA − ρI k²)) and k² √(EI/(ρA + 3 ρI k²)).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.optimize import brentq


def bar(count: int, length: float, stiffness: float, density: float, body: float = 0.0) -> np.ndarray:
    """The first frequencies (count,) [rad/s] of a bar of GJ and ρIp, or of EA and ρA, with the inertia or the mass of a
    `body` at its end."""
    ratio = body / (density * length)

    def function(z: float) -> float:
        return float(ratio * z * np.sin(z) - np.cos(z))

    z = np.array([brentq(function, k * np.pi, (k + 0.75) * np.pi, xtol=1e-15) for k in range(count)])
    return np.asarray(z / length * np.sqrt(stiffness / density))


def bar_by_ritz(sines: int, length: float, stiffness: float, density: float) -> np.ndarray:
    """The frequencies (1 + sines,) [rad/s] of a bar without a body, by η and so many sines."""
    k = np.arange(1, sines + 1)
    K = stiffness / length * np.diag([1.0, *(0.5 * (k * np.pi) ** 2)])
    M = density * length * np.diag([1.0 / 3.0, *(0.5 * np.ones(sines))])
    M[0, 1:] = M[1:, 0] = density * length * (-1.0) ** (k + 1) / (k * np.pi)
    return np.asarray(np.sqrt(scipy.linalg.eigvalsh(K, M)))


def bar_by_powers(degree: int, length: float, stiffness: float, density: float) -> np.ndarray:
    """The same (degree,) by the powers of η up to this degree."""
    i, j = np.ogrid[1 : degree + 1, 1 : degree + 1]
    K, M = stiffness / length * i * j / (i + j - 1), density * length / (i + j + 1)
    return np.asarray(np.sqrt(scipy.linalg.eigvalsh(K, M)))


def rayleigh(n: int, length: float, EI: float, rhoA: float, rhoI: float, spin: float = 0.0) -> tuple[float, float]:
    """The frequencies [rad/s] of the n-th pair of whirling motions: the forward, and the backward one, negative."""
    k2 = (n * np.pi / length) ** 2
    mass, gyro = rhoA + rhoI * k2, rhoI * spin * k2
    root = np.sqrt(gyro**2 + mass * EI * k2**2)
    return float((gyro + root) / mass), float((gyro - root) / mass)


def critical_speeds(n: int, length: float, EI: float, rhoA: float, rhoI: float) -> tuple[float, float]:
    """The speeds [rad/s] at which the n-th forward and the n-th backward whirling motion go round as fast as the shaft
    turns."""
    k2 = (n * np.pi / length) ** 2
    return float(k2 * np.sqrt(EI / (rhoA - rhoI * k2))), float(k2 * np.sqrt(EI / (rhoA + 3.0 * rhoI * k2)))
