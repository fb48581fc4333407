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
        row = p[i]
        at_v = iv[i]
        answer = out[i]
        J = inertia_in(row)
        omega = vector_at(v, at_v, 3)
        moment = plus(applied(J, vector_at(a, at_v, 3)), cross(omega, applied(J, omega)))
        for k in range(3):
            answer[k] = row[MASS] * (a[at_v[k]] - row[GRAVITY + k])
        put(answer, 3, moment)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        block = K[i]
        J = inertia_in(row)
        omega = vector_at(v, at_v, 3)
        for k in range(3):
            block[k, k] += w[0] * row[MASS]
        gyroscopic = combined(1.0, matrix_product(tilde(omega), J), -1.0, tilde(applied(J, omega)))
        add_block(block, 3, 3, 1.0, combined(w[0], J, w[1], gyroscopic))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        velocity = vector_at(v, at_v, 0)
        omega = vector_at(v, at_v, 3)
        answer[0] = 0.5 * (row[MASS] * dot(velocity, velocity) + dot(omega, applied(inertia_in(row), omega)))
        answer[2] = -row[MASS] * dot(vector_in(row, GRAVITY), vector_at(q, at_q, 0))


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        orientation = quaternion_at(q, at_q, 3)
        arm = turned(orientation, (w[0], w[1], w[2]))
        omega = turned(orientation, vector_at(v, at_v, 3))
        alpha = turned(orientation, vector_at(a, at_v, 3))
        speed = cross(omega, arm)
        put(answer, 0, plus(vector_at(q, at_q, 0), arm))
        for k in range(4):
            answer[3 + k] = orientation[k]
        put(answer, 7, plus(vector_at(v, at_v, 0), speed))
        put(answer, 10, omega)
        put(answer, 13, plus(vector_at(a, at_v, 0), plus(cross(alpha, arm), cross(omega, speed))))
        put(answer, 16, alpha)


SPATIAL_RIGID_BODY = Kernels("rigid body in space", residual=residual, tangent=tangent, energy=energy, point=point)
