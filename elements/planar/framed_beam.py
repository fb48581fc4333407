"""Beams of the plane whose nodes are frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.elements.framed_beam import ChainOfNodes
from flexmb.elements.planar.beam import Beam, BeamPoint
from flexmb.joints.planar.compound import Weld
from flexmb.model.frames import Frame, Node, rotation


@dataclass(eq=False, repr=False)
class FramedBeam(ChainOfNodes, Beam):
    """A beam whose nodes have (x, y, θ): the two ends, and one between neighboring elements."""

    def weld_to(self, name: str, given: Frame, point: BeamPoint) -> Weld:
        return Weld(given, point, name=name)

    def arm_on(self, node: Node, arm: np.ndarray) -> np.ndarray:
        return np.asarray(rotation(node.angle).T @ arm)

    def node_turns(self) -> list[float]:
        """Angle of each node of the undeformed beam, against the beam's direction [rad] (a shared frame may have
        any)."""
        direction = self.direction
        return [node.angle - direction for node in self.chain]
