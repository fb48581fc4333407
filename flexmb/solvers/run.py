"""What every method needs of a run: the state in arrays, the progress bar, Ctrl-C, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.solvers.history import History
from flexmb.solvers.statistics import Statistics
from flexmb.system.system import System

#: a segment of compiled work lasts about this long [s], then Python looks after Ctrl-C and the progress bar
SEGMENT_SECONDS = 0.1


@dataclass
class Run:
    """One run of a system: its state, its history and its statistics."""

    system: System
    t: float
    t_end: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    history: History
    statistics: Statistics
    progress: bool = True
    status: str = "finished"
    message: str = ""
    _begun: float = field(default_factory=time.perf_counter)
    _bar: Any = None

    def __enter__(self) -> Run:
        self._begun = time.perf_counter()
        return self

    def __exit__(self, *_: Any) -> None:
        self.statistics.seconds = time.perf_counter() - self._begun
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def show(self) -> None:
        """Draw the progress bar, once the run has taken a second."""
        if not self.progress or time.perf_counter() - self._begun < 1.0:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            console = Console(stderr=True)
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[time]:.3g} s of {task.total:.3g} s"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
                disable=not console.is_terminal,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.system.model.name, total=self.t_end, time=self.t)
        self._bar.update(self._task, completed=self.t, time=self.t)

    def guarded(self, work: Callable[[], None]) -> None:
        """Do the run's work; Ctrl-C ends it with what it has."""
        try:
            work()
        except KeyboardInterrupt:
            self.status = "interrupted"
            self.message = f"interrupted at t = {self.t:g} s; the steps until then are kept"

    def diverged(self, why: str) -> None:
        """End the run before its time."""
        self.status = "diverged"
        self.message = f"stopped at t = {self.t:g} s: {why}; the steps until then are kept"


def work_arrays(system: System) -> tuple[np.ndarray, ...]:
    """The work of :mod:`flexmb.solvers.index_one`: r, x, g, gd, γ, zero, weights."""
    total, m = system.plan.total, system.m
    return (
        np.zeros(total),
        np.zeros(max(system.plan.size, total)),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(total),
        np.zeros(3),
    )
