"""Which poles of a linear model its inputs do not reach, told from what rounding leaves in its matrices."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.sparse import csgraph

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.machine.threads import threads_by_size

#: a pole is uncontrollable if the least singular value of [A − λ, B] is below this part of its size
REACH = 1e-9
#: an entry below this part of the others in its row and column is left from rounding
NOISE = 1e-12
#: poles are apart if their distance exceeds this part of the size of A
APART = 1e-9


@threads_by_size
def unreached_poles(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Eigenvalues of A at which [A − λ, B] loses rank, after states and inputs are scaled to a common size."""
    scale = _common_size(A, B)
    balanced = A * scale / scale[:, None]
    B = B / scale[:, None]
    size = np.linalg.norm(balanced, 2)
    columns = np.linalg.norm(B, axis=0)
    B = B * (size / np.where(columns > 0.0, columns, 1.0))
    values, left = scipy.linalg.eig(balanced, left=True, right=False)
    # A pole that is apart from the others is reached if its left eigenvector times B is not zero.
    gaps = np.abs(values[:, None] - values[None, :]) + np.where(np.eye(len(values)), np.inf, 0.0)
    alone = np.min(gaps, axis=1, initial=np.inf) > APART * size
    reached = np.linalg.norm(left.conj().T @ B, axis=1) > REACH * size
    lost: list[complex] = []
    for pole in values[~(alone & reached)]:
        pencil = np.hstack([balanced - pole * np.eye(len(A)), B])
        if np.linalg.svd(pencil, compute_uv=False)[-1] <= REACH * size:
            if all(abs(pole - other) > 1e-6 * max(abs(pole), 1e-6 * size) for other in lost):
                lost.append(complex(pole))
    return np.array(lost)


def _common_size(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Units (k,) of the states in which A is balanced, part by part.

    A plant drives a filter, but the filter does not act back on it. Balancing both as a whole would make the coupling
    between such parts arbitrarily small. So each strongly connected part is balanced by itself, and its unit is chosen
    so that the entries that drive it are of the size of its own entries.
    """
    scale = np.ones(len(A))
    A = _without_rounding(A)
    count, label = csgraph.connected_components(A != 0.0, connection="strong")
    parts = [np.flatnonzero(label == c) for c in range(count)]
    for own in parts:
        scale[own] = in_like_units(A[np.ix_(own, own)])[1]
    size_of_B = np.abs(B / scale[:, None])
    B = np.where(size_of_B > NOISE * size_of_B.max(axis=0, initial=0.0), B, 0.0)  # the rest comes from rounding
    left = set(range(count))
    before = [
        {int(label[j]) for j in np.flatnonzero(np.any(A[own] != 0.0, axis=0))} - {c} for c, own in enumerate(parts)
    ]
    while left:
        c = min(c for c in left if not before[c] & left)
        left.remove(c)
        own = parts[c]
        others = np.flatnonzero(label != c)
        inside = A[np.ix_(own, own)] * scale[own] / scale[own][:, None]
        drive = np.abs(A[np.ix_(own, others)] * scale[others] / scale[own][:, None]).max(initial=0.0)
        drive = max(drive, np.abs(B[own] / scale[own][:, None]).max(initial=0.0))
        size = np.abs(inside).max(initial=0.0)
        if drive > 0.0 and size > 0.0:
            scale[own] *= drive / size
    return scale


def _without_rounding(A: np.ndarray) -> np.ndarray:
    """A without the entries that are negligible both in their row and in their column."""
    size = np.abs(A)
    least = NOISE * np.minimum(size.max(axis=1, initial=0.0)[:, None], size.max(axis=0, initial=0.0))
    return np.where(size > least, A, 0.0)
