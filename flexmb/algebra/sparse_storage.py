"""Data of the sparse factorization: sizes, states and arrays, see :mod:`flexmb.algebra.sparse_lu`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference

# status of a factorization; `factor` returns SINGULAR where `refactor` returns POOR
OK, SINGULAR, NO_ROOM = range(3)
POOR = SINGULAR

# indices in Factor.state: whether there are factors; the column at which elimination ended, or -1; the room needed for
# L and U; the numbers of groups of columns of L and U; the numbers of calls of `factor` and `refactor`
VALID, COLUMN, NEED_LOWER, NEED_UPPER, LOWER_BLOCKS, UPPER_BLOCKS, FACTORS, REFACTORS = range(8)

# indices in Factor.control, see `allocate`; SCALE_ROWS: 1 if rows are scaled
THRESHOLD, REFACTOR_THRESHOLD, SINGULAR_TOLERANCE, SCALE_ROWS = range(4)

# With unsigned indices compiled code needs no test for negative ones.
INDEX = np.uint32


class Symbolic(NamedTuple):
    """Pattern and column order, from ``analyse``."""

    n_rows: int
    n_cols: int
    colptr: np.ndarray
    rowind: np.ndarray
    column_order: np.ndarray  # the column eliminated in each step
    preferred: np.ndarray  # the row preferred as pivot in each step, or -1
    lower_nonzeros: int  # in L without its diagonal, for well-behaved values
    upper_nonzeros: int  # in U without its diagonal
    operations: int  # multiplications in the elimination
    ordering: str  # which of the orderings was taken
    scale_rows: bool


@by_reference
class Pattern(NamedTuple):
    """The pattern of A and the order of its columns, which no factorization changes."""

    colptr: np.ndarray
    rowind: np.ndarray
    column_order: np.ndarray  # column eliminated in step k
    preferred: np.ndarray  # the row preferred as its pivot, or -1


@by_reference
class Rows(NamedTuple):
    """The order and the scaling of the rows of A, from the choice of pivots."""

    order: np.ndarray  # row at position k; the pivot of step k if k < n_cols
    position: np.ndarray  # its inverse
    scale: np.ndarray  # factor applied to each row of A
    scatter: np.ndarray  # position of the row of each entry of A
    scatter_scale: np.ndarray  # scale of the row of each entry of A


@by_reference
class Triangle(NamedTuple):
    """L without its diagonal, or U without its diagonal, by columns: `row` and `value` of the entries of column k stand
    at start[k] to start[k + 1] − 1. `block`: the first columns of its groups of like columns."""

    start: np.ndarray
    row: np.ndarray
    value: np.ndarray
    block: np.ndarray


@by_reference
class Segments(NamedTuple):
    """The segments of the columns of U: those of column k are start[k] to start[k + 1] − 1. Of each: its `first` row
    and its `size`."""

    start: np.ndarray
    first: np.ndarray
    size: np.ndarray


@by_reference
class DepthFirst(NamedTuple):
    """Work space of the depth-first search for the pattern of a column, for each row of A."""

    mark: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    reach: np.ndarray


@by_reference
class Factor(NamedTuple):
    """The factors, their bookkeeping and the work space of the elimination."""

    pattern: Pattern
    known: np.ndarray  # the values of A that were factorized
    rows: Rows
    lower: Triangle
    upper: Triangle
    pivot_inverse: np.ndarray
    segments: Segments
    work: np.ndarray  # zero between calls
    search: DepthFirst
    state: np.ndarray
    control: np.ndarray


def allocate(
    symbolic: Symbolic,
    threshold: float = 0.1,
    refactor_threshold: float = 1e-3,
    singular_tolerance: float = 1e-14,
    room: float = 2.0,
    kind: type = float,
) -> Factor:
    """Arrays for the factors, with ``room`` times the space expected.

    threshold: a preferred pivot is taken if it reaches this fraction of the largest entry of its column.
    refactor_threshold: the same for pivots kept by ``refactor``. singular_tolerance: a pivot below this fraction of the
    largest number met in its column counts as zero. kind: of the values, real or complex.
    """
    m, n = symbolic.n_rows, symbolic.n_cols
    lower = int(room * symbolic.lower_nonzeros) + m + 1
    upper = int(room * symbolic.upper_nonzeros) + m + 1
    nonzeros = symbolic.rowind.size
    lu = Factor(
        Pattern(symbolic.colptr, symbolic.rowind, symbolic.column_order, symbolic.preferred),
        known=np.zeros(nonzeros, kind),
        rows=Rows(
            order=np.zeros(m, np.int64), position=np.zeros(m, np.int64), scale=np.ones(m),
            scatter=np.zeros(nonzeros, INDEX), scatter_scale=np.ones(nonzeros),
        ),
        lower=_triangle(n, lower, kind),
        upper=_triangle(n, upper, kind),
        pivot_inverse=np.ones(n, kind),
        segments=Segments(np.zeros(n + 1, INDEX), np.zeros(upper, INDEX), np.zeros(upper, INDEX)),
        work=np.zeros(m, kind),
        search=DepthFirst(np.zeros(m + 1, np.int64), *(np.zeros(m, np.int64) for _ in range(3))),
        state=np.zeros(8, np.int64),
        control=np.zeros(4),
    )  # fmt: skip
    lu.control[THRESHOLD] = threshold
    lu.control[REFACTOR_THRESHOLD] = refactor_threshold
    lu.control[SINGULAR_TOLERANCE] = singular_tolerance
    lu.control[SCALE_ROWS] = 1.0 if symbolic.scale_rows else 0.0
    lu.state[COLUMN] = -1
    return lu


def enlarge(lu: Factor) -> Factor:
    """A copy of ``lu``, without factors, with the room requested by ``factor``.

    Only the pattern is shared: the old one remains valid with its factors.
    """
    n = lu.pivot_inverse.size
    lower = max(int(lu.state[NEED_LOWER]), lu.lower.row.size) + 16
    upper = max(int(lu.state[NEED_UPPER]), lu.upper.row.size) + 16
    kind = lu.work.dtype.type
    new = Factor(
        lu.pattern,
        lu.known.copy(),
        Rows(*(array.copy() for array in lu.rows)),
        _triangle(n, lower, kind),
        _triangle(n, upper, kind),
        lu.pivot_inverse.copy(),
        Segments(np.zeros(n + 1, INDEX), np.zeros(upper, INDEX), np.zeros(upper, INDEX)),
        lu.work.copy(),
        DepthFirst(*(array.copy() for array in lu.search)),
        lu.state.copy(),
        lu.control.copy(),
    )
    new.state[VALID] = 0
    return new


def _triangle(n: int, room: int, kind: type) -> Triangle:
    """Memory for `room` entries in n columns."""
    return Triangle(np.zeros(n + 1, INDEX), np.zeros(room, INDEX), np.zeros(room, kind), np.zeros(n + 1, INDEX))
