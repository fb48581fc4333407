"""Where the joints of a URDF start, and how they move there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.io.robot import Pose
from flexmb.io.urdf_file import NOWHERE_ELSE, SINGLE, JointData, Place, RobotFile
from flexmb.model import checks, given_names
from flexmb.model.orientations import quaternion_of, rotation_of
from flexmb.model.spatial_frames import axes_about, unit_axis


class Start:
    """The positions `q` and the rates `qd` of the joints of a file at the start, by their names; those that mimic
    others follow them. `where` begins the messages."""

    def __init__(
        self, given: RobotFile, positions: Mapping[str, Any] | None, rates: Mapping[str, Any] | None, where: str
    ) -> None:
        self.where = where
        self.q: dict[str, Any] = {}
        self.qd: dict[str, Any] = {}
        #: joints whose rates were given, zero too
        self.given = {name for name, rate in rates.items() if rate is not None} if isinstance(rates, Mapping) else set()
        asked = {"positions": positions, "rates": rates}
        for (what, several), into in zip(asked.items(), (self.q, self.qd)):
            where = f"{self.where}: {what}"
            if several is not None and not isinstance(several, Mapping):
                raise ModelError(f"{where} are {checks.quoted(several)}; give them by the names of joints")
            for name in several or {}:
                given_names.known(name, given.joints, "joint", where)
            for name, joint in given.joints.items():
                value = None if several is None else several.get(name)
                into[name] = self._checked(joint, value, f"{where} of {joint.where}", what == "rates")
            for name, joint in given.joints.items():
                if joint.mimic is None:
                    continue
                leader, multiplier, offset = joint.mimic
                follows = multiplier * into[leader] + (offset if what == "positions" else 0.0)
                if several and name in several and abs(into[name] - follows) > 1e-9 * (1.0 + abs(follows)):
                    raise ModelError(
                        f"{where} of {joint.where}: it mimics {leader!r} and is {follows:.9g}, not {into[name]:.9g}; "
                        "leave it out"
                    )
                into[name] = follows

    @staticmethod
    def _checked(joint: JointData, value: Any, where: str, rate: bool) -> Any:
        if joint.type in SINGLE:
            return 0.0 if value is None else checks.number(value, "it", where)
        if joint.type == "planar":
            return np.zeros(3) if value is None else checks.vector(value, "it", where, 3)
        if joint.type == "fixed":
            if value is not None:
                raise ModelError(f"{where}: it is fixed")
            return None
        try:
            first, second = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0) if rate else None) if value is None else value
        except (TypeError, ValueError):
            wanted = "velocity and angular velocity, (3,) each" if rate else "a place (3,) and an orientation"
            raise ModelError(f"{where}: it is floating; give {wanted}") from None
        first = checks.vector(first, "it", where, 3)
        if rate:
            return first, checks.vector(second, "it", where, 3)
        return Pose(first, rotation_of(quaternion_of(second, "orientation", where)))

    def moved(self, joint: JointData) -> Place:
        """The place of the child in the axes of its joint on the parent."""
        q = self.q[joint.name]
        if joint.type == "floating":
            return Place(q.position, q.orientation)
        if joint.type == "fixed":
            return NOWHERE_ELSE
        axis = unit_axis(joint.axis, self.where)
        if joint.type == "prismatic":
            return Place(q * axis, Rotation.identity())
        if joint.type == "planar":
            across = rotation_of(axes_about(*axis.tolist()))
            return Place(across.apply([q[0], q[1], 0.0]), Rotation.from_rotvec(q[2] * axis))
        return Place(np.zeros(3), Rotation.from_rotvec(q * axis))

    def moving(self, joint: JointData) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and angular velocity (3,) of the child against the parent, in the axes of the joint on the
        parent."""
        rate = self.qd[joint.name]
        if joint.type == "floating":
            return np.asarray(rate[0]), np.asarray(rate[1])
        if joint.type == "fixed":
            return np.zeros(3), np.zeros(3)
        axis = unit_axis(joint.axis, self.where)
        if joint.type == "prismatic":
            return rate * axis, np.zeros(3)
        if joint.type == "planar":
            across = rotation_of(axes_about(*axis.tolist()))
            return across.apply([rate[0], rate[1], 0.0]), rate[2] * axis
        return np.zeros(3), rate * axis
