"""Changes at the end of a step, and where accelerations are found anew."""

from __future__ import annotations

from flexmb.algebra.differences import OFFSETS, WEIGHTS
from flexmb.analyses.sensitivity.radau.neighboring_constants import by_parameter, row_rates
from flexmb.analyses.sensitivity.radau.stage_changes import add_product, spread_changes
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called
from flexmb.solvers.rows.index_one import norm
from flexmb.system.evaluation import matrix
from flexmb.system.linear import solve

#: Step of the differences by which rates of rows change, as a part of the scales of positions and of the largest speed.
STEP = 1e-3
#: A change of speeds by the projection that is below this part of the accelerations counts as none.
NOTHING = 1e-30
#: Index in `ends` of K and D at the end of a step, of its K with w and μ in place of a and λ, and without both.
STIFFNESS, DAMPING, DIRECTION, BARE = range(4)


@called(None)
def _rates_along(loop, t, q, v, a, dq, dv, of_speeds):
    """rates[2:4] (m,) of `changes`: how G v + g_t and γ − G a change along dq, and with `of_speeds` along dv too."""
    plan, changes, work = loop.plan, loop.changes, loop.work
    n, m, way, rates = plan.n, plan.m, changes.x[4], changes.rates
    for k in range(m):
        rates[2, k] = rates[3, k] = 0.0
    size = norm(dq, loop.scales.coordinates, n)
    if of_speeds:
        size = max(size, norm(dv, loop.scales.coordinates, n) / max(norm(v, loop.scales.coordinates, n), 1.0))
    if size == 0.0:
        return
    e = STEP / size
    for i in range(plan.total_q):
        changes.moved_q[i] = q[i]
    for k in range(4):
        for i in range(n):
            way[i] = OFFSETS[k] * e * dq[i]
            changes.moved_v[i] = v[i] + (OFFSETS[k] * e * dv[i] if of_speeds else 0.0)
        retract(plan.orientations, n, q, way, changes.moved_q)
        row_rates(
            plan, loop.scratch, t, changes.moved_q, changes.moved_v, a, work.zero, work.weights, work.g, work.gd,
            work.gamma, rates[4:],
        )  # fmt: skip
        for i in range(m):
            rates[2, i] += WEIGHTS[k] / (12.0 * e) * rates[4, i]
            rates[3, i] += WEIGHTS[k] / (12.0 * e) * rates[5, i]


@called(None)
def _put(loop, t, q, v, a, lam, wd, wk, values):
    """Fill `values` with (wd D + wk K)/m₀ of a state."""
    weights, mass = loop.work.weights, loop.options.mass
    weights[0], weights[1], weights[2], weights[3] = 0.0, wd / mass, wk / mass, 0.0
    matrix(loop.plan, loop.scratch, t, q, v, a, lam, weights, values)


@called(None)
def accelerate(loop, t, q, v, a, lam):
    """δa and δλ of a state from its δq and δv, for all parameters; `linear` has the factors of [M/m₀ Gᵀ; G 0]."""
    plan, changes, mass = loop.plan, loop.changes, loop.options.mass
    n, m, x, y = plan.n, plan.m, changes.x[0], changes.x[1]
    _put(loop, t, q, v, a, lam, 0.0, 1.0, changes.ends[STIFFNESS])
    _put(loop, t, q, v, a, lam, 1.0, 0.0, changes.ends[DAMPING])
    for p in range(changes.typical.shape[0]):
        by_parameter(
            changes.near, loop.scratch, p, t, q, v, a, lam, loop.work.weights, changes.of_r[0], changes.of_g[0],
            changes.rates[:2], True,
        )  # fmt: skip
        for i in range(plan.size):
            x[i] = y[i] = 0.0
        for i in range(n):
            x[i] = changes.q[p, i]
        add_product(plan, changes.ends[STIFFNESS], changes.indptr, changes.indices, -1.0, x, y)
        for i in range(n):
            x[i] = changes.v[p, i]
        add_product(plan, changes.ends[DAMPING], changes.indptr, changes.indices, -1.0, x, y)
        if m > 0:
            _rates_along(loop, t, q, v, a, changes.q[p], changes.v[p], True)
        for i in range(n):
            y[i] -= changes.of_r[0, i] / mass
        for k in range(m):
            y[n + k] = changes.rates[1, k] + changes.rates[3, k]
        solve(plan, loop.linear, y)
        for i in range(n):
            changes.a[p, i] = y[i]
        for k in range(m):
            changes.lam[p, k] = y[n + k] * mass


@called(float)
def _direction(loop, t):
    """Matrices of the change of M w − Gᵀ μ along positions: w, the speeds that the projection took away, is scaled to
    the size of the accelerations. Fills x[5] with w and x[6] with −μ, both scaled; returns the scale."""
    plan, changes, end, motion, stages = loop.plan, loop.changes, loop.end, loop.motion, loop.stages
    n, m, w, mu, y = plan.n, plan.m, changes.x[5], changes.x[6], changes.x[1]
    largest, fastest = 0.0, 0.0
    for i in range(plan.total):
        w[i] = 0.0
    for i in range(n):
        w[i] = motion.v[i] + stages.dv[2, i] - end.v[i]
        largest, fastest = max(largest, abs(w[i])), max(fastest, abs(end.a[i]))
    fastest = max(fastest, 1.0)
    scale = 1.0 if largest <= NOTHING * fastest else fastest / largest
    for i in range(plan.size):
        y[i] = 0.0
    for i in range(n):
        w[i] *= scale
        changes.x[0, i] = w[i]
    for k in range(m):
        changes.x[0, n + k] = 0.0
    add_product(plan, changes.motion[2], changes.indptr, changes.indices, 1.0, changes.x[0], y)
    for k in range(m):
        y[n + k] = 0.0
    solve(plan, loop.linear, y)
    for k in range(m):
        mu[k] = -y[n + k] * loop.options.mass
    _put(loop, t, end.q, end.v, w, mu, 0.0, 1.0, changes.ends[DIRECTION])
    _put(loop, t, end.q, end.v, loop.work.zero, changes.still, 0.0, 1.0, changes.ends[BARE])
    return scale


@called(None)
def finish(loop, t):
    """δq, δv, δa and δλ at the end of a step, for all parameters, from the changes of its stages. The state there is in
    `end`, the start of the step still in `motion`; `linear` has the factors of [M/m₀ Gᵀ; G 0] at the end."""
    plan, changes, end = loop.plan, loop.changes, loop.end
    n, m, x, y, mass = plan.n, plan.m, changes.x[0], changes.x[1], loop.options.mass
    scale = _direction(loop, t) if m > 0 else 1.0
    for p in range(changes.typical.shape[0]):
        spread_changes(loop, p, changes.state.h)
        if m > 0:
            for i in range(plan.size):
                x[i] = y[i] = 0.0
            for i in range(n):
                x[i] = changes.turns[2, i]
            add_product(plan, changes.ends[DIRECTION], changes.indptr, changes.indices, 1.0 / scale, x, y)
            add_product(plan, changes.ends[BARE], changes.indptr, changes.indices, -1.0 / scale, x, y)
            for i in range(n):
                x[i] = changes.speeds[2, i]
            add_product(plan, changes.motion[2], changes.indptr, changes.indices, 1.0, x, y)
            _add_direct_change(loop, p, t, 1.0 / (scale * mass), y)
            _rates_along(loop, t, end.q, end.v, loop.work.zero, changes.turns[2], changes.speeds[2], False)
            for k in range(m):
                y[n + k] = -(changes.rates[0, k] + changes.rates[2, k])
            solve(plan, loop.linear, y)
        for s in range(3):
            for i in range(n):
                changes.dv_before[p, s, i] = changes.speeds[s, i] - changes.v[p, i]
            for k in range(m):
                changes.dlam_before[p, s, k] = changes.dlam[p, s, k]
        for i in range(n):
            changes.q[p, i] = changes.turns[2, i]
            changes.v[p, i] = y[i] if m > 0 else changes.speeds[2, i]
    accelerate(loop, t, end.q, end.v, end.a, end.lam)


@called(None)
def _add_direct_change(loop, p, t, factor, y):
    """y (n,) += factor times the change of M w − Gᵀ μ by a parameter at a fixed state, with w and −μ in x[5] and x[6];
    rates[0] (m,) is left with that of G v + g_t."""
    changes, end = loop.changes, loop.end
    for part in range(2):
        a, lam = (changes.x[5], changes.x[6]) if part == 0 else (loop.work.zero, changes.still)
        by_parameter(
            changes.near, loop.scratch, p, t, end.q, end.v, a, lam, loop.work.weights, changes.of_r[part],
            changes.of_g[part], changes.rates[:2], False,
        )  # fmt: skip
    for i in range(loop.plan.n):
        y[i] += factor * (changes.of_r[0, i] - changes.of_r[1, i])
