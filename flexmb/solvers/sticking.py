"""Joints whose friction truly sticks (:mod:`flexmb.joints.sticking`) in a run: which of them stick, which slide and
which way, and when that changes.

While a joint slides its speed is watched, and while it sticks what its friction has left to its limit. Where one of
them falls through zero the step ends. Then all joints at rest are free to stick or to slide either way, and a choice is
looked for that is consistent (as in Pfeiffer and Glocker (1996), chapter 6):

    sticks   |λ_s| ≤ μ_S N        slides from rest   s̈ in its direction        moves   in its direction

First all stick; one whose limit is exceeded slides the way its friction gives in, one that would slide backward sticks.
Where that leads nowhere all choices are tried. If none is consistent, the joints jam; where one of several solutions
cannot be told, as of joints at rest that share one way to move, the run stops as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from flexmb.joints.sticking import BACKWARD, FORWARD, KEPT, STATE, STICKING, STICKS, margins
from flexmb.solvers.index_one import accelerations, project, with_room, work_for
from flexmb.system.linear import OK
from flexmb.system.plan import NP, P_AT
from flexmb.system.system import System

#: A joint rests if it is slower than this part of the largest speed, and one that was watched in any case.
AT_REST = 1e-9
#: Forces may exceed their limit, and joints accelerate against their direction, by this part.
ROUNDING = 1e-7
#: what is watched begins this part of its size above zero
ABOVE = 1e-9
#: most joints at rest for which all choices are tried
MOST_TRIED = 7


@dataclass
class StickingJoint:
    """A joint that sticks: the number of its coordinate in v, the place of its state among the parameters, and its rows
    among all, its own the last."""

    where: str
    speed: int
    place: int
    rows: np.ndarray


@dataclass
class Choice:
    """What each joint does, with the speeds, accelerations and multipliers that follow."""

    states: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


def sticking_joints(system: System) -> list[StickingJoint]:
    """The joints of a system whose friction truly sticks."""
    found = []
    for series in system.assembly.instance_series:
        if series.kernels is STICKING:
            group = system.plan.groups[series.group]
            place = int(group[P_AT] + series.place * group[NP]) + STATE
            rows = series.rows[0]
            found.append(StickingJoint(series.owner.where, int(series.coordinates.v[0, 0]), place, rows))
    return found


@dataclass
class StickSlip:
    """The joints of a run that stick and slide."""

    system: System
    joints: list[StickingJoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.joints = sticking_joints(self.system)
        self.p = self.system.plan.p
        self.places = np.array([joint.place for joint in self.joints], dtype=np.int64)
        self.speeds = np.array([joint.speed for joint in self.joints], dtype=np.int64)
        #: what it was at the last change of a joint, by which speeds and forces are measured
        self.fastest = 0.0

    @property
    def states(self) -> np.ndarray:
        """What each joint does now."""
        return self.p[self.places]

    def keep(self) -> None:
        """From now on friction is that which was kept: the run is over."""
        self.p[self.places] = KEPT

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within it friction is that which was kept."""
        now = self.states
        self.keep()
        try:
            yield
        finally:
            self.p[self.places] = now

    def _law(self, joint: StickingJoint) -> np.ndarray:
        return self.p[joint.place - STATE : joint.place]

    def _margin(self, joint: StickingJoint, lam: np.ndarray) -> tuple[float, float]:
        """What its friction has left to its limit, and the limit [N or Nm]; λ of all rows."""
        out = np.zeros(1)
        margins(self._law(joint), lam[joint.rows[:-1]][None, :], lam[joint.rows[-1:]], out)
        return float(out[0]), float(out[0] + abs(lam[joint.rows[-1]]))

    def values(self, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """What is watched of each joint (k,), which falls through zero where it has to change; λ of all rows."""
        out = np.empty(len(self.joints))
        for k, joint in enumerate(self.joints):
            state = self.p[joint.place]
            if state == STICKS:
                margin, limit = self._margin(joint, lam)
                out[k] = margin + ABOVE * limit
            else:
                out[k] = state * v[joint.speed] + ABOVE * self.fastest
        return out

    def settle(self, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray, changed: np.ndarray) -> Choice | str:
        """A consistent choice at a state (full vectors; λ of the rows that take part); or why there is none. `changed`:
        the joints whose values fell through zero (k,)."""
        system, n = self.system, self.system.n
        before, every = self.states, system.for_all_rows(lam)
        scale = np.abs(v[:n]) / system.scale
        self.fastest = float(np.max(scale, initial=0.0)) * system.length_scale
        own = v[self.speeds] / system.scale[self.speeds]
        rests = (np.abs(own) <= AT_REST * np.max(scale, initial=0.0)) | changed | (before == STICKS)
        choice = np.where(own >= 0.0, FORWARD, BACKWARD)
        choice[rests] = STICKS
        released = changed & (before == STICKS)
        for k in np.flatnonzero(released):
            choice[k] = FORWARD if every[self.joints[k].rows[-1]] > 0.0 else BACKWARD
        given = (t, q, v, lam, rests)
        seen: set[tuple[float, ...]] = set()
        while tuple(choice) not in seen:
            seen.add(tuple(choice))
            found = self._tried(choice, *given)
            if found is None:
                break
            wrong = self._wrong(found, rests, released)
            if not len(wrong):
                return found
            k = int(wrong[0])
            way = found.lam[self.joints[k].rows[-1]]
            choice = choice.copy()
            choice[k] = STICKS if choice[k] != STICKS else FORWARD if way > 0.0 else BACKWARD
        free = np.flatnonzero(rests)
        if len(free) <= MOST_TRIED:
            for guess in product((STICKS, FORWARD, BACKWARD), repeat=len(free)):
                choice[free] = guess
                if tuple(choice) in seen:
                    continue
                found = self._tried(choice, *given)
                if found is not None and not len(self._wrong(found, rests, np.zeros(len(rests), dtype=bool))):
                    return found
        self.p[self.places] = before
        names = ", ".join(self.joints[k].where for k in (free if len(free) else range(len(self.joints))))
        return (
            f"{names}: no choice of which sticks, and which slides which way, is consistent; the joints jam, or share "
            "one way to move, so that it is not determined which of them holds; friction with a smoothing goes on"
        )

    def _tried(
        self, states: np.ndarray, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray, rests: np.ndarray
    ) -> Choice | None:
        """The motion that follows from a choice, None if it is not determined."""
        system = self.system
        self.p[self.places] = states
        v, a, lam = v.copy(), np.zeros(system.plan.total), lam.copy()
        v[self.speeds[rests]] = 0.0
        work = work_for(system.plan)
        with_room(system, project, t, q.copy(), v, lam.copy(), system.row_scale, work, 0.0, 0, False)
        if with_room(system, accelerations, t, q, v, a, lam, work, 0.0, 0.0) != OK or not np.isfinite(a).all():
            return None
        return Choice(states.copy(), v, a, lam)

    def _wrong(self, found: Choice, rests: np.ndarray, released: np.ndarray) -> np.ndarray:
        """The joints that do not do as was chosen, the worst first."""
        every = self.system.for_all_rows(found.lam)
        n = self.system.n
        largest = float(np.max(np.abs(found.a[:n]) / self.system.scale, initial=0.0))
        off = np.zeros(len(self.joints))
        for k, joint in enumerate(self.joints):
            if found.states[k] == STICKS:
                margin, limit = self._margin(joint, every)
                off[k] = -margin / (limit + abs(every[joint.rows[-1]]) or 1.0)
            elif rests[k] and not released[k] and largest > 0.0:
                off[k] = -found.states[k] * found.a[joint.speed] / self.system.scale[joint.speed] / largest
        wrong = np.flatnonzero(off > ROUNDING)
        return wrong[np.argsort(-off[wrong], kind="stable")]
