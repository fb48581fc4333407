"""Searches for pairs of bodies: from what components request to the arrays of the plan (:mod:`flexmb.system.near`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.contract import checked_addresses
from flexmb.kernels.widths import SWITCH_WIDTH
from flexmb.model.handed_over import Search
from flexmb.system.kernel_calls import SWITCHES, call_kernel
from flexmb.system.near import (
    BODIES,
    BODY_AT,
    CELL_AT,
    CELLS,
    COMMON_AT,
    COUNT,
    DIMENSION,
    FIRST_AT,
    FREE,
    LARGEST,
    MARGIN,
    MISSING,
    NP,
    P_AT,
    PAIR_AT,
    ROOM,
    SIZES,
    STATE,
    STRIDE,
    TABLE,
    Near,
)
from flexmb.system.near_calls import sought
from flexmb.system.plan import BLOCK, FILLED, FILLED_AT, IV_AT, SEARCH, Plan, Scratch, fill_maps
from flexmb.system.plan import COUNT as COUNT_OF_GROUP


def near_for(searches: Sequence[Search], numbers: Sequence[Numbers], dimension: int) -> Near:
    """The searches of a plan; `numbers` are the indices of the coordinates of the bodies of each search, a row for each
    body. No list is made yet."""
    if not searches:
        return no_near()
    table = np.zeros((len(searches), TABLE), dtype=np.int64)
    state, sizes = np.zeros((len(searches), STATE), dtype=np.int64), np.zeros((len(searches), SIZES))
    at = dict.fromkeys((BODY_AT, FIRST_AT, PAIR_AT, CELL_AT, P_AT, COMMON_AT), 0)
    for s, search in enumerate(searches):
        bodies, width = len(search.nodes), len(search.common)
        cells = 1 << int(2 * bodies - 1).bit_length()
        own = {BODIES: bodies, DIMENSION: dimension, ROOM: search.room, CELLS: cells, NP: width, **at}
        for column, value in own.items():
            table[s, column] = value
        parts = (bodies, bodies + 1, search.room, cells, search.room * width, width)
        at = {column: begin + part for (column, begin), part in zip(at.items(), parts)}
        sizes[s, MARGIN], sizes[s, STRIDE], sizes[s, LARGEST] = search.margin, search.stride, search.reach.max()
        state[s, FREE] = search.room
    whole = np.int64
    bodies, pairs = at[BODY_AT], at[PAIR_AT]
    first, before = np.zeros((2, at[FIRST_AT]), dtype=whole)
    other, other_before, slot, slot_before = np.zeros((4, pairs), dtype=whole)
    return Near(
        table, state, sizes,
        np.concatenate([n.q for n in numbers]).astype(whole), np.concatenate([n.v for n in numbers]).astype(whole),
        np.concatenate([search.reach for search in searches]), np.concatenate([search.own for search in searches]),
        np.array([search.at[0] for search in searches]), np.array([search.at[1] for search in searches]),
        np.zeros((bodies, 3)), np.zeros((bodies, 3), dtype=whole), np.zeros(bodies, dtype=whole),
        np.zeros(at[CELL_AT], dtype=whole), first, before, other, other_before, slot, slot_before,
        np.concatenate([np.arange(search.room) for search in searches]), np.full(pairs, -1), np.zeros(at[P_AT]),
        np.concatenate([search.common for search in searches]),
    )  # fmt: skip


@lru_cache(maxsize=1)
def no_near() -> Near:
    """Empty arrays for a plan without searches."""
    count, whole = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    real, numbers = np.zeros(0), np.zeros((0, 0))
    return Near(
        whole, whole, numbers, whole, whole, real, numbers, whole, whole, numbers, whole, count, count, count, count,
        count, count, count, count, count, count, real, real,
    )  # fmt: skip


def with_places(near: Near) -> Near:
    """A copy that has an entry in the matrix for every pair that touches now, or may soon."""
    copied = Near(*(array.copy() for array in near))
    copied.map_row[:] = -1
    copied.state[:, MISSING] = 0
    for s, table in enumerate(near.table):
        chosen = _soon(near, s)
        copied.map_row[table[PAIR_AT] + near.slot[table[PAIR_AT] + chosen]] = np.arange(len(chosen))
    return copied


def _soon(near: Near, s: int) -> np.ndarray:
    """Indices of the pairs of a list that touched where it was made, or could after a move by the largest stride."""
    a, b = _bodies_of_pairs(near, s)
    gaps = np.linalg.norm(near.home[b] - near.home[a], axis=1) - near.reach[a] - near.reach[b]
    return np.flatnonzero(gaps < near.sizes[s, STRIDE])


def _bodies_of_pairs(near: Near, s: int) -> tuple[np.ndarray, np.ndarray]:
    """The first and the second bodies of the pairs of a list."""
    table, count = near.table[s], near.state[s, COUNT]
    bodies = np.arange(table[BODY_AT], table[BODY_AT] + table[BODIES])
    first = near.first[table[FIRST_AT] :][: table[BODIES] + 1]
    return np.repeat(bodies, np.diff(first)), near.other[table[PAIR_AT] :][:count]


class Groups(NamedTuple):
    """Kernel groups for searches: their rows of the plan's table of groups, their parts of the plan's numbers, and for
    each the indices (k, nv) in v of the pairs that have entries in the matrix."""

    rows: list[int]
    numbers: list[np.ndarray]
    speeds: list[np.ndarray]


def groups_of(searches: Sequence[Search], near: Near, before: Plan | None, number_at: int, map_at: int) -> Groups:
    """The groups of searches; their numbers and maps begin at number_at and map_at. The lists are those of the plan
    `before`, if there is one, which must have the same searches."""
    found = Groups([], [], [])
    for s, search in enumerate(searches):
        nq, nv = 2 * near.q.shape[1], 2 * near.v.shape[1]
        kept = np.zeros(search.room * (nv + nq), dtype=np.int64)
        rows = np.zeros(0, dtype=np.int64)
        a, b = _bodies_of_pairs(near, s)
        if before is not None:
            own = before.groups[before.groups[:, SEARCH] == s + 1][0]
            kept[:] = before.numbers[own[IV_AT] :][: len(kept)]
            rows = _soon(near, s)
        entries = np.arange(nv * nv)
        row = [0, len(search.common), nq, nv, 0, int(near.table[s, P_AT]), number_at + search.room * nv, number_at, 0]
        row += [map_at, 0, 0, len(entries), number_at + len(kept), s + 1, 0]
        found.rows.extend([*row, *checked_addresses(search.kernels, search.owner.where)])
        found.numbers.extend([kept, entries])
        found.speeds.append(np.concatenate([near.v[a[rows]], near.v[b[rows]]], axis=1))
        number_at += len(kept) + len(entries)
        map_at += len(rows) * len(entries)
    return found


def fill_search_maps(groups: np.ndarray, found: Groups, n: int, size: int, by_rows: bool, kmap: np.ndarray) -> None:
    """Positions in the matrix of the entries of K of pairs, see :func:`flexmb.system.plan.fill_maps`."""
    none = np.zeros(0, dtype=np.int64)
    for row in groups[groups[:, SEARCH] > 0]:
        speeds = found.speeds[row[SEARCH] - 1]
        own = row.copy()
        own[COUNT_OF_GROUP], own[IV_AT], own[FILLED_AT] = len(speeds), 0, speeds.size
        fill_maps(own[None, :], np.append(speeds, np.arange(row[FILLED])), none, n, size, by_rows, kmap, none)


#: advice in the message of a method that refuses searches
OTHERS = "take method='generalized_alpha', 'dop853' or 'rkf45'"


def deepest(
    plan: Plan, scratch: Scratch, assembly: Any, name: str, q: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """See :meth:`flexmb.System.deepest`."""
    on = [search.owner.name for search in assembly.searches if search.owner.name not in assembly.off]
    (group,) = np.flatnonzero(plan.groups[:, SEARCH] == on.index(name) + 1)
    parts, depths = np.zeros((2, len(q)))
    rest, weights = np.zeros(plan.total), np.zeros(4)
    _deepest(plan, scratch, int(group), np.ascontiguousarray(q), rest, weights, sizes, parts, depths)
    return parts, depths


@allocation_free
def _deepest(plan, scratch, group, q, rest, weights, sizes, parts, depths):
    near, search = plan.near, plan.groups[group, SEARCH] - 1
    table = near.table[search]
    for row in range(q.shape[0]):
        sought(plan, group, q[row], False)
        i = 0
        for first in range(0, plan.groups[group, COUNT_OF_GROUP], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT_OF_GROUP])
            call_kernel(
                plan, scratch, SWITCHES, group, first, last, SWITCH_WIDTH, False, 0.0, q[row], rest, rest, weights
            )
            for k in range(first, last):
                while near.first[table[FIRST_AT] + i + 1] <= k:
                    i += 1
                size = min(sizes[i], sizes[near.other[table[PAIR_AT] + k] - table[BODY_AT]])
                depth = -scratch.out[(k - first) * SWITCH_WIDTH]
                parts[row] = max(parts[row], depth / size)
                depths[row] = max(depths[row], depth)
