"""What events do to a run: they end it, or switch components, after which it continues; joints stick or slide."""

from __future__ import annotations

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, STICKS
from flexmb.model.events import Switch
from flexmb.results.events import EventRecord
from flexmb.solvers.changes.exchange import rows_exchanged
from flexmb.solvers.changes.switching import switch
from flexmb.solvers.events.run_events import AN_INSTANT
from flexmb.solvers.runs.run import Run
from flexmb.system.planning import DENSE_LIMIT
from flexmb.system.switched import check_switchable
from flexmb.system.system import System

#: Words of event records for the new state of a joint.
DONE = {STICKS: "sticks", FORWARD: "slides forward", BACKWARD: "slides backward"}


def check_switches(system: System) -> None:
    """Refuse events that would switch off components that cannot be off."""
    actions = [action for event in system.model.events.values() for action in event.do if isinstance(action, Switch)]
    check_switchable(system.assembly, sorted({name for action in actions for name in action.off}), DENSE_LIMIT)


def goes_on(run: Run) -> bool:
    """Let a run whose method has ended continue with other components, other states of sticking joints, or other
    constraint rows, if one of these is due; returns whether it continues."""
    switched, epochs = bool(run.switching) or run.changed is not None, len(run.history.epochs)
    while run.switching:
        _switch(run, *run.switching.pop(0))
        if not run.switching:
            state = (run.q, run.v, run.a, run.lam)
            run.act(run.events.jumped(run.system, run.t, state), *state)
            if not run.switching and run.report.status == "finished" and run.switches:
                told = {name: on for kind in run.switches for name, on in kind.told().items()}
                run.act(run.events.turned_back(run.system, run.t, state, told), *state)
    if run.report.status == "finished" and switched and not _settles(run, len(run.history.epochs) > epochs):
        return False
    if run.report.status != "finished":
        return not switched and rows_exchanged(run)
    if switched:
        return run.t_end - run.t > AN_INSTANT * (run.t_end - run.t_start)
    return rows_exchanged(run)


def _settles(run: Run, behind_switch: bool) -> bool:
    """Choose which of the joints whose friction truly sticks stick and which slide from the present state on; if no
    choice is consistent, end the run and return False. `behind_switch`: the state saved last follows a switch, and its
    accelerations are known only after the choice."""
    joints, system = run.sticking.joints, run.system
    changed, run.changed = run.changed, None
    if not joints:
        return True
    n, nq = system.n, system.nq
    before = run.sticking.states
    if changed is None or len(changed) != len(joints):
        changed = np.zeros(len(joints), dtype=bool)
    state = (run.t, system.full_q(run.q[:nq]), system.full(run.v[:n]), run.lam)
    found = run.sticking.settle(*state, changed)
    if isinstance(found, str):
        run.diverged(found)
        return False
    for k in np.flatnonzero(found.states != before):
        run.events.records.append(_change(run, joints[k].name, DONE[float(found.states[k])]))
    run.v[:n], run.a[:n], run.lam = found.v[:n], found.a[:n], found.lam
    if behind_switch:
        run.history.take_back()
    run.history.append(run.t, run.q, run.v, run.a, run.lam)
    said = run.sticking.endless(run.t, found.states != before, run.t_end - run.t_start)
    if said:
        run.diverged(said)
    return not said


def _change(run: Run, joint: str, done: str) -> EventRecord:
    """The record of a joint that sticks or slides from the present time on."""
    n, nq = run.system.n, run.system.nq
    every = run.system.for_all_rows(run.lam)
    state = (run.q[:nq].copy(), run.v[:n].copy(), run.a[:n].copy(), every)
    at = run.events.not_before_last(run.t)
    return EventRecord(joint, at, "", at, "", [done], *state)


def _switch(run: Run, action: Switch, record: EventRecord) -> None:
    """Switch the components that are not yet as `action` demands, and enter the impulses and the energy lost in the
    record."""
    off = run.system.off
    on = [name for name in action.on if name in off]
    other = [name for name in action.off if name not in off]
    if not on and not other:
        return
    done = switch(run, on, other)
    record.on, record.off = (*record.on, *done.on), (*record.off, *done.off)
    record.impulses = record.impulses | done.impulses
    record.lost += done.lost
