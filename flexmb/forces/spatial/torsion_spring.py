"""Torsion spring and damper about a hinge in space, on its counted angle."""

from __future__ import annotations

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * (q[iq[i, 0]] - p[i, 2]) + p[i, 1] * v[iv[i, 0]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        K[i, 0, 0] += w[2] * p[i, 0] + w[1] * p[i, 1]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        twist = q[iq[i, 0]] - p[i, 2]
        out[i, 1] = 0.5 * p[i, 0] * twist * twist
        out[i, 3] = p[i, 1] * v[iv[i, 0]] * v[iv[i, 0]]


#: On one coordinate; parameters: stiffness, damping, free angle.
COUNTED_SPRING = Kernels("torsion spring in space", residual=residual, tangent=tangent, energy=energy)
