"""Square parts of the constraint Jacobian, the columns of dependent coordinates in the same number of rows, and their
factors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.sparse_order import analyse
from flexmb.algebra.sparse_storage import Factor
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.system.system import System


@by_reference
class Square(NamedTuple):
    """A square part of G: its rows and columns (`dependent`), the indices `places` of its entries in the matrix of the
    system, its values, and memory for its factors."""

    rows: np.ndarray
    dependent: np.ndarray
    places: np.ndarray
    values: np.ndarray
    lu: Factor

    @classmethod
    def of(cls, system: System, rows: np.ndarray, dependent: np.ndarray) -> Square:
        """The part of a system's G with these rows and columns."""
        n, m = system.n, len(rows)
        if system.pattern is None:
            column, row = np.meshgrid(dependent, np.arange(m), indexing="ij")
            places = ((n + rows[row]) * system.plan.size + column).ravel()
            indptr = np.arange(m + 1) * m
            indices = row.ravel()
        else:
            P = system.pattern
            number = np.full(system.plan.size, -1)
            number[n + rows] = np.arange(m)
            parts = [np.arange(P.indptr[c], P.indptr[c + 1]) for c in dependent]
            parts = [part[number[P.indices[part]] >= 0] for part in parts]
            places = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
            indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            indices = number[P.indices[places]]
        if not m:
            indptr, indices = np.array([0, 1]), np.zeros(1)  # compiled code needs some factors
        symbolic = analyse(len(indptr) - 1, len(indptr) - 1, indptr.astype(np.int64), indices.astype(np.int64))
        lu = sparse_storage.allocate(symbolic)
        return cls(
            rows.astype(np.int64), dependent.astype(np.int64), places.astype(np.int64), np.zeros(len(places)), lu
        )

    def factorized(self, system: System, t: float, q: np.ndarray) -> tuple[int, float, Square]:
        """Factorize the part at a position; returns the status, an estimate of the reciprocal condition, and the part
        with its factors."""
        if not len(self.rows):
            return sparse_storage.OK, 1.0, self
        zero = np.zeros(system.n)
        full = system.matrix(t, q[: system.nq], zero, zero, np.zeros(system.m), (0.0, 0.0, 0.0))
        self.values[:] = (full.ravel() if isinstance(full, np.ndarray) else full.data)[self.places]
        status, lu = sparse_lu.factorize_growing(self.lu, self.values)
        quality = float(sparse_solve.rcond_estimate(lu)) if status == sparse_storage.OK else 0.0
        return status, quality, self._replace(lu=lu)

    def enlarged(self) -> Square:
        """A copy with more memory for the factors."""
        return self._replace(lu=sparse_storage.enlarge(self.lu))

    @property
    def pivots(self) -> float:
        """The smallest pivot, as a part of the largest."""
        return float(sparse_solve.rcond_estimate(self.lu)) if len(self.rows) else 1.0


@called(int)
def factorize_part(part, values):
    """Factorize a part of the matrix with the given values; returns the status."""
    for k in range(part.places.shape[0]):
        part.values[k] = values[part.places[k]]
    return sparse_lu.factorize(part.lu, part.values)
