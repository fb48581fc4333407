"""Newton's method for equilibria.

A slender beam is stiff along its axis and soft across it: a step that bends it by a finite angle stretches it too, and
only the next step takes that back. A line search that asks every step for progress would therefore creep along the
straight tangent. Here the corrections may grow for a few steps (the watchdog technique, Chamberlain et al. (1982)); if
none of these steps comes nearer than the best point so far, the search goes back to that point and along its direction
with half the length. While corrections shrink fast the matrix is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.analyses.statics.balance import Balance

#: largest turn of any angle [rad], and largest way of any point in units of the model's length, in one step
LARGEST_STEP = 0.5
#: steps that may pass without coming nearer
PATIENCE = 5
SMALLEST_SHARE = 1e-4
#: the matrix is kept once corrections are smaller than this: a longer one still stretches what it bends
KEPT_BELOW = 1e-3


@dataclass
class Convergence:
    """How an iteration ended: `reason` says in words what stopped it when it did not converge."""

    q: np.ndarray
    lam: np.ndarray
    reason: str = ""
    iterations: int = 0
    factorisations: int = 0

    @property
    def converged(self) -> bool:
        """Whether it ended at an equilibrium."""
        return not self.reason


def newton(
    balance: Balance,
    q: np.ndarray,
    lam: np.ndarray,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
    largest_step: float = LARGEST_STEP,
) -> Convergence:
    """An equilibrium near q (n,), λ (m,): corrections below `tolerance` in units of the model's length and radians."""
    n, scale = balance.n, balance.system.scale
    result = Convergence(q.copy(), lam.copy())
    share, waited = 1.0, 0
    best, best_size = (result.q, result.lam), np.inf
    previous = np.inf
    fresh = False
    while result.iterations < max_iterations:
        F = balance.residual(result.q, result.lam)
        if not np.all(np.isfinite(F)):
            result.reason = balance.not_finite(result.q, result.lam)
            return result
        if not fresh:
            if not balance.factorise(result.q, result.lam):
                result.reason = SINGULAR
                return result
            result.factorisations += 1
        result.iterations += 1
        step = -balance.solve(F)
        size = float(np.max(np.abs(step[:n]) / scale, initial=0.0))
        if not np.isfinite(size):
            result.reason = SINGULAR
            return result
        rounded = size <= 1e4 * tolerance and size > 0.5 * previous  # round-off is all that is left
        if size <= tolerance or (rounded and not fresh):
            result.q, result.lam = result.q + step[:n], result.lam + step[n:]
            return result
        if fresh and size > 0.2 * previous:  # the kept matrix does no longer
            fresh, previous = False, np.inf
            continue
        if size < best_size:
            best, best_size, waited = (result.q, result.lam), size, 0
            share = min(1.0, 2.0 * share)
        else:
            waited += 1
            if waited > PATIENCE:
                share, waited = 0.5 * share, 0
                if share < SMALLEST_SHARE:
                    result.reason = "no step makes the forces balance better"
                    return result
                (result.q, result.lam), best_size, previous, fresh = best, np.inf, np.inf, False
                continue
        damping = min(share, largest_step / size)
        result.q, result.lam = result.q + damping * step[:n], result.lam + damping * step[n:]
        fresh = damping == 1.0 and size < 0.1 * previous and size < KEPT_BELOW
        previous = size
    result.reason = f"no convergence in {max_iterations} iterations"
    return result


SINGULAR = "nothing resists some motion"
