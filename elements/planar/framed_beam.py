"""Beams whose nodes are frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flexmb.elements.planar.beam import Beam, BeamPoint
from flexmb.errors import ModelError
from flexmb.joints.planar.compound import Weld
from flexmb.model.frames import Frame, FrameOrPoint, Node


@dataclass(eq=False)
class FramedBeam(Beam):
    """A beam whose nodes have (x, y, θ): the two ends, and one between neighbouring elements."""

    chain: list[Node] = field(default_factory=list, metadata={"internal": True})
    #: the ends whose nodes are welded to the element, which has no coordinates of them
    welded_ends: ClassVar[tuple[float, ...]] = ()

    def check(self) -> None:
        super().check()
        if self.chain and len(self.chain) != self.elements + 1:
            raise ModelError(
                f"{self.where}: it was made with {len(self.chain) - 1} elements and has {self.elements} now; its nodes "
                "are made with it, so make it anew"
            )

    def nodes(self) -> list[Node]:
        return list(dict.fromkeys(node for node in [*self.chain, *super().nodes()] if not node.fixed))

    def make_point(self, s: float) -> BeamPoint:
        node = self.node_at(s)
        if node is None:
            return super().make_point(s)
        return BeamPoint(self.point_name(s), self.model, self.chain[node], beam=self, s=s, welded=False)

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Weld]:
        welds = []
        for place, s in ((start, 0.0), (end, 1.0)):
            weld_to = self._make_end(place, s)
            if weld_to is not None:
                name = self.model.free_name(f"{self.point_name(s)} weld", self.where)
                welds.append(Weld(name, weld_to, self._points[s]))
        ends, count = self.ends, self.elements
        between = [Node(ends[0] + (ends[1] - ends[0]) * k / count, self.direction) for k in range(1, count)]
        self.chain = [self._points[0.0].node, *between, self._points[1.0].node]
        return welds

    def _make_end(self, place: FrameOrPoint, s: float) -> Frame | None:
        """Make the frame of an end, and return the given frame to which it must be welded. The latter is None where no
        weld is needed: the end is a point, shares the node of the given frame, or is fixed in space like it."""
        weld_to = None
        if isinstance(place, Frame) and not place.node.fixed and not place.offset.any():
            node = place.node
        else:
            fixed = isinstance(place, Frame) and place.node.fixed
            node = Node(self.ends[int(s)].copy(), self.direction, fixed)
            weld_to = place if isinstance(place, Frame) and not fixed else None
        welded = s in self.welded_ends
        self.add_point(BeamPoint(self.point_name(s), self.model, node, beam=self, s=s, welded=welded))
        return weld_to

    def node_turns(self) -> list[float]:
        """Angle of each node of the undeformed beam, against the beam's direction [rad] (a shared frame may have
        any)."""
        direction = self.direction
        return [node.angle - direction for node in self.chain]
