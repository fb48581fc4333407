"""The rows of a run that have states: joints whose friction truly sticks (:mod:`flexmb.joints.sticking`), rows that
hold in one direction only (:mod:`flexmb.joints.unilateral`), and the friction beside these
(:mod:`flexmb.joints.rubbing`). Which state each of them is in, and when that changes.

While a joint slides, its speed is watched; while it sticks, the margin of its friction to the limit is watched. While a
row in one direction is open, its gap is watched; while it is closed, its force. Where one of these falls through zero,
the step ends. There gaps that close have an impact (:mod:`flexmb.solvers.events.impacts.collision`). Then all joints at
rest are free to stick or to slide in either direction, and all gaps at rest are free to stay closed or to open, and a
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
in one direction: some are closed, and others stay at their limits without a force; and the friction beside them sticks
at some, and does nothing at others.

**Wedged.** What slides may press so much harder by its friction that no forces hold it (Painlevé (1895)): if no choice
is consistent, impulses are sought that stop it at once, as in an impact of surfaces that do not approach.

**The end of bouncing.** The flights of a row that bounces become shorter by a steady ratio r, and end at a time at
which infinitely many impacts have happened. Once what is left of them, d r/(1 − r) behind a flight d, moves nothing,
the row is closed; the record says when bouncing ends (:mod:`flexmb.solvers.events.impacts.bouncing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, STICKS
from flexmb.solvers.events.choosing import AtRest, Choice, Choosing
from flexmb.solvers.events.crossing_state import FOR_EVER, for_ever
from flexmb.solvers.events.impacts.bouncing import Bouncing
from flexmb.solvers.events.impacts.collision import Response, approaching, collide
from flexmb.solvers.events.margins import MarginsWithin
from flexmb.solvers.events.stated_row import UnilateralRow
from flexmb.solvers.events.stuck_between import StuckBetween
from flexmb.solvers.rows.index_one import norm, project
from flexmb.solvers.rows.left_out import AT_REST, LEAST_SPEED
from flexmb.system.accelerations import with_room, work_for
from flexmb.system.rank import scaled_rows
from flexmb.system.system import System

#: Inertia of a joint that sticks, as a multiple of the model's inertia.
STUCK_INERTIA = 1e8
#: Fraction to which the largest recent speed is reduced after a change.
FORGOTTEN = 0.1
#: A joint whose speed falls through zero rests if it may stick: if stopping it changes no speed by more than this
#: fraction of the largest. One that is AT_REST, or stuck before, rests too.
STOPPED = 1e-5
#: A joint that changes as often as an event that happens for ever, within this fraction of a run, does so at one
#: instant: in a long run, joints that are shaken change as often within that of events.
AT_ONE_INSTANT = 1e-8
#: Gaps below this, in model lengths or radians, are closed where others close: they take part in the same impact.
TOGETHER = 1e-11
#: A gap that opens is watched from so far below what it is then, in model lengths or radians: it begins above zero, on
#: the side to which it moves, whatever round-off left of it.
BELOW = 1e-15
#: Forces of gaps are exact, and are compared with this part of large ones.
SLIGHT = 1e-3


@dataclass
class RowStates(Choosing):
    """The rows of a run that have states."""

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
        super().use(system)
        self._margins: MarginsWithin | None = None
        self._between: StuckBetween | None = None
        if self.rows:
            sizes = system.length_scale / system.scale[self.speeds]
            self.p[self.places + 1] = STUCK_INERTIA * system.mass_scale * sizes**2

    def endless(self, t: float, changed: np.ndarray, span: float) -> str:
        """A message that names a row that changes for ever at one instant; empty if none does. `changed` (k,): the rows
        that change at time t of a run over a `span` [s]."""
        for k in np.flatnonzero(changed).tolist():
            times = self._times.setdefault(self.names(k), [])
            times.append(t)
            if for_ever(times, span, AT_ONE_INSTANT):
                hard = self.one_way[k] or self.rubbing[k]
                return (
                    f"{self.rows[k].where} {'opens and closes' if self.one_way[k] else 'sticks and slides'} {FOR_EVER} "
                    f"times since t = {times[-FOR_EVER]:.9g} s: it does so for ever at one instant; "
                    f"{'one with a stiffness' if hard else 'friction with a smoothing'} goes on"
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
        system, n = self.system, self.system.n
        touching = self._touching(q, changed)
        for k in np.flatnonzero(touching).tolist():
            self._floors.pop(self.names(k), None)
        struck, collision, ended = np.zeros(0, dtype=np.int64), None, {}
        fastest = max(self._seen, norm(v, system.scale, n), LEAST_SPEED)
        if strikes and (touching & self._approaching(v, fastest)).any():
            struck = np.flatnonzero(touching)
            collision = collide(system, self.meeting(t, q, v, struck), t, q, v, fastest)
            if collision.jammed:
                return self._immovable(struck)
            v = collision.v
            ended = self.bouncing.ended(t, system, struck, [self.names(k) for k in struck.tolist()], collision)
            alone = v[self.speeds[list(ended)]] > 0.0
            v[self.speeds[list(ended) if alone.all() else struck]] = 0.0
        rough = touching & np.append(self.rubbing[1:], False)
        opening = None if strikes else rough
        found = self._chosen(t, q, v, lam, changed, touching, collision is not None, opening)
        if not isinstance(found, Choice) and strikes and collision is None and rough.any():
            struck = np.flatnonzero(touching)
            collision = collide(system, self.meeting(t, q, v, struck), t, q, v, fastest, wedges=True)
            if not collision.jammed:
                found = self._chosen(t, q, collision.v, lam, changed, touching, True)
        if isinstance(found, Choice):
            self.p[self.places] = found.states
            return replace(found, collision=collision, struck=struck, ended=ended)
        return self._jams(found)

    def _immovable(self, struck: np.ndarray) -> str:
        """The message for gaps that close on what no impulse stops."""
        names = ", ".join(dict.fromkeys(self.rows[k].where for k in struck.tolist()))
        return (
            f"{names}: no impulses stop what moves into them, since drives alone move it, or friction wedges it; "
            "move it back in time, or take less friction"
        )

    def _jams(self, at_rest: np.ndarray) -> str:
        """The message for rows at rest without a consistent choice."""
        which = np.flatnonzero(at_rest) if at_rest.any() else np.arange(len(at_rest))
        names = [self.rows[k].where for k in which.tolist() if not self.rubbing[k]]
        jam = "it jams" if len(names) == 1 else "they jam"
        return (
            f"{', '.join(dict.fromkeys(names))}: no choice of what sticks, and what slides which way, "
            f"is consistent with the friction, {jam}; take less friction or longer bearings, or give it a smoothing"
        )

    def _chosen(
        self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray, changed: np.ndarray, touching: np.ndarray,
        collided: bool, opening: np.ndarray | None = None,
    ) -> Choice | np.ndarray:  # fmt: skip
        """The consistent choice at a state, behind the impact if there was one; `touching` (k,): the gaps at their
        limits. If there is none, these gaps are left open, `opening` (k,), or else marks (k,) of the rows at rest."""
        system, n, before = self.system, self.system.n, self.states
        speed = norm(v, system.scale, n)
        size = max(self._seen, speed, LEAST_SPEED)
        self._seen, self.fastest = max(speed, FORGOTTEN * self._seen), max(speed, FORGOTTEN * size)
        small = np.abs(v[self.speeds] / system.scale[self.speeds]) <= AT_REST * size
        closed = touching & small
        held = self._held(closed, small, changed | (before == STICKS), collided)
        turns = self.rubbing & held & ~small  # at the end of a stroke it goes on, and loses no speed unless it sticks
        stopped = self._stopped(t, q, v, lam, held & ~turns)
        if norm(stopped - v, system.scale, n) > STOPPED * size:
            # the joint turns back at the end of its stroke while others move on
            held = self._held(closed, small, before == STICKS, collided)
            turns = self.rubbing & held & ~small
            stopped = self._stopped(t, q, v, lam, held & ~turns)
        v = stopped
        own_speeds = v[self.speeds] / system.scale[self.speeds]
        turning = changed & ~held & (not collided)
        own_speeds[turning] = -before[turning]
        slow = ((np.abs(own_speeds) <= AT_REST * size) | held) & (held | ~changed)
        rests = np.where(self.one_way, held, slow & self.pressed(closed))
        released = changed & (before == STICKS) & rests
        scaled = scaled_rows(system, system.jacobian(t, q[: system.nq]))
        at = AtRest(t, q, v, lam, scaled, rests, bool(released.any()), 0.0)
        unbraked = self.tried(np.full(len(rests), FREE), at)
        hardest = norm(unbraked.a, system.scale, n) if unbraked is not None else 0.0
        at = replace(at, hardest=max(hardest, self._pushed(t, q, v)))
        self._weigh(at)
        choice = np.where(self.one_way, FREE, np.where(own_speeds >= 0.0, FORWARD, BACKWARD))
        choice[rests] = STICKS
        every = system.for_all_rows(lam)
        for k in np.flatnonzero(released).tolist():
            choice[k] = self.rows[k].instead(STICKS, q, every)
        found = self.consistent(choice, at, unbraked)
        if found is None and opening is not None and opening.any():
            found = self.tried(np.where(opening, FREE, choice), at)
        if found is None:
            self.p[self.places] = before
            return rests
        sticks = found.states == STICKS
        if (turns & sticks).any():
            v = self._stopped(t, q, v, lam, held & (sticks | ~turns))
            found = self.tried(found.states, replace(at, v=v)) or found
        self._blocked, self._between = self.blocked_in(found, at), None
        return found

    def _held(self, closed: np.ndarray, small: np.ndarray, likely: np.ndarray, collided: bool) -> np.ndarray:
        """Marks (k,) of the rows that may be held where they are: gaps that are `closed`, joints that are `likely` to
        stick, and the friction beside closed gaps that slips by a `small` speed or is likely to stick; behind an impact
        those alone whose speed is small."""
        beside = self.pressed(closed) & (small | likely)
        held = np.where(self.one_way, closed, np.where(self.rubbing, beside, likely))
        return np.asarray(held & small if collided else held)

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

    def _weigh(self, at: AtRest) -> None:
        """Tell rows in one direction that are at rest which force is slight beside the one that would cause the largest
        acceleration there is."""
        resting = [row for row, rests in zip(self.rows, at.rests) if rests and isinstance(row, UnilateralRow)]
        if resting:
            answer = Response(self.system, at.t, at.q, at.v, resting)
            for row, size, own in zip(resting, answer.sizes, np.diag(answer.D)):
                row.weigh(SLIGHT * (at.hardest * size / own if own > 0.0 and at.hardest > 0.0 else 1.0))

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
