"""The events of a run: the values that Python evaluates for compiled loops, and the record of events that have
happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FlexmbError, KernelError, ModelError
from flexmb.forces.callbacks import python_address
from flexmb.machine import interruption
from flexmb.model.events import DIRECTIONS, Crossing, Demand, Event
from flexmb.results.events import EventRecord
from flexmb.results.solution import Solution
from flexmb.solvers.events.crossing_state import (
    AT_ZERO,
    FOR_EVER,
    RATE,
    VALUE,
    Crossings,
    Reading,
    crossings_for,
    for_ever,
    reading_for,
)
from flexmb.solvers.events.crossings import CLOSE, event_values, watch_from
from flexmb.solvers.events.quantities import KnownQuantities, OneState, Watched
from flexmb.solvers.events.row_states import RowStates
from flexmb.system.readings import Sensors
from flexmb.system.system import System

#: A time below this fraction of the run counts as an instant: a quantity is at its value at the start if it would be
#: there within that time, and a run that has no more time left is at its end. Steps end before a crossing by half of it
#: or less.
AN_INSTANT = 2.0 * CLOSE
#: Assumed size of the first steps of a run, as a part of it, by which rates at the start are differences.
FIRST_STEPS = 1e-3
#: Events that are later than the end of the run by more than this fraction of it do not happen; less is round-off.
BEHIND_END = 1e-12


class Due(NamedTuple):
    """An event at the end of a step: its number, its time [s], and the direction in which its quantity crosses the
    value."""

    number: int
    t: float
    direction: float


class Watch:
    """The events of a run from `t_start` to `t_end` [s], its rows that have states, `stated`, and the `records` of
    events that have happened."""

    def __init__(self, events: Sequence[Event], t_start: float, t_end: float, stated: RowStates) -> None:
        self.events, self.span = list(events), t_end - t_start
        self.stated, self.t_end = stated, t_end
        self.records: list[EventRecord] = []
        #: why the motion after an event may be wrong, one sentence each
        self.doubts: list[str] = []
        self.quantities = [Watched(e.when, e.where) if isinstance(e.when, Crossing) else None for e in self.events]
        self.wanted = np.array([DIRECTIONS[e.when.direction] if isinstance(e.when, Crossing) else 1.0 for e in events])
        self.sides = np.zeros(len(self.events))
        self.times: list[list[float]] = [[] for _ in self.events]
        #: names of the events that happened in a run which this one continues
        self.past: frozenset[str] = frozenset()
        #: the exception that a function of Python raised, until it is reported
        self.failure: BaseException | None = None
        #: the key by which compiled code finds this object
        self.key = 0
        #: the event whose function failed, as messages name it
        self.where = ""
        #: the quantities as they were bound before, of a run of a bound model
        self.known = KnownQuantities()
        #: the system to which the quantities are bound, and what compiled code reads of it
        self._bound: System | None = None
        self._read: tuple[Sensors, np.ndarray, np.ndarray, np.ndarray] | None = None
        self._reading: Reading | None = None
        #: numbers of the events at times, and of those that happen only once
        self._clocks = [k for k, e in enumerate(self.events) if not isinstance(e.when, Crossing)]
        self._once = [k for k, e in enumerate(self.events) if e.once]
        self._one_state: OneState | None = None
        self.crossings: Crossings | None = None

    def sizes(self) -> tuple[int, int]:
        """The number of values for compiled code, and the index in its `data` where they begin."""
        return self.count, 0

    @property
    def count(self) -> int:
        """The number of watched values: first of events, then of rows that have states."""
        return len(self.events) + len(self.stated.rows)

    def begin(self, system: System, cut: bool) -> Crossings:
        """What a method watches from the present state on: touches, if its steps may be `cut`, events, and rows
        that have states."""
        self._note_sides()
        wanted = None
        if self.count:
            self._bind(system)
            own = np.where(self._is_over(), np.nan, self.wanted)
            wanted = np.concatenate([own, np.full(len(self.stated.rows), -1.0)])
        self.crossings = crossings_for(system.plan, system.initial, system.length_scale, cut, wanted, self._reading)
        if self.events:
            self.crossings.side[self._mine] = self.sides
        self.crossings.side[self._mine.stop :] = 1.0  # even if round-off puts a row beyond its limit
        return self.crossings

    def _bind(self, system: System) -> None:
        """Bind the quantities to a system."""
        if self._bound is not system:
            self._bound = system
            self._read, of_python, euler = self.known.bound(self.events, self.quantities, system, self._read)
            of_python = of_python or bool(self.stated.rows)
            # where an Euler angle is not determined, Python raises the error
            address = (*python_address(self), int(of_python)) if of_python or euler else (0, 0, 0)
            self._reading = reading_for(system.plan, system.initial, self.count, self._read, address)
        self._set_clocks()
        self._one_state = None

    def _set_clocks(self) -> None:
        """Tell compiled code the times of events; those that components set change in a run."""
        if self._clocks:
            assert self._read is not None
            self._read[3][self._clocks] = [-self.events[k].when for k in self._clocks]  # type: ignore[operator]

    def _note_sides(self) -> None:
        if self.crossings is not None and self.events:
            touched = self.crossings.touched[self._mine] != 0.0
            self.sides = np.where(touched, AT_ZERO, self.crossings.side[self._mine])

    @property
    def _mine(self) -> slice:
        """The range of the events among the crossings."""
        assert self.crossings is not None
        return slice(self.crossings.switches, self.crossings.switches + len(self.events))

    def _is_over(self) -> np.ndarray:
        """Which events have happened and are to happen only once."""
        over = np.zeros(len(self.events), dtype=bool)
        for k in self._once:
            over[k] = bool(self.times[k]) or self.events[k].name in self.past
        return over

    @interruption.callback
    def evaluate(self, derivatives: bool, t: float, size: float, data: Any) -> None:
        """Called by compiled code: fill the values of all events and rows at the state in the data of a
        :class:`flexmb.solvers.events.crossing_state.Reading`."""
        del data  # they are in the reading
        assert self._reading is not None and self._bound is not None
        if derivatives:  # an Euler angle of an event is not determined, whose number is the size
            self.quantities[int(size)].not_determined(t)  # type: ignore[union-attr]
        x, s, n = self._reading.data, self._bound, self.count
        ends = n, n + s.plan.total_q, n + s.plan.total_q + s.plan.total, n + s.plan.total_q + 2 * s.plan.total
        q, v, a, lam = x[n : ends[1]], x[ends[1] : ends[2]], x[ends[2] : ends[3]], x[ends[3] :]
        x[:n] = [*self._by_python(t, (q, v, a, lam)), *self.stated.values(t, q, v, lam)]

    def _by_python(self, t: float, state: tuple[np.ndarray, ...]) -> list[float]:
        """The values of all events at a state that Python evaluates; zero for the others."""
        solution, out = None, [0.0] * len(self.events)
        assert self._bound is not None
        for k, (event, quantity) in enumerate(zip(self.events, self.quantities)):
            if quantity is None or quantity.terms is not None:
                continue
            self.where = event.where
            if quantity.arguments is not None:
                out[k] = quantity.by_function(self._bound, t, state)
            else:
                solution = solution or self._state(t, state)
                out[k] = quantity.of(solution)
        return out

    def _state(self, t: float, state: tuple[np.ndarray, ...]) -> Solution:
        """A state as a solution with one time."""
        assert self._bound is not None
        if self._one_state is None:
            self._one_state = OneState(self._bound)
        return self._one_state(t, *state)

    def values(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> list[float]:
        """The values of all events at a state."""
        if not self.events:
            return []
        assert self._reading is not None and self._bound is not None
        out = np.array(self._by_python(t, (q, v, a, lam)))
        own = self._bound.plan, self._bound.scratch
        event_values(self._reading, *own, t, q, v, a, np.ascontiguousarray(lam), out, 0)
        return out.tolist()

    def raise_failure(self) -> None:
        """Raise the exception that a Python function raised while compiled code ran."""
        error, self.failure = self.failure, None
        if error is None:
            return
        if isinstance(error, FlexmbError) or not isinstance(error, Exception):
            raise error
        raise KernelError(f"{self.where}: its function raised {type(error).__name__}: {error}") from error

    def check_start(self, system: System, t: float, state: tuple[np.ndarray, ...], *, continued: bool) -> None:
        """Refuse events that would happen at the start of a run, unless the run is `continued` from a given state."""
        if not self.events:
            return
        q, v, a, lam = state
        c = self.begin(system, False)
        for quantity in self.quantities:
            if quantity is not None and quantity.terms is None and quantity.arguments is None:
                quantity.check(self._state(t, state))
        h = FIRST_STEPS * self.span
        rates = np.zeros((2, len(self.events)))
        for k, way in enumerate((-h, h)):
            watch_from(c, system.plan, system.scratch, t, q, v, a, lam, way)
            self.raise_failure()
            rates[k] = c.before[RATE, self._mine]
        values = c.before[VALUE, self._mine]
        near = np.abs(values) <= AN_INSTANT * self.span * np.abs(rates[1])
        through = near & (rates[0] * rates[1] > 0.0) & (self.wanted * rates[1] >= 0.0)
        for k in np.flatnonzero(through & (not continued)).tolist():
            event = self.events[k]
            if not isinstance(event.when, Crossing):
                raise ModelError(
                    f"{event.where}: it is at t = {event.when:g} s, the start of the run; let the model "
                    "begin so, or give a later time"
                )
            raise ModelError(
                f"{event.where}: {event.when} is at its value {event.when.value:g} at the start, and moves through it: "
                "the event would happen at once; give another value or direction, or begin elsewhere"
            )
        c.side[self._mine] = np.where(near, AT_ZERO, np.sign(values))
        c.touched[:] = 0.0

    def jumped(self, system: System, t: float, state: tuple[np.ndarray, ...]) -> list[Due]:
        """The events whose quantities have jumped through their values when components were switched."""
        if not self.events:
            return []
        self._note_sides()
        self._bind(system)
        values = np.array(self.values(t, *state))
        known = np.abs(self.sides) == 1.0
        through = known & (self.sides * values < 0.0) & ~self._is_over()
        self.sides = np.where(through, np.sign(values), self.sides)
        assert self.crossings is not None
        self.crossings.side[self._mine], self.crossings.touched[:] = self.sides, 0.0
        wanted = through & ((self.wanted == 0.0) | (self.wanted == np.sign(values)))
        at = self.not_before_last(t)
        return [Due(int(k), at, float(np.sign(values[k]))) for k in np.flatnonzero(wanted)]

    def turned_back(
        self, system: System, t: float, state: tuple[np.ndarray, ...], told: Mapping[str, bool]
    ) -> list[Due]:
        """The demands on components, `told` to be on or not, whose quantities have turned back at their values when
        something was switched: no step crosses these any more, and yet they are beyond them."""
        demands = [(k, x) for k, event in enumerate(self.events) for x in event.do if isinstance(x, Demand)]
        laws = [(k, x) for k, x in demands if x.on is not None and told.get(x.of, x.on) != x.on]
        if not laws:
            return []
        c = self.begin(system, False)
        watch_from(c, system.plan, system.scratch, t, *state, FIRST_STEPS * self.span)
        self.raise_failure()
        found = []
        for k, action in laws:
            way = 1.0 if action.on else -1.0
            value, rate = way * c.before[VALUE, c.switches + k], way * c.before[RATE, c.switches + k]
            if rate > 0.0 and value >= -AN_INSTANT * self.span * rate:
                c.side[c.switches + k] = self.sides[k] = way
                found.append(Due(k, self.not_before_last(t), way))
        c.touched[:] = 0.0
        return found

    def take_due(self) -> bool:
        """Whether events are at the end of the last step of a loop; they are reported only once."""
        if self.crossings is None or not self.crossings.state.events > 0.0:
            return False
        self.crossings.state.events = 0.0
        return True

    def on_the_way(self, before: np.ndarray, after: np.ndarray) -> list[int]:
        """The numbers of the events between two states, from the values `before` and `after`. An event at the end of
        the step before is not among them: it has happened, though that step ends just before it."""
        assert self.crossings is not None
        side = self.crossings.side[self._mine]
        there = np.isin(side, (-1.0, 1.0)) & (side * after < 0.0) & (before * after < 0.0)
        return np.flatnonzero(there & ~self._is_over()).tolist()

    def might_have_passed(self) -> bool:
        """Whether a quantity is beyond its value at the end of the last step, where its event was noted: events are
        otherwise just behind the end."""
        c = self.crossings
        return c is not None and bool((c.touched[self._mine] * c.before[VALUE, self._mine] > 0.0).any())

    def take_passed(self, h: float, before: np.ndarray, after: np.ndarray) -> list[int]:
        """The numbers of the events noted at the end of a step of size h [s] that are well within it, from the values
        `before` and `after` it; they are no longer noted afterwards."""
        assert self.crossings is not None
        touched = self.crossings.touched[self._mine]
        within = (touched != 0.0) & (touched * after > 0.0) & (before * after < 0.0)
        ago = h * np.abs(after) / np.maximum(np.abs(before) + np.abs(after), 1e-300)
        passed = np.flatnonzero(within & (ago > self.crossings.state.near))
        touched[passed] = 0.0
        return passed.tolist()

    def pass_through(self, number: int, side: float) -> bool:
        """Record that the quantity of an event is now on this side of its value; returns whether the event happens by
        that."""
        assert self.crossings is not None
        c, place = self.crossings, self.crossings.switches + number
        c.side[place] = side
        wanted = self.wanted[number] in (0.0, side)
        if wanted and self.events[number].once:
            c.wanted[place] = np.nan
        return bool(wanted)

    def stand_at(self, number: int, side: float) -> None:
        """Record that a method ends where this event happens, with its quantity moving to that side."""
        assert self.crossings is not None
        self.crossings.touched[self.crossings.switches + number] = side

    def not_before_last(self, t: float) -> float:
        """The time [s] of something that an event causes at the end of a step, which is just before the event."""
        return float(max([t, *(x.t for x in self.records[-1:])]))

    def set_clock(self, clock: Event) -> None:
        """An event at a time has got another one, which is still to come."""
        number = self.events.index(clock)
        self.sides[number] = -1.0
        if self.crossings is not None:
            place = self.crossings.switches + number
            self.crossings.side[place], self.crossings.touched[place] = -1.0, 0.0
        if self._read is not None:
            self._set_clocks()

    def due(self, t: float) -> list[Due]:
        """The events at the end of a step, in the order in which they happen."""
        c = self.crossings
        assert c is not None
        found = []
        for k in np.flatnonzero(c.touched[self._mine]).tolist():
            event, number = self.events[k], c.switches + k
            at = float(t + max(c.left[number], 0.0)) if isinstance(event.when, Crossing) else event.when
            if at > self.t_end + BEHIND_END * self.span:
                continue
            found.append(Due(k, float(at), float(c.touched[number])))
            if event.once:
                c.wanted[number] = np.nan
        return sorted(found, key=lambda x: x.t)

    def changed(self) -> np.ndarray:
        """Mask of the rows that have to change their states at the end of the step (k,)."""
        c = self.crossings
        assert c is not None
        return np.array(c.touched[self._mine.stop :] != 0.0)

    def left_of(self, rows: np.ndarray) -> float:
        """The time [s] from the end of the step until the first of these `rows` (k,) has to change, just behind it."""
        c = self.crossings
        if c is None or not rows.any():
            return 0.0
        return float(max(np.min(c.left[self._mine.stop :][rows]), 0.0))

    def record(self, due: Due, q: np.ndarray, v: np.ndarray, a: np.ndarray, multipliers: np.ndarray) -> EventRecord:
        """Record that an event has happened."""
        event = self.events[due.number]
        crossed = isinstance(event.when, Crossing)
        record = EventRecord(
            event.name,
            due.t,
            str(event.when) if crossed else "",
            event.when.value if isinstance(event.when, Crossing) else due.t,
            ("up" if due.direction > 0.0 else "down") if crossed else "",
            [str(action) for action in event.do],
            q.copy(), v.copy(), a.copy(), multipliers.copy(),
        )  # fmt: skip
        self.records.append(record)
        self.times[due.number].append(due.t)
        return record

    def endless(self, dues: Sequence[Due]) -> str:
        """A message that names one of the events `dues` that happens for ever at one instant, or at times that
        accumulate; empty if none does."""
        for number in sorted({due.number for due in dues}):
            if for_ever(times := self.times[number], self.span):
                return (
                    f"{self.events[number].where} has happened {FOR_EVER} times since t = {times[-FOR_EVER]:.9g} s: it "
                    "happens for ever at one instant, or at times that accumulate there"
                )
        return ""
