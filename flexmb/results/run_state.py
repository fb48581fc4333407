"""Where a run stands at one instant: the state of its mechanism, and all else that it takes to go on from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flexmb.results.events import EventRecord
from flexmb.results.signals import ControllerState
from flexmb.results.state import State


@dataclass(frozen=True, eq=False)
class RunState(State):
    """The state of a :class:`flexmb.Simulator`, which never changes: it can be kept, and the simulator put back to it.

    Besides the entries of a :class:`flexmb.State` it has the states of `controllers` by name, the records of `events`
    that happened in the last step, `happened`, the names of all events so far, and the `next_step` that the method
    would take [s].
    """

    controllers: Mapping[str, ControllerState] = field(default_factory=dict)
    events: Sequence[EventRecord] = ()
    happened: frozenset[str] = frozenset()
    next_step: float = 0.0
    #: the records from which components that switch themselves know what they were told
    records: Sequence[EventRecord] = ()
