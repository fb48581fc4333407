"""Feedback of outputs in place of feedback of states, and Lyapunov's equation, which it needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.eigenvalues import in_like_units, solve_lyapunov
from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.control.poles import describe_pole
from flexmb.errors import ControlError, UnstableLoopWarning, warn
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks
from flexmb.model.hints import answers_calls


@answers_calls
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


@answers_calls
@threads_by_size
def minimum_error_excitation(plant: LinearModel, K: Any, excitation: Any = None) -> np.ndarray:
    """The gain F (inputs, outputs) for which u = −F y comes nearest to u = −K x.

    Kobayashi (n.d.), eqs. (82)-(87):

        F = K V Cᵀ (C V Cᵀ)⁻¹    with    (A − B K) V + V (A − B K)ᵀ + W = 0

    V is the covariance of the states in the loop of K under an excitation W; F makes the mean square of the difference
    F y − K x the least. (The source prints A − B S and A − B K_eq for its two loops; both must be stable loops,
    A − B K.) The loop of F need not be stable; an UnstableLoopWarning tells when it is not. The nearer W is to the real
    excitation of the plant, the better is F.

    Arguments: `plant` without direct feed-through (D = 0); `K` (inputs, states); `excitation` W (k, k), the identity
    when not given, as in the source; take B Bᵀ for disturbances that act where the inputs do.

    >>> plant = LinearModel([[0, 1.0], [-1.0, 0]], [[0], [1.0]], [[0, 1.0]], [[0.0]])
    >>> minimum_error_excitation(plant, [[0.0, 0.8]]).round(9).tolist()
    [[0.8]]
    """
    where = "minimum error excitation"
    check_linear(plant, "plant", where, "inputs", "outputs")
    K = checks.matrix(K, "K", where)
    k, m = plant.B.shape
    if K.shape != (m, k):
        raise ControlError(f"{where}: K has the shape {K.shape}; it must be {(m, k)}")
    direct = [name for name, row in zip(plant.outputs, plant.D) if np.any(row)]
    if direct:
        raise ControlError(
            f"{where}: the outputs {', '.join(direct)} answer at once to the inputs; let them pass a filter"
        )
    W = np.eye(k) if excitation is None else checks.matrix(excitation, "excitation", where)
    if W.shape != (k, k):
        raise ControlError(f"{where}: the excitation has the shape {W.shape}; it must be {(k, k)}")
    V = lyapunov(plant.A - plant.B @ K, W)
    covariance = plant.C @ V @ plant.C.T
    still = [name for name, square in zip(plant.outputs, np.diag(covariance)) if not square > 0.0]
    if still:
        raise ControlError(
            f"{where}: the excitation does not move {', '.join(still)}, or modes that hardly decay hide it; "
            "give another excitation, or the plant some damping"
        )
    size = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(size, size)
    if np.linalg.cond(correlation) > 1e12:
        raise ControlError(f"{where}: two outputs say the same; leave one out of {', '.join(plant.outputs)}")
    F = np.linalg.solve(correlation, (plant.C @ V @ K.T) / size[:, None]).T / size
    warn_if_unstable(plant, F, where)
    return F


def warn_if_unstable(plant: LinearModel, F: np.ndarray, where: str) -> None:
    """Warn when u = −F y leaves a plant unstable."""
    loop = plant.closed(F)
    if not loop.stable:
        poles = loop.poles
        worst = poles[np.argmax(poles.real if plant.period is None else np.abs(poles))]
        warn(
            f"{where}: the loop of the outputs is not stable: a mode {describe_pole(loop, complex(worst))}. Give other "
            "weights, outputs or another excitation",
            UnstableLoopWarning,
        )
