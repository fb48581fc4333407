"""Surroundings of surfaces in space, at a time: the light of the sun, and a gas that flows, as compiled code.

The origin o of a model with central gravity is in orbit, so that u = ẋ − W of what moves at ẋ in it, with

    W = wind + Ω × o − ȯ

of a gas that turns with the central body at Ω; and the light is that which is seen from there, ν(o) of it
(:mod:`flexmb.model.gravity.shadow`), a function of time with known kinks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.forces.spatial.surfaces.laws import NUMBERS
from flexmb.kernels.compilation import compiled
from flexmb.kernels.slots import strength_at, time_function
from flexmb.kernels.vectors import cross, dot, minus, plus, vector_in
from flexmb.model.gravity import falling
from flexmb.model.gravity.falling import origin
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.gravity.shadow import seen_part

#: a block of parameters: where the slot of the strength stands, or the density; whether the origin is in orbit; the
#: direction of the sun, or the wind (3); Ω (3); the orbit; the radius of the central body; the numbers of the law;
#: where the logarithm of the density by height stands, or 0; and how many these are
SLOT, ORBIT, FIXED, SPIN, FIELD = 0, 1, 2, 5, 8
RADIUS = FIELD + falling.SIZE
LAW = RADIUS + 1
HEIGHT, SIZE = LAW + NUMBERS, LAW + NUMBERS + 1


def block(
    first: float, fixed: Any, law: Any = (), gravity: CentralGravity | None = None, spin: Any = (0.0, 0.0, 0.0)
) -> np.ndarray:
    """The block of parameters, which begins with the density, or with the place of the slot behind what holds it; with
    the numbers of the `law` and, if what surrounds the surface depends on it, the orbit of the model."""
    row = np.zeros(SIZE)
    row[SLOT], row[FIXED : FIXED + 3], row[SPIN : SPIN + 3] = first, fixed, spin
    if gravity is not None:
        row[ORBIT], row[FIELD:RADIUS], row[RADIUS] = 1.0, gravity.parameters, gravity.radius or 0.0
    row[LAW : LAW + len(law)] = law
    return row


@compiled
def sunlight(row, at, t):
    """−p ν, the direction s of the sun, and nothing that moves."""
    strength, sun = -strength_at(row, int(row[at + SLOT]), t), vector_in(row, at + FIXED)
    if row[at + ORBIT] != 0.0:
        o, _ = origin(row, at + FIELD, t)
        strength *= seen_part(o, sun, row[at + RADIUS])
    return strength, sun


@compiled
def flow(row, at, t):
    """−½ϱ and W."""
    density, wind = row[at + SLOT], vector_in(row, at + FIXED)
    if row[at + ORBIT] != 0.0:
        o, od = origin(row, at + FIELD, t)
        wind = minus(plus(wind, cross(vector_in(row, at + SPIN), o)), od)
        if row[at + HEIGHT] != 0.0:
            height = math.sqrt(dot(o, o)) - row[at + RADIUS]
            density = math.exp(time_function(row, int(row[at + HEIGHT]), height)[0])
    return -0.5 * density, wind
