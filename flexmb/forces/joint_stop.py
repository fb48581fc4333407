"""A stop of a joint: its angle, or its place along an axis, moves between limits, in the plane and in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.about_axis import Turn
from flexmb.forces.contact import add_pairs
from flexmb.forces.stop import STOP, Limits
from flexmb.joints.coordinates import OnJoint
from flexmb.joints.planar.drive_position import add_along_axis, travel_at_start
from flexmb.joints.planar.joint import Joint
from flexmb.joints.spatial.drives.drive_joint import ANGLES, PLACES, count_joint, place_axis
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.joints.spatial.rows.along import add_along, place_along, speed_along
from flexmb.joints.unilateral import add_gap
from flexmb.kernels.blocks import Numbers
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation
from flexmb.model.functions.time_function import Constant


@dataclass(eq=False)
class JointStop(OnJoint, Limits):
    """A coordinate of a joint moves between limits. Beyond them the stop pushes back, see :mod:`flexmb.forces.stop`.

    Arguments: `joint`, one with coordinates: in the plane a revolute or prismatic joint or a pin in a slot, in space a
    revolute, prismatic, cylindrical or universal joint, a screw, or another; `lower`, `upper` [rad or m], one of them
    or both; `stiffness` k [Nm/radⁿ or N/mⁿ]; `exponent` n, 1.5; `damping` d [s/rad or s/m], or `restitution` with the
    `impact_speed` [rad/s or m/s] for which it holds; `coordinate`, one of those of the joint, 'angle' or 'position',
    where it has several.

    Angles are b against a, counted through all turns: a limit may be many turns away. In the plane they are those of
    the frames. In space they are right-handed, zero at the start, and a coordinate 'turn' of the stop. Positions are
    measured from the origin of frame a. A stop that is violated at the start is refused.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -9.81))
    >>> door = m.add_body("door", mass=1.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, door.attach("edge", (-1, 0)), name="hinge")
    >>> stop = m.joint_stop(hinge, lower=-0.5, stiffness=1e4)
    >>> m.joint_stop(hinge, lower=0.2, stiffness=1e4, name="high")
    Traceback (most recent call last):
        ...
    flexmb.errors.ModelError: stop 'high': at the start angle is 0 rad, 0.2 rad beyond lower, 0.2 rad; start between \
the limits, or move them
    >>> m = fm.SpatialModel("m")
    >>> nut = m.add_body("nut", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> thread = m.screw(m.ground, nut.frame, 0.001, name="thread")
    >>> stop = m.joint_stop(thread, lower=-20.0, upper=20.0, coordinate="angle", stiffness=1e4)
    """

    joint: Joint | LowerPair
    _: KW_ONLY
    coordinate: str | None = None
    dimension = None

    @property
    def limited(self) -> str:
        """The coordinate that it limits."""
        return self.coordinate or self.joint.coordinates[0]

    def _axis(self) -> np.ndarray:
        """The axis (3,) in frame a along which a place is measured."""
        if isinstance(self.joint, LowerPair):
            return place_axis(self.joint, self.limited)
        return np.array([*rotation(getattr(self.joint, "axis", 0.0))[:, 0], 0.0])

    def _start(self) -> tuple[float, float]:
        """The coordinate in the model [rad or m], and the size of the numbers of which it is a difference."""
        if isinstance(self.joint, Joint):
            angle, place = self.joint.initial_angle, self.joint.initial_position
            return (angle if self.limited == "angle" else float(self._axis()[:2] @ place)), 0.0
        if self.limited in ANGLES:
            return 0.0, 0.0
        return place_along(self.a, self.b, self._axis()), float(np.max(np.abs([self.a.position, self.b.position])))

    def check(self) -> None:
        self._check_joint()
        super().check()
        if self.limited not in ANGLES and self.limited not in PLACES:
            raise ModelError(
                f"{self.where}: {self.joint.where} has no single angle that a stop could limit; limit a distance, by "
                "distance_stop, between points of its two bodies"
            )
        start, size = self._start()
        self.check_limits(self.limited, start, "m" if self.limited in PLACES else "rad", size)

    def _check_joint(self) -> None:
        """Refuse a thing that is no joint with a coordinate that can be limited."""
        joint: Any = self.joint
        of_family = isinstance(joint, Joint | LowerPair)
        if not of_family or not joint.coordinates:
            given = joint.where if of_family else checks.quoted(joint)
            raise ModelError(
                f"{self.where}: {given} has no coordinate that a stop could limit; it limits the angle or the position "
                "of a joint, such as a revolute or a prismatic one"
            )
        if self.coordinate is None and len(joint.coordinates) > 1:
            raise ModelError(
                f"{self.where}: {joint.where} has the coordinates {', '.join(joint.coordinates)}; say which one"
            )
        if self.coordinate is not None:
            checks.choice(self.coordinate, joint.coordinates, f"coordinate of {joint.where}", self.where)

    def place(self) -> PairPlace:
        if isinstance(self.joint, Joint):
            axis = float(getattr(self.joint, "axis", 0.0))
            joint = JointPlace((axis,), (axis,), (self.limited,))  # an angle of b against a, not against the start
            return PairPlace(self.a.name, self.b.name, joint=joint, stop=self.stop_place(self.limited))
        place = self.joint.place()
        assert place.joint is not None
        counted = f"{self.name}.turn" if self.limited == "angle" else ""
        joint = JointPlace(place.joint.axes_a, place.joint.axes_b, (self.limited,), counted)
        return replace(place, glyphs=(), joint=joint, stop=self.stop_place(self.limited))

    def assemble(self, assembly: Assembler) -> None:
        if self.limited in PLACES:
            if self.hard:
                self._add_gaps_of_place(assembly)
            else:
                add_pairs(assembly, self, self.a, self.b, self.place_rows(self._axis().tolist()))
            return
        if isinstance(self.joint, Joint):
            turn = Turn.in_plane(assembly, self.a, self.b)
        else:
            turn = Turn.counted(count_joint(assembly, self, self.joint, self.limited))
        if self.hard:
            self.add_gaps_of_sum(assembly, turn.coordinates, turn.weights, turn.offset, self._start()[0], turn.rate)
            return
        p = np.array([*turn.weights, -turn.offset, *self.parameters()])
        assembly.instance(self, STOP, turn.coordinates, p)

    def _add_gaps_of_place(self, assembly: Assembler) -> None:
        """Add the gaps of a place along an axis, each measured along it or against it."""
        axis, start = self._axis(), self._start()[0]
        a: Any = self.a
        b: Any = self.b
        if isinstance(self.joint, LowerPair):
            rate = speed_along(a, b, axis)
        else:
            start, rate = travel_at_start(self, axis[:2])
        for name, limit, sign in self.limits():

            def add_row(
                gap: Numbers, name: str = name, way: np.ndarray = sign * axis, at: float = sign * limit
            ) -> None:
                if isinstance(self.joint, LowerPair):
                    add_along(assembly, self, a, b, way, name, at, gap, 1.0, stays=True)
                else:
                    add_along_axis(self, assembly, way[:2], name, Constant(at), gap, stays=True)

            at_start = sign * (start - limit), sign * rate
            add_gap(assembly, self, name, "length", *at_start, add_row, self.restitution or 0.0)

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        if self.limited == "angle" or self.stands_in == 3:
            return []
        track = solution.track(self.a.name)
        axis = self._axis()[:2]
        c, s = np.cos(track.angle), np.sin(track.angle)
        axes = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)  # (k, 2, 2)
        width = 0.05 * max(abs(limit) for limit in self.bounds if math.isfinite(limit))
        across = np.array([-axis[1], axis[0]])
        return [
            track.position[:, None]
            + np.array([limit * axis - width * across, limit * axis + width * across]) @ np.swapaxes(axes, 1, 2)
            for limit in self.bounds
            if math.isfinite(limit)
        ]
