"""A mass on a spring and a damper whose force passes a transfer function b(s)/a(s) of its place, exactly.

    m ẍ + d ẋ + k x = u,    u = b(s)/a(s) x

The transfer function is realized in the controllable form, ẇ = F w + e x, u = h · w with the last unit vector e, and
the whole is linear: z(t) = exp(A t) z(0). Sampled every h seconds, with x and u held from one instant to the next,
w[k+1] = exp(F h) w[k] + ∫₀ʰ exp(F τ) e dτ x[k], and the mass moves exactly under the force that is held.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

Array = np.ndarray


def realized(b: Array, a: Array) -> tuple[Array, Array]:
    """F and h of b(s)/a(s), coefficients of the highest power first, b of a lower degree.

    >>> F, h = realized(np.array([3.0]), np.array([2.0, 1.0]))
    >>> F.tolist(), h.tolist()
    ([[-0.5]], [1.5])
    """
    n = len(a) - 1
    F = np.eye(n, k=1)
    F[-1] = -a[:0:-1] / a[0]
    h = np.zeros(n)
    h[: len(b)] = b[::-1] / a[0]
    return F, h


def loop(m: float, d: float, k: float, b: Array, a: Array) -> Array:
    """A of the states x, ẋ, w.

    >>> A = loop(1.0, 0.0, 4.0, np.array([0.0]), np.array([1.0, 3.0]))
    >>> sorted(np.abs(np.linalg.eigvals(A)).round(9).tolist())
    [2.0, 2.0, 3.0]
    """
    F, h = realized(b, a)
    n = len(F)
    A = np.zeros((n + 2, n + 2))
    A[0, 1], A[1, :2], A[1, 2:] = 1.0, (-k / m, -d / m), h / m
    A[2:, 2:], A[-1, 0] = F, 1.0
    return A


def after(A: Array, speed: float, t: float) -> Array:
    """The states at t [s] after a start with a speed, and all else zero."""
    z = np.zeros(len(A))
    z[1] = speed
    found: Array = expm(A * t) @ z
    return found


def sampled(m: float, d: float, k: float, b: Array, a: Array, speed: float, period: float, count: int) -> Array:
    """x and ẋ after `count` periods of the sampled loop."""
    F, h = realized(b, a)
    n = len(F)
    filter_step = expm(np.block([[F, np.eye(n)[:, -1:]], [np.zeros((1, n + 1))]]) * period)
    motion = expm(np.array([[0.0, 1.0, 0.0], [-k / m, -d / m, 1.0 / m], [0.0, 0.0, 0.0]]) * period)
    z, w = np.array([0.0, speed]), np.zeros(n)
    for _ in range(count):
        u = h @ w
        w = filter_step[:n, :n] @ w + filter_step[:n, n] * z[0]
        z = motion[:2] @ [*z, u]
    return z
