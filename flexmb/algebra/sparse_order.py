"""The column order of a sparse LU, found once per pattern.

Reverse Cuthill–McKee, minimum degree, COLAMD and the natural order are tried with a real factorization, and the one
with the fewest operations is taken. Mechanisms are chains and trees with few loops, so the factors come out
nearly banded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from flexmb.algebra.sparse_factor import factor
from flexmb.algebra.sparse_lu import factorize_growing
from flexmb.algebra.sparse_storage import OK, Factor, Symbolic, allocate
from flexmb.kernels.compilation import allocation_free

#: an order is taken at once if its factors have fewer than LITTLE_FILL times as many entries as the matrix, or need
#: fewer than LITTLE_WORK multiplications for each of these
LITTLE_FILL, LITTLE_WORK = 1.25, 8.0
#: Cuthill-McKee keeps neighbors together and has little fill whichever rows the pivots come from; another order is
#: taken only if it needs less than this fraction of the operations.
WORTH = 0.5


def _column_orders(pattern: scipy.sparse.csc_matrix, symmetric: bool) -> Iterator[tuple[str, np.ndarray]]:
    """Candidate column orders of a matrix with nonzero values, with their names."""
    m, n = pattern.shape
    natural = np.arange(n, dtype=np.int64)
    if n < 2:
        yield "natural", natural
        return
    if m != n:
        graph = (pattern.T @ pattern + scipy.sparse.identity(n)).tocsr()
    elif symmetric:
        graph = pattern.T  # the same pattern, stored by rows
    else:
        graph = (pattern + pattern.T).tocsr()
    yield (
        "reverse Cuthill-McKee",
        np.asarray(scipy.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode=True), dtype=np.int64),
    )

    whole, specs = graph.tocsc(), ["MMD_AT_PLUS_A"]
    if m == n:
        whole, specs = (pattern + scipy.sparse.identity(n)).tocsc(), ["MMD_AT_PLUS_A", "COLAMD"]
    # SuperLU returns an order only with a factorization, so the matrix is given a dominant diagonal.
    dominant = (
        scipy.sparse.csc_matrix((np.ones(whole.nnz), whole.indices, whole.indptr), shape=(n, n))
        + scipy.sparse.identity(n) * (1.0 + n)
    ).tocsc()
    for spec in specs:
        # perm_c holds the position of each column
        yield spec, _inverse_order(scipy.sparse.linalg.splu(dominant, permc_spec=spec).perm_c.astype(np.int64))
    yield "natural", natural


def analyse(
    n_rows: int,
    n_cols: int,
    colptr: np.ndarray,
    rowind: np.ndarray,
    scale_rows: bool | None = None,
    sparing: bool = False,
) -> Symbolic:
    """Choose the column order of a pattern, once for all its matrices.

    If reverse Cuthill-McKee leaves a narrow band, it is taken. Otherwise the candidates (it, minimum degree, COLAMD, as
    numbered) are tried on a matrix of random values, and the one with the fewest operations is taken; unless that is
    far ahead, it is Cuthill-McKee, which keeps neighbors together in memory, and whose fill stays small where rows are
    exchanged for the sake of pivots.

    Rows are scaled so that their largest entry is one if ``scale_rows``. That is the default
    for square matrices; for rectangular ones it would distort the choice of rows.

    In rectangular matrices each pivot is the largest number of its column; if ``sparing``, a row is preferred that
    later columns do not have, so that these get no longer.
    """
    m, n = int(n_rows), int(n_cols)
    if m < n:
        raise ValueError(f"the matrix has fewer rows ({m}) than columns ({n})")
    colptr = np.array(colptr, dtype=np.int64)
    rowind = np.array(rowind, dtype=np.int64)
    if colptr.shape != (n + 1,) or colptr[0] != 0 or np.any(np.diff(colptr) < 0):
        raise ValueError("colptr must have n_cols + 1 entries, ascending from zero")
    if rowind.shape != (colptr[-1],):
        raise ValueError(f"rowind must have {colptr[-1]} entries, it has {rowind.size}")
    if rowind.size and (rowind.min() < 0 or rowind.max() >= m):
        raise ValueError("row index out of range")
    column = np.repeat(np.arange(n), np.diff(colptr))
    key = column * m + rowind
    ascending = bool(np.all(np.diff(key) > 0))  # the assembler sorts them
    if not ascending and np.unique(key).size != rowind.size:
        raise ValueError("an entry occurs twice in the pattern")
    if scale_rows is None:
        scale_rows = m == n

    ones = scipy.sparse.csc_matrix((np.ones(rowind.size), rowind, colptr), shape=(m, n))
    symmetric = m == n and _symmetric(ones)
    no_row = np.full(n, -1, dtype=np.int64)
    values = None
    best = None
    for name, order in _column_orders(ones, symmetric):
        preferred = order.copy() if m == n else no_row
        if sparing:
            preferred = np.empty(n, dtype=np.int64)
            _rows_done_first(colptr, rowind, order, np.full(m, -1), preferred)
        trial = Symbolic(
            n_rows=m,
            n_cols=n,
            colptr=colptr,
            rowind=rowind,
            column_order=order,
            preferred=preferred,
            lower_nonzeros=2 * rowind.size,
            upper_nonzeros=2 * rowind.size,
            operations=-1,
            ordering=name,
            scale_rows=bool(scale_rows),
        )
        if best is None and symmetric:  # a count of entries may show without a trial that it has little fill
            widths = _widths(ones, order)
            if 2 * int(widths.sum()) + n < LITTLE_FILL * rowind.size:
                fill, operations = int(widths.sum()), int((widths * (widths + 1)).sum())
                return trial._replace(lower_nonzeros=fill, upper_nonzeros=fill, operations=operations)
        if values is None:
            values = _trial_values(colptr, rowind, column, m == n)
        if best is None or best.operations < 0:
            status, lu = factorize_growing(allocate(trial), values)
        else:  # a trial ends as soon as its factors are much larger than the best
            allowed = trial._replace(lower_nonzeros=best.lower_nonzeros, upper_nonzeros=best.upper_nonzeros)
            lu = allocate(allowed, room=1.5)
            status = factor(lu, values)
        if status != OK:
            best = best or trial
            continue
        trial = trial._replace(
            lower_nonzeros=int(lu.lower.start[n]), upper_nonzeros=int(lu.upper.start[n]), operations=_operations(lu)
        )
        if best is None or best.operations < 0 or trial.operations < WORTH * best.operations:
            best = trial
        fill = best.lower_nonzeros + best.upper_nonzeros
        if fill < LITTLE_FILL * rowind.size or 0 <= best.operations < LITTLE_WORK * rowind.size:
            break
    assert best is not None
    return best


@allocation_free
def _rows_done_first(colptr, rowind, order, last, preferred):
    """For each column of an order, write to `preferred` its row, not yet taken, whose last column comes first; −1 if
    all are taken. `last` (rows,) is scratch, filled with −1."""
    for k in range(order.size):
        for p in range(colptr[order[k]], colptr[order[k] + 1]):
            last[rowind[p]] = k
    for k in range(order.size):
        preferred[k] = -1
        earliest = order.size
        for p in range(colptr[order[k]], colptr[order[k] + 1]):
            if last[rowind[p]] < earliest:
                earliest = last[rowind[p]]
                preferred[k] = rowind[p]
        if preferred[k] >= 0:
            last[preferred[k]] = order.size


def _symmetric(pattern: scipy.sparse.csc_matrix) -> bool:
    """Whether the pattern is symmetric, as those of mechanisms are."""
    rows = pattern.tocsr()
    return np.array_equal(rows.indptr, pattern.indptr) and np.array_equal(rows.indices, pattern.indices)


def _widths(pattern: scipy.sparse.csc_matrix, order: np.ndarray) -> np.ndarray:
    """For each column (n,) of a symmetric pattern, how far its envelope reaches before the diagonal in an order.

    Without row exchanges the factors have no entries outside it.
    """
    place = _inverse_order(order)
    ends = np.append(place[pattern.indices], len(order))  # one more entry, in case the last column is empty
    first = np.where(np.diff(pattern.indptr) > 0, np.minimum.reduceat(ends, pattern.indptr[:-1]), place)
    return np.maximum(place - first, 0)


def _trial_values(colptr: np.ndarray, rowind: np.ndarray, column: np.ndarray, square: bool) -> np.ndarray:
    """Random values for a pattern, with a dominant diagonal if it is square."""
    values = np.random.default_rng(0).uniform(-0.5, 0.5, rowind.size)
    values += np.copysign(0.5, values)
    if square:
        values[rowind == column] = 1.0 + max(1, int(np.diff(colptr).max(initial=1)))
    return values


def _operations(lu: Factor) -> int:
    """Number of multiplications of an elimination with the patterns in ``lu``."""
    n = lu.pattern.column_order.size
    length = np.diff(lu.lower.start.astype(np.int64))
    return int(length[lu.upper.row[: int(lu.upper.start[n])]].sum() + length.sum())


def _inverse_order(order: np.ndarray) -> np.ndarray:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    return inverse
