"""Joints of a run whose friction truly sticks (:mod:`flexmb.joints.sticking`): which of them stick, which slide and in
which direction, and when that changes.

While a joint slides, its speed is watched; while it sticks, the margin of its friction to the limit is watched. Where
one of these falls through zero, the step ends. Then all joints at rest are free to stick or to slide in either
direction, and a consistent choice is sought (as in Pfeiffer and Glocker (1996)):

    sticks   |λ_s| ≤ μ_S N        slides from rest   s̈ in its direction        moves   in its direction

First all joints at rest stick. A joint whose limit is exceeded then slides in the direction in which its friction gives
way, and one that would accelerate against its direction sticks. If this leads to no consistent choice, all choices are
tried. If none is consistent, the joints jam, and the run stops.

If several joints share one degree of freedom, they cannot all stick: how much each of them holds is not determined.
Then some stick, and others rest with the largest possible friction, in one direction or the other. Whether the
mechanism rests does not depend on that; the joint forces are one of several solutions that hold it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, KEPT, STICKS
from flexmb.solvers.events.crossing_state import FOR_EVER, for_ever
from flexmb.solvers.events.margins import ABOVE, MarginsWithin
from flexmb.solvers.events.stuck_between import StuckBetween
from flexmb.solvers.rows.index_one import norm, project
from flexmb.solvers.rows.left_out import AT_REST, LEAST_SPEED
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.instances import InstanceSeries
from flexmb.system.rank import redundant_rows, scaled_rows
from flexmb.system.sticking import sticking_places
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


@dataclass
class StickingJoint:
    """A joint that may stick: its kernel instance `series`, the parameters p of the plan, and the index `place` in
    these of the state of its friction; the index `speed` of its coordinate in v, and its `rows` among all."""

    series: InstanceSeries
    p: np.ndarray
    place: int

    def __post_init__(self) -> None:
        self.name, self.where = self.series.owner.name, self.series.owner.where
        self.speed = int(self.series.coordinates.v[0, -1])
        self.rows = self.series.rows[0]
        assert self.series.state is not None
        self.first = self.place - self.series.state
        n, m = self.series.coordinates.v.shape[1], len(self.rows)
        self._scratch = np.zeros((1, n * (1 + m))), np.zeros((1, n, n)), np.zeros(max(self.series.work, 1))

    def limit(self, q: np.ndarray, lam: np.ndarray) -> float:
        """The largest friction [N or Nm] while the joint sticks, which it also has as it begins to slide; at a position
        (total_q,), with λ of all rows."""
        return self._force(FORWARD, q, lam)

    def held(self, q: np.ndarray, lam: np.ndarray) -> float:
        """The force with which a joint that sticks is held [N or Nm], positive if the joint would move forward without
        it."""
        return self._force(KEPT, q, lam)

    def _force(self, state: float, q: np.ndarray, lam: np.ndarray) -> float:
        series, (out, K, work) = self.series, self._scratch
        assert series.state is not None
        p = self.p[None, self.first : self.first + series.parameters.shape[1]].copy()
        p[0, series.state] = state
        out[:] = 0.0
        still = np.zeros(len(q))
        at = (series.coordinates.q, series.coordinates.v)
        series.kernels.friction(p, *at, 0.0, q, still, still, lam[None, self.rows], np.zeros(4), out, K, work)
        return float(out[0, series.coordinates.v.shape[1] - 1])


@dataclass
class Choice:
    """A state of each joint, with the speeds, accelerations and multipliers that follow."""

    states: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


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


def sticking_joints(system: System) -> list[StickingJoint]:
    """The joints of a system whose friction truly sticks."""
    p = system.plan.p
    return [StickingJoint(series, p, place) for series, place in sticking_places(system.assembly, system.plan)]


@dataclass
class StickSlip:
    """The joints of a run that may stick."""

    system: System

    def __post_init__(self) -> None:
        self.use(self.system)
        #: reference for speeds: the largest at the last change of a joint, in model lengths and radians per second
        self.fastest = LEAST_SPEED
        #: the largest recent speed
        self._seen = LEAST_SPEED
        #: joints that cannot move while others stick
        self._blocked: set[str] = set()
        #: times of changes of each joint
        self._times: dict[str, list[float]] = {}

    def use(self, system: System) -> None:
        """Continue with other rows or components."""
        self.system, self.joints = system, sticking_joints(system) if system.plan.friction else []
        self._margins: MarginsWithin | None = None
        self._between: StuckBetween | None = None
        self.p = system.plan.p
        self.places = np.array([joint.place for joint in self.joints], dtype=np.int64)
        self.speeds = np.array([joint.speed for joint in self.joints], dtype=np.int64)
        if self.joints:
            sizes = system.length_scale / system.scale[self.speeds]
            self.p[self.places + 1] = STUCK_INERTIA * system.mass_scale * sizes**2

    @property
    def states(self) -> np.ndarray:
        """The present state of the friction of each joint."""
        return self.p[self.places]

    def endless(self, t: float, changed: np.ndarray, span: float) -> str:
        """A message that names a joint that changes for ever at one instant; empty if none does. `changed` (k,): the
        joints that change at time t of a run over a `span` [s]."""
        for k in np.flatnonzero(changed):
            times = self._times.setdefault(self.joints[k].name, [])
            times.append(t)
            if for_ever(times, span, AT_ONE_INSTANT):
                return (
                    f"{self.joints[k].where} sticks and slides {FOR_EVER} times since t = {times[-FOR_EVER]:.9g} s: it "
                    "does so for ever at one instant; friction with a smoothing goes on"
                )
        return ""

    def _margin(self, joint: StickingJoint, q: np.ndarray, lam: np.ndarray) -> tuple[float, float]:
        """The margin of a joint's friction to its limit, and the limit [N or Nm]; λ of all rows."""
        limit = joint.limit(q, lam)
        return limit - abs(joint.held(q, lam)), limit

    def values(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The watched value of each joint (k,), which falls through zero where the joint has to change: while it slides
        its speed in its direction, while it sticks its margin; full vectors, λ of the active rows."""
        out = np.empty(len(self.joints))
        speed = norm(v, self.system.scale, self.system.n)
        self._seen = max(self._seen, speed) if speed < np.inf else self._seen
        for k, joint in enumerate(self.joints):
            state = self.p[joint.place]
            if state == STICKS:
                continue
            if joint.name in self._blocked:
                out[k] = 1.0
            else:
                out[k] = state * v[joint.speed] / self.system.scale[joint.speed] + ABOVE * self.fastest
        stuck = self.states == STICKS
        if stuck.any():
            if self._between is None:
                self._margins = self._margins or MarginsWithin(self.system)
                self._between = StuckBetween(self._margins)
            out[stuck] = self._between.least(t, q, v, lam)
        return out

    def settle(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray, changed: np.ndarray) -> Choice | str:
        """Find a consistent choice at a state (full vectors; λ of the active rows) and make it the present one; returns
        it, or a message why there is none. `changed` (k,): the joints whose values fell through zero."""
        system, n, before = self.system, self.system.n, self.states
        speed = norm(v, system.scale, n)
        size = max(self._seen, speed, LEAST_SPEED)
        self._seen, self.fastest = max(speed, FORGOTTEN * self._seen), max(speed, FORGOTTEN * size)
        held = changed | (before == STICKS)
        stopped = self._stopped(t, q, v, lam, held)
        if norm(stopped - v, system.scale, n) > STOPPED * size:
            # the joint turns back at the end of its stroke while others move on
            held = before == STICKS
            stopped = self._stopped(t, q, v, lam, held)
        v = stopped
        own = v[self.speeds] / system.scale[self.speeds]
        own[changed & ~held] = -before[changed & ~held]
        rests = ((np.abs(own) <= AT_REST * size) | held) & (held | ~changed)
        released = changed & (before == STICKS)
        scaled = scaled_rows(system, system.jacobian(t, q[: system.nq]))
        at = _State(t, q, v, lam, scaled, rests, bool(released.any()), 0.0)
        unbraked = self._tried(np.full(len(rests), FREE), at)
        hardest = norm(unbraked.a, system.scale, n) if unbraked is not None else 0.0
        at = replace(at, hardest=max(hardest, self._pushed(t, q, v)))
        choice = np.where(own >= 0.0, FORWARD, BACKWARD)
        choice[rests] = STICKS
        every = system.for_all_rows(lam)
        for k in np.flatnonzero(released):
            choice[k] = FORWARD if self.joints[k].held(q, every) > 0.0 else BACKWARD
        found = self._improved(choice, at) or self._any(choice, at)
        if found is not None:
            self.p[self.places] = found.states
            self._blocked, self._between = self._blocked_in(found, at), None
            return found
        self.p[self.places] = before
        which = np.flatnonzero(rests) if rests.any() else np.arange(len(rests))
        jam = "it jams" if len(which) == 1 else "they jam"
        return (
            f"{', '.join(self.joints[k].where for k in which)}: no choice of what sticks, and what slides which way, "
            f"is consistent with the friction, {jam}; take less friction or longer bearings, or give it a smoothing"
        )

    def _blocked_in(self, found: Choice, at: _State) -> set[str]:
        """The joints that cannot move while others stick: they need not be watched."""
        blocked = set()
        for k in np.flatnonzero(at.rests & (found.states != STICKS)):
            one_more = found.states.copy()
            one_more[k] = STICKS
            if not self._independent(one_more, at):
                blocked.add(self.joints[k].name)
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
            held = self.joints[k].held(at.q, self.system.for_all_rows(found.lam))
            choice = choice.copy()
            choice[k] = STICKS if choice[k] != STICKS else FORWARD if held > 0.0 else BACKWARD
        return None

    def _any(self, choice: np.ndarray, at: _State) -> Choice | None:
        """Any consistent choice for the joints at rest; None if there is none."""
        free = np.flatnonzero(at.rests)
        if len(free) > MOST_TRIED:
            return None
        choice = choice.copy()
        for guess in product((STICKS, FORWARD, BACKWARD), repeat=len(free)):
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
        """The joints that violate the conditions of their states, the worst first."""
        every = self.system.for_all_rows(found.lam)
        hardest = max(at.hardest, norm(found.a, self.system.scale, self.system.n))
        off = np.zeros(len(self.joints))
        for k, joint in enumerate(self.joints):
            if found.states[k] == STICKS:
                margin, limit = self._margin(joint, at.q, every)
                off[k] = -margin / (limit + abs(joint.held(at.q, every)) or 1.0) + (BROKEN if at.breaks else 0.0)
            elif at.rests[k] and hardest > 0.0:
                off[k] = -found.states[k] * found.a[joint.speed] / self.system.scale[joint.speed] / hardest
        wrong = np.flatnonzero(off > BEYOND)
        return wrong[np.argsort(-off[wrong], kind="stable")]
