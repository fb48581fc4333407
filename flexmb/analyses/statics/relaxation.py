"""Relaxation: the mechanism sinks to rest as in a viscous fluid, by implicit steps M Δq/τ² + K Δq + Gᵀ λ = −f.

The steps grow. Small steps follow the forces, however far the mechanism has to go; large ones are those of Newton's
method. A step that would climb is shortened: −F·Δq is negative where a negative stiffness outweighs M/τ².
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.newton import Convergence, newton
from flexmb.analyses.statics.other_rows import exchanged

#: longest step, in units of the model's length, and radians
LARGEST_STEP = 0.3
MAX_STEPS = 500


def descend_to_rest(
    balance: Balance, q: np.ndarray, lam: np.ndarray, tolerance: float, good: Callable[[Convergence], bool]
) -> Convergence:
    """The equilibrium that lies downhill from q. One that is not `good` is passed by, unless the mechanism
    already stands in it."""
    system, n, scale = balance.system, balance.n, balance.system.scale
    q, lam = q.copy(), lam.copy()
    iterations = 0
    tau2 = _first_step(balance, q, lam)
    while iterations < MAX_STEPS and tau2 > 0.0:
        lam = exchanged(balance, q, lam)
        F = balance.residual(q, lam)
        if not np.all(np.isfinite(F)):
            return Convergence(q, lam, balance.system.kept, balance.not_finite(q, lam), iterations)
        if not balance.factorize(q, lam, 1.0 / tau2):
            tau2 *= 0.3
            iterations += 1
            continue
        iterations += 1
        step = -balance.solve(F)
        size = float(np.max(np.abs(step[:n]) / scale))
        # Steps that close the joints may climb.
        closing = balance.m and float(np.max(np.abs(F[n:]) / balance.system.row_scale)) > 1e-6
        work = -float((F[:n] + _joint_change(balance, q, step[n:])) @ step[:n])
        if not np.isfinite(size) or size > LARGEST_STEP or (work < 0.0 and not closing and size > 1e-9):
            if closing and np.isfinite(size):
                share = LARGEST_STEP / size
                q, lam = system.retract(q, share * step[:n]), lam + share * step[n:]
                continue
            tau2 *= 0.3
            continue
        q, lam = system.retract(q, step[:n]), lam + step[n:]
        if size < 0.1 * LARGEST_STEP:
            tau2 *= 3.0
        if size < 1e-3:
            kept = balance.system.kept
            result = newton(balance, q, lam, tolerance=tolerance, max_iterations=12, exchange=True)
            iterations += result.iterations
            off = np.max(np.abs(system.difference(result.q, q)) / scale)
            if result.converged and off < 0.1 and (off < 1e-8 or good(result)):
                result.iterations = iterations
                return result
            balance.use_rows(kept)
            tau2 *= 3.0
    return Convergence(q, lam, balance.system.kept, "it does not come to rest", iterations)


def _joint_change(balance: Balance, q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Gᵀ Δλ (n,)."""
    return balance.system.jacobian(balance.t, q).T @ change if balance.m else np.zeros(balance.n)


def _first_step(balance: Balance, q: np.ndarray, lam: np.ndarray) -> float:
    """τ² of a first step that is a twentieth of the longest one."""
    inertia = balance.dominant_inertia
    if not balance.factorize(q, lam, inertia):
        return 0.0
    acceleration = inertia * np.max(np.abs(balance.solve(balance.residual(q, lam))[: balance.n]) / balance.system.scale)
    return float(min(0.05 * LARGEST_STEP / max(acceleration, 1e-300), 1e9 / inertia))
