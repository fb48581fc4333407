"""The protocol of a solution, against which names, sources, tables and files are typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from flexmb.model.model import Model
from flexmb.results.layout import Layout
from flexmb.results.ledger import Ledger
from flexmb.results.signals import ControlLog
from flexmb.results.track import Track


class Recorded(Protocol):
    """A motion with names (:class:`flexmb.Solution`): times (k,), coordinates, speeds and accelerations (k, n),
    multipliers (k, m), the layout that says what each number belongs to, and the model if it is known."""

    layout: Layout
    source: Any
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    status: str
    message: str
    statistics: Any
    model: Model | None
    still: bool
    doubts: list[str]

    @property
    def control(self) -> Mapping[str, ControlLog]: ...

    @property
    def name(self) -> str: ...

    @property
    def where(self) -> str: ...

    @property
    def time_label(self) -> str: ...

    @property
    def energy(self) -> Ledger: ...

    def __getitem__(self, key: Any) -> Any: ...

    def __len__(self) -> int: ...

    def coordinate(self, name: str) -> np.ndarray: ...

    def track(self, key: Any) -> Track: ...

    def series(self, name: str, *, any_kind: bool = False) -> Any: ...

    def axis(self, beam: str, points: int = 41) -> np.ndarray: ...

    def places(self, beam: str, points: int = 21) -> np.ndarray: ...

    def along(self, beam: str, quantity: str, points: int = 21) -> np.ndarray: ...

    def reaction(self, joint: Any, on: Any = None) -> tuple[np.ndarray, np.ndarray]: ...

    def relative(self, key: Any, to: Any) -> Track: ...

    def at(self, times: Any) -> Any: ...
