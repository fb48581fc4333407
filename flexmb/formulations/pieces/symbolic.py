"""Blocks of links as pieces: their kernels, made of expressions, between the state and the handles of assembly.

Takahashi (2012), chapter 4: several links whose equations of motion are known as a whole are one piece with Φ and B at
its handles. Joints inside a block are not closed; behind the disassembly u̇ of these follow from the forces on its
handles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmb.formulations.blocks.block import DerivedBlock
from flexmb.formulations.blocks.flexible import RIGID, Flexible
from flexmb.formulations.blocks.kernels import STATE, places_of_state
from flexmb.formulations.blocks.machine import address_of, run_at
from flexmb.formulations.carried import hand_back
from flexmb.formulations.newton_euler import from_outside, has_spin
from flexmb.formulations.spatial_algebra import (
    NO_INERTIA,
    force_at,
    multiple,
    power,
    put_six,
    six_in,
    sum_of,
)
from flexmb.formulations.tree.moving import carried_along
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import vector_in
from flexmb.kernels.views import vector_view
from flexmb.model.ways import POSITIONS


@dataclass(frozen=True)
class Cut:
    """The blocks of a tree, and its `flexible` links. All links and joints in none of the blocks are pieces and joints
    of assembly."""

    blocks: Sequence[DerivedBlock] = ()
    flexible: Flexible = RIGID
    inner: set[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", {k for block in self.blocks for k in block.inner})

    @property
    def handles(self) -> list[list[int]]:
        """The handles of each block that has any."""
        return [block.handles for block in self.blocks if block.handles]


#: a tree without blocks
NO_BLOCKS = Cut()


@by_reference
class Blocks(NamedTuple):
    """Block b has the links link[first[b] : first[b + 1]], the first of which carries the others; `of` (n,) is the
    block of each link, −1 if it is in none; `inner` (n,) is 1 for links whose joint belongs to a block. Its kernels
    have the addresses code[b]; constants, the state that they are given and what they find stand in `numbers`, at the
    indices of `at` (b + 1, 13). Its coordinates are x[coordinate[…]], its handles are `handle`. `base` (b,): 0 if its
    first joint belongs to it, 6, or 3 in the plane. Of its unknowns, `moved` (unknowns,) is the link that each moves,
    and `speed` (unknowns,) its index in u, −1 for those of the base. The speeds of the joint of link k begin at
    begin[k] among those of its block, and inner coordinate i is number of_inner[i] of them. `whole`: 1 if the tree is
    nothing but blocks without handles. `groups`: how many groups are in no block; `x` and `u`: the last state, if some
    are in one."""

    of: np.ndarray
    inner: np.ndarray
    first: np.ndarray
    link: np.ndarray
    code: np.ndarray
    base: np.ndarray
    coordinate: np.ndarray
    handle: np.ndarray
    moved: np.ndarray
    speed: np.ndarray
    begin: np.ndarray
    of_inner: np.ndarray
    at: np.ndarray
    numbers: np.ndarray
    whole: int
    groups: int
    x: np.ndarray
    u: np.ndarray


#: columns of `at` of Blocks: where the coordinates, handles and unknowns of a block begin in their arrays; and its
#: constants, what is given and found, forces on handles and unknowns in `numbers`, and their end; and where the turn,
#: spin, load and gravity begin in what is given
COORDINATE, HANDLE, MOVED, CONSTANTS, GIVEN, FOUND, FORCE, RATES, END, TURN, SPIN, LOAD, GRAVITY = range(13)


def coordinates_of(tree: Tree, block: DerivedBlock, flexible: Flexible) -> list[int]:
    """The indices in x of the coordinates of a block, link by link: those of its joint, then its amplitudes."""
    joints, found = tree.arrays.joints, list[int]()
    for k in block.links:
        if k in block.inner:
            for s in range(joints.first[k], joints.first[k + 1]):
                found += range(joints.at_q[s], joints.at_q[s] + POSITIONS[joints.kind[s]])
        found += [joints.nq - joints.inner + i for i in _amplitudes(flexible, k)]
    return found


def _amplitudes(flexible: Flexible, k: int) -> list[int]:
    """The numbers of the amplitudes of link k among the inner coordinates."""
    return [i for one in flexible.bodies.get(k, ()) for i in one.inner]


def blocks_for(tree: Tree, cut: Cut) -> Blocks:
    """The blocks of a tree with their workspace."""
    links, n = tree.arrays, len(tree.links)
    nv, inner_count = links.joints.nv, links.joints.inner
    of, begin, inner = np.full(n, -1), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    of_inner = np.zeros(max(inner_count, 1), dtype=np.int64)
    inner[list(cut.inner)] = 1
    first, link, code, base = [0], list[int](), list[tuple[int, int]](), list[int]()
    coordinate, handle, moved, speed = list[int](), list[int](), list[int](), list[int]()
    at, numbers = list[list[int]](), list[np.ndarray]()
    filled = 0
    for b, block in enumerate(cut.blocks):
        of[block.links] = b
        link += block.links
        first.append(len(link))
        programs, structure = block.programs, block.structure
        code.append((address_of(programs.forth.text), address_of(programs.back.text if block.handles else "")))
        base.append(structure.base)
        where = [len(coordinate), len(handle), len(moved)]
        moved += [block.links[0]] * structure.base
        speed += [-1] * structure.base
        coordinate += coordinates_of(tree, block, cut.flexible)
        speeds = list[int]()
        for k in block.links:
            begin[k] = len(speeds)
            own = list(_speeds(tree, k)) if inner[k] else []
            amplitudes = _amplitudes(cut.flexible, k)
            for i, number in enumerate(amplitudes):
                of_inner[number] = len(speeds) + len(own) + i
            own += [nv - inner_count + i for i in amplitudes]
            speeds += own
            moved += [k] * len(own)
        speed += speeds
        handle += block.handles
        size = structure.base + structure.speeds
        starts = places_of_state(structure)
        for part in (
            block.constants(), np.zeros(starts[""]), np.zeros(programs.forth.count("found")),
            np.zeros(6 * len(block.handles)), np.zeros(size),
        ):  # fmt: skip
            where.append(filled)
            numbers.append(part)
            filled += len(part)
        at.append([*where, filled, *(starts[name] for name in STATE[3:])])
    at.append([len(coordinate), len(handle), len(moved), *[filled] * 6, *[0] * 4])
    outside = sum(int(of[group.links[0]]) < 0 for group in tree.graph.groups)
    some = outside < len(tree.graph.groups)
    whole = np.int64
    return Blocks(
        of.astype(whole), inner, np.array(first, dtype=whole), np.array(link, dtype=whole),
        np.array(code, dtype=whole).reshape(-1, 2), np.array(base, dtype=whole), np.array(coordinate, dtype=whole),
        np.array(handle, dtype=whole), np.array(moved, dtype=whole), np.array(speed, dtype=whole), begin, of_inner,
        np.array(at, dtype=whole), np.concatenate([*numbers, np.zeros(0)]),
        int(n == len(link) and not handle and not tree.graph.chords), outside,
        np.zeros(tree.nq if some else 0), np.zeros(nv if some else 0),
    )  # fmt: skip


def _speeds(tree: Tree, k: int) -> range:
    """The indices in u of the speeds of the joint of link k."""
    joints, behind = tree.arrays.joints, k + 1
    last = joints.at_v[joints.first[behind]] if behind < len(tree.links) else joints.nv - joints.inner
    return range(int(joints.at_v[joints.first[k]]), int(last))


# -- from the state to pieces, and back -------------------------------------------------------------------------------


@called(int)
def start_blocks(links, room, x, u, tau):
    """Compute Φ and B of all blocks, or u̇ of a block without handles; the known forces on links are in `room.wrench`.
    Returns −1, or the link that can move without inertia."""
    blocks, handles = room.blocks, room.handles
    numbers, at = blocks.numbers, blocks.at
    _keep_state(blocks, x, u)
    for b in range(blocks.base.shape[0]):
        if blocks.code[b, 0] == 0:
            continue  # a link that cannot move, on which nothing acts
        given, found = (
            vector_view(numbers, at[b, GIVEN], at[b, FOUND] - at[b, GIVEN]),
            vector_view(numbers, at[b, FOUND], at[b, FORCE] - at[b, FOUND]),
        )
        _give_state(blocks, b, x, u, tau, given)
        _give_drives(links, room, b, given)
        _give_base(links, room, b, given)
        first, last = at[b, HANDLE], at[b + 1, HANDLE]
        phi = handles.phi
        if last > first:
            wide = 6 * (last - first)
            phi = vector_view(phi, room.schedule.phi_at[handles.piece[blocks.handle[first]]], wide * wide)
        run_at(
            blocks.code[b, 0],
            vector_view(numbers, at[b, CONSTANTS], at[b, GIVEN] - at[b, CONSTANTS]),
            given,
            phi,
            found,
        )
        for i in range(first, last):
            for c in range(6):
                handles.B[handles.entry[blocks.handle[i]], c] = found[6 * (i - first) + c]
        place, failed = _judged(blocks, b, found, 6 * (last - first))
        if failed >= 0:
            return failed
        if last == first:
            rates = vector_view(numbers, at[b, RATES], at[b, END] - at[b, RATES])
            for i in range(rates.shape[0]):
                rates[i] = found[place + i]
    return -1


@called(None)
def finish_blocks(links, room, ud):
    """u̇ of the joints of all blocks and the accelerations of their links, from the forces on their handles."""
    blocks, handles = room.blocks, room.handles
    numbers, at = blocks.numbers, blocks.at
    for b in range(blocks.base.shape[0]):
        first, rates = at[b, HANDLE], vector_view(numbers, at[b, RATES], at[b, END] - at[b, RATES])
        if blocks.code[b, 1] != 0:
            forces = vector_view(numbers, at[b, FORCE], at[b, RATES] - at[b, FORCE])
            for i in range(first, at[b + 1, HANDLE]):
                for c in range(6):
                    forces[6 * (i - first) + c] = handles.F[handles.entry[blocks.handle[i]], c]
            run_at(
                blocks.code[b, 1],
                vector_view(numbers, at[b, FOUND], at[b, FORCE] - at[b, FOUND]),
                forces,
                vector_view(numbers, at[b, RATES], at[b, END] - at[b, RATES]),
                vector_view(numbers, at[b, RATES], at[b, END] - at[b, RATES]),
            )
        _accelerate(links, room, b, rates, ud)


@called(int)
def answer_whole(links, room, x, u, tau, wrench, ud):
    """u̇ and the accelerations of the links of a tree that is all blocks without handles. Returns zero, or the number
    from 1 of a link that can move without inertia."""
    blocks, loaded = room.blocks, False
    numbers, at = blocks.numbers, blocks.at
    _keep_state(blocks, x, u)
    for k in range(links.parent.shape[0]):
        loaded = loaded or _is_loaded(wrench, k) or has_spin(links, k)
    if loaded:
        for k in range(links.parent.shape[0]):
            put_six(room.wrench, k, from_outside(links, room.moving, wrench, k))
    for b in range(blocks.base.shape[0]):
        given, found = (
            vector_view(numbers, at[b, GIVEN], at[b, FOUND] - at[b, GIVEN]),
            vector_view(numbers, at[b, FOUND], at[b, FORCE] - at[b, FOUND]),
        )
        _give_state(blocks, b, x, u, tau, given)
        if loaded:
            _give_drives(links, room, b, given)
        _give_base(links, room, b, given)
        if blocks.code[b, 0] != 0:
            run_at(
                blocks.code[b, 0],
                vector_view(numbers, at[b, CONSTANTS], at[b, GIVEN] - at[b, CONSTANTS]),
                given,
                found,
                found,
            )
        place, failed = _judged(blocks, b, found, 0)
        if failed >= 0:
            return failed + 1
        _accelerate(links, room, b, vector_view(found, place, found.shape[0] - place), ud)
    return 0


@inlined
def _is_loaded(wrench, k):
    """Whether a force acts on link k."""
    for c in range(6):
        if wrench[k, c] != 0.0:
            return True
    return False


@inlined
def _keep_state(blocks, x, u):
    """Keep a state, for what is asked about it later, if some groups are in blocks."""
    for i in range(blocks.x.shape[0]):
        blocks.x[i] = x[i]
    for i in range(blocks.u.shape[0]):
        blocks.u[i] = u[i]


@inlined
def _give_state(blocks, b, x, u, tau, given):
    """Gather coordinates, speeds and drives of a block."""
    at, first, last = 0, blocks.at[b, MOVED] + blocks.base[b], blocks.at[b + 1, MOVED]
    for i in range(blocks.at[b, COORDINATE], blocks.at[b + 1, COORDINATE]):
        given[at] = x[blocks.coordinate[i]]
        at += 1
    for i in range(first, last):
        given[at] = u[blocks.speed[i]]
        given[at + last - first] = tau[blocks.speed[i]]
        at += 1


@inlined
def _give_drives(links, room, b, given):
    """Add to the drives of a block the forces on its links, as far as they do work along its joints and amplitudes; the
    rest of them is handed to the first link."""
    blocks, moving = room.blocks, room.moving
    count = blocks.at[b + 1, MOVED] - blocks.at[b, MOVED] - blocks.base[b]
    drives = blocks.at[b + 1, COORDINATE] - blocks.at[b, COORDINATE] + count
    for i in range(blocks.first[b + 1] - 1, blocks.first[b] - 1, -1):
        k = blocks.link[i]
        if blocks.inner[k] == 0 or not _is_loaded(room.wrench, k):
            continue
        force, parent = six_in(room.wrench, k), links.parent[k]
        if links.place_of[k] >= 0:
            columns = links.places.columns
            hand_back(columns, moving, links.place_of[k], force, room.wrench)
            for j in range(columns.first[links.place_of[k]], columns.first[links.place_of[k] + 1]):
                if columns.link[j] < 0:
                    given[drives + blocks.of_inner[columns.axis[j]]] += power(six_in(moving.carried, j), force)
            continue
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            given[drives + blocks.begin[k] + j - moving.speeds[k]] += power(six_in(moving.columns, j), force)
        if parent >= 0:
            carried = force_at(force, vector_in(moving.arm[k], 0))
            put_six(room.wrench, parent, sum_of(six_in(room.wrench, parent), carried))


@inlined
def _give_base(links, room, b, given):
    """The turn and the spin of the first link of a floating block, the force on it, and gravity, in ground axes."""
    blocks, moving, k = room.blocks, room.moving, room.blocks.link[room.blocks.first[b]]
    if blocks.base[b] == 6:
        for i in range(9):
            given[blocks.at[b, TURN] + i] = moving.rotation[k, i]
        for i in range(3):
            given[blocks.at[b, SPIN] + i] = moving.motion[k, i]
        for i in range(6):
            given[blocks.at[b, LOAD] + i] = room.wrench[k, i]
    elif blocks.base[b] == 3:
        given[blocks.at[b, TURN]], given[blocks.at[b, TURN] + 1] = moving.rotation[k, 0], moving.rotation[k, 3]
        given[blocks.at[b, SPIN]] = moving.motion[k, 2]
        for i in range(3):
            given[blocks.at[b, LOAD] + i] = room.wrench[k, 2 + i]
    for i in range(given.shape[0] - blocks.at[b, GRAVITY]):
        given[blocks.at[b, GRAVITY] + i] = links.gravity[i]


@inlined
def _judged(blocks, b, found, at):
    """The index behind the pivots of a block, which begin at found[at], and −1 or the link that can move without
    inertia: a pivot is small against its entry of M, or that against the inertia of what it moves."""
    failed = -1
    for i in range(blocks.at[b, MOVED], blocks.at[b + 1, MOVED]):
        pivot, whole, largest = found[at], found[at + 1], found[at + 2]
        if failed < 0 and not (pivot > NO_INERTIA * whole and whole > NO_INERTIA * largest):
            failed = blocks.moved[i]
        at += 3
    return at, failed


@inlined
def _accelerate(links, room, b, rates, ud):
    """u̇ of a block and the accelerations of its links."""
    blocks, moving, base = room.blocks, room.moving, room.blocks.base[b]
    inner = links.joints.nv - links.joints.inner
    for i in range(blocks.at[b, MOVED] + base, blocks.at[b + 1, MOVED]):
        ud[blocks.speed[i]] = rates[i - blocks.at[b, MOVED]]
        if blocks.speed[i] >= inner:
            room.groups.rates[blocks.speed[i] - inner] = ud[blocks.speed[i]]
    for i in range(blocks.first[b], blocks.first[b + 1]):
        k = blocks.link[i]
        if blocks.inner[k] == 0:
            if base == 6:
                put_six(room.accelerations, k, ((rates[0], rates[1], rates[2]), (rates[3], rates[4], rates[5])))
            else:
                put_six(room.accelerations, k, ((0.0, 0.0, rates[0]), (rates[1], rates[2], 0.0)))
            continue
        A = carried_along(links, moving, room.accelerations, k, ud, inner)
        A = sum_of(A, six_in(moving.bias, k))
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(room.accelerations, k, A)
