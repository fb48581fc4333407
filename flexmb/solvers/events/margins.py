"""The margins of friction to its limits in joints that stick, within a step; compiled.

A joint that sticks is held by λ_s, and its margin is μ_S N(λ) − |λ_s| with the multipliers λ from the equations of
motion: these decide which joints stick and slide afterwards, and those of the method may be less accurate. Both forces
are asked of the joint's own kernel (:mod:`flexmb.joints.sticking`), as if it slid, and as if it had stuck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.joints.sticking import FORWARD, KEPT, STICKS
from flexmb.joints.unilateral import STATE as ONE_WAY_STATE
from flexmb.joints.unilateral import STRENGTH, is_unilateral
from flexmb.kernels.charts import difference, retract
from flexmb.kernels.compilation import called
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference
from flexmb.solvers.statuses import NO_ROOM, OK
from flexmb.system.accelerations import Work, accelerations, work_for
from flexmb.system.kernel_calls import FRICTION, call_kernel, gather_multipliers
from flexmb.system.linear import Linear
from flexmb.system.plan import NV, ROWS, Plan, Scratch, counted_in
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: Watched values begin above zero by this fraction of their size.
ABOVE = 1e-8
#: Times within a step that are examined first, as fractions of it.
FIRST = (0.2764, 0.5279, 0.7853)
#: Largest number of times examined in a step, and smallest fraction of it between two of them.
MOST, NARROW = 40, 1e-2
#: Linear interpolation is accurate if its error is below this fraction of the margin.
OFF = 0.2
# columns of Margins.joints
GROUP, INSTANCE, STATE, ONE_WAY = range(4)
#: Forces of rows in one direction begin above zero by this fraction of their strength: more than by which a force may
#: be below zero where a row is closed.
ABOVE_PULL = 2e-7


@by_reference
class Margins(NamedTuple):
    """A system and both ends of a step: times `ends` (2,) [s], positions q (2, total_q) and speeds v (2, total).
    `joints` (k, 4): of each row with states the group and place of its instance, the index of its state among the
    parameters, and whether it holds in one direction only. `guess` (m,): multipliers from which those of a state are
    found. `out` (k,): the margins, of rows that stick; `parts` (MOST + 2,) and `found` (MOST + 2, k): fractions of a
    step that was looked at, those of its ends first, and the margins there. Scratch: `now` (2, total_q), the position
    and speeds of a state, `a` and `way` (total,), `lam` (m,), `waiting` (2 MOST + 8, 2)."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    mass: float
    work: Work
    joints: np.ndarray
    ends: np.ndarray
    q: np.ndarray
    v: np.ndarray
    guess: np.ndarray
    out: np.ndarray
    parts: np.ndarray
    found: np.ndarray
    now: np.ndarray
    a: np.ndarray
    way: np.ndarray
    lam: np.ndarray
    waiting: np.ndarray


class MarginsWithin:
    """Margins of friction within the steps of a system; it has its own copy of the system, which shares its parameters,
    since a run uses the arrays of the original."""

    def __init__(self, system: System) -> None:
        own = self._system = system.whole.with_rows(system.kept)
        places = [
            (*counted_in(own.plan.groups, series.group, series.place), at, int(is_unilateral(series)))
            for series, at in sticking_places(own.assembly, own.plan)
        ]
        joints, total_q, total = np.array(places, dtype=np.int64), own.plan.total_q, own.plan.total
        self.steps = Margins(
            own.plan, own.scratch, own.linear, float(own.mass_scale), work_for(own.plan), joints, np.zeros(2),
            np.zeros((2, total_q)), np.zeros((2, total)), np.zeros(own.m), np.zeros(len(joints)),
            np.zeros(MOST + 2), np.zeros((MOST + 2, len(joints))), np.zeros((2, total_q)), np.zeros(total),
            np.zeros(total), np.zeros(own.m), np.zeros((2 * MOST + 8, 2), dtype=np.int64),
        )  # fmt: skip
        self._lend()

    def _lend(self) -> None:
        self._find: Any = Lent(_find, self.steps)
        self._look: Any = Lent(_look, self.steps)

    def _stick(self) -> np.ndarray:
        """Which joints stick (k,)."""
        return np.asarray(self.steps.plan.p[self.steps.joints[:, STATE]] == STICKS)

    def _grow(self) -> None:
        self._system.grow()
        self.steps = self.steps._replace(plan=self._system.plan, linear=self._system.linear)
        self._lend()

    def at(self, part: float) -> np.ndarray:
        """The margins [N or Nm] of the joints that stick at a fraction `part` of the step, on the cubic through the
        positions and speeds at both of its ends."""
        while self._find(part) == NO_ROOM:
            self._grow()
        return self.steps.out[self._stick()]

    def within(self, first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """Fractions (p,) of the step, its ends among them, and the margins there (p, k), where those at its ends are
        `first` and `last` (k,): so many that linear interpolation is accurate in between, or MOST. And whether it was
        inaccurate anywhere."""
        stick = self._stick()
        self.steps.found[0, stick], self.steps.found[1, stick] = first, last
        while (status := self._look(0.0)) == NO_ROOM:
            self._grow()
        count = abs(status)
        return self.steps.parts[:count].copy(), self.steps.found[:count, stick], status > 0


@called(int)
def _find(m, part):
    """Fill the margins at a fraction of the step; returns OK, or NO_ROOM."""
    plan, q, v = m.plan, m.now[0], m.now[1]
    _stand(m, part, q, v)
    for k in range(plan.m):
        m.lam[k] = m.guess[k]
    status = accelerations(plan, m.scratch, m.linear, m.mass, _time(m, part), q, v, m.a, m.lam, m.work, 0.0, 0.0)
    if status == NO_ROOM:
        return NO_ROOM
    if status != OK:
        for k in range(plan.m):
            m.lam[k] = m.guess[k]
    for k in range(m.joints.shape[0]):
        state = plan.p[m.joints[k, STATE]]
        if state == STICKS:
            if m.joints[k, ONE_WAY] == 1:
                m.out[k] = ABOVE_PULL * plan.p[m.joints[k, STATE] + STRENGTH - ONE_WAY_STATE] - _friction(m, k, KEPT, q)
            else:
                limit = _friction(m, k, FORWARD, q)
                m.out[k] = limit - abs(_friction(m, k, KEPT, q)) + ABOVE * limit
            plan.p[m.joints[k, STATE]] = state
    return OK


@called(int)
def _look(m, _):
    """Fill fractions and margins within a step behind those of its ends; returns their number, negative where linear
    interpolation was accurate everywhere, or NO_ROOM."""
    parts, found, waiting, count, bent = m.parts, m.found, m.waiting, 2, False
    parts[0], parts[1] = 0.0, 1.0
    for part in FIRST:
        parts[count] = part
        if not _found_at(m, count):
            return NO_ROOM
        count += 1
    first, last = 0, count - 1
    for k in range(last):  # from each to the next: the ends are the first two
        waiting[k, 0], waiting[k, 1] = 0 if k == 0 else k + 1, k + 2 if k < last - 1 else 1
    while first < last and count < MOST:
        low, high = waiting[first, 0], waiting[first, 1]
        first += 1
        parts[count] = 0.5 * (parts[low] + parts[high])
        if not _found_at(m, count):
            return NO_ROOM
        if _off_line(m, found[low], found[high], found[count]):
            bent = True
            if parts[high] - parts[low] > NARROW:
                waiting[last, 0], waiting[last, 1], waiting[last + 1, 0], waiting[last + 1, 1] = low, count, count, high
                last += 2
        count += 1
    return count if bent else -count


@called(bool)
def _found_at(m, number):
    """Find the margins at a fraction; returns whether there was room."""
    if _find(m, m.parts[number]) == NO_ROOM:
        return False
    for k in range(m.out.shape[0]):
        m.found[number, k] = m.out[k]
    return True


@called(bool)
def _off_line(m, one, two, value):
    """Whether the mean of two margins is far from the one in the middle, for a joint that sticks."""
    for k in range(m.joints.shape[0]):
        if m.plan.p[m.joints[k, STATE]] == STICKS:
            least = min(min(one[k], two[k]), value[k])
            if abs(value[k] - 0.5 * (one[k] + two[k])) > OFF * least:
                return True
    return False


@called(float)
def _time(m, part):
    return m.ends[0] + part * (m.ends[1] - m.ends[0])


@called(None)
def _stand(m, part, q, v):
    """Fill the position q and speeds v at a fraction of the step."""
    plan, at = m.plan, 0 if part == 0.0 else 1
    for i in range(q.shape[0]):
        q[i] = m.q[at, i]
    for i in range(m.v.shape[1]):
        v[i] = m.v[at, i]
    if part == 0.0 or part == 1.0:
        return
    h = m.ends[1] - m.ends[0]
    difference(plan.orientations, plan.n, m.q[1], m.q[0], m.way)
    for i in range(plan.n):
        bend = (1.0 - part) * (h * m.v[0, i] - m.way[i]) - part * (h * m.v[1, i] - m.way[i])
        m.way[i] = part * m.way[i] + part * (1.0 - part) * bend
        v[i] = (1.0 - part) * m.v[0, i] + part * m.v[1, i]
    retract(plan.orientations, plan.n, m.q[0], m.way, q)


@called(float)
def _friction(m, k, state, q):
    """The friction of joint k in a `state` of it, with the multipliers of the present state of the mechanism; its
    parameter is left in that state."""
    plan, group, place = m.plan, m.joints[k, GROUP], m.joints[k, INSTANCE]
    nv, rows = plan.groups[group, NV], plan.groups[group, ROWS]
    plan.p[m.joints[k, STATE]] = state
    gather_multipliers(plan, m.scratch, group, place, place + 1, m.lam)
    still, width = m.work.zero, nv * (1 + rows)
    call_kernel(plan, m.scratch, FRICTION, group, place, place + 1, width, True, 0.0, q, still, still, m.scratch.still)
    return m.scratch.out[nv - 1]
