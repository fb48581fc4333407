"""Quantities of what the system has to find (:mod:`flexmb.quantities.given`): forces of joints, sections of beams, the
mechanism as a whole. Their formulas read it in the place of accelerations, as `f`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import inlined
from flexmb.kernels.formula import formula
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import cross, dot, minus, times, vector_in
from flexmb.kernels.widths import SIDES
from flexmb.quantities.formulas import part_of_given
from flexmb.quantities.given import AlongBeam, Energies, NodeForce, Whole
from flexmb.quantities.quantity import Quantity
from flexmb.system.whole import (
    ACROSS_X,
    ACROSS_Y,
    FORCE,
    FORCES,
    LOAD,
    LOAD_TORQUE,
    LOADS,
    MASS,
    MOMENT,
    MOMENTA,
    MOMENTUM,
    TORQUE,
    WEIGHT,
    WIDTH,
)

#: what can be asked of the whole by name, with its unit: "whole.center_of_mass.x", in the plane "whole.moment"
VECTORS = {"center_of_mass": "m", "velocity": "m/s", "momentum": "kg m/s", "force": "N", "load": "N", "zmp": "m"}
TURNING = {"angular_momentum": "kg m²/s", "moment": "Nm"}
#: where vectors of the whole begin among its numbers
_FIRST = {
    "center_of_mass": MOMENT, "velocity": MOMENTUM, "momentum": MOMENTUM, "force": FORCE, "load": LOAD,
    "angular_momentum": MOMENTUM, "moment": FORCE,
}  # fmt: skip
#: what has to be found of the whole for each
_USED = {
    "mass": WEIGHT, "center_of_mass": ACROSS_X | ACROSS_Y, "velocity": MOMENTA | WEIGHT, "momentum": MOMENTA,
    "force": FORCES, "load": LOADS, "angular_momentum": MOMENTA | ACROSS_X | ACROSS_Y,
    "moment": FORCES | ACROSS_X | ACROSS_Y,
}  # fmt: skip
#: energies of an instant, of kinetic, strain and potential energy
ENERGY_SUMS: dict[str, tuple[float, ...]] = {
    "kinetic": (1.0, 0.0, 0.0), "strain": (0.0, 1.0, 0.0), "potential": (0.0, 0.0, 1.0), "total": (1.0, 1.0, 1.0),
}  # fmt: skip
#: a force that presses less than this part of the weight is none: its line has no point on the floor
LEAST = 1e-9


@formula
def size_of_force(row, iq, iv, t, q, v, f):
    return math.sqrt(f[0] * f[0] + f[1] * f[1] + row[0] * f[2] * f[2])


@formula
def planar_force(row, iq, iv, t, q, v, f):
    c, s = math.cos(q[iq[2]]), math.sin(q[iq[2]])
    return (c * row[0] - s * row[1]) * f[0] + (s * row[0] + c * row[1]) * f[1]


@formula
def planar_moment(row, iq, iv, t, q, v, f):
    c, s = math.cos(q[iq[2]]), math.sin(q[iq[2]])
    return f[2] - (c * row[0] - s * row[1]) * f[1] + (s * row[0] + c * row[1]) * f[0]


@inlined
def _moment(row, q, iq, f):
    """The moment about the origin of a frame with the arm row[0:3], in ground axes."""
    R = quaternion_at(q, iq, 3)
    return minus(turned(R, vector_in(f, 3)), cross(turned(R, vector_in(row, 0)), vector_in(f, 0)))


@formula
def force_along(row, iq, iv, t, q, v, f):
    return dot(vector_in(f, 0), turned(quaternion_at(q, iq, 3), vector_in(row, 0)))


@formula
def moment_in_ground(row, iq, iv, t, q, v, f):
    return dot(_moment(row, q, iq, f), vector_in(row, 3))


@formula
def moment_along(row, iq, iv, t, q, v, f):
    return dot(_moment(row, q, iq, f), turned(quaternion_at(q, iq, 10), vector_in(row, 3)))


@formula
def size_of_moment(row, iq, iv, t, q, v, f):
    moment = _moment(row, q, iq, f)
    return math.sqrt(dot(moment, moment))


def force_part(
    given: NodeForce,
    b: Sequence[Numbers],
    arm: Sequence[float],
    e: Sequence[float],
    moment: bool,
    axes_of: Sequence[Numbers] | None = None,
) -> Quantity:
    """The part along e of a force on a frame, or of its moment about the frame's origin. The frame has its `arm` on the
    node with the coordinates b; e is fixed to the node with the coordinates `axes_of`, to the ground if none are
    given; in the plane moments are about z."""
    still = axes_of is None
    if len(b[-1].q) == 1:
        if moment:
            return Quantity(planar_moment, b, arm[:2], given=given)
        return Quantity(part_of_given if still else planar_force, axes_of or [], e, given=given)
    if not moment:
        return Quantity(part_of_given if still else force_along, axes_of or [], e, given=given)
    blocks = [*b, *(axes_of or [])]
    return Quantity(moment_in_ground if still else moment_along, blocks, (*arm, *e), given=given)


def force_size(given: NodeForce, b: Sequence[Numbers], arm: Sequence[float], moment: bool) -> Quantity:
    """The size of a force on a frame, in space that of its moment too."""
    if moment:
        return Quantity(size_of_moment, b, arm, given=given)
    return Quantity(size_of_force, [], [float(len(b[-1].q) > 1)], given=given)


def of_section(dimension: int, beam: str, s: float, factors: dict[str, float]) -> Quantity:
    """A sum of strains and forces of the section at the point s of a beam, by their names, with some factors."""
    row = [factors.get(name, 0.0) for name in SIDES[dimension].section]
    return Quantity(part_of_given, [], row, given=AlongBeam(beam, s, True, dimension == 3))


def of_point(dimension: int, beam: str, s: float, what: str) -> Quantity | None:
    """A number of the motion of the point s of a beam by the name that a track gives it; None for other names."""
    columns = list(SIDES[dimension].point)
    if what not in columns:
        return None
    row = np.eye(len(columns))[columns.index(what)]
    return Quantity(part_of_given, [], row, given=AlongBeam(beam, s, False, dimension == 3))


def of_energy(what: str) -> Quantity:
    """A sum of energies of the mechanism by its name, one of :data:`ENERGY_SUMS`."""
    return Quantity(part_of_given, [], ENERGY_SUMS[what], given=Energies())


@formula
def per_mass(row, iq, iv, t, q, v, f):
    return dot(vector_in(row, 0), vector_in(f, int(row[3]))) / f[MASS]


@formula
def about_center(row, iq, iv, t, q, v, f):
    first = int(row[3])
    center = times(1.0 / f[MASS], vector_in(f, MOMENT))
    return dot(vector_in(row, 0), minus(vector_in(f, first + 3), cross(center, vector_in(f, first))))


@formula
def zero_moment_point(row, iq, iv, t, q, v, f):
    up, force = vector_in(row, 3), minus(vector_in(f, FORCE), vector_in(f, LOAD))
    pressing = dot(up, force)
    if not pressing > row[6] * f[MASS]:
        return math.nan
    return dot(vector_in(row, 0), cross(up, minus(vector_in(f, TORQUE), vector_in(f, LOAD_TORQUE)))) / pressing


def of_whole(gravity: Sequence[float] | np.ndarray, what: str) -> Quantity:
    """A number of the mechanism as a whole by its name, one of :func:`whole_units`."""
    vector, _, axis = what.partition(".")
    e = np.eye(3)["xyz".index(axis) if axis else 2]  # in the plane moments are about z
    if vector == "zmp":
        g = np.zeros(3)
        g[: len(gravity)] = gravity
        size = float(np.linalg.norm(g))
        return Quantity(zero_moment_point, [], (*e, *(-g / size), LEAST * size), given=Whole(FORCES | LOADS | WEIGHT))
    if vector in ("mass", "momentum", "force", "load"):
        row = np.zeros(WIDTH)
        if vector == "mass":
            row[MASS] = 1.0
        else:
            row[_FIRST[vector] : _FIRST[vector] + 3] = e
        return Quantity(part_of_given, [], row, given=Whole(_USED[vector]))
    of: Any = about_center if vector in TURNING else per_mass
    used = _USED[vector]
    if vector == "center_of_mass":
        used = WEIGHT | (ACROSS_Y if axis == "x" else ACROSS_X)
    elif vector in TURNING and axis == "x":
        used &= ~ACROSS_Y  # it has no arm along x
    return Quantity(of, [], (*e, float(_FIRST[vector])), given=Whole(used))


def whole_units(dimension: int) -> dict[str, str]:
    """The names of all numbers of the whole, and their units.

    >>> list(whole_units(2))[:3], whole_units(2)["angular_momentum"]
    (['mass', 'center_of_mass.x', 'center_of_mass.y'], 'kg m²/s')
    """
    axes = "xyz"[:dimension]
    units = {"mass": "kg"} | {f"{what}.{axis}": unit for what, unit in VECTORS.items() for axis in axes}
    if dimension == 2:
        return units | TURNING
    return units | {f"{what}.{axis}": unit for what, unit in TURNING.items() for axis in axes}
