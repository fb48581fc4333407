"""The Cholesky factors of a large sparse matrix, by dense fronts (Duff and Reid (1983)).

Each front of a nested dissection has the columns of its own coordinates and what earlier fronts hand on to them, as one
dense matrix [F₁₁, F₂₁ᵀ; F₂₁, F₂₂]. With F₁₁ = L₁₁L₁₁ᵀ and L₂₁ = F₂₁L₁₁⁻ᵀ it hands on F₂₂ − L₂₁L₂₁ᵀ. All of the work is
that of dense matrices, of which the lower triangles count, and what memory it needs is known before it begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from flexmb.algebra.dissection import Front, dissect
from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.machine.memory import check_memory

#: memory [bytes] up to which nobody is asked whether it is there
LITTLE = 1e8


@dataclass(frozen=True, eq=False)
class _Block:
    """The factors of a front: `own` and `rest`, the coordinates of its columns and of the rows below, in the order of
    elimination; `lower` L₁₁ and `below` L₂₁ in Fortran's order."""

    own: slice
    rest: np.ndarray
    lower: np.ndarray
    below: np.ndarray


class Cholesky:
    """A symmetric positive matrix in factors.

    Arguments: `matrix` (n, n), sparse; `places` (n, d) of its coordinates, from which the order of elimination comes;
    `where`, the beginning of messages.

    >>> line = scipy.sparse.diags([-np.ones(999), 2.5 * np.ones(1000), -np.ones(999)], [-1, 0, 1]).tocsr()
    >>> x = Cholesky(line, np.arange(1000.0)[:, None], "a line").solve(np.ones((1000, 1)))
    >>> float(np.abs(line @ x - 1.0).max()) < 1e-14
    True
    """

    def __init__(self, matrix: scipy.sparse.spmatrix, places: np.ndarray, where: str) -> None:
        A = matrix.tocsr()
        A.sort_indices()
        self.size = A.shape[0]
        fronts = dissect(A, places)
        self._order = np.concatenate([front.own for front in fronts]) if fronts else np.zeros(0, dtype=np.int64)
        rests = _rests(A, fronts)
        self.entries = sum(len(f.own) * (len(f.own) + len(r)) for f, r in zip(fronts, rests, strict=True))
        needed = _memory(fronts, rests)
        if needed > LITTLE:
            what = f"the factors of its stiffness matrix, with {self.size} coordinates and {self.entries:.3g} entries,"
            check_memory(needed, what, "take a coarser mesh, or a machine with more memory", where)
        self._blocks = _factorized(A, fronts, rests, where)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """x (n, k) of A x = b (n, k)."""
        x = np.asarray(b, dtype=float)[self._order]
        trsm = scipy.linalg.blas.dtrsm
        for block in self._blocks:
            if len(block.lower):
                y = trsm(1.0, block.lower, x[block.own], lower=1)
                x[block.own] = y
                if len(block.rest):
                    x[block.rest] -= block.below @ y
        for block in reversed(self._blocks):
            if len(block.lower):
                y = x[block.own]
                if len(block.rest):
                    y = y - block.below.T @ x[block.rest]
                x[block.own] = trsm(1.0, block.lower, y, lower=1, trans_a=1)
        result = np.empty_like(x)
        result[self._order] = x
        return result


def _rests(A: scipy.sparse.csr_matrix, fronts: list[Front]) -> list[np.ndarray]:
    """For each front the coordinates of later fronts that it touches, in the order of their elimination."""
    position = np.empty(A.shape[0], dtype=np.int64)
    order = np.concatenate([front.own for front in fronts]) if fronts else np.zeros(0, dtype=np.int64)
    position[order] = np.arange(len(order))
    rests: list[np.ndarray] = []
    end = 0
    for front in fronts:
        end += len(front.own)
        touched = [A[front.own].indices, *(rests[k] for k in front.before)]
        all_of = np.unique(position[np.concatenate(touched)])
        rests.append(order[all_of[all_of >= end]])
    return rests


def _memory(fronts: list[Front], rests: list[np.ndarray]) -> float:
    """The most memory [bytes] that factors, the present front and those handed on fill together."""
    factors, waiting, most = 0, 0, 0
    for front, rest in zip(fronts, rests, strict=True):
        k, m = len(front.own), len(rest)
        most = max(most, factors + waiting + 2 * (k + m) ** 2)
        waiting += m * m - sum(len(rests[b]) ** 2 for b in front.before)
        factors += k * (k + m)
        most = max(most, factors + waiting)
    return 8.0 * most


@compiled
def _add_lower(F, handed_on, local):
    """Add the lower triangle of what a front hands on to that of a later one, in which its rows are `local`, rising."""
    for j in range(len(local)):
        column = local[j]
        for i in range(j, len(local)):
            F[local[i], column] += handed_on[i, j]


def _factorized(A: scipy.sparse.csr_matrix, fronts: list[Front], rests: list[np.ndarray], where: str) -> list[_Block]:
    at, position = np.full(A.shape[0], -1, dtype=np.int64), np.empty(A.shape[0], dtype=np.int64)
    if fronts:
        position[np.concatenate([front.own for front in fronts])] = np.arange(A.shape[0])
    first = 0
    blocks: list[_Block] = []
    waiting: dict[int, np.ndarray] = {}
    for number, (front, rest) in enumerate(zip(fronts, rests, strict=True)):
        k, size = len(front.own), len(front.own) + len(rest)
        at[front.own], at[rest] = np.arange(k), np.arange(k, size)
        F = np.zeros((size, size), order="F")
        rows = A[front.own]
        columns = at[rows.indices]
        owner = np.repeat(np.arange(k), np.diff(rows.indptr))
        later = columns >= 0  # what was eliminated before is in what is handed on
        F[columns[later], owner[later]] = rows.data[later]
        for before in front.before:
            if len(rests[before]):
                _add_lower(F, waiting.pop(before), at[rests[before]])
        at[front.own], at[rest] = -1, -1
        lower, failed = scipy.linalg.lapack.dpotrf(F[:k, :k], lower=1, clean=1) if k else (F[:0, :0], 0)
        if failed:
            raise ModelError(
                f"{where}: its stiffness matrix is not positive where its interfaces are held: elimination ends at "
                f"coordinate {int(front.own[max(failed, 1) - 1])}; look for loose parts, or a body that is not stable"
            )
        below = np.asfortranarray(F[k:, :k])
        if k and size > k:
            below = scipy.linalg.blas.dtrsm(1.0, lower, below, side=1, lower=1, trans_a=1, overwrite_b=1)
            left = np.asfortranarray(F[k:, k:])
            waiting[number] = scipy.linalg.blas.dsyrk(-1.0, below, 1.0, left, lower=1, overwrite_c=1)
        elif size > k:
            waiting[number] = F
        blocks.append(_Block(slice(first, first + k), position[rest], np.asfortranarray(lower), below))
        first += k
    return blocks
