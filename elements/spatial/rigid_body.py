"""Rigid body in space: inertia on a node in its mass centre."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import (
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    plus,
    put,
    tilde,
    vector_at,
    vector_in,
)

#: where in a row of parameters gravity (3), mass and the tensor of inertia (xx, yy, zz, xy, xz, yz) begin
GRAVITY, MASS, INERTIA = 0, 3, 4


@compiled
def inertia_in(row):
    """The tensor of inertia about the mass centre, in the axes of the body."""
    xx, yy, zz, xy, xz, yz = row[4], row[5], row[6], row[7], row[8], row[9]
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        J = inertia_in(p[i])
        omega = vector_at(v, iv[i], 3)
        moment = plus(applied(J, vector_at(a, iv[i], 3)), cross(omega, applied(J, omega)))
        for k in range(3):
            out[i, k] = p[i, MASS] * (a[iv[i, k]] - p[i, GRAVITY + k])
        put(out[i], 3, moment)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        J = inertia_in(p[i])
        omega = vector_at(v, iv[i], 3)
        for k in range(3):
            K[i, k, k] += w[0] * p[i, MASS]
        gyroscopic = combined(1.0, matrix_product(tilde(omega), J), -1.0, tilde(applied(J, omega)))
        add_block(K[i], 3, 3, 1.0, combined(w[0], J, w[1], gyroscopic))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        velocity = vector_at(v, iv[i], 0)
        omega = vector_at(v, iv[i], 3)
        out[i, 0] = 0.5 * (p[i, MASS] * dot(velocity, velocity) + dot(omega, applied(inertia_in(p[i]), omega)))
        out[i, 2] = -p[i, MASS] * dot(vector_in(p[i], GRAVITY), vector_at(q, iq[i], 0))


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation = quaternion_at(q, iq[i], 3)
        arm = turned(orientation, (w[0], w[1], w[2]))
        omega = turned(orientation, vector_at(v, iv[i], 3))
        alpha = turned(orientation, vector_at(a, iv[i], 3))
        speed = cross(omega, arm)
        put(out[i], 0, plus(vector_at(q, iq[i], 0), arm))
        for k in range(4):
            out[i, 3 + k] = orientation[k]
        put(out[i], 7, plus(vector_at(v, iv[i], 0), speed))
        put(out[i], 10, omega)
        put(out[i], 13, plus(vector_at(a, iv[i], 0), plus(cross(alpha, arm), cross(omega, speed))))
        put(out[i], 16, alpha)


SPATIAL_RIGID_BODY = Kernels("rigid body in space", residual=residual, tangent=tangent, energy=energy, point=point)
