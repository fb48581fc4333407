"""Quantities of joints by their names, in plane and space alike: coordinates, b against a, and their two rates.

With the axes of the joint on a and on b, M = R_aᵀ R_b, and ω that of b against a in the axes of a, α = ω̇ there:

    place        d = R_aᵀ (r_b − r_a),   ḋ,   d̈;   `position` is along the axis: d_z in space, d_x in the plane
    angle        atan2(M_yx, M_xx),   ω_z,   α_z;   in the plane θ_b − θ_a, which counts all turns
    of a cross   angle1 = atan2(M_yz, M_xz), of z of b between x and y of a;   angle2 = −atan2(M_zy, M_zx), of z of a
                 between x and y of b;   with their rates
    rx, ry, rz   the rotation vector of M, of half a turn at most; wx, wy, wz are ω, and alpha_x, alpha_y, alpha_z are α

An orientation says angles up to whole turns. A joint that counts them has a coordinate of its own, from which `angle`
is then read, and its rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flexmb.kernels.rotations import product, turned
from flexmb.kernels.vectors import times
from flexmb.model.appearance import JOINT_COORDINATES, JointPlace
from flexmb.quantities import formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity

#: coordinates of joints that are angles
ANGLES = ("angle", "angle1", "angle2")
_UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
#: what rates and second rates of rotation vectors are called, which are those of angular velocities
SPINS = {"rx": "wx", "ry": "wy", "rz": "wz"}
SPIN_UPS = {"rx": "alpha_x", "ry": "alpha_y", "rz": "alpha_z"}


def joint_units(place: JointPlace) -> dict[str, str]:
    """The unit of every quantity of a joint: its coordinates, their rates and accelerations; `rate` and `acceleration`,
    if there is one only.

    >>> [f"{name} [{unit}]" for name, unit in joint_units(JointPlace((), (), ("angle",))).items()]
    ['angle [rad]', 'angle_rate [rad/s]', 'angle_acceleration [rad/s²]', 'rate [rad/s]', 'acceleration [rad/s²]']
    """
    units: dict[str, str] = {}
    for name in place.coordinates:
        units |= dict(zip(_names_of(name), JOINT_COORDINATES[name]))
    if len(place.coordinates) == 1:
        units |= dict(zip(("rate", "acceleration"), JOINT_COORDINATES[place.coordinates[0]][1:]))
    return units


def _names_of(coordinate: str) -> tuple[str, str, str]:
    """The names of a coordinate, of its rate and of its second rate."""
    rate, second = SPINS.get(coordinate, f"{coordinate}_rate"), SPIN_UPS.get(coordinate, f"{coordinate}_acceleration")
    return coordinate, rate, second


@dataclass(frozen=True)
class JointFrames:
    """A joint and its frames as quantities need them: `place` of the joint, the frames `a` and `b` or their names, and
    their offsets on their nodes: in the plane (ux, uy [m], angle [rad]), in space (3,) [m] with the quaternions (4,) of
    their axes, `on_a` and `on_b`."""

    place: JointPlace
    a: Any
    b: Any
    offset_a: tuple[float, ...]
    offset_b: tuple[float, ...]
    on_a: tuple[float, ...] = ()
    on_b: tuple[float, ...] = ()

    def quantity(self, what: str, places: Places) -> Quantity:
        """A quantity by its name, one of :func:`joint_units`."""
        coordinate, order = self.asked(what)
        if coordinate == "angle" and self.place.counted and order < 2:
            own = places.coordinate(self.place.counted)
            return Quantity(formulas.coordinate, [own], (float(order == 0), float(order == 1)))
        return (self._in_space if self.on_a else self._in_plane)(coordinate, order, places)

    def asked(self, what: str) -> tuple[str, int]:
        """The coordinate that a name means, and the order of the rate."""
        if what in ("rate", "acceleration"):
            return self.place.coordinates[0], 1 if what == "rate" else 2
        return next((x, _names_of(x).index(what)) for x in self.place.coordinates if what in _names_of(x))

    def vector(self, k: int, order: int, places: Places) -> Quantity:
        """Component k of the rotation vector of b against a in space, of the angular velocity (`order` 1) or of the
        angular acceleration (2)."""
        blocks, axes_b, axes_a = [*places.blocks(self.b), *places.blocks(self.a)], *self._axes()
        row = turned(axes_a, _UNIT[k]) if order else (*_UNIT[k], *axes_b, *axes_a)
        return Quantity(formulas.TURN[order], blocks, row)

    def _in_plane(self, coordinate: str, order: int, places: Places) -> Quantity:
        blocks = [*places.blocks(self.b), *places.blocks(self.a)]
        (axis,), (axis_b,) = self.place.axes_a, self.place.axes_b
        if coordinate == "angle":
            both = [blocks[1], blocks[3]]
            if order == 2:
                return Quantity(formulas.two_second_rates, both, (1.0, -1.0))
            x, v = float(order == 0), float(order == 1)
            zero = self.offset_b[2] - self.offset_a[2] + (axis_b - axis)
            return Quantity(formulas.two_coordinates, both, (x, v, -x, -v), x * zero)
        turn = self.offset_a[2] + axis
        row = (*self.offset_b[:2], *self.offset_a[:2], math.cos(turn), math.sin(turn))
        return Quantity(formulas.SLIDE[order], blocks, row)

    def _axes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The axes of the joint on the nodes of b and a."""
        return product(self.on_b, self.place.axes_b), product(self.on_a, self.place.axes_a)

    def _in_space(self, coordinate: str, order: int, places: Places) -> Quantity:
        if coordinate in SPINS:
            return self.vector("xyz".index(coordinate[1]), order, places)
        blocks_b, blocks_a = places.blocks(self.b), places.blocks(self.a)
        b, a = ([turned(axes, e) for e in _UNIT] for axes in self._axes())
        if coordinate in ANGLES:
            of = formulas.HINGE if coordinate == "angle" else formulas.CROSS
            row = (*a[2], *b[0 if coordinate == "angle" else 2], *a[0], *a[1])
            if coordinate == "angle2":  # that of the axis of a as b sees it
                blocks_a, blocks_b, row = blocks_b, blocks_a, (*b[2], *a[2], *b[0], *times(-1.0, b[1]))
            return Quantity(of[order], [*blocks_b, *blocks_a], row, rate=of[1] if order == 0 else None)
        along = a[2 if coordinate == "position" else "xyz".index(coordinate)]
        row = (*self.offset_b, *self.offset_a, *along)
        return Quantity(formulas.JOINT_PLACE[order], [*blocks_b, *blocks_a], row)
