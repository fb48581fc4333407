"""Parts of the steps of explicit methods, compiled: the start of a step, its stages and their slopes, the
conversion of its errors, and the projection of its end onto the constraints."""

from __future__ import annotations

from flexmb.algebra.precision import LARGEST
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.coordinates.coordinates import ANGLES, JOINTS, carry, changes, places, read, slopes, width
from flexmb.solvers.coordinates.joints.joint_rates import joint_forces, joint_rates, keep_further
from flexmb.solvers.coordinates.joints.joint_state import (
    joint_changes,
    put_accelerations,
    put_whole_state,
    rates_of_speeds,
    recall,
    remember,
    stand_on,
    take_unseen,
)
from flexmb.solvers.coordinates.joints.onto_rows import closest_combination, leave_along, put_onto_rows
from flexmb.solvers.rows.index_one import norm, project, way_onto
from flexmb.solvers.rows.left_out import CLOSED, check_left_out
from flexmb.solvers.rows.singular_value import DEPTH, NEAR, leaps, smallest_singular_value
from flexmb.solvers.runs.singular_angles import singular
from flexmb.solvers.statuses import LEAPT, NO_ANGLES, NO_ROOM, NOT_CLOSED, NOT_FINITE, OK, SINGULAR
from flexmb.system.accelerations import accelerations
from flexmb.system.evaluation import constraints, jacobian_times

#: Most corrections by which joints are closed; a step whose joints are then still open is rejected.
SWEEPS = 3


@called(None)
def combine(weights, slopes, count, out):
    """out (count,) = Σ weights[s] slopes[s]."""
    for i in range(count):
        out[i] = 0.0
    for s in range(weights.shape[0]):
        weight = weights[s]
        if weight != 0.0:
            for i in range(count):
                out[i] += weight * slopes[s, i]


@inlined
def holds(loop):
    """Whether no constraint is left to satisfy, in joint coordinates of a tree without closed loops."""
    return loop.coordinates.kind == JOINTS and loop.coordinates.joints.rows.closed == 0


@inlined
def meets(loop):
    """Whether joint coordinates have to satisfy constraint rows beyond those of the tree."""
    return loop.coordinates.kind == JOINTS and loop.coordinates.joints.rows.meets == 1


@inlined
def unforced(loop):
    """Whether the formulation needs joint coordinates and speeds only, and forces and further rows along the joints
    what these tell. Positions and speeds of the system are then computed together with its accelerations."""
    acting = loop.coordinates.joints.acting
    return (holds(loop) and acting.any == 0) or ((holds(loop) or meets(loop)) and acting.along == 1)


@inlined
def _lost(loop, x):
    """Whether Euler angles are at a singular position or beyond it; records the index of the orientation in
    `state.lost`."""
    kind = loop.coordinates.kind
    if kind != ANGLES and (kind != JOINTS or loop.coordinates.joints.last.side.shape[0] == 0):
        return False  # there are none
    loop.state.lost = singular(loop.coordinates, loop.plan.orientations, x)
    return loop.state.lost >= 0.0


@called(int)
def fill(loop, weights, h):
    """Fill the stage with the start of the step plus h times the weighted slopes; returns OK, NOT_FINITE or
    NO_ANGLES."""
    plan, stage, coordinates = loop.plan, loop.stage, loop.coordinates
    rates, positions = width(coordinates, plan), places(coordinates, plan)
    combine(weights, stage.kx, positions, stage.x)
    combine(weights, stage.ku, rates, stage.u)
    for i in range(positions):
        stage.x[i] = stage.x0[i] + h * stage.x[i]
        if not abs(stage.x[i]) < LARGEST:
            return NOT_FINITE
    for i in range(rates):
        stage.u[i] = stage.u0[i] + h * stage.u[i]
        if not abs(stage.u[i]) < LARGEST:
            return NOT_FINITE
    if _lost(loop, stage.x):
        return NO_ANGLES
    if unforced(loop):
        take_unseen(coordinates.joints, stage.x, stage.u, stage.q, stage.v)
        return OK
    read(coordinates, plan.orientations, plan.n, stage.x, stage.u, stage.q, stage.v)
    return OK


@called(int)
def accelerate(loop, t, q, v, a, lam):
    """Compute the accelerations a and multipliers of a state; returns OK, NO_ROOM, SINGULAR, JAMMED or NOT_FINITE."""
    loop.counts.evaluations += 1
    if holds(loop) or meets(loop):
        return _by_formulation(loop, t, q, v, a, lam, False)
    found = accelerations(loop.plan, loop.scratch, loop.linear, loop.mass, t, q, v, a, lam, loop.work, 0.0, 0.0)
    if found == OK:
        for i in range(loop.plan.n):
            if not abs(a[i]) < LARGEST:
                found = NOT_FINITE
    if found != OK:
        for k in range(loop.plan.m):
            lam[k] = 0.0  # the next evaluation starts from the multipliers of this one
    return found


@called(int)
def _by_formulation(loop, t, q, v, a, lam, anew):
    """Compute accelerations and multipliers by the formulation in joint coordinates, from its present joint positions
    and speeds. With `anew`, write also the positions q and speeds v of the system. Returns OK, SINGULAR or
    NOT_FINITE."""
    j = loop.coordinates.joints
    if joint_rates(j, loop.scratch, t, q, v, 0.0, 0.0) != 0:
        return SINGULAR
    if anew:
        put_whole_state(j, q, v, a)
    else:
        put_accelerations(j, a)
    for i in range(loop.plan.n):
        if not abs(a[i]) < LARGEST:
            return NOT_FINITE
    if not loop.options.forces:
        keep_further(j, lam)
    elif loop.plan.m > 0 and joint_forces(j, loop.plan, loop.scratch, t, q, v, a, lam) != 0:
        return SINGULAR
    return OK


@called(int)
def accelerate_stage(loop, t):
    """Compute the accelerations of the stage, in joint coordinates the accelerations u̇ of the joints; returns the
    status of :func:`accelerate`."""
    stage = loop.stage
    if loop.coordinates.kind != JOINTS:
        return accelerate(loop, t, stage.q, stage.v, stage.a, stage.lam)
    j = loop.coordinates.joints
    loop.counts.evaluations += 1
    if joint_rates(j, loop.scratch, t, stage.q, stage.v, 0.0, 0.0) != 0:
        return SINGULAR
    for i in range(j.ud.shape[0]):
        if not abs(j.ud[i]) < LARGEST:
            return NOT_FINITE
    return OK


@called(int)
def accelerate_anew(loop, t):
    """Compute the accelerations of the present state; returns the status of :func:`accelerate`."""
    motion = loop.motion
    if loop.coordinates.kind == JOINTS:
        stand_on(loop.coordinates.joints, motion.q, motion.v)
    status = accelerate(loop, t, motion.q, motion.v, motion.a, motion.lam)
    if loop.coordinates.kind == JOINTS and status == OK:
        _remember(loop, motion.q, motion.v, motion.a)
    return status


@called(None)
def _remember(loop, q, v, a):
    """Keep the joint accelerations u̇ of a state for the step that begins there."""
    j = loop.coordinates.joints
    if j.rows.closed == 1 and j.rows.meets == 0:
        stand_on(j, q, v)
        rates_of_speeds(j, q, v, a)
    remember(j)


@called(None)
def slopes_at(loop, number, x, u, v, a):
    """Compute the slopes of stage `number`, of positions ẋ and of speeds u̇, for x and u in the coordinates of the
    method, with the speeds v and accelerations a of the system there."""
    plan, dx, du = loop.plan, loop.stage.kx[number], loop.stage.ku[number]
    slopes(loop.coordinates, plan.orientations, plan.n, x, u, v, a, 0.0, 0.0, dx, du)


@inlined
def begin_step(loop):
    """Fill x0 and u0 of the stage with the present state; returns OK, or NO_ANGLES at a singular position of Euler
    angles."""
    plan, motion, stage = loop.plan, loop.motion, loop.stage
    if loop.coordinates.kind == JOINTS:
        recall(loop.coordinates.joints, stage.x0, stage.u0)
    else:
        carry(loop.coordinates, plan.orientations, plan.n, motion.q, motion.v, stage.x0, stage.u0)
    return NO_ANGLES if _lost(loop, stage.x0) else OK


@inlined
def as_displacements(loop, dx, du):
    """Convert small changes dx and du of the positions and speeds of the method at the end of the step to those of the
    system, a displacement and a change of its speeds."""
    plan, stage, y, dv = loop.plan, loop.stage, loop.work.aux, loop.work.b
    in_joints = loop.coordinates.kind == JOINTS
    if plan.orientations.shape[0] > 0 or in_joints:
        if in_joints:
            joint_changes(loop.coordinates.joints, stage.x, dx, du, y, dv)
        else:
            changes(loop.coordinates, plan.orientations, plan.n, stage.x, stage.u, stage.q, dx, du, y, dv)
        for i in range(plan.n):
            dx[i] = y[i]
            du[i] = dv[i]


@called(None)
def combined_errors(loop, kinds):
    """Fill the estimated errors of the step, divided by its size, with sums of its slopes by the weights `errors` of
    the method: of positions, as displacements, and of speeds; the first `kinds` estimates of the method."""
    plan, stage, table = loop.plan, loop.stage, loop.method
    for kind in range(kinds):
        dx, du = stage.error_q[kind], stage.error_v[kind]
        combine(table.errors[kind], stage.kx, places(loop.coordinates, plan), dx)
        combine(table.errors[kind], stage.ku, width(loop.coordinates, plan), du)
        as_displacements(loop, dx, du)


@called(int)
def close(loop, t, h, careful, near):
    """Project the end of the step onto the constraints and compute its accelerations; returns OK, or why it cannot be
    accepted: SINGULAR near a singular position, LEAPT if the step left its branch of the mechanism, NOT_CLOSED if with
    `careful` its joints remain open. `near`: joint accelerations were last computed at a nearby state."""
    plan, scratch, work, stage, motion, watch = loop.plan, loop.scratch, loop.work, loop.stage, loop.motion, loop.watch
    if holds(loop):
        loop.counts.evaluations += 1
        return _by_formulation(loop, t, stage.q, stage.v, stage.a, stage.lam, unforced(loop))
    if loop.options.project and plan.m > 0:
        if meets(loop):
            status, left = put_onto_rows(
                loop.coordinates.joints, scratch, t, stage.q, stage.v, loop.options.closed, SWEEPS, near
            )
            if status != 0:
                return SINGULAR
        else:
            status, left, _ = project(
                plan, scratch, loop.linear, loop.mass, t, stage.q, stage.v, stage.lam, loop.row_scale, work,
                loop.options.closed, SWEEPS, True,
            )  # fmt: skip
            if status != OK:
                return NO_ROOM if status == NO_ROOM else SINGULAR
        if careful and not left <= CLOSED:
            return NOT_CLOSED
    if meets(loop):
        loop.counts.evaluations += 1
        status = _by_formulation(loop, t, stage.q, stage.v, stage.a, stage.lam, unforced(loop))
    else:
        status = accelerate(loop, t, stage.q, stage.v, stage.a, stage.lam)
    if status != OK or plan.m == 0:
        return status
    if meets(loop):
        sigma = closest_combination(loop.coordinates.joints, loop.rows)
    else:
        sigma = smallest_singular_value(plan, loop.linear, loop.row_scale, loop.rows, work.x)
    loop.state.sigma = sigma
    if sigma < DEPTH * watch[1]:
        return SINGULAR
    if sigma < NEAR * watch[1] and leaps(h, motion.v, motion.a, stage.v, stage.a, loop.scale, plan.n):
        return LEAPT
    return OK


@called(None)
def leave_errors_along(loop, t):
    """Reduce both estimated errors of the projected step to their components along the constraints.

    The projection removes the components across the constraints, but not their consequences: an error of a position
    that is small in a long model rotates a short link by much more. So the error at the projected end is what counts,
    in positions and angles.
    """
    stage = loop.stage
    if meets(loop):
        j = loop.coordinates.joints
        for kind in range(2):
            for of_places in (True, False):
                error = stage.error_q[kind] if of_places else stage.error_v[kind]
                leave_along(j, loop.scratch, t, stage.q, stage.v, error, of_places)
        return
    for kind in range(2):
        _leave_along(loop, t, stage.error_q[kind], True)
        _leave_along(loop, t, stage.error_v[kind], False)


@called(None)
def _leave_along(loop, t, error, of_places):
    """Remove the component across the constraints from an error (n,), by the shortest displacement. An error of
    positions (`of_places`) may lie across a velocity row, since such rows do not constrain positions."""
    plan, stage, work = loop.plan, loop.stage, loop.work
    for i in range(plan.total):
        work.aux[i] = error[i] if i < plan.n else 0.0
    jacobian_times(plan, loop.scratch, t, stage.q, stage.v, stage.a, work.weights, work.aux, work.gd)
    for k in range(plan.m):
        if of_places and plan.at_speed[k] >= 0:
            work.gd[k] = 0.0
    way_onto(plan, loop.linear, work.gd, work.x)
    for i in range(plan.n):
        error[i] += work.x[i]


@called(int)
def check_rows(loop, t):
    """Record by how much the end of the step violates the constraints, if joint forces are computed; returns OK, or
    the trouble with rows that are left out."""
    plan, scratch, work, state, stage = loop.plan, loop.scratch, loop.work, loop.state, loop.stage
    if plan.m > 0 and loop.options.forces:
        constraints(plan, scratch, t, stage.q, stage.v, work.zero, work.weights, work.g, work.gd, work.gamma)
        state.drift = max(state.drift, norm(work.g, loop.row_scale, plan.m))
        state.velocity_drift = max(state.velocity_drift, norm(work.gd, loop.row_scale, plan.m))
    if loop.left_out.weights.shape[0] == 0:
        return OK
    off = norm(work.g, loop.row_scale, plan.m)
    return check_left_out(
        loop.left_out, plan, scratch, loop.linear, t, stage.q, stage.v, loop.scale, loop.row_scale, off
    )


@called(None)
def keep(loop):
    """Make the end of the step the present state."""
    plan, motion, stage = loop.plan, loop.motion, loop.stage
    if loop.coordinates.kind == JOINTS:
        _remember(loop, stage.q, stage.v, stage.a)
    for i in range(plan.nq):
        motion.q[i] = stage.q[i]
    for i in range(plan.n):
        motion.v[i] = stage.v[i]
        motion.a[i] = stage.a[i]
    for k in range(plan.m if loop.options.forces else loop.coordinates.joints.rows.mu.shape[0]):
        motion.lam[k] = stage.lam[k]
