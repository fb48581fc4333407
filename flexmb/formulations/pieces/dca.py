"""Divide and conquer with the motions of joints: Featherstone (1999), Takahashi (2012), section 2.2.3.

The pieces are those of :mod:`flexmb.formulations.pieces.ada`, but where two of them meet, all six components of the
force f are unknown, and so is u̇ of the joint. With rows E in all six directions, A = E Φ Eᵀ = L Lᵀ and the motions S,

    A f = e − E B − R F + S u̇,   Sᵀ f = 0        (drives are in B)

With N = L⁻¹ S and P = 1 − N (Nᵀ N)⁻¹ Nᵀ

    Z = P L⁻¹ R,   y = P L⁻¹ (e − E B),   f = L⁻ᵀ (y − Z F)

L⁻ᵀ P L⁻¹ is W = Y − Y S (Sᵀ Y S)⁻¹ Sᵀ Y with Y = A⁻¹ of (2.42), which equals T (Tᵀ A T)⁻¹ Tᵀ, the form with reactions
T. Where a loop is closed, A may be singular, since both sides may be constrained in the same direction; there the rows
are those of the reactions, as in ada, which may be dependent.
"""

from __future__ import annotations

from flexmb.formulations.binding import FormulationKind
from flexmb.formulations.pieces.ada import cholesky, close, disassemble, forward, link_of
from flexmb.formulations.pieces.handles import finish, prepare
from flexmb.formulations.pieces.orders import from_the_leaves, schedule
from flexmb.formulations.pieces.pieces import (
    NO_NUMBERS,
    gather,
    numbers_in,
    numbers_plus,
    put_numbers_in,
    reduce,
    rows_of,
)
from flexmb.formulations.pieces.room import Room, closings, pieces_of, room_of
from flexmb.formulations.tree.moving import move
from flexmb.formulations.tree.reading import speeds_of
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called, compiled, inlined
from flexmb.kernels.views import matrix_view, vector_view


def room_for(tree: Tree, order: list[list[int]] | None = None) -> Room:
    """Workspace for a tree and an order of its joints, as for :func:`flexmb.formulations.pieces.ada.room_for`."""
    joints = closings(tree)
    return room_of(tree, schedule(pieces_of(tree), joints, order or from_the_leaves(joints), all_ways=True))


@called(int)
def solve(links, room, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) for joint coordinates x, speeds u, drives τ (nv,) and wrenches (n, 6) on the links; joint forces
    are left in the workspace. Returns 0, or the number from 1 of the link whose joint is singular."""
    move(links, room.moving, x, u)
    return answer(links, room, x, u, tau, wrench, ud)


@called(int)
def answer(links, room, x, u, tau, wrench, ud):
    """As :func:`solve`, of links that `room.moving` has moved already."""
    steps = room.schedule.loop.shape[0]
    failed = prepare(links, room, x, u, tau, wrench)
    if failed >= 0:
        return failed + 1
    for step in range(steps):
        gather(room, step)
        if room.schedule.loop[step]:
            status = close(room, step)
        else:
            status = _close(room, step)
        if status < 0:
            return link_of(links, room, step) + 1
        reduce(room, step, room.steps.rank[step])
    disassemble(room, 0, steps)
    finish(links, room, tau, ud)
    return 0


@compiled
def _close(room, step):
    """L of A, Z and y of a step that closes no loop; returns −1 if A is not positive definite."""
    s, links = room.schedule, room.images.links
    first, rows, width = rows_of(s, step)
    A, R = s.factor_at[step], s.kept_at[step]
    room.steps.rank[step] = rows
    if not cholesky(room.steps.factor, A, rows):
        return -1
    forward(room, step, rows)
    # columns of N, stored one after the other, orthonormalized as they are computed
    L, N, done = room.steps.factor, room.steps.more, 0
    for i in range(s.joint_first[step], s.joint_first[step + 1]):
        joint = s.joint[i]
        base = links.joints.at_v[links.joints.first[joint]]
        for j in range(base, base + speeds_of(links.joints, joint)):
            column = A + done * rows
            for r in range(rows):
                total = 0.0
                c = r - (s.row_first[joint] - first)
                if 0 <= c < 6:
                    total = room.joints.S[j, c]
                for k in range(r):
                    total -= L[A + r * rows + k] * N[column + k]
                N[column + r] = total / L[A + r * rows + r]
            for k in range(done):
                _without(N, A + k * rows, rows, N, column)
            size = 0.0
            for r in range(rows):
                size += N[column + r] ** 2
            size = size**-0.5
            for r in range(rows):
                N[column + r] *= size
            _without(N, column, rows, room.steps.right, first)
            for p in range(s.piece_first[step], s.piece_first[step + 1]):
                for e in range(s.entry_first[s.piece[p]], s.entry_first[s.piece[p] + 1]):
                    if s.to[e] >= 0:
                        _rows_without(
                            vector_view(N, column, rows), matrix_view(room.steps.kept, R + s.column[e], rows, width)
                        )
            done += 1
    return 0


@compiled
def _without(N, column, rows, x, first):
    """Subtract from x[first : first + rows] its component along a unit column of N."""
    share = 0.0
    for r in range(rows):
        share += N[column + r] * x[first + r]
    for r in range(rows):
        x[first + r] -= share * N[column + r]


@inlined
def _rows_without(n, Z):
    """Subtract from the first six columns of Z their components along a unit column n."""
    share = NO_NUMBERS
    for r in range(n.shape[0]):
        share = numbers_plus(share, n[r], numbers_in(Z, r))
    for r in range(n.shape[0]):
        put_numbers_in(Z, r, numbers_plus(numbers_in(Z, r), -n[r], share))


#: divide and conquer, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(
    solve, answer, room_for, takes_loops=True, gives_forces=True, takes_orders=True, inverts=True, keeps_masses=True
)
