"""Generalized-α in joint coordinates: the compiled loop over its steps, and a run with it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.solvers.coordinates import Coordinates
from flexmb.solvers.events.crossings import AGAIN as SOONER
from flexmb.solvers.events.crossings import judge
from flexmb.solvers.explicit.explicit_loop import arrive, find_anew, look_ahead
from flexmb.solvers.explicit.explicit_run import LoopDriver, loop_of
from flexmb.solvers.explicit.explicit_state import Options, Stage
from flexmb.solvers.explicit.explicit_step import FINE, NO_ROOM, close, unforced
from flexmb.solvers.explicit.step_control import next_step, shorten
from flexmb.solvers.generalized_alpha.alpha_in_joints import (
    Memory,
    Recursion,
    attempt,
    carried_error,
    error_of,
    keep_recursion,
)
from flexmb.solvers.generalized_alpha.alpha_state import Coefficients
from flexmb.solvers.generalized_alpha.alpha_steps import NO_CHANGE, even_part, mark_saved, propose
from flexmb.solvers.generalized_alpha.share import share
from flexmb.solvers.joint_motion.joint_motion import sizes
from flexmb.solvers.joint_motion.joint_state import rates_of_speeds, read_joints, stand_on, take_joints
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    ROWS_CONTRADICT,
    RUNNING,
    behind_kink,
)
from flexmb.solvers.march.times import times_of
from flexmb.solvers.rows.left_out import CONTRADICT
from flexmb.solvers.run import Run, TimedState, states_ahead
from flexmb.solvers.singular_angles import singular_message
from flexmb.system.near import longest_step

#: Error to which the joints that close loops are closed at the end of a step, and the error allowed for a passage
#: through a singular position, both in units of the model.
CLOSED, PASSAGE_ERROR = 1e-12, 1e-8
#: A step that would end before a stop by less than this part of its size ends at the stop.
NEAR = 1e-6


@called(int)
def _end(loop, t, h):
    """Close the loops at the end of the step and compute its accelerations and u̇; returns FINE, or why the step cannot
    be accepted."""
    j, stage = loop.coordinates.joints, loop.stage
    if unforced(loop):
        take_joints(j, stage.x, stage.u)
    else:
        read_joints(j, stage.x, stage.u, stage.q, stage.v)
    status = close(loop, t, h, True, True)
    if status == FINE and j.rows.closed == 1 and j.rows.meets == 0:
        stand_on(j, stage.q, stage.v)
        rates_of_speeds(j, stage.q, stage.v, stage.a)
    return status


@called(int)
def _find_anew(loop, t):
    """Compute accelerations from the equations of motion and start the recursion again; returns RUNNING, or why there
    are none."""
    loop.method.memory.again = loop.method.memory.aged = 1.0
    return find_anew(loop, t)


@called(float)
def _size(loop, t, stop):
    """Size of the step to try from t towards `stop`."""
    options = loop.options
    h = min(next_step(loop, stop), loop.state.step)
    if loop.sampling.controllers.shape[0] > 0 and options.step <= 0.0:
        return even_part(h, stop - t, min(options.longest, longest_step(loop.plan.near, loop.motion.v)))
    if 0.5 * (stop - t) < h < (1.0 - NEAR) * (stop - t):
        return 0.5 * (stop - t)
    return h


@called(int)
def _step(loop):
    """Try a step, and accept it if its error is small enough; returns RUNNING in both cases, or the status with which
    the segment ends."""
    state, options, watched, memory = loop.state, loop.options, loop.crossings, loop.method.memory
    fixed, t, stop = options.step > 0.0, state.time, next_stop(loop)
    h = _size(loop, t, stop)
    t1 = stop if h >= (1.0 - NEAR) * (stop - t) else t + h
    status = attempt(loop, t, t1 - t)
    h, error = t1 - t, 0.0
    if status == FINE:
        status = _end(loop, t1, h)
    if status == FINE and not fixed:
        error = error_of(loop, h)
    if status == NO_ROOM:
        return OUT_OF_ROOM
    if status != FINE or not error <= 1.0:
        return RUNNING if shorten(loop, h, error if status == FINE else np.inf) else DIVERGED
    stage = loop.stage
    if len(watched.side) > 0:
        small = not fixed and error <= 1.0
        if judge(watched, loop.plan, loop.scratch, t, t1, stage.q, stage.v, stage.a, stage.lam, small) == SOONER:
            loop.counts.rejected += 1
            return RUNNING
    if fixed:
        state.carried += carried_error(loop, h, t1)
    keep_recursion(loop, h)
    found = arrive(loop, h, t1)
    if found == CONTRADICT:
        return ROWS_CONTRADICT
    propose(options, state, h, error, NO_CHANGE, False)
    mark_saved(options, state, loop.counts, memory, loop.method.save_every, t1, t1 == stop)
    if watched.state.hop > 0.0 or watched.state.events > 0.0 or behind_kink(loop.kinks, t1, options.t_end) > t1:
        state.unsaved = 1  # the states before and after a jump are saved, whatever save_every is
    look_ahead(loop, found)
    return RUNNING


advance = march_of(_find_anew, _step)


def run_in_joints(
    run: Run,
    coordinates: Coordinates,
    tolerance: float,
    step: float | None,
    max_step: float | None,
    spectral_radius: float,
    newton_tolerance: float | None,
    max_iterations: int,
    save_every: int,
    first: float,
) -> None:
    """Run generalized-α with a formulation in joint coordinates, `coordinates`; `first` is the size of the first step
    [s]."""
    system, j, span = run.system, coordinates.joints, run.t_end - run.t_start
    options = Options(
        span=float(span), allowed=float(tolerance), longest=float(max_step or span), closed=CLOSED, project=True,
        **times_of(run, step),
    )  # fmt: skip
    nq, nv, total = j.links.nq, j.links.nv, system.plan.total
    memory = Memory.zeros()
    memory.aged = memory.again = memory.h_matrix = 1.0
    newton = newton_tolerance or (1e-8 if step else min(1e-8, 1e-2 * tolerance))
    recursion = Recursion(
        Coefficients.of(float(spectral_radius)), **{name: np.zeros(nv) for name in ("alg", "alg1", "slope", "y", "ud")},
        unit=sizes(j, system.length_scale)[1], b=np.zeros(nv), x=np.zeros(nq), u=np.zeros(nv), Fx=np.zeros((nv, nv)),
        Fu=np.zeros((nv, nv)), S=np.zeros((nv, nv)), rows=np.zeros(nv, dtype=np.int64),
        P=np.zeros((nv, nv)), rows_of_P=np.zeros(nv, dtype=np.int64), memory=memory,
        newton=float(newton), iterations=int(max_iterations), save_every=int(save_every),
        allowed=share(system) * float(tolerance) / span, order=2,
    )  # fmt: skip
    table = np.zeros((1, 1))
    stage = Stage(
        np.zeros(nq), np.zeros(nv), np.zeros(nq), np.zeros(nv), run.q.copy(), np.zeros(total), np.zeros(total),
        np.zeros(system.m), table, table, table, table,
    )  # fmt: skip
    loop = loop_of(run, recursion, coordinates, options, stage)
    loop.state.step = first
    _InJoints(run, advance, loop, save_every).drive()


class _InJoints(LoopDriver):
    """Driver of generalized-α in joint coordinates."""

    passage_error = PASSAGE_ERROR

    def tried(self) -> Iterable[TimedState]:
        return states_ahead(self.run, self.loop.options.step or self.run.step)

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        if self.state.lost >= 0.0:
            return singular_message(self.run.system, self.loop.coordinates, int(self.state.lost), self.run.q)
        return "Newton's method does not converge with any step in joint coordinates"
