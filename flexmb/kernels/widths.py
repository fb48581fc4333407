"""How many numbers the kernels fill for one instance, and what they mean. The compiled loop, the checks, the
conformance suite, results and files all read this one table. It has a side for the plane and one for space, chosen by
the dimension, 2 or 3."""

from __future__ import annotations

from typing import NamedTuple


class Widths(NamedTuple):
    """What differs between the plane and space.

    `point`: names and units of the numbers of a point of an instance: position and orientation, their rates and second
    rates. `section`: those of the cross section at a point: strains, then forces. `rows`: number of rows of the
    Jacobian of a point, rates of its position and angular velocity. `position`, `orientation`, `rates` and
    `second_rates` are their slices in `point`; the properties give further slices.
    """

    point: dict[str, str]
    section: dict[str, str]
    rows: int
    position: slice
    orientation: slice
    rates: slice
    second_rates: slice

    @property
    def place(self) -> slice:
        """Slice of position and orientation."""
        return slice(0, self.orientation.stop)

    @property
    def velocity(self) -> slice:
        """Slice of the rates of the position."""
        return slice(self.rates.start, self.rates.start + self.position.stop)

    @property
    def angular_velocity(self) -> slice:
        """Slice of the angular velocity."""
        return slice(self.velocity.stop, self.rates.stop)

    @property
    def acceleration(self) -> slice:
        """Slice of the second rates of the position."""
        return slice(self.second_rates.start, self.second_rates.start + self.position.stop)

    @property
    def angular_acceleration(self) -> slice:
        """Slice of the angular acceleration."""
        return slice(self.acceleration.stop, self.second_rates.stop)


#: in the plane: a section has two strains and three forces
PLANE = Widths(
    {
        "x": "m",
        "y": "m",
        "angle": "rad",
        "vx": "m/s",
        "vy": "m/s",
        "angular_velocity": "rad/s",
        "ax": "m/s²",
        "ay": "m/s²",
        "angular_acceleration": "rad/s²",
    },
    {"strain": "–", "curvature": "1/m", "axial_force": "N", "shear_force": "N", "bending_moment": "Nm"},
    rows=3,
    position=slice(0, 2),
    orientation=slice(2, 3),
    rates=slice(3, 6),
    second_rates=slice(6, 9),
)
#: in space: the numbers of a point are in ground axes, its quaternion has the scalar part first; a section has six
#: strains and the six forces conjugate to them, in its own axes, x along the beam
SPACE = Widths(
    {
        **dict.fromkeys(("x", "y", "z"), "m"),
        **dict.fromkeys(("e0", "e1", "e2", "e3"), "–"),
        **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
        **dict.fromkeys(("wx", "wy", "wz"), "rad/s"),
        **dict.fromkeys(("ax", "ay", "az"), "m/s²"),
        **dict.fromkeys(("alpha_x", "alpha_y", "alpha_z"), "rad/s²"),
    },
    {
        **dict.fromkeys(("strain", "shear_y", "shear_z"), "–"),
        **dict.fromkeys(("twist", "curvature_y", "curvature_z"), "1/m"),
        **dict.fromkeys(("axial_force", "shear_force_y", "shear_force_z"), "N"),
        **dict.fromkeys(("torque", "bending_moment_y", "bending_moment_z"), "Nm"),
    },
    rows=6,
    position=slice(0, 3),
    orientation=slice(3, 7),
    rates=slice(7, 13),
    second_rates=slice(13, 19),
)
#: the sides of the table, by the dimension
SIDES = {2: PLANE, 3: SPACE}

#: energies and powers of an instance, with units
ENERGY = {
    "kinetic energy": "J",
    "strain energy": "J",
    "potential energy": "J",
    "dissipated power": "W",
    "input power": "W",
}

# compiled code reads numbers, not tables
ENERGY_WIDTH = len(ENERGY)
#: how many numbers a constraint row has: g, ġ, γ
CONSTRAINT_WIDTH = 3
#: largest number of switch functions of an instance
SWITCH_WIDTH = 2
#: numbers of a point, and rows of its Jacobian, for compiled elements of the plane and of space
POINT_WIDTH, POINT_ROWS = len(PLANE.point), PLANE.rows
SPATIAL_POINT_WIDTH, SPATIAL_POINT_ROWS = len(SPACE.point), SPACE.rows


def widths(speeds: int, rows: int, velocity_rows: int = 0, dimension: int = 2) -> dict[str, int]:
    """How many numbers of `out` each kernel fills for one instance with so many speeds and constraint rows, of which so
    many are velocity rows, in the plane (`dimension` 2) or in space (3).

    >>> widths(3, 2)  # doctest: +NORMALIZE_WHITESPACE
    {'residual': 3, 'tangent': 0, 'energy': 5, 'constraint': 6, 'jacobian': 6, 'point': 9, 'section': 5,
     'point_jacobian': 9, 'friction': 9, 'switches': 2, 'position': 2}
    >>> [widths(6, 0, dimension=3)[role] for role in ("point", "section", "point_jacobian")]
    [19, 12, 36]
    """
    side = SIDES[dimension]
    return {
        "residual": speeds,
        "tangent": 0,
        "energy": ENERGY_WIDTH,
        "constraint": CONSTRAINT_WIDTH * rows,
        "jacobian": rows * speeds * (2 if velocity_rows else 1),
        "point": len(side.point),
        "section": len(side.section),
        "point_jacobian": side.rows * speeds,
        "friction": speeds * (1 + rows),
        "switches": SWITCH_WIDTH,
        "position": rows,
    }
