"""Changes of the stages of a step by all parameters, and the estimated error of their changes."""

from __future__ import annotations

from flexmb.analyses.sensitivity.radau.neighboring_constants import by_parameter
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import exp as exponential
from flexmb.kernels.rotations import rate_map, rate_map_change, rotation_matrix
from flexmb.kernels.vectors import applied, cross, transposed
from flexmb.solvers.methods.radau import common_matrix as common
from flexmb.solvers.methods.radau import own_matrices as own
from flexmb.solvers.methods.radau.common_matrix import put_matrix, put_motion
from flexmb.solvers.methods.radau.first_guess import REACH, stage_weights, weights_of_integral
from flexmb.solvers.methods.radau.radau_coefficients import ERROR, POINTS, RATES, REAL
from flexmb.solvers.methods.radau.radau_newton import of_charts
from flexmb.solvers.methods.radau.radau_step import TINY
from flexmb.solvers.methods.radau.stages import put
from flexmb.solvers.rows.index_one import norm
from flexmb.system.linear import solve

#: Corrections of changes end where one is below NEWTON times what Newton's method of the run may leave, as a part of
#: the change in the step; after PASSES of them; or where one is no smaller than HALF of the one before and below
#: ROUNDED, since round-off is all that is left. In both cases a change of LEAST and of LEAST_ROUNDED by what is typical
#: of the parameter, in units of the model, is as good as none.
NEWTON, PASSES, HALF, ROUNDED, LEAST, LEAST_ROUNDED = 3.0, 15, 0.5, 1e-7, 1e-16, 1e-12
#: Where a step fails for its changes, this is its error: the next try has half its size.
NO_CHANGES = 8.0


@called(None)
def add_product(plan, values, indptr, indices, factor, x, y):
    """y (size,) += factor A x, with a matrix in the order of the plan."""
    if plan.dense == 1:
        for i in range(plan.size):
            total = 0.0
            for j in range(plan.size):
                total += values[i * plan.size + j] * x[j]
            y[i] += factor * total
        return
    for j in range(plan.size):
        if x[j] != 0.0:
            for k in range(indptr[j], indptr[j + 1]):
                y[indices[k]] += factor * values[k] * x[j]


@called(None)
def _evaluate(loop, h, t):
    """Evaluate M, D and K with G of all stages, divided by the mass m₀, and the maps of their orientations."""
    changes = loop.changes
    for s in range(3):
        put(loop, s)
        now = t + POINTS[s] * h
        put_motion(loop, s, now, 1.0, 0.0, changes.motion[s])
        put_motion(loop, s, now, 0.0, 1.0, changes.damping[s])
        put_matrix(loop, s, now, 0.0, 0.0, 1.0, 1.0, changes.stiffness[s])
        _put_maps(loop, s, h)


@called(None)
def _put_maps(loop, s, h):
    """exp(−ỹ), T and Ṫ + ω̃ T of the orientations of stage s."""
    orientations, u, maps = loop.plan.orientations, loop.stages.u, loop.changes.maps
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        y = (loop.stages.y[s, i], loop.stages.y[s, i + 1], loop.stages.y[s, i + 2])
        rate = (
            loop.motion.v[i] + (RATES[s, 0] * u[0, i] + RATES[s, 1] * u[1, i] + RATES[s, 2] * u[2, i]) / h,
            loop.motion.v[i + 1]
            + (RATES[s, 0] * u[0, i + 1] + RATES[s, 1] * u[1, i + 1] + RATES[s, 2] * u[2, i + 1]) / h,
            loop.motion.v[i + 2]
            + (RATES[s, 0] * u[0, i + 2] + RATES[s, 1] * u[1, i + 2] + RATES[s, 2] * u[2, i + 2]) / h,
        )
        back, T = transposed(rotation_matrix(exponential(y))), rate_map(y)
        spin = applied(T, rate)
        for j in range(9):
            maps[s, k, j], maps[s, k, 9 + j] = back[j], T[j]
        for j in range(3):
            unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            column, turning = rate_map_change(y, unit, rate), cross(spin, applied(T, unit))
            for r in range(3):
                maps[s, k, 18 + 3 * r + j] = column[r] + turning[r]


@inlined
def _mapped(maps, first, x):
    """One of the maps of an orientation, applied to a vector."""
    return (
        maps[first] * x[0] + maps[first + 1] * x[1] + maps[first + 2] * x[2],
        maps[first + 3] * x[0] + maps[first + 4] * x[1] + maps[first + 5] * x[2],
        maps[first + 6] * x[0] + maps[first + 7] * x[1] + maps[first + 8] * x[2],
    )


@called(None)
def spread_changes(loop, p, h):
    """Changes δθ, δv and δa of all stages by parameter p, from δu."""
    plan, changes = loop.plan, loop.changes
    q0, v0, du, turns, speeds = changes.q[p], changes.v[p], changes.du[p], changes.turns, changes.speeds
    for i in range(plan.n):
        for s in range(3):
            turns[s, i] = POINTS[s] * h * v0[i] + du[s, i]
            speeds[s, i] = v0[i] + (RATES[s, 0] * du[0, i] + RATES[s, 1] * du[1, i] + RATES[s, 2] * du[2, i]) / h
    k = 0
    for i in range(plan.n):
        if k < plan.orientations.shape[0] and i == plan.orientations[k, 0]:
            before = (q0[i], q0[i + 1], q0[i + 2])
            for s in range(3):
                maps = changes.maps[s, k]
                y = (turns[s, i], turns[s, i + 1], turns[s, i + 2])
                rate = (speeds[s, i], speeds[s, i + 1], speeds[s, i + 2])
                carried, own_turn = _mapped(maps, 0, before), _mapped(maps, 9, y)
                of_rate, of_turn = _mapped(maps, 9, rate), _mapped(maps, 18, y)
                for j in range(3):
                    turns[s, i + j] = carried[j] + own_turn[j]
                    speeds[s, i + j] = of_rate[j] + of_turn[j]
        elif k == plan.orientations.shape[0] or i < plan.orientations[k, 0]:
            for s in range(3):
                turns[s, i] += q0[i]
        if k < plan.orientations.shape[0] and i == plan.orientations[k, 0] + 2:
            k += 1
    for i in range(plan.n):
        d0, d1, d2 = speeds[0, i] - v0[i], speeds[1, i] - v0[i], speeds[2, i] - v0[i]
        for s in range(3):
            changes.accelerations[s, i] = (RATES[s, 0] * d0 + RATES[s, 1] * d1 + RATES[s, 2] * d2) / h


@called(None)
def _errors(loop, p, h):
    """Errors of the equations of all stages by their changes by parameter p, into `stages.r` and `stages.g`."""
    plan, changes, stages, mass = loop.plan, loop.changes, loop.stages, loop.options.mass
    n, m, x, y, along = plan.n, plan.m, changes.x[0], changes.x[1], changes.x[2]
    spread_changes(loop, p, h)
    for s in range(3):
        for i in range(plan.size):
            y[i] = along[i] = 0.0
        for k in range(m):
            x[n + k] = 0.0
        for i in range(n):
            x[i] = changes.accelerations[s, i]
        add_product(plan, changes.motion[s], changes.indptr, changes.indices, 1.0, x, y)
        for i in range(n):
            x[i] = changes.speeds[s, i]
        add_product(plan, changes.damping[s], changes.indptr, changes.indices, 1.0, x, y)
        for k in range(m):
            y[n + k] = 0.0  # velocity rows, which these matrices have too, follow
        if loop.matrices.speed_rows > 0:
            for i in range(n):
                x[i] = changes.speeds[s, i] - changes.turns[s, i]
            add_product(plan, changes.motion[s], changes.indptr, changes.indices, 1.0, x, along)
        for i in range(n):
            x[i] = changes.turns[s, i]
        for k in range(m):
            x[n + k] = changes.dlam[p, s, k] / mass
        add_product(plan, changes.stiffness[s], changes.indptr, changes.indices, 1.0, x, y)
        for i in range(n):
            stages.r[s, i] = mass * y[i] + changes.of_r[s, i]
        for k in range(m):
            if plan.at_speed[k] >= 0:
                stages.g[s, k] = y[n + k] + along[n + k] + changes.of_rates[s, k]
            else:
                stages.g[s, k] = y[n + k] + changes.of_g[s, k]


@inlined
def _of_each_stage(state):
    """Whether Newton's method used a matrix for each stage in this step; if it has just changed to these, in which it
    has done no step so far, it did not."""
    return state.own > 0.0 and state.own_steps > 0.0


@called(float)
def _corrected(loop, p, h):
    """Correct the changes of the stages by parameter p once; returns the size of the correction, in units of the
    scales."""
    plan, changes, stages = loop.plan, loop.changes, loop.stages
    _errors(loop, p, h)
    if _of_each_stage(loop.state):
        own.correction(loop, h)
    else:
        common.correction(loop, h)
    of_charts(loop)
    size = 0.0
    for s in range(3):
        for i in range(plan.n):
            changes.du[p, s, i] += stages.du[s, i]
        for k in range(plan.m):
            changes.dlam[p, s, k] += stages.dlam[s, k]
        size = max(size, norm(stages.du[s], loop.scales.coordinates, plan.n))
    changes.state.corrections += 1
    return size


@called(float)
def _largest(loop, p, h):
    """The largest change of a stage against the start of the step by parameter p, in units of the scales."""
    changes, scale, n, largest = loop.changes, loop.scales.coordinates, loop.plan.n, 0.0
    for i in range(n):
        way = h * abs(changes.v[p, i])
        for s in range(3):
            way = max(way, abs(changes.du[p, s, i]))
        largest = max(largest, way / scale[i])
    return largest


@called(bool)
def _solved(loop, p, h):
    """Solve for the changes of the stages by parameter p; returns whether that succeeded."""
    changes, before = loop.changes, 1e300
    changes.state.solved += 1
    if loop.state.polynomial > 0.0 and h < REACH * loop.state.h_done:
        _extrapolated(loop, p, h)
    else:
        _begin(loop, p, h)
    for _ in range(PASSES):
        size = _corrected(loop, p, h)
        largest = _largest(loop, p, h)
        weight = max(changes.typical[p], 1e-300)
        if size <= max(NEWTON * loop.options.newton * largest, LEAST / weight):
            return True
        if size > HALF * before and size <= max(ROUNDED * largest, LEAST_ROUNDED / weight):
            return True
        before = size
    return False


@called(None)
def _extrapolated(loop, p, h):
    """First guess of the changes of the stages: the polynomials of those of the last step, extrapolated, as Newton's
    method of the run begins (:func:`flexmb.solvers.methods.radau.first_guess.extrapolate`)."""
    changes, before = loop.changes, loop.state.h_done
    dv, lam = changes.dv_before[p], changes.dlam_before[p]
    for s in range(3):
        part = 1.0 + POINTS[s] * h / before
        _, x = stage_weights(part)
        w0, w1, w2 = weights_of_integral(part)
        for i in range(loop.plan.n):
            changes.du[p, s, i] = before * (w0 * dv[0, i] + w1 * dv[1, i] + w2 * dv[2, i])
        for k in range(loop.plan.m):
            changes.dlam[p, s, k] = x[0] * lam[0, k] + x[1] * lam[1, k] + x[2] * lam[2, k]


@called(None)
def _begin(loop, p, h):
    """First guess of the changes of the stages, if there is no last step: with the changes of the accelerations."""
    changes = loop.changes
    for s in range(3):
        for i in range(loop.plan.n):
            changes.du[p, s, i] = 0.5 * (POINTS[s] * h) ** 2 * changes.a[p, i]
        for k in range(loop.plan.m):
            changes.dlam[p, s, k] = changes.lam[p, k]


@called(bool)
def solve_stages(loop, h, t):
    """Solve for the changes of the stages by all parameters; returns whether that succeeded."""
    plan, changes, stages, end, work = loop.plan, loop.changes, loop.stages, loop.end, loop.work
    short = h < TINY * loop.state.step
    _evaluate(loop, h, t)
    for p in range(changes.typical.shape[0]):
        if short:
            _begin(loop, p, h)
            continue
        for s in range(3):
            put(loop, s)
            by_parameter(
                changes.near, loop.scratch, p, t + POINTS[s] * h, end.q, end.v, end.a, stages.lam[s], work.weights,
                changes.of_r[s], changes.of_g[s], changes.rates[:2], False,
            )  # fmt: skip
            for k in range(plan.m):
                changes.of_rates[s, k] = changes.rates[0, k]
        if not _solved(loop, p, h):
            loop.state.h_matrix = 1e300  # the next try has matrices of its own
            return False
    return True


@called(float)
def error_of_changes(loop, h):
    """The largest estimated error of the changes in a step, each times what is typical of its parameter, as a part of
    the error allowed."""
    changes, s, largest = loop.changes, REAL / h, 0.0
    if h < TINY * loop.state.step:
        return 0.0
    again = loop.state.rejected_last > 0.0 or loop.state.h_done == 0.0
    for p in range(changes.typical.shape[0]):
        error = _error_of(loop, p, h, s)
        if error > 1.0 and again:
            error = _filtered(loop, p, s)
        largest = max(largest, error)
    return largest


@called(float)
def _error_of(loop, p, h, s):
    """The error by one parameter, by the formula of the run
    (:func:`flexmb.solvers.methods.radau.radau_loop.local_error`): with P = Σ E δu/h

    (s² M + s D + K) e + Gᵀ e' = (s M + D) P + M (Σ E (δv − δv₀)/h + δa₀)
    """
    plan, changes = loop.plan, loop.changes
    n, m, x, y, e = plan.n, plan.m, changes.x[0], changes.x[1], changes.x[3]
    v0, du = changes.v[p], changes.du[p]
    spread_changes(loop, p, h)
    for k in range(m):
        x[n + k] = 0.0
    for i in range(plan.size):
        y[i] = 0.0
    for i in range(n):
        way = (ERROR[0] * du[0, i] + ERROR[1] * du[1, i] + ERROR[2] * du[2, i]) / h
        d0, d1, d2 = changes.speeds[0, i] - v0[i], changes.speeds[1, i] - v0[i], changes.speeds[2, i] - v0[i]
        e[i] = way
        x[i] = s * way + (ERROR[0] * d0 + ERROR[1] * d1 + ERROR[2] * d2) / h + changes.a[p, i]
    add_product(plan, changes.motion[0], changes.indptr, changes.indices, 1.0, x, y)
    for i in range(n):
        x[i] = e[i]
    for k in range(m):
        y[n + k] = 0.0
    add_product(plan, changes.damping[0], changes.indptr, changes.indices, 1.0, x, y)
    for i in range(n):
        e[i] = y[i] / (s * s)
    for k in range(m):
        e[n + k] = 0.0
    return _solved_error(loop, p)


@called(float)
def _filtered(loop, p, s):
    """The error by one parameter with the forces at a start that is displaced by it: it is filtered once more."""
    plan, changes = loop.plan, loop.changes
    x, e = changes.x[0], changes.x[3]
    for i in range(plan.size):
        x[i], e[i] = (e[i] if i < plan.n else 0.0), 0.0
    add_product(plan, changes.motion[0], changes.indptr, changes.indices, 1.0, x, e)
    for k in range(plan.m):
        e[plan.n + k] = 0.0
    return _solved_error(loop, p)


@called(float)
def _solved_error(loop, p):
    e = loop.changes.x[3]
    solve(loop.plan, loop.matrices.real, e)
    return loop.changes.typical[p] * norm(e, loop.scales.coordinates, loop.plan.n) / loop.options.allowed
