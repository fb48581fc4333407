"""The margin of friction to its limits within steps, while joints stick.

If a mechanism is at rest, steps may become arbitrarily long, whatever the forces do that friction holds. So at the end
of a step the margins within the step are examined too: at first at three times, chosen so that no period of a force is
likely to be met in the same phase at all of them, then wherever linear interpolation between two times is inaccurate.
The quantity watched at the end of a step is the smallest of all these margins. It can only fall as the end moves to
later times, so the instant of breaking away is found like any other crossing. Once linear interpolation was accurate in
a step, later steps that are no longer than it are not examined, except for one in several.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.events.margins import OFF, MarginsWithin

#: Number of steps in a row that are not examined once linear interpolation was accurate.
TRUSTED = 5


class StuckBetween:
    """The smallest margins of friction within the steps of a system, while the same joints stick."""

    def __init__(self, margins: MarginsWithin) -> None:
        self._margins = margins
        #: whether there is a last state at which all margins were positive, where a step begins; `_first` are its
        #: margins
        self._begun = False
        self._first = np.zeros(0)
        #: margins at later times, by time
        self._known: dict[float, np.ndarray] = {}
        #: the longest step in which linear interpolation was accurate, and the number of steps not examined since
        self._told, self._trusted = 0.0, 0

    def least(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """The smallest margins (k,) between the last state at which all were positive and this state."""
        at, steps = self._margins.at, self._margins.steps
        steps.ends[1], steps.q[1], steps.v[1], steps.guess[:] = t, q, v, lam
        now = at(1.0)
        if not self._begun:
            self._begin(now)
        begin = float(steps.ends[0])
        if t <= begin:
            return now
        h, first = t - begin, self._first
        smooth = np.all(np.abs(now - first) <= OFF * np.minimum(now, first)) and np.all(now > 0.0)
        if smooth and h <= self._told and self._trusted < TRUSTED:
            self._trusted += 1
            self._begin(now)
            return now
        known = [time for time in self._known if time < t]
        if known:  # a crossing is being located, and earlier margins are known
            last = max(known)
            self._known[0.5 * (last + t)] = at((0.5 * (last + t) - begin) / h)
            least = np.minimum(now, np.min([x for time, x in self._known.items() if time < t], axis=0))
        else:
            least = np.minimum(now, self._looked(begin, h, now))
        if np.all(least > 0.0):
            self._begin(now)
        return np.asarray(least)

    def _begin(self, now: np.ndarray) -> None:
        """Let the end of the step, where the margins are `now`, be the beginning of the next one."""
        steps = self._margins.steps
        steps.ends[0], steps.q[0], steps.v[0] = steps.ends[1], steps.q[1], steps.v[1]
        self._first, self._known, self._begun = now, {}, True

    def _looked(self, begin: float, h: float, now: np.ndarray) -> np.ndarray:
        """The smallest margins within a step of size h [s]."""
        parts, margins, bent = self._margins.within(self._first, now)
        self._told, self._trusted = (0.0 if bent else h), 0
        self._known = {begin + x * h: y for x, y in zip(parts[2:].tolist(), margins[2:])}
        return np.asarray(np.min(margins, axis=0))
