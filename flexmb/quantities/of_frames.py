"""Quantities of frames by their names: places, orientation, velocities and accelerations in the axes of the ground; and
of bodies with meshes, stresses at their nodes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from flexmb.bodies.stresses import COMPONENTS, needed_elasticity, stress_modes
from flexmb.kernels.blocks import Numbers
from flexmb.model.appearance import MeshPlace
from flexmb.model.orientations import axes_that_turn
from flexmb.quantities import formulas, spatial_formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.system.readings import EULER

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
#: what stands before the letter of an axis in the name of each vector in space, and its formula
_IN_SPACE: dict[str, Any] = {
    **dict(zip(("", "v", "a"), spatial_formulas.PLACE)),
    "w": spatial_formulas.ground_spin,
    "alpha_": spatial_formulas.ground_spin_up,
}
_IN_PLANE: dict[str, Any] = dict(zip(("", "v", "a"), formulas.PLANAR_PLACE))


def of_planar_frame(blocks: Sequence[Numbers], offset: Sequence[float], what: str) -> Quantity | None:
    """A quantity of a frame in the plane by the name that a track gives it, with the blocks of its node, and its offset
    (ux, uy [m], angle [rad]); None for other names."""
    ux, uy, angle = offset
    if what == "angle":
        return Quantity(formulas.coordinate, [blocks[1]], (1.0, 0.0), angle)
    if what == "angular_velocity":
        return Quantity(formulas.coordinate, [blocks[1]], (0.0, 1.0))
    if what == "angular_acceleration":
        return Quantity(formulas.second_rate, [blocks[1]], (1.0,))
    if what == "speed":
        return Quantity(formulas.planar_speed, blocks, (ux, uy))
    formula = _IN_PLANE.get(what[:-1])
    if formula is None or what[-1] not in "xy":
        return None
    return Quantity(formula, blocks, (ux, uy, *_AXES[what[-1]][:2]))


def turn_units() -> dict[str, str]:
    """What else can be asked of how a frame in space is turned, and its unit: 'rotation_x' of the rotation vector,
    'ZXZ1' of Euler angles, and 'ZXZ1 rate'.

    >>> units = turn_units()
    >>> len(units), units["ZXZ1"], units["xyz3 rate"]
    (147, 'rad', 'rad/s')
    """
    units = {f"rotation_{axis}": "rad" for axis in "xyz"}
    every = (*itertools.product("XYZ", repeat=3), *itertools.product("xyz", repeat=3))
    for sequence in ("".join((a, b, c)) for a, b, c in every if a != b != c):
        units |= {f"{sequence}{k}{what}": unit for k in "123" for what, unit in (("", "rad"), (" rate", "rad/s"))}
    return units


TURNS = turn_units()


def euler(blocks: Sequence[Numbers], sequence: str, number: int, *axes: Any, rate: bool = False) -> Quantity:
    """An Euler angle of a sequence, or its `rate`: of a frame with its `axes` on the node with the coordinates
    `blocks`, or against another one whose blocks and axes follow."""
    turning, order = axes_that_turn(sequence)
    row = [float(range(3)[order][number - 1]), *map(float, turning), *(e for of in axes for e in of)]
    if rate:
        return Quantity(spatial_formulas.euler_rate, blocks, row)
    return Quantity(spatial_formulas.euler_angle, blocks, row, rate=spatial_formulas.euler_rate, kind=EULER)


def of_frame(blocks: Sequence[Numbers], offset: Sequence[float], axes: Sequence[float], what: str) -> Quantity | None:
    """A quantity of a frame in space by the name that a track gives it, with the blocks of its node, its offset (3,)
    [m] and the quaternion (4,) of its axes on the node; None for other names."""
    if what in ("e0", "e1", "e2", "e3"):
        return Quantity(spatial_formulas.orientation, blocks, (*axes, float(what[1])))
    if what in TURNS:
        if what.startswith("rotation_"):
            return Quantity(spatial_formulas.rotation, blocks, (*axes, *_AXES[what[-1]]))
        return euler(blocks, what[:3], int(what[3]), axes, rate=what.endswith(" rate"))
    if what == "speed":
        return Quantity(spatial_formulas.speed, blocks, tuple(offset))
    formula = _IN_SPACE.get(what[:-1])
    if formula is None or what[-1] not in _AXES:
        return None
    return Quantity(formula, blocks, (*offset, *_AXES[what[-1]]))


def of_stress(mesh: MeshPlace, node: int, what: str, places: Places, where: str) -> Quantity | None:
    """A stress at a node of a mesh, 'stress_xx' or 'von_mises'; None for principal stresses, which are roots that take
    one another's place."""
    modes = [places.coordinate(name) for name in mesh.modes]
    own = stress_modes(needed_elasticity(mesh, where), len(modes)).nodal[node]
    if what == "von_mises":
        return Quantity(formulas.von_mises, modes, own.ravel())
    components = COMPONENTS[mesh.nodes.shape[1]]
    return Quantity(formulas.weighted_sum, modes, own[components.index(what)]) if what in components else None
