"""Passage through a singular position, in which the constraints depend on one another, such as a linkage that is laid
flat.

In such a position G loses rank, and eq. (14) of :mod:`flexmb.system.accelerations` determines neither a nor λ. Near it,
errors of a position enter them divided by the smallest singular value σ of G, so that error control shortens its steps
without end, or the mechanism changes to another branch. The motion itself is smooth (it takes an impulse to leave its
branch), and σ falls to zero and grows again linearly in time. So one step is made across the singular position, with no
stage near it (:mod:`flexmb.solvers.changes.stride`). It starts from a state as far before the position as the tolerance
allows, which is projected onto g = 0, ġ = 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.compilation import allocation_free
from flexmb.solvers.changes.events_on_passages import let_happen, way_between
from flexmb.solvers.changes.stride import MIDDLE, SWEEPS, Stride, stride
from flexmb.solvers.coordinates.joints.onto_rows import closest_combination
from flexmb.solvers.rows.singular_value import (
    AT_START,
    DEPTH,
    NEAR,
    POOR,
    any_combination,
    approaches,
    singular_value,
)
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run

#: A passage replaces many steps, so its error may be this many times the tolerance if no passage has a smaller one.
#: Values from 3 to 30 make no difference to parallelograms.
ALLOWED = 10.0
#: Smallest error required of a passage: round-off in accelerations near the singular position.
FINEST_PASSAGE = 1e-11
#: Steps across the singular position are tried from earlier and earlier states, each at least this factor further from
#: it in time, until the error is below this fraction of the tolerance, or larger than before.
LONGER, ENOUGH = 1.5, 0.3
#: Largest number of states sought nearer to the singular position, and the fraction of the remaining time that leads to
#: each. They locate the position more accurately.
STATES_NEARER, PART_OF_WAY = 4, 0.6
#: Number of states that are kept; 60 make no difference to parallelograms.
KEPT = 20


@allocation_free
def _of_joints(j, u, times):
    """σ by
    :func:`~flexmb.solvers.coordinates.joints.onto_rows.closest_combination`, from `times` iterations."""
    sigma = 0.0
    for _ in range(times):
        sigma = closest_combination(j, u)
    return sigma


class Seen(NamedTuple):
    """A state of the run near its end: time [s], q (nq,), v (n,) and σ."""

    t: float
    q: np.ndarray
    v: np.ndarray
    sigma: float


class Passage:
    """Watches the states of a run for singular positions, and moves the run across them."""

    def __init__(self, run: Run, f: RightHandSide, rtol: float, atol: float, grid: float = 0.0) -> None:
        """`rtol`, `atol` (in units of the model): the error allowed for a passage; `grid` [s]: step of a grid of fixed
        steps, on which the passage ends, or 0."""
        self.run, self.f, self.grid = run, f, grid
        #: requested rtol and atol, which may be smaller than round-off allows
        self.asked = rtol, atol
        self.rtol, self.atol = max(rtol, FINEST_PASSAGE), max(atol, FINEST_PASSAGE)
        self.u = any_combination(run.system.m)
        self.seen: deque[Seen] = deque(maxlen=KEPT)
        self.watch = np.zeros(3)
        #: whether to try `through`
        self.due = False

    def see(self, t: float) -> None:
        """Record the state in `f`, whose accelerations were evaluated last, with its σ."""
        if self.run.system.m == 0 or self.f.holds:
            return
        self.note(t, self.sigma(2 if self.seen and self.watch[0] > 0.0 else AT_START))

    def note(self, t: float, sigma: float) -> None:
        """Record the state in `f`, whose σ is known."""
        if self.run.system.m == 0:
            return
        f, system = self.f, self.run.system
        self.seen.append(Seen(t, f.q[: system.nq].copy(), f.v[: system.n].copy(), sigma))
        self.due = bool(approaches(self.watch, sigma))

    @property
    def largest(self) -> float:
        """The largest σ of the run."""
        return float(self.watch[1])

    @property
    def near(self) -> bool:
        """Whether the last state is near a singular position."""
        return bool(self.seen) and self.seen[-1].sigma < NEAR * self.largest

    @property
    def too_near(self) -> bool:
        """Whether the last state is so near to it that further steps might change the branch."""
        if not self.near:
            return False
        now = self.seen[-1]
        off = self.f.drift(now.t, now.q, now.v)[0]
        return now.sigma < max(DEPTH, 10.0 * np.sqrt(off)) * self.largest

    def through(self) -> bool:
        """Try to move across the singular position; returns whether that succeeded. The state after it is then in `f`,
        and is a step of the run."""
        f, until = self.f, self._time_left()
        if until < 0.0:
            return False
        multipliers = f.lam.copy()
        best, step = self._across(until)
        if best <= ALLOWED:
            if self.run.events.events:
                now = self.seen[-1]
                way = way_between(self.run, f, (now.t, f.carried(now.q, now.v)), (step.t, step.y))
                let_happen(self.run, f, way, self.run.events.on_the_way(*way.values))
            f(step.t, step.y)
            f.step_to(step.t)
            self.see(step.t)
            more = (self.rtol + self.atol) / sum(self.asked)  # how much less accurate than requested
            if more > 1.0 and best * more > 1.0:
                self.run.report.statistics.note_rounding(step.speeds * (self.run.t_end - step.t))
            return True
        f.lam[:] = multipliers
        return False

    def _across(self, until: float) -> tuple[float, Stride]:
        """The best step across the singular position, which is `until` seconds away; returns its error in units of the
        tolerance, and the step."""
        now, there = self.seen[-1], self.seen[-1].t + until
        states = [x for x in self.seen if not x.sigma < POOR * self.largest] or list(self.seen)
        best, found = np.inf, _none(now.t)
        for _ in range(STATES_NEARER):
            x = self._nearer(states[-1], there)
            if x is not None:
                states.append(x)
                if x.t > now.t:
                    there = _zero(states[-3:])
                if not x.t < there < x.t + 2.0 * until + (now.t - states[-2].t):
                    break
            off, step, last = self._best_step(states, there)
            if off < best:
                best, found = off, step
            if best <= 1.0 or not last or x is None or x.sigma < POOR * self.largest:
                break
        return best, found

    def _nearer(self, x: Seen, there: float) -> Seen | None:
        """A state between x and the singular position at time `there`, if a step leads to one; else None."""
        way = PART_OF_WAY * (there - x.t)
        for _ in range(STATES_NEARER):
            t = x.t + way
            error, step = self._stepped(x, t)
            if error <= ENOUGH:
                break
            way *= 0.5
        else:
            return None
        self.f(t, step.y)
        for _ in range(3):
            sigma = self.sigma()
        return Seen(t, *self.f.motion(step.y), sigma)

    def _best_step(self, states: list[Seen], there: float) -> tuple[float, Stride, bool]:
        """The best step from one of the states across the singular position at time `there`: its error in units of the
        tolerance, the step, and whether it starts from the last state, so that a step from a nearer state may be better
        still."""
        now, end = self.seen[-1].t, min([self.run.t_end, *self.run.kinks()])
        best, found, way, last = np.inf, _none(now), 0.0, False
        for x in reversed(states):
            if there - x.t < LONGER * way:
                continue
            first, way = way == 0.0, there - x.t
            t = self._grid(now, x.t + way / MIDDLE)
            if x.t < self.run.smooth_since() or t > end:
                break
            off, step = self._stepped(x, t)
            if off < best:
                best, found, last = off, step, first
            if best <= ENOUGH or off > best:
                break
        return best, found, last

    def _stepped(self, x: Seen, t: float) -> tuple[float, Stride]:
        """A step from state x to time t: its error in units of the tolerance, and the step."""
        f = self.f
        try:
            y, _, _ = f.project(x.t, f.carried(x.q, x.v), ROUNDING, SWEEPS)
            step = stride(f, x.t, y, t)
        except SingularPositionError:
            return np.inf, _none(t)
        speed = float(np.max(np.abs(x.v) / self.run.system.scale))
        return max(step.places / (self.atol + self.rtol), step.speeds / (self.atol + self.rtol * speed)), step

    def why(self) -> str:
        """A message that names the joints whose constraints depend on one another where the run ends."""
        system = self.run.system
        parts = np.argsort(-np.abs(self.u))
        joints = []
        for k in parts:
            if abs(self.u[k]) < 0.1 * abs(self.u[parts[0]]):
                break
            if repr(system.rows[k].owner) not in joints:
                joints.append(repr(system.rows[k].owner))
        return (
            f"a singular position: the constraints of {', '.join(joints[:6])}{' …' if len(joints) > 6 else ''} come to "
            "depend on one another there, and accelerations are not determined; method 'generalized_alpha' steps over "
            "it"
        )

    def sigma(self, times: int = 1) -> float:
        """σ of the state in `f`, from `times` inverse iterations."""
        system, f = self.run.system, self.f
        if f.meets:
            return float(_of_joints(f.coordinates.joints, self.u, times))
        return float(singular_value(system.plan, system.linear, system.row_scale, self.u, f.work.x, times))

    def _time_left(self) -> float:
        """Time [s] to the singular position; negative if the run moves away from it, or if fewer than two states are
        known."""
        if len(self.seen) < 2:
            return -1.0
        before, now = self.seen[-2], self.seen[-1]
        fall = (before.sigma - now.sigma) / (now.t - before.t)
        return now.sigma / fall if fall > 0.0 else -1.0

    def _grid(self, now: float, t: float) -> float:
        """The first time of the grid of fixed steps at or after t, or t itself if there is no grid."""
        return now + self.grid * float(np.ceil((t - now) / self.grid - 1e-9)) if self.grid else t


def _none(t: float) -> Stride:
    """A Stride with infinite error: the step could not be completed."""
    return Stride(t, np.zeros(0), np.inf, np.inf)


def _zero(states: Sequence[Seen]) -> float:
    """The time at which σ will be zero, by the polynomial t(σ) through the states; infinite if σ does not fall."""
    t, sigma = np.array([x.t for x in states]), np.array([x.sigma for x in states])
    if not (np.diff(sigma) < 0.0).all():  # σ does not fall after another singular position, or where it is not known
        t, sigma = t[-2:], sigma[-2:]
    if not sigma[-1] < sigma[-2]:
        return np.inf
    return float(
        sum(t[i] * np.prod([x / (x - sigma[i]) for j, x in enumerate(sigma) if j != i]) for i in range(len(t)))
    )
