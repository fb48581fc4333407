"""Coupling of two joints in space: a coordinate of one follows that of the other."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.coordinates import COUPLING, checked_ratio
from flexmb.joints.spatial.drives.drive_joint import ANGLES, chosen, own_coordinate
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.model.components import Assembler, Component
from flexmb.model.spatial_frames import Frame


@dataclass(eq=False)
class Coupling(Component):
    """A coordinate of one joint moves `ratio` times as much as a coordinate of another, as the fingers of a gripper do.

        g = (s_b − s_b⁰) − i (s_a − s_a⁰),    s counted angles or places, ⁰ at the start

    The generalized force on s_b is −λ, that on s_a is i λ; through the rows that make s_a and s_b the coordinates of
    their joints they become moments and forces on the bodies. Where it is switched on in a run, it couples the changes
    since then.

    Arguments: `joint` and `other`, two joints in space that have coordinates; `ratio` i, not zero, of the change of the
    coordinate of `other` to that of `joint` [–, m/rad or rad/m]; `coordinate` and `other_coordinate`, such as 'angle'
    or 'position', where a joint has several.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("gripper")
    >>> left = m.add_body("left", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(0, 0.03, 0))
    >>> right = m.add_body("right", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(0, -0.03, 0))
    >>> first = m.prismatic(m.ground, left.frame, axis="y")
    >>> second = m.prismatic(m.ground, right.frame, axis="y")
    >>> pair = m.coupling(first, second, -1.0, name="pair")
    >>> drive = m.drive_joint(first, fm.Polynomial([0.03, -0.01]))
    >>> fm.kinematics(m, 1.0, steps=5)["right"].position[-1].round(9).tolist()
    [0.0, -0.02, 0.0]
    """

    joint: LowerPair
    other: LowerPair
    ratio: float
    _: KW_ONLY
    coordinate: str | None = None
    other_coordinate: str | None = None
    kind = "joint"
    dimension = 3

    @property
    def measures_from_start(self) -> bool:
        return True

    def frames(self) -> list[Any]:
        return [frame for joint in self.parts() for frame in joint.frames()]

    def parts(self) -> list[Component]:
        return [joint for joint in (self.joint, self.other) if isinstance(joint, LowerPair)]

    @property
    def a(self) -> Frame:
        """Frame b of the first joint, which moves with its coordinate."""
        return self.joint.b

    @property
    def b(self) -> Frame:
        """Frame b of the other one."""
        return self.other.b

    def check(self) -> None:
        coordinates = (self.coordinate, self.other_coordinate)
        named = [chosen(*given, self.where) for given in zip((self.joint, self.other), coordinates)]
        self.ratio = checked_ratio(self.ratio, self.where)
        if self.joint is self.other and named[0] == named[1]:
            raise ModelError(f"{self.where}: it couples {named[0]} of {self.joint.where} with itself; give two joints")

    def assemble(self, assembly: Assembler) -> None:
        of = ((self.joint, self.coordinate, "a"), (self.other, self.other_coordinate, "b"))
        names = [chosen(joint, coordinate, self.where) for joint, coordinate, _ in of]
        (s_a, start_a), (s_b, start_b) = (
            own_coordinate(assembly, self, joint, name, f"{'turn' if name in ANGLES else 'travel'}_{k}")
            for (joint, _, k), name in zip(of, names)
        )
        p = np.array([-self.ratio, 1.0, start_b - self.ratio * start_a])
        measure = "angle" if names[1] in ANGLES else "length"
        assembly.instance(self, COUPLING, [s_a, s_b], p, [("ratio", measure)], found=True)
