"""Rates of joint speeds from a formulation, under the forces and the further constraint rows of the other components;
compiled.

Springs, motors and all other components that are neither bodies nor joints give their forces in the coordinates of the
system, r = f(t, q, v). For a link these are a wrench about its origin, for a coordinate that a joint owns a force along
the motion.

The further rows G a = γ, of joints that close loops, of drives, gears and wheels, have multipliers μ of their own. The
formulation gives the rates u̇₀ without them and, at rest and without gravity, the response Δ of the tree to each row:

    u̇ = u̇₀ + Σ μₖ Δₖ,      G B Δ μ = γ − G a(u̇₀),      a(u̇) = B u̇ + …

(:mod:`~flexmb.solvers.coordinates.joints.responses`). Rows that depend on others on the tree, such as those normal to
the plane of a four-bar, are left out (μ = 0, :mod:`flexmb.algebra.semidefinite`). At most as many rows are kept as are
independent where the mechanism is closed: in stages and in trial states its joints are open by a small δ, and rows that
repeat one another where they are closed do not repeat one another there. Their pivots are of the size δ², and with them
the mechanism could not move.
"""

from __future__ import annotations

from flexmb.algebra.semidefinite import factor_semidefinite, solve_semidefinite
from flexmb.formulations.binding import answer
from flexmb.formulations.tree.nodes import put_wrench
from flexmb.kernels.compilation import called
from flexmb.solvers.coordinates.joints.bearing import put_where_borne, row_times
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.coordinates.joints.multipliers import fill_entries
from flexmb.solvers.coordinates.joints.responses import find_responses, respond
from flexmb.system.evaluation import add_constraint_forces, constraints, jacobian_times


@called(None)
def put_wrenches(j, r):
    """Convert forces −r (total,) of the system to wrenches (n, 6) on the links and forces (nv,) along the joints."""
    f = j.followers
    links, nodes = j.links, j.nodes
    j.acting.tau[:] = 0.0
    for k in range(links.parent.shape[0]):
        put_wrench(nodes, j.moving.at, k, r, j.acting.wrench)
    for s in range(nodes.own.shape[0]):
        if nodes.own[s] >= 0:
            j.acting.tau[links.joints.at_v[s]] = -r[nodes.own[s]]
    for i in range(links.joints.inner):
        j.acting.tau[links.joints.nv - links.joints.inner + i] = -r[nodes.inner[i]]
    for k in range(f.follower.shape[0]):
        for entry in range(f.begins[k], f.begins[k + 1]):
            j.acting.tau[f.of_speed[entry]] -= f.follows[entry] * r[f.follower[k]]


@called(int)
def rates_under(j, scratch, t, q, v, alpha, beta, anew):
    """Fill u̇ of `j` under the forces that were entered, at its joint coordinates and speeds, which belong to q and v
    of the system; returns 0, or the status of the formulation that failed. `alpha`, `beta` [1/s]: coefficients of
    Baumgarte's stabilization for the further rows and the loops that the formulation closes. `anew`: the state has
    changed since the last call; otherwise the responses to the further rows are reused."""
    j.formulation.time[0] = t
    j.formulation.stabilize[0], j.formulation.stabilize[1] = 2.0 * alpha, beta * beta
    status = answer(
        j.formulation.place, j.formulation.x, j.formulation.u, j.formulation.tau, j.acting.wrench, j.formulation.ud
    )
    if status == 0 and j.rows.numbers.shape[0] > 0:
        status = _with_rows(j, scratch, t, q, v, alpha, beta, anew)
    if status == 0 and j.followers.loose.shape[0] > 0:
        loose_rates(j, scratch, t, q, v, alpha, beta)
    return status


@called(None)
def put_forces(j, scratch, t, q, v):
    """Enter the forces −r that act and those that loose coordinates pass on through their rows, by
    :func:`put_wrenches`."""
    if j.followers.loose.shape[0] > 0:
        add_loose(j, scratch, t, q, v)
    put_wrenches(j, j.acting.r)


@called(None)
def add_loose(j, scratch, t, q, v):
    """Add the forces Gᵀ λ of the rows of loose coordinates, λ = −f/c₀, to r."""
    f = j.followers
    some = False
    for i in range(f.loose.shape[0]):
        force = -j.acting.r[f.loose[i]] / f.loose_by[i]
        j.work.lam[f.loose_rows[i]] = force
        some = some or force != 0.0
    if some:
        add_constraint_forces(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.lam, j.work.weights, j.acting.r)
    for i in range(f.loose.shape[0]):
        j.work.lam[f.loose_rows[i]] = 0.0


@called(None)
def loose_rates(j, scratch, t, q, v, alpha, beta):
    """Compute s̈ of loose coordinates, after u̇ of the joints."""
    f = j.followers
    first = j.links.joints.nv - f.loose.shape[0]
    for i in range(f.loose.shape[0]):
        j.ud[first + i] = 0.0
    put_accelerations(j, j.work.a)
    constraints(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.work.g, j.work.gd, j.work.gamma)
    jacobian_times(j.rows.plan, scratch, t, q, v, j.work.a, j.work.weights, j.work.a, j.work.along)
    for i in range(f.loose.shape[0]):
        row = f.loose_rows[i]
        damped = alpha if j.rows.plan.at_speed[row] >= 0 else 2.0 * alpha
        wanted = j.work.gamma[row] - damped * j.work.gd[row] - beta * beta * j.work.g[row]
        j.ud[first + i] = (wanted - j.work.along[row]) / f.loose_by[i]


@called(int)
def _with_rows(j, scratch, t, q, v, alpha, beta, anew):
    """Compute the multipliers of the further rows and add their effect to u̇; returns 0, or the status of the
    formulation."""
    b, count = j.rows.bearing, j.rows.numbers.shape[0]
    put_where_borne(j, j.work.a)
    if anew:
        constraints(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.work.g, j.work.gd, j.work.gamma)
        fill_entries(b.entries, b.entries_at, j.rows.plan, scratch, t, q, v, j.work.zero)
    for i in range(count):
        row = j.rows.numbers[i]
        damped = alpha if j.rows.plan.at_speed[row] >= 0 else 2.0 * alpha
        wanted = j.work.gamma[row] - damped * j.work.gd[row] - beta * beta * j.work.g[row]
        j.rows.mu[i] = (wanted - row_times(j.rows.plan, b, i, j.work.a)) / j.rows.scale[row]
    for i in range(j.links.joints.nv):
        j.work.free[i] = j.ud[i]
    if anew:
        status = find_responses(j)
        if status != 0:
            return status
        for i in range(count):
            for k in range(count):
                j.rows.solved[i, k] = j.rows.matrix[i, k]
        j.rows.pivots[0] = factor_semidefinite(j.rows.solved, j.rows.rank, j.rows.order, j.rows.x)
    solve_semidefinite(j.rows.solved, j.rows.pivots[0], j.rows.order, j.rows.x, j.rows.mu)
    respond(j, j.rows.mu, j.ud)
    for i in range(j.links.joints.nv):
        j.ud[i] += j.work.free[i]
    return 0
