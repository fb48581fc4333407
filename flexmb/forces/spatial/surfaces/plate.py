"""The kernels of a flat plate in a flow, by quasi-steady laws, see :mod:`flexmb.forces.spatial.surfaces.drag`.

In the axes of the body, with the normal n of the plate, which is constant there."""

from __future__ import annotations

import math

from flexmb.forces.spatial.surfaces.surroundings import SIZE as AROUND
from flexmb.forces.spatial.surfaces.surroundings import flow
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    IDENTITY,
    add_block,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    times,
    transposed,
    vector_at,
    vector_in,
)

#: parameters: arm of the frame (3) and normal (3) in the axes of the body; what surrounds it; A, c₀, c₁, c₂
ARM, NORMAL, SURROUNDINGS = 0, 3, 6
AREA = SURROUNDINGS + AROUND
SKIN, LINEAR, SQUARE = AREA + 1, AREA + 2, AREA + 3

# With the force F in the axes of the body r = (−R F, F × arm). Along y, R F changes by R (∂F/∂y − F̃) y.


@compiled
def put_force(answer, orientation, arm, F):
    """Fill the residual (6,)."""
    put(answer, 0, times(-1.0, turned(orientation, F)))
    put(answer, 3, cross(F, arm))


@compiled
def add_tangent(K, w, orientation, arm, F, by_turn, by_speed):
    """Add the tangent: `by_turn` is ∂F/∂y, `by_speed` ∂F/∂u, with u the velocity of the frame in the axes of the body,
    which changes by Rᵀ with ṙ and by −(arm)~ with ω."""
    R = rotation_matrix(orientation)
    lever = tilde(arm)
    turning = combined(w[2], by_turn, -w[1], matrix_product(by_speed, lever))
    moving = combined(w[1], matrix_product(by_speed, transposed(R)), 0.0, R)
    add_block(K, 0, 0, -1.0, matrix_product(R, moving))
    add_block(K, 0, 3, -1.0, matrix_product(R, combined(1.0, turning, -w[2], tilde(F))))
    add_block(K, 3, 0, -1.0, matrix_product(lever, moving))
    add_block(K, 3, 3, -1.0, matrix_product(lever, turning))


@compiled
def flow_force(row, iq, iv, t, q, v):
    """The orientation of the body, Rᵀ (ṙ − W), u and F in its axes, −½ϱ A and W."""
    orientation = quaternion_at(q, iq, 3)
    half, wind = flow(row, SURROUNDINGS, t)
    carried = turned_back(orientation, minus(vector_at(v, iv, 0), wind))
    u = plus(carried, cross(vector_at(v, iv, 3), vector_in(row, ARM)))
    n = vector_in(row, NORMAL)
    speed, across = math.sqrt(dot(u, u)), dot(u, n)
    along_n = (row[LINEAR] * speed + row[SQUARE] * abs(across)) * across
    half *= row[AREA]
    F = times(half, plus(times(along_n, n), times(row[SKIN] * speed, u)))
    return orientation, carried, u, F, half, wind


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, _, F, _, _ = flow_force(p[i], iq[i], iv[i], t, q, v)
        put_force(out[i], orientation, vector_in(p[i], ARM), F)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        orientation, carried, u, F, half, _ = flow_force(row, iq[i], iv[i], t, q, v)
        n = vector_in(row, NORMAL)
        speed, across = math.sqrt(dot(u, u)), dot(u, n)
        if speed == 0.0:
            continue  # F is of second order in u
        ahead = times(1.0 / speed, u)
        by_normal = row[LINEAR] * speed + 2.0 * row[SQUARE] * abs(across)
        linear = combined(by_normal, outer(n, n), row[LINEAR] * across, outer(n, ahead))
        skin = combined(row[SKIN] * speed, IDENTITY, row[SKIN] * speed, outer(ahead, ahead))
        by_speed = combined(half, linear, half, skin)
        add_tangent(K[i], w, orientation, vector_in(row, ARM), F, matrix_product(by_speed, tilde(carried)), by_speed)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, u, F, _, wind = flow_force(p[i], iq[i], iv[i], t, q, v)
        out[i, 3] = -dot(F, u)
        out[i, 4] = dot(turned(orientation, F), wind)


DRAG_OF_PLATE = Kernels("drag of a plate", residual=residual, tangent=tangent, energy=energy)
