"""Force and torque at a place inside an element, on the element's own coordinates.

With J of the place by the element's kernel `point_jacobian` (:mod:`flexmb.elements.interior`) and its angle ψ,
the force F = f(t) F₀ or f(t) A(ψ) F₀ (`follower`) and the moment M = f(t) M₀ do the work of (F, M) on the place:

    r = −Jᵀ (F, M),    ∂r/∂q = −∂(Jᵀ(F, M))/∂q − Jᵀ (F⊥, 0) J_ψ      (the second term for a follower alone)
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.elements.interior import DATA, HEAD, OWN, Interior, force_at, jacobian_of, place_of
from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.kernels.widths import POINT_ROWS as ROWS
from flexmb.kernels.widths import POINT_WIDTH as WIDTH
from flexmb.model.components import Assembler, Component

# behind the parameters of the place: force (2,), moment, follower, the slot of its strength
FORCE, MOMENT, FOLLOWER, SLOT = 0, 2, 3, 4


def put_place_load(
    owner: Component, assembly: Assembler, place: Interior, force: np.ndarray, moment: float, follower: bool
) -> None:
    """Add the instance of a load with a strength: `force` (2,) and `moment` at a place."""
    before = np.concatenate([place.parameters, force, [moment, float(follower)]])
    p = np.concatenate([before, assembly.strength(owner).slot()])
    assembly.instance(owner, PLACE_LOAD, place.coordinates, p, work=place.work, strength=len(before))


@inlined
def _at(p, i):
    """Offset of the parameters of the load."""
    return HEAD + int(p[i, DATA]) + int(p[i, OWN])


@inlined
def _force(p, i, at, t, angle):
    """Force and moment in space."""
    f = strength_at(p[i], at + SLOT, t)
    turn = angle if p[i, at + FOLLOWER] != 0.0 else 0.0
    c = math.cos(turn)
    s = math.sin(turn)
    fx, fy = p[i, at + FORCE], p[i, at + FORCE + 1]
    return f * (c * fx - s * fy), f * (s * fx + c * fy), f * p[i, at + MOMENT]


@allocation_free
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], iv.shape[1], p, i, iq, iv, t, q, v, a, work)
        fx, fy, moment = _force(p, i, _at(p, i), t, work[2])
        J, _ = jacobian_of(WIDTH, ROWS, n, n, p, i, iq, iv, t, q, v, a, 0.0, work)
        for k in range(n):
            out[i, k] = -(work[J + k] * fx + work[J + n + k] * fy + work[J + 2 * n + k] * moment)


@allocation_free
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        at = _at(p, i)
        place_of(WIDTH, iq.shape[1], iv.shape[1], p, i, iq, iv, t, q, v, a, work)
        fx, fy, moment = _force(p, i, at, t, work[2])
        force = force_at(WIDTH, p, i)
        work[force] = fx
        work[force + 1] = fy
        work[force + 2] = moment
        J, own = jacobian_of(WIDTH, ROWS, n, n, p, i, iq, iv, t, q, v, a, w[2], work)
        for j in range(n):
            for k in range(n):
                K[i, j, k] -= work[own + j * n + k]
        if p[i, at + FOLLOWER] != 0.0:
            for j in range(n):
                across = w[2] * (work[J + n + j] * fx - work[J + j] * fy)
                for k in range(n):
                    K[i, j, k] -= across * work[J + 2 * n + k]


@allocation_free
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], iv.shape[1], p, i, iq, iv, t, q, v, a, work)
        fx, fy, moment = _force(p, i, _at(p, i), t, work[2])
        out[i, 4] = fx * work[3] + fy * work[4] + moment * work[5]


PLACE_LOAD = Kernels("load at a place", residual=residual, tangent=tangent, energy=energy)
