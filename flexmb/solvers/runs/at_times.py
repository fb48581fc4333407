"""A run at chosen times: its steps are interpolated while it is in progress, and then dropped.

Memory holds only the steps that the next interpolating polynomials need, positions of some steps for the doubts of
components, and the work and energy balance summed over all steps. So the energy ledger at the chosen times takes
account of all steps of the run, divided at these times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.forces.callbacks import has_failed
from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.nodes import States
from flexmb.results.energy.balance import RunningBalance
from flexmb.results.energy.ledger import still_energy
from flexmb.results.energy.powers import Inside, Steps, flows, inside_steps
from flexmb.results.signals import held_commands
from flexmb.results.statistics import Statistics
from flexmb.solvers.runs.history import History, SavedSteps, SpareChunks, joined
from flexmb.system.doubts import MOST_CHECKED
from flexmb.system.kernel_calls import may_be_driven
from flexmb.system.sticking import keep_friction, set_friction
from flexmb.system.system import System

#: Number of steps before and after a step that its interpolating polynomials need.
STEPS_BEHIND, STEPS_AHEAD = 4, 5
#: Number of steps that are collected before they are interpolated.
COLLECTED = 512
#: A chosen time is reached by a step that ends up to this part of its size before it, by round-off.
MET = 1e-8


class Done(NamedTuple):
    """How far the steps are interpolated: the steps still needed (`rows`), the `next` one to be interpolated, the
    number of `parts` that went into them, the number of chosen times `reached` and of the arrays that hold them
    (`pieces`), and the energy balance so far."""

    rows: SavedSteps | None = None
    next: int = 0
    parts: int = 0
    reached: int = 0
    pieces: int = 0
    balance: RunningBalance = RunningBalance()


class AtTimes(History):
    """The states of a run at chosen times (p,); `logs` returns the readings and commands of the controllers so far.

    Ctrl-C may interrupt between any two instructions: so all variables of the progress change at once, by a new
    :class:`Done`.
    """

    rows = "times"

    def __init__(self, system: System, times: np.ndarray, spare: SpareChunks | None = None) -> None:
        super().__init__(system, spare)
        self.times = times
        self._own = _copy_of(system)
        self._done = Done()
        #: how well the rows of constraints hold in steps whose joint forces the method does not find
        self._drift = 0.0, 0.0
        #: parts that are not interpolated yet, by their index, and number of parts so far
        self._pending: dict[int, SavedSteps] = {}
        self._parts_entered = 0
        self._found: list[tuple[SavedSteps, np.ndarray]] = []
        self._some: list[tuple[float, np.ndarray]] = []
        self._stride = 1
        self._ends: list[tuple[float, np.ndarray]] = []

    def room(self, rows: int = COLLECTED) -> SavedSteps:
        return super().room(min(rows, COLLECTED))

    def enter(self, part: SavedSteps) -> None:
        self._pending[self._parts_entered] = part
        self._parts_entered += 1
        numbers = np.arange(self.entered - len(part.t), self.entered)
        for k in np.flatnonzero(numbers % self._stride == 0):
            self._some.append((float(part.t[k]), part.q[k].copy()))
        while len(self._some) > 2 * MOST_CHECKED:
            self._some, self._stride = self._some[::2], 2 * self._stride
        newest = (float(part.t[-1]), part.q[-1].copy())
        self._ends = [self._ends[0] if self._ends else (float(part.t[0]), part.q[0].copy()), newest]
        # after an exception in a user's function all forces are NaN until it is reported
        enough = sum(len(x.t) for x in self._pending.values()) >= COLLECTED
        if enough and not has_failed(self.system.model.components.values()):
            self._go_on(at_end=False)

    def take_back(self) -> None:
        self._parts_entered -= 1
        del self._pending[self._parts_entered]
        self.entered -= 1

    def arrays(self) -> SavedSteps:
        """The states at all chosen times that were reached; the last step if none was."""
        self._go_on(at_end=True)
        if self._done.pieces:
            return joined([states for states, _ in self._found])
        rows = self._done.rows
        assert rows is not None
        last = rows.part(len(rows.t) - 1, len(rows.t))
        return last if self.late is None else self._with_forces(last, np.zeros(1, dtype=np.int64))

    def multipliers(self, rows: SavedSteps) -> np.ndarray:
        return rows.lam

    def note(self, statistics: Statistics) -> None:
        statistics.position_drift = max(statistics.position_drift, self._drift[0])
        statistics.velocity_drift = max(statistics.velocity_drift, self._drift[1])

    def work(self) -> np.ndarray:
        self._go_on(at_end=True)
        return np.concatenate([work for _, work in self._found] or [self.balance.work[None]])

    @property
    def balance(self) -> RunningBalance:
        """The energy balance of all interpolated steps."""
        return self._done.balance

    @property
    def none_reached(self) -> bool:
        return self._done.reached == 0

    @property
    def some_steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Times (k,) and positions (k, nq) of some steps, evenly spread over the run, and of the last."""
        some = [*self._some, *(self._ends[1:] if self._some[-1][0] < self._ends[-1][0] else ())]
        return np.array([t for t, _ in some]), np.stack([q for _, q in some])

    def error(self) -> float:
        """Error of the energy balance of all steps, as a part of the energy exchanged."""
        (t0, q0), (t1, q1) = self._ends[0], self._ends[-1]
        return self.balance.error(still_energy(self._own, np.array([t0, t1]), np.stack([q0, q1])))

    def switch(self, system: System, jump: np.ndarray) -> None:
        """As :meth:`History.switch`, after all steps so far are interpolated; a chosen time at the very instant has the
        state after the switch."""
        self._go_on(at_end=True, before=float(joined(self._newest()).t[-1]))
        done = self._done
        balance = replace(done.balance, work=done.balance.work + jump)
        self._done = Done(None, 0, done.parts, done.reached, done.pieces, balance)
        super().switch(system, jump)
        self._own = _copy_of(system)

    def _first_of_epoch(self) -> int:
        return self._done.reached

    def _newest(self) -> list[SavedSteps]:
        """The steps that are not dropped yet."""
        waiting = [part for k, part in self._pending.items() if k >= self._done.parts]
        return [*([] if self._done.rows is None else [self._done.rows]), *waiting]

    def for_later(self, change: Callable[[SavedSteps], SavedSteps]) -> None:
        self._pending = {k: change(part) for k, part in self._pending.items()}

    def _with_forces(self, rows: SavedSteps, which: np.ndarray) -> SavedSteps:
        """Steps with the multipliers of those with these numbers (k,), where the method does not find them."""
        assert self.late is not None
        lam = np.zeros((len(rows.t), len(self.system.assembly.every_row)))
        t, q, v, a, kept = (x[which] for x in rows)
        lam[which] = self.late.multipliers(t, q, v, a, kept, held_commands(self.logs(), t, until=True))
        return rows._replace(lam=lam)

    def _working(self, steps: SavedSteps) -> np.ndarray:
        """The numbers (k,) of the steps whose multipliers do work: all if rows may move by themselves."""
        return np.arange(len(steps.t) if may_be_driven(self.system.plan) else 0)

    def _go_on(self, at_end: bool, before: float = np.inf) -> None:
        """Interpolate the steps that are followed by enough others, or all of them `at_end`, at the chosen times
        earlier than `before`, and drop the steps that are no longer needed."""
        done = self._done
        del self._found[done.pieces :]
        waiting = {k: part for k, part in self._pending.items() if k >= done.parts}
        kept = rows = joined(self._newest())
        first, last = done.next, len(rows.t) - 1 if at_end else len(rows.t) - 1 - STEPS_AHEAD
        until = rows.t[last]
        if at_end:
            step = rows.t[-1] - rows.t[-2] if len(rows.t) > 1 else 0.0
            until = np.nextafter(until + MET * step + ROUNDING * abs(until), np.inf)
        times = self.times[done.reached :]
        times = times[: int(np.searchsorted(times, min(until, before)))]
        low, inside = max(first - 1, 0), None
        if self.late is not None:
            drift = self.late.drift(*(x[max(first, 1) : last + 1] for x in rows[:3]))
            self._drift = max(self._drift[0], drift[0]), max(self._drift[1], drift[1])
            working = self._working(kept)
            rows = self._with_forces(kept, working)
        if len(times):
            met = np.minimum(times, rows.t[-1])
            if self.again is not None:
                self.again.logs = self.logs()
            between = Interpolation(rows.t, met, f"model {self._own.model.name!r}", self.order)
            if self.late is not None:
                near = between.left[:, None] + np.arange(-STEPS_BEHIND, STEPS_AHEAD + 1)
                near = np.unique(np.clip(near, 0, len(rows.t) - 1))
                rows = self._with_forces(kept, near if not len(working) else working)
            there = between.states(States(*rows[1:]), self._own.orientations, again=self.again)
            _, inside, places = inside_steps(between, there, self._own.row_numbers, low, len(rows.t))
        work, balance = self._entered(rows, first, last, inside)
        if len(times):
            self._found.append((SavedSteps(times, *there[0]), work[places]))
        drop = max(last - STEPS_BEHIND, 0)
        rest = joined([kept.part(drop, len(kept.t))])
        parts = max(waiting, default=done.parts - 1) + 1
        reached = done.reached + len(times)
        self._done = Done(rest, last - drop, parts, reached, len(self._found), balance)
        self._pending = {k: part for k, part in self._pending.items() if k >= parts}

    def _entered(
        self, rows: SavedSteps, first: int, last: int, inside: Inside | None
    ) -> tuple[np.ndarray, RunningBalance]:
        """The work (k, 4) from the start of the run to the ends of steps from `first` − 1 on and to the times `inside`
        them, and the energy balance with the steps first … last − 1."""
        low, high = max(first - 1, 0), min(last + 3, len(rows.t))
        part = rows.part(low, high)
        part = part._replace(lam=np.ascontiguousarray(part.lam[:, self._own.row_numbers]))
        places, held = held_commands(self.logs(), part.t[:-1])
        p, own = self._own.plan.p, (self._own.assembly, self._own.plan)
        commanded, stuck = p[places].copy(), keep_friction(*own)
        found = flows(self._own, Steps(*part, self.epochs[-1].rows, places, held), inside)
        p[places] = commanded  # restore the values of the run
        set_friction(*own, stuck)
        ends = np.arange(first - low, last - low + 1)
        if inside is not None:
            ends += np.searchsorted(inside.steps, ends)
        work = found.work()
        work += self.balance.work - work[ends[0]]
        return work, self.balance.with_steps(found.energies[ends], work[ends])


class MotionAtTimes(AtTimes):
    """The motion of a run at chosen times, without its energies: for a run to which another one is compared."""

    def _working(self, steps: SavedSteps) -> np.ndarray:
        return np.arange(0)

    def _entered(
        self, rows: SavedSteps, first: int, last: int, inside: Inside | None
    ) -> tuple[np.ndarray, RunningBalance]:
        times = last + 1 - first + (0 if inside is None else len(inside.t))
        return np.zeros((times + 1, 4)), self.balance


def _copy_of(system: System) -> System:
    """A copy of a system with its own arrays, since those of the run must not change."""
    return system.whole.with_rows(system.whole.kept)
