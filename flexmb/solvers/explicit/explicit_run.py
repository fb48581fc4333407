"""Runs of explicit methods, segment by segment: `rkf45` and `dop853`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from flexmb.solvers.coordinates import JOINTS, Coordinates
from flexmb.solvers.events.crossings import TIME_ROUNDING
from flexmb.solvers.explicit.explicit_loop import advance
from flexmb.solvers.explicit.explicit_state import Counts, Loop, MotionSoFar, Options, State, stage_for
from flexmb.solvers.explicit.step_control import FAILED_FACTOR
from flexmb.solvers.explicit.tableau import DORMAND_PRINCE, FEHLBERG, Tableau
from flexmb.solvers.march.clock import AT_START
from flexmb.solvers.march.driver import Driver
from flexmb.solvers.march.stops import DONE, PASSAGE_DUE, RUNNING
from flexmb.solvers.rows.trail import Trail
from flexmb.solvers.run import Run, TimedState, states_ahead
from flexmb.solvers.scipy_methods.steps_again import StepsAgain
from flexmb.solvers.singular_angles import coordinates_of, singular_message
from flexmb.system.accelerations import work_for
from flexmb.system.sampling import PERIOD, Sampling, none

#: The weighed estimate of a step's error may be this multiple of the tolerance, by the order of the method: so that
#: the largest error of positions over a run is at most a few times the tolerance, from 1e-3 to 1e-10, of pendulums,
#: four-bars, free bodies and tops (tests/solvers/explicit/test_tolerance.py).
OF_TOLERANCE = {5: 0.15, 8: 1.0}
#: a run has at least this many steps that follow the error
LEAST_STEPS = 20
#: the largest order of a method whose steps a polynomial through positions, speeds and accelerations follows
QUINTIC = 5
#: Joints are closed at the end of a step to this part of the tolerance, within these bounds: what is left enters the
#: energy of the motion, whose errors of phase grow with the square of time.
CLOSED_OF, CLOSED = 1e-4, (1e-14, 1e-12)
#: The shortest step, as a part of the run: shorter ones are rounding, as are those below TIME_ROUNDING of the time.
SHORTEST = 1e-14
#: the error that a passage through a singular position may have: that of a fixed step within these bounds, or a part of
#: the tolerance, up to the second of them
PASSAGE_ERRORS = (1e-11, 1e-6)
#: instants that are nearer to each other than this part of a step or period are one
TOGETHER = 1e-6
#: A step that is too long is halved at most this often, and tried for this many steps, until its estimated error is
#: below this part of the model's length.
HALVINGS, TRIED, FITS = 24, 64, 1e-4
#: Where a step that fits is shorter than this part of the one asked for, forces are stiff.
STIFF = 0.1
#: methods whose steps stiff forces do not shorten
IMPLICIT = "method='generalized_alpha' or 'radau'"


def run_rkf45(
    run: Run,
    *,
    step: float | None = 1e-3,
    tolerance: float | None = None,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | None = None,
) -> None:
    """Fehlberg 4(5). Fixed `step` [s] from the start of the run on, of which the last one ends at t_end. With a
    `tolerance` steps follow the error."""
    coordinates = coordinates_of(run, rotations, formulation)
    _run(run, FEHLBERG, None if tolerance else step, tolerance, max_step, project, coordinates, rotations, formulation)


def run_dop853(
    run: Run,
    *,
    tolerance: float = 1e-6,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | None = None,
) -> None:
    """Dormand–Prince 8(5,3); steps follow the error."""
    coordinates = coordinates_of(run, rotations, formulation)
    _run(run, DORMAND_PRINCE, None, tolerance, max_step, project, coordinates, rotations, formulation)


def _loop(
    run: Run,
    tableau: Tableau,
    step: float | None,
    tolerance: float | None,
    max_step: float | None,
    project: bool,
    coordinates: Coordinates,
    motion: MotionSoFar,
    sampling: Sampling,
) -> Loop:
    s, span = run.system, run.t_end - run.t_start
    periods = [*sampling.times[:, PERIOD], *([step] if step else [])]
    rounding = TIME_ROUNDING * max(abs(run.t), abs(run.t_end))
    options = Options(
        t_start=float(run.t_start),
        t_end=float(run.t_end),
        span=float(span),
        step=float(step or 0.0),
        allowed=float(OF_TOLERANCE[tableau.order] * (tolerance or 0.0)),
        longest=float(max_step or span / LEAST_STEPS),
        shortest=max(SHORTEST * span, rounding),
        closed=min(max(CLOSED_OF * tolerance, CLOSED[0]), CLOSED[1]) if tolerance else CLOSED[1],
        together=max(TOGETHER * min(periods), rounding) if periods else 0.0,
        project=bool(project),
    )
    state = State.zeros()
    state.time = run.t
    state.step = run.step
    state.last_error, state.anew = 1.0, AT_START
    state.lost = -1.0
    if step:
        state.grid = np.floor((run.t - run.t_start) / step + TOGETHER)
    rows = np.full(s.m, 1.0 / np.sqrt(max(s.m, 1)))
    return Loop(
        s.plan, s.scratch, s.linear, sampling, s.mass_scale, tableau, coordinates, options, s.scale, s.row_scale,
        motion, stage_for(s.plan, tableau, motion.q), work_for(s.plan), rows, np.zeros(3), run.left_out, state,
        Counts.zeros(), np.zeros(0) if step else run.kinks(), run.crossings(not step),
    )  # fmt: skip


def _run(
    run: Run,
    tableau: Tableau,
    step: float | None,
    tolerance: float | None,
    max_step: float | None,
    project: bool,
    coordinates: Coordinates,
    rotations: str | None,
    formulation: str | None,
) -> None:
    system = run.system
    motion = MotionSoFar(run.q, run.v, run.v, run.a, run.lam)
    loop = _loop(run, tableau, step, tolerance, max_step, project, coordinates, motion, run.sampling)
    run.history.order = tableau.order
    if tolerance and tableau.order > QUINTIC:
        if not isinstance(run.history.again, StepsAgain):
            method, carried = _scipy_dop853, (rotations, formulation)
            run.history.again = StepsAgain(method, tolerance, tolerance, 0.0, 0.0, project, *carried)
        run.history.again.use(run.t, system, run.kinks())
    _Explicit(run, advance, loop, tolerance).drive()


class _Explicit(Driver):
    """Drives explicit methods."""

    shortest_behind = 1e-4

    def __init__(self, run: Run, advance: Callable[..., Any], loop: Loop, tolerance: float | None) -> None:
        super().__init__(run, advance, loop)
        self.tolerance = tolerance

    def begin(self) -> None:
        loop = self.loop
        trail = Trail(
            self.run, loop.watch, loop.rows, PASSAGE_ERRORS[0], grid=loop.options.step, coordinates=loop.coordinates
        )
        self.trail = trail
        if self.run.system.m and not self._holds():
            self.follow_singular_values(trail)

    def _holds(self) -> bool:
        """Whether joints hold by themselves."""
        coordinates = self.loop.coordinates
        return bool(coordinates.kind == JOINTS and coordinates.joints.closed == 0)

    def grow(self) -> None:
        system = self.run.system
        system.grow()
        self.loop = self.loop._replace(plan=system.plan, linear=system.linear)

    def resumes(self, status: int) -> bool:
        if status == PASSAGE_DUE and self.trail is not None:
            self.trail.error = self._passage_error()
        return super().resumes(status)

    def _passage_error(self) -> float:
        """The error that a passage may have."""
        if self.tolerance:  # which rounding may not allow
            return min(self.tolerance / (10.0 * (1.0 + self.loop.options.span)), PASSAGE_ERRORS[1])
        return float(np.clip(self.state.step_error, *PASSAGE_ERRORS))

    def in_need(self) -> bool:
        return bool(self.tolerance) and not self._holds()

    def behind_passage(self) -> None:
        run, step, state = self.run, self.loop.options.step, self.state
        state.time = run.t
        state.grid = np.floor((run.t - self.loop.options.t_start) / step + TOGETHER) if step else 0.0
        if len(self.loop.crossings.side) or self.loop.coordinates.kind == JOINTS:
            state.anew = AT_START  # what is watched is looked at anew, and so are joint coordinates

    def tried(self) -> Iterable[TimedState]:
        return states_ahead(self.run, self.loop.options.step or float(self.state.step) / FAILED_FACTOR)

    def trouble(self, status: int) -> str:
        """Why the method could not go on, in words."""
        if self.state.lost >= 0.0:
            return singular_message(self.run.system, self.loop.coordinates, int(self.state.lost), self.run.q)
        assert self.trail is not None
        passage = self.trail.passage()
        if passage.near:
            return passage.why()
        return _too_long(self.run, self.loop) if self.loop.options.step else _too_short(self.run, self.loop)


def _scipy_dop853(*args: Any, **options: Any) -> Any:
    """The same method with its continuous form, which SciPy has."""
    from scipy.integrate import DOP853

    return DOP853(*args, **options)


def _too_long(run: Run, loop: Loop) -> str:
    """A message that the fixed step was too long, with a length that serves at least for the next steps."""
    system, step = run.system, loop.options.step
    size = np.abs(loop.stage.q[: system.n]) / system.scale
    worst = int(np.argmax(np.where(np.isfinite(size), size, np.inf)))
    said = f"the step {step:g} s is too long, worst in {system.names[worst]!r}"
    shorter = step
    for _ in range(HALVINGS):
        shorter *= 0.5
        v = run.v.copy()
        motion = MotionSoFar(run.q.copy(), v, v, run.a.copy(), np.zeros(system.m))
        trial = _loop(run, loop.method, shorter, None, None, loop.options.project, loop.coordinates, motion, none())
        trial.watch[:] = loop.watch
        chunk = run.history.room(TRIED)
        status, _ = advance(trial, chunk)
        if status in (RUNNING, DONE, PASSAGE_DUE) and trial.state.step_error <= FITS:
            stiff = f", or {IMPLICIT}: forces are stiff" if shorter < STIFF * step else ""
            return f"{said}; take step={shorter:.1g}, or less{stiff}"
    return f"{said}, and none that is shorter does"


def _too_short(run: Run, loop: Loop) -> str:
    """A message that steps that follow the error have become too short to go on."""
    worst = run.system.names[int(loop.state.culprit)]
    return (
        f"the error stays larger than is allowed in steps down to {loop.options.shortest:.1g} s, worst in {worst!r}: "
        "something grows without bound there, or forces are so stiff that only an implicit method follows them: "
        f"{IMPLICIT}"
    )
