"""The margin of friction to its limits within steps, while joints stick.

If a mechanism is at rest, steps may become arbitrarily long, whatever the forces do that friction holds. So at the end
of a step the margins within the step are examined too: at first at three times, chosen so that no period of a force is
likely to be met in the same phase at all of them, then wherever linear interpolation between two times is inaccurate.
The quantity watched at the end of a step is the smallest of all these margins. It can only fall as the end moves to
later times, so the instant of breaking away is found like any other crossing. Once linear interpolation was accurate in
a step, later steps that are no longer than it are not examined, except for one in several.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.linear import OK
from flexmb.system.system import System

#: Times within a step that are examined first, as fractions of it.
FIRST = (0.2764, 0.5279, 0.7853)
#: Largest number of times examined in a step, and smallest fraction of it between two of them.
MOST, NARROW = 40, 1e-2
#: Linear interpolation is accurate if its error is below this fraction of the margin.
OFF = 0.2
#: Number of steps in a row that are not examined once linear interpolation was accurate.
TRUSTED = 5

#: A time [s] with full vectors q and v.
Place = tuple[float, np.ndarray, np.ndarray]


class StuckBetween:
    """Margins of friction within the steps of a system; it has its own copy of the system, since the run uses the
    arrays of the original. `left` computes the margins (k,) at a position, full q, with λ of the active rows."""

    def __init__(self, system: System, left: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.system, self.left = system.whole.with_rows(system.kept), left
        self.work = work_for(self.system.plan)
        #: the last state at which all margins were positive; `_first` are its margins
        self.since: Place | None = None
        self._first = np.zeros(0)
        #: margins at later times, by time
        self._known: dict[float, np.ndarray] = {}
        #: the longest step in which linear interpolation was accurate, and the number of steps not examined since
        self._told, self._trusted = 0.0, 0

    def least(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The smallest margins (k,) between the last state at which all were positive and this state."""
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
        if known:  # a crossing is being located, and earlier margins are known
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
        """The smallest margins within a step."""
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
        """The margins at a fraction `part` of a step, on the cubic through positions and speeds at both of its ends."""
        system, nq, n, h = self.system, self.system.nq, self.system.n, end[0] - begin[0]
        way = system.difference(end[1][:nq], begin[1][:nq])
        bend = (1.0 - part) * (h * begin[2][:n] - way) - part * (h * end[2][:n] - way)
        q = system.full_q(system.retract(begin[1][:nq], part * way + part * (1.0 - part) * bend))
        return self._left_at(begin[0] + part * h, q, (1.0 - part) * begin[2] + part * end[2], lam)

    def _left_at(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The margins at a state, with multipliers from the equations of motion, since these decide which joints stick
        and slide afterwards; `lam`, from the method, may be less accurate."""
        system = self.system
        a, force = np.zeros(system.plan.total), lam.copy()
        status = with_room(system, accelerations, t, q, v, a, force, self.work, 0.0, 0.0)
        return self.left(q, force if status == OK else lam)
