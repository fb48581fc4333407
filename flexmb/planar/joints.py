"""The joints and drives of a model in the plane."""

from __future__ import annotations

from flexmb.joints.friction import JointFriction
from flexmb.joints.planar import (
    Distance,
    DriveAngle,
    DriveDistance,
    DrivePosition,
    Gear,
    KnifeEdge,
    Lock,
    PinInSlot,
    Prismatic,
    Revolute,
    RollingOnCircle,
    RollingOnLine,
    Weld,
)
from flexmb.model.frames import Frame, FrameLike, as_frame, both
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import Model


class PlanarJointVerbs(Model):
    """A method for each joint and drive of the plane. The second frame is measured against the first; a body that is
    given for a frame means its own."""

    ground: Frame

    def revolute(
        self, a: FrameLike, b: FrameLike, *, friction: JointFriction | None = None, name: str | None = None
    ) -> Revolute:
        """A hinge: two frames share a point, see :class:`Revolute`."""
        return self.add(Revolute(self.auto_name(name, "revolute"), *both(a, b), friction))

    def prismatic(
        self,
        a: FrameLike,
        b: FrameLike,
        *,
        axis: float = 0.0,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Prismatic:
        """Frame b slides along an axis of frame a, at the angle `axis` [rad] there, see :class:`Prismatic`."""
        return self.add(Prismatic(self.auto_name(name, "prismatic"), *both(a, b), axis, friction))

    def weld(self, a: FrameLike, b: FrameLike, *, name: str | None = None) -> Weld:
        """Two frames move as one, see :class:`Weld`."""
        return self.add(Weld(self.auto_name(name, "weld"), *both(a, b)))

    def pin_in_slot(
        self,
        a: FrameLike,
        b: FrameLike,
        *,
        axis: float = 0.0,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> PinInSlot:
        """The origin of b stays on an axis of frame a, at the angle `axis` [rad] there, see :class:`PinInSlot`."""
        return self.add(PinInSlot(self.auto_name(name, "pin_in_slot"), *both(a, b), axis, friction))

    def distance(
        self, a: FrameLike, b: FrameLike, distance: float | None = None, *, name: str | None = None
    ) -> Distance:
        """Two origins keep a distance [m], that of the model when not given, see :class:`Distance`."""
        return self.add(Distance(self.auto_name(name, "distance"), *both(a, b), distance))

    def gear(
        self, a: FrameLike, b: FrameLike, ratio: float, *, carrier: FrameLike | None = None, name: str | None = None
    ) -> Gear:
        """Frame b turns `ratio` times as much as frame a, seen from a carrier, see :class:`Gear`."""
        return self.add(Gear(self.auto_name(name, "gear"), *both(a, b), ratio, as_frame(carrier)))

    def lock(
        self, a: FrameLike, b: FrameLike, coordinate: str, value: float | None = None, *, name: str | None = None
    ) -> Lock:
        """The coordinate 'x', 'y' or 'angle' of b in the axes of a keeps its value, see :class:`Lock`."""
        return self.add(Lock(self.auto_name(name, "lock"), *both(a, b), coordinate, value))

    def knife_edge(self, a: FrameLike, b: FrameLike, *, angle: float = 0.0, name: str | None = None) -> KnifeEdge:
        """A blade or a wheel at the origin of b, with its heading at `angle` [rad] there, does not slip sideways over
        the body of frame a, see :class:`KnifeEdge`."""
        return self.add(KnifeEdge(self.auto_name(name, "knife_edge"), *both(a, b), angle))

    def rolling_on_line(
        self, a: FrameLike, b: FrameLike, radius: float, *, axis: float = 0.0, name: str | None = None
    ) -> RollingOnLine:
        """A circle about the origin of b rolls without slip on a line through that of a, on the left of its direction
        at the angle `axis` [rad] there, see :class:`RollingOnLine`."""
        return self.add(RollingOnLine(self.auto_name(name, "rolling_on_line"), *both(a, b), radius, axis))

    def rolling_on_circle(
        self,
        a: FrameLike,
        b: FrameLike,
        radius_a: float,
        radius: float,
        *,
        inside: bool = False,
        name: str | None = None,
    ) -> RollingOnCircle:
        """A circle about the origin of b rolls without slip on one about that of a, or inside it, see
        :class:`RollingOnCircle`."""
        return self.add(
            RollingOnCircle(self.auto_name(name, "rolling_on_circle"), *both(a, b), radius, radius_a, inside)
        )

    def drive_angle(
        self,
        a: FrameLike,
        b: FrameLike,
        angle: TimeFunction | float,
        *,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DriveAngle:
        """The angle of b against a follows a function of time [rad], see :class:`DriveAngle`."""
        return self.add(DriveAngle(self.auto_name(name, "drive_angle"), *both(a, b), angle, relative_to_start))

    def drive_position(
        self,
        a: FrameLike,
        b: FrameLike,
        position: TimeFunction | float,
        *,
        axis: float = 0.0,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DrivePosition:
        """The origin of b along an axis of a follows a function of time [m], see :class:`DrivePosition`."""
        name = self.auto_name(name, "drive_position")
        return self.add(DrivePosition(name, *both(a, b), position, axis, relative_to_start))

    def drive_distance(
        self, a: FrameLike, b: FrameLike, distance: TimeFunction | float, *, name: str | None = None
    ) -> DriveDistance:
        """The distance between two origins follows a function of time [m], see :class:`DriveDistance`."""
        return self.add(DriveDistance(self.auto_name(name, "drive_distance"), *both(a, b), distance))
