"""Frequencies of a free square plate without shear: Ritz's method with Legendre polynomials, without flexmb."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh


def frequencies(count: int, poissons_ratio: float, terms: int = 16) -> np.ndarray:
    """ω a² √(ρh/D) of the first elastic modes (count,) of a plate of the side a; rigid motions are left out.

    With the deflection w(x, y) = Σ c_mn P_m(x) P_n(y) on the square from −1 to 1, of the side 2, the strain energy is
    ½ D ∫ w_xx² + w_yy² + 2ν w_xx w_yy + 2(1 − ν) w_xy² dA.
    """
    x, weights = legendre.leggauss(terms + 2)
    P = [np.stack([legendre.legval(x, legendre.legder(np.eye(terms)[k], d)) for k in range(terms)]) for d in range(3)]

    def integral(a: int, b: int) -> np.ndarray:
        return np.asarray((P[a] * weights) @ P[b].T)

    nu = poissons_ratio
    K = np.kron(integral(2, 2), integral(0, 0)) + np.kron(integral(0, 0), integral(2, 2))
    mixed = np.kron(integral(2, 0), integral(0, 2))
    K += nu * (mixed + mixed.T) + 2.0 * (1.0 - nu) * np.kron(integral(1, 1), integral(1, 1))
    M = np.kron(integral(0, 0), integral(0, 0))
    values = eigh(K, M, eigvals_only=True, subset_by_index=[0, count + 2])
    return 4.0 * np.sqrt(values[3:])  # a = 2: ω a² is four times ω
