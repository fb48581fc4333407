"""Quantities of joints by their names, in plane and space alike: coordinates, b against a, and their two rates.

With the axes of the joint on a and on b, M = R_aᵀ R_b, and ω that of b against a in the axes of a, α = ω̇ there:

    place        d = R_aᵀ (r_b − r_a),   ḋ,   d̈;   `position` is along the axis: d_z in space, d_x in the plane
    angle        atan2(M_yx, M_xx),   ω_z,   α_z;   in the plane θ_b − θ_a, which counts all turns
    of a cross   u = z of a, w = z of b, c = u · w:   angle1 = atan2(M_yz, M_xz),   angle2 = −atan2(M_zy, M_zx)
                 their rates (ω · u − c ω · w)/(1 − c²) and (ω · w − c ω · u)/(1 − c²), by the reciprocal vectors
    rx, ry, rz   the rotation vector of M, of half a turn at most; wx, wy, wz are ω, and alpha_x, alpha_y, alpha_z are α

An orientation says angles up to whole turns. A joint that counts them has a coordinate of its own, from which `angle`
is then read, and its rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flexmb.kernels.rotations import product
from flexmb.model.appearance import JOINT_COORDINATES, JointPlace
from flexmb.quantities import families
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity

#: coordinates of joints that are angles
ANGLES = ("angle", "angle1", "angle2")
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
            return Quantity(families.COORDINATE, [own], (float(order == 0), float(order == 1)))
        blocks = [*places.blocks(self.b), *places.blocks(self.a)]
        return self._in_space(coordinate, order, blocks) if self.on_a else self._in_plane(coordinate, order, blocks)

    def asked(self, what: str) -> tuple[str, int]:
        """The coordinate that a name means, and the order of the rate."""
        if what in ("rate", "acceleration"):
            return self.place.coordinates[0], 1 if what == "rate" else 2
        return next((x, _names_of(x).index(what)) for x in self.place.coordinates if what in _names_of(x))

    def vector(self, k: int, order: int, places: Places) -> Quantity:
        """Component k of the rotation vector of b against a in space, of the angular velocity (`order` 1) or of the
        angular acceleration (2)."""
        row = (*self._row_in_space(), float(k))
        return Quantity(families.JOINT_TURN[order], [*places.blocks(self.b), *places.blocks(self.a)], row)

    def _in_plane(self, coordinate: str, order: int, blocks: list[Any]) -> Quantity:
        (axis,), (axis_b,) = self.place.axes_a, self.place.axes_b
        if coordinate == "angle":
            both = [blocks[1], blocks[3]]
            if order == 2:
                return Quantity(families.TWO_SECOND_RATES, both, (1.0, -1.0))
            x, v = float(order == 0), float(order == 1)
            zero = self.offset_b[2] - self.offset_a[2] + (axis_b - axis)
            return Quantity(families.TWO_COORDINATES, both, (x, v, -x, -v), x * zero)
        turn = self.offset_a[2] + axis
        row = (*self.offset_b[:2], *self.offset_a[:2], math.cos(turn), math.sin(turn))
        return Quantity(families.SLIDE[order], blocks, row)

    def _row_in_space(self) -> tuple[float, ...]:
        axes = *product(self.on_b, self.place.axes_b), *product(self.on_a, self.place.axes_a)
        return (*self.offset_b, *self.offset_a, *axes)

    def _in_space(self, coordinate: str, order: int, blocks: list[Any]) -> Quantity:
        row = self._row_in_space()
        if coordinate in SPINS:
            return Quantity(families.JOINT_TURN[order], blocks, (*row, float("xyz".index(coordinate[1]))))
        if coordinate in ANGLES:
            rate = families.JOINT_ANGLE[1] if order == 0 else None
            return Quantity(families.JOINT_ANGLE[order], blocks, (*row, float(ANGLES.index(coordinate))), rate=rate)
        which = 2 if coordinate == "position" else "xyz".index(coordinate)
        return Quantity(families.JOINT_PLACE[order], blocks, (*row, float(which)))
