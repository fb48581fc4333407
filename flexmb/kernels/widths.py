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
#: a point of an instance in space: its place, its orientation (a quaternion, scalar first), and both rates of each, all
#: in the axes of the ground; with units
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
SPATIAL_POINT_WIDTH = len(SPATIAL_POINT)
#: numbers for each constraint row: g, ġ, γ
CONSTRAINT_WIDTH = 3

#: rows of the Jacobian of a point: the rates of its place and of its angle
POINT_ROWS = 3

#: where in the row of a point its place with its angle stand, their rates and their second rates
PLACE, RATES, SECOND_RATES = slice(0, 3), slice(3, 6), slice(6, 9)
#: where its position stands, and the rates of that
POSITION, VELOCITY, ACCELERATION = slice(0, 2), slice(3, 5), slice(6, 8)


def widths(coordinates: int, rows: int, velocity_rows: int = 0) -> dict[str, int]:
    """How many numbers of `out` each kernel fills for one instance with so many coordinates and constraint rows, of
    which so many are velocity rows.

    >>> widths(3, 2)  # doctest: +NORMALIZE_WHITESPACE
    {'residual': 3, 'tangent': 0, 'energy': 5, 'constraint': 6, 'jacobian': 6, 'point': 9, 'section': 5,
     'point_jacobian': 9}
    """
    return {
        "residual": coordinates,
        "tangent": 0,
        "energy": ENERGY_WIDTH,
        "constraint": CONSTRAINT_WIDTH * rows,
        "jacobian": rows * coordinates * (2 if velocity_rows else 1),
        "point": POINT_WIDTH,
        "section": SECTION_WIDTH,
        "point_jacobian": POINT_ROWS * coordinates,
    }
