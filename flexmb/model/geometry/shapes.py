"""Shapes of rigid bodies in space: their volume, mass center and inertia, and how they are drawn.

Diameters and edges are whole, as those of the sections of beams. A body of the mass m has m times the inertia for each
kilogram, about the mass center:

    box a × b × c       (b² + c², a² + c², a² + b²)/12
    hollow cylinder     (r² + s²)/2 along its axis, (3 (r² + s²) + l²)/12 across, outer and inner radius r, s, length l
    sphere              2 r²/5
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.appearance import COLOR, BodyShape
from flexmb.model.checks import Vector
from flexmb.model.geometry import diameters
from flexmb.model.geometry.inertia import steiner, turned
from flexmb.model.geometry.made_of import OfSizes
from flexmb.model.hints import AnswersCalls, answers
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.spatial_frames import axes_about, unit_axis

#: the names of the sizes of round shapes, as they are given
_SIZES = {
    "cylinder": ("diameter", "length"),
    "hollow cylinder": ("outer_diameter", "inner_diameter", "length"),
    "sphere": ("diameter",),
}
#: other words for them
_ROUND = {"d": "diameter", "r": "radius", "height": "length", "h": "length"}
_HOLLOW = {"outer": "outer_diameter", "inner": "inner_diameter", "height": "length"}


@dataclass(frozen=True, eq=False)
class Shape(OfSizes, metaclass=AnswersCalls):
    """The shape of a rigid body of one density: its `volume` [m³]; its mass `center` (3,) [m] and its `gyration` (3, 3)
    [m²], the inertia about that center for each kilogram, in the axes of the body's frame; and how it is drawn.

    >>> import flexmb as fm
    >>> plate = fm.Box((2.0, 1.0, 0.1))
    >>> isinstance(plate, fm.Shape), round(plate.volume, 9), plate.center.tolist()
    (True, 0.2, [0.0, 0.0, 0.0])
    """

    volume: float
    center: np.ndarray
    gyration: np.ndarray
    drawn: BodyShape

    def __init__(self) -> None:
        raise ModelError(
            "shape: take a Box, a Cylinder, a HollowCylinder, a Sphere, a ClosedSurface or a CompoundShape"
        )

    def _place(
        self,
        kind: str,
        sizes: tuple[float, ...],
        volume: float,
        gyration: np.ndarray,
        position: Vector,
        axes: Iterable[float],
        center: Any = (0.0, 0.0, 0.0),
        **surface: Any,
    ) -> None:
        """Set all of it, from what it is in the shape's own axes, and where these lie."""
        at = checks.vector(position, "position", kind, 3)
        drawn = BodyShape(kind, sizes, tuple(at.tolist()), tuple(map(float, axes)), **surface)
        _set(self, volume, at + rotation_of(axes).apply(center), turned(gyration, axes), drawn)

    def colored(self, color: str) -> Self:
        """The same shape in a color '#rrggbb', which pictures show instead of one that they choose; of a compound, on
        all of its parts.

        >>> Sphere(diameter=0.2).colored("#d1472b").drawn.color
        '#d1472b'
        """
        given = str(color).lower()
        if not COLOR.fullmatch(given):
            raise ModelError(f"shape: color is {checks.quoted(color)}; give red, green and blue as '#rrggbb'")
        other = copy.copy(self)
        parts = tuple(replace(part, color=given) for part in self.drawn.parts)
        drawn = replace(self.drawn, parts=parts) if parts else replace(self.drawn, color=given)
        object.__setattr__(other, "drawn", drawn)
        return other

    def __repr__(self) -> str:
        """Its kind and its sizes."""
        sizes, names = [f"{size:g}" for size in self.drawn.sizes], _SIZES.get(self.drawn.kind)
        shown = map("=".join, zip(names, sizes)) if names else sizes
        return f"{type(self).__name__}({', '.join(shown)})"


@answers(size="edges", dimensions="edges", lengths="edges")
class Box(Shape):
    """A box of three edges (3,) [m] along x, y and z.

    Its middle stands at `position` (3,) [m] in the axes of the body's frame, and `orientation` turns it there.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> brick = m.add_body("brick", shape=Box((0.1, 0.02, 0.03)), density=1000)
    >>> round(brick.mass, 6)
    0.06
    """

    def __init__(self, edges: Vector, *, position: Vector = (0.0, 0.0, 0.0), orientation: Orientation = None) -> None:
        given = checks.vector(edges, "edges", "box", 3)
        a, b, c = (checks.positive(x, "an edge", "box") for x in given.tolist())
        gyration = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0
        self._place("box", (a, b, c), a * b * c, gyration, position, quaternion_of(orientation, "orientation", "box"))


@answers(**_ROUND)
class Cylinder(Shape):
    """A full round cylinder of a `diameter` or `radius` and a `length` [m], along the `axis` 'x', 'y', 'z' or (3,)
    through its middle, which stands at `position` (3,) [m], in the axes of the body's frame.

    >>> Cylinder(diameter=0.2, length=0.5).gyration.diagonal().round(6).tolist()  # ¼ r² + l²/12, ½ r²
    [0.023333, 0.023333, 0.005]
    """

    def __init__(
        self,
        *given: Any,
        diameter: float | None = None,
        radius: float | None = None,
        length: float | None = None,
        axis: Any = "z",
        position: Vector = (0.0, 0.0, 0.0),
    ) -> None:
        calls = "Cylinder(diameter={}, length={})", "Cylinder(radius={}, length={})"
        diameters.unnamed_sizes(given, "cylinder", *calls)
        d = diameters.whole_diameter(diameter, radius, "cylinder")
        length = checks.positive(length, "length", "cylinder")
        volume, gyration = _round(d, 0.0, length)
        self._place("cylinder", (d, length), volume, gyration, position, axes_about(*unit_axis(axis, "cylinder")))


@answers(**_HOLLOW)
class HollowCylinder(Shape):
    """A round tube of `outer_diameter`, `inner_diameter` and a `length` [m]; the rest as for a :class:`Cylinder`.

    >>> HollowCylinder(outer_diameter=0.4, inner_diameter=0.2, length=0.5)
    HollowCylinder(outer_diameter=0.4, inner_diameter=0.2, length=0.5)
    """

    def __init__(
        self,
        *given: Any,
        outer_diameter: float | None = None,
        inner_diameter: float | None = None,
        length: float | None = None,
        axis: Any = "z",
        position: Vector = (0.0, 0.0, 0.0),
    ) -> None:
        where = "hollow cylinder"
        diameters.unnamed_sizes(given, where, "HollowCylinder(outer_diameter={}, inner_diameter={}, length={})")
        o, i = diameters.two_diameters(outer_diameter, inner_diameter, where)
        length = checks.positive(length, "length", where)
        volume, gyration = _round(o, i, length)
        self._place(where, (o, i, length), volume, gyration, position, axes_about(*unit_axis(axis, where)))


@answers(**_ROUND)
class Sphere(Shape):
    """A full ball of a `diameter` or a `radius` [m] with its middle at `position` (3,) [m] in the axes of the body's
    frame.

    >>> round(Sphere(radius=0.1).volume * 1e3, 5)
    4.18879
    """

    def __init__(
        self,
        *given: Any,
        diameter: float | None = None,
        radius: float | None = None,
        position: Vector = (0.0, 0.0, 0.0),
    ) -> None:
        diameters.unnamed_sizes(given, "sphere", "Sphere(diameter={})", "Sphere(radius={})")
        d = diameters.whole_diameter(diameter, radius, "sphere")
        gyration = 0.1 * d * d * np.eye(3)
        self._place("sphere", (d,), math.pi * d**3 / 6.0, gyration, position, (1.0, 0.0, 0.0, 0.0))


def _round(outer: float, inner: float, length: float) -> tuple[float, np.ndarray]:
    """Volume and gyration of a round tube along z."""
    squares = 0.25 * (outer * outer + inner * inner)
    across = (3.0 * squares + length * length) / 12.0
    volume = 0.25 * math.pi * (outer * outer - inner * inner) * length
    return volume, np.diag([across, across, 0.5 * squares])


class OpenSurface(Shape):
    """Triangles for pictures alone: they need not enclose anything, so a body of this shape is given its mass, mass
    center and inertia.

    Arguments: `vertices` (p, 3) [m]; `faces` (f, 3), the numbers of the vertices of each triangle, counter-clockwise
    from outside; `position` (3,) [m] and `orientation` of the axes in which the vertices are given, in the axes of the
    body's frame.

    >>> OpenSurface([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    OpenSurface(3 vertices, 1 faces)
    """

    def __init__(
        self, vertices: Any, faces: Any, *, position: Vector = (0.0, 0.0, 0.0), orientation: Orientation = None
    ) -> None:
        where = "surface"
        points = checks.numbers(vertices, "vertices", where, "points (p, 3)")
        given = checks.numbers(faces, "faces", where, "triangles (f, 3), numbers of vertices")
        triangles = given.astype(np.int64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ModelError(f"{where}: vertices must be points (p, 3), not {checks.quoted(points)}")
        if given.ndim != 2 or given.shape[1] != 3 or not len(given) or np.any(triangles != given):
            raise ModelError(
                f"{where}: faces must be triangles (f, 3), numbers of vertices, not {checks.quoted(given)}"
            )
        if triangles.min() < 0 or triangles.max() >= len(points):
            raise ModelError(f"{where}: faces name vertices from {triangles.min()} to {triangles.max()}; there are "
                             f"{len(points)}, numbered from 0")  # fmt: skip
        axes = quaternion_of(orientation, "orientation", where)
        at = checks.vector(position, "position", where, 3)
        drawn = BodyShape("surface", (), tuple(at.tolist()), tuple(map(float, axes)), points, triangles)
        _set(self, 0.0, np.zeros(3), np.zeros((3, 3)), drawn)

    def __repr__(self) -> str:
        vertices, faces = np.asarray(self.drawn.vertices), np.asarray(self.drawn.faces)
        return f"OpenSurface({len(vertices)} vertices, {len(faces)} faces)"


class CompoundShape(Shape):
    """Several shapes of one density that are one body; where they overlap, the mass counts twice. If one of them is an
    :class:`OpenSurface`, the whole is for pictures alone.

    >>> dumbbell = CompoundShape([Sphere(diameter=0.2, position=(x, 0, 0)) for x in (-0.5, 0.5)])
    >>> dumbbell.gyration.diagonal().round(6).tolist()  # 0.1 d², and 0.5² m across
    [0.004, 0.254, 0.254]
    """

    def __init__(self, parts: Iterable[Shape]) -> None:
        several = checks.several(parts, "parts", "compound shape")
        if not several:
            raise ModelError("compound shape: it has no parts; give a list of shapes")
        for part in several:
            if not isinstance(part, Shape):
                raise ModelError(f"compound shape: {checks.quoted(part)} is not a shape; give a Box, a Cylinder, …")
        drawn = BodyShape("compound", parts=tuple(piece for part in several for piece in part.drawn.pieces))
        volumes = [float(part.volume) for part in several]
        volume = sum(volumes) if min(volumes) > 0.0 else 0.0
        center, gyration = np.zeros(3), np.zeros((3, 3))
        if volume > 0.0:
            center = sum(v * part.center for v, part in zip(volumes, several)) / volume
            gyration = (
                sum(v * (p.gyration + steiner(1.0, p.center - center)) for v, p in zip(volumes, several)) / volume
            )
        _set(self, volume, center, gyration, drawn)

    def __repr__(self) -> str:
        return f"CompoundShape({len(self.drawn.parts)} parts)"


def _set(shape: Shape, volume: float, center: np.ndarray, gyration: np.ndarray, drawn: BodyShape) -> None:
    for name, value in {"volume": volume, "center": center, "gyration": gyration, "drawn": drawn}.items():
        object.__setattr__(shape, name, value)
