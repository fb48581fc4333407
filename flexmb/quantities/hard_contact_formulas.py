"""Formulas of hard contacts, in the plane and in space: forces, from what the system finds on the node of frame b, and
where they act.

Bodies and rows are those of :mod:`flexmb.quantities.contact_formulas`; in the place of accelerations stand the force
and the moment about the node, in space in its axes. The force acts on the surface of the nearest pair of shapes, there
where its moment is right: from a place P₀ of it at δ = n × (M − (P₀ − r) × F)/N.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.compilation import inlined
from flexmb.kernels.formula import formula
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import cross, dot, minus, plus, times, vector_in
from flexmb.quantities.contact_formulas import DIRECTION, SIGN, nearest, nodes


@inlined
def _borne(row, iq, iv, q, v, f):
    """n from a to b at the nearest pair, its P and the force on b."""
    _, n, _, P = nearest(row, iq, iv, q, v)
    if iq.shape[0] == 6:
        return times(row[SIGN], n), P, (f[0], f[1], 0.0 * f[0])
    return times(row[SIGN], n), P, vector_in(f, 0)


@formula
def normal_force(row, iq, iv, t, q, v, f):
    n, _, F = _borne(row, iq, iv, q, v, f)
    return dot(n, F)


@formula
def friction_force(row, iq, iv, t, q, v, f):
    n, _, F = _borne(row, iq, iv, q, v, f)
    rubbing = minus(F, times(dot(F, n), n))
    return math.sqrt(dot(rubbing, rubbing))


@formula
def force_on_b(row, iq, iv, t, q, v, f):
    return dot(_borne(row, iq, iv, q, v, f)[2], vector_in(row, DIRECTION))


@formula
def size_of_force(row, iq, iv, t, q, v, f):
    F = _borne(row, iq, iv, q, v, f)[2]
    return math.sqrt(dot(F, F))


@formula
def place(row, iq, iv, t, q, v, f):
    """The place where the force acts, along the direction."""
    n, P, F = _borne(row, iq, iv, q, v, f)
    r_a, turn_a, r_b, turn_b = nodes(q, iq)
    own = r_b if row[SIGN] > 0.0 else r_a
    if iq.shape[0] == 6:
        M = (0.0 * f[2], 0.0 * f[2], f[2])
    else:
        M = turned(turn_b if row[SIGN] > 0.0 else turn_a, vector_in(f, 3))
    N = dot(n, F)
    if N > 0.0:
        P = plus(P, times(1.0 / N, cross(n, minus(M, cross(minus(P, own), F)))))
    return dot(P, vector_in(row, DIRECTION))


#: by the names of what can be asked of a hard contact; forces along an axis have that in their name
HARD: dict[str, Any] = {"normal_force": normal_force, "friction_force": friction_force, "force": size_of_force}
