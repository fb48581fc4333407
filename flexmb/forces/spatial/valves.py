"""The valves of jets in a run (:mod:`flexmb.forces.spatial.thruster`): commands by what their laws read, delays, and
the shortest time for which a jet is open.

Three events belong to each jet: its law rises above the threshold that opens it, falls below the one that closes it, or
its valve moves at a time that follows from commands before. The last one is a clock that is set anew for each motion.
To each tank belongs one: it is empty, and its jets close and do not open again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flexmb.errors import ModelError, NamingError
from flexmb.model.events import Demand, Event, Switch, crossing

#: words of the names of the three events, behind the name of the jet, and of that of a tank behind its name
OPENS, CLOSES, VALVE, EMPTY = ": told to open", ": told to close", ": valve", ": empty"


@dataclass
class Valve:
    """The valve of a thruster: whether it is `open`, since when, and the commands on their way, each with its time, in
    the order in which they were given; `never` is a time beyond the end of the run."""

    thruster: Any
    never: float
    clock: Event
    open: bool = False
    opened: float = -math.inf
    commands: list[tuple[float, bool]] = field(default_factory=list)
    #: the time at which an open valve closes that was told so within its minimum pulse
    closing: float | None = None
    #: whether its tank has nothing more to give
    empty: bool = False

    def moved(self, t: float, instant: float) -> None:
        """Carry out the commands that are due at t [s], or within an instant of it."""
        if self.empty:
            self.commands, self.open, self.closing = [], False, None
        while self.commands and self.commands[0][0] <= t + instant:
            at, wanted = self.commands.pop(0)
            if wanted:
                self.closing = None
                if not self.open:
                    self.open, self.opened = True, max(at, t)
            elif self.open:
                self.closing = max(at, self.opened + self.thruster.pulse)
        if self.closing is not None and self.closing <= t + instant:
            self.open, self.closing = False, None

    @property
    def next(self) -> float:
        """When it has to be looked at again."""
        times = [at for at, _ in self.commands[:1]] + ([] if self.closing is None else [self.closing])
        return min(times, default=self.never)


class Valves:
    """The valves of all thrusters of a model in a run from `t_start` to `t_end` [s], and their events; it is a
    :class:`flexmb.model.events.Switching`. `past` are records of events (:class:`flexmb.EventRecord`)."""

    def __init__(self, components: Iterable[Any], taken: Sequence[Event], t_start: float, t_end: float) -> None:
        self.instant = 1e-12 * (t_end - t_start)
        never = t_end + 2.0 * (t_end - t_start)
        self.valves: dict[str, Valve] = {}
        self.events: list[Event] = []
        names = {event.name for event in taken}
        switched = {name: event for event in taken for x in event.do if isinstance(x, Switch) for name in x.on + x.off}
        for thruster in (x for x in components if x.switches_itself is Valves):
            name, model = thruster.name, thruster.frame.model
            if name in switched:
                raise ModelError(
                    f"{switched[name].where}: it switches {thruster.where}, whose valve moves by its law alone; let "
                    "its factor be a function of time that is zero when it must not push, or switch a point_force"
                )
            up, down = thruster.crossings()
            own = [
                Event(f"{name}{OPENS}", model, up, Demand(self, name, True)),
                Event(f"{name}{CLOSES}", model, down, Demand(self, name, False)),
                Event(f"{name}{VALVE}", model, never, Demand(self, name, None)),
            ]
            for event in own:
                if event.name in names:
                    raise NamingError(f"{event.where}: a jet of that name has such an event; give yours another name")
            self.events += own
            self.valves[name] = Valve(thruster, never, own[2])
        for tank in {valve.thruster.tank: None for valve in self.valves.values() if valve.thruster.tank is not None}:
            when, name = crossing(tank.state, tank.usable, "up"), f"{tank.name}{EMPTY}"
            if name in names:
                raise NamingError(f"{tank.where}: its jets have an event {name!r}; give yours another name")
            self.events.append(Event(name, tank.frame.model, when, Demand(self, tank.name, None), once=True))

    def begin(
        self,
        t: float,
        off: Iterable[str],
        above: Mapping[str, bool],
        past: Sequence[Any] | None,
        happened: frozenset[str] = frozenset(),
    ) -> None:
        """The valves at the start of a run: those that are not `off` are open, and those whose law is above its
        threshold, by the names of events, are told to open. `past`: the records of a run that this one continues, their
        times as this run counts them, from which commands on their way follow; `happened`: the names of all events
        before."""
        shut = frozenset(off)
        for name, valve in self.valves.items():
            valve.open = name not in shut
            tank = valve.thruster.tank
            valve.empty = tank is not None and (above[f"{tank.name}{EMPTY}"] or f"{tank.name}{EMPTY}" in happened)
            if past is None:
                if valve.open:
                    valve.opened = t
                wanted = above[f"{name}{CLOSES}" if valve.open else f"{name}{OPENS}"]
                if wanted != valve.open:
                    valve.commands = [(t + valve.thruster.delay, wanted)]
            else:
                self._remember(name, valve, t, past)
            valve.clock.when = max(valve.next, t + 2.0 * self.instant)

    def _remember(self, name: str, valve: Valve, t: float, past: Sequence[Any]) -> None:
        """Find what a valve had to do at the end of a run, from its records."""
        delay = valve.thruster.delay
        told = [(r.t + delay, r.name.endswith(OPENS)) for r in past if r.name in (f"{name}{OPENS}", f"{name}{CLOSES}")]
        valve.opened = max((r.t for r in past if name in r.on), default=-math.inf)
        valve.commands = [x for x in told if x[0] > t + self.instant]
        if valve.open:
            since = [x for x in told if valve.opened - self.instant <= x[0] <= t + self.instant]
            if since and not since[-1][1]:
                valve.closing = max(since[-1][0], valve.opened + valve.thruster.pulse)

    def told(self) -> dict[str, bool]:
        """Which jets were told to open by the last command, carried out or on its way; those without an empty tank."""
        return {
            name: valve.commands[-1][1] if valve.commands else valve.open and valve.closing is None
            for name, valve in self.valves.items()
            if not valve.empty
        }

    def asked(self, demand: Demand, t: float) -> tuple[Switch, list[Event]]:
        """What is to be switched when a law crosses a threshold, a valve's clock is at its time, or a tank is empty;
        and the clocks that are set anew."""
        named = {demand.of: self.valves[demand.of]} if demand.of in self.valves else self._on_tank(demand.of)
        for valve in named.values():
            if demand.of not in self.valves:
                valve.empty = True
            elif demand.on is not None:
                valve.commands.append((t + valve.thruster.delay, demand.on))
            valve.moved(t, self.instant)
            valve.clock.when = valve.next
        clocks = [valve.clock for valve in named.values()]
        opened = next(iter(named.values())).open
        return Switch(on=tuple(named)) if opened else Switch(off=tuple(named)), clocks

    def doubts(self, solution: Any) -> list[str]:
        """Why a run is in doubt, for each jet that has a reason."""
        return [text for valve in self.valves.values() if (text := valve.thruster.doubt(solution))]

    def _on_tank(self, tank: str) -> dict[str, Valve]:
        """The valves of the jets of a tank."""
        each = self.valves.items()
        return {name: valve for name, valve in each if valve.thruster.tank and valve.thruster.tank.name == tank}
