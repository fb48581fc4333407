"""The equations of a virtual closed loop in one state of its chain, compiled; :mod:`flexmb.control.virtual_loop` has
them.

The loop has the speeds J u for the joint speeds u of the chain, and the accelerations J u̇ + (those without u̇). With the
factor M = LᵀL of its mass matrix in joint coordinates and y = L v̇, the norm of y is that of the kinetic energy, and

    y = L⁻ᵀ Jᵀ(−r) + the least y that fulfils the rows:  C y = c,   C = G J L⁻¹
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.least_norm import least_norm
from flexmb.formulations.asked import Asked, complete_drives
from flexmb.formulations.lagrange import factorize, solve_lower, solve_transposed
from flexmb.formulations.newton_euler import weigh
from flexmb.formulations.tree.arrays import Nodes
from flexmb.formulations.tree.moving import motions_along, put_state
from flexmb.formulations.tree.nodes import put_motions
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.system import evaluation
from flexmb.system.plan import Plan, Scratch

#: singular values of the rows, in the norm of the mass matrix, below this part of the largest restrict nothing
NOTHING = 1e-7
#: what may be missing: the inertia of the loop, the rows of coordinates of its own, the inertia of what is not moved
NO_INERTIA, TIED, NOT_MOVED = 1, 2, 3


@by_reference
class Imagined(NamedTuple):
    """A chain, `asked`, with its `nodes` and buffers for the coordinates, speeds and accelerations of its system; the
    system of its loop, whose matrix has the compressed columns `begin`, `row`, `values`; and who is who: pairs `same_q`
    and `same_v` (k, 2) of numbers in the loop and in the chain, the loop's `own` coordinates with the rows `ties` that
    give them, and the rows `closing` that close it, in `units`, with the rate α of `stabilization` (1,).

    `start`, q, v, a: coordinates of the loop as modelled, and its state; `g` (3, m): g, ġ and γ; `along` (m,) = G a;
    J (n, nv); `GJ` (m, nv), `MJ` (n, nv), `M` (nv, nv); `C`, `wanted`: the closing rows. The result is `vdot` (nv,).
    """

    asked: Asked
    nodes: Nodes
    chain_q: np.ndarray
    chain_v: np.ndarray
    chain_a: np.ndarray
    plan: Plan
    scratch: Scratch
    begin: np.ndarray
    row: np.ndarray
    values: np.ndarray
    same_q: np.ndarray
    same_v: np.ndarray
    own: np.ndarray
    ties: np.ndarray
    closing: np.ndarray
    units: np.ndarray
    stabilization: np.ndarray
    start: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    still: np.ndarray
    lam: np.ndarray
    only_rows: np.ndarray
    with_masses: np.ndarray
    g: np.ndarray
    along: np.ndarray
    r: np.ndarray
    J: np.ndarray
    GJ: np.ndarray
    MJ: np.ndarray
    M: np.ndarray
    before: np.ndarray
    C: np.ndarray
    wanted: np.ndarray
    unit: np.ndarray
    motions: np.ndarray
    hold: np.ndarray
    pivots: np.ndarray
    missing: np.ndarray
    vdot: np.ndarray


@called(int)
def put_loop(loop, t):
    """Write the state of the loop and its speeds J from the state of the chain; 0, or what is missing."""
    asked, links = loop.asked, loop.asked.links
    moving, n = asked.room.moving, loop.plan.n
    put_state(
        links, loop.nodes, moving, loop.motions, asked.x, asked.u, loop.unit, loop.chain_q, loop.chain_v, loop.chain_a
    )
    for k in range(loop.plan.nq):
        loop.q[k] = loop.start[k]
    for k in range(n):
        loop.v[k] = loop.a[k] = 0.0
    for k in range(loop.same_q.shape[0]):
        loop.q[loop.same_q[k, 0]] = loop.chain_q[loop.same_q[k, 1]]
    for k in range(loop.same_v.shape[0]):
        loop.v[loop.same_v[k, 0]] = loop.chain_v[loop.same_v[k, 1]]
        loop.a[loop.same_v[k, 0]] = loop.chain_a[loop.same_v[k, 1]]
    for j in range(links.joints.nv):
        loop.unit[j] = 1.0
        motions_along(links, moving, loop.unit, loop.motions)
        put_motions(links, loop.nodes, moving, loop.motions, loop.unit, loop.chain_v)
        loop.unit[j] = 0.0
        for k in range(n):
            loop.J[k, j] = 0.0
        for k in range(loop.same_v.shape[0]):
            loop.J[loop.same_v[k, 0], j] = loop.chain_v[loop.same_v[k, 1]]
    return _put_own(loop, t) if loop.own.shape[0] > 0 else 0


@called(int)
def _put_own(loop, t):
    """Write the coordinates of the loop that the chain has not: s with g(q, s) = 0, by one step of Newton's method, and
    their rates."""
    k, plan, scratch = loop.own.shape[0], loop.plan, loop.scratch
    for level in range(3):
        if level < 2:
            evaluation.matrix(plan, scratch, t, loop.q, loop.v, loop.still, loop.lam, loop.only_rows, loop.values)
            if not _hold(loop):
                return TIED
        evaluation.constraints(
            plan, scratch, t, loop.q, loop.v, loop.still, loop.only_rows, loop.g[0], loop.g[1], loop.g[2]
        )
        if level == 2:
            _times(loop)
        for i in range(k):
            row = loop.ties[i]
            loop.missing[i] = loop.along[row] - loop.g[2, row] if level == 2 else loop.g[level, row]
        dense_lu.solve(loop.hold, k, loop.pivots, loop.missing)
        x = loop.q if level == 0 else loop.v if level == 1 else loop.a
        for i in range(k):
            x[loop.own[i]] -= loop.missing[i]
    _times_columns(loop)
    for j in range(loop.J.shape[1]):
        for i in range(k):
            loop.missing[i] = loop.GJ[loop.ties[i], j]
        dense_lu.solve(loop.hold, k, loop.pivots, loop.missing)
        for i in range(k):
            loop.J[loop.own[i], j] = -loop.missing[i]
    return 0


@compiled
def _hold(loop):
    """Factorize ∂g/∂s of the rows that tie the loop's own coordinates; whether it is regular."""
    k, n = loop.own.shape[0], loop.plan.n
    for i in range(k):
        for j in range(k):
            loop.hold[i, j] = 0.0
    for j in range(k):
        for at in range(loop.begin[loop.own[j]], loop.begin[loop.own[j] + 1]):
            for i in range(k):
                if loop.row[at] == n + loop.ties[i]:
                    loop.hold[i, j] = loop.values[at]
    return dense_lu.factor(loop.hold, k, loop.pivots) > 0.0


@compiled
def _times(loop):
    """G a of the loop."""
    n = loop.plan.n
    for i in range(loop.plan.m):
        loop.along[i] = 0.0
    for c in range(n):
        for at in range(loop.begin[c], loop.begin[c + 1]):
            if loop.row[at] >= n:
                loop.along[loop.row[at] - n] += loop.values[at] * loop.a[c]


@compiled
def _times_columns(loop):
    """M J and G J of the loop."""
    n, nv = loop.plan.n, loop.J.shape[1]
    for i in range(n):
        for j in range(nv):
            loop.MJ[i, j] = 0.0
    for i in range(loop.plan.m):
        for j in range(nv):
            loop.GJ[i, j] = 0.0
    for c in range(n):
        for at in range(loop.begin[c], loop.begin[c + 1]):
            i, x = loop.row[at], loop.values[at]
            if x == 0.0:
                continue
            if i < n:
                for j in range(nv):
                    loop.MJ[i, j] += x * loop.J[c, j]
            else:
                for j in range(nv):
                    loop.GJ[i - n, j] += x * loop.J[c, j]


@called(int)
def accelerations(loop, t):
    """Write v̇ (nv,) of the loop in joint coordinates into `vdot`; 0, or what is missing."""
    failed = put_loop(loop, t)
    if failed != 0:
        return failed
    plan, scratch, n, nv = loop.plan, loop.scratch, loop.plan.n, loop.J.shape[1]
    evaluation.matrix(plan, scratch, t, loop.q, loop.v, loop.a, loop.lam, loop.with_masses, loop.values)
    evaluation.residual(plan, scratch, t, loop.q, loop.v, loop.a, loop.only_rows, loop.r)
    _times_columns(loop)
    for i in range(nv):
        total = 0.0
        for c in range(n):
            total -= loop.J[c, i] * loop.r[c]
        loop.vdot[i] = total
        for j in range(i + 1):
            total = 0.0
            for c in range(n):
                total += loop.J[c, i] * loop.MJ[c, j]
            loop.M[i, j] = total
    if factorize(loop.M, loop.before, nv) >= 0:
        return NO_INERTIA
    solve_transposed(loop.M, loop.before, nv, loop.vdot)
    if loop.closing.shape[0] > 0:
        _close(loop, t)
    solve_lower(loop.M, loop.before, nv, loop.vdot)
    return 0


@called(None)
def _close(loop, t):
    """Change y, in `vdot`, by the least that fulfils the rows that close the loop."""
    plan, nv, alpha = loop.plan, loop.J.shape[1], loop.stabilization[0]
    evaluation.constraints(
        plan, loop.scratch, t, loop.q, loop.v, loop.still, loop.only_rows, loop.g[0], loop.g[1], loop.g[2]
    )
    _times(loop)
    for k in range(loop.closing.shape[0]):
        row, unit, C = loop.closing[k], loop.units[k], loop.C[k]
        for j in range(nv):
            C[j] = loop.GJ[row, j] / unit
        solve_transposed(loop.M, loop.before, nv, C)
        wanted = loop.g[2, row] - loop.along[row] - 2.0 * alpha * loop.g[1, row] - alpha * alpha * loop.g[0, row]
        wanted /= unit
        for j in range(nv):
            wanted -= C[j] * loop.vdot[j]
        loop.wanted[k] = wanted
    least_norm(loop.C, loop.wanted, NOTHING, loop.unit)
    for j in range(nv):
        loop.vdot[j] += loop.unit[j]
        loop.unit[j] = 0.0


@called(int)
def drives(loop, t):
    """Write the drives of the chain that cause the accelerations of the loop into `asked.tau`; 0, or what is
    missing."""
    failed = accelerations(loop, t)
    if failed != 0:
        return failed
    asked = loop.asked
    for j in range(loop.vdot.shape[0]):
        asked.ud[j] = loop.vdot[j]
    weigh(asked.links, asked.room, asked.x, asked.u)
    return NOT_MOVED if complete_drives(asked) != 0 else 0
