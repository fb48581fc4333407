"""Constraints between frames, one joint a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexmb.joints.base import Joint
from flexmb.joints.distance import Distance, DriveDistance
from flexmb.joints.drive_angle import DriveAngle
from flexmb.joints.drive_position import DrivePosition
from flexmb.joints.gear import Gear
from flexmb.joints.lock import Lock
from flexmb.joints.pin_in_slot import PinInSlot
from flexmb.joints.prismatic import Prismatic
from flexmb.joints.revolute import Revolute
from flexmb.joints.weld import Weld

if TYPE_CHECKING:
    from flexmb.model.frames import Frame
    from flexmb.model.functions import TimeFunction
    from flexmb.model.planar import PlanarModel

__all__ = [
    "Distance",
    "DriveAngle",
    "DriveDistance",
    "DrivePosition",
    "Gear",
    "Joining",
    "Joint",
    "Lock",
    "PinInSlot",
    "Prismatic",
    "Revolute",
    "Weld",
]


class Joining:
    """The joints as methods of a model; the first frame is the one that the second is measured against.

    The force that a joint puts on the second frame is −Gᵀ λ, see :mod:`flexmb.joints.base`.
    """

    def revolute(self: PlanarModel, a: Frame, b: Frame, *, name: str | None = None) -> Revolute:  # type: ignore[misc]
        """Two frames share a point, see :class:`Revolute`."""
        return self.add(Revolute(self.auto_name(name, "revolute"), a, b))

    def prismatic(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        *,
        axis: float = 0.0,
        name: str | None = None,
    ) -> Prismatic:
        """Frame b slides along an axis of frame a (its angle there [rad]), see :class:`Prismatic`."""
        return self.add(Prismatic(self.auto_name(name, "prismatic"), a, b, axis))

    def weld(self: PlanarModel, a: Frame, b: Frame, *, name: str | None = None) -> Weld:  # type: ignore[misc]
        """Two frames move as one, see :class:`Weld`."""
        return self.add(Weld(self.auto_name(name, "weld"), a, b))

    def pin_in_slot(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        *,
        axis: float = 0.0,
        name: str | None = None,
    ) -> PinInSlot:
        """The origin of b stays on an axis of frame a (its angle there [rad]), see :class:`PinInSlot`."""
        return self.add(PinInSlot(self.auto_name(name, "pin_in_slot"), a, b, axis))

    def distance(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        distance: float | None = None,
        *,
        name: str | None = None,
    ) -> Distance:
        """Two origins keep a distance [m], that of the model when not given, see :class:`Distance`."""
        return self.add(Distance(self.auto_name(name, "distance"), a, b, distance))

    def gear(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        ratio: float,
        *,
        carrier: Frame | None = None,
        name: str | None = None,
    ) -> Gear:
        """Frame b turns `ratio` times as much as frame a, seen from a carrier, see :class:`Gear`."""
        return self.add(Gear(self.auto_name(name, "gear"), a, b, ratio, carrier))

    def lock(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        coordinate: str,
        value: float | None = None,
        *,
        name: str | None = None,
    ) -> Lock:
        """The coordinate 'x', 'y' or 'angle' of b in the axes of a keeps its value, see :class:`Lock`."""
        return self.add(Lock(self.auto_name(name, "lock"), a, b, coordinate, value))

    def drive_angle(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        angle: TimeFunction | float,
        *,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DriveAngle:
        """The angle of b against a follows a function of time [rad], see :class:`DriveAngle`."""
        return self.add(DriveAngle(self.auto_name(name, "drive_angle"), a, b, angle, relative_to_start))

    def drive_position(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        position: TimeFunction | float,
        *,
        axis: float = 0.0,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DrivePosition:
        """The origin of b along an axis of a follows a function of time [m], see :class:`DrivePosition`."""
        name = self.auto_name(name, "drive_position")
        return self.add(DrivePosition(name, a, b, position, axis, relative_to_start))

    def drive_distance(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        distance: TimeFunction | float,
        *,
        name: str | None = None,
    ) -> DriveDistance:
        """The distance between two origins follows a function of time [m], see :class:`DriveDistance`."""
        return self.add(DriveDistance(self.auto_name(name, "drive_distance"), a, b, distance))
