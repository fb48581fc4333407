"""The states that the rows of a system have at rest: a consistent choice among all, and the motion that follows from
it. The conditions of each state are those of :mod:`flexmb.solvers.events.row_states`.

A choice is improved by changing the row that violates its condition most, again and again. If that leads nowhere, the
contacts among the rows are a linear complementarity problem (:mod:`flexmb.solvers.events.impacts.coulomb`), which is
solved by pivots; at last, all choices of a few rows are tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from flexmb.joints.sticking import FREE, STICKS
from flexmb.solvers.events.impacts.collision import Collision, Meeting
from flexmb.solvers.events.impacts.coulomb import solved
from flexmb.solvers.events.stated_row import RubbingRow, StatedRow, UnilateralRow, stated_rows
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.rank import redundant_rows
from flexmb.system.system import System

#: Friction may exceed its limit, and joints may accelerate against their direction, by this fraction.
BEYOND = 1e-7
#: When a joint breaks away, joints that stick must be further below their limit than this fraction of it.
BROKEN = 1e-6
#: Largest number of joints at rest for which all choices are tried.
MOST_TRIED = 7


@dataclass
class Choice:
    """A state of each row, with the speeds, accelerations and multipliers that follow, and the impact before that, if
    there was one: of the rows `struck`, their numbers, those that have ended to bounce with the times at which that
    ends."""

    states: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    collision: Collision | None = None
    struck: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    ended: dict[int, float] = field(default_factory=dict)


@dataclass
class AtRest:
    """A time, full vectors q and v, λ of the active rows, their Jacobian in units of the scales; which joints are at
    rest, whether one of them breaks away, and the largest acceleration without friction or without joints, in model
    lengths and radians."""

    t: float
    q: np.ndarray
    v: np.ndarray
    lam: np.ndarray
    scaled: Any
    rests: np.ndarray
    breaks: bool
    hardest: float


@dataclass
class Choosing:
    """The rows of a system that have states, and consistent choices of these."""

    system: System

    def use(self, system: System) -> None:
        """Continue with other rows or components."""
        self.system, self.rows = system, stated_rows(system) if system.plan.friction else []
        self.p = system.plan.p
        self.places = np.array([row.place for row in self.rows], dtype=np.int64)
        self.speeds = np.array([row.speed for row in self.rows], dtype=np.int64)
        #: which of them hold in one direction only
        self.one_way = np.array([isinstance(row, UnilateralRow) for row in self.rows], dtype=bool)
        #: which of them are the friction beside the row before
        self.rubbing = np.array([isinstance(row, RubbingRow) for row in self.rows], dtype=bool)

    @property
    def states(self) -> np.ndarray:
        """The present state of each row."""
        return self.p[self.places]

    def names(self, k: int) -> str:
        """The name of the coordinate of row number k."""
        return self.system.names[self.rows[k].speed]

    def consistent(self, choice: np.ndarray, at: AtRest, unbraked: Choice | None) -> Choice | None:
        """A consistent choice for the rows at rest, sought from this one; None if there is none. `unbraked`: the motion
        in which nothing sticks, is closed or rubs."""
        return self._improved(choice, at) or self._by_pivots(choice, at, unbraked) or self._any(choice, at)

    def pressed(self, closed: np.ndarray) -> np.ndarray:
        """Marks (k,) of the rows that are no friction beside a gap, or of one that is `closed` (k,)."""
        return np.asarray(~self.rubbing | np.concatenate([[False], closed[:-1]])[: len(closed)])

    def meeting(self, t: float, q: np.ndarray, v: np.ndarray, numbers: np.ndarray) -> Meeting:
        """The gaps with these `numbers` among the rows, and the friction beside them."""
        gaps = [row for row in (self.rows[k] for k in numbers.tolist()) if isinstance(row, UnilateralRow)]
        return Meeting(self.system, t, q, v, gaps, [self.beside(k) for k in numbers.tolist()])

    def beside(self, k: int) -> RubbingRow | None:
        """The friction beside row number k, None if it has none."""
        row: StatedRow | None = self.rows[k + 1] if k + 1 < len(self.rows) else None
        return row if isinstance(row, RubbingRow) else None

    def blocked_in(self, found: Choice, at: AtRest) -> set[str]:
        """The coordinates of the rows that cannot move while others stick: they need not be watched."""
        blocked = set()
        for k in np.flatnonzero(at.rests & (found.states != STICKS)).tolist():
            one_more = found.states.copy()
            one_more[k] = STICKS
            if not self._independent(one_more, at):
                blocked.add(self.names(k))
        return blocked

    def _improved(self, choice: np.ndarray, at: AtRest) -> Choice | None:
        """A consistent choice, found from this one by changing the joint that violates its condition most, again and
        again; None if that finds none."""
        seen: set[tuple[float, ...]] = set()
        while tuple(choice) not in seen:
            seen.add(tuple(choice))
            found = self.tried(choice, at)
            if found is None:
                return None
            wrong = self._wrong(found, at)
            if not len(wrong):
                return found
            k = int(wrong[0])
            choice = choice.copy()
            choice[k] = self.rows[k].instead(choice[k], at.q, self.system.for_all_rows(found.lam))
        return None

    def _by_pivots(self, choice: np.ndarray, at: AtRest, unbraked: Choice | None) -> Choice | None:
        """A consistent choice of contacts at rest, as the problem of their accelerations has it, in which what slides
        keeps its direction; None if it finds none, or if joints are at rest too."""
        gaps = np.flatnonzero(self.one_way & at.rests)
        if unbraked is None or not len(gaps) or (at.rests & ~self.one_way & ~self.rubbing).any():
            return None
        meeting = self.meeting(at.t, at.q, at.v, gaps)
        problem = meeting.problem(unbraked.a[meeting.speeds])
        for j, k in enumerate(gaps.tolist()):
            if self.beside(k) is not None and not at.rests[k + 1]:
                problem.D[:, j] -= choice[k + 1] * problem.mu[j] * problem.D[:, problem.slips[j]]
                problem.slips[j] = -1
        found = solved(problem)
        if found is None:
            return None
        choice = choice.copy()
        choice[gaps] = np.where(np.array(found.states) == FREE, FREE, STICKS)
        rough = np.flatnonzero(problem.slips >= 0)
        choice[gaps[rough] + 1] = np.array(found.states)[rough]
        tried = self.tried(choice, at)
        return None if tried is None or len(self._wrong(tried, at)) else tried

    def _any(self, choice: np.ndarray, at: AtRest) -> Choice | None:
        """Any consistent choice for the joints at rest; None if there is none."""
        free = np.flatnonzero(at.rests)
        if len(free) > MOST_TRIED:
            return None
        choice = choice.copy()
        for guess in product(*(self.rows[k].choices for k in free)):
            choice[free] = guess
            found = self.tried(choice, at)
            if found is not None and not len(self._wrong(found, at)):
                return found
        return None

    def tried(self, states: np.ndarray, at: AtRest) -> Choice | None:
        """The motion that follows from these states of the rows, as far as rows in one direction can have them; None if
        it is not determined."""
        system, states = self.system, self._possible(states, at)
        self.p[self.places] = states
        a, lam = np.zeros(system.plan.total), at.lam.copy()
        if not np.isfinite(lam).all() or not self._independent(states, at):
            return None
        args = (at.q, at.v, a, lam, work_for(system.plan), 0.0, 0.0)
        if with_room(system, accelerations, at.t, *args) != OK or not np.isfinite(a).all():
            return None
        return Choice(states.copy(), at.v, a, lam)

    def _possible(self, states: np.ndarray, at: AtRest) -> np.ndarray:
        """These states, but for rows in one direction that would repeat others: they stay at their limits without a
        force, and so does the friction beside them and beside what is open."""
        if not self.one_way.any():
            return states
        states = states.copy()
        states[~self.pressed(states == STICKS)] = FREE
        if self._independent(states, at):
            return states
        own = [*np.flatnonzero(self.one_way & (states == STICKS)), *np.flatnonzero(self.rubbing & (states == STICKS))]
        wanted = states.copy()
        states[own] = FREE
        for k in own:
            if self.pressed(states == STICKS)[k]:
                states[k] = STICKS
                states[k] = STICKS if self._independent(states, at) else FREE
        slides = self.rubbing & (wanted != STICKS)
        states[slides] = np.where(self.pressed(states == STICKS), wanted, FREE)[slides]
        return states

    def _independent(self, states: np.ndarray, at: AtRest) -> bool:
        """Whether the rows of all joints are independent of one another while these joints stick."""
        system, q, moves = self.system, at.q[: self.system.nq], np.ones(self.system.n)
        moves[self.speeds[states == STICKS]] = 0.0
        return bool(moves.all()) or not len(redundant_rows(system, at.t, q, scaled=at.scaled * moves))

    def _wrong(self, found: Choice, at: AtRest) -> np.ndarray:
        """The rows that violate the conditions of their states, the worst first."""
        every = self.system.for_all_rows(found.lam)
        hardest = max(at.hardest, norm(found.a, self.system.scale, self.system.n))
        off = np.zeros(len(self.rows))
        for k, row in enumerate(self.rows):
            if self.rubbing[k] and found.states[k] == FREE:
                continue
            if found.states[k] == STICKS:
                off[k] = row.beyond(at.q, every) + (BROKEN if at.breaks else 0.0)
            elif at.rests[k] and hardest > 0.0:
                way = row.way(found.states[k])
                off[k] = -way * found.a[row.speed] / self.system.scale[row.speed] / hardest
        wrong = np.flatnonzero(off > BEYOND)
        return wrong[np.argsort(-off[wrong], kind="stable")]
