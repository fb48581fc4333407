"""Distributed load on an ANCF cable: the work-equivalent forces ∫ Nᵀ f dx, by five Gauss points for each element.

A follower load acts in the axes of the tangent, which turn with the slope r': ∂f/∂r' = f⊥ n/|r'| with n the normal.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.elements.hermite import gauss
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at

# coordinates: those of an element; parameters: L, follower, densities at both ends (4,), the slot of its strength

# rows of the Gauss points: ξ, weight, the shapes of (x1, L x1', x2, L x2') in r, and those in L r'
_xi, _weight = gauss(5)
LOAD = np.ascontiguousarray(
    np.column_stack(
        [
            _xi, _weight,
            1 - 3 * _xi**2 + 2 * _xi**3, _xi - 2 * _xi**2 + _xi**3, 3 * _xi**2 - 2 * _xi**3, _xi**3 - _xi**2,
            -6 * _xi + 6 * _xi**2, 1 - 4 * _xi + 3 * _xi**2, 6 * _xi - 6 * _xi**2, -2 * _xi + 3 * _xi**2,
        ]
    )
)  # fmt: skip


@compiled
def _load_at(p, i, k, iq, q, f):
    """Force in space at a Gauss point, and for a follower the normal of the axis over |r'| (else 0, 0)."""
    L = p[i, 0]
    s = LOAD[k, 0]
    f *= LOAD[k, 1] * L
    fx = f * ((1.0 - s) * p[i, 2] + s * p[i, 4])
    fy = f * ((1.0 - s) * p[i, 3] + s * p[i, 5])
    if p[i, 1] == 0.0:
        return fx, fy, 0.0, 0.0
    rx = (LOAD[k, 6] * q[iq[i, 0]] + LOAD[k, 8] * q[iq[i, 4]]) / L + LOAD[k, 7] * q[iq[i, 2]] + LOAD[k, 9] * q[iq[i, 6]]
    ry = (LOAD[k, 6] * q[iq[i, 1]] + LOAD[k, 8] * q[iq[i, 5]]) / L + LOAD[k, 7] * q[iq[i, 3]] + LOAD[k, 9] * q[iq[i, 7]]
    i1 = 1.0 / math.sqrt(rx * rx + ry * ry)
    tx = rx * i1
    ty = ry * i1
    return tx * fx - ty * fy, ty * fx + tx * fy, -ty * i1, tx * i1


@kernel
def load_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = strength_at(p[i], 6, t)
        for k in range(5):
            fx, fy, _, _ = _load_at(p, i, k, iq, q, f)
            for j in range(4):
                N = LOAD[k, 2 + j] if j % 2 == 0 else LOAD[k, 2 + j] * p[i, 0]
                out[i, 2 * j] -= N * fx
                out[i, 2 * j + 1] -= N * fy


@kernel
def load_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, 1] != 0.0:
            L = p[i, 0]
            f = w[2] * strength_at(p[i], 6, t)
            for k in range(5):
                fx, fy, nx, ny = _load_at(p, i, k, iq, q, f)
                for j in range(4):
                    N = LOAD[k, 2 + j] if j % 2 == 0 else LOAD[k, 2 + j] * L
                    for c in range(4):
                        # minus the force turned by +90°, times the change of the angle
                        D = LOAD[k, 6 + c] / L if c % 2 == 0 else LOAD[k, 6 + c]
                        K[i, 2 * j, 2 * c] += N * fy * nx * D
                        K[i, 2 * j, 2 * c + 1] += N * fy * ny * D
                        K[i, 2 * j + 1, 2 * c] -= N * fx * nx * D
                        K[i, 2 * j + 1, 2 * c + 1] -= N * fx * ny * D


@kernel
def load_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = strength_at(p[i], 6, t)
        for k in range(5):
            fx, fy, _, _ = _load_at(p, i, k, iq, q, f)
            for j in range(4):
                N = LOAD[k, 2 + j] if j % 2 == 0 else LOAD[k, 2 + j] * p[i, 0]
                out[i, 4] += N * (fx * v[iv[i, 2 * j]] + fy * v[iv[i, 2 * j + 1]])


ANCF_LOAD = Kernels("load on an ANCF cable", load_residual, load_tangent, load_energy)
