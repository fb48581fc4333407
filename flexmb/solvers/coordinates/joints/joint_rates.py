"""Rates of joint speeds and joint forces, with friction that may depend on these forces; compiled.

The multipliers λ of the joints follow from the forces on the mechanism, among them the friction F, by a formulation and
the balance of the links (:mod:`~flexmb.solvers.coordinates.joints.multipliers`), and depend on these forces linearly:

    λ = Ψ(F),      Ψ(F + ε D) = Ψ(F) + ε C

With F = F(λ) this is solved for the multipliers on which friction depends, by Newton's method with D = ∂F/∂λ:

    (1 − C) δ = Ψ(F(λ)) − λ

The matrix is reused from state to state as long as errors shrink fast with it; where a normal force goes through zero,
and D jumps, each correction may need a new one. Where a joint sticks (:mod:`flexmb.joints.sticking`), the multiplier
λ_s of its row is the friction itself, and the condition s̈ = 0 determines it: s̈ takes the place of the error of λ_s.

**Jamming** is defined as in absolute coordinates (:mod:`flexmb.system.with_friction`): as det [M, Gᵀ + D; G, 0] is det
[M, Gᵀ; G, 0] times det(1 − C), the latter has to be positive, for D and for −D. It is checked at the ends of steps.
"""

from __future__ import annotations

from flexmb.algebra import dense_lu
from flexmb.algebra.precision import LARGEST
from flexmb.joints.sticking import KEPT, STICKS
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.coordinates.joints.along_joints import put_along
from flexmb.solvers.coordinates.joints.joint_forces import add_loose, put_forces, rates_under
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.coordinates.joints.multipliers import fill_entries, hand_inwards
from flexmb.system.evaluation import residual
from flexmb.system.kernel_calls import FRICTION, call_kernel, gather_multipliers
from flexmb.system.plan import BLOCK, COUNT, IV_AT, KERNEL_AT, NV, ROW_AT, ROWS
from flexmb.system.with_friction import EXACT, MOST, SLOW, STALLED

#: Status in addition to the statuses of formulations: the equations have two solutions or none.
JAMMED = -1


@called(int)
def joint_rates(j, scratch, t, q, v, alpha, beta):
    """Fill u̇ of `j` at its joint coordinates and speeds, to which q and v of the system belong, those alone in which
    forces act along the joints if there are no others; returns 0, the status of the formulation that failed, or JAMMED.
    `alpha`, `beta` [1/s]: coefficients of Baumgarte's stabilization for the further rows and the loops that the
    formulation closes."""
    if j.rubbing.rows.shape[0] > 0:
        return _rubbing_rates(j, scratch, t, q, v, alpha, beta)
    if j.acting.any == 1:
        residual(j.acting.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.acting.r)
        if j.acting.along == 1:
            put_along(j.acting.known, j.acting.r, j.acting.tau)
        else:
            put_forces(j, scratch, t, q, v)
    return rates_under(j, scratch, t, q, v, alpha, beta, True)


@called(int)
def joint_forces(j, plan, scratch, t, q, v, a, lam):
    """Compute λ (m,) of the state whose u̇ was computed last, with its accelerations a (total,); returns 0, or the
    status of the failure. The multipliers of further rows are those found with u̇. Where the formulation closed loops
    itself, and where rows were left out, λ is not all there: without friction callers then compute it as in absolute
    coordinates, where `rows.closed` is 1 and `rows.meets` 0."""
    s = j.rubbing
    if s.rows.shape[0] == 0:
        residual(plan, scratch, t, q, v, a, j.work.weights, j.acting.r)
        _add_further(j, lam)
        fill_entries(j.reactions.entries, j.reactions.entries_at, plan, scratch, t, q, v, a)
        hand_inwards(j, plan, lam)
        return 0
    s.work.memory[0] = 1.0
    status = _rubbing_rates(j, scratch, t, q, v, 0.0, 0.0)
    if status == 0 and (_jams(j, 1.0) or _jams(j, -1.0)):
        status = JAMMED
    for k in range(lam.shape[0]):
        lam[k] = s.lam[k]
    return status


@called(None)
def keep_further(j, lam):
    """Write the multipliers of the e further rows that were found last with u̇, in units of their scales, to the front
    of λ, with which those of all rows can be found later."""
    for i in range(j.rows.mu.shape[0]):
        lam[i] = j.rows.mu[i]


@called(None)
def _add_further(j, lam):
    """Write the multipliers of further rows into λ (m,), and add their forces to r."""
    b = j.rows.bearing
    for i in range(j.rows.numbers.shape[0]):
        lam[j.rows.numbers[i]] = force = j.rows.mu[i] / j.rows.scale[j.rows.numbers[i]]
        for c in range(b.width[i]):
            j.acting.r[j.rows.plan.numbers[b.numbers_at[i] + c]] += force * b.entries[b.at[i] + c]


@inlined
def _state(s, k):
    """The state of the friction of multiplier k, STICKS for example, if its row belongs to a coordinate that may stick;
    else 0."""
    return s.whole.p[s.state[k]] if s.state[k] >= 0 else 0.0


@called(int)
def _rubbing_rates(j, scratch, t, q, v, alpha, beta):
    """Compute u̇ and λ with friction, starting from the last λ; returns 0, the status of the formulation, or JAMMED."""
    s = j.rubbing
    residual(j.acting.plan, scratch, t, q, v, j.work.zero, j.work.weights, s.work.acting)
    fill_entries(j.reactions.entries, j.reactions.entries_at, s.whole, scratch, t, q, v, j.work.zero)
    status = _corrected(j, scratch, t, q, v, alpha, beta)
    if status != 0:  # multipliers of a failed iteration are no first guess
        s.work.memory[0] = 1.0
        for k in range(s.lam.shape[0]):
            s.lam[k] = 0.0
    return status


@called(int)
def _corrected(j, scratch, t, q, v, alpha, beta):
    """Newton's method of :func:`_rubbing_rates`, after the forces without friction and the rows of all joints were
    evaluated."""
    s, count = j.rubbing, j.rubbing.rows.shape[0]
    last, aged = 0.0, s.work.memory[0] > 0.0
    for correction in range(MOST):
        _put_friction(j, scratch, t, q, v)
        status = _answer(j, scratch, t, q, v, alpha, beta, s.work.force, correction == 0)
        if status != 0:
            return status
        fastest, largest = 0.0, 0.0
        for i in range(j.ud.shape[0]):
            fastest = max(fastest, abs(j.ud[i]))
            if not abs(j.ud[i]) < LARGEST:
                return JAMMED
        for k in range(s.lam.shape[0]):
            largest = max(largest, abs(s.found[k]))
            if s.place[k] < 0:
                s.lam[k] = s.found[k]
        for k in range(count):
            s.work.base[k] = s.work.off[k]
        level, made = largest + 1e-3 * j.unit * fastest, aged
        if made and not _matrix(j, scratch, t, q, v, alpha, beta, level + j.unit):
            return JAMMED
        dense_lu.solve(s.work.J, count, s.work.order, s.work.base)
        size = 0.0
        for k in range(count):
            s.lam[s.rows[k]] += s.work.base[k]
            size = max(size, abs(s.work.base[k]))
            if not abs(s.work.base[k]) < LARGEST:
                return JAMMED
        if size <= EXACT * level or (correction > 0 and size <= STALLED * level and size > 0.3 * last):
            if not made:  # _matrix overwrites u̇
                _stick(j)
                return 0
            aged = False
        else:
            aged = correction > 0 and size > SLOW * last
        last = size
    return JAMMED


@called(None)
def _stick(j):
    """Set the rates of joints that stick to zero, from which they differ by round-off."""
    s = j.rubbing
    for k in range(s.rows.shape[0]):
        if s.speed[k] >= 0 and _state(s, k) == STICKS:
            j.ud[s.speed[k]] = 0.0


@called(None)
def _put_friction(j, scratch, t, q, v):
    """Evaluate F and D at the present multipliers."""
    s = j.rubbing
    plan = s.whole
    s.work.force[:] = 0.0
    s.work.D[:] = 0.0
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + FRICTION] == 0:
            continue
        nv, m = plan.groups[group, NV], plan.groups[group, ROWS]
        width = nv * (1 + m)
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            gather_multipliers(plan, scratch, group, first, last, s.lam)
            call_kernel(plan, scratch, FRICTION, group, first, last, width, True, t, q, v, j.work.zero, scratch.still)
            for i in range(last - first):
                base = plan.groups[group, IV_AT] + (first + i) * nv
                for c in range(nv):
                    s.work.force[plan.numbers[base + c]] += scratch.out[i * width + c]
                for k in range(m):
                    row = plan.rows[plan.groups[group, ROW_AT] + (first + i) * m + k]
                    if row >= 0:
                        for c in range(nv):
                            s.work.D[s.place[row], plan.numbers[base + c]] += scratch.out[i * width + (1 + k) * nv + c]


@called(int)
def _answer(j, scratch, t, q, v, alpha, beta, force, anew):
    """Compute u̇, the multipliers `found` and the errors `off` under the friction `force` (total,); returns 0, or the
    status of the formulation. `anew`: the first call for this state."""
    f = j.followers
    s = j.rubbing
    for i in range(force.shape[0]):
        j.acting.r[i] = s.work.acting[i] + force[i]
    put_forces(j, scratch, t, q, v)
    status = rates_under(j, scratch, t, q, v, alpha, beta, anew)
    if status != 0:
        return status
    put_accelerations(j, s.work.a)
    for k in range(s.rows.shape[0]):
        if _state(s, k) == STICKS:
            s.work.off[k] = j.unit * s.work.a[s.own[k]]
            s.work.a[s.own[k]] = 0.0  # while it sticks, its own inertia exceeds all others by far
    residual(s.whole, scratch, t, q, v, s.work.a, j.work.weights, j.acting.r)
    for i in range(force.shape[0]):
        j.acting.r[i] += force[i]
    for i in range(f.loose.shape[0]):
        s.found[f.loose_rows[i]] = -j.acting.r[f.loose[i]] / f.loose_by[i]
    if f.loose.shape[0] > 0:
        add_loose(j, scratch, t, q, v)
    if j.rows.numbers.shape[0] > 0:
        _add_further(j, s.found)
    hand_inwards(j, s.whole, s.found)
    for k in range(s.rows.shape[0]):
        state = _state(s, k)
        if state == KEPT:
            s.work.off[k] = 0.0
        elif state != STICKS:
            s.work.off[k] = s.found[s.rows[k]] - s.lam[s.rows[k]]
    return 0


@called(bool)
def _matrix(j, scratch, t, q, v, alpha, beta, size):
    """Compute C from finite changes of friction by `size` along D, and factorize 1 − C; returns whether it is regular.
    `base` must hold the errors under the present friction; u̇ and `found` are overwritten."""
    s = j.rubbing
    count = s.rows.shape[0]
    s.work.memory[0] = 1.0
    for c in range(count):
        largest = 0.0
        for i in range(s.work.force.shape[0]):
            s.work.other[i] = s.work.force[i] + size * s.work.D[c, i]
            largest = max(largest, abs(s.work.D[c, i]))
        if largest == 0.0:
            for k in range(count):
                s.work.C[k, c] = 0.0
            continue
        if _answer(j, scratch, t, q, v, alpha, beta, s.work.other, False) != 0:
            return False
        for k in range(count):
            s.work.C[k, c] = (s.work.off[k] - s.work.base[k]) / size
    _fill(s, 1.0)
    if not dense_lu.factor(s.work.J, count, s.work.order) > 0.0:
        return False
    s.work.memory[0] = 0.0
    return True


@called(None)
def _fill(s, sign):
    """J = 1 − C, with the columns of C of joints that slide multiplied by `sign`."""
    count = s.rows.shape[0]
    for c in range(count):
        by = 1.0 if _state(s, c) == STICKS else sign
        for k in range(count):
            s.work.J[k, c] = -by * s.work.C[k, c]
        if _state(s, c) != STICKS:
            s.work.J[c, c] += 1.0


@inlined
def _sign(s):
    """The sign of det J, 0 if J is singular; J is overwritten by its factors."""
    count = s.rows.shape[0]
    if not dense_lu.factor(s.work.J, count, s.work.order) > 0.0:
        return 0.0
    sign = 1.0
    for k in range(count):
        sign = -sign if (s.work.J[k, k] < 0.0) != (s.work.order[k] != k) else sign
    return sign


@called(bool)
def _jams(j, sign):
    """Whether det(1 − C), with C of joints that slide multiplied by `sign`, has another sign than without their
    friction."""
    s = j.rubbing
    _fill(s, 0.0)
    without = _sign(s)
    _fill(s, sign)
    jams = _sign(s) != without
    _fill(s, 1.0)
    dense_lu.factor(s.work.J, s.rows.shape[0], s.work.order)
    return jams
