"""Rates of joint speeds by a road, under the forces and the further constraint rows of the other components; compiled.

Springs, motors and all else that is neither body nor joint says what it does in the coordinates of the system:
r = f(t, q, v). On a link that is a wrench about its origin, on a coordinate that a joint owns a force along the motion.

Rows of joints that close loops, of drives, gears and wheels, G a = γ, hold by multipliers μ of their own. The road
gives the rates without them and, at rest and without weight, the response of the tree to each row alone:

    u̇ = u̇₀ + Σ μₖ Δₖ,      G B Δ μ = γ − G a(u̇₀),      a(u̇) = B u̇ + …

(:mod:`~flexmb.solvers.joint_motion.responses`). Rows that the tree makes depend on others, as those across the plane of
a four-bar do, are left out (μ = 0, :mod:`flexmb.algebra.semidefinite`), and no more are kept than are independent where
the mechanism is closed: in stages and in trials its joints are open by a little, δ, and rows that repeat one another
where they are closed do not do so there. Their pivots are δ², and they would hold the mechanism.
"""

from __future__ import annotations

from flexmb.algebra.semidefinite import factor_semidefinite, solve_semidefinite
from flexmb.formulations.binding import answer
from flexmb.formulations.tree.nodes import put_wrench
from flexmb.kernels.compilation import called
from flexmb.solvers.joint_motion.bearing import put_where_borne, row_times
from flexmb.solvers.joint_motion.joint_state import put_accelerations
from flexmb.solvers.joint_motion.multipliers import fill_entries
from flexmb.solvers.joint_motion.responses import find_responses, respond
from flexmb.system.evaluation import add_constraint_forces, constraints, jacobian_times


@called(None)
def put_wrenches(j, r):
    """Wrenches (n, 6) on the links and forces (nv,) along the motions of joints, of forces −r (total,)."""
    f = j.followers
    links, nodes = j.links, j.nodes
    j.tau[:] = 0.0
    for k in range(links.parent.shape[0]):
        put_wrench(nodes, j.moving.at, k, r, j.wrench)
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
    status = answer(j.road, j.road_x, j.road_u, j.road_tau, j.wrench, j.road_ud)
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
    put_accelerations(j, j.a)
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
    b, count = j.bearing, j.further.shape[0]
    put_where_borne(j, j.a)
    if anew:
        constraints(j.rows, scratch, t, q, v, j.zero, j.weights, j.g, j.gd, j.gamma)
        fill_entries(b.entries, b.entries_at, j.rows, scratch, t, q, v, j.zero)
    for i in range(count):
        row = j.further[i]
        damped = alpha if j.rows.at_speed[row] >= 0 else 2.0 * alpha
        wanted = j.gamma[row] - damped * j.gd[row] - beta * beta * j.g[row]
        j.mu[i] = (wanted - row_times(j.rows, b, i, j.a)) / j.row_scale[row]
    for i in range(j.links.nv):
        j.free[i] = j.ud[i]
    if anew:
        status = find_responses(j)
        if status != 0:
            return status
        for i in range(count):
            for k in range(count):
                j.solved[i, k] = j.matrix[i, k]
        j.pivots[0] = factor_semidefinite(j.solved, j.rank, j.order, j.x_rows)
    solve_semidefinite(j.solved, j.pivots[0], j.order, j.x_rows, j.mu)
    respond(j, j.mu, j.ud)
    for i in range(j.links.nv):
        j.ud[i] += j.free[i]
    return 0
