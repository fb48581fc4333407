"""Linear systems: a matrix is factorized once, then used for many right-hand sides.

The compiled solvers have factors of their own, whose order is found once for many matrices of one pattern. This file
serves the analyses, which factorize each of their matrices anew. For a small dense matrix that is used once and cannot
be singular, numpy.linalg.solve suffices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy

Solver = Callable[[np.ndarray], np.ndarray]


class Factors:
    """The triangular factors of a square matrix: LAPACK's if it is dense, SuperLU's if it is sparse.

    A matrix with a pivot that is zero raises numpy's LinAlgError; one that is singular up to round-off does not.

    Arguments: `A` (k, k), an array or a sparse one, real or complex; `diagonal`: a pivot of a sparse one is taken from
    the diagonal if it is at least this fraction of the largest in its column.

    >>> factors = Factors(np.array([[0.0, 2.0], [4.0, 0.0]]))
    >>> factors.solve(np.array([1.0, 1.0])).tolist(), factors.sign
    ([0.25, 0.5], -1.0)
    """

    def __init__(self, A: Any, *, diagonal: float = 1.0) -> None:
        self.size = A.shape[0]
        self.dense = isinstance(A, np.ndarray)
        zero = 0
        if not self.dense:
            try:
                self._lu = scipy.sparse.linalg.splu(scipy.sparse.csc_array(A), diag_pivot_thresh=diagonal)
            except RuntimeError:  # SuperLU reports a singular matrix in this manner
                zero = 1
        elif self.size:
            factorize, self._substitute = scipy.linalg.lapack.get_lapack_funcs(("getrf", "getrs"), (A,))
            self._lu, self._pivots, zero = factorize(A)
        if zero:
            raise np.linalg.LinAlgError("a pivot is zero")

    def solve(self, b: np.ndarray) -> np.ndarray:
        """x (k,) or (k, c) with A x = b."""
        return self._solve(b, 0)

    def solve_transposed(self, b: np.ndarray) -> np.ndarray:
        """x (k,) or (k, c) with Aᵀ x = b."""
        return self._solve(b, 1)

    def _solve(self, b: np.ndarray, transposed: int) -> np.ndarray:
        if not b.size:
            return np.zeros(b.shape)
        if not self.dense:
            return np.asarray(self._lu.solve(b, trans="NT"[transposed]))
        return np.asarray(self._substitute(self._lu, self._pivots, b, trans=transposed)[0])

    @property
    def pivots(self) -> float:
        """The smallest pivot of a dense matrix, as a part of the largest: a cheap indicator of its condition.

        >>> Factors(np.diag([4.0, 1.0])).pivots
        0.25
        """
        sizes = np.abs(np.diag(self._lu)) if self.size else np.ones(1)
        return float(sizes.min() / sizes.max())

    @cached_property
    def sign(self) -> float:
        """The sign of the determinant of a real matrix."""
        if self.dense:
            diagonal, swaps = np.diag(self._lu), int(np.sum(self._pivots != np.arange(self.size)))
        else:
            diagonal, swaps = self._lu.U.diagonal(), _swaps(self._lu.perm_r) + _swaps(self._lu.perm_c)
        return float(np.prod(np.sign(diagonal))) * (-1.0) ** swaps


def _swaps(order: np.ndarray) -> int:
    """Number of transpositions that make up a permutation: for each cycle, one less than its length."""
    k = len(order)
    cycles, _ = scipy.sparse.csgraph.connected_components(
        scipy.sparse.coo_array((np.ones(k), (np.arange(k), order)), shape=(k, k))
    )
    return k - int(cycles)


def dense(A: Any) -> np.ndarray:
    """A matrix, dense or sparse, as an array."""
    return A if isinstance(A, np.ndarray) else np.asarray(A.toarray())


def bordered(A: Any, below: Any, right: Any = None, corner: Any = None) -> Any:
    """[A right; below corner], dense if A is, else sparse; `right` is belowᵀ and `corner` zero when not given.

    Equations with constraints have a saddle-point matrix, [A Gᵀ; G 0]; a singular matrix, or that of a curve, becomes
    regular when it is bordered by a column and a row.

    >>> bordered(np.eye(2), np.array([[3.0, 4.0]])).tolist()
    [[1.0, 0.0, 3.0], [0.0, 1.0, 4.0], [3.0, 4.0, 0.0]]
    """
    right = below.T if right is None else right
    if isinstance(A, np.ndarray):
        return np.block([[A, right], [below, np.zeros((len(below), right.shape[1])) if corner is None else corner]])
    blocks = [[A, right], [below, corner]]
    return scipy.sparse.csc_array(
        scipy.sparse.block_array([[None if x is None else scipy.sparse.csc_array(x) for x in row] for row in blocks])
    )


#: Up to this many unknowns a saddle-point matrix that is solved once is dense: sparse blocks take 0.5 ms to join
SMALL = 100


def saddle_factors(A: Any, G: Any) -> Factors:
    """The factors of the saddle-point matrix [A Gᵀ; G 0], dense where it is small.

    >>> saddle_factors(np.eye(2), np.array([[3.0, 4.0]])).solve(np.array([0.0, 0.0, 1.0])).round(12).tolist()
    [0.12, 0.16, -0.04]
    """
    if sum(G.shape) <= SMALL:
        A, G = dense(A), dense(G)
    return Factors(bordered(A, G))


def saddle_solver(A: scipy.sparse.csc_array, G: scipy.sparse.csc_array | None) -> Solver | None:
    """b (n,) ↦ x with A x + Gᵀ μ = b, G x = 0; None where that is singular.

    The rows of G are scaled to the size of A, so that their pivots can be compared.
    """
    n = A.shape[0]
    if G is not None:
        worth = float(np.max(np.abs(A.diagonal()))) or 1.0
        A = bordered(A, worth * G)
    A.eliminate_zeros()
    try:
        factors = Factors(A, diagonal=0.1)
    except np.linalg.LinAlgError:
        return None
    return refined(A, factors.solve, n)


def refined(A: scipy.sparse.csc_array, solve_once: Solver, n: int, worth: float = 1.0) -> Solver | None:
    """b (n,) ↦ the first n unknowns of A x = (b/worth, 0) with the function `solve_once`, and one step of iterative
    refinement if it is needed; None if the solution is not finite."""
    m = A.shape[0] - n
    b0 = np.concatenate([np.random.default_rng(1).normal(size=n), np.zeros(m)])
    x0 = solve_once(b0)
    if not np.all(np.isfinite(x0)):
        return None
    refine = np.linalg.norm(A @ x0 - b0) > 1e-12 * np.linalg.norm(abs(A) @ np.abs(x0) + np.abs(b0))

    def solve(b: np.ndarray) -> np.ndarray:
        right = np.concatenate([b, np.zeros(m)]) / worth
        x = solve_once(right)
        if refine:
            x += solve_once(right - A @ x)
        return x[:n]

    return solve
