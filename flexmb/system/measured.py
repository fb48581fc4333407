"""Parameters that components measure when they are switched on, such as a lock that holds the position in which it
engages."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmb.kernels.blocks import Block, Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Component
from flexmb.model.frames import Frame, Node
from flexmb.model.handed_over import Commanded, Finds, Search
from flexmb.system.plan import NP, P_AT
from flexmb.system.system import System


def measured_anew(
    system: System, names: Sequence[str], q: np.ndarray, g: np.ndarray
) -> dict[str, Sequence[np.ndarray]]:
    """For some components, by name, the parameters of their instances that hold the mechanism in a given position, in
    which the constraint rows have the errors g (m,).

    A component either returns a copy of itself for that position (:meth:`flexmb.Component.as_found`), or marks single
    rows whose last parameter p is measured: with g = x − p it becomes p + g.
    """
    place = frames_at(system, q)
    found: dict[str, Sequence[np.ndarray]] = {}
    for name in names:
        other = system.model.components[name].as_found(place)
        if other is not None:
            found[name] = _Parameters(system).of(other)
            continue
        own = [series for series in system.assembly.instance_series if series.owner.name == name]
        if not any(series.found for series in own):
            continue
        rows: list[np.ndarray] = []
        for series in own:
            group = system.plan.groups[series.group]
            for k in range(len(series)):
                first = group[P_AT] + (series.place + k) * group[NP]
                p = system.plan.p[first : first + group[NP]].copy()
                if series.found:
                    p[-1] += g[series.rows[k, 0]]
                rows.append(p)
        found[name] = rows
    return found


def frames_at(system: System, q: np.ndarray) -> Callable[[Frame], Any]:
    """A function that returns a copy of a frame, and of its node, at the position q."""
    full = system.full_q(q)

    def place(frame: Frame) -> Frame:
        other = copy.copy(frame)
        node: Any = copy.copy(frame.node)
        numbers = full[system.assembly.node_numbers(frame.node).q]
        size = len(node.position)
        node.position = numbers[:size]
        if size == 2:
            node.angle = float(numbers[2])
        else:
            node.orientation = numbers[3:]
        other.node = node
        return other

    return place


class _Parameters:
    """An assembler that collects the parameters of instances and nothing else."""

    def __init__(self, system: System) -> None:
        self._rows: list[np.ndarray] = []
        self.gravity, self.held = system.assembly.gravity, system.assembly.held
        self.strength, self.prescribed = system.assembly.strength, system.assembly.prescribed

    def of(self, component: Component) -> list[np.ndarray]:
        """The parameters of a component's instances."""
        component.assemble(self)
        return self._rows

    def node(self, node: Node) -> tuple[Numbers, ...]:
        return tuple(Numbers(np.zeros(block.size, int), np.zeros(len(block.names), int)) for block in node.blocks)

    def coordinates(
        self,
        owner: Component,
        blocks: Sequence[Block],
        *_: Any,
        given: bool | None = None,
        sizes: np.ndarray | None = None,
    ) -> tuple[Numbers, ...]:
        return tuple(Numbers(np.zeros(block.size, int), np.zeros(len(block.names), int)) for block in blocks)

    def instance(
        self, owner: Component, kernels: Kernels, coordinates: Any, parameters: np.ndarray, *_: Any, **more: Any
    ) -> None:
        self._rows.append(np.array(parameters, dtype=float))

    def series(
        self, owner: Component, kernels: Kernels, coordinates: Any, parameters: np.ndarray, *_: Any, **more: Any
    ) -> None:
        self._rows += list(np.broadcast_to(parameters, (len(coordinates), np.shape(parameters)[-1])))

    def own_coordinate(self, name: str) -> Numbers:
        return Numbers(np.zeros(1, int), np.zeros(1, int))

    def at_last(self, put: Callable[[], None]) -> None:
        """What reads other components measures nothing."""

    def read_by(self, finds: Finds) -> list[Numbers]:
        return []

    def commanded(self, component: Component) -> list[Commanded]:
        """What is commanded is added apart."""
        return []

    def search(self, search: Search) -> None:
        """Pairs found by a search have no measured parameters."""
