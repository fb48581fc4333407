"""A path of equilibria, followed by pseudo-arc-length continuation.

Each step along the path F(q, λ; μ) = 0 goes along its tangent (q', λ', μ') and is corrected in the plane across it, see
Keller (1977):

    F(q, λ; μ) = 0,      q'·W (q − q̄) + μ' (μ − μ̄)/μ₀² = 0,      W = diag(1/(n scale²))

with q̄, μ̄ where the tangent leads to. Orientations are moved by turns in their own axes (`system.retract`), q' is the
rate of these turns, and q − q̄ the turn that leads from one orientation to the other.

So the path goes on where the load turns back. The unknowns follow from two solutions with the same matrix. A step is
halved if it does not converge, if the tangent turns by more than half a radian, if the corrector takes much of it back
(it may lead to another path), or if an angle of the mechanism turns by more than the largest step. A step that
converges in few iterations is followed by a longer one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from flexmb.algebra.newton import Contraction, contracting
from flexmb.analyses.statics.balance import Balance, scaled_system
from flexmb.analyses.statics.newton import LARGEST_STEP
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.state import State
from flexmb.system.system import System

#: below EASY iterations of the corrector the next step grows; at TOO_MANY the step has failed
EASY, TOO_MANY = 6, 15
#: least cosine of the angle by which the tangent may turn in a step
LEAST_COSINE = 0.88
#: the corrector may take back this part of a step, and a way that is negligible, in units of the model's length
MOST_TAKEN_BACK, NEGLIGIBLE = 0.3, 1e-3


class EquilibriumPoint(NamedTuple):
    """A point of a path: load factor, q (nq,), λ (m,) of the rows of a `system`, and the unit tangent (q', λ', μ')
    (n + m + 1,)."""

    factor: float
    q: np.ndarray
    lam: np.ndarray
    tangent: np.ndarray
    system: System


def keep_factors(solution: Solution, loads: list[str], factor: np.ndarray) -> None:
    """Keep with a solution the factors (k,) by which loads were scaled, for forces of heated sections."""
    assert isinstance(solution.source, SystemSource)
    solution.source.factors = dict.fromkeys(loads, factor)


def state_at(balance: Balance, point: EquilibriumPoint, loads: list[str]) -> State:
    """The state at a point: that of a system whose loads have the strength that they have there, so that what is asked
    of the state, as its small motions, is answered under these loads."""
    model = point.system.model
    where = f"load path of model {model.name!r}"
    system = scaled_system(model, loads, point.factor, point.system, where)
    state = replace(balance.state(point.q, point.lam), system=system)
    keep_factors(state.solution, loads, np.array([point.factor]))
    return state


@dataclass
class PathEquations:
    """The equations of a path of equilibria, and the metric in which its length is measured; `loads` are scaled."""

    balance: Balance
    reference: float
    tolerance: float
    loads: list[str]
    iterations: int = 0

    def __post_init__(self) -> None:
        self.weights = 1.0 / (self.balance.n * self.balance.system.scale**2)

    def state(self, point: EquilibriumPoint) -> State:
        """The state at a point, with the factors of its loads."""
        return state_at(self.balance, point, self.loads)

    def product(self, x: np.ndarray, y: np.ndarray) -> float:
        """The inner product of two changes of (q, λ, μ); multipliers do not count."""
        n = self.balance.n
        return float(np.sum(self.weights * x[:n] * y[:n]) + x[-1] * y[-1] / self.reference**2)

    def tangent(self, factor: float, q: np.ndarray, lam: np.ndarray, like: np.ndarray | None) -> np.ndarray | None:
        """The unit tangent, in the sense of `like` (towards a growing factor when not given); None where the matrix is
        singular."""
        balance = self.balance
        balance.factor = factor
        if not balance.factorize(q, lam):
            return None
        x = np.append(-balance.solve(self._by_factor(q)), 1.0)
        if not np.all(np.isfinite(x)):
            return None
        x /= np.sqrt(self.product(x, x))
        return -x if like is not None and self.product(x, like) < 0.0 else x

    def start(self, factor: float, q: np.ndarray, lam: np.ndarray, sign: float) -> EquilibriumPoint | None:
        """The first point; its tangent leads towards a growing factor (sign 1) or a falling one (−1)."""
        tangent = self.tangent(factor, q, lam, None)
        return None if tangent is None else EquilibriumPoint(factor, q, lam, sign * tangent, self.balance.system)

    def with_rows_for(self, point: EquilibriumPoint) -> EquilibriumPoint:
        """The same point, from which the path goes on with others of the constraint rows that repeat one another if
        some fade there."""
        lam = exchanged(self.balance, point.q, point.lam)
        if self.balance.system is point.system:
            return point
        tangent = self.tangent(point.factor, point.q, lam, point.tangent)
        if tangent is None:
            self.balance.use_rows(point.system.kept)
            return point
        return EquilibriumPoint(point.factor, point.q, lam, tangent, self.balance.system)

    def step(self, point: EquilibriumPoint, length: float) -> tuple[EquilibriumPoint | None, int]:
        """The point at an arc length from another one, None if none is found; and the number of iterations."""
        n, system = self.balance.n, self.balance.system
        guess = length * point.tangent
        if np.max(np.abs(guess[:n]) / system.scale) > LARGEST_STEP:
            return None, 0
        q = system.retract(point.q, guess[:n])
        lam, factor = point.lam + guess[n:-1], point.factor + guess[-1]
        corrected_point = self._correct(q, lam, factor, point.tangent)
        if corrected_point is None:
            return None, TOO_MANY
        q, lam, factor, iterations = corrected_point
        way = system.difference(q, point.q)
        moved, corrected = (np.max(np.abs(x) / system.scale) for x in (way, way - guess[:n]))
        if corrected > MOST_TAKEN_BACK * moved + NEGLIGIBLE:  # the corrector may have found another path
            return None, iterations
        tangent = self.tangent(factor, q, lam, point.tangent)
        if tangent is None or self.product(tangent, point.tangent) < LEAST_COSINE:
            return None, iterations
        return EquilibriumPoint(factor, q, lam, tangent, system), iterations

    def _by_factor(self, q: np.ndarray) -> np.ndarray:
        """∂F/∂μ (n + m,)."""
        return np.append(self.balance.load_forces(q), np.zeros(self.balance.m))

    def _correct(
        self, q: np.ndarray, lam: np.ndarray, factor: float, across: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float, int] | None:
        balance, n, system = self.balance, self.balance.n, self.balance.system
        nq = system.nq
        start = np.concatenate([q, lam, [factor]])

        def correction(now: np.ndarray) -> np.ndarray | None:
            q, lam, balance.factor = now[:nq], now[nq:-1], float(now[-1])
            F = balance.residual(q, lam)
            if not np.all(np.isfinite(F)) or not balance.factorize(q, lam):
                return None
            self.iterations += 1
            x = np.append(-balance.solve(F), 0.0)
            y = np.append(-balance.solve(self._by_factor(q)), 1.0)
            off = np.concatenate([system.difference(q, start[:nq]), now[nq:] - start[nq:]])
            return x - (self.product(across, off) + self.product(across, x)) / self.product(across, y) * y

        def move(x: np.ndarray, change: np.ndarray) -> np.ndarray:
            return np.concatenate([system.retract(x[:nq], change[:n]), x[nq:] + change[n:]])

        rule = Contraction(self.tolerance, rounded=1e4 * self.tolerance, stalled=0.5, largest=10.0, most=TOO_MANY)
        x, _, iterations = contracting(correction, start, self._size, rule, move)
        return None if x is None else (x[:nq], x[nq:-1], float(x[-1]), iterations)

    def _size(self, change: np.ndarray) -> float:
        way = float(np.max(np.abs(change[: self.balance.n]) / self.balance.system.scale))
        return max(way, abs(float(change[-1])) / self.reference)
