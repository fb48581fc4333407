"""What events do to a run: they end it, or switch components, behind which it goes on."""

from __future__ import annotations

from flexmb.model.events import Switch
from flexmb.results.events import EventRecord
from flexmb.solvers.redundancy import rows_exchanged
from flexmb.solvers.run import Run
from flexmb.solvers.switching import switch

#: A run that is so near to its end, as a part of it, is at its end.
AT_END = 2e-9


def goes_on(run: Run) -> bool:
    """Whether a run whose method has ended goes on, with other components or other constraint rows."""
    switched = bool(run.switching)
    while run.switching:
        _switch(run, *run.switching.pop(0))
    if run.status != "finished":
        return not switched and rows_exchanged(run)
    if switched:
        return run.t_end - run.t > AT_END * (run.t_end - run.t_start)
    return rows_exchanged(run)


def _switch(run: Run, action: Switch, record: EventRecord) -> None:
    """Switch what is not yet as it is to be, and enter in the record what that did."""
    off = run.system.off
    on = [name for name in action.on if name in off]
    other = [name for name in action.off if name not in off]
    if not on and not other:
        return
    done = switch(run, on, other)
    record.on, record.off = (*record.on, *done.on), (*record.off, *done.off)
    record.impulses |= done.impulses
    record.lost += done.lost
