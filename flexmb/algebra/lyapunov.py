"""Lyapunov's equation, and the units in which matrices of motions lose no digits.

Positions and rates of stiff mechanisms differ by many powers of ten. An eigenvalue, an exponential or a Schur form is
accurate to the largest entry of its matrix, so rows and columns are first brought to a like size.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg


def in_like_units(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A[i, j] s[j]/s[i], with rows and columns of a like size, and the units s (k,) of the states, powers of two.

    >>> A, scale = in_like_units(np.array([[0.0, 1.0], [-65536.0, 0.0]]))
    >>> A.tolist(), float(scale[1] / scale[0])
    ([[0.0, 256.0], [-256.0, 0.0]], 256.0)
    """
    A, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    return A, scale


def solve_lyapunov(A: np.ndarray, W: np.ndarray, *, discrete: bool = False) -> np.ndarray:
    """V of  A V + V Aᵀ + W = 0, or of  A V Aᵀ − V + W = 0  with `discrete`, for a symmetric W (k, k); by a Schur form.

    >>> solve_lyapunov(np.array([[-2.0]]), np.array([[4.0]])).tolist()
    [[1.0]]
    """
    A, scale = in_like_units(A)
    W = W / np.outer(scale, scale)
    if discrete:
        V = scipy.linalg.solve_discrete_lyapunov(A, W)
    else:
        V = scipy.linalg.solve_continuous_lyapunov(A, -W)
    return 0.5 * (V + V.T) * np.outer(scale, scale)
