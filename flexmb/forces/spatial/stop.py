"""Stops in space: limits of joints and of distances."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact import add_pairs
from flexmb.forces.stop import STOP, Limits, check_joint
from flexmb.joints.coordinates import OnJoint
from flexmb.joints.spatial.drives.drive_joint import ANGLES, PLACES, count_joint, place_axis
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.joints.spatial.rows.along import place_along
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Assembler


@dataclass(eq=False)
class JointStop(OnJoint, Limits):
    """A coordinate of a joint in space moves between limits. Beyond them the stop pushes back, see
    :mod:`flexmb.forces.stop`.

    Arguments: `joint`: revolute, prismatic, cylindrical, screw, universal, or another with coordinates; `lower`,
    `upper` [rad or m], one of them or both; `stiffness` k [Nm/radⁿ or N/mⁿ]; `exponent` n, 1.5; `damping` d [s/rad or
    s/m], or `restitution` with the `impact_speed` [rad/s or m/s] for which it holds; `coordinate`, one of those of the
    joint, 'angle' or 'position', where it has several.

    Angles are b against a, right-handed, zero at the start, and counted through all turns, by a coordinate 'turn' of
    the stop: a limit may be many turns away. Positions are measured from the origin of frame a. A stop that is violated
    at the start is refused.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> nut = m.add_body("nut", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> thread = m.screw(m.ground, nut.frame, 0.001, name="thread")
    >>> stop = m.joint_stop(thread, lower=-20.0, upper=20.0, coordinate="angle", stiffness=1e4)
    """

    joint: LowerPair
    _: KW_ONLY
    coordinate: str | None = None
    dimension = 3

    @property
    def limited(self) -> str:
        """The coordinate that it limits."""
        return self.coordinate or self.joint.coordinates[0]

    def check(self) -> None:
        check_joint(self, LowerPair, "angle or the position of a joint")
        super().check()
        if self.limited in ANGLES:
            self.check_limits(self.limited, 0.0, "rad")
        elif self.limited in PLACES:
            start = place_along(self.a, self.b, place_axis(self.joint, self.limited))
            size = float(np.max(np.abs([self.a.position, self.b.position])))
            self.check_limits(self.limited, start, "m", size)
        else:
            raise ModelError(
                f"{self.where}: {self.joint.where} has no single angle that a stop could limit; limit a distance, by "
                "distance_stop, between points of its two bodies"
            )

    def place(self) -> PairPlace:
        place = self.joint.place()
        assert place.joint is not None
        counted = f"{self.name}.turn" if self.limited == "angle" else ""
        joint = JointPlace(place.joint.axes_a, place.joint.axes_b, (self.limited,), counted)
        return replace(place, glyphs=(), joint=joint, stop=self.stop_place(self.limited))

    def assemble(self, assembly: Assembler) -> None:
        if self.limited in PLACES:
            axis = place_axis(self.joint, self.limited)
            add_pairs(assembly, self, self.a, self.b, self.place_rows(axis.tolist()))
            return
        s = count_joint(assembly, self, self.joint, self.limited)
        assembly.instance(self, STOP, s, np.array([*self.parameters(), 1.0, 0.0]))
