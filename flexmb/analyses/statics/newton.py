"""Equilibria by Newton's method, see :func:`flexmb.algebra.newton.damped`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.algebra.newton import NO_DESCENT, NOT_FINITE, TOO_MANY, damped
from flexmb.algebra.newton import SINGULAR as SINGULAR_MATRIX
from flexmb.analyses.statics.balance import Balance

#: largest turn of any angle [rad], and largest way of any point in units of the model's length, in one step
LARGEST_STEP = 0.5
SINGULAR = "nothing resists some motion"


@dataclass
class Convergence:
    """The end of an iteration: the last q and λ, and the `reason` why it did not converge, empty if it did."""

    q: np.ndarray
    lam: np.ndarray
    reason: str = ""
    iterations: int = 0

    @property
    def converged(self) -> bool:
        """Whether the iteration ended at an equilibrium."""
        return not self.reason


def newton(
    balance: Balance,
    q: np.ndarray,
    lam: np.ndarray,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
) -> Convergence:
    """An equilibrium near q (n,), λ (m,): corrections below `tolerance` in units of the model's length and radians."""
    ended = damped(_Equations(balance), np.concatenate([q, lam]), tolerance, LARGEST_STEP, max_iterations)
    q, lam = ended.x[: balance.n], ended.x[balance.n :]
    reasons = {
        SINGULAR_MATRIX: SINGULAR,
        NO_DESCENT: "no step makes the forces balance better",
        TOO_MANY: f"no convergence in {max_iterations} iterations",
    }
    reason = balance.not_finite(q, lam) if ended.failure == NOT_FINITE else reasons.get(ended.failure, "")
    return Convergence(q, lam, reason, ended.iterations)


class _Equations:
    """The equations of a balance in x = (q, λ)."""

    def __init__(self, balance: Balance) -> None:
        self.balance, self.n, self.solve = balance, balance.n, balance.solve

    def residual(self, x: np.ndarray) -> np.ndarray:
        return self.balance.residual(x[: self.n], x[self.n :])

    def factorise(self, x: np.ndarray) -> bool:
        return self.balance.factorise(x[: self.n], x[self.n :])

    def size(self, change: np.ndarray) -> float:
        """The size of a change of q, in units of the model's length, and radians; multipliers do not count."""
        return float(np.max(np.abs(change[: self.n]) / self.balance.system.scale, initial=0.0))
