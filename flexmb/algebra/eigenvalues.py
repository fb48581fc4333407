"""Eigenvalue problems and their relatives: when to use dense matrices, round-off, scaling, Lyapunov's equation.

Positions and rates of stiff mechanisms differ by many powers of ten. An eigenvalue, an exponential or a Schur form is
accurate relative to the largest entry of its matrix, so rows and columns are first scaled to a similar size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

#: largest number of degrees of freedom for which all eigenvalues are computed, with dense matrices
LARGEST_DENSE = 150
#: φᵀ K φ counts as zero below this fraction of the sum of the absolute values of its terms
ROUND_OFF = 10.0 * np.finfo(float).eps
#: an eigenvalue of the scaled inertia matrix below this marks a direction without inertia
NO_INERTIA = 1e-12


def use_dense(dense: bool | None, size: int, count: int) -> bool:
    """Whether to compute all eigenvalues with dense matrices: `dense` if given, else for small problems and where many
    are wanted."""
    if dense is not None:
        return dense
    return size <= LARGEST_DENSE or 3 * count > size


def round_off(K: Any, shapes: np.ndarray) -> np.ndarray:
    """Bound (c,) of the error of φᵀ K φ by round-off of its terms."""
    size = np.abs(shapes)
    return ROUND_OFF * np.sum(size * (abs(K) @ size), axis=0)


def inertia_rank(M: np.ndarray) -> int:
    """Number of directions in which a symmetric inertia matrix has inertia."""
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    size[size == 0.0] = 1.0
    return int(np.sum(np.linalg.eigvalsh(M / np.outer(size, size)) > NO_INERTIA))


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
