"""How many numbers the kernels fill for one instance, and what they mean: the one table that the compiled loop, the
checks, the conformance suite, results and files read."""

from __future__ import annotations

#: a point of an instance: its place, its angle, and both rates of each; with units
POINT = {
    "x": "m",
    "y": "m",
    "angle": "rad",
    "vx": "m/s",
    "vy": "m/s",
    "angular_velocity": "rad/s",
    "ax": "m/s²",
    "ay": "m/s²",
    "angular_acceleration": "rad/s²",
}
#: the same in space: its place and the quaternion of its orientation, scalar first, and both rates of the place with
#: angular velocity and acceleration, all in the axes of the ground
SPATIAL_POINT = {
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("e0", "e1", "e2", "e3"), "–"),
    **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
    **dict.fromkeys(("wx", "wy", "wz"), "rad/s"),
    **dict.fromkeys(("ax", "ay", "az"), "m/s²"),
    **dict.fromkeys(("alpha_x", "alpha_y", "alpha_z"), "rad/s²"),
}
#: the cross section at a point: two strains, three forces; with units
SECTION = {"strain": "–", "curvature": "1/m", "axial_force": "N", "shear_force": "N", "bending_moment": "Nm"}
#: the same in space: six strains and the six forces that do work on them, in the axes of the section, x along the beam
SPATIAL_SECTION = {
    **dict.fromkeys(("strain", "shear_y", "shear_z"), "–"),
    **dict.fromkeys(("twist", "curvature_y", "curvature_z"), "1/m"),
    **dict.fromkeys(("axial_force", "shear_force_y", "shear_force_z"), "N"),
    **dict.fromkeys(("torque", "bending_moment_y", "bending_moment_z"), "Nm"),
}
#: energies and powers of an instance; with units
ENERGY = {
    "kinetic energy": "J",
    "strain energy": "J",
    "potential energy": "J",
    "dissipated power": "W",
    "input power": "W",
}

# compiled code knows numbers, not tables
POINT_WIDTH, SECTION_WIDTH, ENERGY_WIDTH = len(POINT), len(SECTION), len(ENERGY)
SPATIAL_POINT_WIDTH, SPATIAL_SECTION_WIDTH = len(SPATIAL_POINT), len(SPATIAL_SECTION)
#: numbers for each constraint row: g, ġ, γ
CONSTRAINT_WIDTH = 3

#: rows of the Jacobian of a point: the rates of its place and of its angle; in space those of its place and ω
POINT_ROWS, SPATIAL_POINT_ROWS = 3, 6

#: where in the row of a point its place with its angle stand, their rates and their second rates
PLACE, RATES, SECOND_RATES = slice(0, 3), slice(3, 6), slice(6, 9)
#: where its position stands, and the rates of that
POSITION, VELOCITY, ACCELERATION = slice(0, 2), slice(3, 5), slice(6, 8)
#: the same in space: position, quaternion, (ṙ, ω), (r̈, α)
SPATIAL_POSITION, QUATERNION = slice(0, 3), slice(3, 7)
SPATIAL_RATES, SPATIAL_SECOND_RATES = slice(7, 13), slice(13, 19)


def point_rows(dimension: int) -> int:
    """Rows of the Jacobian of a point, in the plane (2) or in space (3)."""
    return SPATIAL_POINT_ROWS if dimension == 3 else POINT_ROWS


def widths(speeds: int, rows: int, velocity_rows: int = 0, dimension: int = 2) -> dict[str, int]:
    """How many numbers of `out` each kernel fills for one instance with so many speeds and constraint rows, of which so
    many are velocity rows, in the plane or in space.

    >>> widths(3, 2)  # doctest: +NORMALIZE_WHITESPACE
    {'residual': 3, 'tangent': 0, 'energy': 5, 'constraint': 6, 'jacobian': 6, 'point': 9, 'section': 5,
     'point_jacobian': 9}
    >>> found = widths(6, 0, dimension=3)
    >>> found["point"], found["section"], found["point_jacobian"]
    (19, 12, 36)
    """
    space = dimension == 3
    return {
        "residual": speeds,
        "tangent": 0,
        "energy": ENERGY_WIDTH,
        "constraint": CONSTRAINT_WIDTH * rows,
        "jacobian": rows * speeds * (2 if velocity_rows else 1),
        "point": SPATIAL_POINT_WIDTH if space else POINT_WIDTH,
        "section": SPATIAL_SECTION_WIDTH if space else SECTION_WIDTH,
        "point_jacobian": point_rows(dimension) * speeds,
    }
