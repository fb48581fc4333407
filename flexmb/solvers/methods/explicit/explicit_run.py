"""A run with an explicit method, `rkf45`, `dop853` or `euler`: its options, the memory of its loop, and its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from signal import SIGINT, raise_signal
from typing import Any

import numpy as np

from flexmb.algebra.tableau import DORMAND_PRINCE, FEHLBERG, SEMI_IMPLICIT_EULER, Tableau
from flexmb.formulations.kinds import Hybrid
from flexmb.results.between_steps.interpolation import QUINTIC
from flexmb.solvers.changes.passage import FINEST_PASSAGE
from flexmb.solvers.changes.trail import ERROR_IN_HASTE, Trail
from flexmb.solvers.coordinates.coordinates import JOINTS, Coordinates
from flexmb.solvers.coordinates.joints.late_forces import LateForces, can_wait
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.times import grid_at, times_of
from flexmb.solvers.methods.explicit.explicit_loop import IN_LANES, advance
from flexmb.solvers.methods.explicit.explicit_state import Counts, Loop, MotionSoFar, Options, Stage, State, stage_for
from flexmb.solvers.methods.explicit.step_control import FAILED_FACTOR
from flexmb.solvers.methods.scipy_methods.steps_again import StepsAgain
from flexmb.solvers.rows.singular_value import any_combination
from flexmb.solvers.runs.run import Run, TimedState, states_ahead
from flexmb.solvers.runs.singular_angles import coordinates_of, singular_message
from flexmb.solvers.statuses import ASKED, DONE, OK, PASSAGE_DUE
from flexmb.system.accelerations import work_for
from flexmb.system.sampling import Sampling, none

#: Allowed weighted estimate of the error of a step, as a multiple of the tolerance, by the order of the method. It is
#: chosen so that the largest error of positions over a run is at most a few tolerances, for tolerances from 1e-3 to
#: 1e-10, of pendulums, four-bars, free bodies and tops (tests/solvers/methods/explicit/test_tolerance.py).
OF_TOLERANCE = {5: 0.15, 8: 1.0}
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
#: Implicit methods, whose steps stiff forces do not shorten.
IMPLICIT = "method='generalized_alpha' or 'radau'"


def run_rkf45(
    run: Run,
    *,
    step: float | None = 1e-3,
    tolerance: float | None = None,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by Fehlberg 4(5). Fixed steps of size `step` [s] begin at the start of the run, and the last one ends at
    t_end. With a `tolerance`, the size of the steps follows from the error."""
    coordinates = coordinates_of(run, rotations, formulation)
    _run(run, FEHLBERG, None if tolerance else step, tolerance, max_step, project, coordinates, rotations, formulation)


def run_euler(
    run: Run,
    *,
    step: float = 1e-3,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by the semi-implicit Euler method with fixed steps of size `step` [s]."""
    run.order_of_fixed = 1
    coordinates = coordinates_of(run, rotations, formulation)
    _run(run, SEMI_IMPLICIT_EULER, step, None, None, project, coordinates, rotations, formulation)


def run_dop853(
    run: Run,
    *,
    tolerance: float = 1e-6,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by Dormand–Prince 8(5,3); the size of the steps follows from the error."""
    coordinates = coordinates_of(run, rotations, formulation)
    _run(run, DORMAND_PRINCE, None, tolerance, max_step, project, coordinates, rotations, formulation)


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
        run.history.late, options = LateForces(s, coordinates.joints), options._replace(forces=False)
    return Loop(
        s.plan, s.scratch, s.linear, sampling, float(s.mass_scale), method, coordinates, options,
        s.scale, s.row_scale, motion or MotionSoFar(run.q, run.v, run.v, run.a, run.lam), stage, work_for(s.plan),
        any_combination(s.m), np.zeros(3), run.left_out, state, Counts.zeros(),
        np.zeros(0) if fixed else run.kinks(), watched,
    )  # fmt: skip


def _options(
    run: Run, tableau: Tableau, step: float | None, tolerance: float | None, max_step: float | None, project: bool
) -> Options:
    span = run.t_end - run.t_start
    return Options(
        span=float(span),
        allowed=float(OF_TOLERANCE[tableau.order] * tolerance) if tolerance else 0.0,
        longest=float(max_step or span / LEAST_STEPS),
        closed=min(max(CLOSED_OF * tolerance, CLOSED_WITHIN[0]), CLOSED_WITHIN[1]) if tolerance else CLOSED_WITHIN[1],
        project=bool(project),
        **times_of(run, step, 0.0),  # steps cost little, and a run may have many
    )


def _run(
    run: Run,
    tableau: Tableau,
    step: float | None,
    tolerance: float | None,
    max_step: float | None,
    project: bool,
    coordinates: Coordinates,
    rotations: str | None,
    formulation: str | Hybrid | None,
) -> None:
    system = run.system
    options = _options(run, tableau, step, tolerance, max_step, project)
    loop = loop_of(run, tableau, coordinates, options, stage_for(system.plan, tableau, run.q))
    run.history.order = tableau.order
    if tolerance and tableau.order > QUINTIC:
        if not isinstance(run.history.again, StepsAgain):
            method, carried = _scipy_dop853, (rotations, formulation)
            run.history.again = StepsAgain(method, tolerance, tolerance, 0.0, 0.0, project, *carried)
        run.history.again.use(run.t, system, run.kinks())
    _Explicit(run, advance, loop, tolerance).drive()


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


class _Explicit(LoopDriver):
    """Driver of explicit methods."""

    shortest_behind = 1e-4
    in_lanes = IN_LANES

    def __init__(self, run: Run, advance: Callable[..., Any], loop: Loop, tolerance: float | None) -> None:
        super().__init__(run, advance, loop)
        self.tolerance = tolerance

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
        return _too_long(self.run, self.loop) if self.loop.options.step else _too_short(self.run, self.loop)


def _scipy_dop853(*args: Any, **options: Any) -> Any:
    """SciPy's DOP853, the same method with its continuous extension."""
    from scipy.integrate import DOP853

    return DOP853(*args, **options)


def _too_long(run: Run, loop: Loop) -> str:
    """Message that the fixed step is too long, with a size with which the next steps succeed."""
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
        stage = stage_for(system.plan, loop.method, run.q)
        trial = loop_of(run, loop.method, loop.coordinates, options, stage, motion, none())
        trial.watch[:] = loop.watch
        chunk = run.history.room(TRIED)
        status, _ = advance(trial, chunk)
        if status == ASKED:
            raise_signal(SIGINT)
        if status in (OK, DONE, PASSAGE_DUE) and trial.state.step_error <= FITS:
            stiff = f", or {IMPLICIT}: forces are stiff" if shorter < STIFF * step else ""
            return f"{said}; take step={shorter:.1g}, or less{stiff}"
    return f"{said}, and none that is shorter does"


def _too_short(run: Run, loop: Loop) -> str:
    """Message that the steps have become too short to go on."""
    worst = run.system.names[int(loop.state.culprit)]
    return (
        f"the error stays larger than is allowed in steps down to {loop.options.shortest:.1g} s, worst in {worst!r}: "
        "something grows without bound there, or forces are so stiff that only an implicit method follows them: "
        f"{IMPLICIT}"
    )
