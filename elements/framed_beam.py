"""Beams whose nodes are frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

from flexmb.elements.beam import AnyBeam
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame, FrameOrPoint


@dataclass(eq=False, repr=False)
class ChainOfNodes(AnyBeam):
    """A beam whose nodes are places with an orientation: the two ends, and one between neighboring elements. Without
    a chain its places have nodes of their own."""

    chain: list[Any] = field(default_factory=list, metadata={"internal": True})
    #: the ends whose nodes are welded to the element, which has no coordinates of them
    welded_ends: ClassVar[tuple[float, ...]] = ()

    def weld_to(self, name: str, given: Any, point: Any) -> Component:
        """The weld between the given frame of an end and its point."""
        raise NotImplementedError

    def arm_on(self, node: Any, arm: Any) -> Any:
        """A vector in the axes of the ground, in those of a node."""
        raise NotImplementedError

    def keep_shape(self, assembly: Assembler) -> bool:
        """Weld each node to the one before it, where no weld holds it that the beam has anyway."""
        for s, (before, node) in zip(self.stations[1:].tolist(), pairwise(self.chain)):
            if s not in self.welded_ends and not (before.fixed and node.fixed):
                on_one, on_other = self.point_on(before, s, welded=False), self.point_on(node, s, welded=False)
                on_one.offset = self.arm_on(before, node.position - before.position)
                self.weld_to(self.name, on_one, on_other).assemble(assembly)
        return True

    def check(self) -> None:
        super().check()
        self.chain = checks.listed(self.chain, "chain", self.where)
        if self.chain and len(self.chain) != self.elements + 1:
            raise ModelError(
                f"{self.where}: it was made with {len(self.chain) - 1} elements and has {self.elements} now; its nodes "
                "are made with it, so make it anew"
            )

    def make_finer(self) -> tuple[str, str]:
        for k in range(len(self.chain) - 1, 0, -1):
            before, after = self.chain[k - 1], self.chain[k]
            node = self.node_amid(before, after, 2 * k - 1)
            node.velocity = 0.5 * (before.velocity + after.velocity)
            node.angular_velocity = 0.5 * (before.angular_velocity + after.angular_velocity)
            node.given = before.given is True and after.given is True
            self.chain.insert(k, node)
        return super().make_finer()

    def node_amid(self, before: Any, after: Any, k: int) -> Any:
        """The new node with the number k of a beam that is made finer, between two that it had."""
        return self.new_node(0.5 * (before.position + after.position))

    def nodes(self) -> list[Any]:
        return list(dict.fromkeys(node for node in [*self.chain, *super().nodes()] if not node.fixed))

    def make_point(self, s: float) -> Any:
        node = self.node_at(s)
        if node is None or not self.chain:
            return super().make_point(s)
        return self.point_on(self.chain[node], s, welded=False)

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Component]:
        welds = []
        for place, s in ((start, 0.0), (end, 1.0)):
            weld_to = self._make_end(place, s)
            if weld_to is not None:
                name = self.model.free_name(f"{self.point_name(s)} weld", self.where)
                welds.append(self.weld_to(name, weld_to, self._points[s]))
        self.chain = [self._points[0.0].node, *self.nodes_between(), self._points[1.0].node]
        return welds

    def nodes_between(self) -> list[Any]:
        """New nodes between its elements."""
        ends, count = self.ends, int(self.elements)
        return [self.new_node(ends[0] + (ends[1] - ends[0]) * k / count) for k in range(1, count)]

    def _make_end(self, place: FrameOrPoint, s: float) -> Frame | None:
        """Make the frame of an end, and return the given frame to which it must be welded. The latter is None where no
        weld is needed: the end is a point, shares the node of the given frame, or is fixed in space like it."""
        weld_to = None
        if isinstance(place, Frame) and not place.node.fixed and not place.offset.any():
            node = place.node
        else:
            fixed = isinstance(place, Frame) and place.node.fixed
            node = self.node_for(s, fixed)
            weld_to = place if isinstance(place, Frame) and not fixed else None
        self.add_point(self.point_on(node, s, welded=s in self.welded_ends))
        return weld_to
