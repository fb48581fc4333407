"""White noise: its intensity and covariance as they are given, and what it adds to a state in a period."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.errors import ControlError
from flexmb.model import checks

#: a negative eigenvalue up to this part of the largest is rounding
ROUNDING = 1e-9


def of_process(given: Any, plant: LinearModel, where: str) -> np.ndarray:
    """The intensity (k, k) of the noise in ẋ = A x + B u + w, or its covariance in steps: a matrix, its diagonal, or a
    number, by which each input is noisy, B number Bᵀ."""
    found = checks.numbers(
        given, "process", where, f"a number for all inputs, a matrix {plant.A.shape} or its diagonal"
    )
    if found.ndim == 0:
        if found <= 0.0:
            raise ControlError(f"{where}: process is {float(found):g}; noise that moves the plant is positive")
        return np.asarray(float(found) * plant.B @ plant.B.T)
    W = _covariance(found, len(plant), "process", where)
    if not W.any():
        raise ControlError(f"{where}: process is zero: an observer of a plant that nothing disturbs reads no sensors")
    return W


def of_readings(given: Any, plant: LinearModel, where: str) -> np.ndarray:
    """The covariance (outputs, outputs) of the noise of readings: a matrix, its diagonal, or a number for all."""
    count = len(plant.outputs)
    found = checks.numbers(given, "measurement", where, "a number, a matrix or its diagonal")
    V = _covariance(np.full(count, float(found)) if found.ndim == 0 else found, count, "measurement", where)
    size = np.diag(V)
    quiet = [name for name, value in zip(plant.outputs, size) if not value > 0.0]
    if quiet:
        raise ControlError(
            f"{where}: the noise of {', '.join(quiet)} is not positive; a sensor without noise has that of its "
            "resolution, resolution²/12"
        )
    if np.linalg.eigvalsh(V / np.sqrt(np.outer(size, size)))[0] <= 0.0:
        raise ControlError(f"{where}: measurement is not positive; no sum of readings may be free of noise")
    return V


def _covariance(found: np.ndarray, size: int, what: str, where: str) -> np.ndarray:
    out = np.diag(found) if found.ndim == 1 else found
    if out.shape != (size, size):
        raise ControlError(f"{where}: {what} has the shape {found.shape}; it must be {(size, size)}, or its diagonal")
    if not np.allclose(out, out.T, rtol=1e-9, atol=1e-12 * max(float(np.abs(out).max(initial=0.0)), 1e-300)):
        raise ControlError(f"{where}: {what} is not symmetric")
    root = np.sqrt(np.maximum(np.abs(np.diag(out)), 1e-300))
    if size and np.linalg.eigvalsh(out / np.outer(root, root))[0] < -ROUNDING * size:
        raise ControlError(f"{where}: {what} has a negative eigenvalue; a covariance has none")
    return np.asarray(0.5 * (out + out.T))


def over_period(A: np.ndarray, W: np.ndarray, period: float) -> np.ndarray:
    """∫₀ᵀ exp(A s) W exp(Aᵀ s) ds, the covariance (k, k) that noise of the intensity W adds in a period.

    One exponential of a matrix of twice the size has it, in which fast modes that decay grow as exp(−A T). So it is
    found over a short time, then doubled, Q(2h) = Q(h) + Φ(h) Q(h) Φ(h)ᵀ.

    >>> over_period(np.array([[-2.0]]), np.array([[4.0]]), 0.5).round(9).tolist()  # 1 − exp(−2)
    [[0.864664717]]
    """
    A, scale = in_like_units(A)
    W, k = W / np.outer(scale, scale), len(A)
    doublings = max(0, int(np.ceil(np.log2(max(float(np.linalg.norm(A, 1)) * period, 1e-300) / 0.5))))
    h = period / 2.0**doublings
    both = scipy.linalg.expm(np.block([[-A, W], [np.zeros((k, k)), A.T]]) * h)
    step = both[k:, k:].T
    Q = step @ both[:k, k:]
    for k in range(doublings):  # squares of one exponential would double its rounding each time
        step = scipy.linalg.expm(A * (h * 2.0**k))
        Q = Q + step @ Q @ step.T
    return np.asarray(0.5 * (Q + Q.T) * np.outer(scale, scale))
