"""Assembly and disassembly with the joint forces as unknowns: Yamane and Nakamura (2002), Takahashi (2012), section
2.2.1.

Pieces are joined by the condition Tᵀ (V̇_b − V̇_a) = 0, with reactions T λ, in any order, along branches and around
loops. For the rows E of a step, with R, K and e of :mod:`flexmb.formulations.pieces.pieces`: K = L Lᵀ, Z = L⁻¹ R and
y = L⁻¹ (e − E B), and in the disassembly

    λ = L⁻ᵀ (y − Z F)

Rows that close a loop may be linearly dependent: those of a spatial four-bar always are. Their pivots are chosen from
the largest down, each relative to its value between free links, until the rest is round-off. Of all λ with the same
effect the one of least norm in the step is taken, λ = L (Lᵀ L)⁻¹ Lᵀ λ₀.
"""

from __future__ import annotations

import math

from flexmb.formulations.binding import FormulationKind
from flexmb.formulations.pieces.handles import finish, prepare
from flexmb.formulations.pieces.orders import from_the_leaves, schedule
from flexmb.formulations.pieces.pieces import (
    NO_NUMBERS,
    gather,
    hand_out,
    numbers_in,
    numbers_plus,
    open_up,
    put_numbers_in,
    reduce,
    rows_of,
)
from flexmb.formulations.pieces.room import Room, closings, pieces_of, room_of
from flexmb.formulations.tree.moving import move
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.views import matrix_view

#: a pivot of a loop-closing row counts as zero below this fraction of its value between free links
LEAST_PIVOT = 1e-11


def room_for(tree: Tree, order: list[list[int]] | None = None) -> Room:
    """Workspace for a tree. `order`: the steps in which joints are closed, each a list of joint indices; joints that
    carry links have the indices of these, those that close loops follow."""
    joints = closings(tree)
    s = schedule(pieces_of(tree), joints, order or from_the_leaves(joints))
    return room_of(tree, s)


@called(int)
def solve(links, room, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) for joint coordinates x, speeds u, drives τ (nv,) and wrenches (n, 6) on the links; joint forces
    are left in the workspace. Returns 0, or the number from 1 of the link whose joint is singular."""
    move(links, room.moving, x, u)
    return answer(links, room, x, u, tau, wrench, ud)


@called(int)
def answer(links, room, x, u, tau, wrench, ud):
    """As :func:`solve`, of links that `room.moving` has moved already."""
    failed = prepare(links, room, x, u, tau, wrench)
    if failed >= 0:
        return failed + 1
    steps = room.schedule.loop.shape[0]
    failed = assemble(room, 0, steps)
    if failed >= 0:
        return link_of(links, room, failed) + 1
    disassemble(room, 0, steps)
    finish(links, room, tau, ud)
    return 0


@compiled
def link_of(links, room, step):
    """The link carried by the first joint of a step; the last link if that joint closes a loop."""
    return min(room.schedule.joint[room.schedule.joint_first[step]], links.parent.shape[0] - 1)


@called(int)
def assemble(room, first, last):
    """Do the steps `first` to `last` − 1; returns −1, or the step that failed."""
    for step in range(first, last):
        gather(room, step)
        if close(room, step) < 0:
            return step
        reduce(room, step, room.steps.rank[step])
    return -1


@called(None)
def disassemble(room, first, last):
    """Undo the steps `last` − 1 down to `first`: forces on the handles of their pieces."""
    for step in range(last - 1, first - 1, -1):
        open_up(room, step)
        if room.schedule.loop[step]:
            _loop_forces(room, step)
        else:
            _tree_forces(room, step)
        hand_out(room, step)


@called(int)
def close(room, step):
    """L of K, Z and y of a step; returns −1 if K of a step that closes no loop is not positive definite."""
    s = room.schedule
    first, rows, width = rows_of(s, step)
    K = s.factor_at[step]
    if s.loop[step]:
        rank = _pivoted(room, step, first, rows, width)
    else:
        rank = rows
        if not cholesky(room.steps.factor, K, rows):
            return -1
    room.steps.rank[step] = rank
    forward(room, step, rank)
    return 0


@compiled
def forward(room, step, rank):
    """y ← L⁻¹ y, and Z = L⁻¹ R at the kept handles, for the first `rank` rows."""
    s, L, kept = room.schedule, room.steps.factor, room.steps.kept
    first, rows, width = rows_of(s, step)
    K, R = s.factor_at[step], s.kept_at[step]
    for i in range(rank):
        total = room.steps.right[first + i]
        for j in range(i):
            total -= L[K + i * rows + j] * room.steps.right[first + j]
        room.steps.right[first + i] = total / L[K + i * rows + i]
    for p in range(s.piece_first[step], s.piece_first[step + 1]):
        for e in range(s.entry_first[s.piece[p]], s.entry_first[s.piece[p] + 1]):
            if s.to[e] < 0:
                continue
            Z, Lower = matrix_view(kept, R + s.column[e], rank, width), matrix_view(L, K, rank, rows)
            for i in range(rank):
                total = numbers_in(Z, i)
                for j in range(i):
                    total = numbers_plus(total, -Lower[i, j], numbers_in(Z, j))
                put_numbers_in(Z, i, numbers_plus(NO_NUMBERS, 1.0 / Lower[i, i], total))


@compiled
def cholesky(A, at, n):
    """Replace A (n, n), which begins at index `at` of the array, by L of A = L Lᵀ; returns whether A is positive
    definite."""
    A = matrix_view(A, at, n, n)
    for j in range(n):
        pivot = A[j, j]
        before = pivot
        for k in range(j):
            pivot -= A[j, k] ** 2
        if not pivot > 1e-15 * before:
            return False
        pivot = math.sqrt(pivot)
        A[j, j] = pivot
        inverse = 1.0 / pivot
        for i in range(j + 1, n):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total * inverse
    return True


@compiled
def _free(room, j, r):
    """The diagonal entry of K for row r of joint j, if the links on both sides were free."""
    n = room.accelerations.shape[0]
    a, b = room.images.links.parent[j], j
    if j >= n:
        b = room.images.of[j - n]
    return _alone(room, a, room.joints.inner[r]) + _alone(room, b, room.joints.outer[r])


@compiled
def _alone(room, k, row):
    """E Φ Eᵀ for a row on link k before any step. A handle of a block may not move at all in the direction of a row:
    for it Φ is the mean of its turns, and of its shifts."""
    total = 0.0
    if k >= 0:
        s, p = room.schedule, room.handles.piece[k]
        i, wide = 6 * (room.handles.entry[k] - s.entry_first[p]), 6 * (s.entry_first[p + 1] - s.entry_first[p])
        if room.blocks.of[k] >= 0:
            for c in range(6):
                part, head = 0.0, 3 * (c // 3)
                for d in range(head, head + 3):
                    part += room.handles.phi[s.phi_at[p] + (i + d) * wide + i + d] / 3.0
                total += row[c] * part * row[c]
            return total
        for c in range(6):
            for d in range(6):
                total += row[c] * room.handles.phi[s.phi_at[p] + (i + c) * wide + i + d] * row[d]
    return total


@compiled
def _pivoted(room, step, first, rows, width):
    """L of K with pivoting, for rows that may be dependent: rows are exchanged so that pivots decrease, their original
    indices are kept in `order`. Returns how many pivots exceed round-off."""
    s = room.schedule
    K, R = s.factor_at[step], s.kept_at[step]
    A = room.steps.factor
    for i in range(s.joint_first[step], s.joint_first[step + 1]):
        j = s.joint[i]
        for r in range(s.row_first[j], s.row_first[j] + s.rows[j]):
            room.steps.scale[r] = _free(room, j, r)
            room.steps.order[r] = r
    room.steps.pivot[step] = 0.0
    for k in range(rows):
        best, at = -1.0, k
        for i in range(k, rows):
            size = A[K + i * rows + i] / room.steps.scale[first + i]
            if size > best:
                best, at = size, i
        if not best > LEAST_PIVOT:
            return k
        room.steps.pivot[step] = best
        if at != k:
            _exchange(room, first, rows, width, K, R, k, at)
        pivot = math.sqrt(A[K + k * rows + k])
        A[K + k * rows + k] = pivot
        for i in range(k + 1, rows):
            A[K + i * rows + k] /= pivot
        for i in range(k + 1, rows):
            x = A[K + i * rows + k]
            for j in range(k + 1, i + 1):
                A[K + i * rows + j] -= x * A[K + j * rows + k]
    return rows


@compiled
def _exchange(room, first, rows, width, K, R, k, at):
    """Exchange rows k and at > k of a step, in the lower triangle of K and in all arrays with an entry per row."""
    A = room.steps.factor
    for c in range(k):
        A[K + k * rows + c], A[K + at * rows + c] = A[K + at * rows + c], A[K + k * rows + c]
    A[K + k * rows + k], A[K + at * rows + at] = A[K + at * rows + at], A[K + k * rows + k]
    for i in range(k + 1, at):
        A[K + i * rows + k], A[K + at * rows + i] = A[K + at * rows + i], A[K + i * rows + k]
    for i in range(at + 1, rows):
        A[K + i * rows + k], A[K + i * rows + at] = A[K + i * rows + at], A[K + i * rows + k]
    for c in range(width):
        i, j = R + k * width + c, R + at * width + c
        room.steps.kept[i], room.steps.kept[j] = room.steps.kept[j], room.steps.kept[i]
    i, j = first + k, first + at
    room.steps.right[i], room.steps.right[j] = room.steps.right[j], room.steps.right[i]
    room.steps.scale[i], room.steps.scale[j] = room.steps.scale[j], room.steps.scale[i]
    room.steps.order[i], room.steps.order[j] = room.steps.order[j], room.steps.order[i]


@compiled
def _back(A, at, n, count, x, first):
    """x ← L⁻ᵀ x, for the leading (count, count) part of a triangle (n, n)."""
    for i in range(count - 1, -1, -1):
        total = x[first + i]
        for j in range(i + 1, count):
            total -= A[at + j * n + i] * x[first + j]
        x[first + i] = total / A[at + i * n + i]


@compiled
def _tree_forces(room, step):
    """λ = L⁻ᵀ (y − Z F)."""
    s = room.schedule
    first, rows, _ = rows_of(s, step)
    for r in range(first, first + rows):
        room.steps.lam[r] = room.steps.right[r] - room.steps.lam[r]
    _back(room.steps.factor, s.factor_at[step], rows, rows, room.steps.lam, first)


@compiled
def _loop_forces(room, step):
    """The least-norm λ of those with the same effect, in the original order of the rows."""
    s = room.schedule
    first, rows, _ = rows_of(s, step)
    K, rank = s.factor_at[step], room.steps.rank[step]
    L, G, lam, y = room.steps.factor, room.steps.more, room.steps.lam, room.steps.right
    for r in range(first, first + rank):
        lam[r] = y[r] - lam[r]
    _back(L, K, rows, rank, lam, first)
    if rank < rows:
        # G = Lᵀ L and y = Lᵀ λ₀ overwrite buffers whose contents are no longer needed
        for i in range(rank):
            total = 0.0
            for r in range(i, rank):
                total += L[K + r * rows + i] * lam[first + r]
            y[first + i] = total
            for j in range(i + 1):
                total = 0.0
                for r in range(i, rows):
                    total += L[K + r * rows + i] * L[K + r * rows + j]
                G[K + i * rank + j] = total
        cholesky(G, K, rank)
        for i in range(rank):
            total = y[first + i]
            for j in range(i):
                total -= G[K + i * rank + j] * y[first + j]
            y[first + i] = total / G[K + i * rank + i]
        _back(G, K, rank, rank, y, first)
        for r in range(rows):
            total = 0.0
            for i in range(min(r + 1, rank)):
                total += L[K + r * rows + i] * y[first + i]
            lam[first + r] = total
    for r in range(first, first + rows):  # back to the order of the rows
        room.steps.scale[room.steps.order[r]] = lam[r]
    for r in range(first, first + rows):
        lam[r] = room.steps.scale[r]


#: assembly and disassembly, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(
    solve, answer, room_for, takes_loops=True, gives_forces=True, takes_orders=True, inverts=True, keeps_masses=True
)
