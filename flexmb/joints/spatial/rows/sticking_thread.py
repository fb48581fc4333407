"""Friction that truly sticks (:mod:`flexmb.joints.sticking`), in the thread of a screw.

The counted angle s of the screw is its only way to move. Two rows act on it, that of the angle with λ_s and that of the
thread with λ_t: the nut is pushed along the axis by −λ_t and turned by −λ_s. With the pitch h, the mean radius r of the
thread and its lead angle α, tan α = h/r, these are a force across the thread and one along it, which is friction:

    N_t = |λ_s sin α/r − λ_t cos α|,      ρ F = λ_s + h λ_t,      ρ = √(r² + h²) = r/cos α

Surfaces slip by u = ρ ṡ. A radial force and a moment across the axis press with the N of a cylindrical joint
(:mod:`flexmb.joints.spatial.rows.bearing`) and slip with the thread:

    slides   F = ±μ(|u|) (N_t + N) + d u        sticks   |F| ≤ μ_S (N_t + N)
"""

from __future__ import annotations

import math
from dataclasses import replace

from flexmb.joints.friction import RADIUS, SMALL_FORCE, VISCOUS, smooth_size
from flexmb.joints.spatial.rows.bearing import AXIS, PITCH, changes_of_size, forces_on_bearing, journal
from flexmb.joints.spatial.rows.primitive_rows import ARM_B, ROW_LENGTH, ROWS, fill_rows
from flexmb.joints.spatial.rows.sticking import STICKING_BEARING
from flexmb.joints.sticking import FREE, KEPT, STICKS, coefficient_of
from flexmb.kernels.compilation import kernel
from flexmb.kernels.rotations import quaternion_at
from flexmb.kernels.vectors import vector_in
from flexmb.kernels.views import matrix_view, vector_view


@kernel
def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 2  # the rows of the counted angle and of the thread are the last
    G = vector_view(work, 0, 12 * own)
    Kj = matrix_view(work, 12 * own, 12, 12)
    by_q = vector_view(work, 12 * own + 144, 12)
    by_lam = vector_view(work, 12 * own + 168, own)
    for i in range(p.shape[0]):
        state = p[i, p.shape[1] - 2]
        if state == FREE:
            continue
        law = p[i, ROWS + ROW_LENGTH * own :]
        turn, thread, pitch, radius = lam[i, own], lam[i, own + 1], law[PITCH], law[RADIUS]
        if state == STICKS or state == KEPT:
            out[i, 12] = turn + pitch * thread
            out[i, 13 * (1 + own) + 12] = 1.0
            out[i, 13 * (2 + own) + 12] = pitch
            continue
        for k in range(14 * own + 168):
            work[k] = 0.0
        force = lam[i, :own]
        fill_rows(p[i], iq[i], q, force, 1.0, G, Kj)
        B = quaternion_at(q, iq[i], 10)
        arm = vector_in(p[i], ARM_B)
        f, m = forces_on_bearing(B, arm, force, G)
        N, by_f, by_m = journal(law, vector_in(law, AXIS), f, m, True, True)
        changes_of_size(by_f, by_m, B, arm, f, G, Kj, by_q, by_lam)
        along = math.sqrt(radius * radius + pitch * pitch)
        cosine, sine = radius / along, pitch / along
        across = sine / radius * turn - cosine * thread
        N_t, by = smooth_size(across * across, law[SMALL_FORCE])
        mu, steeper = coefficient_of(law, along * v[iv[i, 12]])
        push, viscous = state * along * mu, law[VISCOUS] * along * along
        out[i, 12] = push * (N + N_t) + viscous * v[iv[i, 12]]
        for k in range(own):
            out[i, 13 * (1 + k) + 12] = push * by_lam[k]
        out[i, 13 * (1 + own) + 12] = push * by * across * sine / radius
        out[i, 13 * (2 + own) + 12] = -push * by * across * cosine
        K[i, 12, 12] += w[1] * (state * along * along * steeper * (N + N_t) + viscous)
        for j in range(12):
            K[i, 12, j] += w[2] * push * by_q[j]


#: On the nodes and on s; its multipliers are those of a cylindrical joint, and behind them those of s and of the
#: thread. Parameters: the arms and rows of the joint, those of its bearing, what friction does, and the inertia of what
#: sticks.
STICKING_THREAD = replace(STICKING_BEARING, name="thread that sticks", friction=friction)
