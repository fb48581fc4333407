"""The path of a driven mechanism, g(q, t) = 0 with as many rows as coordinates, followed along t without leaving it.

Newton's method finds each position from q + h v + h²/2 a. A step counts only if the iteration contracts fast from the
first correction on, so that no other solution is near (:func:`flexmb.algebra.newton.contracting`). With the Jacobian
G = ∂g/∂q the rates follow from G v = −g_t,  G a = γ.

Where G is singular, the path is no smooth function of t. There are two kinds of such positions. At a change point two
paths cross, det G changes its sign, and the smooth path goes on: a step leads over it, and positions near it are taken
from the quintic through positions and rates on both sides. At a lock-up t itself turns back. With t as one more unknown
and the length s of the path as the parameter, it is a regular position, where dt/ds = 0.

Of rows that repeat one another only some take part, and G may be singular because these rows depend on one another
there while all rows together do not. Then others take part from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly
from scipy.optimize import brentq, minimize_scalar

from flexmb.algebra.newton import Contraction, contracting
from flexmb.analyses.kinematics.plain_steps import BEHIND, PlainSteps
from flexmb.analyses.kinematics.singular import Jacobian, SingularPoint, bordered_value, null_pair, scaled_jacobian
from flexmb.analyses.kinematics.turning_back import Arc, TurningPoint
from flexmb.solvers.changes.exchange import rows_instead
from flexmb.solvers.rows.left_out import HELD
from flexmb.system.chart import Chart
from flexmb.system.system import System

#: largest change of a coordinate in one step, in units of the model's length, and radians
LARGEST_STEP = 0.3
#: the iteration must contract so fast that it cannot find another position than the one on the path
CONTRACTION = Contraction(1e-13, rounded=1e-10, stalled=0.1, largest=LARGEST_STEP, factor=0.25, enough=1e-15, most=10)
#: if a step this short fails, a singular position is near
SHORTEST_STEP = 2e-3
#: at this distance from a singular position rates are exact to about 1e-10
CLEARANCE = 0.02
#: nearer than this to a change point, positions are taken from the quintic
NEAR_CROSSING = 5e-3
#: a singular position is near where G⁻¹ exceeds its smallest size so far by this factor
LARGE_INVERSE = 100.0
#: a position counts as singular where G⁻¹ exceeds that size by this factor
SINGULAR_INVERSE = 1e8
#: a singular value below this part of those nearby counts as zero
ZERO_SINGULAR_VALUE = 1e-6


@dataclass(frozen=True, eq=False)
class DrivenPosition:
    """A position on the path with its rates; `sign` of det G; `inverse_size`: the size of G⁻¹, with the rows of a
    `system`."""

    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    sign: float
    inverse_size: float


class DrivenPath:
    """The path of a driven system; `direction` +1 or −1 along t, `span` the range of t."""

    def __init__(self, system: System, direction: float, span: float) -> None:
        self.system, self.direction, self.span = system, direction, span
        self.iterations = self.factorizations = self.other_rows = 0
        self._exchanged = np.inf
        self._steps: PlainSteps | None = None
        # a random vector, since the motion that a symmetric mechanism frees may be orthogonal to any simple one
        self._probe = np.random.default_rng(0).normal(size=system.n) * system.row_scale

    # -- points on the path -----------------------------------------------------------------------------------

    def size(self, change: np.ndarray) -> float:
        """The size of a change of coordinates, in units of the model's length, and radians."""
        return float(np.max(np.abs(change) / self.system.scale))

    def way(self, p: DrivenPosition, before: DrivenPosition) -> float:
        """The size of the way from one position to another."""
        return self.size(self.system.difference(p.q, before.q))

    def speed(self, p: DrivenPosition) -> float:
        """The size of the rates: way along the path for a unit of t."""
        return max(self.size(p.v), 1e-300)

    def point(self, t: float, q: np.ndarray) -> DrivenPosition | None:
        """A closed position with its rates; None if it is singular."""
        system = self.system
        J = self._factor(t, q)
        if J.sign == 0.0:
            return None
        v = -J.solve(system.constraint(t, q, np.zeros(system.n))[1])
        a = J.solve(system.constraint(t, q, v)[2])
        p = DrivenPosition(system, t, q, v, a, J.sign, self.size(J.solve(self._probe)))
        return p if np.all(np.isfinite(v)) and np.all(np.isfinite(a)) else None

    def point_near(self, t: float, guess: np.ndarray) -> DrivenPosition | None:
        """The position at t near a guess; None if none is found, or if it is singular."""
        q, _ = self.newton(t, guess)
        return None if q is None else self.point(t, q)

    def _factor(self, t: float, q: np.ndarray) -> Jacobian:
        self.factorizations += 1
        return Jacobian(self.system, t, q)

    def newton(self, t: float, q: np.ndarray) -> tuple[np.ndarray | None, float]:
        """The position at t near a guess, None if that does not contract; and the size of the first correction."""

        def correction(q: np.ndarray) -> np.ndarray | None:
            g = self.system.constraint(t, q, np.zeros(self.system.n))[0]
            J = self._factor(t, q)
            if J.sign == 0.0 or not np.all(np.isfinite(g)):
                return None
            self.iterations += 1
            return -J.solve(g)

        position, first, _ = contracting(correction, q, self.size, CONTRACTION, self.system.retract)
        return position, first

    def step(self, p: DrivenPosition, t: float, largest: float = LARGEST_STEP) -> tuple[DrivenPosition | None, float]:
        """The position at t from an earlier one, None if the iteration does not contract; and the size of the step."""
        h = t - p.t
        change = h * p.v + 0.5 * h**2 * p.a
        way = max(self.size(change), self.size(h * p.v))
        if not way <= largest:
            return None, way
        q, first = self.newton(t, self.system.retract(p.q, change))
        way = max(way, first)
        return (None if q is None else self.point(t, q)), way

    # -- along the path ---------------------------------------------------------------------------------------

    def follow(
        self, start: DrivenPosition, targets: np.ndarray, report: Callable[[float], None]
    ) -> tuple[list[DrivenPosition | None], list[SingularPoint], str]:
        """Positions at the targets, in their order along the direction, None for those beyond the end of the path; the
        singular positions on the way; and how the path ended: 'finished', 'locked' or 'lost'."""
        positions: list[DrivenPosition | None] = [None] * len(targets)
        singular: list[SingularPoint] = []
        trail = [start]
        k = 0
        while k < len(targets):
            p, t = trail[-1], float(targets[k])
            report(p.t)
            if t == p.t:
                positions[k] = p
                k += 1
                continue
            plain = self._plain_steps(trail, t)
            if plain:
                trail = [*trail, *plain][-BEHIND:]
                continue
            new = self._step_towards(p, t)
            if new is not None and not self.passes_singularity(trail, new):
                trail = [*trail, new][-BEHIND:]
                continue
            if self._exchange_rows(p, new):
                trail = [x for x in (self.point(x.t, x.q) for x in trail) if x is not None]
                continue
            bridge = self._both_sides(trail, new)
            if bridge is not None:
                left, right = bridge
                crossing, curve = self._change_point(left, right)
                if crossing is not None:
                    left, right = curve.left, curve.right
                    passed = (crossing.t - float(targets[-1])) * self.direction
                    known = any(abs(crossing.t - s.t) * self.speed(left) < NEAR_CROSSING for s in singular)
                    if passed * self.speed(left) < 1e-9 and not known:
                        singular.append(crossing)
                while k > 0 and (targets[k - 1] - left.t) * self.direction > 0:
                    k -= 1
                while k < len(targets) and (targets[k] - right.t) * self.direction <= 0:
                    near = crossing is not None and abs(targets[k] - crossing.t) * self.speed(left) < NEAR_CROSSING
                    positions[k] = curve.point(self, float(targets[k]), near)
                    k += 1
                trail = [right]
                continue
            usual = min(x.inverse_size for x in trail)
            if new is not None and new.sign == p.sign and new.inverse_size < SINGULAR_INVERSE * usual:
                trail = [*trail, new][-BEHIND:]  # a lock-up is near, but not reached
                continue
            turning_point, ahead = self._round_lock_up(trail[-1], t)
            if turning_point is not None:
                while k < len(targets) and (turning_point.end - targets[k]) * self.direction > 1e-12 * self.span:
                    t = float(targets[k])
                    guess = turning_point.before(t)
                    exact, _ = self.newton(t, guess)
                    positions[k] = self.point(t, guess if exact is None else exact)
                    k += 1
                if k == len(targets):  # all targets lie before the end of the path
                    break
                singular.append(turning_point.singular())
                return positions, singular, "locked"
            if ahead is None or ahead.sign != trail[-1].sign:
                return positions, singular, "lost"
            trail = [ahead]
        return positions, singular, "finished"

    def _plain_steps(self, trail: list[DrivenPosition], t: float) -> list[DrivenPosition]:
        """Steps towards t that meet nothing; none in a large system."""
        system = self.system
        if system.pattern is not None:
            return []
        if self._steps is None or self._steps.system is not system:
            rest = self._probe, CONTRACTION, LARGE_INVERSE, SHORTEST_STEP, self.span
            self._steps = PlainSteps(system, *rest)
        found, iterations, factorizations = self._steps.towards(t, trail)
        self.iterations += iterations
        self.factorizations += factorizations
        return [DrivenPosition(system, *x) for x in found]

    def _step_towards(self, p: DrivenPosition, t: float) -> DrivenPosition | None:
        """One step towards t, as long as can be; None if even a short one fails."""
        h = t - p.t
        while True:
            new, way = self.step(p, t if h == t - p.t else p.t + h)
            if new is not None:
                return new
            if way < SHORTEST_STEP or abs(h) < 1e-13 * self.span:
                return None
            h *= 0.5

    def _exchange_rows(self, p: DrivenPosition, new: DrivenPosition | None) -> bool:
        """Whether, of rows that repeat others, some that were left out take part from a position on, since those that
        take part now fade there or on the way to a new position; once at each position."""
        if not self.system.left_out or self._exchanged == p.t:
            return False
        for at in (p, new):
            rows = None if at is None else rows_instead(self.system, at.t, at.q)
            if rows is not None:
                other = self.system.whole.with_rows(rows)
                g = other.constraint(p.t, p.q, np.zeros(other.n))[0]
                if np.max(np.abs(g) / other.row_scale) > HELD:
                    continue
                before, self.system = self.system, other
                now = self.point(p.t, p.q)
                if now is not None:
                    self._exchanged, self.other_rows = p.t, self.other_rows + 1
                    return True
                self.system = before
        return False

    def passes_singularity(self, trail: list[DrivenPosition], new: DrivenPosition) -> bool:
        """Whether the way to a new position may meet or pass a singular one: det G changed its sign, G⁻¹ is or was
        large, or the smallest singular value was about to vanish on the way."""
        before, last = trail[-2:] if len(trail) > 1 else (trail[-1], trail[-1])
        usual = min(p.inverse_size for p in trail)
        passed = False
        if last.inverse_size > 10.0 * usual:
            passed = last.inverse_size > max(before.inverse_size, new.inverse_size)
            if before.inverse_size < last.inverse_size:
                fall = (1.0 / before.inverse_size - 1.0 / last.inverse_size) / (last.t - before.t)
                passed = passed or fall * (new.t - last.t) > 1.0 / last.inverse_size
        return new.sign != last.sign or new.inverse_size > LARGE_INVERSE * usual or passed

    def _both_sides(
        self, trail: list[DrivenPosition], new: DrivenPosition | None
    ) -> tuple[DrivenPosition, DrivenPosition] | None:
        """Two positions on both sides of a singular one, far enough from it that their rates are exact."""
        last = trail[-1]
        usual = min(p.inverse_size for p in trail)
        apart = new is not None and new.inverse_size < LARGE_INVERSE * usual and self.way(new, last) >= CLEARANCE
        if new is not None and apart and last.inverse_size < LARGE_INVERSE * usual and self._smooth(last, new):
            return last, new
        away = [p for p in trail if self.way(last, p) >= CLEARANCE and p.inverse_size < LARGE_INVERSE * usual]
        left = last if last.inverse_size < 0.3 * LARGE_INVERSE * usual else (away[-1] if away else trail[0])
        if self.speed(left) <= 1e-12:
            return None
        least = self.way(last if new is None else new, left)
        for beyond in (CLEARANCE, 1.5 * CLEARANCE, 0.7 * CLEARANCE, 0.4 * CLEARANCE):
            t = left.t + self.direction * (least + beyond) / self.speed(left)
            right, _ = self.step(left, t, 2.0 * LARGEST_STEP)
            if right is not None and self._smooth(left, right):
                return left, right
        return None

    def _smooth(self, left: DrivenPosition, right: DrivenPosition) -> bool:
        """Whether two positions lie on one smooth curve: their rates agree with the chord and with each other."""
        h = right.t - left.t
        chord = self.system.difference(right.q, left.q)
        fits = self.size(chord - 0.5 * h * (left.v + right.v)) <= 0.05 * self.size(chord)
        return fits and self.size(right.v - left.v) <= 0.3 * max(self.speed(left), self.speed(right))

    def _change_point(self, left: DrivenPosition, right: DrivenPosition) -> tuple[SingularPoint | None, Curve]:
        """The change point between two positions, if there is one, and the curve through it."""
        curve = Curve(self.system, left, right)
        crossing: SingularPoint | None = None
        for _ in range(2):
            t = self._crossing_time(curve)
            if t is None:
                return None, curve
            crossing = SingularPoint.at(self.system, "change point", t, curve.q(t))
            h = CLEARANCE / self.speed(curve.left) * self.direction
            before, after = self.point_near(t - h, curve.q(t - h)), self.point_near(t + h, curve.q(t + h))
            if before is None or after is None or not self._smooth(before, after):
                break
            curve = Curve(self.system, before, after)
        return crossing, curve

    def _crossing_time(self, curve: Curve) -> float | None:
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
        # Search again about the lowest point, since the search cannot resolve t better than to 1e-8 of its value.
        w = 0.01 * (ends[1] - ends[0])
        again = {"bounds": (-w, w), "method": "bounded", "options": {"xatol": 1e-9 * w}}
        best = minimize_scalar(lambda s: smallest(low + s), **again)
        return float(low + best.x) if best.fun < ZERO_SINGULAR_VALUE * usual else None

    # -- round a lock-up --------------------------------------------------------------------------------------

    def _round_lock_up(self, p: DrivenPosition, target: float) -> tuple[TurningPoint | None, DrivenPosition | None]:
        """Follow the path with its length as the parameter, up to the point where t turns back, or to a position beyond
        which t goes on."""
        arc = Arc(self.system, p.q, p.t, self.span)
        x = arc.pack(p.q, p.t)
        tangent = np.append(p.v, 1.0) / arc.units * self.direction
        tangent /= np.linalg.norm(tangent)
        for _ in range(200):
            for length in (CLEARANCE, 0.3 * CLEARANCE, 0.1 * CLEARANCE, 0.02 * CLEARANCE):
                new = arc.correct(x, tangent, length)
                if new is not None:
                    break
            else:
                return None, None
            onward = arc.tangent(new, tangent)
            if onward[-1] * self.direction <= 0.0:
                return TurningPoint(arc, x, tangent, length), None
            x, tangent = new, onward
            q, t = arc.unpack(x)
            if self.size(self.system.difference(q, p.q)) > 5.0 * CLEARANCE:
                return None, self.point(t, q) if (target - t) * self.direction > 0 else None
        return None, None


class Curve:
    """The quintic in t through two positions with their rates and second rates, in the chart about the earlier one."""

    def __init__(self, system: System, left: DrivenPosition, right: DrivenPosition) -> None:
        self.left, self.right = left, right
        first, last = (left, right) if left.t < right.t else (right, left)
        self._chart = Chart(system, first.q)
        places = [(p, self._chart.of(p.q)) for p in (first, last)]
        derivatives = [np.array([x, *self._chart.rates(x, p.v, p.a)]) for p, x in places]
        self._curves = [BPoly.from_derivatives([first.t, last.t], derivatives)]
        self._curves += [self._curves[0].derivative(), self._curves[0].derivative(2)]

    def q(self, t: float) -> np.ndarray:
        """The position (nq,) at t."""
        return self._chart.position(np.asarray(self._curves[0](t)))

    def point(self, path: DrivenPath, t: float, near: bool) -> DrivenPosition | None:
        """The position at t: exact, or near a change point that of the curve itself, marked by `sign` 0."""
        exact = None if near else path.point_near(t, self.q(t))
        if exact is not None:
            return exact
        x, *rates = (np.asarray(curve(t)) for curve in self._curves)
        return DrivenPosition(path.system, t, self._chart.position(x), *self._chart.motion(x, *rates), 0.0, np.inf)
