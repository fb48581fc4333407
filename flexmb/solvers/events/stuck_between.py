"""What friction has left inside of steps, while joints stick.

A mechanism at rest lets steps become as long as they like, whatever the forces do that friction holds. So where a step
ends all that friction has left to its limits is looked at in places within the step too: at first in three that no
period of a force is likely to hit always alike, then between those where a line does not tell what lies between. What
is watched at the end of a step is the least of all, which falls when the end moves on and never rises, so that the
instant of breaking away is found as any other. Where lines have told it, steps that are no longer are not looked into,
but for one in some.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.linear import OK
from flexmb.system.system import System

#: places within a step that are looked at first, as parts of it
FIRST = (0.2764, 0.5279, 0.7853)
#: the most places that are looked at in a step, and the least part of it between two of them
MOST, NARROW = 40, 1e-2
#: a line tells what lies between if it is off by less than this part of what is left
OFF = 0.2
#: steps that are not looked into, one after the other, where lines have told it
TRUSTED = 5

#: A time with full vectors q and v.
Place = tuple[float, np.ndarray, np.ndarray]


class StuckBetween:
    """What friction has left within steps of a system, which has arrays of its own, since the run works with those of
    the other. `left` gives that at a position, full q, and λ of the rows that take part (k,)."""

    def __init__(self, system: System, left: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.system, self.left = system.whole.with_rows(system.kept), left
        self.work = work_for(self.system.plan)
        #: the last state at which all was positive, and what was left there
        self.since: Place | None = None
        self._first = np.zeros(0)
        #: what was found left at times behind that state
        self._known: dict[float, np.ndarray] = {}
        #: the longest step in which lines told what lies between, and how many were not looked into since
        self._told, self._trusted = 0.0, 0

    def least(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The least of what is left (k,) until a state since the last one at which all was positive."""
        now = self._left_at(t, q, v, lam)
        if self.since is None:
            self._begin(t, q, v, now)
        assert self.since is not None
        if t <= self.since[0]:
            return now
        begin, end = self.since, (t, q, v)
        h = t - begin[0]
        first = self._first
        smooth = np.all(np.abs(now - first) <= OFF * np.minimum(now, first)) and np.all(now > 0.0)
        if smooth and h <= self._told and self._trusted < TRUSTED:
            self._trusted += 1
            self._begin(t, q, v, now)
            return now
        known = [at for at in self._known if at < t]
        if known:  # its end is looked for, and what lies before is known
            last = max(known)
            part = (0.5 * (last + t) - begin[0]) / h
            self._known[0.5 * (last + t)] = self._at(begin, end, part, lam)
            least = np.minimum(now, np.min([x for at, x in self._known.items() if at < t], axis=0))
        else:
            least = np.minimum(now, self._looked(begin, end, lam, now))
        if np.all(least > 0.0):
            self._begin(t, q, v, now)
        return np.asarray(least)

    def _begin(self, t: float, q: np.ndarray, v: np.ndarray, now: np.ndarray) -> None:
        self.since, self._first, self._known = (t, q.copy(), v.copy()), now, {}

    def _looked(self, begin: Place, end: Place, lam: np.ndarray, now: np.ndarray) -> np.ndarray:
        """The least of what is left within a step."""
        found = {0.0: self._first, 1.0: now}
        for part in FIRST:
            found[part] = self._at(begin, end, part, lam)
        parts = sorted(found)
        waiting = list(pairwise(parts))
        bent = False
        while waiting and len(found) < MOST:
            low, high = waiting.pop(0)
            middle = 0.5 * (low + high)
            one, two, value = found[low], found[high], self._at(begin, end, middle, lam)
            found[middle] = value
            line = 0.5 * (one + two)
            if np.any(np.abs(value - line) > OFF * np.minimum(np.minimum(one, two), value)):
                bent = True
                if high - low > NARROW:
                    waiting += [(low, middle), (middle, high)]
        self._told, self._trusted = (0.0 if bent else end[0] - begin[0]), 0
        self._known = {begin[0] + x * (end[0] - begin[0]): found[x] for x in found if 0.0 < x < 1.0}
        return np.asarray(np.min(list(found.values()), axis=0))

    def _at(self, begin: Place, end: Place, part: float, lam: np.ndarray) -> np.ndarray:
        """What is left at a place within a step, on the cubic through positions and speeds at both of its ends."""
        system, nq, n, h = self.system, self.system.nq, self.system.n, end[0] - begin[0]
        way = system.difference(end[1][:nq], begin[1][:nq])
        bend = (1.0 - part) * (h * begin[2][:n] - way) - part * (h * end[2][:n] - way)
        q = system.full_q(system.retract(begin[1][:nq], part * way + part * (1.0 - part) * bend))
        return self._left_at(begin[0] + part * h, q, (1.0 - part) * begin[2] + part * end[2], lam)

    def _left_at(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """What is left at a state, with the multipliers of the equations of motion there, by which it is chosen what
        sticks and slides from there on; `lam`, those that a method carries along, may be less accurate."""
        system = self.system
        a, force = np.zeros(system.plan.total), lam.copy()
        status = with_room(system, accelerations, t, q, v, a, force, self.work, 0.0, 0.0)
        return self.left(q, force if status == OK else lam)
