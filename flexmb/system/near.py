"""Which bodies are near each other: the search by cells that keeps pairs of many bodies few.

Of N bodies that may all touch each other, N (N − 1)/2 pairs, only those that are near are instances of their family.
Each body has a reach ρ about its node, within which all of it lies. The list holds every pair with

    |r_j − r_i| < ρ_i + ρ_j + m                                                                 Verlet (1967)

at the places where it was made. As long as no body has moved from there by more than m/2, no pair can touch that is not
in it. Whoever evaluates the family asks first (:func:`seek`), so that it holds for every state, whichever came before;
what is in the list and does not touch adds zero, in an order that is that of the bodies, and so forces do not depend on
when it was made. It is made in a time in proportion to the bodies: they are put into cubes of the side 2 max ρ + m, the
cubes into a table by their numbers, and each body looks into its own and those beside it: Hockney and Eastwood (1981).

A pair keeps its *slot* while it is near: there stand its switches, and the row of the plan's map by which its K enters
the matrix. A matrix has places for the pairs that touched when its pattern was made, or were so near that they might
soon; where another one touches, :func:`flexmb.system.near_calls.add_near_K` notes it, and a new pattern is made as
more room is where there is none for factors. What acts between bodies has no inertia, and a mass matrix no such places.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference

#: columns of Near.table: how many bodies, coordinates of a place, room for pairs, size of the table of cells (a power
#: of 2), parameters of a pair; where bodies, the beginnings of their pairs, pairs, cells and parameters begin
BODIES, DIMENSION, ROOM, CELLS, NP, BODY_AT, FIRST_AT, PAIR_AT, CELL_AT, P_AT, COMMON_AT = range(11)
TABLE = 11
#: columns of Near.state: pairs in the list; whether it was made, and found room for all (1), or not (−1); the oldest of
#: the free slots, and how many there are; whether a pair touches for which the matrix has no place; lists made so far
COUNT, MADE, FREE_FROM, FREE, MISSING, LISTS = range(6)
STATE = 6
#: columns of Near.sizes [m]: the margin m asked for, that of the list, how far a body may go in a step, largest reach
MARGIN, MARGIN_NOW, STRIDE, LARGEST = range(4)
SIZES = 4
#: where there is no room for all pairs of a list, its margin is halved so often, and then zero
HALVINGS = 4
#: farther cells than this are not numbered [cells]
FARTHEST = 1e10
#: the switch of a slot without a pair: on the side of those that do not touch
APART = 1.0


@by_reference
class Near(NamedTuple):
    """The searches of a plan, a row of `table`, `state` and `sizes` each. Of bodies: numbers of their coordinates and
    speeds, `reach`, and what is `own` to each in the parameters of a pair, at the places `at_a` of the one and `at_b`
    of the other; the place where the list was made, the cell, the next in the cell. Of pairs, by their order: for each
    body the `first` and, pair by pair, the `other` and the `slot`; the same of the list before; parameters `p`, which
    begin as `common`. Of slots: the `free` ones, and the row of the map of each (−1: none)."""

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
    """See to it that the list of a search holds for the positions q; False where there is no room for its pairs, or
    where a place is no number. `closely`: with all pairs that touch within a step that :func:`longest_step` allows."""
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
    """Make the list of a search anew, at the positions q; False where it cannot be made."""
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
    """Take the list before again, whose pairs have their slots."""
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
    """Put the bodies into cells; False where a place is no number, or too far away for any cell."""
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
    """List all pairs, the other bodies of each in their order; how many there are, or −1 where there is no room."""
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
    """Whether two bodies are near each other."""
    distance = 0.0
    for k in range(3):
        d = near.home[j, k] - near.home[i, k]
        distance += d * d
    reach = near.reach[i] + near.reach[j] + margin
    return distance <= reach * reach


@called(None)
def _take_slots(near, search):
    """Give each pair the slot that it had, or the free one that was given up first."""
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
    """Write the coordinates and the parameters of the pairs of a list, where the plan and the search have them."""
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
    """Put no number into the forces on the bodies of a search that could not be made."""
    table = near.table[search]
    for i in range(table[BODY_AT], table[BODY_AT] + table[BODIES]):
        for c in range(near.v.shape[1]):
            r[near.v[i, c]] = math.nan


@called(float)
def longest_step(near, v):
    """The longest step [s] from speeds v in which no body moves farther than lists foresee; infinite without any."""
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
    """Forget for which pairs a matrix had no place, before one is filled."""
    for search in range(near.table.shape[0]):
        near.state[search, MISSING] = 0


@called(bool)
def lacks(near):
    """Whether a pair touches for which the matrix that was filled last has no place."""
    for search in range(near.table.shape[0]):
        if near.state[search, MISSING] != 0:
            return True
    return False
