"""Stops in the plane: limits of joints and of distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.forces.contact import add_pairs
from flexmb.forces.stop import STOP, Limits, check_joint
from flexmb.joints.coordinates import OnJoint
from flexmb.joints.planar.joint import Joint
from flexmb.model.appearance import PairPlace, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation


@dataclass(eq=False)
class JointStop(OnJoint, Limits):
    """A joint of the plane moves between limits: the angle of frame b against frame a, or its position along the axis
    of the joint. Beyond them the stop pushes back, see :mod:`flexmb.forces.stop`.

    Arguments: `joint`, a revolute or prismatic joint or a pin in a slot; `lower`, `upper` [rad or m], one of them or
    both; `stiffness` k [Nm/radⁿ or N/mⁿ]; `exponent` n, 1.5; `damping` d [s/rad or s/m], or `restitution` with the
    `impact_speed` [rad/s or m/s] for which it holds; `coordinate`, 'angle' or 'position', which the pin needs.

    Angles are counted through all turns, and positions measured from the origin of frame a. A stop that is violated at
    the start is refused.

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
    """

    joint: Joint
    _: KW_ONLY
    coordinate: str | None = None

    @property
    def limited(self) -> str:
        """The coordinate that it limits."""
        return self.coordinate or self.joint.coordinates[0]

    @property
    def _axis(self) -> np.ndarray:
        """The axis of the joint (2,) in frame a."""
        return rotation(getattr(self.joint, "axis", 0.0))[:, 0]

    def check(self) -> None:
        check_joint(self, Joint, "angle of a revolute joint, or the position of a prismatic one")
        super().check()
        if self.limited == "angle":
            self.check_limits("angle", self.joint.initial_angle, "rad")
        else:
            self.check_limits("position", float(self._axis @ self.joint.initial_position), "m")

    def place(self) -> PairPlace:
        stop = self.stop_place(self.limited, float(getattr(self.joint, "axis", 0.0)))
        return PairPlace(self.a.name, self.b.name, stop=stop)

    def assemble(self, assembly: Assembler) -> None:
        if self.limited == "position":
            add_pairs(assembly, self, self.a, self.b, self.place_rows([*self._axis.tolist(), 0.0]))
            return
        angles = [assembly.node(frame.node)[1] for frame in (self.a, self.b)]
        offset = self.b.offset_angle - self.a.offset_angle
        p = np.array([*self.parameters(), -1.0, 1.0, offset])
        assembly.instance(self, STOP, angles, p)

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        if self.limited == "angle":
            return []
        track = solution.track(self.a.name)
        c, s = np.cos(track.angle), np.sin(track.angle)
        axes = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)  # (k, 2, 2)
        width = 0.05 * max(abs(limit) for limit in self.bounds if math.isfinite(limit))
        across = np.array([-self._axis[1], self._axis[0]])
        return [
            track.position[:, None]
            + np.array([limit * self._axis - width * across, limit * self._axis + width * across])
            @ np.swapaxes(axes, 1, 2)
            for limit in self.bounds
            if math.isfinite(limit)
        ]
