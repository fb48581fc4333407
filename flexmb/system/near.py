"""Which bodies are near each other: a neighbor list from a search by cells, which keeps the pairs of many bodies few.

Of the N (N − 1)/2 pairs of N bodies that may touch, only those that are near are instances of their kernel family. Each
body lies within its reach ρ around its node. The list holds every pair with

    |r_j − r_i| < ρ_i + ρ_j + m                                                                 Verlet (1967)

at the positions where it was made. As long as no body has moved from there by more than m/2, no pair can touch that is
not in it. Every evaluation of the family first calls :func:`seek`, so that the list holds for its state, whichever
state came before. A pair in the list that does not touch adds zero, and pairs are ordered by their bodies, so that
forces do not depend on when the list was made. Making it takes time in proportion to the bodies: they are sorted into
cubes with the side 2 max ρ + m, the cubes into a hash table, and each body is compared with those in its own and the
neighboring cubes: Hockney and Eastwood (1981).

A pair keeps its *slot* while it is near. The slot holds its switch functions and the row of the plan's map by which its
K enters the matrix. The matrix has entries for the pairs that touched when its pattern was made, or might soon. If
another pair touches, :func:`flexmb.system.near_calls.add_near_K` reports it, and a new pattern is made, as factors are
enlarged when their room is short. Forces between bodies have no inertia, and a mass matrix has no such entries.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference

#: columns of Near.table: number of bodies, of coordinates of a position, most pairs, size of the hash table (a power of
#: 2), number of parameters of a pair; offsets of bodies, of the first pairs of bodies, of pairs, cells, parameters and
#: common parameters
BODIES, DIMENSION, ROOM, CELLS, NP, BODY_AT, FIRST_AT, PAIR_AT, CELL_AT, P_AT, COMMON_AT = range(11)
TABLE = 11
#: columns of Near.state: number of pairs in the list; 1 if the list was made, −1 if that failed; index of the oldest
#: free slot, and number of free slots; 1 if a pair touches that has no entry in the matrix; number of lists made so far
COUNT, MADE, FREE_FROM, FREE, MISSING, LISTS = range(6)
STATE = 6
#: columns of Near.sizes [m]: the margin m requested, that of the list, largest displacement of a body in a step,
#: largest reach
MARGIN, MARGIN_NOW, STRIDE, LARGEST = range(4)
SIZES = 4
#: if there is no room for all pairs of a list, its margin is halved up to HALVINGS times, then set to zero
HALVINGS = 4
#: a body more than this many cells from the origin has no cell
FARTHEST = 1e10
#: switch function of a slot without a pair: positive, as of a pair that does not touch
APART = 1.0


@by_reference
class Near(NamedTuple):
    """The searches of a plan, with a row of `table`, `state` and `sizes` for each. For bodies: indices `q`, `v` of
    their coordinates and speeds, `reach`, and their `own` parameters, which go to the positions `at_a` or `at_b` in the
    parameters of a pair; `home`, the position where the list was made, `cell`, and `next`, the next body in the cell.
    For pairs, in order: for each body the `first` pair, for each pair the `other` body and the `slot`; these three of
    the list before; parameters `p`, which begin as copies of `common`. For slots: the `free` ones, and for each slot
    its row of the map, −1 if it has none."""

    table: np.ndarray
    state: np.ndarray
    sizes: np.ndarray
    q: np.ndarray
    v: np.ndarray
    reach: np.ndarray
    own: np.ndarray
    at_a: np.ndarray
    at_b: np.ndarray
    home: np.ndarray
    cell: np.ndarray
    next: np.ndarray
    head: np.ndarray
    first: np.ndarray
    first_before: np.ndarray
    other: np.ndarray
    other_before: np.ndarray
    slot: np.ndarray
    slot_before: np.ndarray
    free: np.ndarray
    map_row: np.ndarray
    p: np.ndarray
    common: np.ndarray


@called(bool)
def seek(near, search, numbers, iq_at, iv_at, q, closely):
    """Make sure that the list of a search holds for the positions q; False if there is no room for its pairs, or a
    position is not finite. `closely`: it must include all pairs that can touch within a step that :func:`longest_step`
    allows."""
    table, state, sizes = near.table[search], near.state[search], near.sizes[search]
    if state[MADE] != 1:
        return make(near, search, numbers, iq_at, iv_at, q)
    if sizes[MARGIN_NOW] == math.inf:
        return True
    allowed = 0.5 * sizes[MARGIN_NOW]
    if closely:
        allowed -= sizes[STRIDE]
    allowed *= abs(allowed)
    farthest = 0.0
    for i in range(table[BODY_AT], table[BODY_AT] + table[BODIES]):
        moved = 0.0
        for k in range(table[DIMENSION]):
            d = q[near.q[i, k]] - near.home[i, k]
            moved += d * d
        if not moved <= farthest:
            farthest = moved
            if moved != moved:
                break
    if farthest <= allowed or farthest == 0.0:
        return True
    return make(near, search, numbers, iq_at, iv_at, q)


@called(bool)
def make(near, search, numbers, iq_at, iv_at, q):
    """Make the list of a search for the positions q; False if that fails."""
    state, sizes = near.state[search], near.sizes[search]
    before = state[COUNT]
    _remember(near, search, before)
    margin = sizes[MARGIN]
    for attempt in range(HALVINGS + 2):
        if attempt == HALVINGS + 1:
            margin = 0.0
        if not _put_into_cells(near, search, q, 2.0 * sizes[LARGEST] + margin):
            break
        count = _list(near, search, margin)
        if count >= 0:
            sizes[MARGIN_NOW] = margin
            state[COUNT], state[MADE] = count, 1
            state[LISTS] += 1
            _take_slots(near, search)
            _describe(near, search, numbers, iq_at, iv_at)
            return True
        margin *= 0.5
    state[MADE] = -1
    state[COUNT] = before
    _recall(near, search, before)
    return False


@called(None)
def _remember(near, search, count):
    table = near.table[search]
    at, pairs = table[FIRST_AT], table[PAIR_AT]
    for i in range(at, at + table[BODIES] + 1):
        near.first_before[i] = near.first[i]
    for k in range(pairs, pairs + count):
        near.other_before[k] = near.other[k]
        near.slot_before[k] = near.slot[k]


@called(None)
def _recall(near, search, count):
    """Restore the previous list, with its slots."""
    table = near.table[search]
    at, pairs = table[FIRST_AT], table[PAIR_AT]
    for i in range(at, at + table[BODIES] + 1):
        near.first[i] = near.first_before[i]
    for k in range(pairs, pairs + count):
        near.other[k] = near.other_before[k]
        near.slot[k] = near.slot_before[k]


@called(int)
def _bucket(table, x, y, z):
    return table[CELL_AT] + (((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & (table[CELLS] - 1))


@called(bool)
def _put_into_cells(near, search, q, side):
    """Sort the bodies into cells; False if a position is not finite or too far away for any cell."""
    table = near.table[search]
    for c in range(table[CELL_AT], table[CELL_AT] + table[CELLS]):
        near.head[c] = -1
    first, last = table[BODY_AT], table[BODY_AT] + table[BODIES]
    for i in range(last - 1, first - 1, -1):
        for k in range(table[DIMENSION]):
            near.home[i, k] = q[near.q[i, k]]
            number = math.floor(near.home[i, k] / side)
            if not abs(number) < FARTHEST:
                return False
            near.cell[i, k] = int(number)
        c = _bucket(table, near.cell[i, 0], near.cell[i, 1], near.cell[i, 2])
        near.next[i] = near.head[c]
        near.head[c] = i
    return True


@called(int)
def _list(near, search, margin):
    """List all pairs, ordered by their bodies; returns their number, or −1 if there is no room."""
    table = near.table[search]
    bodies, pairs, room = table[BODY_AT], table[PAIR_AT], table[ROOM]
    layers = 1 if table[DIMENSION] == 3 else 0
    count = 0
    for i in range(bodies, bodies + table[BODIES]):
        begin = count
        near.first[table[FIRST_AT] + i - bodies] = begin
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                for dz in range(-layers, layers + 1):
                    x, y, z = near.cell[i, 0] + dx, near.cell[i, 1] + dy, near.cell[i, 2] + dz
                    j = near.head[_bucket(table, x, y, z)]
                    while j >= 0:
                        if j > i and near.cell[j, 0] == x and near.cell[j, 1] == y and near.cell[j, 2] == z:
                            if _reach(near, i, j, margin):
                                if count == room:
                                    return -1
                                at = count
                                while at > begin and near.other[pairs + at - 1] > j:
                                    near.other[pairs + at] = near.other[pairs + at - 1]
                                    at -= 1
                                near.other[pairs + at] = j
                                count += 1
                        j = near.next[j]
    near.first[table[FIRST_AT] + table[BODIES]] = count
    return count


@called(bool)
def _reach(near, i, j, margin):
    """Whether two bodies are near each other, as in the inequality of the module."""
    distance = 0.0
    for k in range(3):
        d = near.home[j, k] - near.home[i, k]
        distance += d * d
    reach = near.reach[i] + near.reach[j] + margin
    return distance <= reach * reach


@called(None)
def _take_slots(near, search):
    """Give each pair the slot that it had, or the free slot that has been free longest."""
    table, state = near.table[search], near.state[search]
    first, pairs, room = table[FIRST_AT], table[PAIR_AT], table[ROOM]
    for i in range(first, first + table[BODIES]):
        at, end = near.first_before[i], near.first_before[i + 1]
        for k in range(near.first[i], near.first[i + 1]):
            while at < end and near.other_before[pairs + at] < near.other[pairs + k]:
                _give_up(near, state, pairs, room, near.slot_before[pairs + at])
                at += 1
            if at < end and near.other_before[pairs + at] == near.other[pairs + k]:
                near.slot[pairs + k] = near.slot_before[pairs + at]
                at += 1
            else:
                near.slot[pairs + k] = -1
        while at < end:
            _give_up(near, state, pairs, room, near.slot_before[pairs + at])
            at += 1
    for k in range(pairs, pairs + state[COUNT]):
        if near.slot[k] < 0:
            near.slot[k] = near.free[pairs + state[FREE_FROM]]
            near.map_row[pairs + near.slot[k]] = -1
            state[FREE_FROM] = (state[FREE_FROM] + 1) % room
            state[FREE] -= 1


@called(None)
def _give_up(near, state, pairs, room, slot):
    near.free[pairs + (state[FREE_FROM] + state[FREE]) % room] = slot
    near.map_row[pairs + slot] = -1
    state[FREE] += 1


@called(None)
def _describe(near, search, numbers, iq_at, iv_at):
    """Write the coordinate indices of the pairs of a list into the plan's numbers, and their parameters into the
    search."""
    table = near.table[search]
    nq, nv, np_, own = near.q.shape[1], near.v.shape[1], table[NP], near.own.shape[1]
    bodies, first, pairs = table[BODY_AT], table[FIRST_AT], table[PAIR_AT]
    for i in range(table[BODIES]):
        for k in range(near.first[first + i], near.first[first + i + 1]):
            a, b = bodies + i, near.other[pairs + k]
            for c in range(nq):
                numbers[iq_at + (2 * k) * nq + c] = near.q[a, c]
                numbers[iq_at + (2 * k + 1) * nq + c] = near.q[b, c]
            for c in range(nv):
                numbers[iv_at + (2 * k) * nv + c] = near.v[a, c]
                numbers[iv_at + (2 * k + 1) * nv + c] = near.v[b, c]
            at = table[P_AT] + k * np_
            for c in range(np_):
                near.p[at + c] = near.common[table[COMMON_AT] + c]
            for c in range(own):
                near.p[at + near.at_a[search, c]] = near.own[a, c]
                near.p[at + near.at_b[search, c]] = near.own[b, c]


@called(None)
def spoil(near, search, r):
    """Write NaN into the forces on the bodies of a search whose list could not be made."""
    table = near.table[search]
    for i in range(table[BODY_AT], table[BODY_AT] + table[BODIES]):
        for c in range(near.v.shape[1]):
            r[near.v[i, c]] = math.nan


@called(float)
def longest_step(near, v):
    """The longest step [s] at speeds v in which no body moves farther than the lists allow for; infinite without
    searches."""
    longest = math.inf
    for search in range(near.table.shape[0]):
        table = near.table[search]
        fastest = 0.0
        for i in range(table[BODY_AT], table[BODY_AT] + table[BODIES]):
            speed = 0.0
            for k in range(table[DIMENSION]):
                speed += v[near.v[i, k]] * v[near.v[i, k]]
            fastest = max(fastest, speed)
        if fastest > 0.0:
            longest = min(longest, near.sizes[search, STRIDE] / math.sqrt(fastest))
    return longest


@called(None)
def forget(near):
    """Clear the marks of pairs without entry in the matrix, before a matrix is filled."""
    for search in range(near.table.shape[0]):
        near.state[search, MISSING] = 0


@called(bool)
def lacks(near):
    """Whether a pair touches that had no entry in the matrix that was filled last."""
    for search in range(near.table.shape[0]):
        if near.state[search, MISSING] != 0:
            return True
    return False
