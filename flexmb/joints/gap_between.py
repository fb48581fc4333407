"""The gap between two shapes that do not overlap, and rub by the law of Coulomb; in the plane and in space.

For each pair of points, round bodies, half-planes and round holes there is a gap that is never negative, a row in one
direction (:mod:`flexmb.joints.unilateral`), with the normal force N. In the plane friction has a row of its own beside
it, that of the slip u (:mod:`flexmb.joints.rubbing`), with the force T:

    0 ≤ g ⊥ N ≥ 0,    T = −μ N sgn(u), or |T| ≤ μ N where u = 0

Where the gap closes, speeds jump by impulses of both (:mod:`flexmb.solvers.events.impacts.collision`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.friction import JointFriction
from flexmb.joints.planar.gaps import GAP, SLIP
from flexmb.joints.rubbing import add_rubbing
from flexmb.joints.spatial.rows.along import ALONG
from flexmb.joints.spatial.rows.gap_of_points import SPATIAL_DISTANCE_GAP
from flexmb.joints.unilateral import add_gap
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.model.components import Assembler, Component, Rows
from flexmb.model.frames import Frame, rotation
from flexmb.model.functions.time_function import Constant
from flexmb.model.pairs import pair_coordinates

#: shapes that overlap at the start by less than this part of their sizes and distances count as touching
AT_TOUCH = 1e-9
#: name of the gap of a contact that has one
TOUCH = "touch"


@dataclass(frozen=True)
class GapBetween:
    """The gap between a shape on body a and one on body b: points p_a and p_b on the nodes (3,) and the radius r about
    p_b; with the unit `normal` (3,) of a half-space, or with the `limit` of the distance of both points, a lower one or
    an upper one, `sign` −1. In the axes of the nodes, with z = 0 in the plane."""

    on_a: np.ndarray
    on_b: np.ndarray
    radius: float
    normal: np.ndarray
    limit: float = 0.0
    sign: float = 1.0

    def at_start(self, a: Frame, b: Frame) -> tuple[float, float, float, float]:
        """The gap in the model as its row has it, the distance of the surfaces, the rate of the gap and the slip; the
        slip is 0 in space."""
        nodes: list[Any] = [a.node, b.node]
        flat = len(nodes[0].position) == 2

        def on_ground(node: Any, own: np.ndarray) -> np.ndarray:
            return rotation(node.angle) @ own[:2] if flat else np.array(turned(tuple(node.orientation), tuple(own)))

        p_a, p_b = (node.position + on_ground(node, own) for node, own in zip(nodes, (self.on_a, self.on_b)))
        (u_a, spin_a), (u_b, spin_b) = (node.moving_at(p_b) for node in nodes)
        d, speed, slip = p_b - p_a, u_b - u_a, 0.0
        if self.limit > 0.0:
            normal = self.sign * d / self.limit
            gap = 0.5 * self.sign * (d @ d - self.limit**2) / self.limit
            apart = self.sign * (float(np.linalg.norm(d)) - self.limit)
        else:
            normal = on_ground(nodes[0], self.normal)
            gap = apart = float(normal @ d) - self.radius
        if flat:
            slip = float(normal[0] * speed[1] - normal[1] * speed[0]) - self.radius * (spin_b - spin_a)
        return float(gap), float(apart), float(normal @ speed), slip

    def refuse_overlap(self, where: str, a: Frame, b: Frame) -> None:
        """Refuse shapes that overlap in the model."""
        apart = self.at_start(a, b)[1]
        size = float(np.max(np.abs([*a.position, *b.position, *self.on_a, *self.on_b])))
        if apart < -AT_TOUCH * max(size, self.radius, self.limit):
            raise ModelError(
                f"{where}: at the start its shapes overlap by {-apart:.3g} m, and hard ones cannot; move them apart "
                "until they touch"
            )

    def row(self, flat: bool) -> tuple[Kernels, int, np.ndarray]:
        """Kernels of its row, their scratch numbers and parameters."""
        if flat:
            own = [*self.on_a[:2], 0.0, *self.on_b[:2], 0.0, self.limit, self.sign, *self.normal[:2], self.radius]
            return GAP, 0, np.array(own)
        if self.limit > 0.0:
            return SPATIAL_DISTANCE_GAP, 36, np.array([*self.on_a, *self.on_b, self.limit, self.sign])
        own = [*self.on_a, *self.on_b, *self.normal, 1.0, *Constant(self.radius).parameters()]
        return ALONG, 0, np.array(own)


def add_gaps(
    assembly: Assembler, owner: Component, a: Frame, b: Frame, gaps: Sequence[GapBetween], restitution: float,
    friction: JointFriction | None,
) -> None:  # fmt: skip
    """Add the gaps of a contact between two frames, and the friction beside them."""
    nodes = pair_coordinates(assembly, a, b)
    for k, gap in enumerate(gaps):
        name, beside = (TOUCH, "slip") if len(gaps) == 1 else (f"corner {k + 1}", f"slip {k + 1}")
        start, _, rate, slipping = gap.at_start(a, b)
        kernels, work, p = gap.row(owner.stands_in == 2)
        add_row = partial(_add_row, assembly, owner, kernels, nodes, p, [(name, "length")], work)
        add_gap(assembly, owner, name, "length", start, rate, add_row, restitution)
        if friction is not None:
            add_rubbing(assembly, owner, beside, slipping, SLIP, nodes, p, friction)


def _add_row(
    assembly: Assembler, owner: Component, kernels: Kernels, nodes: list[Numbers], p: np.ndarray, rows: Rows, work: int,
    gap: Numbers,
) -> None:  # fmt: skip
    """Add the row of a gap."""
    assembly.instance(owner, kernels, [*nodes, gap], p, rows, work, stays=True)
