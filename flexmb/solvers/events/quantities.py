"""The quantities that events watch: most are read in compiled code; others in Python from one state, by name, by a
sensor that remembers, or by a function of a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import KernelError, ModelError, NamingError, SolverError
from flexmb.forces.spatial.python_force import FrameState
from flexmb.model import checks
from flexmb.model.events import Crossing, Event
from flexmb.model.orientations import rotation_of
from flexmb.quantities.of_frames import of_frame, of_planar_frame
from flexmb.quantities.of_system import ENERGY_SUMS
from flexmb.quantities.places import InLayout, InSystem
from flexmb.quantities.quantity import Quantity
from flexmb.results import names
from flexmb.results.asked import quantity_of
from flexmb.results.layout import Layout
from flexmb.results.meaning import meaning
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.events.crossing_state import BY, CLOCK, PYTHON, READINGS
from flexmb.system.readings import EULER, KIND, Reading, Sensors, read_all, sensor_table
from flexmb.system.system import System

#: What compiled code reads of events: the first four of :class:`flexmb.solvers.events.crossing_state.Reading`.
Events = tuple[Sensors, np.ndarray, np.ndarray, np.ndarray]
#: Energies that a single state has.
_ENERGIES = tuple(f"energy.{what}" for what in ENERGY_SUMS)
#: What a function of Python gets of each frame, in the plane and in space.
_OF_FRAME = {
    2: ("x", "y", "angle", "vx", "vy", "angular_velocity"),
    3: ("x", "y", "z", "e0", "e1", "e2", "e3", "vx", "vy", "vz", "wx", "wy", "wz"),
}


class OneState:
    """Makes a solution with one time out of a state of a system, in which quantities are found by name. It has its own
    copy of the system, since the run uses the arrays of the original."""

    def __init__(self, system: System) -> None:
        self.system = system
        own = system.whole.with_rows(system.whole.kept)
        self.layout, self.source = Layout.of(own), SystemSource(own)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> Solution:
        s = self.system
        rows = self.system.for_all_rows(lam[None, : s.m])
        return Solution(
            self.layout, self.source, np.array([t]), q[None, : s.nq].copy(), v[None, : s.n].copy(),
            a[None, : s.n].copy(), rows, model=s.model,
        )  # fmt: skip


class Terms:
    """A watched quantity for compiled code: a weighted sum of readings, and a number that is added."""

    def __init__(self, weighted: list[tuple[float, Reading]], offset: float) -> None:
        self.weights, self.offset = [weight for weight, _ in weighted], offset
        self.readings = [reading for _, reading in weighted]


@dataclass
class Watched:
    """The quantity of a crossing minus the value to be crossed."""

    crossing: Crossing
    where: str
    terms: Terms | None = None  # what compiled code reads; None: Python does
    arguments: Sensors | None = None  # what a function of Python gets of its frames

    def bind(self, system: System, layout: Layout) -> None:
        """Bind to the system: find out whether compiled code can read the quantity."""
        quantity, value = self.crossing.quantity, self.crossing.value
        parts: list[tuple[float, Quantity | None]] | None = None
        self.terms, offset = None, 0.0
        if isinstance(quantity, str):
            parts = [(1.0, quantity_of(layout, meaning(layout, quantity)))]
        elif hasattr(quantity, "readings"):
            terms, places = quantity.terms(), InSystem(system)
            offset = quantity.bias + sum(weight * one.bias for weight, one in terms if one is not quantity)
            parts = [(weight, one.function_of_state(places)) for weight, one in terms]
        else:
            self.arguments = self._of_frames(layout, system)
        if parts is not None:
            found = [(weight, one) for weight, one in parts if one is not None and self._determined(one, system)]
            readings = [(weight, one.reading(self.where, system)) for weight, one in found]
            self.terms = Terms(readings, offset - value) if len(found) == len(parts) else None

    def _determined(self, quantity: Quantity, system: System) -> bool:
        """Whether the motion determines a quantity; a solution has the smallest forces of joints that share them."""
        try:
            if quantity.given is not None:
                quantity.given.check(system, 0.0, system.q0, self.where)
        except ModelError:
            return False
        return True

    def _of_frames(self, layout: Layout, system: System) -> Sensors:
        """The table of what a function of Python gets."""
        readings = []
        for frame in self.crossing.frames:
            blocks = InLayout(layout).blocks(frame)
            for what in _OF_FRAME[layout.dimension]:
                found: Quantity | None
                if layout.dimension == 2:
                    found = of_planar_frame(blocks, layout.frames[frame.name].offset, what)
                else:
                    place = layout.spatial[frame.name]
                    found = of_frame(blocks, place.offset, place.axes, what)
                assert found is not None
                readings.append(found.reading(self.where, system))
        return sensor_table(readings)

    def by_function(self, system: System, t: float, state: tuple[np.ndarray, ...]) -> float:
        """The number of a function of Python at a state."""
        assert self.arguments is not None
        count = len(self.arguments.table)
        x = np.zeros(count)
        read_all(system.plan, system.scratch, self.arguments, t, *state, x)
        frames: list[Any] = []
        for one in x.reshape(len(self.crossing.frames), -1):
            if len(one) == 6:
                frames.append((tuple(one[:3].tolist()), tuple(one[3:].tolist())))
                continue
            turn = rotation_of(one[3:7]).as_matrix()
            frames.append(FrameState(one[:3], turn, one[7:10], one[10:]))
        if isinstance(frames[0], tuple) and len(frames[0]) == 2:
            given = frames[0] if len(frames) == 1 else tuple(zip(*frames))
        else:
            given = tuple(frames)
        return self._number(self.crossing.quantity(t, *given)) - self.crossing.value

    def not_determined(self, t: float) -> None:
        """Raise the error for an Euler angle that is not determined at a time."""
        quantity = self.crossing.quantity
        raise SolverError(
            f"{self.where}: the {quantity if isinstance(quantity, str) else quantity.name} is not determined at "
            f"t = {t:g} s, since the first and the last axis are nearly parallel there; take AttitudeError or "
            "StarTracker, or another sequence"
        )

    def of(self, solution: Solution) -> float:
        """The number at the only time of a solution."""
        quantity = self.crossing.quantity
        if not isinstance(quantity, str):
            return float(quantity.readings(solution)[0]) - self.crossing.value
        series = names.find_series(solution, quantity)
        assert series is not None
        return float(series.values[0]) - self.crossing.value

    def _number(self, given: Any) -> float:
        try:
            return float(given)
        except (TypeError, ValueError):
            raise KernelError(f"{self.where}: its function gave {checks.quoted(given)}; give one number") from None

    def check(self, solution: Solution) -> None:
        """Refuse names that the solution does not have."""
        quantity = self.crossing.quantity
        if not isinstance(quantity, str) or self.terms is not None:
            return
        cumulative = quantity.startswith("energy.") and quantity not in _ENERGIES
        assert solution.model is not None
        if cumulative or quantity.partition(".")[0] in solution.model.controllers:
            raise ModelError(
                f"{self.where}: {quantity!r} is no quantity of a state; of energies there are {', '.join(_ENERGIES)}"
            )
        if names.find_series(solution, quantity) is None:
            raise NamingError(f"{self.where}: {names.unknown_name(solution, quantity, series=True)}")


class KnownQuantities:
    """The quantities of the events of a model, bound to its systems: once for each choice of components and constraint
    rows."""

    def __init__(self) -> None:
        self._known: dict[Any, _Known] = {}

    def bound(
        self, events: Sequence[Event], quantities: Sequence[Watched | None], system: System, before: Events | None
    ) -> tuple[Events, bool, bool]:
        """What compiled code reads of the events of a run, bound to a system, in arrays of its own; whether it leaves
        some to Python; and whether some are Euler angles. Angles go on from the turns that were counted `before`."""
        key = choice_of(system)
        known = self._known.get(key)
        if known is None or system.assembly.overrides.strengths:
            known = _known_of(_bound(events, quantities, system), quantities)
            if not system.assembly.overrides.strengths:
                self._known[key] = known
        for quantity, terms, arguments in known.parts:
            quantities[quantity].terms = terms  # type: ignore[union-attr]
            own = None if arguments is None else _own(arguments)
            quantities[quantity].arguments = own  # type: ignore[union-attr]
        table, rows, weights, offsets = known.read
        table = _own(table)
        if before is not None and before[0].counted.shape == table.counted.shape:
            table.counted[:] = before[0].counted
        return (table, rows, weights, offsets.copy()), known.of_python, known.euler


class _Known(NamedTuple):
    """Bound quantities: what compiled code reads, the numbers of those that are no times with their terms and what a
    function of Python gets; whether Python evaluates some, and whether some are Euler angles."""

    read: Events
    parts: list[tuple[int, Terms | None, Sensors | None]]
    of_python: bool
    euler: bool


def _known_of(read: Events, quantities: Sequence[Watched | None]) -> _Known:
    parts = [(k, x.terms, x.arguments) for k, x in enumerate(quantities) if x is not None]
    return _Known(read, parts, bool((read[1][:, BY] == PYTHON).any()), bool((read[0].table[:, KIND] == EULER).any()))


def choice_of(system: System) -> tuple[frozenset[str], bytes]:
    """The components and constraint rows that are active in a system, by which it is known among those of its model."""
    return system.off, system.kept.tobytes()


def _own(table: Sensors) -> Sensors:
    """A table with memory of its own for what was read last."""
    return table._replace(counted=table.counted.copy(), buffer=table.buffer.copy(), doubtful=table.doubtful.copy())


def _bound(events: Sequence[Event], quantities: Sequence[Watched | None], system: System) -> Events:
    """What compiled code reads of the events of a run, bound to a system."""
    layout = Layout.of(system) if events else None
    rows, offsets = [], []
    weights: list[float] = []
    readings: list[Reading] = []
    for event, quantity in zip(events, quantities):
        if quantity is None or layout is None:
            rows.append([0, 0, CLOCK])
            offsets.append(-event.when)  # type: ignore[operator]
            continue
        quantity.bind(system, layout)
        terms = quantity.terms or Terms([], 0.0)
        rows.append([len(readings), len(terms.readings), PYTHON if quantity.terms is None else READINGS])
        offsets.append(terms.offset)
        readings += terms.readings
        weights += terms.weights
    table = sensor_table(readings, doubts=False)
    return table, np.array(rows, dtype=np.int64).reshape(-1, 3), np.array(weights), np.array(offsets, dtype=float)
