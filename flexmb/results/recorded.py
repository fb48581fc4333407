"""The protocol of a solution, against which names, sources, tables and files are typed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from flexmb.model.appearance import ShownMotion
from flexmb.model.model import Model
from flexmb.results.between_steps.nodes import StepAgain
from flexmb.results.energy.ledger import Ledger
from flexmb.results.layout import Layout
from flexmb.results.signals import ControlLog
from flexmb.results.tracks.track import Track
from flexmb.results.tracks.whole_track import WholeTrack


class MadeLater(ABC):
    """Multipliers of the steps of a run that are found when somebody reads them."""

    @abstractmethod
    def all(self) -> np.ndarray:
        """The multipliers (k, all rows) of all steps."""

    @abstractmethod
    def of(self, rows: np.ndarray) -> np.ndarray:
        """The multipliers of these steps."""

    @abstractmethod
    def note(self, statistics: Any) -> None:
        """Enter into the statistics of the run how well the constraint rows hold."""


class Recorded(ShownMotion, Protocol):
    """A motion with names (:class:`flexmb.Solution`): coordinates, speeds and accelerations (k, n), multipliers (k, m),
    the layout that says what each number belongs to, and the model if it is known."""

    layout: Layout
    source: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    status: str
    message: str
    model: Model | None
    still: bool
    order: int
    doubts: list[str]
    events: Sequence[Any]
    earlier_events: Sequence[str]
    time_label: str
    load_time: float | None
    original: Any
    again: StepAgain | None

    @property
    def statistics(self) -> Any: ...

    @property
    def basic_multipliers(self) -> np.ndarray: ...

    def _multipliers_at(self, rows: np.ndarray) -> np.ndarray: ...

    @property
    def multipliers(self) -> np.ndarray: ...

    @property
    def joints_not_unique(self) -> list[str]: ...

    @property
    def control(self) -> Mapping[str, ControlLog]: ...

    @property
    def name(self) -> str: ...

    @property
    def where(self) -> str: ...

    @property
    def energy(self) -> Ledger: ...

    @property
    def whole(self) -> WholeTrack: ...

    def support(self) -> Any: ...

    def __len__(self) -> int: ...

    def is_on(self, component: Any) -> np.ndarray: ...

    def track(self, key: Any) -> Track: ...

    def relative(self, key: Any, to: Any) -> Any: ...

    def series(self, name: str, *, any_kind: bool = False) -> Any: ...

    def reaction(self, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, np.ndarray]: ...

    def at(self, times: Any) -> Any: ...

    def _at(self, times: Any, again: StepAgain | None) -> Any: ...
