"""The march in Python, for methods whose steps are made by SciPy or CVODE.

    while before the end:  step · cut it where a watched quantity goes through zero · arrive · save · perform events ·
                           move across a singular position, a kink or a touch · call controllers ·
                           restart the method where forces have jumped

It does what :mod:`flexmb.solvers.march.march_loop` does, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.events.crossings import AGAIN, hop, judge, keep_end, watch_from
from flexmb.solvers.events.kinks import behind_kink, next_kink
from flexmb.solvers.events.run_events import FIRST_STEPS
from flexmb.solvers.march.stops import act
from flexmb.solvers.march.times import times_of
from flexmb.solvers.runs.divergence import LoopWatch, controllers_hint, failure_message, runaway_message
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularAnglesError, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import COMMANDED, CONTROL_FAILED, RUNAWAY
from flexmb.system.sampling import next_instant
from flexmb.system.system import System

#: Largest rotation of an angle in a part of a step [rad], and largest number of parts, in which events are searched.
TURN, MOST_PARTS = 0.5, 1000


class Steps:
    """The steps of a method; a subclass implements them. `f` holds the state that was evaluated last; `t` is the end of
    the last trial step [s]."""

    def __init__(self, run: Run, f: RightHandSide, passage: Passage) -> None:
        self.run, self.f, self.passage = run, f, passage
        self.t = run.t

    def begin(self) -> None:
        """Begin at the present state of the run."""
        raise NotImplementedError

    def step(self, stop: float) -> str:
        """Make a step that ends at `stop` [s] at the latest; returns why none is possible, or ""."""
        raise NotImplementedError

    def state_at(self, t: float) -> tuple[np.ndarray, ...]:
        """q, v, a, λ at a time within the step or at its end; a is NaN where it is not determined."""
        raise NotImplementedError

    def arrive(self, t: float) -> str:
        """Let the step end at a time within it or at its own end, and evaluate the state there; returns why that is not
        possible, or ""."""
        raise NotImplementedError

    def note(self) -> None:
        """Record the drift and σ of the present state of the run."""
        raise NotImplementedError

    def stays(self) -> tuple[str, bool]:
        """Why the run cannot continue with these coordinates, or ""; and whether the method continues without a
        restart."""
        return "", True


class MarchInPython:
    """The march of a run with the steps of a method. The start of the run has been evaluated, and its σ recorded."""

    def __init__(self, steps: Steps) -> None:
        self.steps, self.run, self.f, self.passage = steps, steps.run, steps.f, steps.passage
        self.kinks, self.watched = self.run.kinks(), self.run.crossings(True)
        self._controlled, self._loops = len(self.run.sampling.controllers) > 0, LoopWatch(self.run)
        self._together: float = times_of(self.run)["together"]
        self._weights = np.zeros(4)

    def to_end(self) -> None:
        """Simulate to the end of the run, or until it diverges."""
        run, passage = self.run, self.passage
        self._behind_jump()
        why, _ = self._commanded()
        if why:
            run.diverged(why)
            return
        self.steps.begin()
        self._watch_from_here(FIRST_STEPS * (run.t_end - run.t))
        while run.t < run.t_end:
            try:
                why = self._on()
            except SingularPositionError as error:
                self.f.trouble, why = error, str(error)
            if why:
                lost = isinstance(self.f.trouble, SingularAnglesError)
                run.diverged(passage.why() if passage.near and not lost else f"{why}{controllers_hint(run)}")
                return
            run.show()

    def _on(self) -> str:
        """Make one step, and the actions that are due at its end; returns why the run cannot continue, or ""."""
        run, steps, passage, watched = self.run, self.steps, self.passage, self.watched
        begun = run.t
        why = steps.step(self._next_stop())
        if why:
            return why
        t = steps.t
        if len(watched.side):
            t = step_end(watched, run.system, begun, t, steps.state_at)
        why = steps.arrive(t)
        if why:
            return why
        self.f.step_to(t)
        happened = len(watched.side) > 0 and bool(keep_end(watched))
        if happened:
            run.happen(run.q, run.v, run.a, run.lam)
        steps.note()
        through = passage.due and passage.through()
        if not through and passage.too_near:
            return passage.why()
        why, goes_on = steps.stays()
        if why:
            return why
        jumped = self._behind_jump()
        why, commanded = self._commanded()
        if why:
            return why
        if run.t < run.t_end and (jumped or through or happened or commanded or t < steps.t or not goes_on):
            steps.begin()
        if (jumped or through or commanded) and len(watched.side):
            self._watch_from_here(t - begun)
        return ""

    def _next_stop(self) -> float:
        """The time at which the next step has to end at the latest: the next instant of a controller, kink of a
        function of time, or the end of the run."""
        run, stop = self.run, self.run.t_end
        if self._controlled:
            near, instant = self._near(), float(next_instant(run.sampling))
            if run.t + near < instant < stop - near:
                stop = instant
        return float(next_kink(self.kinks, run.t, stop))

    def _near(self) -> float:
        """The time [s] within which instants count as one."""
        return self._together + ROUNDING * abs(self.run.t)

    def _commanded(self) -> tuple[str, bool]:
        """Call the controllers that are due at the present state; returns why the run cannot continue, or "", and
        whether they have changed the forces. The accelerations are then those under the new commands."""
        run, f, system = self.run, self.f, self.run.system
        if not self._controlled or run.t >= run.t_end:
            return "", False
        motion = run.q, run.v, run.a, run.lam
        status = act(system.plan, system.scratch, run.sampling, run.t, self._near(), *motion, self._weights)
        if status == CONTROL_FAILED:
            return failure_message(run), False
        if status != RUNAWAY and (unstable := self._loops.unstable(run.v[: system.n], 1)) >= 0:
            run.sampling.failed[1], status = unstable, RUNAWAY
        if status == RUNAWAY:
            return runaway_message(run), False
        if status == COMMANDED:
            f.q[:], f.v[:] = run.q, run.v
            f.accelerate(run.t)
            run.a[:], run.lam[:] = f.a, f.lam
        return "", status == COMMANDED

    def _behind_jump(self) -> bool:
        """Move across a kink or a touch at the present state, where forces jump, and compute the accelerations after
        it; both states are saved. Returns whether there was one."""
        run, f, watched = self.run, self.f, self.watched
        behind = float(behind_kink(self.kinks, run.t, run.t_end))
        jumps = behind > run.t
        if watched.state.hop > 0.0:
            behind, jumps = float(hop(watched, run.system.plan, run.t, run.q, run.v, run.a)), True
        if jumps:
            f.q[:], f.v[:] = run.q, run.v
            run.t = behind
            f.accelerate(behind)
            run.a[:], run.lam[:] = f.a, f.lam
            run.history.append(behind, f.q, f.v, f.a, f.lam)
        return jumps

    def _watch_from_here(self, size: float) -> None:
        """Evaluate the watched quantities at the present state, from which steps of about this size begin [s]."""
        run, system = self.run, self.run.system
        if len(self.watched.side):
            watch_from(self.watched, system.plan, system.scratch, run.t, run.q, run.v, run.a, run.lam, size)


def step_end(c: Crossings, system: System, t0: float, t1: float, at: Callable[[float], Sequence[np.ndarray]]) -> float:
    """The time at which a step from t0 to t1 [s] has to end, for a method with a continuous form: `at` gives q, v, a, λ
    at a time within the step. A step in which angles turn far is searched in parts."""
    _, v, *_ = at(t1)
    fastest = max(np.abs(v[: system.n][system.turning]), default=0.0)
    parts = int(min(max(np.ceil((t1 - t0) * fastest / TURN), 1.0), MOST_PARTS))
    ends = np.linspace(t0, t1, parts + 1).tolist()
    for start, end in pairwise(ends):
        t = end
        while judge(c, system.plan, system.scratch, start, t, *at(t), False) == AGAIN:
            t = float(c.state.stop)
        if t < end or end == t1 or np.any(c.touched):
            return t
        keep_end(c)
    return t1
