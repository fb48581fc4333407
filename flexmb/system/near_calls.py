"""How the compiled evaluation calls kernel families whose instances are the pairs found by a search
(:mod:`flexmb.system.near`)."""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.widths import SWITCH_WIDTH
from flexmb.system.kernel_calls import SWITCHES, call_kernel
from flexmb.system.near import APART, MISSING, PAIR_AT, ROOM, make, seek
from flexmb.system.near import COUNT as PAIRS
from flexmb.system.plan import BLOCK, COUNT, FILLED, FILLED_AT, IQ_AT, IV_AT, MAP_AT, NV, SEARCH


@inlined
def sought(plan, group, q, closely):
    """If a group's instances are the pairs of a search, make sure that all pairs which act at positions q are among
    them; False if the list cannot be made."""
    groups = plan.groups
    search = groups[group, SEARCH] - 1
    if search < 0:
        return True
    done = seek(plan.near, search, plan.numbers, groups[group, IQ_AT], groups[group, IV_AT], q, closely)
    groups[group, COUNT] = plan.near.state[search, PAIRS]
    return done


@called(None)
def sought_anew(plan, group, q):
    """Make a new list of a group's search, for the positions q."""
    groups = plan.groups
    search = groups[group, SEARCH] - 1
    make(plan.near, search, plan.numbers, groups[group, IQ_AT], groups[group, IV_AT], q)
    groups[group, COUNT] = plan.near.state[search, PAIRS]


@called(None)
def add_near_K(plan, scratch, group, first, last, values):
    """Add the K of some pairs of a search, stored from index 0 of scratch.K, to the values of the matrix; mark in the
    search's state if a nonzero K has no entry in the matrix."""
    near, search = plan.near, plan.groups[group, SEARCH] - 1
    pairs = near.table[search, PAIR_AT]
    square = plan.groups[group, NV] * plan.groups[group, NV]
    count, at = plan.groups[group, FILLED], plan.groups[group, FILLED_AT]
    for i in range(last - first):
        acts = False
        for k in range(i * square, (i + 1) * square):
            acts = acts or scratch.K[k] != 0.0
        if not acts:
            continue
        row = near.map_row[pairs + near.slot[pairs + first + i]]
        if row < 0:
            near.state[search, MISSING] = 1
            continue
        for k in range(count):
            place = plan.kmap[plan.groups[group, MAP_AT] + row * count + k]
            if place >= 0:
                values[place] += scratch.K[i * square + plan.numbers[at + k]]


@called(int)
def near_switches(plan, scratch, group, at, t, q, v, a, w, out):
    """Write the switch functions of all slots of a search into `out` from index `at` on; returns the index after the
    last."""
    table = plan.near.table[plan.groups[group, SEARCH] - 1]
    pairs, room = table[PAIR_AT], table[ROOM]
    for k in range(at, at + room * SWITCH_WIDTH):
        out[k] = APART
    for first in range(0, plan.groups[group, COUNT], BLOCK):
        last = min(first + BLOCK, plan.groups[group, COUNT])
        call_kernel(plan, scratch, SWITCHES, group, first, last, SWITCH_WIDTH, False, t, q, v, a, w)
        for i in range(last - first):
            slot = plan.near.slot[pairs + first + i]
            for k in range(SWITCH_WIDTH):
                out[at + slot * SWITCH_WIDTH + k] = scratch.out[i * SWITCH_WIDTH + k]
    return at + room * SWITCH_WIDTH
