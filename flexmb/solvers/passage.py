"""Going through a position in which the constraints depend on one another: a linkage that is laid flat.

There G loses rank, and eq. (14) of :mod:`flexmb.solvers.index_one` determines neither a nor λ; near it every error of
a position enters them divided by the smallest singular value σ of G, so that error control shortens its steps without
end, or lands on another branch of the mechanism. The motion itself is smooth (to leave its branch takes an impulse),
and σ falls to zero and grows again linearly in time. So from states before it, the motion is continued by the
polynomial that has the speeds and accelerations of some of them (Hermite) to the time at which σ is as large again on
the other side, and put onto g = 0, ġ = 0 there. The passage is accepted if this state and its accelerations by (14)
agree with the polynomial within the tolerances of the run: the accelerations are independent of it.

Two or three steps of the run serve where the tolerance is loose. Otherwise the equations are solved again before the
singular position, to the errors of rounding, at instants that suit such a polynomial: the last one near enough for it
to be accurate, and so far away that rounding, divided by σ², does not spoil accelerations. On a linkage of nine rods
(:mod:`flexmb.validation.n_four_bar`) five or six instants, the last of them where σ is a hundredth and a half of its
largest value, give the speeds behind to 1e-11 of their size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.run import Run
from flexmb.system.linear import solve

#: σ below this part of its largest value is near a singular position
NEAR = 0.05
#: a passage is tried when the singular position is at most this many steps away
REACH = 4.0
#: or when a step of at most this many times the last one would reach it
LEAP = 1.5
#: A method must not go below this part of the largest σ by its own steps. Where the error of positions is large, its
#: square root takes the place of this number, since the branches of the mechanism join at that distance.
DEPTH = 1e-5
#: A step from far away that leads to σ below this part is tried once more, shorter: its end would be poor, and a
#: passage begins before.
LANDING = 0.01
#: a jump of a speed in one step by this part of the largest speed shows that the mechanism changed its branch
BRANCH = 0.6
#: a way in a step that is rounding of positions, in units of the model
NOWHERE = 1e-15
#: A passage replaces many steps, so its error may be ALLOWED times that of a step if no base does better. Where σ is
#: below the part LAST_CHANCE of its largest value it may be ALLOWED_LAST times that: waiting does not help there, since
#: errors of states grow.
ALLOWED, LAST_CHANCE, ALLOWED_LAST = 10.0, 1e-3, 300.0
#: width of a base of steps, in units of the way to the singular position
WIDTH = 4.0
#: steps in such a base: two, or three where the steps are more accurate than a polynomial of third degree
BASES = (2, 3)
#: the last instant of a base that is computed anew is where σ is this part of its largest value
BEGIN = 0.015
#: distance of its instants, in units of the way to the singular position, and how many they are at least and at most
DISTANCE, INSTANTS = 1.6, (3, 6)
#: least error of the method that computes them, and steps from one to the next at most
EXACT, MOST_STEPS = 1e-12, 30
#: no agreement is asked for that is better than this: rounding in accelerations near the singular position
FINEST = 1e-10
#: states that are remembered
KEPT = 60
#: how far to go, in units of the way to the singular position: as far beyond it as the state is before it, or farther
BEYOND = (2.0, 3.0, 5.0)


@called(float)
def smallest_singular_value(plan, linear, row_scale, u, x):
    """σ, the smallest singular value of the constraints' rows in the metric of the mass matrix, from factors of the
    matrix of eq. (14): by one inverse iteration from u (m,), which becomes the combination of rows that is about to
    vanish. 1 where friction follows from the joints' forces: these have to be unique, so that there is no passage."""
    n, m = plan.n, plan.m
    if plan.friction > 0:
        return 1.0
    for i in range(n):
        x[i] = 0.0
    for k in range(m):
        x[n + k] = row_scale[k] * u[k]
    solve(plan, linear, x)
    size = 0.0
    for k in range(m):
        u[k] = row_scale[k] * x[n + k]
        size += u[k] * u[k]
    size = np.sqrt(size)
    if not 0.0 < size < np.inf:
        for k in range(m):
            u[k] = 1.0 / np.sqrt(m)
        return 0.0
    for k in range(m):
        u[k] /= size
    return 1.0 / np.sqrt(size)


@called(bool)
def approaches(watch, sigma):
    """Note σ of a new state; whether to try a passage: near a singular position each time that σ has halved, and when
    the position is only a few steps away, or within the next step. `watch` (3,): the last σ, the largest, and the one
    below which to try next."""
    fall = watch[0] - sigma
    watch[0] = sigma
    watch[1] = max(watch[1], sigma)
    near = NEAR * watch[1]
    if fall <= 0.0 or sigma >= near:
        watch[2] = near
    if fall <= 0.0:
        return False
    halved = sigma < watch[2]
    if halved:
        watch[2] = 0.5 * sigma
    return halved or sigma < LEAP * fall or (sigma < near and sigma < REACH * fall)


@inlined
def leads_deep(watch, sigma):
    """Whether a step leads from far away to a place where σ is this small."""
    return sigma < LANDING * watch[1] and watch[0] > 2.0 * LANDING * watch[1]


@called(bool)
def leaps(h, v0, a0, v, a, scale, n):
    """Whether speeds changed by more than the accelerations before and after explain: then the new state is on another
    branch of the mechanism, which is close by near a singular position. (From rest, speeds may begin with any power of
    t, so that this says nothing; nor do speeds that are rounding, which lead nowhere in the time.)"""
    jump = 0.0
    speed = 0.0
    begun = 0.0
    for i in range(n):
        from_here = 0.5 * h * a0[i]
        from_there = 0.5 * h * a[i]
        jump = max(jump, abs(v[i] - v0[i] - from_here - from_there) / scale[i])
        largest = max(max(abs(v0[i]), abs(v[i])), max(abs(from_here), abs(from_there)))
        speed = max(speed, largest / scale[i])
        begun = max(begun, abs(v0[i]))
    return begun > 0.0 and h * speed > NOWHERE and not jump <= BRANCH * speed


class Seen(NamedTuple):
    """A state on the way, and its σ."""

    t: float
    q: np.ndarray
    v: np.ndarray
    sigma: float


class Instant(NamedTuple):
    """A state that meets the constraints, with its accelerations and the rates q̇ and q̈ of its coordinates."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    rates: np.ndarray
    second_rates: np.ndarray


class Passage:
    """Watches the states of a run for singular positions, and goes through them."""

    def __init__(self, run: Run, f: RightHandSide, rtol: float, atol: float, grid: float = 0.0) -> None:
        """`rtol`, `atol` (in units of the model): the error that a passage may have; it lasts a multiple of `grid`
        [s]."""
        self.run, self.f, self.grid = run, f, grid
        self.rtol, self.atol = max(rtol, FINEST), max(atol, FINEST)
        self.u = np.full(run.system.m, 1.0 / np.sqrt(max(run.system.m, 1)))
        self.seen: deque[Seen] = deque(maxlen=KEPT)
        self.watch = np.zeros(3)
        #: whether it is time for `through`
        self.due = False
        #: whether errors are allowed that are larger than the run's, so that the best of all bases is wanted
        self.in_haste = False

    def see(self, t: float) -> None:
        """Note the state in `f`, whose accelerations were found last."""
        if self.run.system.m == 0:
            return
        for _ in range(2 if self.seen and self.watch[0] > 0.0 else 6):  # the first direction is arbitrary
            sigma = self.sigma()
        self.note(t, sigma)

    def note(self, t: float, sigma: float) -> None:
        """Note the state in `f`, of which σ is known."""
        if self.run.system.m == 0:
            return
        f, system = self.f, self.run.system
        self.seen.append(Seen(t, f.q[: system.nq].copy(), f.v[: system.n].copy(), sigma))
        self.due = bool(approaches(self.watch, sigma))

    @property
    def largest(self) -> float:
        """The largest σ so far."""
        return float(self.watch[1])

    @property
    def near(self) -> bool:
        """Whether the last state is near a singular position."""
        return bool(self.seen) and self.seen[-1].sigma < NEAR * self.largest

    @property
    def too_near(self) -> bool:
        """Whether the last state is so near that further steps might leave the branch."""
        if not self.near:
            return False
        now = self.seen[-1]
        off = self.f.drift(now.t, now.q, now.v)[0]
        return now.sigma < max(DEPTH, 10.0 * np.sqrt(off)) * self.largest

    def through(self) -> bool:
        """Try to get to the other side. If that succeeds, the state there is in `f`, and is a step of the run."""
        f, until, now = self.f, self._time_left(), self.seen[-1].t
        if until < 0.0:
            return False
        multipliers = f.lam.copy()
        best, there = np.inf, (now, np.zeros(0))
        for base, t in chain(self._from_steps(until), self._anew(until)):
            try:
                q, v, a = continued([self._on_constraints(x) for x in base], t)
                y, left, _ = f.project(t, f.carried(q, v))
                f(t, y)
            except SingularPositionError:
                continue
            off = self._disagreement(t - now, q, v, a)
            if left < 1e-9 and off < best:
                best, there = off, (t, y)
            if best <= 1.0 and not self.in_haste:
                break
        if best <= (ALLOWED if self.seen[-1].sigma > LAST_CHANCE * self.largest else ALLOWED_LAST):
            f(*there)
            f.step_to(there[0])
            self.see(there[0])
            return True
        f.lam[:] = multipliers
        return False

    def _from_steps(self, until: float) -> Iterator[tuple[list[Seen], float]]:
        """Bases of the last steps, and the times to which the motion may be continued from them."""
        now = self.seen[-1].t
        for beyond, count in product(BEYOND, BASES):
            t = self._grid(now, now + beyond * until)
            if t > self.run.t_end:
                break
            yield self._base(count, WIDTH * until), t

    def _anew(self, until: float) -> Iterator[tuple[list[Seen], float]]:
        """The same with states that are computed anew."""
        now, begin = self.seen[-1], self.run.smooth_since()
        if now.sigma == 0.0:
            return
        there, ideal = now.t + until, until * BEGIN * self.largest / now.sigma
        good = [x for x in self.seen if x.sigma >= 0.5 * BEGIN * self.largest]
        for way in (ideal, until) if until < ideal else (ideal,):
            end = self._grid(now.t, there + way)
            x, base = (good or self.seen)[-1], list[Seen]()
            for k in range(INSTANTS[1]):
                t = there - way - k * DISTANCE * way
                if t < begin or end > self.run.t_end:
                    break
                try:
                    x = self._followed(x, t)
                except SingularPositionError:
                    break
                base.insert(0, x)
                if len(base) >= INSTANTS[0]:
                    yield base, end

    def _followed(self, x: Seen, t: float) -> Seen:
        """A state moved to another time, forward or back, to the errors of rounding."""
        from scipy.integrate import DOP853

        if t == x.t:
            return x
        f, exact = self.f, max(EXACT, 0.01 * self.rtol)
        solver = DOP853(f.trial, x.t, f.carried(x.q, x.v), t, rtol=exact, atol=exact * f.sizes())
        for _ in range(MOST_STEPS):
            solver.step()
            if solver.status != "running":
                break
        if solver.status != "finished":
            raise SingularPositionError("the motion is not smooth near the singular position")
        return Seen(t, *f.motion(solver.y), x.sigma)

    def _base(self, count: int, width: float) -> list[Seen]:
        """So many of the last states, spread over a time of this width as evenly as possible."""
        t = np.array([x.t for x in self.seen])
        found = [len(t) - 1]
        for back in width * np.arange(1, count) / (count - 1):
            if found[-1] > 0:
                found.append(int(np.argmin(np.abs(t[: found[-1]] - (t[-1] - back)))))
        return [self.seen[k] for k in reversed(found)]

    def why(self) -> str:
        """Where and why the run ends at a singular position."""
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

    def _on_constraints(self, x: Seen) -> Instant:
        """A state put onto the constraints, so that their drift does not enter its accelerations."""
        f, system = self.f, self.run.system
        y, _, _ = f.project(x.t, f.carried(x.q, x.v))
        f(x.t, y)
        q, v, a = f.q[: system.nq].copy(), f.v[: system.n].copy(), f.a[: system.n].copy()
        return Instant(x.t, q, v, a, f.rates(), f.second_rates())

    def sigma(self) -> float:
        """σ of the state in `f`."""
        f = self.f
        return float(
            smallest_singular_value(
                self.run.system.plan, self.run.system.linear, self.run.system.row_scale, self.u, f.work.x
            )
        )

    def _time_left(self) -> float:
        """Time to the singular position; negative when it becomes more distant, or when that is not known yet."""
        if len(self.seen) < 2:
            return -1.0
        before, now = self.seen[-2], self.seen[-1]
        fall = (before.sigma - now.sigma) / (now.t - before.t)
        return now.sigma / fall if fall > 0.0 else -1.0

    def _grid(self, now: float, t: float) -> float:
        """The time of the run's steps at or after t."""
        return now + self.grid * float(np.ceil((t - now) / self.grid - 1e-9)) if self.grid else t

    def _disagreement(self, H: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """How far the state in `f` is from the polynomial, in units of the tolerance. Accelerations are compared along
        the constraints only: those across them are poor near a singular position, and q and v tell enough of them."""
        f, system = self.f, self.run.system
        n, scale, x = system.n, system.scale, self.f.work.x
        x[n:] = 0.0
        x[:n] = system.mass_matrix(self.run.t, f.q[: system.nq]) @ (f.a[:n] - a) / system.mass_scale
        solve(system.plan, system.linear, x)
        speed = (np.abs(f.v[:n] - v) + 0.5 * H * np.abs(x[:n])) / scale
        place = np.abs(system.difference(f.q[: system.nq], q)) / scale + 0.5 * H * speed
        of_place = np.max(place) / (self.atol + self.rtol * max(1.0, np.max(np.abs(q[:n]) / scale)))
        return float(max(of_place, np.max(speed) / (self.atol + self.rtol * np.max(np.abs(v) / scale))))


def continued(instants: Sequence[Instant], t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v, a at a time: v by the polynomial through the speeds and accelerations of all instants, q by its integral
    from the last one. (Polynomials through positions would be rougher: in their second derivative, errors of positions
    are divided by the square of a short time.)"""
    last, count = instants[-1], 2 * len(instants)
    h = last.t - instants[0].t
    s = np.array([(x.t - last.t) / h for x in instants])
    powers = np.arange(count)
    values = s[:, None] ** powers
    slopes = powers * s[:, None] ** np.maximum(powers - 1, 0)
    data = [np.concatenate([x.v, x.rates]) for x in instants]
    data += [h * np.concatenate([x.a, x.second_rates]) for x in instants]
    n = len(last.v)
    c, of_positions = np.split(np.linalg.solve(np.vstack([values, slopes]), np.array(data)), [n], axis=1)
    z = (t - last.t) / h
    q = last.q + h * (z ** (powers + 1) / (powers + 1)) @ of_positions
    return q, z**powers @ c, (powers * z ** np.maximum(powers - 1, 0)) @ c / h
