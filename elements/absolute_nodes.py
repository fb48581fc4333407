"""Beams in absolute nodal coordinates: a node is a place and a slope of the axis, in the plane or in space."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from flexmb.elements.beam import AnyBeam, BeamElements
from flexmb.elements.interior import Interior, interior
from flexmb.joints.coordinates import COUPLING
from flexmb.kernels.blocks import Numbers, joined, place, vector
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler

#: parameters of a coupling of two equal coordinates
EQUAL = np.array([1.0, -1.0, 0.0])


@dataclass(eq=False, repr=False)
class AbsoluteNodes(AnyBeam):
    """A beam whose nodes have a place r and a slope r' of the axis, which are no frames; the frames of its places are
    welded to it."""

    #: the rigid motion in which it starts: velocity of a point [m/s], angular velocity [rad/s], that point [m]
    motion: tuple[np.ndarray, Any, np.ndarray] | None = field(default=None, metadata={"internal": True})
    #: what nodes of the theory are called in messages
    theory: ClassVar[str] = "an ANCF cable"

    @property
    def node_kernels(self) -> Kernels:
        """The kernels `point` and `point_jacobian` of a node alone."""
        raise NotImplementedError

    def node_parameters(self) -> np.ndarray:
        """The parameters that these take."""
        return np.zeros(0)

    def check(self) -> None:
        super().check()
        self.refuse_modal_damping(self.theory)

    @property
    def width(self) -> int:
        return 4 * self.model.dimension

    def make_point(self, s: float) -> Any:
        point = super().make_point(s)
        if self.motion is not None:
            point.node.move(*self.motion)
        return point

    def rigid_motion(self, velocity: Any, angular_velocity: Any, about: Any) -> None:
        super().rigid_motion(velocity, angular_velocity, about)
        self.motion = checks.rigid_motion(velocity, angular_velocity, about, self.where, self.model.dimension)

    def interior(self, elements: BeamElements, s: float) -> Interior:
        """The place at s: at a node on the coordinates of that alone, else in an element."""
        node, dimension = self.node_at(s), self.model.dimension
        if node is None:
            return super().interior(elements, s)
        numbers, half = joined(elements.coordinates).v, 2 * dimension
        own = numbers[node, :half] if node < len(numbers) else numbers[-1, half:]
        given = self.node_parameters()
        return interior(self.node_kernels, Numbers(own, own), given, 0, np.zeros(0), dimension, self.where)

    def keep_shape(self, assembly: Assembler) -> bool:
        """Hold its first slope at length 1, all others equal to it, and all nodes on the line along it."""
        first, *others = self.numbers_in(assembly, self.node_coordinates)
        d = self.model.dimension
        assembly.instance(self, UNIT, first[d:], np.zeros(0), [("undeformed slope", "angle")])
        for k, node in enumerate(others, 1):
            along = np.array([1.0, -1.0, -k * self.length / int(self.elements), 0.0])
            for j, tag in enumerate("xyz"[:d]):
                place, slope = [node[j], first[j], first[d + j]], [node[d + j], first[d + j]]
                assembly.instance(self, COUPLING, np.array(place), along, [(f"undeformed {tag}", "length")])
                assembly.instance(self, COUPLING, np.array(slope), EQUAL, [(f"undeformed d{tag}", "angle")])
        return True

    def node_coordinates(self, assembly: Assembler) -> np.ndarray:
        """Numbers (elements + 1, 4) of the coordinates of all nodes, in space (elements + 1, 6)."""
        count, d = int(self.elements), self.model.dimension
        slope = (self.ends[1] - self.ends[0]) / self.length
        places = self.ends[0] + np.linspace(0.0, 1.0, count + 1)[:, None] * (self.ends[1] - self.ends[0])
        values = np.empty((count + 1, 2 * d))
        values[:, :d], values[:, d:] = places, slope
        speeds = np.zeros((count + 1, 2 * d))
        if self.motion is not None:
            velocity, omega, about = self.motion
            speeds[:, :d] = velocity + _moving(omega, places - about)
            speeds[:, d:] = _moving(omega, slope)
        blocks = [place(*"xyz"[:d]), vector(*(f"d{tag}" for tag in "xyz"[:d]))]
        return joined(assembly.coordinates(self, blocks, values, speeds, given=self.motion is not None)).v


def _moving(omega: Any, arm: np.ndarray) -> np.ndarray:
    """ω × arm of arms (…, 2) or (…, 3)."""
    if arm.shape[-1] == 3:
        return np.cross(omega, arm)
    return omega * np.stack([-arm[..., 1], arm[..., 0]], axis=-1)


# -- a slope of length 1: ½ (r'·r' − 1) = 0 --------------------------------------------------------------------------


@kernel
def unit_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(iq.shape[0]):
        out[i, 0] = -0.5
        for j in range(iq.shape[1]):
            r, s = q[iq[i, j]], v[iv[i, j]]
            out[i, 0] += 0.5 * r * r
            out[i, 1] += r * s
            out[i, 2] -= s * s


@kernel
def unit_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(iq.shape[0]):
        for j in range(iq.shape[1]):
            out[i, j] = q[iq[i, j]]
            K[i, j, j] += w[2] * lam[i, 0]


UNIT = Kernels("slope of length 1", constraint=unit_constraint, jacobian=unit_jacobian)
