"""The base class of beams in space: their section axes, their nodes, places along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.elements.beam import InteriorWeld
from flexmb.elements.framed_beam import ChainOfNodes
from flexmb.elements.on_beam import OnBeam
from flexmb.elements.spatial.interior import WELD, WELD_ROWS, weld_parameters
from flexmb.errors import ModelError
from flexmb.joints.spatial.lower_pairs import Weld
from flexmb.kernels import rotations
from flexmb.kernels.widths import SPACE
from flexmb.model import checks
from flexmb.model.appearance import BeamPlace
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.orientations import scalar_first
from flexmb.model.spatial_frames import Frame, SpatialNode, unit_axis

#: a direction this near to that of the beam [rad] tells no section axis
SMALLEST_ANGLE = 1e-6


@dataclass(eq=False, repr=False)
class BeamPoint(OnBeam, Frame):
    """A place on a beam in space, see :class:`~flexmb.elements.on_beam.OnBeam`: a frame with the axes of the section, x
    along the beam.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("mast")
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
    >>> mast = m.add_beam("mast", m.ground, (0, 0, 2), material=steel, section=fm.Circle(diameter=0.02))
    >>> half = mast.at(0.5)
    >>> half.name, half.position.round(9).tolist(), half.beam.name
    ('mast@0.5', [0.0, 0.0, 1.0], 'mast')
    """

    beam: Any = None
    s: float = 0.0
    welded: bool = True


@dataclass(eq=False, repr=False)
class Beam(ChainOfNodes):
    """A straight uniform beam in space.

    The axes of its section are x along the beam, from start to end, y and z. `y_axis` is a direction (3,), or 'x', 'y',
    'z', in axes of the ground, which with x spans the plane x–y of the section; only its part across the beam counts.
    When it is not given, y is horizontal and z points up: y is across the z-axis of the ground and the beam, and for a
    beam along that axis it is the y-axis of the ground.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("mast")
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
    >>> mast = m.add_beam("mast", m.ground, (0, 0, 2), material=steel, section=fm.Circle(diameter=0.02))
    >>> mast.length, mast.start.name, mast.end.position.tolist()
    (2.0, 'mast.start', [0.0, 0.0, 2.0])
    """

    properties: BeamProperties
    y_axis: Any = None
    family = BeamProperties
    example = BeamProperties.example
    interior_weld = InteriorWeld(WELD, WELD_ROWS, weld_parameters)
    dimension = 3
    #: whether its sections may be matrices that couple shear, torsion and bending
    takes_couplings: ClassVar[bool] = False
    #: number of Gauss points in an element at which a load along it acts
    load_points = 8

    @property
    def axes(self) -> np.ndarray:
        """The axes of the undeformed section: the unit quaternion (4,) from them to those of the ground."""
        x = (self.ends[1] - self.ends[0]) / self.length
        y = None if self.y_axis is None else unit_axis(self.y_axis, self.where, "y_axis", "of the ground")
        return np.array(_section_axes(tuple(x.tolist()), None if y is None else tuple(y.tolist())))

    def check(self) -> None:
        super().check()
        if self.y_axis is not None:
            y = unit_axis(self.y_axis, self.where, "y_axis", "of the ground")
            across = np.linalg.norm(np.cross(y, (self.ends[1] - self.ends[0]) / self.length))
            if across < SMALLEST_ANGLE:
                raise ModelError(
                    f"{self.where}: y_axis {checks.quoted(self.y_axis)} is along the beam, so it tells no axis of its "
                    "section; give a direction across it"
                )

    def new_node(self, position: np.ndarray, fixed: bool = False) -> SpatialNode:
        return SpatialNode(position, self.axes, fixed)

    def point_on(self, node: SpatialNode, s: float, *, welded: bool) -> BeamPoint:
        axes = self._against(node)
        return BeamPoint(self.point_name(s), self.model, node, axes=axes, beam=self, s=s, welded=welded)

    def _against(self, node: SpatialNode) -> np.ndarray:
        """The unit quaternion (4,) from the axes of the undeformed section to those of a node."""
        return np.array(rotations.product(rotations.inverse(tuple(node.orientation)), tuple(self.axes)))

    def weld_to(self, name: str, given: Frame, point: BeamPoint) -> Weld:
        return Weld(given, point, name=name)

    def arm_on(self, node: SpatialNode, arm: np.ndarray) -> np.ndarray:
        return np.array(rotations.turned_back(tuple(node.orientation), tuple(arm)))

    def node_turns(self) -> np.ndarray:
        """The unit quaternions (nodes, 4) from the axes of the undeformed section to those of each node (a shared node
        may have any). Turned by these, all nodes have the same quaternion, so that between two there is no whole
        turn."""
        return np.array([self._against(node) for node in self.chain])

    def shear_left_out(self) -> Sequence[tuple[int, float, float]]:
        if self.has_shear:
            return []
        given, numbers = self.properties, list(SPACE.section)
        planes = (("curvature_z", given.EIz, given.GAy), ("curvature_y", given.EIy, given.GAz))
        return [(numbers.index(what), float(EI), float(GA)) for what, EI, GA in planes]

    def place(self) -> BeamPlace:
        p = self.properties
        return BeamPlace(
            int(self.elements),
            self.length,
            float(p.EA),
            float(p.EIz),
            float(p.area),
            EIy=float(p.EIy),
            GJ=float(p.GJ),
            radius=float(p.radius),
            outline=p.outline,
        )


@lru_cache(maxsize=64)
def _section_axes(along: tuple[float, ...], given: tuple[float, ...] | None) -> tuple[float, ...]:
    """:attr:`Beam.axes` of a beam along a direction; kept, since each of its nodes asks for them."""
    x = np.array(along)
    y = np.cross((0.0, 0.0, 1.0), x) if given is None else np.array(given)
    if given is None and np.linalg.norm(y) < SMALLEST_ANGLE:
        y = np.array([0.0, 1.0, 0.0])
    y = y - (y @ x) * x
    y = y / np.linalg.norm(y)
    return tuple(scalar_first(Rotation.from_matrix(np.column_stack([x, y, np.cross(x, y)]))).tolist())


Beam.common = frozenset(f.name for f in fields(Beam)) - {"chain"}
