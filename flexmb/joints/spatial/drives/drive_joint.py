"""Drive of a coordinate of a joint in space: it follows a function of time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.coordinates import COORDINATE_DRIVE, OnJoint
from flexmb.joints.planar.joint import Joint
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.joints.spatial.rows.along import add_along, place_along, speed_along
from flexmb.joints.spatial.rows.counted_angle import count_turns
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.rotations import turned_back
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.functions.time_function import TimeFunction, as_motion

#: the coordinates that a drive can move, and for places the axis of the joint along which they are
PLACES = {"x": 0, "y": 1, "z": 2, "position": 2}
ANGLES = ("angle", "angle1", "angle2")


@dataclass(eq=False)
class DriveJoint(OnJoint, Component):
    """A coordinate of a joint, b against a, follows a function of time.

        g = s − f(t)               for an angle, s counted through all turns from the start
        g = e · (r_b − r_a) − f(t)  for a place along an axis e of the joint

    The moment or the force on b along it is −λ; of a cross, 'angle1' is driven between a and the cross, 'angle2'
    between the cross and b.

    Arguments: `joint`, a joint in space that has coordinates; `motion` f(t) [rad or m], a number or a function of time;
    `coordinate`, one of those that the joint has: 'angle' of a hinge, 'angle1' and 'angle2' of a universal joint,
    'position' along an axis, 'x', 'y', 'z' in its axes; the only one when not given. Orientations, as of a spherical
    joint, are driven by drive_rotation.

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> ring = m.add_body("ring", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0.5))
    >>> sleeve = m.cylindrical(m.ground, ring.frame, axis="z")
    >>> lift = m.drive_joint(sleeve, fm.Polynomial([0.5, 0.1]), coordinate="position")
    >>> turn = m.drive_joint(sleeve, fm.Polynomial([0.0, 20.0]), coordinate="angle", name="turn")
    >>> motion = fm.kinematics(m, 2.0, steps=10)
    >>> motion["ring"].position[-1].round(9).tolist(), float(motion.coordinate("turn.turn")[-1].round(9))
    ([0.0, 0.0, 0.7], 40.0)
    """

    joint: LowerPair
    motion: TimeFunction | float
    _: KW_ONLY
    coordinate: str | None = None
    kind = "joint"
    prescribed = "motion"
    glyphs = ("motor",)
    dimension = 3

    @property
    def prescribed_unit(self) -> str:  # type: ignore[override]
        """The unit of its motion."""
        return "m" if self.driven in PLACES else "rad"

    @property
    def measures_from_start(self) -> bool:
        return self.driven in ANGLES

    @property
    def driven(self) -> str:
        """The coordinate that it drives."""
        return chosen(self.joint, self.coordinate, self.where)

    def place(self) -> PairPlace:
        """The axes are those of the joint, which itself says what is measured in them."""
        place = self.joint.place()
        own = None if place.joint is None else replace(place.joint, coordinates=(), counted="", acts=(self.driven,))
        return replace(place, glyphs=self.glyphs, joint=own)

    def check(self) -> None:
        if isinstance(self.joint, LowerPair) and not single(self.joint):
            turns = "; use drive_rotation" if self.joint.coordinates else ""
            raise ModelError(f"{self.where}: {self.joint.where} has no coordinate that a drive could move{turns}")
        chosen(self.joint, self.coordinate, self.where)
        self.motion = as_motion(self.motion, "motion", self.where)

    def assemble(self, assembly: Assembler) -> None:
        f = assembly.prescribed(self)
        if self.driven in PLACES:
            axis = place_axis(self.joint, self.driven)
            add_along(assembly, self, self.a, self.b, axis, self.driven, f, prescribed=0)
            return
        s = count_joint(assembly, self, self.joint, self.driven)
        assembly.instance(self, COORDINATE_DRIVE, s, f.parameters(), [(self.driven, "angle")], prescribed=0)


def single(joint: LowerPair | Joint) -> list[str]:
    """The coordinates of a joint that are one angle or one place each."""
    return [name for name in joint.coordinates if name in PLACES or name in ANGLES]


def chosen(joint: Any, coordinate: str | None, where: str) -> str:
    """A coordinate of a joint that is one angle or one place: the one that is named, or the only one."""
    if not isinstance(joint, LowerPair | Joint):
        raise ModelError(f"{where}: joint is {checks.quoted(joint)}; give a joint that has coordinates")
    able = single(joint)
    if not able:
        raise ModelError(f"{where}: {joint.where} has no coordinate that is one angle or one place")
    if coordinate is None and len(able) > 1:
        raise ModelError(f"{where}: {joint.where} has the coordinates {', '.join(able)}; say which one")
    return able[0] if coordinate is None else checks.choice(coordinate, able, f"coordinate of {joint.where}", where)


def own_coordinate(
    assembly: Assembler, owner: Component, joint: LowerPair, coordinate: str, name: str
) -> tuple[Numbers, float]:
    """A new coordinate of `owner`, which is an angle of a joint, counted from the start, or a place, measured from the
    origin of frame a; and its value at the start [rad or m]."""
    if coordinate in ANGLES:
        return count_joint(assembly, owner, joint, coordinate, name), 0.0
    axis = place_axis(joint, coordinate)
    start, rate = place_along(joint.a, joint.b, axis), speed_along(joint.a, joint.b, axis)
    (s,) = assembly.coordinates(owner, [free([name], "length")], np.array([start]), np.array([rate]), given=False)
    add_along(assembly, owner, joint.a, joint.b, axis, name, 0.0, s, 1.0, stays=True)
    return s, start


def place_axis(joint: LowerPair, coordinate: str) -> np.ndarray:
    """The axis (3,) of a joint along which one of its places is measured, in the axes of frame a."""
    return np.array(turned_back(tuple(joint.a.axes), tuple(joint.axes().on_a[PLACES[coordinate]])))


def count_joint(
    assembly: Assembler, owner: Component, joint: LowerPair, coordinate: str, name: str = "turn"
) -> Numbers:
    """A new coordinate of `owner`: an angle of a joint, counted through all turns from the start."""
    axes = joint.axes()
    frames, on_first, other = (joint.a, joint.b), axes.on_a, axes.on_b[0]
    if coordinate == "angle1":
        other = axes.on_b[2]  # the other axis of the cross
    elif coordinate == "angle2":  # how a turns against b, about the axis of b the other way round
        frames, on_first, other = (joint.b, joint.a), axes.on_b * [[1.0], [-1.0], [-1.0]], axes.on_a[2]
    return count_turns(assembly, owner, *frames, on_first, other, name)
