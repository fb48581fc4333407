"""The run at chosen times: its steps are interpolated while it goes on, and then dropped.

Of the steps only as many stay as the polynomials between them need, of some the positions for doubts of components, and
of all the sums of work and the balance of energy, so that the ledger of the chosen times is that of the run's own
steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.forces.callbacks import has_failed
from flexmb.results.balance import RunningBalance
from flexmb.results.interpolation import Interpolation, States
from flexmb.results.ledger import flows, still_energy
from flexmb.results.signals import ControlLog, held_commands
from flexmb.solvers.history import History, SavedSteps, joined
from flexmb.system.doubts import MOST_CHECKED
from flexmb.system.system import System

#: steps that the polynomials of a step need behind and ahead of it
BEHIND, AHEAD = 4, 5
#: steps that are collected before they are interpolated
COLLECTED = 512
#: Times are met where steps end this part of a step before them, as rounding may have it.
MET = 1e-8


class AtTimes(History):
    """The states of a run at chosen times (p,); `logs` gives what controllers have read and commanded so far."""

    rows = "times"

    def __init__(self, system: System, times: np.ndarray) -> None:
        super().__init__(system)
        self.times = times
        self.logs: Callable[[], list[ControlLog]] = list
        self.balance = RunningBalance()
        #: a system with arrays of its own; those of the run must stay as they are
        self._own = system.whole.with_rows(system.whole.kept)
        self._pending: list[SavedSteps] = []
        self._collected = 0
        #: the steps that are still needed, in one piece if there are any
        self._rows: list[SavedSteps] = []
        #: the first step in the rows that is not done yet, and the number of times that are
        self._next = self._reached = 0
        self._found: list[SavedSteps] = []
        self._work: list[np.ndarray] = []
        self._some: list[tuple[float, np.ndarray]] = []
        self._stride = 1
        self._ends: list[tuple[float, np.ndarray]] = []

    def enter(self, part: SavedSteps) -> None:
        self._pending.append(part)
        self._collected += len(part.t)
        numbers = np.arange(self.entered - len(part.t), self.entered)
        for k in np.flatnonzero(numbers % self._stride == 0):
            self._some.append((float(part.t[k]), part.q[k].copy()))
        while len(self._some) > 2 * MOST_CHECKED:
            self._some, self._stride = self._some[::2], 2 * self._stride
        if not self._ends:
            self._ends.append((float(part.t[0]), part.q[0].copy()))
        self._ends[1:] = [(float(part.t[-1]), part.q[-1].copy())]
        # where a function of Python has failed all forces are NaN until that is reported
        if self._collected >= COLLECTED and not has_failed(self.system.model.components.values()):
            self._go_on(at_end=False)

    def arrays(self) -> SavedSteps:
        """The states at all times that were reached; the last step if none was."""
        self._go_on(at_end=True)
        if self._found:
            return joined(self._found)
        (rows,) = self._rows
        return rows.part(len(rows.t) - 1, len(rows.t))

    def work(self) -> np.ndarray:
        self._go_on(at_end=True)
        return np.concatenate(self._work) if self._work else self.balance.work[None]

    @property
    def none_reached(self) -> bool:
        return self._reached == 0

    @property
    def some_steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Times (k,) and positions (k, nq) of some steps, evenly spread over the run, and of the last."""
        some = [*self._some, *(self._ends[1:] if self._some[-1][0] < self._ends[-1][0] else ())]
        return np.array([t for t, _ in some]), np.stack([q for _, q in some])

    def error(self) -> float:
        """The error of the energy balance of all steps, as a part of the energy exchanged."""
        (t0, q0), (t1, q1) = self._ends[0], self._ends[-1]
        return self.balance.error(still_energy(self._own, np.array([t0, t1]), np.stack([q0, q1])))

    def _go_on(self, at_end: bool) -> None:
        """Interpolate the steps behind which there are enough others, at the end all of them, and drop what no step
        needs any more."""
        rows = joined([*self._rows, *self._pending])
        self._rows, self._pending, self._collected = [rows], [], 0
        first, last = self._next, len(rows.t) - 1 if at_end else len(rows.t) - 1 - AHEAD
        if last < first:
            return
        work, powers = self._entered(rows, first, last)
        until = rows.t[last]
        if at_end:
            step = rows.t[-1] - rows.t[-2] if len(rows.t) > 1 else 0.0
            until += MET * step + 1e-15 * abs(until)
        count = int(np.searchsorted(self.times[self._reached :], until, side="right" if at_end else "left"))
        if count:
            times = self.times[self._reached : self._reached + count]
            inside = np.minimum(times, rows.t[-1])
            between = Interpolation(rows.t, inside, f"model {self._own.model.name!r}", self.order)
            states = between.states(States(*rows[1:]), self._own.orientations, again=self.again)
            self._found.append(SavedSteps(times, *states))
            self._work.append(_work_within(between, first, work, powers))
            self._reached += count
        drop = max(last - BEHIND, 0)
        self._rows, self._next = [joined([rows.part(drop, len(rows.t))])], last - drop

    def _entered(self, rows: SavedSteps, first: int, last: int) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Enter the steps first … last − 1 in the balance; the work until the ends (last − first + 1, 3) of all of
        them, and their powers (last − first, 3) in the beginning, in the middle and at the end."""
        low, high = max(first - 1, 0), min(last + 3, len(rows.t))
        part = rows.part(low, high)
        places, held = held_commands(self.logs(), part.t[:-1])
        p = self._own.plan.p
        commanded = p[places].copy()
        energies, all_powers = flows(self._own, *part, places, held)
        p[places] = commanded  # the run goes on with them
        powers = tuple(x[first - low : last - low] for x in all_powers)
        h = np.diff(rows.t[first : last + 1])[:, None]
        work = np.zeros((last - first + 1, 3))
        np.cumsum((powers[0] + 4.0 * powers[1] + powers[2]) * (h / 6.0), axis=0, out=work[1:])
        work += self.balance.work
        self.balance.enter(energies[first - low : last - low + 1], work)
        return work, powers


def _work_within(between: Interpolation, first: int, work: np.ndarray, powers: tuple[np.ndarray, ...]) -> np.ndarray:
    """The work (k, 3) until times inside of steps, the first of which is number `first`: that until their beginning,
    and the integral of the parabola through the powers whose integral over the step is Simpson's."""
    s, h = between.part[:, None], between.h[:, None]
    if not len(powers[0]):
        return np.repeat(work[:1], len(s), axis=0)
    k = between.left - first
    start, middle, end = (x[k] for x in powers)
    parabola = start * (s - 1.5 * s**2 + 2.0 / 3.0 * s**3) + middle * (2.0 * s**2 - 4.0 / 3.0 * s**3)
    return work[k] + h * (parabola + end * (2.0 / 3.0 * s**3 - 0.5 * s**2))
