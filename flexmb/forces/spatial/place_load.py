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


def put_place_load(owner: Component, kernels: Kernels, assembly: Assembler, place: Interior, p: np.ndarray) -> None:
    """Add the instance of a force or a torque with the parameters `p` of the load at a place."""
    before = len(place.parameters)
    parameters = np.concatenate([place.parameters, p])
    assembly.instance(owner, kernels, place.coordinates, parameters, work=place.work, strength=before + FACTOR)


@inlined
def _at(p, i):
    """Where the parameters of the load begin."""
    return HEAD + int(p[i, DATA]) + int(p[i, OWN])


@inlined
def _in_ground(row, t, work):
    """The load in the axes of the ground."""
    given = given_load(row, t)
    if row[IN_BODY] == 0.0:
        return given
    return turned((work[3], work[4], work[5], work[6]), turned(quaternion_in(row, TURN), given))


@inlined
def _residual(first, p, iq, iv, t, q, v, a, out, work):
    """The residual of a load that does work on the rates with the numbers first … first + 2 of a place."""
    n = iv.shape[1]
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], n, p, i, iq, iv, t, q, v, a, work)
        at_load = _at(p, i)
        load = _in_ground(vector_view(p[i], at_load, p.shape[1] - at_load), t, work)
        J, _ = jacobian_of(WIDTH, ROWS, iq.shape[1], n, p, i, iq, iv, t, q, v, a, 0.0, work)
        for k in range(n):
            for j in range(3):
                out[i, k] -= work[J + (first + j) * n + k] * load[j]


@inlined
def _tangent(first, p, iq, iv, t, q, v, a, w, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        place_of(WIDTH, iq.shape[1], n, p, i, iq, iv, t, q, v, a, work)
        at_load = _at(p, i)
        row = vector_view(p[i], at_load, p.shape[1] - at_load)
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


@inlined
def _energy(first, p, iq, iv, t, q, v, a, out, work):
    for i in range(p.shape[0]):
        place_of(WIDTH, iq.shape[1], iv.shape[1], p, i, iq, iv, t, q, v, a, work)
        at_load = _at(p, i)
        load = _in_ground(vector_view(p[i], at_load, p.shape[1] - at_load), t, work)
        out[i, 4] = dot(load, vector_in(work, 7 + first))


@allocation_free
def force_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _residual(0, p, iq, iv, t, q, v, a, out, work)


@allocation_free
def force_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _tangent(0, p, iq, iv, t, q, v, a, w, K, work)


@allocation_free
def force_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _energy(0, p, iq, iv, t, q, v, a, out, work)


@allocation_free
def torque_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _residual(3, p, iq, iv, t, q, v, a, out, work)


@allocation_free
def torque_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _tangent(3, p, iq, iv, t, q, v, a, w, K, work)


@allocation_free
def torque_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _energy(3, p, iq, iv, t, q, v, a, out, work)


FORCE_AT_PLACE = Kernels(
    "force at a place in space", residual=force_residual, tangent=force_tangent, energy=force_energy
)
TORQUE_AT_PLACE = Kernels(
    "torque at a place in space", residual=torque_residual, tangent=torque_tangent, energy=torque_energy
)
