"""Equilibria by Newton's method, see :func:`flexmb.algebra.newton.damped`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.algebra.newton import NO_DESCENT, NOT_FINITE, TOO_MANY, damped
from flexmb.algebra.newton import SINGULAR as SINGULAR_MATRIX
from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.solvers.changes.exchange import rows_instead

#: largest turn of any angle [rad], and largest way of any point in units of the model's length, in one step
LARGEST_STEP = 0.5
SINGULAR = "nothing resists some motion"
#: how often constraint rows may be exchanged in one search
MOST_EXCHANGES = 30


@dataclass
class Convergence:
    """The end of an iteration: the last q and λ, of the rows `kept`, and the `reason` why it did not converge, empty if
    it did."""

    q: np.ndarray
    lam: np.ndarray
    kept: np.ndarray
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
    exchange: bool = False,
) -> Convergence:
    """An equilibrium near q (nq,), λ (m,): corrections below `tolerance` in units of the model's length and radians.
    With `exchange` others of the constraint rows that repeat one another take part where some fade on the way."""
    iterations, exchanges = 0, 0
    while True:
        equations = _Equations(balance, exchange and exchanges < MOST_EXCHANGES)
        start = np.concatenate([q, exchanged(balance, q, lam) if equations.watch else lam])
        ended = damped(equations, start, tolerance, LARGEST_STEP, max_iterations - iterations, equations.moved)
        iterations += ended.iterations
        q, lam = equations.parts(ended.x)
        if not equations.faded or iterations >= max_iterations:
            break
        exchanges += 1
    if not ended.failure and equations.watch:
        lam = exchanged(balance, q, lam)
    reasons = {
        SINGULAR_MATRIX: SINGULAR,
        NO_DESCENT: "no step makes the forces balance better",
        TOO_MANY: f"no convergence in {max_iterations} iterations",
    }
    reason = balance.not_finite(q, lam) if ended.failure == NOT_FINITE else reasons.get(ended.failure, "")
    return Convergence(q, lam, balance.system.kept, reason, iterations)


class _Equations:
    """The equations of a balance in x = (q, λ); `watch`: the iteration is to end where constraint rows fade, which is
    then noted in `faded`."""

    def __init__(self, balance: Balance, watch: bool) -> None:
        self.balance, self.solve = balance, balance.solve
        self.watch, self.faded = watch, False

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q (nq,) and λ (m,)."""
        nq = self.balance.system.nq
        return x[:nq], x[nq:]

    def moved(self, x: np.ndarray, change: np.ndarray) -> np.ndarray:
        """x moved by a change of the position (n,) and of λ."""
        q, lam = self.parts(x)
        n = self.balance.n
        return np.concatenate([self.balance.system.retract(q, change[:n]), lam + change[n:]])

    def residual(self, x: np.ndarray) -> np.ndarray:
        return self.balance.residual(*self.parts(x))

    def factorize(self, x: np.ndarray) -> bool:
        q, lam = self.parts(x)
        self.faded = self.watch and rows_instead(self.balance.system, self.balance.t, q) is not None
        return not self.faded and self.balance.factorize(q, lam)

    def size(self, change: np.ndarray) -> float:
        """The size of a change of position, in units of the model's length, and radians; multipliers do not count."""
        return float(np.max(np.abs(change[: self.balance.n]) / self.balance.system.scale, initial=0.0))
