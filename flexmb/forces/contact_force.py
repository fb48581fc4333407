"""The force of a contact and its exact change, from the motion of two bodies; for the plane and space.

With P, n, g of :mod:`flexmb.forces.contact_geometry`, N of :mod:`flexmb.forces.contact_law` and the velocity of b
against a at P, u = ṙ_b + ω_b × (P − r_b) − ṙ_a − ω_a × (P − r_a), of which u_t is the part across n, the force on b is

    F = N(g, ġ) n − N φ(|u_t|) u_t,     ġ = n · u,     φ(s) = μ(s)/s

and −F acts on a, both at P. The moments about the nodes are (P − r_b) × F and −(P − r_a) × F. Friction is that of
:class:`flexmb.JointFriction`. N ġ is −(rate of the energy) − (power dissipated).

The change with a displacement δr, φ of the two bodies (their ω constant in their own axes), all vectors of the ground:

    δA = δr_a + φ_a × (A − r_a),  δu = φ_a × u,  …          δg = n · D
    D = δr_b + φ_b × (P − r_b) − δr_a − φ_a × (P − r_a),    which is ∂u/∂(speeds) as well
    δu = (φ_b × ω_b) × (P − r_b) + ω_b × (δP − δr_b) − (φ_a × ω_a) × (P − r_a) − ω_a × (δP − δr_a)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact_geometry import (
    BALL_BALL,
    CAVITY_BALL,
    HALF_SPACE_BALL,
    HALF_SPACE_RIM,
    gap_and_normal,
    normal_change,
    place,
    place_change,
)  # fmt: skip
from flexmb.forces.contact_law import push, stored, tearing
from flexmb.joints.friction import along_slip
from flexmb.joints.gap_between import GapBetween
from flexmb.kernels.compilation import called, compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_in
from flexmb.model.appearance import ContactPlace
from flexmb.model.frames import Frame

#: parameters: the kind of pair; A and u on a, B and w on b, in the axes of their nodes; the radius of a, that of b,
#: half the length of a cylinder; k, n, d; friction
KIND, ON_A, AXIS_A, ON_B, AXIS_B, RADIUS_A, RADIUS_B, HALF, STIFFNESS, GRIP = 0, 1, 4, 7, 10, 13, 14, 15, 16, 19
WIDTH = 24

#: scratch: r, ω of both bodies; A, u, B, w; n, P, the relative velocity there, F; and numbers
R_A, OMEGA_A, R_B, OMEGA_B, AT_A, U, AT_B, W, NORMAL, PLACE, VELOCITY, FORCE = range(0, 36, 3)
GAP, PUSH, BY_GAP, BY_RATE, PHI, PHI_CHANGE = range(36, 42)
#: what :func:`change` fills: the change of F, and of the moments of F about both nodes
CHANGE, CHANGE_A, CHANGE_B = 42, 45, 48
WORK = 51


#: pairs with a smooth gap, each with the sign of its limit of the distance; a half-space has none
LIMITS = {HALF_SPACE_BALL: 0.0, BALL_BALL: 1.0, CAVITY_BALL: -1.0}


def in_node_axes(row: Sequence[float], a: Frame, b: Frame) -> np.ndarray:
    """The parameters of a pair of shapes on two frames, whose axes they are in, in those of the nodes."""
    p = np.array(row)
    for frame, at in ((a, ON_A), (b, ON_B)):
        p[at : at + 3] = frame.arm + frame.on_node(p[at : at + 3])
        p[at + 3 : at + 6] = frame.on_node(p[at + 3 : at + 6])
    return p


def gaps_between(a: Frame, b: Frame, rows: list[list[float]]) -> list[GapBetween]:
    """The gaps of hard pairs of shapes on two frames, with their parameters in the axes of the frames."""
    found = []
    for row in rows:
        p, sign = in_node_axes(row, a, b), LIMITS[int(row[KIND])]
        limit = abs(sign) * (row[RADIUS_A] + sign * row[RADIUS_B])
        on_a, on_b, normal = p[ON_A : ON_A + 3], p[ON_B : ON_B + 3], p[AXIS_A : AXIS_A + 3]
        found.append(GapBetween(on_a, on_b, row[RADIUS_B], normal, limit, sign or 1.0))
    return found


def refuse_corners(name: str, place: ContactPlace) -> None:
    """Refuse a contact of several corners where each place that touches is asked for."""
    if len(place.rows) > 1 and place.rows[0][KIND] != HALF_SPACE_RIM:
        raise ModelError(
            f"contact {name!r}: its corners bear one force together, and a polygon of support needs the place of each; "
            "give points on frames of their own, one contact each"
        )


def is_hard(place: ContactPlace) -> bool:
    """Whether a contact does not give way: its stiffness is 0, since it has no law of its force."""
    return place.rows[0][STIFFNESS] == 0.0


@inlined
def seen(row, p, r_a, turn_a, r_b, turn_b):
    """A, u, B, w, the gap and n of a pair of nodes with places (3,) and unit quaternions (4,); its parameters stand in
    the row from p on."""
    A = plus(r_a, turned(turn_a, vector_in(row, p + ON_A)))
    B = plus(r_b, turned(turn_b, vector_in(row, p + ON_B)))
    u = turned(turn_a, vector_in(row, p + AXIS_A))
    w = turned(turn_b, vector_in(row, p + AXIS_B))
    gap, n = gap_and_normal(int(row[p]), A, u, B, w, row[p + RADIUS_A], row[p + RADIUS_B], row[p + HALF])
    return A, u, B, w, gap, n


@inlined
def slipping(row, p, B, w, gap, n, r_a, v_a, omega_a, r_b, v_b, omega_b):
    """P, the velocity of b against a there, the rate of the gap, and the part of the velocity across n."""
    P = place(int(row[p]), gap, n, B, w, row[p + RADIUS_B])
    speed = minus(plus(v_b, cross(omega_b, minus(P, r_b))), plus(v_a, cross(omega_a, minus(P, r_a))))
    rate = dot(n, speed)
    return P, speed, rate, minus(speed, times(rate, n))


@called(float)
def see(row, work, r_a, turn_a, r_b, turn_b):
    """Fill r, A, u, B, w, n and the gap of a pair; the gap."""
    A, u, B, w, gap, n = seen(row, 0, r_a, turn_a, r_b, turn_b)
    put(work, R_A, r_a)
    put(work, R_B, r_b)
    put(work, AT_A, A)
    put(work, AT_B, B)
    put(work, U, u)
    put(work, W, w)
    put(work, NORMAL, n)
    work[GAP] = gap
    return gap


@called(None)
def touch(row, work, v_a, omega_a, v_b, omega_b):
    """Fill P, the velocity there, F and the numbers of a pair after :func:`see`; ω in the axes of the ground."""
    r_a, r_b, B, n, g = (
        vector_in(work, R_A),
        vector_in(work, R_B),
        vector_in(work, AT_B),
        vector_in(work, NORMAL),
        work[GAP],
    )
    P, speed, rate, along = slipping(
        row, 0, B, vector_in(work, W), g, n, r_a, v_a, omega_a, r_b, v_b, omega_b
    )  # fmt: skip
    k = STIFFNESS
    N, by_gap, by_rate = push(g, rate, row[k], row[k + 1], row[k + 2])
    phi, phi_change = along_slip(row, GRIP, math.sqrt(dot(along, along)))
    put(work, OMEGA_A, omega_a)
    put(work, OMEGA_B, omega_b)
    put(work, PLACE, P)
    put(work, VELOCITY, speed)
    put(work, FORCE, minus(times(N, n), times(N * phi, along)))
    work[PUSH] = N
    work[BY_GAP] = by_gap
    work[BY_RATE] = by_rate
    work[PHI] = phi
    work[PHI_CHANGE] = phi_change


@called(None)
def change(row, work, by_place, by_speed, dr_a, phi_a, dr_b, phi_b):
    """Fill the weighted changes of F and of its moments, by a displacement and, as fast, by such speeds."""
    r_a, r_b, P, n = vector_in(work, R_A), vector_in(work, R_B), vector_in(work, PLACE), vector_in(work, NORMAL)
    speed, F, g, kind = vector_in(work, VELOCITY), vector_in(work, FORCE), work[GAP], int(row[KIND])
    A, u, B, w = vector_in(work, AT_A), vector_in(work, U), vector_in(work, AT_B), vector_in(work, W)
    omega_a, omega_b = vector_in(work, OMEGA_A), vector_in(work, OMEGA_B)
    arm_a, arm_b = minus(P, r_a), minus(P, r_b)
    D = minus(plus(dr_b, cross(phi_b, arm_b)), plus(dr_a, cross(phi_a, arm_a)))
    dg = dot(n, D)
    dA = plus(dr_a, cross(phi_a, minus(A, r_a)))
    dB = plus(dr_b, cross(phi_b, minus(B, r_b)))
    dn = normal_change(kind, n, A, u, B, w, row[RADIUS_A], row[HALF], dA, cross(phi_a, u), dB)
    dP = place_change(kind, g, dg, n, dn, w, cross(phi_b, w), dB, row[RADIUS_B])
    moved_a = plus(cross(cross(phi_a, omega_a), arm_a), cross(omega_a, minus(dP, dr_a)))
    moved_b = plus(cross(cross(phi_b, omega_b), arm_b), cross(omega_b, minus(dP, dr_b)))
    d_speed = plus(times(by_place, minus(moved_b, moved_a)), times(by_speed, D))
    dn = times(by_place, dn)

    N, phi = work[PUSH], work[PHI]
    rate = dot(n, speed)
    along = minus(speed, times(rate, n))
    d_rate = dot(dn, speed) + dot(n, d_speed)
    d_along = minus(d_speed, plus(times(d_rate, n), times(rate, dn)))
    dN = work[BY_GAP] * by_place * dg + work[BY_RATE] * d_rate
    d_phi = work[PHI_CHANGE] * dot(along, d_along)
    dF = plus(times(dN, n), times(N, dn))
    dF = minus(dF, plus(times(dN * phi + N * d_phi, along), times(N * phi, d_along)))
    put(work, CHANGE, dF)
    put(work, CHANGE_A, plus(times(by_place, cross(minus(dP, dr_a), F)), cross(arm_a, dF)))
    put(work, CHANGE_B, plus(times(by_place, cross(minus(dP, dr_b), F)), cross(arm_b, dF)))


@compiled
def energies(row, work, answer):
    """Energy and dissipated power of a pair after :func:`touch`."""
    n, speed = vector_in(work, NORMAL), vector_in(work, VELOCITY)
    elastic, energy = stored(work[GAP], row[STIFFNESS], row[STIFFNESS + 1])
    rate = dot(n, speed)
    along = minus(speed, times(rate, n))
    answer[1] = energy
    answer[3] = (elastic - work[PUSH]) * rate + work[PUSH] * work[PHI] * dot(along, along)


@compiled
def moments(work):
    """The moments of F about the nodes of a and of b."""
    P, F = vector_in(work, PLACE), vector_in(work, FORCE)
    return cross(minus(P, vector_in(work, R_A)), F), cross(minus(P, vector_in(work, R_B)), F)


def contact_family(name: str, gap_of: Any, touched: Any, residual: Any, tangent: Any) -> Kernels:
    """The kernels of a pair of shapes, of compiled functions gap_of(row, iq, q, work), which sees a pair and gives its
    gap, and touched(row, iq, iv, q, v, work), the force of a pair that was seen."""

    @kernel
    def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            if gap_of(p[i], iq[i], q, work) < 0.0:
                touched(p[i], iq[i], iv[i], q, v, work)
                energies(p[i], work, out[i])

    @kernel
    def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            gap = gap_of(p[i], iq[i], q, work)
            out[i, 0] = gap
            out[i, 1] = 1.0
            if gap < 0.0:
                touched(p[i], iq[i], iv[i], q, v, work)
                out[i, 1] = tearing(gap, dot(vector_in(work, NORMAL), vector_in(work, VELOCITY)), p[i, STIFFNESS + 2])

    return Kernels(name, residual=residual, tangent=tangent, energy=energy, switches=switches)
