"""The base class of beams in space: their section axes, their nodes, places along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.elements.beam import NEAR, InteriorWeld, position_of
from flexmb.elements.framed_beam import ChainOfNodes
from flexmb.elements.on_beam import OnBeam
from flexmb.elements.spatial.attraction.points import BeamAttraction
from flexmb.elements.spatial.course import Course, SectionsGiven, course_along
from flexmb.elements.spatial.exact.places import shares as cubic_shares
from flexmb.elements.spatial.interior import WELD, WELD_ROWS, weld_parameters
from flexmb.errors import ModelError
from flexmb.joints.spatial.lower_pairs import Weld
from flexmb.kernels import rotations
from flexmb.kernels.widths import SPACE
from flexmb.model import checks
from flexmb.model.appearance import BeamPlace
from flexmb.model.components import Component
from flexmb.model.damping import Damping
from flexmb.model.frames import FrameOrPoint
from flexmb.model.geometry.axes import SMALLEST_ANGLE, Axis, Polyline, y_across
from flexmb.model.geometry.section_matrices import SectionMatrices
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.model import Model
from flexmb.model.orientations import rotation_of, scalar_first
from flexmb.model.spatial_frames import Frame, SpatialNode, unit_axis

#: a frame this near to the end of an axis, in lengths of the axis, is there
AT_END = 1e-9


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
    """A beam in space, straight and uniform, or along the `course` of a curved axis.

    The axes of its section are x along the beam, from start to end, y and z. `y_axis` is a direction (3,), or 'x', 'y',
    'z', in axes of the ground, which with x spans the plane x–y of the section; only its part across the beam counts.
    When it is not given, y is horizontal and z points up: y is across the z-axis of the ground and the beam, and for a
    beam along that axis it is the y-axis of the ground. On a curved axis these are the axes at its start; from there
    they go along it without turning about it, and by the twist.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("mast")
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
    >>> mast = m.add_beam("mast", m.ground, (0, 0, 2), material=steel, section=fm.Circle(diameter=0.02))
    >>> mast.length, mast.start.name, mast.end.position.tolist()
    (2.0, 'mast.start', [0.0, 0.0, 2.0])
    """

    properties: BeamProperties
    y_axis: Any = None
    #: its undeformed course, if it is not straight, or not uniform
    course: Course | None = field(default=None, metadata={"internal": True})
    family = BeamProperties
    example = BeamProperties.example
    interior_weld = InteriorWeld(WELD, WELD_ROWS, weld_parameters)
    dimension = 3
    #: whether its sections may be matrices that couple shear, torsion and bending
    takes_couplings: ClassVar[bool] = False
    #: whether it goes along a course
    takes_courses: ClassVar[bool] = False
    #: Gauss points of an element at which central gravity acts on it
    mass_points: ClassVar[int] = 8
    #: number of Gauss points in an element at which a load along it acts
    load_points = 8

    @classmethod
    def along(
        cls,
        model: Model,
        name: str,
        start: FrameOrPoint | None,
        end: FrameOrPoint | None,
        axis: Axis | None,
        sections: SectionsGiven,
        y_axis: Any,
        twist: Any,
        elements: int | None,
        damping: Damping | None,
        **options: Any,
    ) -> Self:
        """Make the beam along an axis, or of sections that are twisted or vary, and add it to a model."""
        where = f"beam {checks.quoted(name)}"
        if not cls.takes_courses:
            raise ModelError(
                f"{where}: a {cls.__name__} is straight and uniform; take theory='exact' for an axis, a twist and "
                "sections that vary, or several straight beams"
            )
        ends = [
            None if x is None else position_of(x, what, model, where) for x, what in ((start, "start"), (end, "end"))
        ]
        if axis is None:
            if ends[0] is None or ends[1] is None:
                raise ModelError(f"{where}: give both its start and its end, or an axis: fm.Arc(…), fm.Polyline(…), …")
            if np.array_equal(ends[0], ends[1]):
                raise ModelError(f"{where}: its length is zero; start and end must be different points")
            axis = Polyline(np.array(ends))
        elif not isinstance(axis, Axis):
            raise ModelError(
                f"{where}: axis is {checks.quoted(axis)}; give fm.Arc(…), fm.Helix(…), fm.Polyline(…), "
                "fm.SplineCurve(…) or fm.Curve(function)"
            )
        y = None if y_axis is None else unit_axis(y_axis, where, "y_axis", "of the ground")
        course = course_along(axis, y, twist, sections, elements, cls.usual_elements, where)
        for place, wanted, what in zip(ends, course.ends, ("start", "end")):
            if place is not None and np.linalg.norm(place - wanted) > AT_END * course.length:
                raise ModelError(
                    f"{where}: its {what} is at {place.tolist()}, but its axis {what}s at {wanted.tolist()}; leave "
                    f"{what} out, or give a frame that is there"
                )
        given = sections.at(0.5, where)
        first, last = (wanted if x is None else x for x, wanted in zip((start, end), course.ends))
        more = {"y_axis": y_axis, "course": course, **options}
        return cls.build(model, name, first, last, given, course.elements, damping, **more)

    @property
    def length(self) -> float:
        return super().length if self.course is None else self.course.length

    @property
    def axes(self) -> np.ndarray:
        """The axes of the undeformed section, at the start: the unit quaternion (4,) from them to those of the
        ground."""
        if self.course is not None:
            return self.axes_at(0.0)
        x = (self.ends[1] - self.ends[0]) / self.length
        y = None if self.y_axis is None else unit_axis(self.y_axis, self.where, "y_axis", "of the ground")
        return np.array(_section_axes(tuple(x.tolist()), None if y is None else tuple(y.tolist())))

    def axes_at(self, s: float) -> np.ndarray:
        """The axes (4,) of the undeformed section at s."""
        if self.course is None:
            return self.axes
        if not self.chain:
            return _quaternion(self.course.node_axes(self.course.elements if s == 1.0 else 0))
        return self._undeformed(s)[1]

    def check(self) -> None:
        if self.course is not None and not isinstance(self.course, Course):
            raise ModelError(f"{self.where}: course is {checks.quoted(self.course)}; a curved beam gets its axis=…")
        super().check()
        if self.y_axis is not None and self.course is None:
            y = unit_axis(self.y_axis, self.where, "y_axis", "of the ground")
            across = np.linalg.norm(np.cross(y, (self.ends[1] - self.ends[0]) / self.length))
            if across < SMALLEST_ANGLE:
                raise ModelError(
                    f"{self.where}: y_axis {checks.quoted(self.y_axis)} is along the beam, so it tells no axis of its "
                    "section; give a direction across it"
                )

    def new_node(self, position: np.ndarray, fixed: bool = False) -> SpatialNode:
        return SpatialNode(position, self.axes, fixed)

    def node_for(self, s: float, fixed: bool = False) -> SpatialNode:
        if self.course is None:
            return super().node_for(s, fixed)
        if self.chain:
            return SpatialNode(*self._undeformed(s), fixed)
        return SpatialNode(self.course.ends[int(s)].copy(), self.axes_at(s), fixed)

    def nodes_between(self) -> list[SpatialNode]:
        course = self.course
        if course is None:
            return super().nodes_between()
        return [self._node_of(course, k) for k in range(1, self.elements)]

    def point_on(self, node: SpatialNode, s: float, *, welded: bool) -> BeamPoint:
        axes = self._against(node, self.axes_at(s))
        return BeamPoint(self.point_name(s), self.model, node, axes=axes, beam=self, s=s, welded=welded)

    def _against(self, node: SpatialNode, axes: np.ndarray | None = None) -> np.ndarray:
        """The unit quaternion (4,) from axes of an undeformed section, those of the start if not given, to those of a
        node."""
        section = self.axes if axes is None else axes
        return np.array(rotations.product(rotations.inverse(tuple(node.orientation)), tuple(section)))

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Component]:
        welds = super().make_ends(start, end)
        self._keep_turns()
        return welds

    def _keep_turns(self) -> None:
        """Find how the undeformed sections at the ends of elements along a course lie against their nodes."""
        if self.course is None:
            return
        axes = self.course.axes
        ends = [(axes[e, 0], axes[e, -1]) for e in range(self.course.elements)]
        self._turns = np.array(
            [
                [self._against(node, _quaternion(R)) for node, R in zip(self.chain[e : e + 2], pair)]
                for e, pair in enumerate(ends)
            ]
        )

    def make_finer(self) -> tuple[str, str]:
        if self.course is not None:
            self.course = self.course.finer(self.where)
        meshes = super().make_finer()
        self._keep_turns()
        return meshes

    def node_amid(self, before: SpatialNode, after: SpatialNode, k: int) -> SpatialNode:
        return super().node_amid(before, after, k) if self.course is None else self._node_of(self.course, k)

    @staticmethod
    def _node_of(course: Course, k: int) -> SpatialNode:
        """A node at the start of the element k of a course."""
        return SpatialNode(course.places[k, 0].copy(), _quaternion(course.node_axes(k)))

    @property
    def stations(self) -> np.ndarray:
        return super().stations if self.course is None else self.course.stations

    def locate(self, s: float) -> tuple[int, float]:
        if self.course is None:
            return super().locate(s)
        return self.course.locate(s)

    def node_at(self, s: float) -> int | None:
        if self.course is None:
            return super().node_at(s)
        e, local = self.locate(s)
        near = [k for k in (0, 1) if abs(local - k) < NEAR]
        return e + near[0] if near else None

    def weld_to(self, name: str, given: Frame, point: BeamPoint) -> Weld:
        return Weld(given, point, name=name)

    def arm_on(self, node: SpatialNode, arm: np.ndarray) -> np.ndarray:
        return np.array(rotations.turned_back(tuple(node.orientation), tuple(arm)))

    def node_turns(self) -> np.ndarray:
        """The unit quaternions (nodes, 4) from the axes of the undeformed section to those of each node (a shared node
        may have any). Turned by these, all nodes have the same quaternion, so that between two there is no whole
        turn."""
        return np.array([self._against(node, self.axes) for node in self.chain])

    def turns_of_elements(self) -> np.ndarray:
        """The unit quaternions (elements, 2, 4) from the axes of the undeformed section to those of the node, at both
        ends of each element. By their signs there is no whole turn between these."""
        if self.course is None:
            turns = self.node_turns()
            return np.stack([turns[:-1], turns[1:]], axis=1)
        found = self._turns.copy()
        for (one, two), before, after in zip(found, self.chain[:-1], self.chain[1:]):
            first = rotations.product(tuple(before.orientation), tuple(one))
            if np.dot(first, rotations.product(tuple(after.orientation), tuple(two))) < 0.0:
                two *= -1.0
        return found

    def _undeformed(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """Place and axes of the undeformed section at s, between nodes as the elements say: the cubic through both ends
        and the helicoid; they lie as the nodes do."""
        assert self.course is not None
        e, local = self.locate(s)
        nodes = self.chain[e : e + 2]
        one, two = (
            rotation_of(np.array(rotations.product(tuple(node.orientation), tuple(turn))))
            for node, turn in zip(nodes, self._turns[e])
        )
        ahead = self.length * np.diff(self.stations[e : e + 2]) * [1.0, 0.0, 0.0]
        x = nodes[0].position, one.apply(ahead), nodes[1].position, two.apply(ahead)
        place = np.sum([share * value for share, value in zip(cubic_shares(local), x)], axis=0)
        return place, scalar_first(one * Rotation.from_rotvec(local * (one.inv() * two).as_rotvec()))

    def undeformed_at(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """The place (3,) [m] and the axes (4,) of the undeformed section at s, as the nodes of the model lie."""
        if self.course is None:
            return self.ends[0] + s * (self.ends[1] - self.ends[0]), self.axes
        return self._undeformed(s)

    def section_mass(self, s: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Section at s: mass by length [kg/m], the mass center (3,) [m] and the inertia (3, 3) [kg m] about it,
        in the axes of the section."""
        given = self.properties
        return float(given.rhoA), np.zeros(3), np.diag([given.polar_inertia, given.rhoIy, given.rhoIz])

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return BeamAttraction(self, gravity)

    def shear_left_out(self) -> Sequence[tuple[int, float, float]]:
        if self.has_shear:
            return []
        given, numbers = self.properties, list(SPACE.section)
        planes = (("curvature_z", given.EIz, given.GAy), ("curvature_y", given.EIy, given.GAz))
        return [(numbers.index(what), float(EI), float(GA)) for what, EI, GA in planes]

    def place(self) -> BeamPlace:
        taper: list[tuple[float, float, float]] = []
        if self.course is not None and self.course.section is not None:
            middle = self.course.section_at(0.5)
            for s in self.course.beside_stations():
                y, z = (_extent(self.course.section_at(s)) / _extent(middle)).tolist()
                taper.append((s, y, z))
        return replace(self.sizes_at(0.5), taper=tuple(taper))

    def sizes_at(self, s: float) -> BeamPlace:
        """The sizes of the section at s, for stresses."""
        given: BeamProperties | SectionMatrices = self.properties
        if self.course is not None and self.course.section is not None:
            given = self.course.section_at(s)
        if isinstance(given, SectionMatrices):  # no area, so no stresses by its forces
            EA, _, _, GJ, EIy, EIz = np.diag(given.stiffness_matrix).tolist()
            area = 0.0
        else:
            EA, GJ, EIy, EIz, area = (float(x) for x in (given.EA, given.GJ, given.EIy, given.EIz, given.area))
        sizes: dict[str, Any] = {"EIy": EIy, "GJ": GJ, "radius": float(given.radius), "outline": given.outline}
        sizes["curved"] = float(self.course is not None and self.course.is_curved)
        return BeamPlace(int(self.elements), self.length, EA, EIz, area, **sizes)


def _extent(given: BeamProperties | SectionMatrices) -> np.ndarray:
    """Half of the widths (2,) [m] of a section along y and z; of one without a shape its radii of gyration."""
    if given.outline:
        return np.asarray(0.5 * np.ptp(np.array(given.outline), axis=0))
    if given.radius > 0.0:
        return np.full(2, given.radius)
    flexibility = np.diag(given.flexibility)
    return np.sqrt(flexibility[0] / flexibility[[5, 4]])


def _quaternion(axes: np.ndarray) -> np.ndarray:
    """The unit quaternion (4,) of axes (3, 3)."""
    return np.asarray(scalar_first(Rotation.from_matrix(axes)))


@lru_cache(maxsize=64)
def _section_axes(along: tuple[float, ...], given: tuple[float, ...] | None) -> tuple[float, ...]:
    """:attr:`Beam.axes` of a beam along a direction; kept, since each of its nodes asks for them."""
    x = np.array(along)
    y = y_across(x, None if given is None else np.array(given))
    y = y / np.linalg.norm(y)
    return tuple(scalar_first(Rotation.from_matrix(np.column_stack([x, y, np.cross(x, y)]))).tolist())


Beam.common = frozenset(f.name for f in fields(Beam)) - {"chain", "course"}
