"""Quantities of frames by their names: places, orientation, velocities and accelerations in the axes of the ground."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.quantities import families
from flexmb.quantities.quantity import Quantity

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
#: what stands before the letter of an axis in the name of each vector in space, and its family
_IN_SPACE: dict[str, Kernels] = {
    "": families.PLACE[0], "v": families.PLACE[1], "a": families.PLACE[2], "w": families.GROUND_SPIN,
    "alpha_": families.GROUND_SPIN_UP,
}  # fmt: skip
_IN_PLANE: dict[str, Kernels] = dict(zip(("", "v", "a"), families.PLANAR_PLACE))


def of_planar_frame(blocks: Sequence[Numbers], offset: Sequence[float], what: str) -> Quantity | None:
    """A quantity of a frame in the plane by the name that a track gives it, with the blocks of its node, and its offset
    (ux, uy [m], angle [rad]); None for other names."""
    ux, uy, angle = offset
    if what == "angle":
        return Quantity(families.COORDINATE, [blocks[1]], (1.0, 0.0), angle)
    if what == "angular_velocity":
        return Quantity(families.COORDINATE, [blocks[1]], (0.0, 1.0))
    if what == "angular_acceleration":
        return Quantity(families.SECOND_RATE, [blocks[1]], (1.0,))
    if what == "speed":
        return Quantity(families.PLANAR_SPEED, blocks, (ux, uy))
    family = _IN_PLANE.get(what[:-1])
    if family is None or what[-1] not in "xy":
        return None
    return Quantity(family, blocks, (ux, uy, *_AXES[what[-1]][:2]))


def of_frame(blocks: Sequence[Numbers], offset: Sequence[float], axes: Sequence[float], what: str) -> Quantity | None:
    """A quantity of a frame in space by the name that a track gives it, with the blocks of its node, its offset (3,)
    [m] and the quaternion (4,) of its axes on the node; None for other names."""
    if what in ("e0", "e1", "e2", "e3"):
        return Quantity(families.ORIENTATION, blocks, (*axes, float(what[1])))
    if what == "speed":
        return Quantity(families.SPEED, blocks, tuple(offset))
    family = _IN_SPACE.get(what[:-1])
    if family is None or what[-1] not in _AXES:
        return None
    return Quantity(family, blocks, (*offset, *_AXES[what[-1]]))
