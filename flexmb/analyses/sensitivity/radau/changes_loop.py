"""The compiled loop of Radau IIA that carries changes along."""

from __future__ import annotations

from flexmb.analyses.sensitivity.radau.end_changes import accelerate, finish
from flexmb.analyses.sensitivity.radau.neighboring_constants import copy_constants
from flexmb.analyses.sensitivity.radau.stage_changes import NO_CHANGES, error_of_changes, solve_stages
from flexmb.kernels.compilation import called
from flexmb.solvers.march.clock import AT_COMMAND, AT_TOUCH
from flexmb.solvers.methods.radau.radau_loop import accept, arrive, find_anew, guess, local_error, next_by
from flexmb.solvers.methods.radau.radau_newton import correct
from flexmb.solvers.methods.radau.radau_step import radau_of
from flexmb.solvers.statuses import NO_ROOM, OK
from flexmb.system.sampling import LOGGED


@called(None)
def _complete_row(loop):
    """A row of changes is complete when the next begins."""
    state = loop.changes.state
    state.row += state.pending
    state.pending = 0


@called(None)
def _note_jump(loop, before):
    """Keep the largest jump of an acceleration at a touch, as a part of the largest acceleration."""
    largest, jump, scale = 0.0, 0.0, loop.scales.coordinates
    for i in range(loop.plan.n):
        largest = max(largest, max(abs(before[i]), abs(loop.motion.a[i])) / scale[i])
        jump = max(jump, abs(loop.motion.a[i] - before[i]) / scale[i])
    if jump > loop.changes.state.jumped * largest:
        loop.changes.state.jumped = jump / largest


@called(int)
def _find_anew(loop, t):
    """Accelerations and joint forces of the present state, and their changes."""
    _complete_row(loop)
    if loop.state.anew == AT_COMMAND and loop.changes.state.delivered == 0:
        return NO_ROOM  # Python finds the changes of the commands
    motion, before = loop.motion, loop.changes.x[7]
    touches = loop.state.anew == AT_TOUCH
    for i in range(loop.plan.n):
        before[i] = motion.a[i]
    status = find_anew(loop, t)
    if status == OK:
        if touches:
            _note_jump(loop, before)
        copy_constants(loop.changes.near, loop.plan.p)
        accelerate(loop, t, motion.q, motion.v, motion.a, motion.lam)
        if loop.state.anew == AT_COMMAND:
            loop.state.unsaved = 1  # accelerations have jumped, and their changes
            loop.changes.state.delivered = 0
    return status


@called(int)
def _correct(loop, h, t):
    """Solve for the stages, once Python knows of all decisions of controllers."""
    decided = 0
    for c in range(loop.sampling.controllers.shape[0]):
        decided += loop.sampling.controllers[c, LOGGED]
    if decided > loop.changes.state.decided:
        return NO_ROOM
    loop.changes.state.delivered = 0
    return correct(loop, h, t)


@called((float, float))
def _local_error(loop, h, t):
    """The errors of a step and of the changes in it: the larger one decides."""
    error, of_speeds = local_error(loop, h, t)
    if not error <= 1.0:
        return error, of_speeds
    matrices, kept, changes = loop.matrices, loop.changes.kept, loop.changes
    for i in range(loop.plan.size):
        kept[0, i], kept[1, i] = matrices.x[i], matrices.b[i]
    if not solve_stages(loop, h, t):
        return NO_CHANGES, of_speeds
    changes.state.h = h
    error = max(error, error_of_changes(loop, h))
    for i in range(loop.plan.size):
        matrices.x[i], matrices.b[i] = kept[0, i], kept[1, i]
    return error, of_speeds


@called(None)
def _accept(loop, t):
    """Make the end of the step the present state, with its changes."""
    _complete_row(loop)
    finish(loop, t)
    accept(loop, t)


@called(None)
def _show(loop):
    """Save the changes of the present state, if it is about to be saved."""
    if loop.state.unsaved == 0:
        return
    changes, row = loop.changes, loop.changes.state.row
    for p in range(changes.typical.shape[0]):
        for i in range(loop.plan.n):
            changes.all_q[row, p, i] = changes.q[p, i]
            changes.all_v[row, p, i] = changes.v[p, i]
            changes.all_a[row, p, i] = changes.a[p, i]
        for k in range(loop.plan.m):
            changes.all_lam[row, p, k] = changes.lam[p, k]
    changes.state.pending = 1


advance = radau_of(_find_anew, guess, _correct, _local_error, arrive, _accept, next_by=next_by, show=_show)
