"""What events do to a run: they end it, or switch components, after which it continues; rows change their states."""

from __future__ import annotations

from flexmb.model.events import Switch
from flexmb.results.events import EventRecord
from flexmb.solvers.changes.exchange import rows_exchanged
from flexmb.solvers.changes.settling import settles
from flexmb.solvers.changes.switching import switch
from flexmb.solvers.events.run_events import AN_INSTANT
from flexmb.solvers.runs.run import Run
from flexmb.system.planning import DENSE_LIMIT
from flexmb.system.switched import check_switchable
from flexmb.system.system import System


def check_switches(system: System) -> None:
    """Refuse events that would switch off components that cannot be off."""
    actions = [action for event in system.model.events.values() for action in event.do if isinstance(action, Switch)]
    check_switchable(system.assembly, sorted({name for action in actions for name in action.off}), DENSE_LIMIT)


def goes_on(run: Run) -> bool:
    """Let a run whose method has ended continue with other components, other states of its rows, or other
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
    if run.report.status == "finished" and switched and not settles(run, len(run.history.epochs) > epochs):
        return False
    if run.report.status != "finished":
        return not switched and rows_exchanged(run)
    if switched:
        return run.t_end - run.t > AN_INSTANT * (run.t_end - run.t_start)
    return rows_exchanged(run)


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
