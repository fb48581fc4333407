"""Hermite interpolation between the steps; of orientations on their group (:mod:`flexmb.kernels.charts`).

For methods up to order 3, and for equilibria, it is cubic: positions from speeds, speeds from accelerations; all other
quantities are interpolated linearly. The cubics are those of scipy's `CubicHermiteSpline`. That class computes the
coefficients of all steps first, and it refuses two equal times, which a path of equilibria has. This one computes only
the steps that are needed.

For methods of higher order positions are quintic, with x₀, ẋ₀, ẍ₀ and x₁, ẋ₁, ẍ₁ at the ends of a step. Their rate is,
with the cubic p(s) of the rates, s = 0 … 1, and the distance D by which its integral misses x₁,

    ẋ = p + 30 s² (1 − s)² D/h,     D = x₁ − x₀ − ½ h (ẋ₀ + ẋ₁) − h²/12 (ẍ₀ − ẍ₁) = h⁵/720 d³ẍ/dt³ + …

and this is used for speeds, with D from positions or from accelerations, whichever is smaller: errors of positions are
magnified by division by a short h, those of accelerations are large where steps are long or uneven. So the errors of
positions and speeds are of orders 6 and 5, provided that the accelerations are those of the motion: unresolved
vibration leaves others, which, times h², would spoil positions. Therefore a coordinate is quintic in a step only if its
accelerations are smooth around it (:mod:`flexmb.results.between_steps.smooth`), and agree with speeds and positions:

    E = |v₁ − v₀ − ½ h (a₀ + a₁)| ≤ h B/6  and  |D| ≤ h² B/72,     B the largest h² |ä| around the step.

For a smooth motion E is h B/12, and D is smaller than h² B/72 by a factor ω h/10. Wrong accelerations at the two ends
change E by half the sum and D by h/12 times the difference of their errors; the bounds limit these to B/6, or the
errors of positions to h² B/192, while a cubic has h² B/384. That B belongs to the motion is tested by

    E ≤ ¼ h A  and  |D| ≤ h² A/60,     A = max(|a₀|, |a₁|),

which is the only test where there are not enough even steps, as at the start. A vibration with ω h = θ gives E = h A
θ²/12 and |D| = h² A θ³/720. Accelerations unrelated to the motion cannot satisfy both, since then A ≤ ½ |a₀ + a₁| + ½
|a₀ − a₁| would be at most A/4 + A/10. Orientations are tested with A alone, in the chart of the step. All other
quantities are interpolated by :mod:`flexmb.results.between_steps.smooth`.

Methods whose steps are too long for this interpolation repeat them to find the states inside, see
:mod:`flexmb.results.between_steps.nodes`.
"""

from __future__ import annotations

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.kernels.charts import DISAGREEMENT, MISSED
from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.orientations import rotation_of
from flexmb.results import loops
from flexmb.results.between_steps.nodes import States, StepAgain, states_through_nodes
from flexmb.results.between_steps.smooth import SMOOTH, UNKNOWN, between_times

#: highest orders of methods whose steps are interpolated by cubics, and accurately enough by quintics
CUBIC, QUINTIC = 3, 5
#: bounds of E and |D| as fractions of h B and h² B (see above); those with A are in :mod:`flexmb.kernels.charts`
BEND_DISAGREEMENT, BEND_MISSED = 1.0 / 6.0, 1.0 / 72.0


#: a step ends before its event by less than this fraction of the run
AT_A_JUMP = 2e-9
#: a step is too short to give a slope if it is below this fraction of the longest neighboring step
SHORT = 0.02


class Interpolation:
    """Interpolation to given times, among the times of a solution.

    >>> b = Interpolation(np.array([0.0, 2.0]), np.array([1.0]), "run")
    >>> b.hermite(np.array([0.0, 8.0]), np.array([0.0, 12.0])).tolist()  # t³
    [1.0]
    """

    def __init__(self, known: np.ndarray, times: np.ndarray, where: str, order: int = 2) -> None:
        """`order`: that of the integration method."""
        if len(times) and not np.all(np.isfinite(times)):
            raise ModelError(f"{where}: a time is NaN or infinite")
        low, high = known[0], known[-1]
        outside = times[(times < low) | (times > high)]
        if len(outside):
            raise ModelError(
                f"{where}: t = {outside[0]:g} s is outside the run, which goes from {low:g} s to {high:g} s"
            )
        if len(known) == 1:
            self.left = self.right = np.zeros(len(times), dtype=int)
        else:
            self.left = np.clip(np.searchsorted(known, times, side="right") - 1, 0, len(known) - 2)
            times = self._with_both_sides(known, self._beside_jumps(known, times))
            self.right = self.left + 1
        self.known, self.times, self.cubic = known, times, order <= CUBIC
        self.h = known[self.right] - known[self.left]
        self.part = (times - known[self.left]) / np.where(self.h > 0.0, self.h, 1.0)

    def _beside_jumps(self, known: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Let times between the two states of a jump, which differ by rounding, refer to the nearer one of them, as
        functions of time do; returns the times with that of this state in their place."""
        behind, ahead = known[self.left], known[self.left + 1]
        jumps = (behind < times) & (times < ahead) & (ahead - behind <= AT_A_JUMP * (known[-1] - known[0]))
        after = jumps & (times - behind >= 0.5 * (ahead - behind))
        self.left[after & (self.left < len(known) - 2)] += 1
        return np.where(after, ahead, np.where(jumps, behind, times))

    def _with_both_sides(self, known: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Where a motion jumps at a time that is given twice, let the first of the two refer to the side before the
        jump. Returns the times, with the time of the jump in place of one that differs from it only by the location of
        its event."""
        twice = np.flatnonzero(times[:-1] == times[1:])
        row = np.searchsorted(known, times[twice], side="right") - 1
        first = np.searchsorted(known, times[twice] - AT_A_JUMP * (known[-1] - known[0]))
        jumps = (first > 0) & (first < row)
        self.left[twice[jumps]] = first[jumps] - 1
        times = times.copy()
        times[twice[jumps]] = known[first[jumps]]
        return times

    def linear(self, x: np.ndarray) -> np.ndarray:
        """Values of a quantity (k, …) at the times, by linear interpolation."""
        s = _column(self.part, x)
        return (1.0 - s) * x[self.left] + s * x[self.right]

    def hermite(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Values of a quantity (k, …) whose rates (k, …) are known; the error is of fourth order."""
        s, h = _column(self.part, x), _column(self.h, x)
        r = 1.0 - s
        ends = r * r * (1.0 + 2.0 * s) * x[self.left] + s * s * (3.0 - 2.0 * s) * x[self.right]
        return ends + h * s * r * (r * rate[self.left] - s * rate[self.right])

    def positions(self, q: np.ndarray, v: np.ndarray, orientations: np.ndarray, straight: bool = False) -> np.ndarray:
        """Coordinates (k, nq) at the times, of a motion with the speeds v (k, n): by cubics, or, if `straight`, by
        straight lines and steady turns. `orientations` (k, 2): indices of orientations, see
        :mod:`flexmb.kernels.charts`."""
        n = v.shape[1]
        plain = self.linear(q[:, :n]) if straight else self.hermite(q[:, :n], v)
        if not len(orientations):
            return plain
        out = np.concatenate([plain, np.empty((len(plain), q.shape[1] - n))], axis=1)
        h = np.zeros_like(self.h) if straight else self.h
        taken = np.zeros(plain.shape, dtype=np.bool_)
        _turn_within(orientations, (q, v, v), self.left, self.right, taken, h, self.part, out, np.empty_like(plain))
        return out

    def values(self, x: np.ndarray) -> np.ndarray:
        """Values of a quantity (k, …) whose rates are not known."""
        return self.linear(x) if self.cubic else between_times(self.known, self.left, self.times, x).values

    def motion(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, orientations: np.ndarray, straight: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, speeds and accelerations at the times, of a motion with q (k, nq), v and a (k, n)."""
        cubic = self.positions(q, v, orientations, straight)
        speeds = self.hermite(v, a)
        if self.cubic or straight:
            return cubic, speeds, self.linear(a)
        n = v.shape[1]
        i, j, h, s = self.left, self.right, self.h[:, None], self.part[:, None]
        turning = orientations[:, :1] + np.arange(3)
        accelerations, kinds, bends, thirds = between_times(self.known, i, self.times, a, orientations[:, 0])
        smooth, unknown = kinds == SMOOTH, kinds == UNKNOWN
        way = q[j, :n] - q[i, :n]
        missed = way - 0.5 * h * (v[i] + v[j]) - h * h / 12.0 * (a[i] - a[j])
        off = np.abs(v[j] - v[i] - 0.5 * h * (a[i] + a[j]))
        largest = np.maximum(np.abs(a[i]), np.abs(a[j]))
        taken = (off <= DISAGREEMENT * h * largest) & (np.abs(missed) <= MISSED * h * h * largest)
        taken &= unknown | (np.abs(missed) <= BEND_MISSED * h * h * bends)
        taken[:, turning] = True  # differences of quaternion components do not measure the turn
        taken &= unknown | (smooth & (off <= BEND_DISAGREEMENT * h * bends))
        taken[:, turning] = np.all(taken[:, turning], axis=2, keepdims=True)
        bump = s * s * (1.0 - s) ** 2
        first = h * h * a[i] - 6.0 * way + h * (4.0 * v[i] + 2.0 * v[j])  # errors of the second rates of the cubic
        last = h * h * a[j] + 6.0 * way - h * (2.0 * v[i] + 4.0 * v[j])
        cubic[:, :n] += np.where(taken, 0.5 * bump * ((1.0 - s) * first + s * last), 0.0)
        of_rates = missed / np.where(h > 0.0, h, np.inf)
        other = np.where(smooth, h * thirds / 720.0, np.where(unknown, np.inf, 0.0))
        of_rates[:, turning] = np.where(smooth, other, 0.0)[:, turning]
        of_rates = np.where(np.abs(other) < np.abs(of_rates), other, of_rates)
        if len(orientations):
            _turn_within(orientations, (q, v, a), i, j, taken, self.h, self.part, cubic, np.empty_like(speeds))
        speeds += np.where(taken, 30.0 * bump * of_rates, 0.0)
        return cubic, speeds, accelerations

    def states(
        self, known: States, orientations: np.ndarray, *, straight: bool = False, again: StepAgain | None = None
    ) -> tuple[States, np.ndarray]:
        """The states at the times, of a motion with the `known` ones; inside of steps those that `again` computes. Also
        returns whether their multipliers (p, m) are as accurate as those at the ends of steps, and not interpolated
        linearly."""
        q, v, a, lam = known
        multipliers, close = self.linear(lam), np.zeros((len(self.times), lam.shape[1]), dtype=np.bool_)
        if not self.cubic:
            multipliers, kinds, *_ = between_times(self.known, self.left, self.times, lam)
            close = kinds == SMOOTH
        there = States(*self.motion(q, v, a, orientations, straight), multipliers)
        if again is None or straight:
            return there, close
        for rows in self.rows_by_step():
            ends = [self.left[rows[0]], self.right[rows[0]]]
            inner = again(self.known[ends], q[ends], v[ends])
            if inner is not None:
                close[rows] = True
                both = States(*(x[ends] for x in known))
                found = states_through_nodes(both, inner, self.part[rows], orientations)
                for values, exact in zip(there, found):
                    values[rows] = exact
        return there, close

    def rows_by_step(self) -> list[np.ndarray]:
        """Indices of the times inside of steps, one array for each step."""
        inside = np.flatnonzero((self.part > 0.0) & (self.part < 1.0))
        parts = np.split(inside, np.flatnonzero(np.diff(self.left[inside])) + 1)
        return [rows for rows in parts if len(rows)]

    def track(self, values: np.ndarray) -> np.ndarray:
        """Values (k, …) of a track at the times; those of a point in the plane or in space."""
        side = PLANE if values.shape[1] == len(PLANE.point) else SPACE
        out = np.empty((len(self.part), values.shape[1]))
        place, rates, second = values[:, side.place], values[:, side.rates], values[:, side.second_rates]
        if side is PLANE:
            none = np.zeros((0, 2), dtype=np.int64)
            out[:, side.place], out[:, side.rates], out[:, side.second_rates] = self.motion(place, rates, second, none)
            return out
        own_rates, own_second = rates.copy(), second.copy()
        turns = rotation_of(values[:, side.orientation])
        own_rates[:, 3:] = turns.apply(rates[:, 3:], inverse=True)
        own_second[:, 3:] = turns.apply(second[:, 3:], inverse=True)
        numbers = values[:, [0, 1, 2, 4, 5, 6, 3]]
        there, speeds, accelerations = self.motion(numbers, own_rates, own_second, np.array([[3, 6]]))
        out[:, side.place] = there[:, [0, 1, 2, 6, 3, 4, 5]]
        if self.cubic:
            out[:, side.rates], out[:, side.second_rates] = self.hermite(rates, second), self.linear(second)
            return out
        turned = scipy.spatial.transform.Rotation.from_quat(there[:, 3:])
        for part, own in ((side.rates, speeds), (side.second_rates, accelerations)):
            out[:, part] = np.concatenate([own[:, :3], turned.apply(own[:, 3:])], axis=1)
        return out


def middles(q: np.ndarray, v: np.ndarray, h: np.ndarray, orientations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds in the middle of every step of length h (k − 1,), by the cubics of
    :class:`Interpolation`."""
    n = v.shape[1]
    plain, speeds = midpoints(q[:, :n], v, h), midpoint_rates(q[:, :n], v, h)
    if not len(orientations):
        return plain, speeds
    out = np.concatenate([plain, np.empty((len(h), q.shape[1] - n))], axis=1)
    left, taken = np.arange(len(h)), np.zeros((len(h), n), dtype=np.bool_)
    _turn_within(orientations, (q, v, v), left, left + 1, taken, h, np.full(len(h), 0.5), out, speeds)
    return out, speeds


def _turn_within(orientations: np.ndarray, motion: tuple[np.ndarray, ...], *others: np.ndarray) -> None:
    """See :func:`flexmb.results.loops.turn_within_steps`."""
    loops.turn_within_steps(orientations, *(np.ascontiguousarray(x) for x in motion), *others)


def midpoints(x: np.ndarray, rate: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Hermite values in the middle of every step: (x₀ + x₁)/2 + h (ẋ₀ − ẋ₁)/8."""
    return 0.5 * (x[:-1] + x[1:]) + 0.125 * h[:, None] * (rate[:-1] - rate[1:])


def midpoint_rates(x: np.ndarray, rate: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Hermite rates in the middle of every step: 3 (x₁ − x₀)/2h − (ẋ₀ + ẋ₁)/4; zero for steps without duration, as
    along a path of equilibria."""
    lasting = np.where(h > 0.0, h, np.inf)[:, None]
    return np.where(h[:, None] > 0.0, 1.5 * (x[1:] - x[:-1]) / lasting - 0.25 * (rate[:-1] + rate[1:]), 0.0)


def values_in_steps(
    x: np.ndarray, t: np.ndarray, step: np.ndarray, times: np.ndarray, otherwise: np.ndarray | None = None
) -> np.ndarray:
    """Values (p, …) at times (p,), each in the step with the index in `step` (p,), of quantities (k, …) without known
    rates. Uses the cubic through the four nearest times that do not lie beyond a jump, an instant that occurs twice; if
    the outer step of these is too short to give a slope (beside an event), through the next four. If there are fewer,
    or a step is too short in these too, linear interpolation, or the values `otherwise` (p, …)."""
    k = len(t)
    if not len(step) or not x[0].size:
        return np.zeros((len(step), *x.shape[1:]))
    width = min(4, k)
    side = np.concatenate([[0], np.cumsum(t[1:] == t[:-1])])
    first, behind = (np.searchsorted(side, side[step], which) for which in ("left", "right"))
    lasting = t[step + 1] > t[step]
    nearest = np.where(lasting, np.clip(step - 1, first, np.maximum(behind - width, first)), step - 1)
    columns = np.clip(nearest, 0, k - width)[:, None] + np.arange(width)
    if width == 4:
        before, more = lasting & (nearest > first), lasting & (nearest + width < behind)
        columns += _away_from_short(np.diff(t[columns], axis=1), before, more)[:, None]
    known = t[columns]
    steps = np.diff(known, axis=1)
    uneven = steps.min(axis=1) <= SHORT * steps.max(axis=1)
    part = np.where(lasting, times - t[step], 0.5) / np.where(lasting, t[step + 1] - t[step], 1.0)
    out = np.zeros((len(step), *x.shape[1:]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in range(width):
            weight = np.ones(len(step))
            for i in range(width):
                if i != j:
                    weight *= (times - known[:, i]) / (known[:, j] - known[:, i])
            line = (1.0 - part) * (columns[:, j] == step) + part * (columns[:, j] == step + 1)
            weight = np.where(uneven, line, weight)
            out += _column(weight, x) * x[columns[:, j]]
    return out if otherwise is None else np.where(_column(uneven, x), otherwise, out)


def _away_from_short(steps: np.ndarray, before: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """The shift (p,) by −1, 0 or 1 of windows of four times with the `steps` (p, 3) between them, which excludes a
    first or last step too short to give a slope, where there is one more time `before` or `behind` the window."""
    short = steps <= SHORT * steps.max(axis=1, keepdims=True)
    back, on = short[:, 2] & ~short[:, 0] & before, short[:, 0] & ~short[:, 2] & behind
    return np.where(back, -1, np.where(on, 1, 0))


def _column(s: np.ndarray, x: np.ndarray) -> np.ndarray:
    return s.reshape(-1, *([1] * (x.ndim - 1)))
