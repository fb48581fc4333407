"""Force or torque at a place inside an element in space, on the element's own coordinates.

With J of the place by the element's kernel `point_jacobian` (:mod:`flexmb.elements.interior`), and its rows J_ω of the
angular velocity, a load L in axes of the ground, which turns with the place by θ if it is given in the axes of the
place, does its work:

    r = −Jᵀ L,    ∂r/∂q = −∂(Jᵀ L)/∂q + Jᵀ L̃ J_ω      (the second term for a load that turns along alone)

The parameters behind those of the place are those of the load on a frame (:mod:`flexmb.forces.spatial.point_force`).
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.interior import DATA, HEAD, OWN, Interior, force_at, jacobian_of, place_of
from flexmb.forces.spatial.load_in_axes import FACTOR, IN_BODY, TURN, given_load
from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_in, turned
from flexmb.kernels.vectors import cross, dot, put, vector_in
from flexmb.kernels.views import vector_view
from flexmb.kernels.widths import SPATIAL_POINT_ROWS as ROWS
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH as WIDTH
from flexmb.model.components import Assembler, Component


def put_place_load(owner: Component, first: int, assembly: Assembler, place: Interior, p: np.ndarray) -> None:
    """Add the instance of a load at a place with its parameters `p`: a force, which does work on the rates of the place
    from its `first` on, 0, or a torque, 3."""
    parameters = np.concatenate([place.parameters, [first], p])
    at = len(place.parameters) + 1 + FACTOR
    assembly.instance(owner, SPATIAL_PLACE_LOAD, place.coordinates, parameters, work=place.work, strength=at)


@inlined
def _row(p, i):
    """The parameters of the load, and the number of the first rate of the place on which it does work."""
    at = HEAD + int(p[i, DATA]) + int(p[i, OWN])
    return vector_view(p[i], at + 1, p.shape[1] - at - 1), int(p[i, at])


@inlined
def _in_ground(row, t, work):
    """The load in the axes of the ground."""
    given = given_load(row, t)
    if row[IN_BODY] == 0.0:
        return given
    return turned((work[3], work[4], work[5], work[6]), turned(quaternion_in(row, TURN), given))


@allocation_free
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], n, p, i, iq, iv, t, q, v, a, work)
        row, first = _row(p, i)
        load = _in_ground(row, t, work)
        J, _ = jacobian_of(WIDTH, ROWS, iq.shape[1], n, p, i, iq, iv, t, q, v, a, 0.0, work)
        for k in range(n):
            for j in range(3):
                out[i, k] -= work[J + (first + j) * n + k] * load[j]


@allocation_free
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        place_of(WIDTH, iq.shape[1], n, p, i, iq, iv, t, q, v, a, work)
        row, first = _row(p, i)
        load = _in_ground(row, t, work)
        at = force_at(WIDTH, p, i)
        for k in range(ROWS):
            work[at + k] = 0.0
        put(work, at + first, load)
        J, own = jacobian_of(WIDTH, ROWS, iq.shape[1], n, p, i, iq, iv, t, q, v, a, w[2], work)
        for k in range(n):
            turn = (work[J + 3 * n + k], work[J + 4 * n + k], work[J + 5 * n + k])
            change = cross(turn, load) if row[IN_BODY] != 0.0 else (0.0, 0.0, 0.0)
            for j in range(n):
                by = (work[J + first * n + j], work[J + (first + 1) * n + j], work[J + (first + 2) * n + j])
                K[i, j, k] -= work[own + j * n + k] + w[2] * dot(by, change)


@allocation_free
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], iv.shape[1], p, i, iq, iv, t, q, v, a, work)
        row, first = _row(p, i)
        out[i, 4] = dot(_in_ground(row, t, work), vector_in(work, 7 + first))


#: A force or a torque; the first parameter of the load is the first rate of a place on which it does work: 0 or 3.
SPATIAL_PLACE_LOAD = Kernels("load at a place in space", residual=residual, tangent=tangent, energy=energy)
