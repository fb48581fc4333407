"""The flat form of a system: what the compiled loop sees of a model.

A :class:`Plan` is arrays of numbers only, the same types for every model, so that whatever takes a plan is compiled
once for all models. Instances of one kernel family with the same sizes form a *group*; a group's kernels are called on
blocks of instances, small enough that what they fill stays in the nearest cache.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.widths import widths
from flexmb.system.near import Near

#: instances that one kernel call works on
BLOCK = 32

# columns of Plan.groups
(
    COUNT, NP, NQ, NV, ROWS, P_AT, IQ_AT, IV_AT, ROW_AT, MAP_AT, GMAP_AT, VELOCITY_ROWS, FILLED, FILLED_AT, SEARCH,
    KERNEL_AT,
) = range(16)  # fmt: skip
N_COLUMNS = KERNEL_AT + 9


@by_reference
class Plan(NamedTuple):
    """Constant description of a system.

    `n` free speeds, `total` speeds with those of fixed frames, `nq` free coordinates, `total_q` coordinates with those
    of fixed frames, `m` constraint rows, `size` = n + m unknowns.
    """

    groups: np.ndarray  # (number of groups, N_COLUMNS) sizes, places and kernel addresses
    p: np.ndarray  # parameters of all instances
    numbers: np.ndarray  # iq and iv of all instances; which entries of K those of each group may fill; see `turns`
    rows: np.ndarray  # constraint row of each instance's rows; −1: left out as redundant
    at_speed: np.ndarray  # (m,) where the diagonal entry of a velocity row stands in the matrix; −1: a position row
    kmap: np.ndarray  # where the entries of an instance's K go that it may fill; −1: nowhere
    gmap: np.ndarray  # where an entry of an instance's G goes, and behind it that of Gᵀ
    orientations: np.ndarray  # (k, 2) of free ones, ascending: number of the first speed and of e1; number of e0 in q
    n: int
    total: int
    nq: int
    total_q: int
    m: int
    size: int
    dense: int  # 1: the matrix is (size, size), row by row; 0: compressed sparse columns
    nnz: int
    friction: int  # how many groups have friction by the joint's own force
    near: Near  # searches: column SEARCH of a group is the number of its own and 1, or 0; its COUNT is that of the list


class Compressed(NamedTuple):
    """The pattern of a large matrix in compressed columns: where the entries of each begin (size + 1,), and their rows,
    which ascend."""

    indptr: np.ndarray
    indices: np.ndarray

    @property
    def nnz(self) -> int:
        """How many entries there are."""
        return len(self.indices)


@inlined
def turns(plan, number):
    """Which orientation begins with the speed of a number; −1: none. This stands at the end of plan.numbers."""
    return plan.numbers[plan.numbers.shape[0] - plan.total + number]


@by_reference
class Scratch(NamedTuple):
    """What the compiled evaluation writes on; made once per system."""

    out: np.ndarray
    K: np.ndarray
    lam: np.ndarray
    work: np.ndarray
    still: np.ndarray  # accelerations of zero, and weights of zero where K is not needed


@lru_cache(maxsize=1024)
def _widest(speeds: int, rows: int, velocity_rows: int, dimension: int) -> int:
    """The largest of the widths that the kernels of an instance fill."""
    return max(widths(speeds, rows, velocity_rows, dimension).values())


def scratch_for(plan: Plan, work: int, dimension: int) -> Scratch:
    """Scratch space that any kernel call of the plan fits in, where places have `dimension` coordinates."""
    width, square, rows = 1, 1, 1
    for row in plan.groups.tolist():
        nv, m = row[NV], row[ROWS]
        width = max(width, _widest(nv, m, row[VELOCITY_ROWS], dimension))
        square = max(square, nv * nv)
        rows = max(rows, m)
    out, K, lam = np.zeros(BLOCK * width), np.zeros(BLOCK * square), np.zeros(BLOCK * rows)
    return Scratch(out, K, lam, np.zeros(max(work, 1)), np.zeros(max(plan.total, 4)))


@allocation_free
def fill_maps(groups, numbers, rows, n, size, by_rows, kmap, gmap):
    """Where in a matrix (size, size) the entries of each instance's K, G and Gᵀ go, for the plan: places counted row by
    row, or column by column; −1 for what belongs to fixed coordinates and to rows that are left out."""
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
    """Groups in which some instances take no part: `off` says the group, the first of them and how many. Their entries
    in the maps go nowhere.

    Parameters, numbers and maps stay where they are. A group keeps its number and its places, and of its instances
    those before the first that is off; what is on behind that are further groups at the end.
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
    """The group that counts an instance with constraint rows, and its place there: behind one that is off that is a
    further group, see :func:`take_out`."""
    if place < groups[group, COUNT]:
        return group, place
    at = groups[group, ROW_AT] + place * groups[group, ROWS]
    begins, ends = groups[:, ROW_AT], groups[:, ROW_AT] + groups[:, COUNT] * groups[:, ROWS]
    (found,) = np.flatnonzero((begins <= at) & (at < ends))
    return int(found), int((at - begins[found]) // groups[group, ROWS])


@allocation_free
def compress(places, size, columns, rows, scratch):
    """The pattern of a matrix (size, size) from the `places` of all entries, counted column by column (−1: nowhere).

    The places are replaced by numbers of values; `columns` (size + 1,) and `rows` get the pattern in compressed
    columns, rows ascending. Returns how many values there are. Sorted by counting, by rows and then by columns, which
    takes a time in proportion to the entries; `scratch` (4, entries).
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
