"""Lower pairs: joints in space as tables of primitive rows (:mod:`flexmb.joints.spatial.rows.primitive_rows`).

They leave so many ways to move, and have 6 rows less these: weld 0, revolute 1, prismatic 1, cylindrical 2,
universal 2, spherical 3, planar 3, point on a line 4, parallel axes 4, point in a plane 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.joints.friction import JointFriction
from flexmb.joints.spatial.joint import HingeAxes
from flexmb.joints.spatial.pair_tables import (
    ONE_POINT,
    Aligned,
    AxisJoint,
    AxisPair,
    LowerPair,
    TurningPair,
    across,
    normal,
    tilts,
)
from flexmb.joints.spatial.rows.along import add_along, place_along, speed_along
from flexmb.joints.spatial.rows.bearing import BALL, HINGE, SLEEVE, SLIDE, room
from flexmb.joints.spatial.rows.one_point import ONE_POINT_PAIR, ONE_POINT_WITH_FRICTION
from flexmb.joints.spatial.rows.primitive_rows import DOT, PrimitiveRow
from flexmb.kernels.blocks import free
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import product, turned, turned_back
from flexmb.model import checks
from flexmb.model import ways as way
from flexmb.model.components import Assembler
from flexmb.model.frames import Frame
from flexmb.model.orientations import scalar_first
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import unit_axis
from flexmb.model.ways import Motion, Ways, about_y, about_z

#: at the start the axes of a cross are as far apart as it says, to this [rad]; what is left is brought together
SAME_ANGLE = 0.02
#: a cross with axes nearer to each other than this [rad] is none
SMALLEST_ANGLE = 0.05
#: slides along x and along y; z, and with it the axes, comes back by Z_ALONG_X once more
IN_PLANE = (Motion(way.SLIDE, way.Z_ALONG_X, name="x"), Motion(way.SLIDE, way.Z_ALONG_X, name="y"))


@dataclass(eq=False)
class Spherical(LowerPair):
    """The origins of two frames coincide; they may turn against each other about all axes.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("top", mass=15.0, inertia=(0.2, 0.4, 0.2), position=(0, 1, 0))
    >>> joint = m.spherical(m.ground, body.attach("tip", (0, -1, 0)))
    >>> [row.name for row in joint.table()]
    ['x', 'y', 'z']
    """

    friction: JointFriction | None = field(default=None, kw_only=True)
    glyphs = ("ball",)
    coordinates = ("rx", "ry", "rz")
    motions = (Motion(way.BALL, name="rotation"),)
    bearing = BALL

    @property
    def kernels(self) -> Kernels:
        return ONE_POINT_PAIR if self.friction is None else ONE_POINT_WITH_FRICTION

    def table(self) -> list[PrimitiveRow]:
        return ONE_POINT

    def assemble(self, assembly: Assembler) -> None:
        p = np.concatenate([self.a.offset, self.b.offset, self.bearing_parameters()])
        rows = [(row.name, row.measure) for row in self.table()]
        work = 0 if self.friction is None else room(len(rows))
        assembly.instance(self, self.kernels, pair_coordinates(assembly, self.a, self.b), p, rows, work)


@dataclass(eq=False)
class Weld(Aligned):
    """The origins of two frames coincide, and their axes stay against each other as they are in the model. Where it is
    switched on in a run, it holds the frames against each other as they then are.

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    >>> joint = m.weld(m.ground, body.attach("foot", (-1, 0, 0)), name="weld")
    >>> [row.name for row in fm.System(m).rows]
    ['x', 'y', 'z', 'turn x', 'turn y', 'turn z']
    """

    senses = (0, 1, 2)
    motions = (Motion(way.FIXED),)

    def table(self) -> list[PrimitiveRow]:
        u, w = (own.tolist() for own in (self.axes().on_a, self.axes().on_b))
        turns = [PrimitiveRow(f"turn {'xyz'[k]}", "angle", DOT, u[k - 1], w[k - 2]) for k in range(3)]
        return [*ONE_POINT, *turns]

    def as_found(self, place: Callable[[Frame], Any]) -> Weld:
        a, b = place(self.a), place(self.b)
        b.offset = np.array(turned_back(tuple(b.node.orientation), tuple(a.position - b.node.position)))
        return Weld(a, b, name=self.name)


@dataclass(eq=False)
class Revolute(TurningPair):
    """The origins of two frames coincide, and so does an axis; they may turn about it: a revolute joint.

    Arguments: `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a; `axis_b`, in those of frame b, the
    same line at the start when not given; `count_turns`: it owns a coordinate 'turn' that counts all its turns.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("door", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.5, 0, 0))
    >>> joint = m.revolute(m.ground, body.attach("edge", (-0.5, 0, 0)), axis="z")
    >>> [row.name for row in joint.table()]
    ['x', 'y', 'z', 'tilt 1', 'tilt 2']
    """

    friction: JointFriction | None = field(default=None, kw_only=True)
    glyphs = ("pin",)
    bearing = HINGE
    coordinates = ("angle",)
    motions = (Motion(way.TURN, name="angle"),)

    def table(self) -> list[PrimitiveRow]:
        return [*ONE_POINT, *tilts(self.axes())]


@dataclass(eq=False)
class Cylindrical(TurningPair):
    """The origin of frame b stays on an axis of frame a; b may slide along this axis and turn about it.

    Arguments: `axis`, `axis_b`, `count_turns` as of :class:`Revolute`.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> body = m.add_body("ring", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0.5))
    >>> joint = m.cylindrical(m.ground, body.frame, axis="z")
    >>> [row.name for row in joint.table()]
    ['across 1', 'across 2', 'tilt 1', 'tilt 2']
    """

    friction: JointFriction | None = field(default=None, kw_only=True)
    glyphs = ("sleeve",)
    coordinates = ("position", "angle")
    motions = (Motion(way.SLIDE, name="position"), Motion(way.TURN, name="angle"))
    bearing = SLEEVE

    def table(self) -> list[PrimitiveRow]:
        axes = self.axes()
        return [*across(axes), *tilts(axes)]


@dataclass(eq=False)
class Prismatic(AxisPair):
    """The origin of frame b stays on an axis of frame a, and the frames do not turn against each other.

    Arguments: `axis`, `axis_b` as of :class:`Revolute`.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> slide = m.add_body("slide", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(2, 0, 0))
    >>> rail = m.prismatic(m.ground, slide.frame, axis="x")
    >>> [row.name for row in rail.table()]
    ['across 1', 'across 2', 'tilt 1', 'tilt 2', 'turn']
    """

    friction: JointFriction | None = field(default=None, kw_only=True)
    glyphs = ("slider",)
    bearing = SLIDE
    coordinates = ("position",)
    senses = (0, 2)
    motions = (Motion(way.SLIDE, name="position"),)

    def table(self) -> list[PrimitiveRow]:
        axes = self.axes()
        return [*across(axes), *tilts(axes), PrimitiveRow("turn", "angle", DOT, axes.on_a[1], axes.on_b[0])]

    def ways(self) -> Ways:
        return self.axes().ways(replace(self.motions[0], own="travel" if self.sticks else ""))

    def assemble(self, assembly: Assembler) -> None:
        super().assemble(assembly)
        if self.sticks:  # it owns the place of b along the axis
            axis = unit_axis(self.axis, self.where)
            start, rate = (
                np.array([x]) for x in (place_along(self.a, self.b, axis), speed_along(self.a, self.b, axis))
            )
            (travel,) = assembly.coordinates(self, [free(["travel"], "length")], start, rate, given=False)
            add_along(assembly, self, self.a, self.b, axis, "travel", 0.0, travel, 1.0, stays=True)
            self.add_sticking(assembly, travel)


@dataclass(eq=False)
class PlanarJoint(TurningPair):
    """The origin of frame b stays in the plane through that of frame a across an axis; b may turn about the axis.

    Arguments: `axis`, across the plane, `axis_b`, `count_turns` as of :class:`Revolute`.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> puck = m.add_body("puck", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(2, 1, 0))
    >>> table = m.planar_joint(m.ground, puck.frame, axis="z")
    >>> [row.name for row in table.table()]
    ['normal', 'tilt 1', 'tilt 2']
    """

    glyphs = ("table",)
    coordinates = ("x", "y", "angle")
    motions = (*IN_PLANE, Motion(way.TURN, way.Z_ALONG_X, name="angle"))

    def table(self) -> list[PrimitiveRow]:
        axes = self.axes()
        return [normal(axes), *tilts(axes)]


@dataclass(eq=False)
class ParallelAxes(TurningPair):
    """An axis of frame b stays parallel to one of frame a; the origins are free.

    Arguments: `axis`, `axis_b`, `count_turns` as of :class:`Revolute`.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> disk = m.add_body("disk", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(2, 1, 1))
    >>> joint = m.parallel_axes(m.ground, disk.frame, axis="z")
    >>> [row.name for row in joint.table()]
    ['tilt 1', 'tilt 2']
    """

    coordinates = ("x", "y", "z", "angle")
    motions = (
        *IN_PLANE, Motion(way.SLIDE, way.Z_ALONG_X, name="z"), Motion(way.TURN, name="angle")
    )  # fmt: skip

    def table(self) -> list[PrimitiveRow]:
        return tilts(self.axes())


@dataclass(eq=False)
class PointOnLine(AxisJoint):
    """The origin of frame b stays on an axis through the origin of frame a; b may turn in any way.

    Arguments: `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> bead = m.add_body("bead", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(2, 0, 0))
    >>> wire = m.point_on_line(m.ground, bead.frame, axis="x")
    >>> [row.name for row in wire.table()]
    ['across 1', 'across 2']
    """

    glyphs = ("ball", "sleeve")
    coordinates = ("position",)
    motions = (Motion(way.SLIDE, name="position"), Motion(way.BALL, name="rotation"))

    def table(self) -> list[PrimitiveRow]:
        return across(self.axes())


@dataclass(eq=False)
class PointInPlane(AxisJoint):
    """The origin of frame b stays in the plane through that of frame a across an axis; b may turn in any way.

    Arguments: `axis`, across the plane: 'x', 'y', 'z' or a direction (3,), in the axes of frame a.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> foot = m.add_body("foot", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(2, 1, 0))
    >>> floor = m.point_in_plane(m.ground, foot.frame, axis="z")
    >>> [row.name for row in floor.table()]
    ['normal']
    """

    glyphs = ("ball", "table")
    coordinates = ("x", "y")
    motions = (*IN_PLANE, Motion(way.BALL, way.Z_ALONG_X, name="rotation"))

    def table(self) -> list[PrimitiveRow]:
        return [normal(self.axes())]


@dataclass(eq=False)
class Universal(LowerPair):
    """The origins of two frames coincide, and they turn about the two axes of a cross: one fixed to a, one to b.

        g = u · w − cos α,    u, w the axes, α the angle between them

    Its angles are `angle1`, of the cross against a about u, and `angle2`, of b against the cross about w.

    Arguments: `axis` u: 'x', 'y', 'z' or a direction (3,), in the axes of frame a; `axis_b` w, in those of frame b;
    `angle` α [rad] of the cross, a right angle when not given (skew axes of a gimbal have others).

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> shaft = m.add_body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> joint = m.universal(m.ground, shaft.frame, axis="x", axis_b="y")
    >>> [row.name for row in joint.table()]
    ['x', 'y', 'z', 'cross']
    """

    _: KW_ONLY
    axis: Any = "x"
    axis_b: Any = "y"
    angle: float = 0.5 * np.pi
    glyphs = ("cross",)
    coordinates = ("angle1", "angle2")

    def check(self) -> None:
        super().check()
        self.angle = checks.number(self.angle, "angle", self.where)
        if not SMALLEST_ANGLE < self.angle < np.pi - SMALLEST_ANGLE:
            raise ModelError(
                f"{self.where}: angle is {self.angle:g} rad; the axes of a cross lie between {SMALLEST_ANGLE:g} and "
                f"{np.pi - SMALLEST_ANGLE:.6g} rad to each other"
            )
        u, w = self._axes_at_start()
        between = float(np.arctan2(np.linalg.norm(np.cross(u, w)), u @ w))
        if abs(between - self.angle) > SAME_ANGLE:
            raise ModelError(
                f"{self.where}: at the start axis and axis_b are {np.degrees(between):.6g}° from each other, and the "
                f"cross has {np.degrees(self.angle):.6g}°; give axes at that angle, or the angle of the cross, angle=…"
            )

    def _axes_at_start(self) -> tuple[np.ndarray, np.ndarray]:
        """Both axes in those of the ground."""
        given = (self.a, unit_axis(self.axis, self.where)), (self.b, unit_axis(self.axis_b, self.where, "axis_b", "b"))
        u, w = (np.array(turned(tuple(frame.quaternion), tuple(axis))) for frame, axis in given)
        return u, w

    def axes(self) -> HingeAxes:
        """z along the axis of each body, x the direction of the other one's axis at the start, across its own."""
        u, w = self._axes_at_start()
        own = []
        for frame, z, other in ((self.a, u, w), (self.b, w, u)):
            y = np.cross(z, other)
            y /= np.linalg.norm(y)
            at_start = scipy.spatial.transform.Rotation.from_matrix(np.column_stack([np.cross(y, z), y, z]))
            own.append(tuple(scalar_first(frame.orientation.inv() * at_start).tolist()))
        return HingeAxes(self.a, self.b, *own)

    def ways(self) -> Ways:
        # the cross, from the axes on b to those on a while both angles are zero
        cross = product(about_z(np.pi), about_y(-self.angle))
        return self.axes().ways(Motion(way.TURN, name="angle1"), Motion(way.TURN, cross, name="angle2"))

    def table(self) -> list[PrimitiveRow]:
        axes, value = self.axes(), float(np.cos(self.angle))
        return [*ONE_POINT, PrimitiveRow("cross", "angle", DOT, axes.on_a[2], axes.on_b[2], value)]
