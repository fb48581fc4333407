"""The saved steps of a run, in chunks of arrays, and a check of the memory that they need."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np

from flexmb.feedback.controller import Controller, control_logs
from flexmb.kernels.images import MOST_LANES
from flexmb.kernels.references import by_reference
from flexmb.machine.memory import check_memory, is_much
from flexmb.results.between_steps.nodes import RunStepAgain
from flexmb.results.signals import ControllerState, ControlLog, held_commands
from flexmb.results.sources import Epoch
from flexmb.results.statistics import Statistics
from flexmb.solvers.coordinates.joints.late_forces import LateForces, LateMultipliers
from flexmb.solvers.events.kinks import beside_kink
from flexmb.system.sampling import Sampling
from flexmb.system.system import System

#: A change of forces at an instant, as a part of the largest, below which they do not jump.
FORCE_JUMP = 1e-9
#: Most numbers in a chunk.
CHUNK_NUMBERS = 250_000
#: Largest number of times that a chunk may be larger than the steps in it, for which it is kept as it is instead of
#: being copied. (What is never written takes no memory.)
SPARE = 4
#: Number of rows left of a chunk that are filled after a stop: at least as many as a segment of a loop fills.
ENOUGH_LEFT = 1024
#: references to an array that one tuple holds, as `getrefcount` counts them, of which `map` holds none while it calls
IN_A_TUPLE = 2


@by_reference
class SavedSteps(NamedTuple):
    """Times (k,), coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, m), with a row for each
    step."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray

    def part(self, first: int, last: int) -> SavedSteps:
        """Rows `first` to `last` − 1."""
        return SavedSteps(*(x[first:last] for x in self))


def joined(parts: Sequence[SavedSteps]) -> SavedSteps:
    """The rows of all parts, in new arrays."""
    return SavedSteps(*(np.concatenate(column) for column in zip(*parts)))


def together(parts: Sequence[SavedSteps]) -> SavedSteps:
    """The rows of all parts: as they are, if they follow one another in one chunk most of which they fill, or else in
    new arrays."""
    whole, count = parts[0].t.base, sum(len(part.t) for part in parts)
    if whole is None or len(whole) > SPARE * count or any(part.t.base is not whole for part in parts):
        return joined(parts)
    places = [part.t.ctypes.data for part in parts]
    if any(place + part.t.nbytes != behind for place, part, behind in zip(places, parts, places[1:])):
        return joined(parts)
    first = (places[0] - whole.ctypes.data) // whole.itemsize
    owners: Any = [x.base for x in parts[0]]
    return SavedSteps(*(owner[first : first + count] for owner in owners))


class SpareChunks:
    """Chunks of earlier runs of a bound model, which later runs fill again once nobody holds their arrays or parts of
    them: fresh memory costs more time than most steps that are written to it, page by page."""

    def __init__(self) -> None:
        self._chunks: deque[SavedSteps] = deque(maxlen=MOST_LANES)
        self._lock = threading.Lock()

    def chunk(self, rows: int, widths: Sequence[int]) -> SavedSteps:
        """A chunk of so many rows of these widths."""
        with self._lock:
            for known in self._chunks:
                fits = len(known.t) == rows and tuple(x.shape[1] for x in known[1:]) == tuple(widths)
                if fits and max(map(getrefcount, known)) <= IN_A_TUPLE:
                    return SavedSteps(*known)
            made = new_chunk(rows, widths)
            self._chunks.append(made)
            return SavedSteps(*made)


def new_chunk(rows: int, widths: Sequence[int]) -> SavedSteps:
    """A chunk of new memory."""
    return SavedSteps(np.empty(rows), *(np.empty((rows, width)) for width in widths))


class History:
    """Times (k,), coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, all rows) of the saved steps.
    Multipliers of constraint rows that are left out are zero.

    The method sets its `order`, and in `again` a function that repeats its steps if they are too long for interpolation
    by polynomials, see :mod:`flexmb.results.between_steps.interpolation`.
    """

    #: name of the rows in messages
    rows = "steps"

    def __init__(self, system: System, spare: SpareChunks | None = None) -> None:
        self._spare = spare
        self._parts: list[SavedSteps] = []
        #: what is left of the last chunk that rows of these widths were saved in
        self._left: dict[tuple[int, ...], SavedSteps] = {}
        self._first_forces = np.zeros((0, 0))
        self.order = 2
        #: number of saved steps, including the start, and time of the last
        self.entered = 0
        self.newest = -np.inf
        self.again: RunStepAgain | None = None
        #: the controllers as the loop sees them, the controllers themselves, and the states that they began with
        self.control: tuple[Sampling, Sequence[Controller], Mapping[str, ControllerState]] | None = None
        #: what finds the multipliers of steps when somebody reads them, if the method does not
        self.late: LateForces | None = None
        #: what the newest step keeps for it (1, count)
        self._kept = np.zeros((1, 0))
        self.epochs = [Epoch(0, system)]
        self.use(system)

    def use(self, system: System) -> None:
        """Continue with the constraint rows of this system."""
        self.system = system
        epoch = self.epochs[-1]
        if epoch.system is not system:
            exchanges = (*epoch.exchanges, (self.newest, epoch.system.kept))
            self.epochs[-1] = replace(epoch, system=system, exchanges=exchanges)
        self.widths = (system.nq, system.n, system.n, system.m)

    def switch(self, system: System, jump: np.ndarray) -> None:
        """Continue with other active components, those of `system`, after the instantaneous work `jump` (4,) [J]:
        dissipated, input, of drives, and lost by switching. The next state is the one after the switch."""
        self.epochs.append(Epoch(self._first_of_epoch(), system, jump, self.newest))
        self.use(system)

    def _first_of_epoch(self) -> int:
        """Index of the first row after the switch."""
        return self.entered

    def room(self, rows: int = 4096) -> SavedSteps:
        """A new empty chunk for the compiled loop to fill."""
        rows = int(max(16, min(rows, CHUNK_NUMBERS // (sum(self.widths) + 1))))
        widths = self.widths if self.late is None else (*self.widths[:3], self.late.count)
        before = self._before_steps()
        left = self._left.get(widths)
        if left is not None and len(left.t) >= ENOUGH_LEFT and not before:
            return left.part(0, rows)
        chunk = (self._spare.chunk if self._spare else new_chunk)(before + rows, widths)
        if before:
            start = self._parts[0]
            for x, first in zip(chunk, start):
                x[:1] = first
            self._parts[0] = chunk.part(0, 1)
        return chunk.part(before, before + rows)

    def _before_steps(self) -> int:
        """1 if the start of the run is to stand in front of the steps in the next chunk, so that all are one piece."""
        alone = len(self._parts) == 1 and self._parts[0].t.base is None
        return int(alone and (self.late is not None or self.system.m == len(self.system.assembly.every_row)))

    def keep(self, chunk: SavedSteps, first: int, last: int) -> None:
        """Save rows `first` to `last` − 1 of a chunk."""
        if last > first:
            self.entered += last - first
            self.newest = float(chunk.t[last - 1])
            self._left[tuple(x.shape[1] for x in chunk[1:])] = chunk.part(last, len(chunk.t))
            part = chunk.part(first, last)
            if self.late is None:
                self.enter(part._replace(lam=self.system.for_all_rows(part.lam)))
            else:
                self._kept = part.lam[-1:]
                self.enter(part)

    def leave_forces(self, late: LateForces) -> None:
        """Let `late` find multipliers when they are read, those of the states until now excepted."""

        def change(part: SavedSteps) -> SavedSteps:
            kept = late.kept_of(part.lam[:, late.system.row_numbers])
            self._kept = kept[-1:]
            return part._replace(lam=kept)

        if self.late is None:
            self.for_later(change)
        self.late = late

    def for_later(self, change: Callable[[SavedSteps], SavedSteps]) -> None:
        """Change the states until now to what is kept of them for multipliers that are found later."""
        self._parts = [change(part) for part in self._parts]

    def enter(self, part: SavedSteps) -> None:
        """Add steps with the multipliers of all rows."""
        if not self._parts:
            self._first_forces = part.lam
        self._parts.append(part)

    def append(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Save one step."""
        part = SavedSteps(np.array([t]), *(x[None, :width].copy() for x, width in zip((q, v, a, lam), self.widths)))
        self.entered += 1
        self.newest = t
        if self.late is None:
            self.enter(part._replace(lam=self.system.for_all_rows(part.lam)))
        else:
            self._kept = self.late.kept_of(part.lam)
            self.enter(part._replace(lam=self._kept))

    def take_back(self) -> None:
        """Remove the step that was appended last."""
        self._parts.pop()
        self.entered -= 1

    def arrays(self) -> SavedSteps:
        """All saved steps. One of round-off over a kink at the end of the run is left out where no force jumps: the
        state before the kink then is that at the end."""
        rows = together(self._parts)
        t, states = rows.t, [x[-2] for x in rows[1:4]] if len(rows.t) > 1 else []
        if len(t) < 3 or not 0.0 < t[-1] - t[-2] < 1.5 * beside_kink(t[-1]) or self.epochs[-1].first >= len(t) - 1:
            return rows
        before, behind = (self.system.residual(time, *states) for time in t[-2:])
        if np.max(np.abs(behind - before), initial=0.0) > FORCE_JUMP * np.max(np.abs(before), initial=0.0):
            return rows
        return SavedSteps(np.append(t[:-2], t[-1]), *(x[:-1] for x in rows[1:]))

    def forces(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The multipliers (m,) of the rows that hold in the newest state: `lam` if the method finds them."""
        if self.late is None:
            return lam
        states = np.array([t]), q[None], v[None], a[None], self._kept
        return self.late.multipliers(*states)[0, self.system.row_numbers]

    def multipliers(self, rows: SavedSteps) -> np.ndarray | LateMultipliers:
        """The multipliers (k, all rows) of the saved steps `rows`, those of :meth:`arrays`, or what finds them."""
        if self.late is None:
            return rows.lam
        return LateMultipliers(self.late, self._first_forces, rows, held_commands(self.logs(), rows.t, until=True))

    def note(self, statistics: Statistics) -> None:
        """Enter into the statistics of the run what is known of steps that are not kept."""

    def logs(self) -> list[ControlLog]:
        """The readings and commands of the controllers so far."""
        if self.control is None:
            return []
        sampling, controllers, states = self.control
        return list(control_logs(sampling, controllers, self.newest, states).values())

    def work(self) -> np.ndarray | None:
        """The work (k, 4) [J] from the start to each row, if it does not follow from the rows: dissipated, input, of
        drives, and lost by switching."""
        return None

    @property
    def none_reached(self) -> bool:
        """Whether none of the chosen times was reached, so that the only row is that of the last step."""
        return False


def check_room_for_steps(
    system: System, span: float, options: dict[str, Any], times: np.ndarray | None, where: str
) -> None:
    """Raise an error, or warn, if the steps of a run over `span` [s], or the chosen `times`, would fill the memory."""
    name = next((x for x in ("step", "max_step") if options.get(x)), None)
    # chunks are joined at the end, when everything is stored twice for a moment
    numbers = 2 * np.dtype(float).itemsize * (1 + system.nq + 2 * system.n + system.m)
    if times is not None:
        what = f"{len(times):.3g} times with {system.n} coordinates"
        check_memory(numbers * len(times), what, "take fewer times", where)
    elif name is not None:
        every = options.get("save_every", 1)
        count = span / options[name] / every
        if is_much(numbers * count):
            check_memory(
                numbers * count,
                f"{count:.3g} steps of {options[name] * every:g} s with {system.n} coordinates",
                f"take a longer {name}, or name the times that you want"
                + (", or a larger save_every" if "save_every" in options else ""),
                where,
            )
