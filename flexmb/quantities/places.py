"""Where a quantity finds the coordinates that it reads: among those of a model that is being assembled, of a system, or
of a solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from flexmb.errors import NamingError
from flexmb.kernels.blocks import Numbers
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction
from flexmb.system.system import System


class Places(Protocol):
    """What quantities ask: the blocks of coordinates of a frame's node, a coordinate that a component owns, and a
    function of time as it is held there."""

    def blocks(self, frame: Any) -> list[Numbers]:
        """The coordinates of the node under a frame, block by block."""

    def coordinate(self, name: str) -> Numbers:
        """A coordinate that a component owns, by its name such as 'motor.rotor'; a ValueError if there is none."""

    def held(self, function: TimeFunction) -> TimeFunction:
        """A function of time, or its value where time stands still."""


@dataclass
class InAssembly:
    """The places in a model that is being assembled."""

    assembly: Assembler

    def blocks(self, frame: Any) -> list[Numbers]:
        return list(self.assembly.node(frame.node))

    def coordinate(self, name: str) -> Numbers:
        return self.assembly.own_coordinate(name)

    def held(self, function: TimeFunction) -> TimeFunction:
        return self.assembly.held(function)


@dataclass
class InSystem:
    """The places in a system."""

    system: System

    def blocks(self, frame: Any) -> list[Numbers]:
        return node_blocks(*self.system.assembly.node_numbers(frame.node))

    def coordinate(self, name: str) -> Numbers:
        return one_coordinate(self.system.names.index(name))

    def held(self, function: TimeFunction) -> TimeFunction:
        return function


@dataclass
class InLayout:
    """The places in a solution, by its layout (:class:`flexmb.results.layout.Layout`)."""

    layout: Any

    def blocks(self, frame: Any) -> list[Numbers]:
        name = frame if isinstance(frame, str) else frame.name
        if name in self.layout.spatial:
            place = self.layout.spatial[name]
            return node_blocks(place.coordinates, place.speeds)
        if name not in self.layout.frames:
            raise NamingError(
                f"frame {name!r} came into the model after this system was made, or is of another model; ask a run or "
                "state that has it"
            )
        numbers = self.layout.frames[name].numbers
        return node_blocks(numbers, numbers)

    def coordinate(self, name: str) -> Numbers:
        return one_coordinate(self.layout.coordinates.index(name))

    def held(self, function: TimeFunction) -> TimeFunction:
        return function


def one_coordinate(number: int) -> Numbers:
    """A coordinate whose speed has the same number."""
    own = np.array([number], dtype=np.int64)
    return Numbers(own, own)


def node_blocks(q: Sequence[int] | np.ndarray, v: Sequence[int] | np.ndarray) -> list[Numbers]:
    """The coordinates of a node, block by block: its place, and its angle or orientation."""
    q, v = (np.asarray(x, dtype=np.int64) for x in (q, v))
    d = 2 if len(q) == 3 else 3
    return [Numbers(q[:d], v[:d]), Numbers(q[d:], v[d:])]
