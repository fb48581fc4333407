"""Formulas of the forces of hard contacts, in plane and space, from what the system finds on the node of frame b.

Bodies and rows are those of :mod:`flexmb.quantities.contact_formulas`; in the place of accelerations stand the force
and the moment about the node, in space in its axes.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.compilation import inlined
from flexmb.kernels.formula import formula
from flexmb.kernels.vectors import dot, minus, times, vector_in
from flexmb.quantities.contact_formulas import DIRECTION, SIGN, nearest


@inlined
def _borne(row, iq, iv, q, v, f):
    """n from a to b at the nearest pair, and the force on b."""
    _, n, _, _ = nearest(row, iq, iv, q, v)
    if iq.shape[0] == 6:
        return times(row[SIGN], n), (f[0], f[1], 0.0 * f[0])
    return times(row[SIGN], n), vector_in(f, 0)


@formula
def normal_force(row, iq, iv, t, q, v, f):
    n, F = _borne(row, iq, iv, q, v, f)
    return dot(n, F)


@formula
def friction_force(row, iq, iv, t, q, v, f):
    n, F = _borne(row, iq, iv, q, v, f)
    rubbing = minus(F, times(dot(F, n), n))
    return math.sqrt(dot(rubbing, rubbing))


@formula
def force_on_b(row, iq, iv, t, q, v, f):
    return dot(_borne(row, iq, iv, q, v, f)[1], vector_in(row, DIRECTION))


@formula
def size_of_force(row, iq, iv, t, q, v, f):
    F = _borne(row, iq, iv, q, v, f)[1]
    return math.sqrt(dot(F, F))


#: by the names of what can be asked of a hard contact; forces along an axis have that in their name
HARD: dict[str, Any] = {"normal_force": normal_force, "friction_force": friction_force, "force": size_of_force}
