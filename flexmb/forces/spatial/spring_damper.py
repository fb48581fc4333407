"""Kernels of the spring, damper and actuator between two frames in space."""

from __future__ import annotations

import math

from flexmb.forces.spatial.pair_force import add_pair_tangent, put_pair_force, separation
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import IDENTITY, combined, dot, minus, outer, plus, times, vector_in

#: parameters: the arms of the two frames (6), stiffness, damping, free length, the length that counts as zero, the slot
#: of the actuator's force
ARM_A, ARM_B, STIFFNESS, DAMPING, LENGTH, LEAST, FORCE = 0, 3, 6, 7, 8, 9, 10


@compiled
def _force(row, t, d, rate):
    """F, the length that divides d, and n."""
    k, c, least = row[STIFFNESS], row[DAMPING], row[LEAST]
    push = k * row[LENGTH] + strength_at(row, FORCE, t)
    length = max(math.sqrt(dot(d, d)), least)
    n = times(1.0 / length, d)
    if length > least:
        return plus(times(k, d), times(c * dot(n, rate) - push, n)), length, n
    return plus(plus(times(k, d), times(c, rate)), times(-push, n)), length, n


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        arm_a = vector_in(row, ARM_A)
        arm_b = vector_in(row, ARM_B)
        d, rate = separation(iq[i], iv[i], q, v, arm_a, arm_b)
        F, _, _ = _force(row, t, d, rate)
        put_pair_force(out[i], iq[i], q, arm_a, arm_b, F)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        arm_a = vector_in(row, ARM_A)
        arm_b = vector_in(row, ARM_B)
        d, rate = separation(iq[i], iv[i], q, v, arm_a, arm_b)
        F, length, n = _force(row, t, d, rate)
        k, c = row[STIFFNESS], row[DAMPING]
        push = k * row[LENGTH] + strength_at(row, FORCE, t)
        if length > row[LEAST]:
            # ∂F/∂d = k 1 + (c ℓ̇ − push) P + c n (Pḋ)ᵀ with P = (1 − n nᵀ)/ℓ, ∂F/∂ḋ = c n nᵀ
            along = dot(n, rate)
            side = (c * along - push) / length
            along_n = outer(n, n)
            across = times(c / length, minus(rate, times(along, n)))
            by_d = combined(1.0, combined(k + side, IDENTITY, -side, along_n), 1.0, outer(n, across))
            by_rate = combined(c, along_n, 0.0, along_n)
        else:
            by_d = combined(k - push / length, IDENTITY, 0.0, IDENTITY)
            by_rate = combined(c, IDENTITY, 0.0, IDENTITY)
        add_pair_tangent(K[i], w, iq[i], iv[i], q, v, arm_a, arm_b, F, by_d, by_rate)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        k, c, free, least = row[STIFFNESS], row[DAMPING], row[LENGTH], row[LEAST]
        d, rate = separation(iq[i], iv[i], q, v, vector_in(row, ARM_A), vector_in(row, ARM_B))
        length = math.sqrt(dot(d, d))
        along = dot(d, rate) / max(length, least)
        answer = out[i]
        if length > least:
            answer[1] = 0.5 * k * (length - free) * (length - free)
            answer[3] = c * along * along
        else:
            answer[1] = 0.5 * k * (length * length + free * (free - least - length * length / least))
            answer[3] = c * dot(rate, rate)
        answer[4] = strength_at(row, FORCE, t) * along


SPATIAL_SPRING_DAMPER: Kernels = Kernels("spring-damper in space", residual=residual, tangent=tangent, energy=energy)
