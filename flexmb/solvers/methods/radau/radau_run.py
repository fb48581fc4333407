"""A run with Radau IIA on the DAE: its options, the memory of its loop, and its driver in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.references import alike
from flexmb.solvers.changes.trail import Trail
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.in_lanes import FirstStep, InLanes
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.march.times import first_of, first_step, times_of
from flexmb.solvers.methods.radau.error_of_waves import WAVES
from flexmb.solvers.methods.radau.matrix_layout import AT_LEAST, CHANGE, LAYING_DENSE, LAYING_SPARSE, Matrices, laid_out
from flexmb.solvers.methods.radau.radau_loop import IN_LANES, advance
from flexmb.solvers.methods.radau.radau_state import (
    NO_RANK,
    Counts,
    End,
    Options,
    RadauLoop,
    Stages,
    State,
    motion_of,
    stages_for,
)
from flexmb.solvers.rows.singular_value import NEAR, any_combination
from flexmb.solvers.runs.known_begin import first_loop
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import TOO_FAST
from flexmb.system.accelerations import Work, work_for
from flexmb.system.refusals import refuse_searches
from flexmb.system.searching import OTHERS
from flexmb.system.stacked import Stacked, stacked
from flexmb.system.system import System

#: The error of a step is estimated by a formula of third order, h⁴; it may be ALLOWED · tolerance ** EXPONENT. With an
#: exponent of 4/5 the error of the method, h⁵, would be in proportion to the tolerance if all steps were alike; where
#: they differ it falls more slowly.
ALLOWED, EXPONENT = 0.02, 0.86
#: Least number of steps in a run whose drives determine all motion: no error limits the size of its steps, but the
#: motion is interpolated between them.
FOLLOWED = 200
#: Allowed error of a passage through a singular position, as a part of the tolerance.
OF_TOLERANCE = 0.005
#: The method can step over a singular position without help. But at the end of a step near it, round-off in the speeds
#: is divided by the square of σ, so that a passage is made where σ, in parts of its largest value, is below
#: √(MAGNIFIED/tolerance). On 40 parallelograms (:mod:`flexmb.validation.n_four_bar`) with a tolerance of 1e-8 the error
#: is 10 tolerances, with 1e-13 in place of this number 57; at 1e-9 the passages dominate the error, 950 tolerances.
MAGNIFIED = 1e-10


def run_radau(
    run: Run,
    *,
    tolerance: float = 1e-6,
    max_step: float | None = None,
    newton_tolerance: float | None = None,
    max_iterations: int = 12,
) -> None:
    """Simulate with steps whose error stays below `tolerance` (of the model's length; radians)."""
    system = run.system
    refuse_searches(system, f"simulate {system.model.where}, method 'radau'", OTHERS)
    run.history.order = 5
    loop = first_loop(run, lambda: loop_of(run, tolerance, max_step, newton_tolerance, max_iterations))
    OnDae(run, advance, loop, tolerance).drive()


def loop_of(
    run: Run, tolerance: float, max_step: float | None, newton_tolerance: float | None, max_iterations: int
) -> RadauLoop:
    """The loop from the present state of a run."""
    system = run.system
    span = run.t_end - run.t_start
    longest = max_step or span
    if system.m == system.n:
        longest = min(longest, span / FOLLOWED)
    options = options_for(
        run, tolerance, longest, newton_tolerance or 3e-5 * tolerance, max_iterations,
        near=min(NEAR, float(np.sqrt(MAGNIFIED / tolerance))),
    )  # fmt: skip
    state, plan = State.zeros(), system.plan
    state.time = run.t
    state.step = min(run.step or first_step(run, tolerance, 5), longest)
    state.h_matrix = 1e300
    state.anew = AT_START
    state.left = 1.0
    state.own_iterations = 2.0
    state.own_worth = AT_LEAST
    state.own_price = LAYING_DENSE if plan.dense else LAYING_SPARSE
    counts = Counts.zeros()
    room = run.room(_room)
    rest = alike(room.stacked.rest._replace(p=plan.p), room.stacked.rest)
    side_by_side = alike(room.stacked._replace(rest=rest), room.stacked)
    return RadauLoop(
        plan, system.scratch, side_by_side, system.linear, room.matrices, run.sampling, options,
        Scales(system.scale, system.row_scale, system.turning),
        motion_of(plan, run.q, run.v, run.a, run.lam), room.stages, room.end, room.work, state, counts, run.kinks(),
        run.left_out, any_combination(plan.m), np.zeros(3), run.crossings(True),
    )  # fmt: skip


class _Room(NamedTuple):
    """Memory that the steps of a loop fill: the stages side by side, their matrices, the stages, the end of a step, and
    scratch."""

    stacked: Stacked
    matrices: Matrices
    stages: Stages
    end: End
    work: Work


def _room(system: System) -> _Room:
    """Memory for the steps of a system."""
    plan, q, still = system.plan, system.initial, np.zeros(system.plan.total)
    end = End(q.copy(), still.copy(), np.zeros(plan.total), np.zeros(plan.m))
    side_by_side, matrices = stacked(plan, system.scratch, 3), Matrices.of(plan, system.pattern)
    return _Room(side_by_side, matrices, stages_for(plan, q, still), end, work_for(plan))


class RadauDriver(Driver):
    """Driver of the loops of Radau IIA, in absolute and in independent coordinates: their messages."""

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        culprit = int(self.state.culprit)
        if culprit < 0:
            return "the constraints lose rank (a singular position): accelerations are not determined"
        name = self.name_of(culprit)
        if status == TOO_FAST:
            return f"{name!r} turns at {abs(float(self.run.v[culprit])):.3g} rad/s, too fast to follow"
        return (
            f"steps shrink to nothing, worst in {name!r}: a force or a drive there jumps or is no smooth function of "
            "position and speed, or the mechanism locks"
        )


class OnDae(RadauDriver):
    """Driver of Radau IIA on the DAE: passages through singular positions, and memory for the matrices."""

    in_lanes: InLanes | None = IN_LANES

    def __init__(self, run: Run, advance: Callable[..., Any], loop: RadauLoop, tolerance: float) -> None:
        super().__init__(run, advance, loop)
        self.tolerance = tolerance

    def first(self) -> FirstStep:
        return first_of(self.run, self.tolerance, 5, self.loop.options.longest)

    def begin(self) -> None:
        self.follow_singular_values(Trail(self.run, self.loop.watch, self.loop.rows, OF_TOLERANCE * self.tolerance))

    def grow(self) -> None:
        loop, system, state = self.loop, self.run.system, self.state
        if state.own > 0.0 and len(loop.matrices.own.places) == 0:
            own, state.own_worth = laid_out(loop.plan, system.pattern, loop.matrices.kinds)
            state.own_price = CHANGE
            self.loop = loop._replace(matrices=loop.matrices._replace(own=own))
            return
        system.grow()
        self.loop = loop._replace(linear=system.linear, matrices=loop.matrices.enlarged())
        state.h_matrix = 1e300

    def in_need(self) -> bool:
        return bool(self.state.culprit == NO_RANK)

    def behind_passage(self) -> None:
        state = self.state
        state.time = self.run.t
        state.polynomial = state.last_error = 0.0
        state.h_matrix = 1e300
        if len(self.loop.crossings.side):
            state.anew = AT_START  # the signs of the watched quantities are found there

    def tried(self) -> Iterable[TimedState]:
        end = self.loop.end
        return [(self.run.t + float(self.state.step), end.q, end.v, end.a)]

    def report(self) -> None:
        super().report()
        self.run.report.statistics.note_rounding(float(np.sqrt(self.state.rounded)))


def options_for(run: Run, tolerance: float, longest: float, newton: float, iterations: int, near: float) -> Options:
    """Numerical options of a run; `longest` is the largest step [s], `newton` the error that Newton's method may
    leave."""
    span = run.t_end - run.t_start
    return Options(
        allowed=float(ALLOWED * tolerance**EXPONENT),
        newton=float(newton),
        longest=float(longest),
        mass=float(run.system.mass_scale),
        length=float(run.system.length_scale),
        slowest=1.0 / span,
        iterations=int(iterations),
        near=near,
        waves=float(ALLOWED * tolerance ** (EXPONENT - 1.0) / WAVES),
        **times_of(run),
    )
