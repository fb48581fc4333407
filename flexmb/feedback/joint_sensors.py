"""Sensors in joints: their angles and positions, and their forces, in plane and space alike.

What is measured is that of frame b against frame a, right-handed about the axis of the joint, zero in the position in
which the model starts, as a solution has it: 'hinge.angle', 'slide.position'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.frame_sensors import said
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Component
from flexmb.model.spatial_frames import unit_axis
from flexmb.quantities.of_joints import ANGLES, LENGTHS, JointFrames
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.results.asked import joint_between
from flexmb.results.solution import Solution


def _pair(joint: Component) -> PairPlace | None:
    """Place of a component between two frames; None if it is not one."""
    place = joint.place()
    return place if isinstance(place, PairPlace) else None


def _between(joint: Component) -> JointFrames:
    """A joint with its frames."""
    pair, frames = _pair(joint), joint.frames()[0].model.frames
    assert pair is not None
    return joint_between(joint.name, pair, frames[pair.a], frames[pair.b])


@dataclass(frozen=True, eq=False)
class _JointCoordinate(Sensor):
    """A coordinate of a joint, or its rate."""

    joint: Component
    coordinate: str = ""
    _what, _suffix = "position", ""
    _known: ClassVar[tuple[str, ...]] = LENGTHS
    _other = ""  # what reads the joint's other coordinates

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        checks.text(self.coordinate, "coordinate", kind)
        self._must_be(Component, self.joint, "joint; give what a method of the model returned")
        place = self._place
        if place is None:
            between = "RelativeAngle(a, b)" if self.joint.dimension == 2 else "AttitudeError(b, axis, against=a)"
            raise ModelError(
                f"{kind}: {self.joint.where} is no joint with a coordinate; take {between}, which reads between any "
                "two frames"
            )
        own = [x for x in place.coordinates if x in self._known]
        if not own:
            has = ", ".join(place.coordinates) or "none that is measured"
            raise ModelError(f"{kind}: {self.joint.where} has other coordinates ({has}); take {self._other}")
        if not self.coordinate and len(own) > 1:
            raise ModelError(f"{kind}: {self.joint.where} has several: {', '.join(own)}; say which, coordinate=…")
        object.__setattr__(self, "coordinate", self.coordinate or own[0])
        checks.choice(self.coordinate, own, "coordinate", f"{kind} of {self.joint.where}")

    @property
    def _place(self) -> JointPlace | None:
        pair = _pair(self.joint)
        return None if pair is None or pair.joint is None or not pair.joint.coordinates else pair.joint

    @property
    def name(self) -> str:
        return f"{self._what} of {self.joint.name}"

    def parts(self) -> list[Component]:
        return [self.joint]

    def function_of_state(self, places: Places) -> Quantity:
        return _between(self.joint).quantity(f"{self.coordinate}{self._suffix}", places)

    @property
    def _quantity(self) -> str:
        """Name of the measured quantity in a solution."""
        return f"{self.joint.name}.{self.coordinate}{self._suffix}"

    def measured(self, solution: Solution) -> np.ndarray:
        return solution[self._quantity]


@dataclass(frozen=True, eq=False)
class JointAngle(_JointCoordinate):
    """The angle of a joint [rad], b against a: of a hinge, a pin in a slot, a cylindrical joint, a screw …; of a
    universal joint the `coordinate` 'angle1' or 'angle2'.

    It is counted through all turns. In the plane it counts by itself, and so does a joint with `count_turns=True`. In
    others the turns follow from the last reading and from the rates at both: a run whose controller reads so rarely
    that they are in doubt ends.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("fan")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> hinge = m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    >>> wheel.frame.move(angular_velocity=(0, 0, 30.0))
    >>> motor = m.point_torque(wheel.frame, (0, 0, 1.0), factor=0.0, name="motor")
    >>> read = [fm.control.JointAngle(hinge), fm.control.JointRate(hinge)]
    >>> servo = m.add_controller("servo", period=0.01, sensors=read, commands=motor, law=[[0.0, 0.0]])
    >>> fm.simulate(m, 1.0, step=0.01).control["servo"].y[-1].round(9).tolist()
    [29.7, 30.0]
    """

    unit = "rad"
    _what = "angle"
    _known: ClassVar[tuple[str, ...]] = ANGLES
    _other = "JointPosition(joint), or AttitudeError(b, axis, against=a) where it turns about a point"

    @property
    def turning(self) -> str:
        place = self._place
        counts = place is None or place.counted or self.joint.stands_in == 2
        return "" if counts else self._quantity


@dataclass(frozen=True, eq=False)
class JointRate(JointAngle):
    """The rate of that angle [rad/s].

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("fan")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> axle = m.revolute(m.ground, wheel.frame, axis="z", name="axle")
    >>> push = m.point_torque(wheel.frame, (0, 0, 1.0))
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> fm.control.JointRate(axle).readings(run)[-1].round(6).item()  # 1 Nm for 1 s on 0.2 kg m²
    5.0
    """

    unit = "rad/s"
    _what, _suffix = "rate", "_rate"
    turning = ""  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class JointPosition(_JointCoordinate):
    """The position of a joint [m], b against a along its axis: of a slide, a pin in a slot, a cylindrical joint, a
    screw; of joints with several the `coordinate` 'x', 'y' or 'z' in the axes of the joint on a.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("lift", gravity=(0, 0, -10.0))
    >>> cabin = m.add_body("cabin", mass=1.0, inertia=(1, 1, 1))
    >>> rail = m.prismatic(m.ground, cabin.frame, axis="z", name="rail")
    >>> falls = fm.simulate(m, 1.0, step=0.1)
    >>> sensors = fm.control.JointPosition(rail), fm.control.JointSpeed(rail)
    >>> [float(sensor.readings(falls)[-1].round(6)) for sensor in sensors]
    [-5.0, -10.0]
    """

    unit = "m"
    _what = "position"
    _other = "JointAngle(joint)"


@dataclass(frozen=True, eq=False)
class JointSpeed(JointPosition):
    """The rate of that position [m/s].

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("lift", gravity=(0, 0, -10.0))
    >>> cabin = m.add_body("cabin", mass=1.0, inertia=(1, 1, 1))
    >>> rail = m.prismatic(m.ground, cabin.frame, axis="z", name="rail")
    >>> fm.control.JointSpeed(rail).readings(fm.simulate(m, 1.0, step=0.1))[-1].round(6).item()
    -10.0
    """

    unit = "m/s"
    _what, _suffix = "speed", "_rate"


@dataclass(frozen=True, eq=False)
class LoadCell(Sensor):
    """The force of a joint on frame b [N], as a load cell in the joint reads it, along a `direction` that turns with
    frame a: in space 'x', 'y', 'z' or (3,) in the axes of the joint, z along its axis; in the plane an angle [rad] from
    the axis of a slider, or from frame a. It is a component of `solution.reaction(joint, axes="joint")`.

    A joint whose force the motion does not determine, because others repeat it, is refused.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("scale", gravity=(0, 0, -10.0))
    >>> load = m.add_body("load", mass=2.0, inertia=(1, 1, 1))
    >>> cell = m.weld(m.ground, load.frame, name="cell")
    >>> fm.control.LoadCell(cell, "z").readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    [20.0, 20.0]
    """

    joint: Component
    direction: Any = None
    unit = "N"
    _what, _along, _moment = "force", "along", 0

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        self._must_be(Component, self.joint, "joint; give what a method of the model returned")
        pair = _pair(self.joint)
        if pair is None:
            raise ModelError(f"{kind}: {self.joint.where} is not between two frames, and has no force on one of them")
        if self._in_space:
            object.__setattr__(self, "direction", "z" if self.direction is None else self.direction)
            unit_axis(self.direction, kind, "direction", f"a of {self.joint.where}")
            if pair.joint is None and not isinstance(pair.axis, tuple):
                raise ModelError(f"{kind}: no axes of {self.joint.where} are known; take a joint, in series with it")
        elif self._moment:
            if self.direction is not None:
                raise ModelError(
                    f"{kind}: {self.joint.where} is in the plane, where moments are about z; leave out direction"
                )
        else:
            object.__setattr__(self, "direction", 0.0 if self.direction is None else self.direction)
            checks.check_fields(self, checks.number, kind, "direction")

    @property
    def _in_space(self) -> bool:
        return self.joint.stands_in == 3

    @property
    def name(self) -> str:
        if self._in_space:
            return f"{self._what} of {self.joint.name} {self._along} {said(self.direction)}"
        turned_by = f" {self._along} {self.direction:g}" if self.direction else ""
        return f"{self._what} of {self.joint.name}{turned_by}"

    def parts(self) -> list[Component]:
        return [self.joint]

    def function_of_state(self, places: Places) -> Quantity:
        direction = unit_axis(self.direction, self.name) if self._in_space else self.direction or 0.0
        return _between(self.joint).reaction_along(direction, bool(self._moment), places)


@dataclass(frozen=True, eq=False)
class TorqueMeter(LoadCell):
    """The moment of a joint on frame b [Nm], about the origin of b and a `direction` in the axes of the joint that
    turns with frame a: with a drive, that of its motor, by default about the axis; in the plane about z.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("crane", gravity=(0, 0, -10.0))
    >>> boom = m.add_body("boom", mass=2.0, inertia=(1, 1, 1), position=(3.0, 0, 0))
    >>> foot = m.weld(m.ground, boom.frame.attach("root", (-3.0, 0, 0)), name="foot")
    >>> fm.control.TorqueMeter(foot, "y").readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    [-60.0, -60.0]
    """

    unit = "Nm"
    _what, _along, _moment = "moment", "about", 1
