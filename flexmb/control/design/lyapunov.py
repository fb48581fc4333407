"""Lyapunov's equation."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.eigenvalues import in_like_units, solve_lyapunov
from flexmb.algebra.threads import threads_by_size
from flexmb.errors import ControlError
from flexmb.model import checks


@threads_by_size
def lyapunov(A: Any, W: Any, *, discrete: bool = False) -> np.ndarray:
    """V of  A V + V Aᵀ + W = 0  (Kobayashi (n.d.), eq. (83)), or of  A V Aᵀ − V + W = 0  for steps (`discrete`).

    V is the covariance of the states of ẋ = A x + w, either under white noise w of intensity W, or after starts of
    covariance W: V = ∫ e^{At} W e^{Aᵀt} dt. `A` (k, k) must be stable.

    >>> lyapunov([[-2.0]], [[4.0]]).tolist()
    [[1.0]]
    """
    discrete = checks.flag(discrete, "discrete", "Lyapunov's equation")
    A, W = checks.matrix(A, "A", "Lyapunov's equation"), checks.matrix(W, "W", "Lyapunov's equation")
    if A.shape != W.shape or len(A) != A.shape[1]:
        raise ControlError(f"Lyapunov's equation: A and W must be square and alike, not {A.shape} and {W.shape}")
    poles = np.linalg.eigvals(in_like_units(A)[0])
    worst = float(np.max(np.abs(poles)) if discrete else np.max(poles.real))
    if worst >= (1.0 if discrete else 0.0):
        size = "size" if discrete else "real part"
        raise ControlError(f"Lyapunov's equation: A is not stable, it has a pole of {size} {worst:.3g}: nothing decays")
    return solve_lyapunov(A, W, discrete=discrete)
