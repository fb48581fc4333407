"""Kernels of a bushing in space (:mod:`flexmb.forces.bushing`). The tangent is made of the residual by differentiation
(:mod:`flexmb.kernels.derivatives`)."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import (
    inverse,
    inverse_rate_map,
    log,
    product,
    quaternion_at,
    quaternion_in,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import applied, cross, minus, plus, put, times, transposed, vector_at, vector_in

#: parameters: the arms of the two frames (6), the quaternions of their axes in those of their bodies (8), the free
#: place of b (3), S (36), C (36); the orientation of b is that of its frame, turned back by the free rotation
ARM_A, ARM_B, AXES_A, AXES_B, FREE, STIFFNESS, DAMPING, LENGTH = 0, 3, 6, 10, 14, 17, 53, 89
#: scratch: e, ė, (N, M)
WORK = 18


@compiled
def _deformation(p, iq, iv, q, v, e):
    """Put e into e[0:6], ė into e[6:12] and (N, M) into e[12:18]."""
    A = quaternion_at(q, iq, 3)
    B = quaternion_at(q, iq, 10)
    axes_a = quaternion_in(p, AXES_A)
    axes_b = quaternion_in(p, AXES_B)
    omega_a = vector_at(v, iv, 3)
    omega_b = vector_at(v, iv, 9)
    # from the node of a to the point of b, and the rate of the distance seen from a, both in the axes of body a
    lever = turned_back(A, minus(plus(vector_at(q, iq, 7), turned(B, vector_in(p, ARM_B))), vector_at(q, iq, 0)))
    speed = plus(vector_at(v, iv, 6), turned(B, cross(omega_b, vector_in(p, ARM_B))))
    rate = plus(turned_back(A, minus(speed, vector_at(v, iv, 0))), cross(lever, omega_a))
    put(e, 0, minus(turned_back(axes_a, minus(lever, vector_in(p, ARM_A))), vector_in(p, FREE)))
    put(e, 6, turned_back(axes_a, rate))
    phi = log(product(inverse(product(A, axes_a)), product(B, axes_b)))
    Ti = inverse_rate_map(phi)
    put(e, 3, phi)
    put(e, 9, minus(applied(Ti, turned_back(axes_b, omega_b)), applied(transposed(Ti), turned_back(axes_a, omega_a))))
    for j in range(6):
        total = 0.0
        for k in range(6):
            total += p[STIFFNESS + 6 * j + k] * e[k] + p[DAMPING + 6 * j + k] * e[6 + k]
        e[12 + j] = total
    return A, B, axes_a, axes_b, lever


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        A, B, axes_a, axes_b, lever = _deformation(row, at_q, at_v, q, v, work)
        Ti = inverse_rate_map(vector_in(work, 3))
        n = turned(axes_a, vector_in(work, 12))
        force = turned(A, n)
        moment = vector_in(work, 15)
        put(answer, 0, times(-1.0, force))
        put(answer, 3, minus(cross(n, lever), turned(axes_a, applied(Ti, moment))))
        put(answer, 6, force)
        at_b = cross(vector_in(row, ARM_B), turned_back(B, force))
        put(answer, 9, plus(at_b, turned(axes_b, applied(transposed(Ti), moment))))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        _deformation(row, at_q, at_v, q, v, work)
        for j in range(6):
            for k in range(6):
                answer[1] += 0.5 * work[j] * row[STIFFNESS + 6 * j + k] * work[k]
                answer[3] += work[6 + j] * row[DAMPING + 6 * j + k] * work[6 + k]


#: On two nodes.
SPATIAL_BUSHING: Kernels = Kernels("bushing in space", residual=residual, energy=energy)
