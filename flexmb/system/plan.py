"""The flat form of a system, which the compiled loop reads.

A :class:`Plan` contains arrays of numbers only, of the same types for every model, so that every function of a plan is
compiled once for all models. Instances of one kernel family with the same sizes form a *group*; a group's kernels are
called on blocks of instances, small enough that their output stays in the nearest cache.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.widths import widths
from flexmb.system.near import Near

#: largest number of instances in one kernel call
BLOCK = 32

# columns of Plan.groups
(
    COUNT, NP, NQ, NV, ROWS, P_AT, IQ_AT, IV_AT, ROW_AT, MAP_AT, GMAP_AT, VELOCITY_ROWS, FILLED, FILLED_AT, SEARCH,
    FOUND, KERNEL_AT,
) = range(17)  # fmt: skip
N_COLUMNS = KERNEL_AT + 9
UNKNOWN = -1
#: what stands in `numbers` for a kernel that reads other components: how many numbers f it gets, where in them columns
#: by the numbers of speeds begin, where in `p` its values begin, how many things it reads, how long its part of the
#: buffer is
NUMBERS, COLUMNS, VALUES, READS, SIZE, HEAD = range(6)


@by_reference
class Plan(NamedTuple):
    """Constant description of a system.

    `n`: number of free speeds, `total`: with those of fixed frames; `nq`: number of free coordinates, `total_q`: with
    those of fixed frames; `m`: number of constraint rows; `size` = n + m unknowns.
    """

    groups: np.ndarray  # (number of groups, N_COLUMNS) sizes, offsets and kernel addresses
    p: np.ndarray  # parameters of all instances
    numbers: np.ndarray  # iq and iv of all instances; the entries of K that each group may fill; see `turns`
    rows: np.ndarray  # index of each instance's rows in the system; −1: left out as redundant
    at_speed: np.ndarray  # (m,) index of the diagonal entry of a velocity row in the matrix; −1: a position row
    kmap: np.ndarray  # index in the matrix of each entry of K that an instance may fill; −1: none
    gmap: np.ndarray  # index in the matrix of each entry of an instance's G, followed by that in Gᵀ
    orientations: np.ndarray  # (k, 2) free ones, ascending: index of the first speed and of e1; index of e0 in q
    n: int
    total: int
    nq: int
    total_q: int
    m: int
    size: int
    dense: int  # 1: the matrix is (size, size), row by row; 0: compressed sparse columns
    nnz: int
    friction: int  # number of groups with friction that depends on the joint's own force
    #: column FOUND of a group is where in `numbers` stands what its one instance reads of other components, or 0;
    #: UNKNOWN until that is known (:mod:`flexmb.system.finding`)
    near: Near  # searches: column SEARCH of a group is the index of its search + 1, or 0; its COUNT is that of the list


class Compressed(NamedTuple):
    """The sparsity pattern of a large matrix in compressed columns: the index at which the entries of each column begin
    (size + 1,), and the row of each entry, ascending."""

    indptr: np.ndarray
    indices: np.ndarray

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.indices)


@inlined
def turns(plan, number):
    """The orientation whose first speed has this index in v; −1: none. The table stands at the end of plan.numbers."""
    return plan.numbers[plan.numbers.shape[0] - plan.total + number]


@by_reference
class Scratch(NamedTuple):
    """Buffers of the compiled evaluation; made once per system."""

    out: np.ndarray
    K: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    still: np.ndarray  # accelerations of zero, and weights of zero where K is not needed


@lru_cache(maxsize=1024)
def _widest(speeds: int, rows: int, velocity_rows: int, dimension: int) -> int:
    """The largest output width of the kernels of an instance."""
    return max(widths(speeds, rows, velocity_rows, dimension).values())


def scratch_for(plan: Plan, work: int, dimension: int) -> Scratch:
    """Buffers large enough for any kernel call of the plan, in the plane (`dimension` 2) or in space (3)."""
    width, square, rows = BLOCK, BLOCK, BLOCK
    for row in plan.groups.tolist():
        nv, m, count = row[NV], row[ROWS], BLOCK if row[FOUND] == 0 else 1
        width = max(width, count * _widest(nv, m, row[VELOCITY_ROWS], dimension))
        square = max(square, count * nv * nv)
        rows = max(rows, BLOCK * m, int(plan.numbers[row[FOUND] + SIZE]) if row[FOUND] > 0 else 0)
    out, K, lam = np.zeros(width), np.zeros(square), np.zeros(rows)
    return Scratch(out, K, lam, np.zeros(max(work, 1)), np.zeros(max(plan.total, 4)))


@allocation_free
def fill_maps(groups, numbers, rows, n, size, by_rows, kmap, gmap):
    """Fill the maps of the plan: the indices in a matrix (size, size) of the entries of each instance's K, G and Gᵀ,
    counted row by row, or column by column; −1 for fixed coordinates and for rows that are left out."""
    row_step, column_step = (size, 1) if by_rows else (1, size)
    for g in range(groups.shape[0]):
        nv, m = groups[g, NV], groups[g, ROWS]
        at, gat = groups[g, MAP_AT], groups[g, GMAP_AT]
        for i in range(groups[g, COUNT]):
            first = groups[g, IV_AT] + i * nv
            for k in range(groups[g, FILLED]):
                entry = numbers[groups[g, FILLED_AT] + k]
                row, column = numbers[first + entry // nv], numbers[first + entry % nv]
                free = row < n and column < n
                kmap[at] = row * row_step + column * column_step if free else -1
                at += 1
            for j in range(m):
                row = n + rows[groups[g, ROW_AT] + i * m + j]
                for k in range(nv):
                    column = numbers[first + k]
                    known = row >= n and column < n
                    place = gat + 2 * ((i * m + j) * nv + k)
                    gmap[place] = row * row_step + column * column_step if known else -1
                    gmap[place + 1] = column * row_step + row * column_step if known else -1


def take_out(groups: np.ndarray, off: list[tuple[int, int, int]], kmap: np.ndarray, gmap: np.ndarray) -> np.ndarray:
    """Groups from which some instances are excluded: `off` lists group, first instance and number of instances. Their
    entries in the maps become −1.

    Parameters, numbers and maps are not moved. A group keeps its index, its offsets and those instances that precede
    the first one that is off; later instances that are on become further groups at the end.
    """
    kept, more = groups.copy(), []
    for g in sorted({group for group, _, _ in off}):
        row = groups[g]
        on = np.ones(row[COUNT], dtype=bool)
        for group, first, count in off:
            if group == g:
                on[first : first + count] = False
        entries, places = row[FILLED], 2 * row[ROWS] * row[NV]
        kmap[row[MAP_AT] :][: row[COUNT] * entries].reshape(-1, entries)[~on] = -1
        if places:
            gmap[row[GMAP_AT] :][: row[COUNT] * places].reshape(-1, places)[~on] = -1
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]])))
        runs = edges.reshape(-1, 2).tolist()
        kept[g, COUNT] = runs.pop(0)[1] if on[0] else 0
        for first, last in runs:
            part = row.copy()
            part[COUNT] = last - first
            for at, width in ((P_AT, NP), (IQ_AT, NQ), (IV_AT, NV), (ROW_AT, ROWS)):
                part[at] += first * row[width]
            part[MAP_AT] += first * entries
            part[GMAP_AT] += first * places
            more.append(part)
    return np.concatenate([kept, more]) if more else kept


def counted_in(groups: np.ndarray, group: int, place: int) -> tuple[int, int]:
    """The group that contains an instance with constraint rows, and its position there: after an instance that is off
    this is a further group, see :func:`take_out`."""
    if place < groups[group, COUNT]:
        return group, place
    at = groups[group, ROW_AT] + place * groups[group, ROWS]
    begins, ends = groups[:, ROW_AT], groups[:, ROW_AT] + groups[:, COUNT] * groups[:, ROWS]
    (found,) = np.flatnonzero((begins <= at) & (at < ends))
    return int(found), int((at - begins[found]) // groups[group, ROWS])


@allocation_free
def compress(places, size, columns, rows, scratch):
    """The pattern of a matrix (size, size) from the `places` of all entries, indices counted column by column (−1:
    none).

    The places are replaced by indices of values; `columns` (size + 1,) and `rows` get the pattern in compressed
    columns, rows ascending. Returns the number of values. A counting sort, by rows and then by columns, takes time in
    proportion to the number of entries; `scratch` (4, entries).
    """
    row, column, first, second = scratch[0], scratch[1], scratch[2], scratch[3]
    columns[:] = 0
    count = 0
    for k in range(places.shape[0]):
        if places[k] >= 0:
            column[count] = places[k] // size
            row[count] = places[k] - column[count] * size
            second[count] = k
            columns[row[count] + 1] += 1
            count += 1
    for k in range(size):
        columns[k + 1] += columns[k]
    for k in range(count):
        first[columns[row[k]]] = k
        columns[row[k]] += 1
    columns[:] = 0
    for k in range(count):
        columns[column[k] + 1] += 1
    for k in range(size):
        columns[k + 1] += columns[k]
    for k in range(count):
        entry = first[k]
        rows[columns[column[entry]]] = entry
        columns[column[entry]] += 1
    columns[:] = 0
    values = -1
    last_row, last_column = -1, -1
    for k in range(count):
        entry = rows[k]
        if row[entry] != last_row or column[entry] != last_column:
            values += 1
            last_row, last_column = row[entry], column[entry]
            rows[values] = last_row
            columns[last_column + 1] += 1
        places[second[entry]] = values
    for k in range(size):
        columns[k + 1] += columns[k]
    return values + 1
