"""A spring and a damper on a weighted sum of coordinates, in the plane and in space.

    δ = Σ wₖ sₖ − c,      M = k δ + d δ̇,      wₖ M in the residual of each coordinate sₖ

Springs about hinges and the reducers of motors are such. What a stop limits is such a sum too.
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels

#: parameters: stiffness, damping, and from there on the weight of each coordinate, then c
STIFFNESS, DAMPING, WEIGHTS = range(3)


@compiled
def weighted_sum(row, first, iq, iv, q, v):
    """Σ wₖ sₖ and its rate; the weights stand from row[first] on."""
    s = 0.0
    rate = 0.0
    for j in range(iv.shape[0]):
        s += row[first + j] * q[iq[j]]
        rate += row[first + j] * v[iv[j]]
    return s, rate


@compiled
def _stretch(row, iq, iv, q, v):
    """δ and δ̇."""
    s, rate = weighted_sum(row, WEIGHTS, iq, iv, q, v)
    return s - row[WEIGHTS + iv.shape[0]], rate


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        stretch, rate = _stretch(p[i], iq[i], iv[i], q, v)
        force = p[i, STIFFNESS] * stretch + p[i, DAMPING] * rate
        for j in range(iv.shape[1]):
            out[i, j] = p[i, WEIGHTS + j] * force


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        slope = w[2] * p[i, STIFFNESS] + w[1] * p[i, DAMPING]
        for j in range(iv.shape[1]):
            for k in range(iv.shape[1]):
                K[i, j, k] += slope * p[i, WEIGHTS + j] * p[i, WEIGHTS + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        stretch, rate = _stretch(p[i], iq[i], iv[i], q, v)
        out[i, 1] = 0.5 * p[i, STIFFNESS] * stretch * stretch
        out[i, 3] = p[i, DAMPING] * rate * rate


#: On any coordinates; parameters: stiffness, damping, their weights, and their weighted sum without force.
COORDINATE_SPRING: Kernels = Kernels("spring on coordinates", residual=residual, tangent=tangent, energy=energy)
