"""The rows of a run that have states: joints whose friction truly sticks (:mod:`flexmb.joints.sticking`), and rows that
hold in one direction only (:mod:`flexmb.joints.unilateral`). Which state each of them is in, and when that changes.

While a joint slides, its speed is watched; while it sticks, the margin of its friction to the limit is watched. While a
row in one direction is open, its gap is watched; while it is closed, its force. Where one of these falls through zero,
the step ends. There gaps that close have an impact (:mod:`flexmb.solvers.events.collision`). Then all joints at rest
are free to stick or to slide in either direction, and all gaps at rest are free to stay closed or to open, and a
consistent choice is sought (as in Pfeiffer and Glocker (1996)):

    sticks   |λ_s| ≤ μ_S N        slides from rest   s̈ in its direction        moves   in its direction
    closed   −λ_s ≥ 0             opens from rest    s̈ ≥ 0                     open    s > 0

First all that is at rest sticks or is closed. A joint whose limit is exceeded then slides in the direction in which its
friction gives way, and one that would accelerate against its direction sticks; a row that would pull opens, and one
whose gap would become negative closes. If this leads to no consistent choice, all choices are tried. If none is
consistent, the joints jam, and the run stops.

If several joints share one degree of freedom, they cannot all stick: how much each of them holds is not determined.
Then some stick, and others rest with the largest possible friction, in one direction or the other. Whether the
mechanism rests does not depend on that; the joint forces are one of several solutions that hold it. So it is with rows
in one direction: some are closed, and others stay at their limits without a force.

**The end of bouncing.** The flights of a row that bounces become shorter by a steady ratio r, and end at a time at
which infinitely many impacts have happened. Once what is left of them, d r/(1 − r) behind a flight d, moves nothing,
the row is closed; the record says when bouncing ends (:mod:`flexmb.solvers.events.bouncing`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, STICKS
from flexmb.solvers.events.bouncing import Bouncing
from flexmb.solvers.events.collision import Collision, Response, approaching, collide
from flexmb.solvers.events.crossing_state import FOR_EVER, for_ever
from flexmb.solvers.events.margins import MarginsWithin
from flexmb.solvers.events.stated_row import UnilateralRow, stated_rows
from flexmb.solvers.events.stuck_between import StuckBetween
from flexmb.solvers.rows.index_one import norm, project
from flexmb.solvers.rows.left_out import AT_REST, LEAST_SPEED
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.rank import redundant_rows, scaled_rows
from flexmb.system.system import System

#: Inertia of a joint that sticks, as a multiple of the model's inertia.
STUCK_INERTIA = 1e8
#: Fraction to which the largest recent speed is reduced after a change.
FORGOTTEN = 0.1
#: A joint whose speed falls through zero rests if it may stick: if stopping it changes no speed by more than this
#: fraction of the largest. One that is AT_REST, or stuck before, rests too.
STOPPED = 1e-5
#: Friction may exceed its limit, and joints may accelerate against their direction, by this fraction.
BEYOND = 1e-7
#: When a joint breaks away, joints that stick must be further below their limit than this fraction of it.
BROKEN = 1e-6
#: A joint that changes as often as an event that happens for ever, within this fraction of a run, does so at one
#: instant: in a long run, joints that are shaken change as often within that of events.
AT_ONE_INSTANT = 1e-8
#: Largest number of joints at rest for which all choices are tried.
MOST_TRIED = 7
#: Gaps below this, in model lengths or radians, are closed where others close: they take part in the same impact.
TOGETHER = 1e-9
#: A gap that opens is watched from so far below what it is then, in model lengths or radians: it begins above zero, on
#: the side to which it moves, whatever round-off left of it.
BELOW = 1e-15
#: Forces of gaps are exact, and are compared with this part of large ones.
SLIGHT = 1e-3


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
class _State:
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
class RowStates:
    """The rows of a run that have states."""

    system: System

    def __post_init__(self) -> None:
        self.use(self.system)
        #: reference for speeds: the largest at the last change of a joint, in model lengths and radians per second
        self.fastest = LEAST_SPEED
        #: the largest recent speed
        self._seen = LEAST_SPEED
        #: coordinates of rows that cannot move while others stick
        self._blocked: set[str] = set()
        #: times of changes of each row, by the name of its coordinate
        self._times: dict[str, list[float]] = {}
        self.bouncing = Bouncing()
        #: the values of gaps at which they count as closed, by the names of their coordinates
        self._floors: dict[str, float] = {}

    def use(self, system: System) -> None:
        """Continue with other rows or components."""
        self.system, self.rows = system, stated_rows(system) if system.plan.friction else []
        self._margins: MarginsWithin | None = None
        self._between: StuckBetween | None = None
        self.p = system.plan.p
        self.places = np.array([row.place for row in self.rows], dtype=np.int64)
        self.speeds = np.array([row.speed for row in self.rows], dtype=np.int64)
        #: which of them hold in one direction only
        self.one_way = np.array([isinstance(row, UnilateralRow) for row in self.rows], dtype=bool)
        if self.rows:
            sizes = system.length_scale / system.scale[self.speeds]
            self.p[self.places + 1] = STUCK_INERTIA * system.mass_scale * sizes**2

    @property
    def states(self) -> np.ndarray:
        """The present state of each row."""
        return self.p[self.places]

    def names(self, k: int) -> str:
        """The name of the coordinate of row number k."""
        return self.system.names[self.rows[k].speed]

    def endless(self, t: float, changed: np.ndarray, span: float) -> str:
        """A message that names a row that changes for ever at one instant; empty if none does. `changed` (k,): the rows
        that change at time t of a run over a `span` [s]."""
        for k in np.flatnonzero(changed).tolist():
            times = self._times.setdefault(self.names(k), [])
            times.append(t)
            if for_ever(times, span, AT_ONE_INSTANT):
                one_way = self.one_way[k]
                return (
                    f"{self.rows[k].where} {'opens and closes' if one_way else 'sticks and slides'} {FOR_EVER} times "
                    f"since t = {times[-FOR_EVER]:.9g} s: it does so for ever at one instant; "
                    f"{'a stop with a stiffness' if one_way else 'friction with a smoothing'} goes on"
                )
        return ""

    def values(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The watched value of each row (k,), which falls through zero where the row has to change: of a joint that
        slides its speed in its direction, of a gap that is open the gap, of what sticks its margin; full vectors, λ of
        the active rows."""
        out = np.empty(len(self.rows))
        speed = norm(v, self.system.scale, self.system.n)
        self._seen = max(self._seen, speed) if speed < np.inf else self._seen
        for k, row in enumerate(self.rows):
            state = self.p[row.place]
            if state == STICKS:
                continue
            name = self.names(k)
            out[k] = row.watched(state, q, v, self.system.scale[row.speed], self.fastest)
            if name in self._blocked:
                out[k] = 1.0
            elif self.one_way[k]:
                out[k] -= self._floors.setdefault(name, min(out[k], 0.0) - BELOW)
        stuck = self.states == STICKS
        if stuck.any():
            if self._between is None:
                self._margins = self._margins or MarginsWithin(self.system)
                self._between = StuckBetween(self._margins)
            out[stuck] = self._between.least(t, q, v, lam)
        return out

    def settle(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        lam: np.ndarray,
        changed: np.ndarray,
        strikes: bool = True,
    ) -> Choice | str:
        """Find a consistent choice at a state (full vectors; λ of the active rows) and make it the present one; returns
        it, or a message why there is none. `changed` (k,): the rows whose values fell through zero; `strikes`: gaps
        that close have an impact, or else they are left open, at the limit, for the first step of a run to find."""
        system, n, before = self.system, self.system.n, self.states
        touching = self._touching(q, changed)
        for k in np.flatnonzero(touching).tolist():
            self._floors.pop(self.names(k), None)
        struck, collision, ended = np.zeros(0, dtype=np.int64), None, {}
        fastest = max(self._seen, norm(v, system.scale, n), LEAST_SPEED)
        if strikes and (touching & self._approaching(v, fastest)).any():
            struck, own = np.flatnonzero(touching), [row for row in self.rows if isinstance(row, UnilateralRow)]
            meeting = [row for row, there in zip(own, touching[self.one_way]) if there]
            collision = collide(system, t, q, v, meeting, fastest)
            if collision.jammed:
                names = ", ".join(dict.fromkeys(row.where for row in meeting))
                return (
                    f"{names}: no impulses stop what moves into them, since drives alone move it; move it back in time"
                )
            v = collision.v
            ended = self.bouncing.ended(t, system, struck, [self.names(k) for k in struck.tolist()], collision)
            v[self.speeds[list(ended)]] = 0.0
        speed = norm(v, system.scale, n)
        size = max(self._seen, speed, LEAST_SPEED)
        self._seen, self.fastest = max(speed, FORGOTTEN * self._seen), max(speed, FORGOTTEN * size)
        closed = touching & (np.abs(v[self.speeds] / system.scale[self.speeds]) <= AT_REST * size)
        held = np.where(self.one_way, closed, changed | (before == STICKS))
        stopped = self._stopped(t, q, v, lam, held)
        if norm(stopped - v, system.scale, n) > STOPPED * size:
            # the joint turns back at the end of its stroke while others move on
            held = np.where(self.one_way, closed, before == STICKS)
            stopped = self._stopped(t, q, v, lam, held)
        v = stopped
        own_speeds = v[self.speeds] / system.scale[self.speeds]
        turning = changed & ~held
        own_speeds[turning] = -before[turning]
        rests = np.where(self.one_way, held, ((np.abs(own_speeds) <= AT_REST * size) | held) & (held | ~changed))
        released = changed & (before == STICKS) & rests
        scaled = scaled_rows(system, system.jacobian(t, q[: system.nq]))
        at = _State(t, q, v, lam, scaled, rests, bool(released.any()), 0.0)
        unbraked = self._tried(np.full(len(rests), FREE), at)
        hardest = norm(unbraked.a, system.scale, n) if unbraked is not None else 0.0
        at = replace(at, hardest=max(hardest, self._pushed(t, q, v)))
        self._weigh(at)
        choice = np.where(self.one_way, FREE, np.where(own_speeds >= 0.0, FORWARD, BACKWARD))
        choice[rests] = STICKS
        every = system.for_all_rows(lam)
        for k in np.flatnonzero(released).tolist():
            choice[k] = self.rows[k].instead(STICKS, q, every)
        found = self._improved(choice, at) or self._any(choice, at)
        if found is not None:
            self.p[self.places] = found.states
            self._blocked, self._between = self._blocked_in(found, at), None
            return replace(found, collision=collision, struck=struck, ended=ended)
        self.p[self.places] = before
        which = np.flatnonzero(rests) if rests.any() else np.arange(len(rests))
        jam = "it jams" if len(which) == 1 else "they jam"
        return (
            f"{', '.join(self.rows[k].where for k in which)}: no choice of what sticks, and what slides which way, "
            f"is consistent with the friction, {jam}; take less friction or longer bearings, or give it a smoothing"
        )

    def _touching(self, q: np.ndarray, changed: np.ndarray) -> np.ndarray:
        """Marks (k,) of the rows in one direction that are at their limits: those that are closed, whose gaps fell
        through zero, or are within round-off of it."""
        if not self.one_way.any():
            return self.one_way
        gaps = np.array([q[row.gap] if isinstance(row, UnilateralRow) else np.inf for row in self.rows])
        near = gaps <= TOGETHER * self.system.scale[self.speeds]
        return np.asarray(self.one_way & (near | changed | (self.states == STICKS)))

    def _approaching(self, v: np.ndarray, fastest: float) -> np.ndarray:
        """Marks (k,) of the gaps that become smaller."""
        out = np.zeros(len(self.rows), dtype=bool)
        own = [row for row in self.rows if isinstance(row, UnilateralRow)]
        out[self.one_way] = approaching(self.system, v, own, fastest)
        return out

    def _weigh(self, at: _State) -> None:
        """Tell rows in one direction that are at rest which force is slight beside the one that would cause the largest
        acceleration there is."""
        resting = [row for row, rests in zip(self.rows, at.rests) if rests and isinstance(row, UnilateralRow)]
        if resting:
            answer = Response(self.system, at.t, at.q, at.v, resting)
            for row, size, own in zip(resting, answer.sizes, np.diag(answer.D)):
                row.weigh(SLIGHT * (at.hardest * size / own if own > 0.0 and at.hardest > 0.0 else 1.0))

    def _blocked_in(self, found: Choice, at: _State) -> set[str]:
        """The coordinates of the rows that cannot move while others stick: they need not be watched."""
        blocked = set()
        for k in np.flatnonzero(at.rests & (found.states != STICKS)).tolist():
            one_more = found.states.copy()
            one_more[k] = STICKS
            if not self._independent(one_more, at):
                blocked.add(self.names(k))
        return blocked

    def _pushed(self, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """The largest acceleration that the forces would cause if there were no joints, in model lengths and
        radians."""
        system, n = self.system, self.system.n
        r = system.residual(t, q[: system.nq], v[:n], np.zeros(n))
        inertia = system.diagonal(q[: system.nq], (1.0, 0.0, 0.0), t)
        size = inertia * system.scale**2
        size[self.speeds] = 0.0
        some = size > 1e-9 * np.max(size)
        return float(np.max(np.abs(r[some]) / inertia[some] / system.scale[some], initial=0.0))

    def _stopped(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray, held: np.ndarray) -> np.ndarray:
        """Set the speeds of the joints `held` to zero, and change the others by the shortest amount that satisfies the
        constraints; returns all speeds."""
        system, v = self.system, v.copy()
        self.p[self.places] = np.where(held, STICKS, FREE)
        for _ in range(2):  # the projection leaves round-off in the stopped speeds
            v[self.speeds[held]] = 0.0
            work = work_for(system.plan)
            with_room(system, project, t, q.copy(), v, lam.copy(), system.row_scale, work, 0.0, 0, False)
        v[self.speeds[held]] = 0.0
        return v

    def _improved(self, choice: np.ndarray, at: _State) -> Choice | None:
        """A consistent choice, found from this one by changing the joint that violates its condition most, again and
        again; None if that finds none."""
        seen: set[tuple[float, ...]] = set()
        while tuple(choice) not in seen:
            seen.add(tuple(choice))
            found = self._tried(choice, at)
            if found is None:
                return None
            wrong = self._wrong(found, at)
            if not len(wrong):
                return found
            k = int(wrong[0])
            choice = choice.copy()
            choice[k] = self.rows[k].instead(choice[k], at.q, self.system.for_all_rows(found.lam))
        return None

    def _any(self, choice: np.ndarray, at: _State) -> Choice | None:
        """Any consistent choice for the joints at rest; None if there is none."""
        free = np.flatnonzero(at.rests)
        if len(free) > MOST_TRIED:
            return None
        choice = choice.copy()
        for guess in product(*(self.rows[k].choices for k in free)):
            choice[free] = guess
            found = self._tried(choice, at)
            if found is not None and not len(self._wrong(found, at)):
                return found
        return None

    def _tried(self, states: np.ndarray, at: _State) -> Choice | None:
        """The motion that follows from these states of the joints; None if it is not determined."""
        system = self.system
        self.p[self.places] = states
        a, lam = np.zeros(system.plan.total), at.lam.copy()
        if not np.isfinite(lam).all() or not self._independent(states, at):
            return None
        args = (at.q, at.v, a, lam, work_for(system.plan), 0.0, 0.0)
        if with_room(system, accelerations, at.t, *args) != OK or not np.isfinite(a).all():
            return None
        return Choice(states.copy(), at.v, a, lam)

    def _independent(self, states: np.ndarray, at: _State) -> bool:
        """Whether the rows of all joints are independent of one another while these joints stick."""
        system, q, moves = self.system, at.q[: self.system.nq], np.ones(self.system.n)
        moves[self.speeds[states == STICKS]] = 0.0
        return bool(moves.all()) or not len(redundant_rows(system, at.t, q, scaled=at.scaled * moves))

    def _wrong(self, found: Choice, at: _State) -> np.ndarray:
        """The rows that violate the conditions of their states, the worst first."""
        every = self.system.for_all_rows(found.lam)
        hardest = max(at.hardest, norm(found.a, self.system.scale, self.system.n))
        off = np.zeros(len(self.rows))
        for k, row in enumerate(self.rows):
            if found.states[k] == STICKS:
                off[k] = row.beyond(at.q, every) + (BROKEN if at.breaks else 0.0)
            elif at.rests[k] and hardest > 0.0:
                way = row.way(found.states[k])
                off[k] = -way * found.a[row.speed] / self.system.scale[row.speed] / hardest
        wrong = np.flatnonzero(off > BEYOND)
        return wrong[np.argsort(-off[wrong], kind="stable")]
