"""Friction that truly sticks, on a coordinate of a joint, in the plane and in space.

A joint whose friction has no smoothing owns a coordinate s, without inertia, and a row by which s is the joint's own
coordinate; the multiplier λ_s of that row is the force of friction, and what acts on s says what it is:

    slides   λ_s = ±μ(|ṡ|) N(λ) + d ṡ,    with a sign that stays until ṡ = 0
    sticks   s̈ = 0,  so that ṡ = 0 and s stay as they are;  then |λ_s| ≤ μ_S N(λ)

Which of them holds, and with which sign, stands among the parameters, and changes at events only
(:mod:`flexmb.solvers.sticking`). Neither has a jump, so that methods of any order keep it. On the left of the equations
of motion the row puts −λ_s on s; friction puts the rest there: ±μ N + d ṡ, or λ_s itself, where an inertia is left
alone with s̈.

A system that was not told says FREE: no friction, λ_s = 0. Of a run that is over nothing is asked but its forces and
what they took away, for which λ_s, which was kept, stands: KEPT.
"""

from __future__ import annotations

import numpy as np

from flexmb.joints.planar.friction import COEFFICIENT, EXCESS, GEOMETRY, LAW_WIDTH, PRELOAD, STRIBECK, VISCOUS, pressing
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels

#: what friction does: nothing; it slides forward or backward; it sticks; it is that which was kept
FREE, FORWARD, BACKWARD, STICKS, KEPT = 0.0, 1.0, -1.0, 2.0, 3.0
#: where that stands among the parameters, behind the law
STATE = LAW_WIDTH


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, STATE] == STICKS:
            out[i, 0] = a[iv[i, 0]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, STATE] == STICKS:
            K[i, 0, 0] += w[0]


@kernel
def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 1  # the row of s is the last
    for i in range(p.shape[0]):
        state = p[i, STATE]
        if state == STICKS or state == KEPT:
            out[i, 0] = lam[i, own]
            out[i, 1 + own] = 1.0
        elif state != FREE:
            u = v[iv[i, 0]]
            x = u / p[i, STRIBECK]
            fall = p[i, EXCESS] * np.exp(-x * x)
            N, by_first, by_second = pressing(p[i, GEOMETRY], p[i, PRELOAD], lam[i])
            f = state * (p[i, COEFFICIENT] + fall)
            out[i, 0] = f * N + p[i, VISCOUS] * u
            out[i, 1] = f * by_first
            if own > 1:
                out[i, 2] = f * by_second
            K[i, 0, 0] += w[1] * (p[i, VISCOUS] - state * N * 2.0 * x / p[i, STRIBECK] * fall)


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 1
    for i in range(p.shape[0]):
        state = p[i, STATE]
        if state == STICKS:
            N, _, _ = pressing(p[i, GEOMETRY], p[i, PRELOAD], lam[i])
            out[i, 0] = (p[i, COEFFICIENT] + p[i, EXCESS]) * N - abs(lam[i, own])
        elif state == FORWARD or state == BACKWARD:
            out[i, 0] = state * v[iv[i, 0]]


#: On the coordinate s; its multipliers are those of the joint, and behind them that of the row of s. Parameters: the
#: law, and what friction does.
STICKING = Kernels("friction that sticks", residual=residual, tangent=tangent, friction=friction, switches=switches)
