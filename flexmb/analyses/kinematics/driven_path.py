"""The path of a driven mechanism, g(q, t) = 0 with as many rows as coordinates, followed along t without leaving it.

Positions by Newton's method from q + h v + h²/2 a; a step counts only if the iteration contracts fast from the first
correction on, so that no other solution is near (:func:`flexmb.algebra.newton.contracting`). With the Jacobian
G = ∂g/∂q the rates are G v = −g_t,  G a = γ.

The path cannot be written over t where G is singular. There are two kinds of such positions. At a change point two
paths cross, det G changes its sign on the way through, and the smooth path goes on: it is stepped over, and what lies
near it is taken from the quintic through positions and rates on both sides. At a lock-up t itself turns back: with t
as one more unknown and the length of the path as the parameter it is a regular position, where dt/ds = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly
from scipy.optimize import brentq, minimize_scalar

from flexmb.algebra.newton import Contraction, contracting
from flexmb.analyses.kinematics.singular import Jacobian, Singular, bordered_value, null_pair, scaled_jacobian
from flexmb.analyses.kinematics.turning_back import Arc, Fold
from flexmb.system.system import System

#: way of one step, in units of the model's length, and radians
LARGEST_STEP = 0.3
#: how the iteration must contract, so that the position that it finds is the one that is meant
SURELY = Contraction(1e-13, rounded=1e-10, stalled=0.1, largest=LARGEST_STEP, factor=0.25, enough=1e-15, most=10)
#: a step this short that fails means that a singular position is near
TROUBLE = 2e-3
#: distance from a singular position at which rates are still exact to about 1e-10
APART = 0.02
#: nearer than this to a change point, positions are taken from the quintic
NEAR = 5e-3
#: G⁻¹ larger than this many times what it was says that a singular position is near
SPREADS = 100.0
#: and this many times, that it is here
SINGULAR = 1e8
#: smallest singular value, as a part of that nearby, that is none
VANISHES = 1e-6


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the path; `sign` of det G, `spread`: the size of G⁻¹."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    sign: float
    spread: float


class Path:
    """The path of a system from a point on it; `direction` +1 or −1 along t, `span` the range of t."""

    def __init__(self, system: System, direction: float, span: float) -> None:
        self.system, self.direction, self.span = system, direction, span
        self.iterations = self.factorisations = 0
        # no pattern of signs, to which what a symmetric mechanism loses may be orthogonal
        self._probe = np.random.default_rng(0).normal(size=system.n) * system.row_scale

    # -- points on the path -----------------------------------------------------------------------------------

    def way(self, change: np.ndarray) -> float:
        """The size of a change of coordinates, in units of the model's length, and radians."""
        return float(np.max(np.abs(change) / self.system.scale))

    def speed(self, p: Point) -> float:
        """Way along the path for a unit of t."""
        return max(self.way(p.v), 1e-300)

    def point(self, t: float, q: np.ndarray) -> Point | None:
        """The rates in a position that meets the constraints; None if it is singular."""
        system = self.system
        J = self._factor(t, q)
        if J.sign == 0.0:
            return None
        v = -J.solve(system.constraint(t, q, np.zeros(system.n))[1])
        a = J.solve(system.constraint(t, q, v)[2])
        p = Point(t, q, v, a, J.sign, self.way(J.solve(self._probe)))
        return p if np.all(np.isfinite(v)) and np.all(np.isfinite(a)) else None

    def _factor(self, t: float, q: np.ndarray) -> Jacobian:
        self.factorisations += 1
        return Jacobian(self.system, t, q)

    def newton(self, t: float, q: np.ndarray) -> tuple[np.ndarray | None, float]:
        """The position at t near a guess, None when it is not surely the one meant; and the first correction."""

        def correction(q: np.ndarray) -> np.ndarray | None:
            g = self.system.constraint(t, q, np.zeros(self.system.n))[0]
            J = self._factor(t, q)
            if J.sign == 0.0 or not np.all(np.isfinite(g)):
                return None
            self.iterations += 1
            return -J.solve(g)

        found, first, _ = contracting(correction, q, self.way, SURELY)
        return found, first

    def step(self, p: Point, t: float, largest: float = LARGEST_STEP) -> tuple[Point | None, float]:
        """The point at t from a point before it, None if it is not found surely; and the way that it would be."""
        h = t - p.t
        change = h * p.v + 0.5 * h**2 * p.a
        way = max(self.way(change), self.way(h * p.v))
        if not way <= largest:
            return None, way
        q, first = self.newton(t, p.q + change)
        way = max(way, first)
        return (None if q is None else self.point(t, q)), way

    # -- along the path ---------------------------------------------------------------------------------------

    def follow(
        self, start: Point, targets: np.ndarray, tell: Callable[[float], None]
    ) -> tuple[list[Point | None], list[Singular], str]:
        """Points at the targets, in their order along the direction; singular positions passed or met; and how it
        ended: 'finished', 'locked' or 'lost'. Targets beyond the end of the path have None."""
        found: list[Point | None] = [None] * len(targets)
        singular: list[Singular] = []
        trail = [start]
        k = 0
        while k < len(targets):
            p, t = trail[-1], float(targets[k])
            tell(p.t)
            if t == p.t:
                found[k] = p
                k += 1
                continue
            new = self._towards(p, t)
            if new is not None and not self._suspect(trail, new):
                trail = [*trail[-40:], new]
                continue
            bridge = self._bridge(trail, new)
            if bridge is not None:
                left, right = bridge
                here, curve = self._crossing(left, right)
                if here is not None:
                    left, right = curve.left, curve.right
                    passed = (here.t - float(targets[-1])) * self.direction
                    known = any(abs(here.t - s.t) * self.speed(left) < NEAR for s in singular)
                    if passed * self.speed(left) < 1e-9 and not known:
                        singular.append(here)
                while k > 0 and (targets[k - 1] - left.t) * self.direction > 0:
                    k -= 1
                while k < len(targets) and (targets[k] - right.t) * self.direction <= 0:
                    near = here is not None and abs(targets[k] - here.t) * self.speed(left) < NEAR
                    found[k] = curve.point(self, float(targets[k]), near)
                    k += 1
                trail = [right]
                continue
            if new is not None and new.sign == p.sign and new.spread < SINGULAR * min(x.spread for x in trail):
                trail = [*trail[-40:], new]  # near a lock-up, but not there
                continue
            fold, ahead = self._around(trail[-1], t)
            if fold is not None:
                while k < len(targets) and (fold.end - targets[k]) * self.direction > 1e-12 * self.span:
                    found[k] = fold.point(self, float(targets[k]))
                    k += 1
                if k == len(targets):  # the path ends beyond them
                    break
                singular.append(fold.singular(self))
                return found, singular, "locked"
            if ahead is None or ahead.sign != trail[-1].sign:
                return found, singular, "lost"
            trail = [ahead]
        return found, singular, "finished"

    def _towards(self, p: Point, t: float) -> Point | None:
        """One step towards t, as far as it succeeds; None in trouble."""
        h = t - p.t
        while True:
            new, way = self.step(p, t if h == t - p.t else p.t + h)
            if new is not None:
                return new
            if way < TROUBLE or abs(h) < 1e-13 * self.span:
                return None
            h *= 0.5

    def _suspect(self, trail: list[Point], new: Point) -> bool:
        """Whether a singular position was met or passed on the way to a point: det G changed its sign, or G⁻¹ is
        large, or was and is no longer, or the smallest singular value was going to vanish on that way."""
        before, last = trail[-2:] if len(trail) > 1 else (trail[-1], trail[-1])
        usual = min(p.spread for p in trail)
        passed = False
        if last.spread > 10.0 * usual:
            passed = last.spread > max(before.spread, new.spread)
            if before.spread < last.spread:
                fall = (1.0 / before.spread - 1.0 / last.spread) / (last.t - before.t)
                passed = passed or fall * (new.t - last.t) > 1.0 / last.spread
        return new.sign != last.sign or new.spread > SPREADS * usual or passed

    def _bridge(self, trail: list[Point], new: Point | None) -> tuple[Point, Point] | None:
        """Two points on both sides of a singular position, far enough from it that their rates are exact."""
        last = trail[-1]
        usual = min(p.spread for p in trail)
        apart = new is not None and new.spread < SPREADS * usual and self.way(new.q - last.q) >= APART
        if new is not None and apart and last.spread < SPREADS * usual and self._smooth(last, new):
            return last, new
        away = [p for p in trail if self.way(last.q - p.q) >= APART and p.spread < SPREADS * usual]
        left = last if last.spread < 0.3 * SPREADS * usual else (away[-1] if away else trail[0])
        if self.speed(left) <= 1e-12:
            return None
        least = self.way((last if new is None else new).q - left.q)
        for beyond in (APART, 1.5 * APART, 0.7 * APART, 0.4 * APART):
            t = left.t + self.direction * (least + beyond) / self.speed(left)
            right, _ = self.step(left, t, 2.0 * LARGEST_STEP)
            if right is not None and self._smooth(left, right):
                return left, right
        return None

    def _smooth(self, left: Point, right: Point) -> bool:
        """Whether two points lie on one smooth curve: their rates agree with the chord and with each other."""
        h = right.t - left.t
        chord = self.way(right.q - left.q)
        fits = self.way(right.q - left.q - 0.5 * h * (left.v + right.v)) <= 0.05 * chord
        return fits and self.way(right.v - left.v) <= 0.3 * max(self.speed(left), self.speed(right))

    def _crossing(self, left: Point, right: Point) -> tuple[Singular | None, Curve]:
        """The change point between two points, if there is one, and the curve through it."""
        curve = Curve(left, right)
        here: Singular | None = None
        for _ in range(2):
            t = self._root(curve)
            if t is None:
                return None, curve
            q = curve.q(t)
            motion, shares, _ = null_pair(scaled_jacobian(self.system, t, q))
            here = Singular("change point", t, q, motion * self.system.scale, shares / self.system.row_scale)
            h = APART / self.speed(curve.left) * self.direction
            ends = []
            for end in (t - h, t + h):
                found, _ = self.newton(end, curve.q(end))
                p = None if found is None else self.point(end, found)
                if p is not None:
                    ends.append(p)
            if len(ends) < 2 or not self._smooth(*ends):
                break
            curve = Curve(*ends)
        return here, curve

    def _root(self, curve: Curve) -> float | None:
        """Where G is singular on a curve: the root of β in [G u; wᵀ 0] [x; β] = [0; 1], or where its smallest singular
        value vanishes without a change of sign."""
        ends = sorted((curve.left.t, curve.right.t))

        def smallest(t: float) -> float:
            return null_pair(scaled_jacobian(self.system, t, curve.q(t)))[2]

        usual = max(smallest(ends[0]), smallest(ends[1]))
        low = minimize_scalar(smallest, bounds=ends, method="bounded", options={"xatol": 1e-3 * (ends[1] - ends[0])}).x
        motion, shares, _ = null_pair(scaled_jacobian(self.system, low, curve.q(low)))

        def beta(t: float) -> float:
            return bordered_value(scaled_jacobian(self.system, t, curve.q(t)), shares, motion)

        if curve.left.sign != curve.right.sign and beta(ends[0]) * beta(ends[1]) < 0.0:
            return float(brentq(beta, *ends, xtol=1e-15 * max(1.0, abs(ends[1])), rtol=1e-14))
        # about the lowest so far: the search ends at a relative step of 1e-8
        w = 0.01 * (ends[1] - ends[0])
        best = minimize_scalar(
            lambda s: smallest(low + s), bounds=(-w, w), method="bounded", options={"xatol": 1e-9 * w}
        )
        return float(low + best.x) if best.fun < VANISHES * usual else None

    # -- round a lock-up --------------------------------------------------------------------------------------

    def _around(self, p: Point, target: float) -> tuple[Fold | None, Point | None]:
        """Along the path with its length as the parameter: to where t turns back, or to a point from which t leads
        on."""
        arc = Arc(self.system, p.q, p.t, self.span)
        x = arc.pack(p.q, p.t)
        tangent = arc.pack(p.v, 1.0) * self.direction
        tangent /= np.linalg.norm(tangent)
        for _ in range(200):
            for length in (APART, 0.3 * APART, 0.1 * APART, 0.02 * APART):
                new = arc.correct(x, tangent, length)
                if new is not None:
                    break
            else:
                return None, None
            onward = arc.tangent(new, tangent)
            if onward[-1] * self.direction <= 0.0:
                return Fold(arc, x, tangent, length, self.direction), None
            x, tangent = new, onward
            q, t = arc.unpack(x)
            if self.way(q - p.q) > 5.0 * APART:
                return None, self.point(t, q) if (target - t) * self.direction > 0 else None
        return None, None


class Curve:
    """The quintic in t through two points with their rates and second rates."""

    def __init__(self, left: Point, right: Point) -> None:
        self.left, self.right = left, right
        first, last = (left, right) if left.t < right.t else (right, left)
        derivatives = [np.array([p.q, p.v, p.a]) for p in (first, last)]
        self._curves = [BPoly.from_derivatives([first.t, last.t], derivatives)]
        self._curves += [self._curves[0].derivative(), self._curves[0].derivative(2)]

    def q(self, t: float) -> np.ndarray:
        """Coordinates (n,) at t."""
        return np.asarray(self._curves[0](t))

    def point(self, path: Path, t: float, near: bool) -> Point | None:
        """The point at t: from the curve itself when it is near a change point (`sign` 0 says so), else exact."""
        if not near:
            q, _ = path.newton(t, self.q(t))
            exact = None if q is None else path.point(t, q)
            if exact is not None:
                return exact
        q, v, a = (np.asarray(curve(t)) for curve in self._curves)
        return Point(t, q, v, a, 0.0, np.inf)
