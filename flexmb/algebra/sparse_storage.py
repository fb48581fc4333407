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
class Factor(NamedTuple):
    """The factors, their bookkeeping and the work space of the elimination."""

    colptr: np.ndarray
    rowind: np.ndarray
    known: np.ndarray  # the values of A that were factorized
    column_order: np.ndarray  # column eliminated in step k
    preferred: np.ndarray
    row_order: np.ndarray  # row at position k; the pivot of step k if k < n_cols
    row_position: np.ndarray  # its inverse
    row_scale: np.ndarray  # factor applied to each row of A
    scatter_row: np.ndarray  # position of the row of each entry of A
    scatter_scale: np.ndarray  # scale of the row of each entry of A
    lower_start: np.ndarray
    lower_row: np.ndarray
    lower_value: np.ndarray
    upper_start: np.ndarray
    upper_row: np.ndarray
    upper_value: np.ndarray
    pivot_inverse: np.ndarray
    segment_start: np.ndarray  # segments of each column of U
    segment_first: np.ndarray
    segment_size: np.ndarray
    lower_block: np.ndarray  # first columns of the groups of columns of L
    upper_block: np.ndarray  # ... of U
    work: np.ndarray  # zero between calls
    mark: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    reach: np.ndarray
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
        colptr=symbolic.colptr,
        rowind=symbolic.rowind,
        known=np.zeros(nonzeros, kind),
        column_order=symbolic.column_order,
        preferred=symbolic.preferred,
        row_order=np.zeros(m, np.int64),
        row_position=np.zeros(m, np.int64),
        row_scale=np.ones(m),
        scatter_row=np.zeros(nonzeros, INDEX),
        scatter_scale=np.ones(nonzeros),
        lower_start=np.zeros(n + 1, INDEX),
        lower_row=np.zeros(lower, INDEX),
        lower_value=np.zeros(lower, kind),
        upper_start=np.zeros(n + 1, INDEX),
        upper_row=np.zeros(upper, INDEX),
        upper_value=np.zeros(upper, kind),
        pivot_inverse=np.ones(n, kind),
        segment_start=np.zeros(n + 1, INDEX),
        segment_first=np.zeros(upper, INDEX),
        segment_size=np.zeros(upper, INDEX),
        lower_block=np.zeros(n + 1, INDEX),
        upper_block=np.zeros(n + 1, INDEX),
        work=np.zeros(m, kind),
        mark=np.zeros(m + 1, np.int64),
        stack=np.zeros(m, np.int64),
        path=np.zeros(m, np.int64),
        reach=np.zeros(m, np.int64),
        state=np.zeros(8, np.int64),
        control=np.zeros(4),
    )
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
    lower = max(int(lu.state[NEED_LOWER]), lu.lower_row.size) + 16
    upper = max(int(lu.state[NEED_UPPER]), lu.upper_row.size) + 16
    rooms = {
        "lower_row": lower, "lower_value": lower, "upper_row": upper, "upper_value": upper, "segment_first": upper,
        "segment_size": upper,
    }  # fmt: skip
    shared = ("colptr", "rowind", "column_order", "preferred")
    new = Factor(
        *(
            array if name in shared else np.zeros(rooms[name], array.dtype) if name in rooms else array.copy()
            for name, array in zip(Factor._fields, lu, strict=True)
        )
    )
    new.state[VALID] = 0
    return new
