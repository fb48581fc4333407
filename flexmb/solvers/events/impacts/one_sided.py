"""Linear complementarity with a matrix that is symmetric and not negative: which of many one-sided conditions hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

#: eigenvalues below this fraction of the largest count as zero
ZERO = 1e-12
#: entries of x and conditions below this fraction of the largest count as zero
SMALL = 1e-9
#: a part of the largest eigenvalue, added to all of them: it selects, where x is not unique, that of least norm
LEAST = 1e-13


class OneSided(NamedTuple):
    """Numbers x (k,), and whether they are the only ones."""

    x: np.ndarray
    unique: bool


def one_sided(D: np.ndarray, b: np.ndarray) -> OneSided:
    """x (k,) with 0 ≤ x ⊥ D x + b ≥ 0 for a symmetric matrix D (k, k) without negative eigenvalues, b in its range.

    It is where ½ xᵀD x + bᵀx is least for x ≥ 0. D x is unique; if x is not, this is the one of least norm.

    >>> one_sided(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-2.0, 1.0])).x.tolist()
    [1.0, 0.0]
    >>> found = one_sided(np.ones((2, 2)), np.array([-2.0, -2.0]))
    >>> found.x.round(9).tolist(), found.unique
    ([1.0, 1.0], False)
    """
    if len(b) == 1:
        return OneSided(np.maximum(-b / D[0], 0.0), True)
    values, vectors = np.linalg.eigh(0.5 * (D + D.T))
    kept = values > ZERO * max(values[-1], 0.0)
    root = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    right = -(vectors[:, kept].T @ b) / np.sqrt(values[kept])
    bounded = np.vstack([root, np.sqrt(LEAST * values[-1]) * np.eye(len(b))])
    x, _ = scipy.optimize.nnls(bounded, np.concatenate([right, np.zeros(len(b))]))
    size = float(np.max(np.abs(b), initial=0.0))
    on = (x > SMALL * x.max(initial=0.0)) | (np.abs(D @ x + b) <= SMALL * size)
    unique = bool(not on.any() or np.linalg.matrix_rank(root[:, on], tol=1e-6 * np.sqrt(values[-1])) == on.sum())
    places = x > SMALL * x.max(initial=0.0)
    again = np.zeros(len(b))
    again[places] = np.linalg.lstsq(D[np.ix_(places, places)], -b[places], rcond=1e-11)[0]
    good = again.min(initial=0.0) >= 0.0 and np.min(D @ again + b, initial=0.0) >= -SMALL * size
    return OneSided(again if good else x, unique)
