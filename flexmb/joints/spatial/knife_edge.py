"""Knife edge in space: a blade on a plane, which does not slip sideways."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.spatial.rolling import OnPlane
from flexmb.joints.spatial.rows.rolling_rows import EDGE, SECOND, TOUCH
from flexmb.model.doubted import Assembled
from flexmb.model.spatial_frames import unit_axis

#: the heading of a blade is at least so far from the normal of its plane [rad]
STEEP = 0.02


@dataclass(eq=False)
class KnifeEdge(OnPlane):
    """The origin of frame b, a point of a blade, stays on a plane of frame a and does not slip across the trace of the
    blade there; it may go ahead, and b may turn and lean in any way: a skate, or the runner of a sleigh.

        n · (c − o) = 0,    n × u/|n × u| · (ċ − velocity of a there) = 0

    with the normal n and the heading u of the blade, which need not lie in the plane. The position row is 'normal', the
    velocity row is 'aside'; the force on b is −λ times their directions.

    Arguments: `normal` of the plane: 'x', 'y', 'z' or a direction (3,), in the axes of frame a, towards b; `heading` u
    of the blade, in the axes of frame b.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("skate", gravity=(0, 0, -9.81))
    >>> skate = m.add_body("skate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> blade = m.knife_edge(m.ground, skate.frame, name="blade")
    >>> system = fm.System(m)
    >>> system.constraint(0.0, system.q0, [2, 3, 0, 0, 0, 0])[1].tolist()  # 3 m/s to the side
    [0.0, 3.0]
    """

    _: KW_ONLY
    heading: Any = "x"
    surfaces: ClassVar[float] = EDGE

    def check(self) -> None:
        super().check()
        if self.sine_at_start() < STEEP:
            raise ModelError(
                f"{self.where}: at the start the heading of frame {self.b.name!r} is along the normal of the plane; "
                "give the direction in which the blade goes, heading=…"
            )

    def rows(self) -> list[float]:
        return [TOUCH, SECOND]

    def on_b(self) -> np.ndarray:
        return unit_axis(self.heading, self.where, "heading", "b")

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        if not self.sines(system, q[None])[0] < STEEP:
            return ""
        return "stands on end, its heading along the normal of its plane, where no direction is aside"
