"""The largest eigenvalues of an operator in a space with an inner product of its own, by Lanczos's method in blocks.

For K φ = λ M φ the operator is A = K⁻¹M, symmetric in the inner product uᵀMv, with the eigenvalues θ = 1/λ. Blocks Q_j,
orthonormal to all before, follow from A Q_j; in them A is T = QᵀM A Q, and for an eigenvector y of T what A Q y has
outside of the blocks is the error of the pair (Grimes, Lewis and Simon (1994)). Several right sides at once cost a
solution by factors much less each, since the factors are read once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: columns of a block
BLOCK = 8
#: blocks end where a new one has less than this part of its columns outside of those before
NOTHING_NEW = 1e-12

Apply = Callable[[np.ndarray], np.ndarray]


def lowest_modes(
    apply: Apply, mass: Any, count: int, *, tolerance: float, most: int, tell: Callable[[int], None] = lambda done: None
) -> tuple[np.ndarray, np.ndarray]:
    """The `count` smallest λ of K φ = λ M φ in rising order, and shapes (n, count) with φᵀMφ = 1.

    Arguments: `apply`, K⁻¹ of forces (n, k), or another inverse that is symmetric; `mass` M (n, n); `tolerance`, error
    of the eigenvalues of K⁻¹M as a part of each; `most`, number of eigenvalues that there are, or more; `tell`, called
    with the number of solutions after each block. Fewer are given if there are no more.

    >>> import scipy.sparse as sp
    >>> K = np.arange(1.0, 301.0)[:, None]
    >>> values, shapes = lowest_modes(lambda f: f / K, sp.eye(300), 3, tolerance=1e-12, most=300)
    >>> values.round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    n = mass.shape[0]
    width = min(BLOCK, most)
    X = apply(mass @ np.random.default_rng(0).normal(size=(n, width)))
    Q: list[np.ndarray] = []
    T = np.zeros((0, 0))
    solved = width
    while True:
        new, M_new = _orthonormal(X, mass, Q)
        if not new.shape[1]:
            break
        Q.append(new)
        X = apply(M_new)
        solved += new.shape[1]
        tell(solved)
        MX = mass @ X
        columns, old = np.concatenate([block.T @ MX for block in Q]), len(T)
        T = np.block([[T, columns[:old]], [columns[:old].T, 0.5 * (columns[old:] + columns[old:].T)]])
        X = X - _sum(Q, columns)
        if len(T) >= min(count, most):
            theta, y = np.linalg.eigh(T)
            theta, y = theta[::-1][:count], y[:, ::-1][:, :count]
            left = X.T @ (mass @ X)
            errors = np.sqrt(np.maximum(np.einsum("ki,kl,li->i", y[old:], left, y[old:]), 0.0))
            if np.all(errors <= tolerance * theta) or len(T) >= most:
                break
    theta, y = np.linalg.eigh(T)
    theta, y = theta[::-1][:count], y[:, ::-1][:, :count]
    return 1.0 / theta, _sum(Q, y)


def _sum(Q: list[np.ndarray], parts: np.ndarray) -> np.ndarray:
    """Q parts (n, k) of blocks side by side, none of which is copied."""
    ends = np.cumsum([block.shape[1] for block in Q])
    result = np.zeros((len(Q[0]), parts.shape[1]))
    for block, part in zip(Q, np.split(parts, ends[:-1]), strict=True):
        result += block @ part
    return result


def _orthonormal(X: np.ndarray, mass: Any, Q: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """What a block X (n, k) has outside of Q, orthonormal by M, with its products by M; columns that are parallel to
    others are left out."""
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", X, mass @ X), 0.0))
    X = X[:, size > 0.0] / size[size > 0.0]
    MX = mass @ X
    for least in (NOTHING_NEW**2, 0.5):  # the second time for the rounding of the first
        if Q:
            X = X - _sum(Q, np.concatenate([block.T @ MX for block in Q]))
        MX = mass @ X
        values, vectors = np.linalg.eigh(X.T @ MX)
        turn = vectors[:, values > least] / np.sqrt(values[values > least])
        X, MX = X @ turn, MX @ turn
    return X, MX
