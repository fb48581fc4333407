"""Rates of joint speeds by a road, under the forces and the further constraint rows of the other components; compiled.

Springs, motors and all else that is neither body nor joint says what it does in the coordinates of the system:
r = f(t, q, v). On a link that is a wrench about its origin, on a coordinate that a joint owns a force along the motion.

Rows of joints that close loops, of drives, gears and wheels, G a = γ, hold by multipliers μ of their own. The road
gives the rates without them and, at rest and without weight, the response of the tree to each row alone:

    u̇ = u̇₀ + Σ μₖ Δₖ,      G B Δ μ = γ − G a(u̇₀),      a(u̇) = B u̇ + …

(less that without any row, where groups of links are elastic, and have forces at rest too.)

Rows that the tree makes depend on others, as those across the plane of a four-bar do, are left out (μ = 0): the matrix
is factorised by Cholesky with the largest pivot first, until pivots are rounding, or until there are as many rows as
are independent where the mechanism is closed. In stages and in trials its joints are open by a little, δ, and rows that
repeat one another where they are closed do not do so there: their pivots are δ², and they would hold the mechanism.
"""

from __future__ import annotations

from typing import Any

from flexmb.formulations.binding import invoke
from flexmb.formulations.tree.placing import four_in, move_links
from flexmb.kernels.compilation import INTERPRETED, called
from flexmb.kernels.rotations import product, turned
from flexmb.kernels.vectors import cross, plus, put, vector_in
from flexmb.solvers.joint_motion.carried import put_all
from flexmb.system.evaluation import add_constraint_forces, constraints, jacobian_times

#: what is called where Numba is switched off, by the places of bound roads: solve, links and room
IN_PYTHON: dict[int, tuple[Any, Any, Any]] = {}


def _ask_in_python(place: int, *arrays: Any) -> int:
    solve, links, room = IN_PYTHON[place]
    return int(solve(links, room, *arrays))


#: the road at a place, of x, u, τ, wrench and u̇, which it fills; its status
ask: Any = _ask_in_python if INTERPRETED else invoke
#: pivots below this part of the largest are rounding
ROUNDING = 1e-11


@called(None)
def put_wrenches(j, r):
    """Wrenches (n, 6) on the links and forces (nv,) along the motions of joints, of forces −r (total,)."""
    f = j.followers
    links, nodes = j.links, j.nodes
    j.tau[:] = 0.0
    for k in range(links.parent.shape[0]):
        axes, at = four_in(j.at[k], 3), nodes.numbers_v[k]
        if nodes.dimension == 2:
            force, moment = (-r[at[0]], -r[at[1]], 0.0), (0.0, 0.0, -r[at[2]])
        else:
            force = -r[at[0]], -r[at[1]], -r[at[2]]
            moment = turned(product(axes, four_in(nodes.axes[k], 0)), (-r[at[3]], -r[at[4]], -r[at[5]]))
        arm = turned(axes, vector_in(nodes.place[k], 0))
        put(j.wrench[k], 0, plus(moment, cross(arm, force)))
        put(j.wrench[k], 3, force)
    for s in range(nodes.own.shape[0]):
        if nodes.own[s] >= 0:
            j.tau[links.at_v[s]] = -r[nodes.own[s]]
    for i in range(links.inner):
        j.tau[links.nv - links.inner + i] = -r[nodes.inner[i]]
    for k in range(f.follower.shape[0]):
        for entry in range(f.begins[k], f.begins[k + 1]):
            j.tau[f.of_speed[entry]] -= f.follows[entry] * r[f.follower[k]]


@called(int)
def rates_under(j, scratch, t, q, v, alpha, beta, anew):
    """Fill u̇ of `j` under the forces that were put, at its joint coordinates and speeds, to which q and v of the system
    belong; 0, or the status of the road that found no answer. `alpha`, `beta` [1/s]: Baumgarte's, for the further rows
    and the loops that the road closes. Where it is not asked `anew` the state is that of before, and so are the
    responses to these rows."""
    j.time[0] = t
    j.stabilise[0], j.stabilise[1] = 2.0 * alpha, beta * beta
    status = ask(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_ud)
    if status == 0 and j.further.shape[0] > 0:
        status = _with_rows(j, scratch, t, q, v, alpha, beta, anew)
    if status == 0 and j.followers.loose.shape[0] > 0:
        _loose_rates(j, scratch, t, q, v, alpha, beta)
    return status


@called(None)
def put_forces(j, scratch, t, q, v):
    """:func:`put_wrenches` of forces −j.r, with those that loose coordinates hand on by their rows."""
    if j.followers.loose.shape[0] > 0:
        add_loose(j, scratch, t, q, v)
    put_wrenches(j, j.r)


@called(None)
def add_loose(j, scratch, t, q, v):
    """Add the forces Gᵀ λ of the rows of loose coordinates, λ = −f/c₀, to `j.r`."""
    f = j.followers
    some = False
    for i in range(f.loose.shape[0]):
        force = -j.r[f.loose[i]] / f.loose_by[i]
        j.lam[f.loose_rows[i]] = force
        some = some or force != 0.0
    if some:
        add_constraint_forces(j.rows, scratch, t, q, v, j.zero, j.lam, j.weights, j.r)
    for i in range(f.loose.shape[0]):
        j.lam[f.loose_rows[i]] = 0.0


@called(None)
def _loose_rates(j, scratch, t, q, v, alpha, beta):
    """s̈ of loose coordinates, behind u̇ of the joints."""
    f = j.followers
    first = j.links.nv - f.loose.shape[0]
    for i in range(f.loose.shape[0]):
        j.ud[first + i] = 0.0
    _accelerations(j, j.u, q, v)
    constraints(j.rows, scratch, t, q, v, j.zero, j.weights, j.g, j.gd, j.gamma)
    jacobian_times(j.rows, scratch, t, q, v, j.a, j.weights, j.a, j.along)
    for i in range(f.loose.shape[0]):
        row = f.loose_rows[i]
        damped = alpha if j.rows.at_speed[row] >= 0 else 2.0 * alpha
        wanted = j.gamma[row] - damped * j.gd[row] - beta * beta * j.g[row]
        j.ud[first + i] = (wanted - j.along[row]) / f.loose_by[i]


@called(int)
def _with_rows(j, scratch, t, q, v, alpha, beta, anew):
    """Add what the further rows do to u̇."""
    links, count, nv = j.links, j.further.shape[0], j.links.nv
    _accelerations(j, j.u, q, v)
    constraints(j.rows, scratch, t, q, v, j.zero, j.weights, j.g, j.gd, j.gamma)
    jacobian_times(j.rows, scratch, t, q, v, j.a, j.weights, j.a, j.along)
    for i in range(count):
        row = j.further[i]
        damped = alpha if j.rows.at_speed[row] >= 0 else 2.0 * alpha
        j.mu[i] = (j.gamma[row] - damped * j.gd[row] - beta * beta * j.g[row] - j.along[row]) / j.row_scale[row]
    for i in range(nv):
        j.free[i] = j.ud[i]
    if anew:
        for i in range(nv):
            j.move[i] = j.u[i]
            j.u[i] = 0.0
            j.tau[i] = 0.0
        gravity = vector_in(links.gravity, 0)
        put(links.gravity, 0, (0.0, 0.0, 0.0))
        status = _responses(j, scratch, t, q, v)
        put(links.gravity, 0, gravity)
        for i in range(nv):
            j.u[i] = j.move[i]
            j.tau[i] = 0.0
        j.wrench[:] = 0.0
        if status != 0:
            return status
    for i in range(count):
        for k in range(count):
            j.solved[i, k] = j.matrix[i, k]
    solve_semidefinite(j.solved, j.mu, j.rank, j.order, j.x_rows)
    for i in range(nv):
        j.ud[i] = j.free[i]
        for k in range(count):
            j.ud[i] += j.mu[k] / j.row_scale[j.further[k]] * j.response[k, i]
    return 0


@called(None)
def _accelerations(j, u, q, v):
    """a of the system for u̇ and speeds u."""
    move_links(j.links, j.x, u, j.ud, j.at, j.moving, j.accelerating)
    put_all(j, j.x, u, j.ud, j.q, j.v, j.a)


@called(int)
def _responses(j, scratch, t, q, v):
    """The response of the tree at rest to each further row, and what all rows see of it: the matrix, times −1."""
    count, nv = j.further.shape[0], j.links.nv
    j.wrench[:] = 0.0
    for i in range(nv):
        j.base[i] = 0.0
    if j.grouped == 1:
        status = ask(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_base)
        if status != 0:
            return status
    for k in range(count):
        row = j.further[k]
        j.lam[row] = j.unit
        j.r[:] = 0.0
        add_constraint_forces(j.rows, scratch, t, q, v, j.zero, j.lam, j.weights, j.r)
        j.lam[row] = 0.0
        put_wrenches(j, j.r)
        status = ask(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_ud)
        if status != 0:
            return status
        for i in range(nv):
            j.ud[i] = (j.ud[i] - j.base[i]) / j.unit
        _accelerations(j, j.still, q, v)
        jacobian_times(j.rows, scratch, t, q, v, j.a, j.weights, j.a, j.along)
        for i in range(j.links.nv):
            j.response[k, i] = j.ud[i]
        for i in range(count):
            other = j.further[i]
            j.matrix[i, k] = j.along[other] / (j.row_scale[other] * j.row_scale[row])
    return 0


@called(None)
def solve_semidefinite(A, b, most, order, x):
    """Overwrite b (n,) by a solution x of A x = b with a symmetric A (n, n), negative semidefinite, which is lost;
    unknowns that others make superfluous are zero, and so are all but the `most` of the largest pivots. `order` and x
    are room for n numbers."""
    n = b.shape[0]
    largest, rank = 0.0, 0
    for i in range(n):
        order[i] = i
        x[i] = 0.0
        largest = max(largest, -A[i, i])
    for step in range(min(n, most)):
        best = step
        for i in range(step + 1, n):
            if -A[order[i], order[i]] > -A[order[best], order[best]]:
                best = i
        order[step], order[best] = order[best], order[step]
        pivot = order[step]
        if not -A[pivot, pivot] > ROUNDING * largest:
            break
        rank = step + 1
        for i in range(step + 1, n):
            row = order[i]
            factor = A[row, pivot] / A[pivot, pivot]
            b[row] -= factor * b[pivot]
            for k in range(step + 1, n):
                A[row, order[k]] -= factor * A[pivot, order[k]]
            A[row, pivot] = 0.0
    for step in range(rank - 1, -1, -1):
        pivot = order[step]
        total = b[pivot]
        for k in range(step + 1, rank):
            total -= A[pivot, order[k]] * x[order[k]]
        x[pivot] = total / A[pivot, pivot]
    for i in range(n):
        b[i] = x[i]
