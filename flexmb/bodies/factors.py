"""Factors of a symmetric positive sparse matrix."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg


class Factor(Protocol):
    """What a factorization answers."""

    def solve(self, b: np.ndarray) -> np.ndarray:
        """x (n, k) of A x = b (n, k)."""


def factorize(matrix: sp.spmatrix, places: np.ndarray, where: str) -> Factor:
    """Factors of a symmetric positive matrix (n, n); `places` (n, d) of its coordinates."""
    return scipy.sparse.linalg.splu(matrix.tocsc())
