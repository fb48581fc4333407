"""A row that holds in one direction only, in the plane and in space: the row of a hard stop.

It owns a coordinate s without inertia, the gap, and a row by which s is the gap of the mechanism. The multiplier λ_s of
that row is the contact force, and what acts on s says whether there is any:

    open     λ_s = 0,   s > 0
    closed   s̈ = 0,  so that ṡ = 0 and s stay as they are;   the force N = −λ_s on s is not negative

Which of them holds stands among the parameters, as for friction that sticks (:mod:`flexmb.joints.sticking`): open is
FREE, closed is STICKS. Both change at events only (:mod:`flexmb.solvers.events.row_states`), where speeds may jump
(:mod:`flexmb.solvers.events.impacts.collision`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.joints.sticking import FREE, KEPT, STICKS
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled, Doubt

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


#: what is brought together at the start may be so far beyond a limit [rad or m]
MISPLACED = 1e-4


def add_gap(
    assembly: Assembler, owner: Component, name: str, kind: str, start: float, rate: float,
    add_row: Callable[[Numbers], None], restitution: float,
) -> None:  # fmt: skip
    """Add a gap as a coordinate of its owner, an 'angle' or a 'length', with a `start` and a `rate` in the model; the
    row that makes it so, which `add_row` adds; and that it is never negative."""
    start = max(start, 0.0)  # beyond the limit by round-off
    (gap,) = assembly.coordinates(owner, [free([name], kind)], np.array([start]), np.array([rate]), given=False)
    add_row(gap)
    p = np.array([restitution, FREE, 1.0, 1.0])
    assembly.instance(owner, UNILATERAL, gap, p, reads=True, state=STATE)


def beyond_limit(system: Assembled, name: str, q: np.ndarray) -> float:
    """The largest depth by which a gap of a component is below zero in a position q (total_q,) [m or rad]; 0 if none
    is."""
    own = (i for i in system.instances_of(name) if is_unilateral(i))
    return max((-float(q[i.coordinates[-1]]) for i in own), default=0.0)


def overlaps(system: Assembled, name: str, where: str, q: np.ndarray) -> list[Doubt]:
    """A doubt if a gap of a component is below zero in positions q (k, total_q), so that a touch was missed."""
    depth = np.max([-q[:, i.coordinates[-1]] for i in system.instances_of(name) if is_unilateral(i)], axis=0)
    if not np.max(depth, initial=0.0) > MISPLACED:
        return []
    text = f"{where}: its shapes overlap by {np.max(depth):.3g} m, a touch was missed; take shorter steps (max_step=…)"
    return [Doubt(int(np.argmax(depth > MISPLACED)), text)]


def is_unilateral(series: Any) -> bool:
    """Whether an instance with states is a row that holds in one direction only."""
    return series.kernels.name == UNILATERAL.name
