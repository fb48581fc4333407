"""What leaves a tank through a jet: the mass, its momentum, and the flow within the body.

In axes that turn with the node, with μ the mass that leaves per second, r the place of the jet, and m the mass left in
the tank, with the arm s(m) and the tensor J(m) of :mod:`flexmb.elements.spatial.tank`, a prime for derivatives by m:

    b = (m s)'                                where the mass is taken from, s where that does not move
    B = (J + m (s² 1 − s sᵀ))'                what it takes with it of the tensor about the node
    Q = μ (r − b)                             momentum of the flow against the body, by its continuity

The thrust is the force of the flow on a body that is held still. Of one that turns the flow also asks for the forces of
Coriolis, so that, with the inertia of what is left as of a rigid body (Thomson (1986) has them for a jet on
an axis of symmetry, where the moment μ r × (ω × r) is called jet damping),

    F = 2 ω × Q,      M = μ (r × (ω × r) − B ω + ω × (b × r)),      u̇ = μ

on the left of the equations of motion. The flow is steady while the jet is open, does not swirl, and goes straight from
b to r; then its angular momentum about the node is μ b × r. These follow from the balances of momentum and of angular
momentum of all that is within body and flow; their round trip is a test. What leaves takes its energy along:

    −μ (T + V)'  with  T' = ½ |v|² + v · (ω × b) + ½ ω · B ω,   V' = −g · (place of b)
"""

from __future__ import annotations

from flexmb.elements.spatial.tank import FULL, GRAVITY, ROOM, filling
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import (
    IDENTITY,
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)

#: parameters, after those of the tank up to its functions: the mass by second at full strength, the place (3) of the
#: jet from the node in its axes, where the slot of the strength begins, the functions of the tank; then the slot
RATE, EXIT, SLOT, LAWS_BEHIND = 11, 12, 15, 16
#: scratch numbers
WORK = ROOM


@compiled
def _taken(row, m, work):
    """b, b', B and B'."""
    (s, s1, s2), (_, J1, J2) = filling(row, LAWS_BEHIND, m, work)
    b, b1 = plus(s, times(m, s1)), plus(times(2.0, s1), times(m, s2))
    once, twice = _steiner(s, s), combined(1.0, _steiner(s1, s1), 1.0, _steiner(s, s2))
    first = _steiner(s, s1)
    B = combined(1.0, J1, 1.0, combined(1.0, once, 2.0 * m, first))
    B1 = combined(1.0, J2, 1.0, combined(4.0, first, 2.0 * m, twice))
    return b, b1, B, B1


@compiled
def _steiner(s, d):
    """s · d 1 − ½ (s dᵀ + d sᵀ)."""
    square = outer(s, d)
    return combined(dot(s, d), IDENTITY, -0.5, combined(1.0, square, 1.0, transposed(square)))


@compiled
def _forces(mu, r, b, B, omega):
    """F in the axes of the node, and M."""
    moment = minus(cross(r, cross(omega, r)), minus(applied(B, omega), cross(omega, cross(b, r))))
    return times(2.0 * mu, cross(omega, minus(r, b))), times(mu, moment)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        mu = row[RATE] * strength_at(row, int(row[SLOT]), t)
        b, _, B, _ = _taken(row, row[FULL] - v[iv[i, 6]], work)
        force, moment = _forces(mu, vector_in(row, EXIT), b, B, vector_at(v, iv[i], 3))
        put(out[i], 0, turned(quaternion_at(q, iq[i], 3), force))
        put(out[i], 3, moment)
        out[i, 6] = -mu


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, block = p[i], K[i]
        mu, r = row[RATE] * strength_at(row, int(row[SLOT]), t), vector_in(row, EXIT)
        omega = vector_at(v, iv[i], 3)
        b, b1, B, B1 = _taken(row, row[FULL] - v[iv[i, 6]], work)
        force, _ = _forces(mu, r, b, B, omega)
        R = rotation_matrix(quaternion_at(q, iq[i], 3))
        by_turn = combined(-w[2], tilde(force), -2.0 * mu * w[1], tilde(minus(r, b)))
        add_block(block, 0, 3, 1.0, matrix_product(R, by_turn))
        spin = combined(-1.0, tilde_product(r, r), -1.0, tilde(cross(b, r)))
        add_block(block, 3, 3, mu * w[1], combined(1.0, spin, -1.0, B))
        pull = applied(R, times(2.0 * mu, cross(omega, b1)))
        moment = times(mu, minus(applied(B1, omega), cross(omega, cross(b1, r))))
        for k in range(3):
            block[k, 6] += w[1] * pull[k]
            block[3 + k, 6] += w[1] * moment[k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        mu = row[RATE] * strength_at(row, int(row[SLOT]), t)
        orientation, omega = quaternion_at(q, iq[i], 3), vector_at(v, iv[i], 3)
        b, _, B, _ = _taken(row, row[FULL] - v[iv[i, 6]], work)
        force, moment = _forces(mu, vector_in(row, EXIT), b, B, omega)
        velocity = turned_back(orientation, vector_at(v, iv[i], 0))
        carried = 0.5 * dot(velocity, velocity) + dot(velocity, cross(omega, b)) + 0.5 * dot(omega, applied(B, omega))
        place = plus(vector_at(q, iq[i], 0), turned(orientation, b))
        carried -= dot(vector_in(row, GRAVITY), place)
        out[i, 4] = -mu * carried - dot(velocity, force) - dot(omega, moment)


#: What leaves a tank through a jet.
OUTFLOW: Kernels = Kernels("outflow of a tank", residual=residual, tangent=tangent, energy=energy)
