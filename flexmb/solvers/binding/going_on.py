"""The start of a run from a state, a solution or a file: the state of the mechanism, and that of its controllers.

Coordinates and speeds do not determine the state of a mechanism with sampled controllers: commands are held until the
next instant, others are delayed, laws and sensors have memory, and the clock of each controller has its own phase. A
solution keeps all of these for the end of its run (:class:`~flexmb.results.signals.ControllerState`). For an earlier
time, commands, clock and noise follow from its log, but not the memory of laws and sensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ControlError, ModelError
from flexmb.feedback.controller import Controller
from flexmb.feedback.laws import PythonLaw
from flexmb.results.between_steps.interpolation import AT_A_JUMP
from flexmb.results.events import EventRecord
from flexmb.results.run_state import RunState
from flexmb.results.signals import ControllerState, Instants
from flexmb.results.solution import Solution
from flexmb.results.store.file_source import FileSource
from flexmb.results.subject import CLOCK
from flexmb.solvers.binding.initial_state import state_of
from flexmb.system.sampling import TOGETHER, noise_before
from flexmb.system.system import System

#: Options for the controllers of the solution from which a run starts: continue them, or start them anew.
CONTROLLERS = ("continued", "anew")
#: an angle [rad] along the orbit of a central gravity by which times may differ from rounding
ELSEWHERE = 1e-9


class Beginning(NamedTuple):
    """The start of a run: a system with all constraint rows, coordinates (nq,) and speeds (n,), the states of
    controllers by their names, doubts about the motion from there, a sentence each, and the names of the events of the
    `past`."""

    system: System
    q: np.ndarray
    v: np.ndarray
    states: Mapping[str, ControllerState] = {}
    doubts: Sequence[str] = ()
    past: frozenset[str] = frozenset()
    #: the events of the run before; None: there was none
    records: Sequence[EventRecord] | None = None
    #: the time [s] of the state from which it begins; None: what it begins from has no time, such as a load path
    t: float | None = None

    def records_at(self, t_start: float) -> list[EventRecord] | None:
        """The events of the run before, with times as a run from `t_start` [s] counts them."""
        if self.records is None or self.t is None:
            return None
        return [replace(record, t=record.t + t_start - self.t) for record in self.records]

    def doubts_at(self, t_start: float, t_end: float) -> list[str]:
        """The doubts about a run from `t_start` to `t_end` [s]; among them are that it begins elsewhere on the orbit of
        a central gravity than where the run before ended, or a state was, and that the orbit goes through the central
        body."""
        gravity, found = self.system.model.gravity, list(self.doubts)
        if self.t is not None and gravity.is_central and abs(t_start - self.t) * gravity.rate > ELSEWHERE:
            found.append(
                f"it goes on from t = {self.t:g} s and begins at t_start = {t_start:g} s, where the model's origin is "
                f"elsewhere on its orbit, to which the craft is taken; give t_start={self.t!r} to go on where it was"
            )
        if gravity.is_central and (entry := gravity.enters(t_start, t_end)) is not None:
            found.append(
                f"its orbit comes within the radius {gravity.radius:g} m of the central body at t = {entry:.6g} s, "
                "where gravity is no more that of a point; end the run before, or give an orbit above the radius"
            )
        return found


def beginning(whole: System, start: Any, controllers: str, where: str) -> Beginning:
    """The start of a run of the system `whole`: `start` is a solution, of this session or from a file, or any other
    object that has a state."""
    where = f"{where}, initial"
    if isinstance(start, Solution) and isinstance(start.source, FileSource):
        begin = _from_file(whole, start, start.source, where)
    else:
        state = state_of(start, where)
        if state.system.names != whole.names:
            raise ModelError(_other_mechanism(where, state.model.name))
        begin = Beginning(whole.as_in(state.system), state.q, state.v, t=state.t)
    if isinstance(start, RunState):
        begin = begin._replace(past=start.happened, records=list(start.records), t=start.t)
        return begin if controllers == "anew" else _continued(begin, dict(start.controllers), where)
    if not isinstance(start, Solution):
        return begin
    until = start.t[-1] + AT_A_JUMP * np.ptp(start.t)
    happened = [x for x in start.events if isinstance(x, EventRecord) and x.t <= until]
    names = frozenset([*start.earlier_events, *(x.name for x in happened)])
    begin = begin._replace(past=names, records=happened, t=float(start.t[-1]) if start.time_label == CLOCK else None)
    if controllers == "anew":
        return begin
    own = whole.model.controllers.values()
    return _continued(begin, {c.name: _state_at(start, c, where) for c in own if c.name in start.control}, where)


def _continued(begin: Beginning, states: Mapping[str, ControllerState], where: str) -> Beginning:
    """The start of a run in which controllers continue from these states."""
    laws = [(c, c._law) for c in begin.system.model.controllers.values() if c.name in states]
    unknown = [c for c, law in laws if isinstance(law, PythonLaw) and not _known(law, states[c.name])]
    doubts = [
        f"{c.where}: its law is a function of Python, and whether that remembers as it did at t = "
        f"{states[c.name].t:g} s, where this run goes on, is not known; give PythonLaw(function, state_count=0) if it "
        "remembers nothing, or let it remember in its states"
        for c in unknown
    ]
    hold(begin.system, states)
    return begin._replace(states=states, doubts=doubts)


def hold(system: System, states: Mapping[str, ControllerState]) -> None:
    """Set the commands that controllers hold in the components of a system."""
    for name, state in states.items():
        if len(state.sent.t) > state.pending:
            for component, value in zip(system.model.controllers[name].commands, state.sent.u[0].tolist()):
                system.plan.p[system.strength_places(component)] = value


def _other_mechanism(where: str, model: str) -> str:
    return (
        f"{where}: the state to start from is one of model {model!r} with other coordinates; give a state of this model"
    )


def _from_file(whole: System, start: Solution, source: FileSource, where: str) -> Beginning:
    """The end of a solution from a file, as a start for this system."""
    if start.layout.coordinates != whole.coordinate_names:
        raise ModelError(_other_mechanism(where, start.name))
    if start.time_label != CLOCK and not start.still:
        raise ModelError(f"{where}: file {source.path} holds no motion in time, but one over {start.time_label}")
    epoch = source.epochs[-1]
    system = whole
    if epoch.off != whole.off or epoch.measured:
        system = whole.with_components(epoch.off, epoch.measured)
    return Beginning(system, start.q[-1].copy(), start.v[-1].copy() * (not start.still))


def _known(law: PythonLaw, state: ControllerState) -> bool:
    """Whether the memory of a law in Python is known: it is declared as states, or the law was last called in the run
    that is continued."""
    return law.state_count is not None or (state.token is not None and state.token is law.token)


def _state_at(solution: Solution, c: Controller, where: str) -> ControllerState:
    """The state of a controller at the last time of a solution; raises an error that names what is not known of it."""
    log, t = solution.control[c.name], float(solution.t[-1])
    anew = "controllers='anew' lets controllers begin anew"
    state = log.state
    if state is None:
        raise ControlError(
            f"{where}: the file of the solution was written by an older version, which kept nothing of what "
            f"{c.where} remembers; {anew}"
        )
    sizes = (state.period, state.delay, len(state.memory), len(state.counted), state.sent.u.shape[1])
    now = (c.period, c.delay, c._law.memory, len(c.sensors), len(c.commands))
    for what, before, after in zip(("period", "delay", "law's memory", "sensors", "commands"), sizes, now):
        if before != after:
            raise ControlError(
                f"{where}: {c.where} had another {what} in the run to go on from, {before:g} instead of {after:g}; "
                f"{anew}"
            )
    if abs(t - state.t) <= TOGETHER * c.period:
        return state
    at = f"{where}: {c.where} stands at t = {state.t:g} s, the end of the run, and at t = {t:g} s"
    then = f"end a run at t = {t:g} s and go on from that; or {anew}"
    if c._law.remembers:
        raise ControlError(f"{at} the memory of its law is not known; {then}")
    counting = [s.name for s, angles in zip(c.sensors, state.counted) if not np.isnan(angles).all()]
    if counting:
        raise ControlError(f"{at} the turns that its sensor {counting[0]!r} has counted are not known; {then}")
    every = log.acting
    done = int(np.searchsorted(every.t, t - TOGETHER * c.period))
    pending = int(np.sum(every.t[:done] + c.delay > t + TOGETHER * c.period))
    kept = slice(max(done - pending - 1, 0), done)
    own = [(x, solution.control[x.name]) for x in c.model.controllers.values() if x.name in solution.control]
    noisy = [sum(sensor.noise > 0.0 for sensor in x.sensors) for x, _ in own]
    later = sum(count * int(np.sum(x.t >= t - TOGETHER * c.period)) for count, (_, x) in zip(noisy, own))
    return replace(
        state,
        t=t,
        instants=state.instants - (len(every.t) - done),
        sent=Instants(*(x[kept] for x in every)),
        pending=pending,
        growth=np.zeros_like(state.growth),
        noise=noise_before(state.noise, later),
        token=None,
    )
