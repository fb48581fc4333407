"""The linear quadratic regulator, by Riccati's equation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.control.poles import describe_pole
from flexmb.errors import ControlError
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls

#: a mode decays when the real part of its pole is below −DECAYS times the size of the pole
DECAYS = 1e-9


@dataclass(frozen=True, eq=False)
class Regulator(metaclass=AnswersCalls):
    """u = −K x: the gain `K` (inputs, states), `P` (k, k) of the cost xᵀ P x, and the poles (k,) of the closed loop.

    >>> import flexmb as fm
    >>> import numpy as np
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
    >>> regulator = fm.control.lqr(mass, [1.0, 0.0], 1.0)
    >>> regulator.K.round(6).tolist(), regulator.poles.real.round(6).tolist()
    ([[1.0, 1.414214]], [-0.707107, -0.707107])
    """

    plant: LinearModel = field(repr=False)
    K: np.ndarray
    P: np.ndarray = field(repr=False)
    poles: np.ndarray


@answers_calls
@threads_by_size
def lqr(plant: LinearModel, Q: Any, R: Any) -> Regulator:
    """The feedback of all states u = −K x with the least ∫ (xᵀ Q x + uᵀ R u) dt, or with the least sum over the
    steps of a plant in discrete time.

    K = R⁻¹ Bᵀ P with P of Riccati's equation  Aᵀ P + P A − P B R⁻¹ Bᵀ P + Q = 0;  discrete K = (R + Bᵀ P B)⁻¹ Bᵀ P A.

    Arguments: `plant`; `Q` (k, k), or its diagonal (k,), without negative eigenvalues, e.g. Cᵀ diag(weights) C;
    `R` (inputs, inputs), its diagonal, or a number, positive. Modes that no input reaches must decay by themselves, and
    modes that do not decay must have a cost in Q: a ControlError names the modes that violate this. What the
    outputs of a plant do not see, such as the place of a satellite, is left out by `plant.observed()`.

    >>> oscillator = LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
    >>> lqr(oscillator, [1.0, 0.0], 1.0).K.round(9).tolist()
    [[1.0, 1.414213562]]
    """
    where = "LQR"
    check_linear(plant, "plant", where, "inputs")
    k, m = plant.B.shape
    Q, R = _weight(Q, k, "Q", where), _weight(R, m, "R", where)
    if np.linalg.eigvalsh(Q).min() < -1e-9 * max(np.abs(Q).max(), 1e-300):
        raise ControlError(f"{where}: Q has a negative eigenvalue; it must cost nothing to stand still, and never gain")
    if np.linalg.eigvalsh(R).min() <= 0.0:
        raise ControlError(f"{where}: R must be positive: every input has its cost")
    _must_be_stabilizable(plant, where)
    # in units of the states in which all are of a like size
    A, scale = in_like_units(plant.A)
    B, Q = plant.B / scale[:, None], Q * np.outer(scale, scale)
    solve = scipy.linalg.solve_continuous_are if plant.period is None else scipy.linalg.solve_discrete_are
    try:
        P = solve(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError) as error:
        why = _modes_without_cost(plant, Q, scale)
        raise ControlError(f"{where}: Riccati's equation has no solution that makes the loop stable{why}") from error
    K = np.linalg.solve(R, B.T @ P) if plant.period is None else np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    poles = np.linalg.eigvals(A - B @ K)
    if not np.all(poles.real < 0.0 if plant.period is None else np.abs(poles) < 1.0):
        raise ControlError(f"{where}: the loop that was found is not stable{_modes_without_cost(plant, Q, scale)}")
    return Regulator(plant, K / scale, P / np.outer(scale, scale), poles[np.argsort(np.abs(poles))])


def _must_be_stabilizable(plant: LinearModel, where: str) -> None:
    lost = [pole for pole in plant.uncontrollable if not decays(pole, plant.period)]
    if lost:
        modes = [describe_pole(plant, pole) for pole in lost if pole.imag >= 0.0]
        raise ControlError(
            f"{where}: the inputs {', '.join(plant.inputs)} do not reach {len(modes)} of the modes, which do not decay "
            f"by themselves: {'; '.join(modes)}. Give them damping or an input that reaches them, or linearize about a "
            "state in which they are reached"
        )


def _modes_without_cost(plant: LinearModel, Q: np.ndarray, scale: np.ndarray) -> str:
    """The end of a message: it names the modes that neither decay nor have a cost."""
    values, vectors = np.linalg.eigh(Q)
    root = (np.sqrt(np.maximum(values, 0.0)) * vectors).T / scale
    costs = LinearModel(plant.A, plant.B, root, np.zeros((len(root), plant.B.shape[1])), period=plant.period)
    free = [p for p in costs.unobservable if not decays(p, plant.period) and p.imag >= 0.0]
    if not free:
        return "; weights of very different size, or modes that are hardly reached, are a frequent cause"
    return ": Q does not see " + "; ".join(describe_pole(plant, p) for p in free)


def decays(pole: complex, period: float | None) -> bool:
    """Whether the mode of a pole dies out."""
    if period is not None:
        return abs(pole) < 1.0 - DECAYS
    return pole.real < -DECAYS * max(abs(pole), 1e-300)


def _weight(value: Any, size: int, what: str, where: str) -> np.ndarray:
    """A matrix of weights (size, size), checked, from itself, its diagonal or a number."""
    given = checks.numbers(value, what, where, "a matrix, its diagonal or a number")
    if given.ndim == 0:
        given = np.full(size, float(given))
    out = np.diag(given) if given.ndim == 1 else given
    if out.shape != (size, size):
        raise ControlError(f"{where}: {what} has the shape {given.shape}; it must be {(size, size)}, or its diagonal")
    if not np.allclose(out, out.T, rtol=1e-9, atol=1e-12 * max(float(np.abs(out).max()), 1e-300)):
        raise ControlError(f"{where}: {what} is not symmetric")
    return 0.5 * (out + out.T)
