"""Distance between the origins of two frames: a massless rod, or a cylinder of prescribed length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.coordinates import checked_distance
from flexmb.joints.pair_joint import PairJoint
from flexmb.joints.planar.distance import DISTANCE
from flexmb.joints.spatial.distance import SPATIAL_DISTANCE
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.pairs import PairComponent

#: kernels in the plane and in space; their row, and scratch numbers for both
KERNELS = {2: DISTANCE, 3: SPATIAL_DISTANCE}
ROW = [("distance", "length")]
WORK = 36


@dataclass(eq=False)
class Distance(PairJoint):
    """The origins of two frames keep their distance, in the plane or in space: a massless rod with joints at its ends.

        g = |d| − L,    d = (R_b + A_b u_b) − (R_a + A_a u_a)

    The force along the rod is −λ (pushing the frames apart when positive).

    Arguments: `distance` L [m], above zero; that of the model when not given, or, where it is switched on in a
    run, the one that it finds.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(3, 4))
    >>> rod = m.distance(m.ground, body.frame)
    >>> fm.System(m).jacobian(0.0, [3, 4, 0]).tolist()
    [[0.6, 0.8, 0.0]]
    """

    distance: float | None = None
    dimension = None
    glyphs = ("rod",)
    turning = False

    def check(self) -> None:
        super().check()
        if self.distance is not None:
            self.distance = checks.positive(self.distance, "distance", self.where)
        _check_apart(self)

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, line=())

    def assemble(self, assembly: Assembler) -> None:
        length = _initial_distance(self) if self.distance is None else self.distance
        p = Constant(length).parameters()
        self.add_instance(assembly, KERNELS[self.stands_in], ROW, p, WORK, found=self.distance is None)


@dataclass(eq=False)
class DriveDistance(PairJoint):
    """The distance between the origins of two frames follows a function of time: a cylinder.

        g = |d| − f(t),    d = (R_b + A_b u_b) − (R_a + A_a u_a)

    The force along the cylinder is −λ (pushing the frames apart when positive).

    Arguments: `distance` f(t) [m], a function of time that stays above zero.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> boom = m.add_body("boom", mass=1.0, inertia=0.1, position=(3, 4))
    >>> cylinder = m.drive_distance(m.ground, boom.frame, fm.SmoothStep(0.0, 2.0, 5.0, 6.0))
    >>> fm.System(m).constraint(2.0, [3, 4, 0], [0, 0, 0])[0].tolist()
    [-1.0]
    """

    distance: TimeFunction | float
    prescribed = "distance"
    prescribed_unit = "m"
    dimension = None
    glyphs = ("rod",)
    turning = False

    def check(self) -> None:
        super().check()
        self.distance = checked_distance(self.distance, self.where)
        _check_apart(self)

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, line=())

    def assemble(self, assembly: Assembler) -> None:
        f = assembly.prescribed(self)
        self.add_instance(assembly, KERNELS[self.stands_in], ROW, f.parameters(), WORK, prescribed=0)


def _initial_distance(joint: PairComponent) -> float:
    """Distance of the origins, as the model describes them [m]."""
    return float(np.linalg.norm(joint.b.position - joint.a.position))


def _check_apart(joint: PairComponent) -> None:
    """Refuse two points that start in one place, since no direction joins them."""
    together = "revolute" if joint.stands_in == 2 else "spherical"
    size = max(float(np.linalg.norm(u)) for f in joint.frames() for u in (f.position, f.offset))
    if _initial_distance(joint) <= 1e-12 * size:  # nothing but round-off
        raise ModelError(
            f"{joint.where}: frames {joint.a.name!r} and {joint.b.name!r} start at the same point, so the "
            f"direction between them is unknown; place them apart, or use {together} to keep them together"
        )
