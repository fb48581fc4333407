"""Quantities of joints by their names, in plane and space alike: coordinates, b against a, and their two rates.

With the axes of the joint on a and on b, M = R_aᵀ R_b, and ω that of b against a in the axes of a, α = ω̇ there:

    place        d = R_aᵀ (r_b − r_a),   ḋ,   d̈;   `position` is along the axis: d_z in space, d_x in the plane
    angle        atan2(M_yx, M_xx),   ω_z,   α_z;   in the plane θ_b − θ_a, which counts all turns
    of a cross   angle1 = atan2(M_yz, M_xz), of z of b between x and y of a;   angle2 = −atan2(M_zy, M_zx), of z of a
                 between x and y of b;   with their rates
    rx, ry, rz   the rotation vector of M, of half a turn at most; wx, wy, wz are ω, and alpha_x, alpha_y, alpha_z are α

    effort       what the components between the two bodies do along a coordinate: their force on b along the axis, or
                 their moment about it, at the origin of b. These are drives, springs, motors, friction, stops …; the
                 joint's own rows do no work along its coordinates, and count in its reaction alone. With m the moment
                 on b, of a cross m · u and m · w, of rx, ry, rz the parts of m in the axes of the joint on a. The
                 effort of a spring, a motor or a drive is its own

An orientation says angles up to whole turns. A joint that counts them has a coordinate of its own, from which `angle`
is then read, and its rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.kernels.rotations import product, turned
from flexmb.kernels.vectors import times
from flexmb.model.appearance import JOINT_COORDINATES, JointPlace, PairPlace
from flexmb.model.spatial_frames import axes_about
from flexmb.quantities import formulas, spatial_formulas
from flexmb.quantities.given import NodeForce
from flexmb.quantities.of_frames import TURNS, euler
from flexmb.quantities.of_system import force_part, force_size
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity

#: stands for what acts along a coordinate, where a number says the order of its rate
EFFORT = 3
#: names in a joint with one coordinate
ALONE = {"rate": 1, "acceleration": 2, "effort": EFFORT}
#: coordinates of joints that are places, and those that are angles
LENGTHS = ("position", "x", "y", "z")
ANGLES = ("angle", "angle1", "angle2")
#: what can be asked of a spring, a rod or a rope, with its unit: the distance between its ends, its rate, its excess
#: over the free length, and the force with which it pulls them together
LINE = {"length": "m", "length_rate": "m/s", "elongation": "m", "tension": "N"}
_UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
#: what rates and second rates of rotation vectors are called, which are those of angular velocities
SPINS = {"rx": "wx", "ry": "wy", "rz": "wz"}
SPIN_UPS = {"rx": "alpha_x", "ry": "alpha_y", "rz": "alpha_z"}


def joint_units(place: JointPlace) -> dict[str, str]:
    """The unit of every quantity of a joint: its coordinates, their rates and accelerations, and what acts along them;
    `rate`, `acceleration` and `effort`, if there is one only.

    >>> [f"{name} [{unit}]" for name, unit in joint_units(JointPlace((), (), ("angle",))).items()][:4]
    ['angle [rad]', 'angle_rate [rad/s]', 'angle_acceleration [rad/s²]', 'angle_effort [Nm]']
    >>> [f"{name} [{unit}]" for name, unit in joint_units(JointPlace((), (), ("position",))).items()][4:]
    ['rate [m/s]', 'acceleration [m/s²]', 'effort [N]']
    """
    units: dict[str, str] = {}
    for name in (*place.coordinates, *place.acts):
        own = *JOINT_COORDINATES[name], "N" if name in LENGTHS else "Nm"
        first = 0 if name in place.coordinates else EFFORT
        units |= dict(zip(_names_of(name)[first:], own[first:]))
        if len(place.acts or place.coordinates) == 1:
            units |= {what: own[order] for what, order in ALONE.items() if order >= first}
    return units


def line_units(pair: PairPlace) -> dict[str, str]:
    """The unit of every quantity of what pulls along the line between two frames; none of other pairs."""
    if pair.line is None:
        return {}
    return {what: unit for what, unit in LINE.items() if pair.line or what != "elongation"}


def _names_of(coordinate: str) -> tuple[str, str, str, str]:
    """The names of a coordinate, of its rate, of its second rate, and of what acts along it."""
    rate, second = SPINS.get(coordinate, f"{coordinate}_rate"), SPIN_UPS.get(coordinate, f"{coordinate}_acceleration")
    return coordinate, rate, second, f"{coordinate}_effort"


#: the coordinate of a joint that a number of the motion against a frame is, and the order of its rate
_SEEN = {
    2: {
        **{f"{letter}{axis}": (axis, order) for axis in "xy" for order, letter in enumerate(("", "v", "a"))},
        "angle": ("angle", 0), "angular_velocity": ("angle", 1), "angular_acceleration": ("angle", 2),
    },
    3: {
        **{f"{letter}{axis}": (axis, order) for axis in "xyz" for order, letter in enumerate(("", "v", "a"))},
        **{f"{word}{axis}": (f"r{axis}", k) for axis in "xyz" for k, word in enumerate(("rotation_", "w", "alpha_"))},
    },
}  # fmt: skip
#: the axes of frames themselves
OWN_AXES = {2: JointPlace((0.0,), (0.0,)), 3: JointPlace((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))}


@dataclass(frozen=True)
class JointFrames:
    """A joint and its frames as quantities need them: the `name` and the place `pair` of a component between the frames
    a and b, which may be frames or their names, and their offsets on their nodes: in the plane (ux, uy [m], angle
    [rad]), in space (3,) [m] with the quaternions (4,) of their axes, `on_a` and `on_b`."""

    name: str
    pair: PairPlace
    a: Any
    b: Any
    offset_a: tuple[float, ...]
    offset_b: tuple[float, ...]
    on_a: tuple[float, ...] = ()
    on_b: tuple[float, ...] = ()

    @property
    def place(self) -> JointPlace:
        """The axes of the joint, and what is measured in them."""
        assert self.pair.joint is not None
        return self.pair.joint

    def quantity(self, what: str, places: Places) -> Quantity:
        """A quantity by its name, one of :func:`joint_units`."""
        coordinate, order = self.asked(what)
        if order == EFFORT:
            return self._effort(coordinate, places)
        if coordinate == "angle" and self.place.counted and order < 2:
            own = places.coordinate(self.place.counted)
            return Quantity(formulas.coordinate, [own], (float(order == 0), float(order == 1)))
        return (self._in_space if self.on_a else self._in_plane)(coordinate, order, places)

    def reaction(self, what: str, places: Places) -> Quantity:
        """The force of the joint on b in ground axes, or its moment about the origin of b, by their names: fx, …, mx,
        …, in the plane moment; and their sizes, force and in space moment."""
        moment = what[0] == "m"
        blocks, given = places.blocks(self.b), self.force_on_b()
        if what == "force" or (what == "moment" and self.on_a):
            return force_size(given, blocks, self.offset_b, moment)
        e = _UNIT[0] if what == "moment" else _UNIT["xyz".index(what[1])]
        return force_part(given, blocks, self.offset_b, e if self.on_a else e[:2], moment)

    def reaction_along(self, direction: Any, moment: bool, places: Places) -> Quantity:
        """The part of that force, or of that moment, along a direction in the axes of the joint that turns with a: in
        space (3,), in the plane an angle [rad] from the axis of the joint."""
        if self.on_a:
            e = np.asarray(direction) @ self.axes_on_a
        else:
            e = np.array([math.cos(direction), math.sin(direction)]) @ self.axes_on_a
        blocks, axes_of = places.blocks(self.b), places.blocks(self.a)
        return force_part(self.force_on_b(), blocks, self.offset_b, tuple(e), moment, axes_of)

    @property
    def axes_on_a(self) -> np.ndarray:
        """The unit vectors (d, d) of the axes of the joint, or of a component about an axis, on the node of a, one in
        each row."""
        if not self.on_a:
            turn = self.offset_a[2] + (self.pair.axis or 0.0)  # type: ignore[operator]
            return np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        own = axes_about(*self.pair.axis) if self.pair.joint is None else self.pair.joint.axes_a  # type: ignore[misc]
        return np.array([turned(product(self.on_a, own), e) for e in _UNIT])

    def force_on_b(self, along: bool = False) -> NodeForce:
        """The force on the node of frame b; `along`: of all that acts along its coordinates."""
        return NodeForce(self.name, self.b if isinstance(self.b, str) else self.b.name, along, bool(self.on_a))

    def line(self, what: str, places: Places) -> Quantity:
        """A quantity along the line between the origins of both frames by its name, one of :data:`LINE`."""
        of = spatial_formulas.LINE if self.on_a else formulas.PLANAR_LINE
        d = 3 if self.on_a else 2
        blocks, row = [*places.blocks(self.b), *places.blocks(self.a)], [*self.offset_b[:d], *self.offset_a[:d]]
        if what == "tension":
            return Quantity(of[2], blocks, row, given=self.force_on_b())
        free = self.pair.line[0] if what == "elongation" and self.pair.line else 0.0
        return Quantity(of[int(what == "length_rate")], blocks, row, -free)

    def own_effort(self, coordinate: str, places: Places) -> Quantity:
        """The force or moment of a stop along the coordinate of a joint that it limits."""
        return self._effort(coordinate, places, False)

    def _effort(self, coordinate: str, places: Places, along: bool | None = None) -> Quantity:
        """What acts along a coordinate: the power of its forces for a unit rate of the coordinate."""
        blocks, axes_of, moment = places.blocks(self.b), places.blocks(self.a), coordinate not in LENGTHS
        given = self.force_on_b(coordinate not in self.place.acts if along is None else along)
        if not self.on_a:
            e: tuple[float, ...] = self._direction(coordinate)
            return force_part(given, blocks, self.offset_b, e, moment, axes_of)
        axes_b, axes_a = self._axes()
        which = "xyz".index(coordinate[-1]) if coordinate[-1] in "xyz" else 2
        e = turned(axes_a, _UNIT[which])
        if coordinate == "angle2":  # about the axis of b
            e, axes_of = turned(axes_b, _UNIT[2]), blocks
        return force_part(given, blocks, self.offset_b, e, moment, axes_of)

    def _direction(self, coordinate: str) -> tuple[float, float]:
        """The direction in the plane of a coordinate of the joint, on the node of a."""
        turn = self.offset_a[2] + self.place.axes_a[0]
        c, s = math.cos(turn), math.sin(turn)
        return (-s, c) if coordinate == "y" else (c, s)

    def seen(self, what: str, places: Places) -> Quantity | None:
        """A number of the motion of the frame b as an observer on a sees it, in the axes of a, by the name that a track
        gives it; None for other names."""
        blocks, d = [*places.blocks(self.b), *places.blocks(self.a)], 3 if self.on_a else 2
        if what == "speed":
            of = spatial_formulas.seen_speed if self.on_a else formulas.planar_seen_speed
            return Quantity(of, blocks, (*self.offset_b[:d], *self.offset_a[:d]))
        if not self.on_a:
            coordinate, order = _SEEN[2].get(what, ("", 0))
            return self._in_plane(coordinate, order, places) if coordinate else None
        if what in ("e0", "e1", "e2", "e3"):
            return Quantity(spatial_formulas.seen_orientation, blocks, (float(what[1]), *self.on_b, *self.on_a))
        if what in TURNS and not what.startswith("rotation_"):
            return euler(blocks, what[:3], int(what[3]), self.on_b, self.on_a, rate=what.endswith(" rate"))
        coordinate, order = _SEEN[3].get(what, ("", 0))
        return self._in_space(coordinate, order, places) if coordinate else None

    def asked(self, what: str) -> tuple[str, int]:
        """The coordinate that a name means, and the order of its rate, or EFFORT."""
        every = (*self.place.coordinates, *self.place.acts)
        if what in ALONE:
            return every[0], ALONE[what]
        return next((x, _names_of(x).index(what)) for x in every if what in _names_of(x))

    def vector(self, k: int, order: int, places: Places) -> Quantity:
        """Component k of the rotation vector of b against a in space, of the angular velocity (`order` 1) or of the
        angular acceleration (2)."""
        blocks, axes_b, axes_a = [*places.blocks(self.b), *places.blocks(self.a)], *self._axes()
        row = turned(axes_a, _UNIT[k]) if order else (*_UNIT[k], *axes_b, *axes_a)
        return Quantity(spatial_formulas.TURN[order], blocks, row)

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
        row = (*self.offset_b[:2], *self.offset_a[:2], *self._direction(coordinate))
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
            of = spatial_formulas.HINGE if coordinate == "angle" else spatial_formulas.CROSS
            row = (*a[2], *b[0 if coordinate == "angle" else 2], *a[0], *a[1])
            if coordinate == "angle2":  # that of the axis of a as b sees it
                blocks_a, blocks_b, row = blocks_b, blocks_a, (*b[2], *a[2], *b[0], *times(-1.0, b[1]))
            return Quantity(of[order], [*blocks_b, *blocks_a], row, rate=of[1] if order == 0 else None)
        along = a[2 if coordinate == "position" else "xyz".index(coordinate)]
        row = (*self.offset_b, *self.offset_a, *along)
        return Quantity(spatial_formulas.JOINT_PLACE[order], [*blocks_b, *blocks_a], row)
