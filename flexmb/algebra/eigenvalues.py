"""What eigenvalue problems of symmetric pencils share: size, round-off, rank."""

from __future__ import annotations

from typing import Any

import numpy as np

#: degrees of freedom up to which all eigenvalues are computed, by dense matrices
LARGEST_DENSE = 150
#: φᵀ K φ below this many units of round-off of its terms is zero
ROUND_OFF = 10.0 * np.finfo(float).eps
#: directions whose inertia is this part of the others' have none
NO_INERTIA = 1e-12


def use_dense(dense: bool | None, size: int, count: int) -> bool:
    """Whether to compute all eigenvalues: as asked, or for small problems and where many are wanted."""
    if dense is not None:
        return dense
    return size <= LARGEST_DENSE or 3 * count > size


def round_off(K: Any, shapes: np.ndarray) -> np.ndarray:
    """How far φᵀ K φ (c,) may be off by the round-off of its terms."""
    size = np.abs(shapes)
    return ROUND_OFF * np.sum(size * (abs(K) @ size), axis=0)


def inertia_rank(M: np.ndarray) -> int:
    """How many directions of a symmetric inertia matrix have inertia."""
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    size[size == 0.0] = 1.0
    return int(np.sum(np.linalg.eigvalsh(M / np.outer(size, size)) > NO_INERTIA))
