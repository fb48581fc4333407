"""A force and a joint of one coordinate, as the author of a component writes them."""

from __future__ import annotations

from flexmb.kernels import Kernels, kernel


@kernel
def good(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * q[iq[i, 0]]


@kernel
def good_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        K[i, 0, 0] += w[2] * p[i, 0]


@kernel
def one_row(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = q[iq[i, 0]]
        out[i, 1] = v[iv[i, 0]]


@kernel
def one_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = 1.0


FORCE = Kernels("own force", good, good_tangent)

JOINT = Kernels("own joint", constraint=one_row, jacobian=one_jacobian)
