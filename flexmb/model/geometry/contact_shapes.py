"""Shapes that may touch: what a contact takes besides the balls and cylinders of :mod:`flexmb.model.geometry.shapes`.

A shape stands in the axes of a frame. None in place of a shape means a point, the origin of the frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.geometry import diameters
from flexmb.model.geometry.shapes import Shape
from flexmb.model.hints import AnswersCalls, answers
from flexmb.model.spatial_frames import unit_axis

#: words for normals in the plane
_DIRECTIONS = {"x": (1.0, 0.0), "y": (0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class HalfPlane(metaclass=AnswersCalls):
    """All below a straight line: a floor or a wall in the plane.

    Arguments: `normal`: 'x', 'y' or a direction (2,) out of it; `position` (2,) [m] of a point on the line; both in the
    axes of the frame.

    >>> HalfPlane((0, 2)).direction.tolist()
    [0.0, 1.0]
    """

    normal: Any = "y"
    position: Vector = (0.0, 0.0)

    @property
    def direction(self) -> np.ndarray:
        """The normal (2,), of length 1."""
        if isinstance(self.normal, str):
            if self.normal not in _DIRECTIONS:
                raise ModelError(f"half-plane: normal is {self.normal!r}; give 'x', 'y' or a direction (2,)")
            return np.array(_DIRECTIONS[self.normal])
        direction = checks.vector(self.normal, "normal", "half-plane")
        size = float(np.hypot(*direction))
        if size == 0.0:
            raise ModelError("half-plane: normal has no direction, since both its numbers are zero")
        return direction / size


@dataclass(frozen=True, eq=False)
class HalfSpace(metaclass=AnswersCalls):
    """All below a plane: a floor or a wall in space.

    Arguments: `normal`: 'x', 'y', 'z' or a direction (3,) out of it; `position` (3,) [m] of a point of the plane; both
    in the axes of the frame.

    >>> HalfSpace((0, 0, 2)).direction.tolist()
    [0.0, 0.0, 1.0]
    """

    normal: Any = "z"
    position: Vector = (0.0, 0.0, 0.0)

    @property
    def direction(self) -> np.ndarray:
        """The normal (3,), of length 1."""
        return unit_axis(self.normal, "half-space", "normal", "a")


@answers(d="diameter", r="radius")
@dataclass(frozen=True, eq=False, init=False)
class Disk(metaclass=AnswersCalls):
    """A round disk in the plane: its `diameter` or its `radius` [m], and the `position` (2,) [m] of its middle in the
    axes of the frame.

    >>> Disk(radius=0.1)
    Disk(diameter=0.2, position=(0.0, 0.0))
    """

    diameter: float
    position: Vector = (0.0, 0.0)

    def __init__(
        self,
        *given: Any,
        diameter: float | None = None,
        radius: float | None = None,
        position: Vector = (0.0, 0.0),
    ) -> None:
        diameters.unnamed_sizes(given[:1], "disk", "Disk(diameter={})", "Disk(radius={})")
        object.__setattr__(self, "diameter", diameters.whole_diameter(diameter, radius, "disk"))
        object.__setattr__(self, "position", position)


@answers(d="diameter", r="radius")
@dataclass(frozen=True, eq=False, init=False)
class Cavity(metaclass=AnswersCalls):
    """A round hole, a hollow ball in space, in which something moves: its `diameter` or its `radius` [m], and the
    `position` (2,) or (3,) [m] of its middle in the axes of the frame.

    >>> Cavity(diameter=0.2).diameter
    0.2
    """

    diameter: float
    position: Vector | None = None

    def __init__(
        self,
        *given: Any,
        diameter: float | None = None,
        radius: float | None = None,
        position: Vector | None = None,
    ) -> None:
        diameters.unnamed_sizes(given[:1], "cavity", "Cavity(diameter={})", "Cavity(radius={})")
        object.__setattr__(self, "diameter", diameters.whole_diameter(diameter, radius, "cavity"))
        object.__setattr__(self, "position", position)


@dataclass(frozen=True, eq=False)
class Corners(metaclass=AnswersCalls):
    """The corners of a body, each a point that may touch, in the plane and in space.

    Arguments: `points` (k, 2) or (k, 3) [m] in the axes of the frame.

    >>> len(Corners([(-0.2, -1.0), (0.2, -1.0)]).points)
    2
    """

    points: Any


#: what a contact may be given for the shape on a frame
ContactShape = HalfPlane | HalfSpace | Disk | Cavity | Corners | Shape | None


@dataclass(frozen=True, eq=False)
class Stands:
    """A shape as contacts compute with it: what it is ('half-space', 'ball', 'cavity', 'cylinder', 'corners'), the
    point (3,) [m] and the direction (3,) that it has in the axes of its frame, its radius and half its length [m]; of
    corners all `points` (k, 3). A half-plane is a half-space and a disk a ball, with z = 0."""

    what: str
    point: np.ndarray
    direction: np.ndarray
    radius: float = 0.0
    half: float = 0.0
    points: np.ndarray | None = None


def standing(shape: Any, dimension: int, which: str, where: str) -> Stands:
    """A shape that a user gave for the contact `where`, in the plane or in space."""
    own = f"{where}: {which}"
    none = np.zeros(3)
    if shape is None:
        return Stands("ball", none, none)
    flat, solid = isinstance(shape, (HalfPlane, Disk)), isinstance(shape, (HalfSpace, Shape))
    if (flat and dimension == 3) or (solid and dimension == 2):
        takes = "HalfPlane, Disk, Cavity and Corners" if dimension == 2 else "HalfSpace, Sphere, Cylinder and Cavity"
        raise ModelError(
            f"{own} is a {type(shape).__name__}, a shape of {'the plane' if flat else 'space'}, and the model is one "
            f"of {'space' if flat else 'the plane'}, where there are {takes}"
        )
    if isinstance(shape, Corners):
        given = checks.several(shape.points, "points", own)
        if not len(given):
            raise ModelError(f"{own}: it has no corners; give points=[…], at least one")
        points = np.array([_three(point, dimension, own) for point in given])
        return Stands("corners", points.mean(axis=0), none, points=points)
    if isinstance(shape, (HalfPlane, HalfSpace)):
        return Stands("half-space", _three(shape.position, dimension, own), _three(shape.direction, dimension, own))
    if isinstance(shape, (Disk, Cavity)):
        middle = np.zeros(dimension) if shape.position is None else shape.position
        return Stands(
            "ball" if isinstance(shape, Disk) else "cavity", _three(middle, dimension, own), none, 0.5 * shape.diameter
        )
    if isinstance(shape, Shape):
        drawn = shape.drawn
        if drawn.kind == "sphere":
            return Stands("ball", np.array(drawn.position), none, 0.5 * drawn.sizes[0])
        if drawn.kind == "cylinder":
            axis = np.array(turned(drawn.axes, (0.0, 0.0, 1.0)))
            return Stands("cylinder", np.array(drawn.position), axis, 0.5 * drawn.sizes[0], 0.5 * drawn.sizes[1])
        raise ModelError(
            f"{own} is a {drawn.kind}; contacts know Sphere, Cylinder, HalfSpace, Cavity, Corners and points (None); "
            "give the corners of a body by fm.Corners"
        )
    raise ModelError(
        f"{own} is {checks.quoted(shape)}, no shape that can touch; give HalfPlane, Disk, HalfSpace, "
        "Sphere, Cylinder, Cavity, Corners, or None for the origin of the frame"
    )


def _three(values: Any, dimension: int, where: str) -> np.ndarray:
    """A vector of the plane or of space with three numbers."""
    given = checks.vector(values, "position", where, dimension)
    return given if dimension == 3 else np.array([*given.tolist(), 0.0])
