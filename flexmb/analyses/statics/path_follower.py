"""Steps along a path of equilibria: their lengths, the factors that are wanted, and critical points between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.analyses.statics.continuation import EASY, EquilibriumPoint, PathEquations
from flexmb.analyses.statics.critical import CriticalPoint, critical_points_between
from flexmb.analyses.statics.newton import newton
from flexmb.analyses.statics.stability import LowestEigenvalues, lowest_eigenvalues, no_eigenvalues
from flexmb.results.state import State
from flexmb.solvers.rows.left_out import contradiction
from flexmb.system.bad_kernels import reached_limit

#: smallest step, as a part of the first one; the path stops where this fails too
SMALLEST_STEP = 1e-6
#: longest step, in units of the first one, on parts of the path where the mechanism moves and the load hardly changes
LONGEST = 2.0
#: part of its length by which a step may miss the factor that it aims at; the point is then moved to that factor
AIMED = 0.1


def _at_goal(goal: float, before: float, after: float, aimed: bool) -> bool:
    """Whether a step passed a wanted factor, or came close to the factor that it aimed at: rounding could keep it short
    of that for ever."""
    return (goal - before) * (goal - after) <= 0.0 or (aimed and abs(goal - after) <= AIMED * abs(goal - before))


@dataclass
class PathFollower:
    """Steps along a path, from its first point to its end."""

    path: PathEquations
    to: float
    steps: int
    control: str
    wanted: list[float]
    until: Callable[[State], bool] | None
    max_points: int
    count: int
    negative: int = 0
    status: str = "finished"
    message: str = ""

    def __post_init__(self) -> None:
        self.points: list[EquilibriumPoint] = []
        self.values: list[np.ndarray] = []
        self.flutters: list[bool] = []
        self.critical: list[CriticalPoint] = []
        self.length = 1.0 / self.steps

    def run(self, first: EquilibriumPoint) -> None:
        """Follow the path from its first point to its end."""
        longest = LONGEST * self.length
        smallest = SMALLEST_STEP * self.length
        spectrum = self._lowest(first)
        self._keep_point(first, spectrum)
        while True:
            point = self.points[-1] = self.path.with_rows_for(self.points[-1])
            goal = self._goal(point)
            length = min(self.length, longest)
            if abs(point.tangent[-1]) * length * self.steps > abs(self.to):
                length = abs(self.to / (self.steps * point.tangent[-1]))
            share = point.tangent[-1] * length
            cut = goal is not None and abs(share) > abs(goal - point.factor) > 0.0
            if cut and goal is not None:
                length = abs((goal - point.factor) / point.tangent[-1])
            new, iterations = self.path.step(point, length)
            if new is not None and goal is not None and _at_goal(goal, point.factor, new.factor, cut):
                new = self._point_at_factor(new, goal)
            if new is None:
                self.length = 0.5 * length
                if self.length < smallest:
                    reached = reached_limit(self.path.balance.system, point.q)
                    self._stop(point, reached or "no equilibrium is found near it")
                    return
                continue
            apart = contradiction(self.path.balance.system, self.path.balance.t, new.q)
            if apart:
                self._stop(point, f"at {new.factor:.6g} {apart}")
                return
            next_spectrum = self._lowest(new)
            if self.count:
                self.critical += critical_points_between(self.path, point, new, spectrum, next_spectrum, self._lowest)
            if self.control == "load" and self.critical and self.critical[-1].kind == "limit":
                limit = self.critical.pop()
                self._stop(limit.point, f"a limit point: beyond a load factor of {limit.factor:.6g} there is no rest")
                self._keep_point(limit.point, self._lowest(limit.point))
                self.critical.append(limit)
                return
            if self.control == "load" and not self.count and new.tangent[-1] * point.tangent[-1] < 0.0:
                self._stop(point, "the load turns back beyond it")
                return
            spectrum = next_spectrum
            self._keep_point(new, spectrum)
            grown = length * (2.0 if iterations < EASY else 1.0 if iterations == EASY else 0.7)
            self.length = max(grown, self.length) if cut else grown
            if goal == self.to and new.factor == self.to:
                return
            if self.until is not None and self.until(self.path.balance.state(new.q, new.lam)):
                return
            if len(self.points) >= self.max_points:
                self._stop(new, f"{self.max_points} points; give max_points for more")
                return

    def _goal(self, point: EquilibriumPoint) -> float | None:
        """The next wanted factor in the direction of the path."""
        ahead = [f for f in [*self.wanted, self.to] if (f - point.factor) * point.tangent[-1] > 0.0]
        return min(ahead, key=lambda f: abs(f - point.factor)) if ahead else None

    def _point_at_factor(self, near: EquilibriumPoint, goal: float) -> EquilibriumPoint | None:
        """The point of the path with this load factor, near another one; None if none is found."""
        balance = self.path.balance
        balance.factor = goal
        share = (goal - near.factor) / near.tangent[-1] if near.tangent[-1] else 0.0
        dq, dlam, _ = np.split(share * near.tangent, [balance.n, -1])
        rest = newton(
            balance,
            balance.system.retract(near.q, dq),
            near.lam + dlam,
            tolerance=self.path.tolerance,
            max_iterations=10,
        )
        self.path.iterations += rest.iterations
        tangent = self.path.tangent(goal, rest.q, rest.lam, near.tangent) if rest.converged else None
        return None if tangent is None else EquilibriumPoint(goal, rest.q, rest.lam, tangent, balance.system)

    def _lowest(self, point: EquilibriumPoint) -> LowestEigenvalues:
        balance = self.path.balance
        if not self.count:
            return no_eigenvalues(balance.n)
        balance.factor = point.factor
        return lowest_eigenvalues(balance, point.q, point.lam, self.count + self.negative)

    def _keep_point(self, point: EquilibriumPoint, spectrum: LowestEigenvalues) -> None:
        self.points.append(point)
        self.values.append(spectrum.values[: self.count])
        self.flutters.append(spectrum.flutters)
        self.negative = int(np.sum(spectrum.values < 0.0))  # as many more are computed, so that no crossing is missed

    def _stop(self, point: EquilibriumPoint, why: str) -> None:
        self.status = "stopped"
        self.message = f"stopped at a load factor of {point.factor:.6g}: {why}; the path until then is kept"
