"""Generalized-α in joint coordinates: the loop over its steps, and runs of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.solvers.coordinates import Coordinates
from flexmb.solvers.events.crossings import AGAIN as SOONER
from flexmb.solvers.events.crossings import TIME_ROUNDING, judge
from flexmb.solvers.explicit.explicit_loop import arrive, find_anew, look_ahead
from flexmb.solvers.explicit.explicit_state import Counts, Loop, MotionSoFar, Options, Stage, State
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
from flexmb.solvers.generalized_alpha.alpha_loop import LEAST_FACTOR, NO_CHANGE
from flexmb.solvers.generalized_alpha.alpha_state import Coefficients
from flexmb.solvers.generalized_alpha.alpha_steps import LARGEST_FACTOR, even_part, lengthened
from flexmb.solvers.generalized_alpha.share import share
from flexmb.solvers.joint_motion.joint_motion import sizes
from flexmb.solvers.joint_motion.joint_state import put_system, rates_of_speeds, stand_on
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    ROWS_CONTRADICT,
    RUNNING,
    behind_kink,
)
from flexmb.solvers.rows.left_out import CONTRADICT
from flexmb.solvers.rows.trail import Trail
from flexmb.solvers.run import Run, TimedState, states_ahead
from flexmb.solvers.singular_angles import singular_message
from flexmb.system.accelerations import work_for
from flexmb.system.near import longest_step
from flexmb.system.sampling import PERIOD

#: the shortest step as a part of the run; instants nearer than this part of a period are one
SHORTEST, TOGETHER = 1e-10, 1e-6
#: errors of joints that close loops at the end of a step, and that which a passage through a singular position may have
CLOSED, PASSAGE_ERROR = 1e-12, 1e-8
#: a step that ends nearer to a stop than this part of its size ends there
NEAR = 1e-6


@called(None)
def _propose(options, state, h, error):
    """Propose the next step, as :mod:`flexmb.solvers.generalized_alpha.alpha_loop` does: â of steps that differ much is
    worth less, and so is a step of another size, which needs a new matrix."""
    error = max(error, 1e-6)
    factor = 0.9 * error**-0.35 * state.last_error**0.2
    if factor >= 1.0 and h < 0.99 * state.step:  # cut short by a given time
        state.step = lengthened(h, factor, state.step, options.longest)
        return
    state.rejected_here = 0.0
    state.last_error = error
    factor = min(max(factor, LEAST_FACTOR), LARGEST_FACTOR)
    state.step = min(h * (1.0 if 1.0 <= factor <= NO_CHANGE else factor), options.longest)


@called(int)
def _end(loop, t, h):
    """The end of the step, closed, with its accelerations and u̇; FINE, or why it cannot be kept."""
    j, stage = loop.coordinates.joints, loop.stage
    if not unforced(loop):
        put_system(j, stage.q, stage.v)
    status = close(loop, t, h, True, True)
    if status == FINE and j.closed == 1 and j.meets == 0:
        stand_on(j, stage.q, stage.v)
        rates_of_speeds(j, stage.q, stage.v, stage.a)
    return status


@called(int)
def _find_anew(loop, t):
    """Begin the recursion again with accelerations found anew; RUNNING, or why there are none."""
    loop.method.memory.again = loop.method.memory.aged = 1.0
    return find_anew(loop, t)


@called(float)
def _size(loop, t, stop):
    """The size of the step to try."""
    options = loop.options
    h = min(next_step(loop, stop), loop.state.step)
    if loop.sampling.controllers.shape[0] > 0 and options.step <= 0.0:
        return even_part(h, stop - t, min(options.longest, longest_step(loop.plan.near, loop.motion.v)))
    if 0.5 * (stop - t) < h < (1.0 - NEAR) * (stop - t):
        return 0.5 * (stop - t)
    return h


@called(int)
def _step(loop):
    """Try a step, and keep it if its error is small enough; RUNNING, or how the segment ends."""
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
    on_grid = not fixed or t1 >= options.t_start + (state.grid + 1.0) * options.step - options.together
    if fixed:
        if on_grid:
            state.grid += 1.0
        if t1 < stop:
            state.part = 1.0
        else:
            loop.counts.divided += int(state.part)
            state.part = 0.0
        state.step = min(2.0 * state.step, options.step)
    else:
        _propose(options, state, h, error)
    if on_grid or (loop.method.save_every == 1 and t1 == stop):
        memory.since_save += 1.0
    ends = t1 >= options.t_end or watched.state.hop > 0.0 or watched.state.events > 0.0
    if memory.since_save >= loop.method.save_every or ends or behind_kink(loop.kinks, t1, options.t_end) > t1:
        state.unsaved = 1
        memory.since_save = 0.0
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
    """A run of generalized-α by the road in the joints of these `coordinates`; `first`: the first step [s]."""
    system, span = run.system, run.t_end - run.t_start
    j = coordinates.joints
    periods = [*run.sampling.times[:, PERIOD], *([step] if step else [])]
    rounding = TIME_ROUNDING * max(abs(run.t), abs(run.t_end))
    options = Options(
        t_start=float(run.t_start), t_end=float(run.t_end), span=float(span), step=float(step or 0.0),
        allowed=float(tolerance), longest=float(max_step or span), shortest=max(SHORTEST * span, 8.0 * rounding),
        closed=CLOSED, together=max(TOGETHER * min(periods), rounding) if periods else 0.0, project=True,
    )  # fmt: skip
    state = State.zeros()
    state.time, state.step = run.t, first
    state.last_error, state.anew = 1.0, AT_START
    state.lost = -1.0
    if step:
        state.grid = np.floor((run.t - run.t_start) / step + TOGETHER)
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
    motion = MotionSoFar(run.q, run.v, run.v, run.a, run.lam)
    loop = Loop(
        system.plan, system.scratch, system.linear, run.sampling, float(system.mass_scale), recursion, coordinates,
        options, system.scale, system.row_scale, motion, stage, work_for(system.plan),
        np.full(system.m, 1.0 / np.sqrt(max(system.m, 1))), np.zeros(3),
        run.left_out, state, Counts.zeros(), np.zeros(0) if step else run.kinks(),
        run.crossings(not step),
    )  # fmt: skip
    _InJoints(run, advance, loop, save_every).drive()


class _InJoints(Driver):
    """Drives generalized-α in joint coordinates."""

    def begin(self) -> None:
        loop, step = self.loop, self.loop.options.step
        trail = Trail(self.run, loop.watch, loop.rows, PASSAGE_ERROR, grid=step, coordinates=loop.coordinates)
        self.trail = trail
        if loop.coordinates.joints.closed:
            self.follow_singular_values(trail)

    def grow(self) -> None:
        self.run.system.grow()
        self.loop = self.loop._replace(linear=self.run.system.linear)

    def in_need(self) -> bool:
        return bool(self.loop.coordinates.joints.closed)

    def behind_passage(self) -> None:
        run, step = self.run, self.loop.options.step
        self.state.time, self.state.anew = run.t, AT_START
        if step:
            self.state.grid = np.floor((run.t - run.t_start) / step + TOGETHER)

    def tried(self) -> Iterable[TimedState]:
        return states_ahead(self.run, self.loop.options.step or self.run.step)

    def trouble(self, status: int) -> str:
        """Why the method could not go on, in words."""
        if self.state.lost >= 0.0:
            return singular_message(self.run.system, self.loop.coordinates, int(self.state.lost), self.run.q)
        return "Newton's method does not converge with any step in joint coordinates"
