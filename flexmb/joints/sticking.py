"""Friction that truly sticks, on a coordinate of a joint, in the plane and in space.

A joint whose friction has no smoothing owns a coordinate s, without inertia, and a row by which s is the joint's own
coordinate; the multiplier λ_s of that row is the force of friction, and what acts on s says what it is:

    slides   λ_s = ±μ(|ṡ|) N(λ) + d ṡ,    with a sign that stays until ṡ = 0
    sticks   s̈ = 0,  so that ṡ = 0 and s stay as they are;  then |λ_s| ≤ μ_S N(λ)

Which of them holds, and with which sign, stands among the parameters, and changes at events only
(:mod:`flexmb.solvers.events.row_states`). Neither has a jump, so that methods of any order keep it. On the left of the
equations of motion the row puts −λ_s on s; friction puts the rest there: ±μ N + d ṡ, or λ_s itself, where an inertia is
left alone with s̈.

A system that was not told says FREE: no friction, λ_s = 0. Of a run that is over nothing is asked but its forces and
what they took away, for which λ_s, which was kept, stands: KEPT.
"""

from __future__ import annotations

import numpy as np

from flexmb.joints.friction import (
    COULOMB,
    EXCESS,
    LENGTH,
    PARAMETERS,
    PRELOAD,
    RADIUS,
    SMALL_FORCE,
    STRIBECK,
    VISCOUS,
    smooth_size,
)
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels

#: how a joint of the plane presses: a hinge on its shaft, a pin on its slot, a guide on the two ends of its bearing
HINGE, SLOT, GUIDE = 0.0, 1.0, 2.0
#: where that stands, behind the numbers of the law
KIND = PARAMETERS


@compiled
def pressing(law, lam):
    """N of a joint of the plane and its derivatives by the first two multipliers; `law` ends with how it presses."""
    small, kind = law[SMALL_FORCE], law[KIND]
    if kind == HINGE:
        size, by = smooth_size(lam[0] * lam[0] + lam[1] * lam[1], small)
        return law[PRELOAD] + size, by * lam[0], by * lam[1]
    if kind == SLOT:
        size, by = smooth_size(lam[0] * lam[0], small)
        return law[PRELOAD] + size, by * lam[0], 0.0
    one = 0.5 * lam[0] + lam[1] / law[LENGTH]
    two = 0.5 * lam[0] - lam[1] / law[LENGTH]
    size_1, by_1 = smooth_size(one * one, small)
    size_2, by_2 = smooth_size(two * two, small)
    by_1, by_2 = by_1 * one, by_2 * two
    return law[PRELOAD] + size_1 + size_2, 0.5 * (by_1 + by_2), (by_1 - by_2) / law[LENGTH]


@compiled
def arm_of(law):
    """The speed of slip for each unit of the joint's own speed: the radius of a hinge, 1 elsewhere."""
    return law[RADIUS] if law[KIND] == HINGE else 1.0


#: what friction does: nothing; it slides forward or backward; it sticks; it is that which was kept
FREE: float = 0.0
FORWARD: float = 1.0
BACKWARD: float = -1.0
STICKS: float = 2.0
KEPT: float = 3.0
#: where that stands among the parameters of a joint of the plane
STATE = KIND + 1
#: What sticks has an inertia of its own, the parameter behind what friction does, beside which all others are nothing:
#: corrections of speeds do not move it either.
INERTIA = STATE + 1


@compiled
def coefficient_of(law, u):
    """μ(|u|), and its derivative by u."""
    x = u / law[STRIBECK]
    fall = law[EXCESS] * np.exp(-x * x)
    return law[COULOMB] + fall, -2.0 * x / law[STRIBECK] * fall


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, STATE] == STICKS:
            out[i, 0] = p[i, INERTIA] * a[iv[i, 0]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if p[i, STATE] == STICKS:
            K[i, 0, 0] += p[i, INERTIA] * w[0]


@kernel
def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    own = lam.shape[1] - 1  # the row of s is the last
    for i in range(p.shape[0]):
        state = p[i, STATE]
        if state == STICKS or state == KEPT:
            out[i, 0] = lam[i, own]
            out[i, 1 + own] = 1.0
        elif state != FREE:
            arm = arm_of(p[i])
            u = arm * v[iv[i, 0]]
            mu, steeper = coefficient_of(p[i], u)
            N, by_first, by_second = pressing(p[i], lam[i])
            f = state * arm * mu
            out[i, 0] = f * N + arm * p[i, VISCOUS] * u
            out[i, 1] = f * by_first
            if own > 1:
                out[i, 2] = f * by_second
            K[i, 0, 0] += w[1] * arm * arm * (p[i, VISCOUS] + state * N * steeper)


#: On the coordinate s; its multipliers are those of the joint, and behind them that of the row of s. Parameters: the
#: law, what friction does, and the inertia of what sticks.
STICKING = Kernels("friction that sticks", residual=residual, tangent=tangent, friction=friction)
