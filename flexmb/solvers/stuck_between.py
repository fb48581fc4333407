"""What friction has left inside of steps, while joints stick.

A mechanism at rest lets steps become as long as they like, whatever the forces do that friction holds. So where a step
ends all that friction has left to its limits is looked at in places within the step too, at first in three that no
period of a force is likely to hit always alike; between those that differ it is looked at again, so often as a line
through them may have missed a zero. What is watched at the end of a step is then the least of all, which falls when the
end moves on and never rises, so that the instant of breaking away is found as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from flexmb.solvers.index_one import accelerations, with_room, work_for
from flexmb.system.linear import OK
from flexmb.system.system import System

#: places within a step that are looked at first, as parts of it
FIRST = (0.2764, 0.5279, 0.7853)
#: the most places that are looked at in a step
MOST = 60
#: between two places is looked again where what is left changes by more than this part of the lesser
CHANGE = 0.5

#: A time with full vectors q and v.
Place = tuple[float, np.ndarray, np.ndarray]


class StuckBetween:
    """What friction has left within steps of a system, which has arrays of its own, since the run works with those of
    the other. `left` gives that at a position, full q, and λ of the rows that take part (k,)."""

    def __init__(self, system: System, left: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.system, self.left = system.whole.with_rows(system.kept), left
        self.work = work_for(self.system.plan)
        self.since: Place | None = None

    def least(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The least of what is left (k,) until a state since the last one at which all was positive."""
        now = self.left(q, lam)
        if self.since is None or t <= self.since[0]:
            if self.since is None:
                self.since = (t, q.copy(), v.copy())
            return now
        begin, end = self.since, (t, q, v)
        found = {0.0: self._at(begin, end, 0.0, lam), 1.0: now}
        for part in FIRST:
            found[part] = self._at(begin, end, part, lam)
        waiting = self._gaps(found, sorted(found))
        while waiting and len(found) < MOST:
            part = waiting.pop(0)
            low = max(x for x in found if x < part)
            high = min(x for x in found if x > part)
            found[part] = self._at(begin, end, part, lam)
            waiting += self._gaps(found, [low, part, high])
        least = np.min(list(found.values()), axis=0)
        if np.all(least > 0.0):
            self.since = (t, q.copy(), v.copy())
        return np.asarray(least)

    def _gaps(self, found: dict[float, np.ndarray], parts: list[float]) -> list[float]:
        """The middles of neighbouring places between which a zero may be missed."""
        out = []
        for low, high in pairwise(parts):
            one, two = found[low], found[high]
            if np.any(np.abs(one - two) > CHANGE * np.minimum(np.abs(one), np.abs(two))) and high - low > 1e-3:
                out.append(0.5 * (low + high))
        return out

    def _at(self, begin: Place, end: Place, part: float, lam: np.ndarray) -> np.ndarray:
        """What is left at a place within a step, on the straight way from its beginning to its end."""
        system, nq = self.system, self.system.nq
        way = system.difference(end[1][:nq], begin[1][:nq])
        q = system.full_q(system.retract(begin[1][:nq], part * way))
        t, v = begin[0] + part * (end[0] - begin[0]), (1.0 - part) * begin[2] + part * end[2]
        a, force = np.zeros(system.plan.total), lam.copy()
        if with_room(system, accelerations, t, q, v, a, force, self.work, 0.0, 0.0) != OK:
            return np.full(len(self.left(q, lam)), np.inf)
        return self.left(q, force)
