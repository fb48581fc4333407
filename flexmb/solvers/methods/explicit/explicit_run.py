"""A run with a method that computes the end of a step from the present state alone: its options, the memory of its
loop, and its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from signal import SIGINT, raise_signal
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.kinds import Hybrid
from flexmb.solvers.changes.passage import FINEST_PASSAGE
from flexmb.solvers.changes.trail import ERROR_IN_HASTE, Trail
from flexmb.solvers.coordinates.coordinates import JOINTS, Coordinates
from flexmb.solvers.coordinates.joints.late_forces import LateForces, can_wait
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.in_lanes import InLanes
from flexmb.solvers.march.times import grid_at, times_of
from flexmb.solvers.methods.explicit.explicit_loop import one_step_in_lanes, one_step_loop
from flexmb.solvers.methods.explicit.explicit_state import Counts, Loop, MotionSoFar, Options, Stage, State, stage_for
from flexmb.solvers.methods.explicit.step_control import FAILED_FACTOR
from flexmb.solvers.methods.scipy_methods.steps_again import StepsAgain
from flexmb.solvers.rows.singular_value import any_combination
from flexmb.solvers.runs.known_begin import first_loop
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run, states_ahead
from flexmb.solvers.runs.singular_angles import coordinates_of, singular_message
from flexmb.solvers.statuses import ASKED, DONE, OK, PASSAGE_DUE
from flexmb.system.accelerations import work_for
from flexmb.system.sampling import Sampling, none
from flexmb.system.system import System

#: A run whose steps follow from the error has at least this many.
LEAST_STEPS = 20
#: Joints are closed at the end of a step to this part of the tolerance, within these bounds [in units of the model]:
#: the remaining error changes the energy of the motion, and the resulting error of phase grows with the square of time.
CLOSED_OF, CLOSED_WITHIN = 1e-4, (1e-14, 1e-12)
#: After a fixed step was too long, a size to recommend is sought: it is halved up to HALVINGS times, and TRIED steps
#: are made with each, until their estimated error is below FITS in units of the model.
HALVINGS, TRIED, FITS = 24, 64, 1e-4
#: Forces are called stiff if the recommended step is shorter than this part of the one given.
STIFF = 0.1
#: Largest order by which the error of a fixed step is taken from a second run with half of it: where forces jump, it is
#: of no higher order.
ORDER_OF_FIXED = 2
#: Implicit methods, whose steps stiff forces do not shorten.
IMPLICIT = "method='generalized_alpha' or 'radau'"


class Chosen(NamedTuple):
    """Options of a run: a fixed `step` [s] or a `tolerance` with the longest step, whether states are projected onto
    the constraints, and the coordinates."""

    step: float | None
    tolerance: float | None
    max_step: float | None
    project: bool
    rotations: str | None
    formulation: str | Hybrid | None


@dataclass(frozen=True)
class OneStepMethod:
    """A method that computes the end of a step from the present state alone: two compiled functions, which
    :func:`~flexmb.solvers.methods.explicit.explicit_loop.one_step_loop` describes, and what they read and write.

    `record`: the tuple `loop.method`, with the `order` of the method among its fields, or a function of the run and its
    coordinates that makes one; `stages`: the number of slopes `kx`, `ku` in `loop.stage`. `of_tolerance`: the allowed
    weighted estimate of the error of a step, as a multiple of the tolerance, chosen so that the largest error of
    positions over a run is at most a few tolerances, for tolerances from 1e-3 to 1e-10, of pendulums, four-bars, free
    bodies and tops (tests/solvers/methods/explicit/test_tolerance.py); 0 for a method of fixed steps. `again`: the
    class of SciPy that makes a step again, for states inside of steps that are too long to be interpolated. `grown`
    makes the record anew when the matrix of the system got more entries. `implicit`: stiff forces do not shorten its
    steps.
    """

    attempt: Callable[..., Any]
    estimate: Callable[..., Any]
    record: Any
    stages: int
    of_tolerance: float = 0.0
    again: Callable[..., Any] | None = None
    grown: Callable[[Any, System, Coordinates], Any] | None = None
    implicit: bool = False

    @property
    def advance(self) -> Any:
        """The compiled loop."""
        return one_step_loop(self.attempt, self.estimate)

    @property
    def in_lanes(self) -> InLanes:
        """How runs begin and march in a lane."""
        return one_step_in_lanes(self.attempt, self.estimate)

    def run(self, run: Run, chosen: Chosen) -> None:
        """Simulate a run from its present state."""
        system, tolerance = run.system, chosen.tolerance
        coordinates = coordinates_of(run, chosen.rotations, chosen.formulation)

        def build() -> Loop:
            record = self.record(run, coordinates) if callable(self.record) else self.record
            options = _options(run, self, chosen)
            return loop_of(run, record, coordinates, options, stage_for(system.plan, self.stages, run.q))

        loop = build() if coordinates.kind == JOINTS else first_loop(run, build)  # joint motion is bound to each run
        run.history.order = loop.method.order
        run.report.order_of_fixed = min(loop.method.order, ORDER_OF_FIXED)
        if tolerance and self.again is not None:
            if not isinstance(run.history.again, StepsAgain):
                carried = chosen.rotations, chosen.formulation
                run.history.again = StepsAgain(self.again, tolerance, tolerance, 0.0, 0.0, chosen.project, *carried)
            run.history.again.use(run.t, system, run.kinks())
        _OneStep(run, self, loop, tolerance).drive()


def loop_of(
    run: Run,
    method: Any,
    coordinates: Coordinates,
    options: Options,
    stage: Stage,
    motion: MotionSoFar | None = None,
    sampling: Sampling | None = None,
) -> Loop:
    """The loop of a method from the present state of a run, or from the copies in `motion` and with other
    controllers."""
    s, fixed = run.system, options.step > 0.0
    state = State.zeros()
    state.time, state.step, state.grid = run.t, run.step, grid_at(run, options.step)
    state.last_error, state.anew = 1.0, AT_START
    state.lost = -1.0
    watched = run.crossings(not fixed)
    sampling = sampling or run.sampling
    free = coordinates.kind == JOINTS and options.save_every == 1 and not len(watched.side)
    if free and can_wait(s, coordinates.joints, sampling.sensors):
        run.history.leave_forces(LateForces(s, coordinates.joints))
        options = options._replace(forces=False)
    return Loop(
        s.plan, s.scratch, s.linear, sampling, float(s.mass_scale), method, coordinates, options,
        s.scale, s.row_scale, motion or MotionSoFar(run.q, run.v, run.v, run.a, run.lam), stage, work_for(s.plan),
        any_combination(s.m), np.zeros(3), run.left_out, state, Counts.zeros(),
        np.zeros(0) if fixed else run.kinks(), watched,
    )  # fmt: skip


def _options(run: Run, method: OneStepMethod, chosen: Chosen) -> Options:
    span, tolerance = run.t_end - run.t_start, chosen.tolerance
    return Options(
        span=float(span),
        allowed=float(method.of_tolerance * tolerance) if tolerance else 0.0,
        longest=float(chosen.max_step or span / LEAST_STEPS),
        closed=min(max(CLOSED_OF * tolerance, CLOSED_WITHIN[0]), CLOSED_WITHIN[1]) if tolerance else CLOSED_WITHIN[1],
        project=bool(chosen.project),
        **times_of(run, None if tolerance else chosen.step, 0.0),  # steps cost little, and a run may have many
    )


class LoopDriver(Driver):
    """Driver of loops made by :func:`loop_of`."""

    #: Allowed error of a passage through a singular position, if the method does not know a better one.
    passage_error = FINEST_PASSAGE

    def begin(self) -> None:
        loop = self.loop
        trail = Trail(
            self.run, loop.watch, loop.rows, self.passage_error, grid=loop.options.step, coordinates=loop.coordinates
        )
        self.trail = trail
        if self.run.system.m and not self.holds():
            self.follow_singular_values(trail)

    def holds(self) -> bool:
        """Whether no constraint is left to satisfy, in joint coordinates of a tree without closed loops."""
        coordinates = self.loop.coordinates
        return bool(coordinates.kind == JOINTS and coordinates.joints.rows.closed == 0)

    def grow(self) -> None:
        system = self.run.system
        system.grow()
        self.loop = self.loop._replace(plan=system.plan, linear=system.linear)

    def in_need(self) -> bool:
        return not self.holds()

    def behind_passage(self) -> None:
        run, state = self.run, self.state
        state.time, state.grid = run.t, grid_at(run, self.loop.options.step)
        if len(self.loop.crossings.side) or self.loop.coordinates.kind == JOINTS:
            state.anew = AT_START  # watched quantities and joint coordinates are found anew


class _OneStep(LoopDriver):
    """Driver of a :class:`OneStepMethod`."""

    shortest_behind = 1e-4

    def __init__(self, run: Run, method: OneStepMethod, loop: Loop, tolerance: float | None) -> None:
        super().__init__(run, method.advance, loop)
        self.method, self.tolerance, self.in_lanes = method, tolerance, method.in_lanes

    def grow(self) -> None:
        super().grow()
        if self.method.grown is not None:
            self.loop = self.loop._replace(
                method=self.method.grown(self.loop.method, self.run.system, self.loop.coordinates)
            )

    def resumes(self, status: int) -> bool:
        if status == PASSAGE_DUE and self.trail is not None:
            self.trail.error = self._passage_error()
        return super().resumes(status)

    def _passage_error(self) -> float:
        """Allowed error of a passage through a singular position."""
        if self.tolerance:  # round-off limits how small it can be
            return min(self.tolerance / (10.0 * (1.0 + self.loop.options.span)), ERROR_IN_HASTE)
        return float(np.clip(self.state.step_error, FINEST_PASSAGE, ERROR_IN_HASTE))

    def in_need(self) -> bool:
        return bool(self.tolerance) and super().in_need()

    def tried(self) -> Iterable[TimedState]:
        return states_ahead(self.run, self.loop.options.step or float(self.state.step) / FAILED_FACTOR)

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        if self.state.lost >= 0.0:
            return singular_message(self.run.system, self.loop.coordinates, int(self.state.lost), self.run.q)
        assert self.trail is not None
        passage = self.trail.passage()
        if passage.near:
            return passage.why()
        return self._too_long() if self.loop.options.step else self._too_short()

    def _too_long(self) -> str:
        """Message that the fixed step is too long, with a size with which the next steps succeed."""
        run, loop = self.run, self.loop
        system, step = run.system, loop.options.step
        size = np.abs(loop.stage.q[: system.n]) / system.scale
        worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
        said = f"the step {step:g} s is too long, worst in {system.names[worst]!r}"
        shorter = step
        for _ in range(HALVINGS):
            shorter *= 0.5
            v = run.v.copy()
            motion = MotionSoFar(run.q.copy(), v, v, run.a.copy(), np.zeros(system.m))
            options = loop.options._replace(**times_of(run, shorter, 0.0))
            stage = stage_for(system.plan, self.method.stages, run.q)
            trial = loop_of(run, loop.method, loop.coordinates, options, stage, motion, none())
            trial.watch[:] = loop.watch
            chunk = run.history.room(TRIED)
            status, _ = self.advance(trial, chunk)
            if status == ASKED:
                raise_signal(SIGINT)
            if status in (OK, DONE, PASSAGE_DUE) and trial.state.step_error <= FITS:
                stiff = shorter < STIFF * step and not self.method.implicit
                other = f", or {IMPLICIT}: forces are stiff" if stiff else ""
                return f"{said}; take step={shorter:.1g}, or less{other}"
        return f"{said}, and none that is shorter does"

    def _too_short(self) -> str:
        """Message that the steps have become too short to go on."""
        worst = self.run.system.names[int(self.state.culprit)]
        stiff = f", or forces are so stiff that only an implicit method follows them: {IMPLICIT}"
        return (
            f"the error stays larger than is allowed in steps down to {self.loop.options.shortest:.1g} s, worst in "
            f"{worst!r}: something grows without bound there{'' if self.method.implicit else stiff}"
        )
