"""A row that holds in one direction only, in the plane and in space: the row of a hard stop.

It owns a coordinate s without inertia, the gap, and a row by which s is the gap of the mechanism. The multiplier λ_s of
that row is the contact force, and what acts on s says whether there is any:

    open     λ_s = 0,   s > 0
    closed   s̈ = 0,  so that ṡ = 0 and s stay as they are;   the force N = −λ_s on s is not negative

Which of them holds stands among the parameters, as for friction that sticks (:mod:`flexmb.joints.sticking`): open is
FREE, closed is STICKS. Both change at events only (:mod:`flexmb.solvers.events.row_states`), where speeds may jump
(:mod:`flexmb.solvers.events.collision`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.joints.sticking import FREE, KEPT, STICKS
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Assembler, Component

#: parameters: the restitution, whether the row is open or closed, the inertia of s while it is closed, and a force
#: [N or Nm] by which what is closed may pull no more than a small part
RESTITUTION, STATE, INERTIA, STRENGTH = range(4)


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
        if p[i, STATE] == STICKS or p[i, STATE] == KEPT:
            out[i, 0] = lam[i, own]
            out[i, 1 + own] = 1.0


#: On the gap s, whose coefficient in its row is −1; its multipliers are those of the component, and that of the row of
#: s is the last.
UNILATERAL = Kernels("row in one direction", residual=residual, tangent=tangent, friction=friction)


def add_unilateral(assembly: Assembler, owner: Component, gap: Numbers, restitution: float) -> None:
    """Let the `gap`, a coordinate of the owner whose row was added last, never be negative."""
    p = np.array([restitution, FREE, 1.0, 1.0])
    assembly.instance(owner, UNILATERAL, gap, p, reads=True, state=STATE)


def is_unilateral(series: Any) -> bool:
    """Whether an instance with states is a row that holds in one direction only."""
    return series.kernels.name == UNILATERAL.name
