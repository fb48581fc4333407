"""What all components have in common, and what they say to the assembler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from flexmb.model.frames import Frame, Node
    from flexmb.results.solution import Solution
    from flexmb.system.kernels import Kernels
    from flexmb.system.system import System


class Assembler(Protocol):
    """What a component can ask of the assembler (:class:`flexmb.system.assembly.Assembly`)."""

    gravity: np.ndarray

    def node(self, node: Node) -> np.ndarray:
        """Numbers (3,) of a node's coordinates (x, y, θ)."""

    def coordinates(
        self,
        owner: Component,
        names: list[str],
        kinds: list[str],
        initial: np.ndarray,
        speeds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Numbers of new coordinates that the component owns. Kinds are 'length', 'angle', which turns when the
        mechanism turns as a whole, 'relative angle', which stays then, and 'slope', a number without unit."""

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
    ) -> int:
        """Put in one instance of a kernel family; `rows` are name and kind ('length', 'angle') of each constraint.
        Returns its number, by which results find it again."""


class Doubt(NamedTuple):
    """A sentence on why results may be wrong, and the first row of coordinates that it is about."""

    first: int
    text: str


@dataclass(eq=False)
class Component:
    """A named part of a mechanism. A subclass is a dataclass that states its data and `assemble`s itself."""

    name: str

    #: what it is called in messages, e.g. "joint"
    kind = "component"
    #: the field that says how strongly it acts, a function of time; None if it is no load
    strength: ClassVar[str | None] = None

    @property
    def where(self) -> str:
        """The component as messages name it."""
        return f"{self.kind} {self.name!r}"

    def frames(self) -> list[Frame]:
        """All frames that the component refers to; the model checks that they are its own."""
        return []

    def check(self) -> None:
        """Raise a ModelError if the data cannot be right; called when it is added to a model."""

    def nodes(self) -> list[Node]:
        """Nodes that belong to the component (they are made for it)."""
        return []

    def assemble(self, assembly: Assembler) -> None:
        """Say coordinates, kernels and parameters to the assembler."""
        raise NotImplementedError

    def drawn(self, solution: Solution) -> Sequence[np.ndarray]:
        """Lines that show it in drawings, films and pictures in space: points (k, p, 2) [m] at the k times of a
        solution, or (p, 2) of what stands still. What is built in is drawn without them."""
        return []

    def doubts(self, system: System, q: np.ndarray) -> list[Doubt]:
        """What the component says of positions that it cannot stand for: coordinates q (k, total) of a system, those of
        fixed frames at the tail, one row after the other. Runs and equilibria warn with it."""
        return []

    def rigid_motion(self, velocity: Any, angular_velocity: float, about: Any) -> None:
        """Give all that the component owns the speeds of a rigid motion: `velocity` (2,) of the point `about` (2,)."""
        from flexmb.model.frames import Node

        for node in self.nodes():
            assert isinstance(node, Node)
            arm = node.position - np.asarray(about, dtype=float)
            node.velocity = np.asarray(velocity, dtype=float) + angular_velocity * np.array([-arm[1], arm[0]])
            node.angular_velocity = angular_velocity


def pair_coordinates(assembly: Assembler, a: Frame, b: Frame) -> np.ndarray:
    """Coordinates (6,) of the nodes under two frames."""
    return np.concatenate([assembly.node(a.node), assembly.node(b.node)])


def pair_offsets(a: Frame, b: Frame) -> np.ndarray:
    """Parameters (6,) with which all joints and forces between two frames begin: (ux, uy, φ) of a, then of b."""
    return np.array([*a.offset, a.offset_angle, *b.offset, b.offset_angle])
