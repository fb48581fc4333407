"""A run of a system, as all methods share it: the present state in arrays, what happens there, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.forces.callbacks import raise_failures
from flexmb.machine import interruption
from flexmb.model.events import Demand, StopRun, Switch, switching_of
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.given_times import kinks_until
from flexmb.results.events import EventRecord
from flexmb.results.signals import ControllerState
from flexmb.solvers.coordinates.known_motions import KnownMotions
from flexmb.solvers.events.crossing_state import Crossings, EventsDueError
from flexmb.solvers.events.quantities import choice_of
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.events.run_events import Due, Watch
from flexmb.solvers.rows.left_out import LeftOut, RowsFadeError, left_out_of
from flexmb.solvers.runs.history import History
from flexmb.solvers.runs.reasons import TimedState, reason
from flexmb.solvers.runs.report import Report
from flexmb.system.sampling import Sampling, none
from flexmb.system.system import System
from flexmb.system.system_image import KnownSystems


@dataclass
class Run:
    """One run of a system: its present state, its history and its report."""

    system: System
    t: float
    t_end: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    history: History
    report: Report
    #: last state whose accelerations are not finite
    suspect: TimedState | None = None
    sampling: Sampling = field(default_factory=none)
    #: initial states of controllers, by name; controllers without one start with the run
    states: Mapping[str, ControllerState] = field(default_factory=dict)
    #: option for redundant constraint rows: "remove" or "error"
    redundant: str = "remove"
    #: why the method stopped before the end: active rows fade, or a row left out contradicts them; 0 if neither
    fading: int = 0

    def __post_init__(self) -> None:
        self.t_start = self.t
        #: records of a run that this one continues, from which components that switch themselves know the last demands
        self.earlier: Sequence[EventRecord] = ()
        #: joint coordinates that are known from before, of a run of a bound model
        self.motions = KnownMotions(False)
        #: systems that it has been in, and the memory of a method for each choice of components and rows
        self.known_systems = KnownSystems()
        self._known_rooms: dict[Any, Any] = {}
        #: what knows the loop with which runs of a bound model begin (:mod:`flexmb.solvers.runs.known_begin`), if this
        #: one may, and whether it is about to begin with it
        self.begin: Any = None
        self.begun = False
        #: size of the last step, for a method that can continue with steps of that size [s]
        self.step = 0.0
        #: time at which constraint rows were last exchanged [s]
        self.exchanged = -np.inf
        self.left_out: LeftOut = left_out_of(self.system)
        self.stated = RowStates(self.system)
        own = list(self.system.model.events.values())
        #: what components do by themselves, such as the valves of jets
        self.switches = switching_of(self.system.model.components.values(), own, self.t, self.t_end)
        brought = [event for kind in self.switches for event in kind.events]
        self.events = Watch([*own, *brought], self.t, self.t_end, self.stated)
        #: switches that events have asked for and that are still to be made
        self.switching: list[tuple[Switch, EventRecord]] = []
        #: rows that have to change their states (k,), if any
        self.changed: np.ndarray | None = None

    def use(self, system: System) -> None:
        """Continue with other constraint rows."""
        self.system = system
        self.lam = np.zeros(system.m)
        self.left_out = left_out_of(system)
        self.stated.use(system)
        self.history.use(system)

    def switch(self, system: System, jump: np.ndarray) -> None:
        """Continue with other active components, after the instantaneous work `jump` (4,) [J], see
        :class:`~flexmb.results.sources.Epoch`."""
        self.history.switch(system, jump)
        self.use(system)
        self.step, self.exchanged = 0.0, -np.inf

    def __enter__(self) -> Run:
        self.report.begin(self.system.model.name, self.t_end)
        return self

    def __exit__(self, *_: Any) -> None:
        self.report.end()

    def kinks(self) -> np.ndarray:
        """The future times, sorted, at which forces or prescribed motions are not smooth functions of time. A jump at
        the very end does not affect the step before it."""
        return np.array([time for time in self._all_kinks if self.t < time <= self.t_end])

    def begin_switches(self, state: tuple[np.ndarray, ...], past: Sequence[EventRecord] | None) -> None:
        """Let components that switch themselves stand as the state at the start says, or the records of a run that this
        one continues."""
        if self.switches:
            values = self.events.values(self.t, *state)
            above = {e.name: value >= 0.0 for e, value in zip(self.events.events, values)}
            for kind in self.switches:
                kind.begin(self.t, self.system.off, above, past, self.events.past)

    def crossings(self, cut: bool) -> Crossings:
        """The quantities that a method watches: touches, if its steps may be `cut` there, and events."""
        return self.events.begin(self.system, cut)

    def room(self, make: Callable[[System], Any]) -> Any:
        """The memory that `make` makes for the present system, for a method that begins anew; that of an earlier begin
        with the same components and rows, where matrices are dense: sparse factors keep the pivots of earlier ones."""
        if self.system.pattern is not None or self.system.assembly.searches:
            return make(self.system)
        key = choice_of(self.system)
        if key not in self._known_rooms:
            self._known_rooms[key] = make(self.system)
        return self._known_rooms[key]

    def happen(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Perform the events that are due at the end of a step, in this state; raises an :class:`EventsDueError` if the
        method has to end."""
        self.events.raise_failure()
        ended = self.act(self.events.due(self.t), q, v, a, lam)
        changed = self.events.changed()
        self.changed = changed if changed.any() else None
        if ended or self.changed is not None:
            raise EventsDueError

    def act(self, dues: list[Due], q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> bool:
        """Perform the events `dues` in this state; returns whether the method has to end."""
        system = self.system
        for due in dues:
            event = self.events.events[due.number]
            multipliers = system.for_all_rows(lam[: system.m])
            record = self.events.record(due, q[: system.nq], v[: system.n], a[: system.n], multipliers)
            for action in event.do:
                if isinstance(action, Switch):
                    self.switching.append((action, record))
                elif isinstance(action, Demand):
                    switch, clocks = action.by.asked(action, due.t)
                    self.switching.append((switch, record))
                    for clock in clocks:
                        self.events.set_clock(clock)
                elif isinstance(action, StopRun) and self.report.status == "finished":
                    self.report.status, self.report.message = "stopped", f"stopped at t = {due.t:g} s by {event.where}"
        endless = self.events.endless(dues)
        if endless:
            self.diverged(endless)
        return bool(self.switching) or self.report.status != "finished"

    def smooth_since(self) -> float:
        """Time of the last kink, or of the start of the run."""
        return max([self.t_start, *(time for time in self._all_kinks if time <= self.t)])

    @cached_property
    def _all_kinks(self) -> list[float]:
        commanded = [x for x in self.system.commanded.values() if isinstance(x, TimeFunction)]
        own = kinks_until(self.system.model.components.values(), self.t_end)
        return sorted({*own, *(time for function in commanded for time in function.kinks_until(self.t_end))})

    def show(self) -> None:
        """Stop if Ctrl-C was pressed; draw the progress bar."""
        interruption.raise_if_asked()
        self.events.raise_failure()
        self.report.show(self.t, self.t_end)

    def guarded(self, work: Callable[[], None]) -> None:
        """Run `work`; Ctrl-C ends the run and keeps its steps, and an exception in a user's Python function is
        reported."""
        try:
            try:
                work()
            except RowsFadeError as why:
                self.fading = why.found
            except EventsDueError:
                pass
            finally:
                self.events.raise_failure()
                raise_failures(self.system.model.components.values())
                for controller in self.system.model.controllers.values():
                    controller.raise_failure()
        except KeyboardInterrupt:
            interruption.clear_request()
            self.report.status = "interrupted"
            self.report.message = f"interrupted at t = {self.t:g} s; the {self.history.rows} until then are kept"

    def diverged(self, why: str, tried: Iterable[TimedState] = ()) -> None:
        """End the run early. If a component gives NaN at the present state, or at one of the `tried` states, the
        message names it instead of `why`."""
        suspect = [self.suspect] if self.suspect and self.suspect[0] >= self.t else []
        why = reason(self.system, (self.t, self.q, self.v, self.a), [*suspect, *tried], self.lam, why)
        self.report.status = "diverged"
        self.report.message = f"stopped at t = {self.t:g} s: {why}; the {self.history.rows} until then are kept"


def states_ahead(run: Run, step: float) -> list[TimedState]:
    """States that a step of an explicit method may reach, extrapolated with the present accelerations; none farther
    away than a length of the model or a radian, since kernels need not be valid there."""
    times = (0.25 * step, 0.5 * step, 0.75 * step, step)
    n, nq, system = run.system.n, run.system.nq, run.system
    q, v, a = run.q[:nq], run.v[:n], run.a[:n]
    ahead = ((h, h * (v + 0.5 * h * a)) for h in times)
    return [(run.t + h, system.retract(q, y), v + h * a, a) for h, y in ahead if np.all(np.abs(y) <= system.scale)]
