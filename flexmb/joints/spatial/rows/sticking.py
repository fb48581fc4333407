"""Friction that truly sticks (:mod:`flexmb.joints.sticking`), in bearings of joints in space with one way to move.

The joint's own coordinate is s, and the multiplier λ_s of its row is the friction. Surfaces slip by r ṡ in a hinge,
with a thrust face at r_t, and by ṡ in a slide; their normal forces are those of
:mod:`flexmb.joints.spatial.rows.bearing`:

    slides   λ_s = ±(r μ(r|ṡ|) N + r_t μ(r_t|ṡ|) N_t) + d r² ṡ,    in a slide  ±μ(|ṡ|) N + d ṡ
"""

from __future__ import annotations

from flexmb.joints.friction import RADIUS, SMALL_FORCE, THRUST_RADIUS, VISCOUS, smooth_size
from flexmb.joints.spatial.rows.bearing import AXIS, HINGE, KIND, changes_of_size, forces_on_bearing, journal
from flexmb.joints.spatial.rows.primitive_rows import ARM_B, ROW_LENGTH, ROWS, fill_rows
from flexmb.joints.sticking import FREE, KEPT, STICKS, coefficient_of
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at
from flexmb.kernels.vectors import dot, times, vector_in
from flexmb.kernels.views import matrix_view, vector_view


def room(rows: int) -> int:
    """The scratch numbers that an instance of a joint with so many rows asks for."""
    return 14 * rows + 144 + 24


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, p.shape[1] - 2] == STICKS:
            out[i, 12] = p[i, p.shape[1] - 1] * a[iv[i, 12]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, p.shape[1] - 2] == STICKS:
            K[i, 12, 12] += p[i, p.shape[1] - 1] * w[0]


@kernel
def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 1  # the row of s is the last
    G = vector_view(work, 0, 12 * own)
    Kj = matrix_view(work, 12 * own, 12, 12)
    by_q = vector_view(work, 12 * own + 144, 24)
    by_lam = vector_view(work, 12 * own + 168, 2 * own)
    for i in range(p.shape[0]):
        state = p[i, p.shape[1] - 2]
        if state == STICKS or state == KEPT:
            out[i, 12] = lam[i, own]
            out[i, 13 * (1 + own) + 12] = 1.0
            continue
        if state == FREE:
            continue
        for k in range(14 * own + 168):
            work[k] = 0.0
        force = lam[i, :own]
        fill_rows(p[i], iq[i], q, force, 1.0, G, Kj)
        B = quaternion_at(q, iq[i], 10)
        arm = vector_in(p[i], ARM_B)
        law = p[i, ROWS + ROW_LENGTH * own :]
        z, hinge = vector_in(law, AXIS), law[KIND] == HINGE
        f, m = forces_on_bearing(B, arm, force, G)
        N, by_f, by_m = journal(law, z, f, m, not hinge, hinge)
        changes_of_size(by_f, by_m, B, arm, f, G, Kj, by_q[:12], by_lam[:own])
        radius = law[RADIUS] if hinge else 1.0
        rate = v[iv[i, 12]]
        mu, steeper = coefficient_of(law, radius * rate)
        push, slope = state * radius * mu, state * radius * radius * steeper * N + law[VISCOUS] * radius * radius
        out[i, 12] = push * N + law[VISCOUS] * radius * radius * rate
        on_thrust = 0.0
        if hinge:
            reach = law[THRUST_RADIUS]
            axial = dot(f, z)
            N_t, by_t = smooth_size(axial * axial, law[SMALL_FORCE])
            changes_of_size(times(by_t * axial, z), (0.0, 0.0, 0.0), B, arm, f, G, Kj, by_q[12:], by_lam[own:])
            mu_t, steeper_t = coefficient_of(law, reach * rate)
            on_thrust = state * reach * mu_t
            slope += state * reach * reach * steeper_t * N_t
            out[i, 12] += on_thrust * N_t
        for k in range(own):
            out[i, 13 * (1 + k) + 12] = push * by_lam[k] + on_thrust * by_lam[own + k]
        K[i, 12, 12] += w[1] * slope
        for j in range(12):
            K[i, 12, j] += w[2] * (push * by_q[j] + on_thrust * by_q[12 + j])


#: On the nodes and on s; its multipliers are those of the joint, and behind them that of the row of s. Parameters: the
#: arms and rows of the joint, those of its bearing, what friction does, and the inertia of what sticks.
STICKING_BEARING: Kernels = Kernels("bearing that sticks", residual=residual, tangent=tangent, friction=friction)
