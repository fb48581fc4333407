"""Forces on a weighted sum of coordinates, in the plane and in space, and a spring with a damper as one of them.

    s = Σ wₖ sₖ − c,      Q(t, s, ṡ),      wₖ Q in the residual of each coordinate sₖ

Springs about hinges, the reducers of motors, stops, friction of rotors and the actuators of joints are such.
"""

from __future__ import annotations

from typing import Any

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels

#: weight and c where the sum is a coordinate itself
ALONE: tuple[float, float] = (1.0, 0.0)


@compiled
def weighted_sum(row, iq, iv, q, v):
    """s and its rate; weights and c stand at the head of the row."""
    s = 0.0
    rate = 0.0
    for j in range(iv.shape[0]):
        s += row[j] * q[iq[j]]
        rate += row[j] * v[iv[j]]
    return s - row[iv.shape[0]], rate


def force_on_sum(name: str, law: Any, **more: Any) -> Kernels:
    """The family of a force whose compiled law(row, at, t, s, rate) gives Q, ∂Q/∂s, ∂Q/∂ṡ, the energy that it stores,
    and the powers that are lost and put in. Parameters: the weights, c, and from row[at] on those of the law."""

    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        n = iv.shape[1]
        for i in range(p.shape[0]):
            s, rate = weighted_sum(p[i], iq[i], iv[i], q, v)
            force = law(p[i], n + 1, t, s, rate)[0]
            for j in range(n):
                out[i, j] = p[i, j] * force

    @kernel
    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        n = iv.shape[1]
        for i in range(p.shape[0]):
            s, rate = weighted_sum(p[i], iq[i], iv[i], q, v)
            _, by_s, by_rate, _, _, _ = law(p[i], n + 1, t, s, rate)
            slope = w[2] * by_s + w[1] * by_rate
            for j in range(n):
                for k in range(n):
                    K[i, j, k] += slope * p[i, j] * p[i, k]

    @kernel
    def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            s, rate = weighted_sum(p[i], iq[i], iv[i], q, v)
            _, _, _, out[i, 1], out[i, 3], out[i, 4] = law(p[i], iv.shape[1] + 1, t, s, rate)

    return Kernels(name, residual=residual, tangent=tangent, energy=energy, **more)


@compiled
def _spring(row, at, t, s, rate):
    k, d = row[at], row[at + 1]
    return k * s + d * rate, k, d, 0.5 * k * s * s, d * rate * rate, 0.0


#: Parameters behind the weights and the sum without force: stiffness, damping.
COORDINATE_SPRING = force_on_sum("spring on coordinates", _spring, reacts=True).standing_at(
    __name__, "COORDINATE_SPRING"
)
