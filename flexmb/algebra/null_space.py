"""The motions that joints leave free: a basis Z (n, n − m) of all δq with G δq = 0.

The last columns of the orthogonal matrix of a QR factorisation of Gᵀ, with coordinates and rows scaled to the size of
the mechanism, span them: with q = S q̂ and row scales r,  (G S / r)ᵀ = Q [R; 0],  Z = S Q₂. So Z is orthonormal in the
scaled coordinates. See Kim and Vanderploeg (1986).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from flexmb.errors import RedundancyError

#: a diagonal of the triangular factor this much smaller than the first one is zero
RELATIVE_RANK = 1e-9


def null_space(G: np.ndarray, scale: np.ndarray, row_scale: np.ndarray, where: str) -> np.ndarray:
    """Z (n, n − m) with G Z = 0, of full rank.

    Arguments: `G` (m, n), dense; `scale` (n,) and `row_scale` (m,), the sizes of coordinates and rows; `where`, for the
    message when rows depend on each other.

    >>> null_space(np.array([[1.0, 0.0, 0.0]]), np.ones(3), np.ones(1), "example").round(12).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    m = len(G)
    Q, R, _ = scipy.linalg.qr((G / row_scale[:, None] * scale).T, pivoting=True)
    diagonal = np.abs(np.diag(R))
    if m and (m > G.shape[1] or diagonal[-1] <= RELATIVE_RANK * diagonal[0]):
        raise RedundancyError(
            f"{where}: constraint rows depend on each other in this position (singular position, or redundant joints); "
            "move away from it, or use redundant='remove'"
        )
    return scale[:, None] * Q[:, m:]
