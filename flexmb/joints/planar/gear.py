"""Gear: the angles of two frames change in a fixed ratio."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.joints.coordinates import COUPLING, check_carried, checked_ratio
from flexmb.joints.planar.joint import Joint
from flexmb.model.components import Assembler
from flexmb.model.frames import Frame, FrameLike, as_frame


@dataclass(eq=False)
class Gear(Joint):
    """Frame b turns `ratio` times as much as frame a, both seen from a carrier (gear box, arm of a planet).

        g = (Δθ_b − Δθ_c) − i (Δθ_a − Δθ_c),    Δ: the change since the angles of the model

    Only angles are coupled; the wheels need joints of their own to carry them. Where it is switched on in a run, as a
    clutch is, Δ is the change since then. The moment on b is −λ, that on a
    is i λ, and the carrier holds against both with (1 − i) λ.

    Arguments: `ratio` i, not zero: −z_a/z_b for two wheels with outer teeth, z_a/z_b for a belt or a ring;
    `carrier`, a frame, the ground when not given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> a = m.add_body("a", mass=1.0, inertia=0.1)
    >>> b = m.add_body("b", mass=1.0, inertia=0.1, position=(0.3, 0))
    >>> pair = m.gear(a.frame, b.frame, -20 / 40)
    >>> fm.System(m).constraint(0.0, [0, 0, 4, 0.3, 0, -2], [0, 0, 1, 0, 0, 0])[1].tolist()
    [0.5]
    """

    ratio: float
    _: KW_ONLY
    carrier: FrameLike | None = None

    def frames(self) -> list[Frame]:
        return [self.a, self.b, *([] if self.carrier is None else [as_frame(self.carrier)])]

    def check(self) -> None:
        super().check()
        self.ratio = checked_ratio(self.ratio, self.where)
        check_carried((self.a, self.b), self._carrier_frame, self.where)

    @property
    def _carrier_frame(self) -> Frame:
        """The carrier, which is the ground when none is given."""
        return self.a.model.ground if self.carrier is None else as_frame(self.carrier)

    def assemble(self, assembly: Assembler) -> None:
        nodes = [self.a.node, self.b.node, self._carrier_frame.node]
        weights = np.array([-self.ratio, 1.0, self.ratio - 1.0])
        start = float(weights @ [node.angle for node in nodes])
        angles = [assembly.node(node)[1] for node in nodes]
        assembly.instance(self, COUPLING, angles, np.array([*weights, start]), [("angle", "angle")], found=True)
