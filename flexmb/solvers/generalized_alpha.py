"""Generalized-α on the DAE itself: implicit, second order, the loop compiled from end to end.

Chung and Hulbert's method in the form of Arnold and Brüls (Multibody System Dynamics 18, 2007), with an algorithmic
acceleration â next to the true one, for  M a + f + Gᵀ λ = 0,  g = 0:

    (1 − αm) â₁ + αm â₀ = (1 − αf) a₁ + αf a₀
    q₁ = q₀ + h v₀ + h² ((½ − β) â₀ + β â₁),      v₁ = v₀ + h ((1 − γ) â₀ + γ â₁)

    αm = (2ρ − 1)/(ρ + 1),  αf = ρ/(ρ + 1),  γ = ½ + αf − αm,  β = ¼ (γ + ½)²,   ρ the spectral radius at infinity

The unknowns are Δq and λ; the dynamic rows are multiplied by βh²/m₀ and the multipliers divided by it (Bottasso,
Bauchau and Cardona 2007), so that the matrix does not degrade as h → 0. The speeds that are kept are projected onto ġ
= 0 with the factors at hand, so that positions and speeds both meet their constraints; the recursion goes on with the
speeds that it found itself (their ġ is of order h² and does not drift): starting each step from projected ones would
disturb the next acceleration by dv/h, and λ would be of first order only. When h changes, â is carried over as a +
(h_new/h_old) (â − a), and what the recursion's speeds are off their constraints is multiplied by (h_new/h_old)²: both
keep the order, of λ too.

The error of a step, d = C h² (a₁ − a₀) with C = β − (αf − αm)/2 − 1/6, is filtered with the Newton matrix: the dynamic
rows take M d, the constraint rows G d. Stiff vibrations that the method is meant to damp are thereby left out; slow
motions pass unchanged, and so do those that constraints and drives prescribe. No angle turns by more than half a radian
in one step, so that a mechanism cannot jump to another way of being assembled.

A matrix is kept from step to step for as long as iterations with it converge fast. In small systems, and in those with
controllers, they go on until what they leave is far below what Newton's method may leave; in large ones, until the
correction itself is: how fast corrections shrink tells of the largest part of the error, not of the part that lasts,
which stiff motions make up. What one iteration with the step's own matrix leaves is known from
earlier steps, measured now and then, and when it is far below too, the second is not made.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.index_one import TRUSTED, foreseen, jumped_accelerations, measured, norm
from flexmb.system.evaluation import add_constraint_forces, constraints, energies, jacobian_times, matrix, residual
from flexmb.system.kernels import bare
from flexmb.system.linear import NO_ROOM, OK, factorise, solve
from flexmb.system.sampling import COMMANDED, FAILED, act, next_instant

# rows of the memory of what is relied upon: Newton's method with the step's own matrix; factors of the mass matrix
NEWTON_MEMORY, STANDING_MEMORY = range(2)
#: the matrix of an earlier step (of a small system, or of one with controllers) is made anew for the next one when an
#: iteration with it gains less than the first; when it gains less than the second, the step begins again with its own
AGEING, WORTHLESS = 0.05, 0.3
#: error left by iterations with such a matrix, and error that is foreseen after a single iteration with the step's own,
#: as parts of what Newton's method may leave: saving time must not cost accuracy
LEFT, FORESEEN = 1e-6, 1e-6
#: what rounding leaves of a correction
ROUNDING = 2e-14
#: for so many steps a matrix is made anew each time after an earlier one was found worthless
DISTRUST = 16

#: largest turn of any angle in one error-controlled step [rad]
LARGEST_TURN = 0.5

# status of a segment
RUNNING, DONE, DIVERGED, OUT_OF_ROOM, CONTROL_FAILED, RUNAWAY, TOO_FAST = range(7)

# places in the array of options
RHO, TOLERANCE, NEWTON, T_END, H_FIXED, H_MAX, H_MIN, MASS, MAX_ITERATIONS, SAVE_EVERY, T_START, NEWTON_FLOOR = range(
    12
)

# places in the array of state
TIME, STEP, H_MATRIX, LAST_ERROR, DRIFT, VELOCITY_DRIFT, CULPRIT, H_BEFORE, H_OLD, PLAIN, JUMP, DISTRUSTED = range(12)

# places in the array of counts
STEPS, REJECTED, ITERATIONS, FACTORISATIONS, SINCE_SAVE = range(5)


@bare
def _culprit(x, scale, n):
    worst = 0
    largest = -1.0
    for i in range(n):
        size = abs(x[i]) / scale[i]
        if size != size:
            return i
        if size > largest:
            largest = size
            worst = i
    return worst


@bare
def _fastest(v, turning, n):
    found = 0
    for i in range(n):
        if turning[i] and (not turning[found] or abs(v[i]) > abs(v[found])):
            found = i
    return found


@bare
def advance(
    plan,
    scratch,
    linear,
    standing,
    sampling,
    options,
    state,
    counts,
    q,
    v,
    a,
    alg,
    lam,
    scale,
    turning,
    row_scale,
    memory,
    buffers,
    saved,
):
    """Step until t_end, until the room for saved steps is full or `saved` rows are filled; returns (status, rows).

    Steps end at the instants of sampled controllers; where their commands change the forces, the accelerations (which
    jump) and the joint forces are found anew.

    `q`, `v`, `a`, `alg` (total,), `lam` (m,) are carried along. `saved` is (T, Q, V, A, L), a row a saved step.
    """
    T, Q, V, A, L = saved
    q1, v1, a1, alg1, lam1, r, x, g, gd, gamma, aux, r2, a0, off, lam0, weights = buffers
    n, m, total = plan.n, plan.m, plan.total
    rho = options[RHO]
    am = (2.0 * rho - 1.0) / (rho + 1.0)
    af = rho / (rho + 1.0)
    gam = 0.5 + af - am
    beta = 0.25 * (gam + 0.5) ** 2
    bp = (1.0 - am) / (1.0 - af)
    C = abs(beta - 0.5 * (af - am) - 1.0 / 6.0)
    adaptive = options[H_FIXED] <= 0.0
    t_end = options[T_END]
    tol = options[TOLERANCE]
    mass = options[MASS]
    # where a matrix would otherwise be made anew at each step, one of an earlier step must not cost accuracy
    careful = plan.dense == 1 or sampling.controllers.shape[0] > 0
    rows = 0
    t = state[TIME]
    before = state[H_BEFORE]
    while rows < T.shape[0]:
        stop = t_end
        left = stop - t
        if left <= 1e-12 * max(abs(t_end), abs(state[STEP])):
            state[TIME] = t
            return DONE, rows
        if sampling.controllers.shape[0] > 0:
            for i in range(total):
                aux[i] = v[i] - off[i]
            happened = act(plan, scratch, sampling, t, q, aux, a)
            if happened == FAILED:
                state[TIME] = t
                return CONTROL_FAILED, rows
            if sampling.failed[1] >= 0:
                energies(plan, scratch, t, q, aux, a, weights, sampling.section)
                if sampling.section[0] > sampling.bounds[sampling.failed[1]]:
                    state[TIME] = t
                    return RUNAWAY, rows
                sampling.failed[1] = -1
            if happened == COMMANDED:
                state[JUMP] = 1.0
            if state[JUMP] > 0.0:
                for i in range(total):
                    alg[i] = a[i]
                for k in range(m):
                    lam1[k] = lam[k]
                work = (r, x, g, gd, gamma, r2, weights)
                status = jumped_accelerations(
                    plan, scratch, standing, mass, t, q, aux, a, lam, scale, work, memory[STANDING_MEMORY]
                )
                if status == NO_ROOM:
                    state[TIME] = t
                    return OUT_OF_ROOM, rows
                # between jumps the motion changes as before: what the predictor compares with jumps along
                for i in range(total):
                    a0[i] += a[i] - alg[i]
                    alg[i] = a[i]
                for k in range(m):
                    lam0[k] += lam[k] - lam1[k]
                state[JUMP] = 0.0
            stop = min(t_end, next_instant(sampling))
            left = stop - t
        h = state[STEP]
        if not adaptive:
            # a fixed step that had to be divided comes back to its grid
            done = (t - options[T_START]) / options[H_FIXED]
            rest = (np.floor(done + 1e-7) + 1.0 - done) * options[H_FIXED]
            if h > rest * (1.0 - 1e-7):
                h = rest if rest < options[H_FIXED] * (1.0 - 1e-7) else options[H_FIXED]
        if h > left * (1.0 - 1e-10):
            h = left
        elif adaptive and h > 0.5 * left and h < left:
            h = 0.5 * left  # two equal last steps instead of a long and a tiny one
        if adaptive:
            fastest = 0.0
            for i in range(n):
                if turning[i]:
                    fastest = max(fastest, abs(v[i]) + 0.5 * h * abs(a[i]))
            if h * fastest > LARGEST_TURN:
                h = LARGEST_TURN / fastest
                if h < options[H_MIN]:
                    state[TIME] = t
                    state[CULPRIT] = _fastest(v, turning, n)
                    return TOO_FAST, rows
        if h != state[H_OLD]:
            ratio = h / state[H_OLD]
            for i in range(total):
                alg[i] = a[i] + ratio * (alg[i] - a[i])
                v[i] += (ratio * ratio - 1.0) * off[i]
                off[i] *= ratio * ratio
            state[H_OLD] = h
        scaling = beta * h * h / mass
        weights[0] = bp / mass
        weights[1] = gam * h / mass
        weights[2] = scaling
        t1 = t + h
        # predictor: acceleration and multipliers change as over the last step, unless that failed
        slope = h / before if before > 0.0 and state[PLAIN] == 0.0 else 0.0
        for i in range(total):
            a1[i] = a[i] + slope * (a[i] - a0[i])
            alg1[i] = ((1.0 - af) * a1[i] + af * a[i] - am * alg[i]) / (1.0 - am)
            q1[i] = q[i] + h * v[i] + h * h * ((0.5 - beta) * alg[i] + beta * alg1[i])
            v1[i] = v[i] + h * ((1.0 - gam) * alg[i] + gam * alg1[i])
        for k in range(m):
            lam1[k] = lam[k] + slope * (lam[k] - lam0[k])

        # an error of Δq is one of the acceleration, divided by βh²: ask for four digits of it too
        newton = max(min(options[NEWTON], 1e-4 * beta * h * h * norm(a, scale, n)), options[NEWTON_FLOOR])
        fresh = renewed = False
        refresh = abs(h / state[H_MATRIX] - 1.0) > 0.05 or state[DISTRUSTED] > 0.0
        converged = False
        failed = False
        last = 0.0
        iteration = since = 0
        while iteration < options[MAX_ITERATIONS]:
            if refresh:
                matrix(plan, scratch, t1, q1, v1, a1, lam1, weights, linear.values)
                status = factorise(plan, linear)
                if status == NO_ROOM:
                    state[TIME] = t
                    return OUT_OF_ROOM, rows
                counts[FACTORISATIONS] += 1
                renewed = True
                if status != OK:
                    state[H_MATRIX] = 1e300
                    failed = True
                    break
                state[H_MATRIX] = h
                fresh = True
                refresh = False
                since = 0
            residual(plan, scratch, t1, q1, v1, a1, weights, r)
            if m > 0:
                add_constraint_forces(plan, scratch, t1, q1, v1, a1, lam1, weights, r)
                constraints(plan, scratch, t1, q1, v1, a1, weights, g, gd, gamma)
            for i in range(n):
                x[i] = -scaling * r[i]
            for k in range(m):
                x[n + k] = -g[k]
            solve(plan, linear, x)
            iteration += 1
            since += 1
            counts[ITERATIONS] += 1
            size = norm(x, scale, n)
            if not size < 1e10:
                failed = True
                break
            for i in range(n):
                dq = x[i]
                q1[i] += dq
                v1[i] += gam / (beta * h) * dq
                dalg = dq / (beta * h * h)
                alg1[i] += dalg
                a1[i] += bp * dalg
            for k in range(m):
                lam1[k] += x[n + k] / scaling
            if size <= 1e-14:
                converged = True
                break
            if since > 1:
                rate = size / last
                old = not fresh
                if since == 2 and fresh:
                    measured(memory[NEWTON_MEMORY], last, size)
                # the second iteration tells of the largest part of the error only, not of the one that lasts
                remaining = size if old and since == 2 else size * rate / (1.0 - rate)
                enough = max(LEFT * newton, ROUNDING) if old and careful else newton
                if rate < 1.0 and remaining < enough:
                    converged = True
                    if old and careful and rate > AGEING and size > ROUNDING:
                        state[H_MATRIX] = 1e300
                    break
                if rate > WORTHLESS:
                    if rate > 0.95 and fresh and iteration > 3:
                        failed = size > 1e3 * newton
                        converged = not failed
                        break
                    if old and careful:
                        state[DISTRUSTED] = DISTRUST
                        break
                    refresh = True
                    fresh = False
            elif fresh and size < 1e-3 * newton:
                converged = True
                break
            elif fresh and foreseen(memory[NEWTON_MEMORY], size) < FORESEEN * newton:
                memory[NEWTON_MEMORY, TRUSTED] += 1.0
                converged = True
                break
            last = size
        if not converged:
            state[CULPRIT] = _culprit(x, scale, n)
            state[H_MATRIX] = 1e300
            if not renewed:
                continue  # try again with the step's own matrix
            counts[REJECTED] += 1
            if slope > 0.0:
                state[PLAIN] = 1.0  # try again from the acceleration as it is
                continue
            if 0.25 * h < options[H_MIN]:
                state[TIME] = t
                return DIVERGED, rows
            state[STEP] = 0.25 * h
            continue

        error = 0.0
        if adaptive:
            residual(plan, scratch, t1, q1, v1, a1, weights, r)
            for i in range(total):
                aux[i] = 2.0 * a1[i] - a[i]
            residual(plan, scratch, t1, q1, v1, aux, weights, r2)
            for i in range(n):
                x[i] = bp / mass * C * h * h * (r2[i] - r[i])
            if m > 0:
                for i in range(total):
                    aux[i] = C * h * h * (a1[i] - a[i])
                jacobian_times(plan, scratch, t1, q1, v1, a1, weights, aux, g)
                for k in range(m):
                    x[n + k] = g[k]
            solve(plan, linear, x)
            error = norm(x, scale, n) / tol
            if error > 1.0:
                counts[REJECTED] += 1
                if h <= options[H_MIN]:
                    state[TIME] = t
                    state[CULPRIT] = _culprit(x, scale, n)
                    return DIVERGED, rows
                state[STEP] = max(h * max(0.2, 0.9 * error ** (-1.0 / 3.0)), options[H_MIN])
                continue

        # speeds as they are kept: on their constraints
        for i in range(total):
            aux[i] = v1[i]
        if m > 0:
            for sweep in range(3 if fresh else 8):
                constraints(plan, scratch, t1, q1, aux, a1, weights, g, gd, gamma)
                size = 0.0
                for k in range(m):
                    size = max(size, abs(gd[k]) / row_scale[k])
                if sweep == 0:
                    for k in range(m):
                        state[DRIFT] = max(state[DRIFT], abs(g[k]) / row_scale[k])
                if size * h < (1e-3 if fresh else 1e-6) * options[NEWTON]:
                    break
                for i in range(n):
                    x[i] = 0.0
                for k in range(m):
                    x[n + k] = -gd[k]
                solve(plan, linear, x)
                for i in range(n):
                    aux[i] += x[i]
            state[VELOCITY_DRIFT] = max(state[VELOCITY_DRIFT], size)

        t = t1 if h < left else stop
        before = h
        state[H_BEFORE] = h
        for i in range(total):
            a0[i] = a[i]
            q[i] = q1[i]
            v[i] = v1[i]
            off[i] = v1[i] - aux[i]
            a[i] = a1[i]
            alg[i] = alg1[i]
        for k in range(m):
            lam0[k] = lam[k]
            lam[k] = lam1[k]
        counts[STEPS] += 1
        state[PLAIN] = 0.0
        state[DISTRUSTED] = max(state[DISTRUSTED] - 1.0, 0.0)
        if not adaptive:
            state[STEP] = min(2.0 * state[STEP], options[H_FIXED])
        else:
            error = max(error, 1e-6)
            factor = 0.9 * error ** (-0.7 / 3.0) * state[LAST_ERROR] ** (0.4 / 3.0)
            state[LAST_ERROR] = error
            factor = min(max(factor, 0.3), 2.5)
            if factor < 1.0 or factor > 1.2:
                state[STEP] = min(h * factor, options[H_MAX])
            else:
                state[STEP] = h
        counts[SINCE_SAVE] += 1
        if counts[SINCE_SAVE] >= options[SAVE_EVERY] or t >= t_end:
            counts[SINCE_SAVE] = 0
            T[rows] = t
            for i in range(n):
                Q[rows, i] = q[i]
                V[rows, i] = aux[i]
                A[rows, i] = a[i]
            for k in range(m):
                L[rows, k] = lam[k]
            rows += 1
    state[TIME] = t
    return RUNNING, rows
