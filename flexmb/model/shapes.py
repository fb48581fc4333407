"""Shapes of rigid bodies in space: their volume, mass centre and inertia, and how they are drawn.

Diameters and edges are whole, as those of the sections of beams. A body of the mass m has m times the inertia for each
kilogram, about the mass centre:

    box a × b × c       (b² + c², a² + c², a² + b²)/12
    hollow cylinder     (r² + s²)/2 along its axis, (3 (r² + s²) + l²)/12 across, outer and inner radius r, s, length l
    sphere              2 r²/5
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.appearance import BodyShape
from flexmb.model.checks import Vector
from flexmb.model.inertia import turned
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.spatial_frames import axes_about, unit_axis


@dataclass(frozen=True, eq=False)
class Shape:
    """The shape of a rigid body of one density: its `volume` [m³]; its mass `center` (3,) [m] and its `gyration` (3, 3)
    [m²], the inertia about that centre for each kilogram, in the axes of the body's frame; and how it is drawn."""

    volume: float
    center: np.ndarray
    gyration: np.ndarray
    drawn: BodyShape

    def __init__(self) -> None:
        raise ModelError("shape: take a Box, a Cylinder, a HollowCylinder, a Sphere or a ClosedSurface")

    def _place(
        self,
        kind: str,
        sizes: tuple[float, ...],
        volume: float,
        gyration: np.ndarray,
        position: Vector,
        axes: Iterable[float],
        center: Any = (0.0, 0.0, 0.0),
        **surface: np.ndarray,
    ) -> None:
        """Set all of it, from what it is in the shape's own axes, and where these lie."""
        at = checks.vector(position, "position", kind, 3)
        own = {
            "volume": volume,
            "center": at + rotation_of(axes).apply(center),
            "gyration": turned(gyration, axes),
            "drawn": BodyShape(kind, sizes, tuple(at.tolist()), tuple(map(float, axes)), **surface),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Its kind and its sizes."""
        sizes = ", ".join(f"{size:g}" for size in self.drawn.sizes)
        return f"{type(self).__name__}({sizes})"


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


class Cylinder(Shape):
    """A full round cylinder of a `diameter` and a `length` [m], along the `axis` 'x', 'y', 'z' or (3,) through its
    middle, which stands at `position` (3,) [m], in the axes of the body's frame.

    >>> Cylinder(0.2, 0.5).gyration.diagonal().round(6).tolist()  # ¼ r² + l²/12, ½ r²
    [0.023333, 0.023333, 0.005]
    """

    def __init__(self, diameter: float, length: float, *, axis: Any = "z", position: Vector = (0.0, 0.0, 0.0)) -> None:
        d = checks.positive(diameter, "diameter", "cylinder")
        length = checks.positive(length, "length", "cylinder")
        volume, gyration = _round(d, 0.0, length)
        self._place("cylinder", (d, length), volume, gyration, position, axes_about(*unit_axis(axis, "cylinder")))


class HollowCylinder(Shape):
    """A round tube of `outer` and `inner` diameter and a `length` [m]; the rest as for a :class:`Cylinder`."""

    def __init__(
        self, outer: float, inner: float, length: float, *, axis: Any = "z", position: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        where = "hollow cylinder"
        o, i = checks.positive(outer, "outer diameter", where), checks.positive(inner, "inner diameter", where)
        length = checks.positive(length, "length", where)
        if i >= o:
            raise ModelError(f"{where}: inner diameter {i:g} must be smaller than the outer one, {o:g}")
        volume, gyration = _round(o, i, length)
        self._place(where, (o, i, length), volume, gyration, position, axes_about(*unit_axis(axis, where)))


class Sphere(Shape):
    """A full ball of a `diameter` [m] with its middle at `position` (3,) [m] in the axes of the body's frame."""

    def __init__(self, diameter: float, *, position: Vector = (0.0, 0.0, 0.0)) -> None:
        d = checks.positive(diameter, "diameter", "sphere")
        gyration = 0.1 * d * d * np.eye(3)
        self._place("sphere", (d,), math.pi * d**3 / 6.0, gyration, position, (1.0, 0.0, 0.0, 0.0))


def _round(outer: float, inner: float, length: float) -> tuple[float, np.ndarray]:
    """Volume and gyration of a round tube along z."""
    squares = 0.25 * (outer * outer + inner * inner)
    across = (3.0 * squares + length * length) / 12.0
    volume = 0.25 * math.pi * (outer * outer - inner * inner) * length
    return volume, np.diag([across, across, 0.5 * squares])
