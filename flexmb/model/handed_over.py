"""What components hand over to the assembler beside instances of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.frames import Node


@dataclass(frozen=True, eq=False)
class Search:
    """A component that acts between those of its bodies that are near each other, which a search finds
    (:mod:`flexmb.system.near`), by a kernel family of pairs without inertia.

    `nodes` of the N bodies and the `reach` (N,) [m] about them, beyond which a body has no effect. The parameters of a
    pair are the `common` ones (np,) with what is `own` (N, k) to each of its bodies in the places `at`, (k,) for the
    first body and for the second. A list of pairs holds until a body has moved by half the `margin` [m]; in steps that
    follow their error none goes farther than the `stride` [m], at most a quarter of that. Where both are infinite, all
    pairs stay in it. There is `room` for so many pairs; `work` numbers of scratch for the kernels.
    """

    owner: Any
    kernels: Kernels
    nodes: Sequence[Node]
    reach: np.ndarray
    own: np.ndarray
    at: tuple[np.ndarray, np.ndarray]
    common: np.ndarray
    margin: float
    stride: float
    room: int
    work: int = 0


class Commanded(NamedTuple):
    """A kernel instance in which the strength of a component stands: its kernels, its coordinates, its parameters, the
    place of the command among these, and how much scratch it needs."""

    kernels: Kernels
    coordinates: Numbers
    parameters: np.ndarray
    at: int
    work: int


class Finds(Protocol):
    """What an instance reads of other components, which the system finds for it before its kernel runs."""

    def instances(self, assembly: Any) -> list[Any]:
        """The instances (:class:`flexmb.system.instances.Instance`) that have to be asked."""

    def found(self, system: Any, where: str) -> Any:
        """What compiled code has to know to find it (:class:`flexmb.system.found.Found`), for the reader `where`."""
