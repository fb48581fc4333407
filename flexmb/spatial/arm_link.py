"""A link of an arm: a rigid body, a beam between the joints of the link, or a beam with a rigid body at its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from flexmb.bodies.from_frame import Member, from_frame
from flexmb.bodies.reduced_body import BodyMesh, Interface, ReducedBody
from flexmb.bodies.reducing.reduction import Reduction
from flexmb.elements.modal_body import FIELDS
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.axes import y_across
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.geometry.shapes import Shape
from flexmb.model.geometry.spatial_properties import BeamProperties

#: a beam whose joints are closer than this part of the arm's longest link has no length
SHORTEST = 1e-9


@dataclass(frozen=True, eq=False)
class ArmLink:
    """A link of an arm by Denavit–Hartenberg parameters, see :func:`flexmb.denavit_hartenberg`.

    A rigid body: `mass` [kg], `center` (3,) [m] and `inertia` [kg m²] about the mass center, three principal ones or a
    matrix (3, 3), all in the axes of the link's frame; `shape` in this frame, for pictures. A beam: `material` and
    `section`, or `properties`, with `y_axis` (3,) of the section in the axes of the link's frame, `elements` of finite
    elements, `modes` with both joints held beside the six static ones, `field` of :meth:`SpatialModel.add_modal_body`
    and `damping`, ratio of modal damping. With both, the rigid body stands on the end of the beam.

    `name` of the link; `bearing` [m]: where on the axis of its joint the link begins, from the origin of the frame that
    the axis belongs to.

    >>> import flexmb as fm
    >>> forearm = ArmLink("forearm", mass=12.0, center=(-0.3, 0, 0), inertia=(0.1, 0.9, 0.9))
    >>> boom = ArmLink("boom", material=fm.Material(7850, 205e9), section=fm.Circle(diameter=0.05))
    >>> forearm.bends, boom.bends
    (False, True)
    """

    name: str | None = None
    mass: float | None = None
    center: Any = (0.0, 0.0, 0.0)
    inertia: Any = None
    shape: Shape | None = None
    material: Material | None = None
    section: Section | None = None
    properties: BeamProperties | None = None
    y_axis: Any = None
    elements: int = 8
    modes: int = 2
    field: str = "quadratic"
    damping: Any = 0.0
    bearing: float = 0.0

    @property
    def bends(self) -> bool:
        """Whether it is a beam."""
        return not (self.material is None and self.section is None and self.properties is None)

    def check(self, where: str) -> None:
        """Raise a ModelError if something is missing."""
        if (self.mass is None) != (self.inertia is None):
            missing = "mass" if self.mass is None else "inertia"
            raise ModelError(f"{where}: its {missing} is missing; give mass and inertia, or neither")
        checks.number(self.bearing, "bearing", where)
        checks.choice(self.field, FIELDS, "field", where)

    def beam(self, start: np.ndarray, end: np.ndarray, size: float, where: str) -> ReducedBody:
        """The reduced beam from `start` to `end`, (3,) [m] in the axes of the link; `size` [m] of the arm."""
        if np.linalg.norm(end - start) <= SHORTEST * size:
            raise ModelError(
                f"{where}: it begins and ends at the same place, and a beam between has no length; give it a "
                "bearing on the axis of its joint, a tool behind the last link, or make it rigid"
            )
        names = ["start", *(f"station {k}" for k in range(1, checks.count(self.elements, "elements", where, 1))), "end"]
        places = dict(zip(names, np.linspace(start, end, len(names)), strict=True))
        members = [
            Member(pair, self.material, self.section, self.properties, 1, self.y_axis) for pair in pairwise(names)
        ]
        reduced = from_frame(
            places, members, interfaces={name: name for name in ("start", "end")}, modes=self.modes, name=where,
            followers={name: name for name in names[1:-1]},
            reduction=Reduction(field=self.field, damping=self.damping, estimate=False),
        )  # fmt: skip
        along = (end - start) / np.linalg.norm(end - start)
        across = y_across(along, None if self.y_axis is None else np.asarray(self.y_axis, dtype=float))
        y = across / np.linalg.norm(across)
        outline = self._outline(float(np.linalg.norm(end - start)))
        ring = outline @ np.array([y, np.cross(along, y)]) @ np.asarray(reduced.orientation)
        stations = [reduced.interfaces[name] for name in names]
        ends = {name: reduced.interfaces[name] for name in ("start", "end")}
        return replace(reduced, interfaces=ends, mesh=_skin(stations, ring))

    def _outline(self, length: float) -> np.ndarray:
        """Points (k, 2) [m] of the outline of its section, for pictures."""
        given = self.section
        if given is not None and len(given.outline):
            return np.array(given.outline)
        radius = given.radius if given is not None and given.radius > 0.0 else 0.02 * length
        angles = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
        return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _skin(stations: list[Interface], ring: np.ndarray) -> BodyMesh:
    """The surface of a beam, for pictures: an outline (k, 3) that moves and turns with each station."""
    places = np.array([f.position + ring for f in stations])
    turns = [np.cross(f.rotation.T[:, None], ring[None]) for f in stations]  # (n, k, 3)
    shapes = np.array([f.translation + np.moveaxis(t, 0, -1) for f, t in zip(stations, turns, strict=True)])
    k, count = len(ring), len(stations)
    near = np.arange(k)
    quads = [
        np.column_stack([near, np.roll(near, -1), np.roll(near, -1) + k, near + k]) + k * j for j in range(count - 1)
    ]
    caps = [[base, base + a, base + a + 1] for base in (0, k * (count - 1)) for a in range(1, k - 1)]
    cells = [("quad", np.concatenate(quads)), ("triangle", np.array(caps))]
    return BodyMesh(places.reshape(-1, 3), cells, shapes.reshape(-1, 3, shapes.shape[-1]))
