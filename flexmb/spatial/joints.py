"""Joints of a model in space: a method for each kind."""

from __future__ import annotations

import math
from typing import Any

from flexmb.joints.friction import JointFriction
from flexmb.joints.spatial import (
    Belt,
    ConstantVelocity,
    Coupling,
    Cylindrical,
    Distance,
    Gear,
    KnifeEdge,
    Lock,
    ParallelAxes,
    PlanarJoint,
    PointInPlane,
    PointOnCurve,
    PointOnLine,
    Prismatic,
    RackAndPinion,
    Revolute,
    RollingOnCylinder,
    RollingOnSphere,
    RollingSphere,
    RollingWheel,
    Screw,
    Spherical,
    Universal,
    Weld,
)
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.model.frames import as_frame, both
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Frame, SpatialFrameLike


class JointVerbs(Model):
    """What holds two frames of a :class:`~flexmb.spatial.model.SpatialModel` together; a body that is given for a frame
    means its own.

    An `axis` is 'x', 'y', 'z' or a direction (3,) in the axes of frame a; `axis_b` one in those of frame b, the same
    line at the start when not given. What moves is measured b against a, right-handed, angles from the start on; with
    `count_turns` a joint owns a coordinate that counts all turns of its angle.
    """

    ground: Frame

    def weld(self, a: SpatialFrameLike, b: SpatialFrameLike, *, name: str | None = None) -> Weld:
        """Two frames do not move against each other, see
        :class:`~flexmb.joints.spatial.lower_pairs.Weld`."""
        return self.add(Weld(self.auto_name(name, "weld"), *both(a, b)))

    def spherical(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Spherical:
        """The origins of two frames coincide, see :class:`~flexmb.joints.spatial.lower_pairs.Spherical`."""
        return self.add(Spherical(self.auto_name(name, "spherical"), *both(a, b), friction=friction))

    def revolute(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        count_turns: bool = False,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Revolute:
        """A hinge about an axis, see :class:`~flexmb.joints.spatial.lower_pairs.Revolute`."""
        return self.add(
            Revolute(self.auto_name(name, "revolute"), *both(a, b), axis, axis_b, count_turns, friction=friction)
        )

    def prismatic(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Prismatic:
        """Frame b slides along an axis of frame a, see
        :class:`~flexmb.joints.spatial.lower_pairs.Prismatic`."""
        return self.add(Prismatic(self.auto_name(name, "prismatic"), *both(a, b), axis, axis_b, friction=friction))

    def cylindrical(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        count_turns: bool = False,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Cylindrical:
        """Frame b slides along an axis of frame a and turns about it, see
        :class:`~flexmb.joints.spatial.lower_pairs.Cylindrical`."""
        return self.add(
            Cylindrical(self.auto_name(name, "cylindrical"), *both(a, b), axis, axis_b, count_turns, friction=friction)
        )

    def universal(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "x",
        axis_b: Any = "y",
        angle: float = 0.5 * math.pi,
        name: str | None = None,
    ) -> Universal:
        """A cross with the axis `axis` of frame a and `axis_b` of frame b, at an `angle` [rad] to each other, see
        :class:`~flexmb.joints.spatial.lower_pairs.Universal`."""
        return self.add(Universal(self.auto_name(name, "universal"), *both(a, b), axis, axis_b, angle))

    def planar_joint(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        count_turns: bool = False,
        name: str | None = None,
    ) -> PlanarJoint:
        """Frame b moves in a plane of frame a, across an axis, see
        :class:`~flexmb.joints.spatial.lower_pairs.PlanarJoint`."""
        return self.add(PlanarJoint(self.auto_name(name, "planar_joint"), *both(a, b), axis, axis_b, count_turns))

    def parallel_axes(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        count_turns: bool = False,
        name: str | None = None,
    ) -> ParallelAxes:
        """An axis of frame b stays parallel to one of frame a, see
        :class:`~flexmb.joints.spatial.lower_pairs.ParallelAxes`."""
        return self.add(ParallelAxes(self.auto_name(name, "parallel_axes"), *both(a, b), axis, axis_b, count_turns))

    def point_on_line(
        self, a: SpatialFrameLike, b: SpatialFrameLike, *, axis: Any = "z", name: str | None = None
    ) -> PointOnLine:
        """The origin of b stays on an axis of a, see :class:`~flexmb.joints.spatial.lower_pairs.PointOnLine`."""
        return self.add(PointOnLine(self.auto_name(name, "point_on_line"), *both(a, b), axis))

    def point_in_plane(
        self, a: SpatialFrameLike, b: SpatialFrameLike, *, axis: Any = "z", name: str | None = None
    ) -> PointInPlane:
        """The origin of b stays in a plane of a, across an axis, see
        :class:`~flexmb.joints.spatial.lower_pairs.PointInPlane`."""
        return self.add(PointInPlane(self.auto_name(name, "point_in_plane"), *both(a, b), axis))

    def distance(
        self, a: SpatialFrameLike, b: SpatialFrameLike, distance: float | None = None, *, name: str | None = None
    ) -> Distance:
        """Two origins keep a distance [m], that of the model when not given, see
        :class:`~flexmb.joints.spatial.distance.Distance`."""
        return self.add(Distance(self.auto_name(name, "distance"), *both(a, b), distance))

    def lock(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        coordinate: str,
        value: float | None = None,
        *,
        axis: Any = "z",
        name: str | None = None,
    ) -> Lock:
        """A coordinate of b in the axes of a keeps its value, see :class:`~flexmb.joints.spatial.lock.Lock`."""
        return self.add(Lock(self.auto_name(name, "lock"), *both(a, b), coordinate, value, axis))

    def screw(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        pitch: float,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Screw:
        """Frame b travels along an axis of frame a by `pitch` [m/rad] as it turns, see
        :class:`~flexmb.joints.spatial.screw.Screw`."""
        return self.add(Screw(self.auto_name(name, "screw"), *both(a, b), axis, axis_b, pitch=pitch, friction=friction))

    def constant_velocity(
        self, a: SpatialFrameLike, b: SpatialFrameLike, *, axis: Any = "z", axis_b: Any = None, name: str | None = None
    ) -> ConstantVelocity:
        """Two shafts that meet turn at the same speed at every bend, see
        :class:`~flexmb.joints.spatial.constant_velocity.ConstantVelocity`."""
        return self.add(ConstantVelocity(self.auto_name(name, "constant_velocity"), *both(a, b), axis, axis_b))

    def point_on_curve(
        self, a: SpatialFrameLike, b: SpatialFrameLike, through: Any, *, closed: bool = False, name: str | None = None
    ) -> PointOnCurve:
        """The origin of b stays on a spline through `through` (n, 3) [m] of frame a, see
        :class:`~flexmb.joints.spatial.point_on_curve.PointOnCurve`."""
        return self.add(PointOnCurve(self.auto_name(name, "point_on_curve"), *both(a, b), through, closed))

    def coupling(
        self,
        joint: LowerPair,
        other: LowerPair,
        ratio: float,
        *,
        coordinate: str | None = None,
        other_coordinate: str | None = None,
        name: str | None = None,
    ) -> Coupling:
        """A coordinate of the joint `other` moves `ratio` times as much as one of `joint`, see
        :class:`~flexmb.joints.spatial.coupling.Coupling`."""
        name = self.auto_name(name, "coupling")
        return self.add(Coupling(name, joint, other, ratio, coordinate, other_coordinate))

    def gear(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        ratio: float,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        carrier: SpatialFrameLike | None = None,
        carrier_b: SpatialFrameLike | None = None,
        name: str | None = None,
    ) -> Gear:
        """Wheel b turns `ratio` times as much as wheel a, each about its axis on its carrier, see
        :class:`~flexmb.joints.spatial.gear.Gear`. Axes are those of frames a and b."""
        return self.add(
            Gear(self.auto_name(name, "gear"), *both(a, b), ratio, axis, axis_b, as_frame(carrier), as_frame(carrier_b))
        )

    def belt(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius_a: float,
        radius_b: float,
        *,
        axis: Any = "z",
        axis_b: Any = None,
        crossed: bool = False,
        carrier: SpatialFrameLike | None = None,
        name: str | None = None,
    ) -> Belt:
        """A belt runs over two pulleys with radii [m], see :class:`~flexmb.joints.spatial.gear.Belt`."""
        return self.add(
            Belt(
                self.auto_name(name, "belt"), *both(a, b), radius_a, radius_b, axis, axis_b, crossed, as_frame(carrier)
            )
        )

    def rack_and_pinion(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius: float,
        *,
        axis: Any = "z",
        along: Any = "x",
        carrier: SpatialFrameLike | None = None,
        name: str | None = None,
    ) -> RackAndPinion:
        """Rack b travels along its direction `along` as pinion a turns about its `axis`, see
        :class:`~flexmb.joints.spatial.gear.RackAndPinion`."""
        return self.add(
            RackAndPinion(self.auto_name(name, "rack_and_pinion"), *both(a, b), radius, axis, along, as_frame(carrier))
        )

    def rolling_wheel(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius: float,
        *,
        normal: Any = "z",
        axle: Any = "y",
        crown: float = 0.0,
        lateral: bool = True,
        name: str | None = None,
    ) -> RollingWheel:
        """A wheel about the origin of b rolls without slip on a plane through that of a, see
        :class:`~flexmb.joints.spatial.rolling.RollingWheel`."""
        return self.add(
            RollingWheel(self.auto_name(name, "rolling_wheel"), *both(a, b), radius, normal, axle, crown, lateral)
        )

    def rolling_sphere(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius: float,
        *,
        normal: Any = "z",
        free_spin: bool = True,
        name: str | None = None,
    ) -> RollingSphere:
        """A sphere about the origin of b rolls without slip on a plane through that of a, see
        :class:`~flexmb.joints.spatial.rolling.RollingSphere`."""
        return self.add(RollingSphere(self.auto_name(name, "rolling_sphere"), *both(a, b), radius, normal, free_spin))

    def rolling_on_sphere(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius_a: float,
        radius: float,
        *,
        axis: Any = None,
        inside: bool = False,
        free_spin: bool = True,
        name: str | None = None,
    ) -> RollingOnSphere:
        """A sphere about the origin of b rolls without slip on one about that of a, or inside it, see
        :class:`~flexmb.joints.spatial.rolling_bodies.RollingOnSphere`."""
        name = self.auto_name(name, "rolling_on_sphere")
        return self.add(RollingOnSphere(name, *both(a, b), radius, radius_a, axis, inside, free_spin))

    def rolling_on_cylinder(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        radius_a: float,
        radius: float,
        *,
        axis: Any = "z",
        inside: bool = False,
        free_spin: bool = True,
        parallel: bool = False,
        name: str | None = None,
    ) -> RollingOnCylinder:
        """A wheel, a roller or a sphere about the origin of b rolls without slip on a cylinder about an axis of a, or
        inside it, see :class:`~flexmb.joints.spatial.rolling_bodies.RollingOnCylinder`."""
        name = self.auto_name(name, "rolling_on_cylinder")
        return self.add(RollingOnCylinder(name, *both(a, b), radius, radius_a, axis, inside, free_spin, parallel))

    def knife_edge(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        normal: Any = "z",
        heading: Any = "x",
        name: str | None = None,
    ) -> KnifeEdge:
        """A blade at the origin of b stays on a plane through the origin of frame a and does not slip sideways, see
        :class:`~flexmb.joints.spatial.knife_edge.KnifeEdge`."""
        return self.add(KnifeEdge(self.auto_name(name, "knife_edge"), *both(a, b), normal, heading))
