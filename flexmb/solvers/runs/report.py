"""Report of a run: how it ended and why, its counts and doubts, the progress bar."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from flexmb.machine.progress import ProgressBar
from flexmb.results.statistics import Statistics


@dataclass
class Report:
    """The report of a run, which its method and its events write; `progress`: it shows a bar."""

    statistics: Statistics
    progress: bool = True
    status: str = "finished"
    message: str = ""
    #: doubts about the start of the run, a sentence each
    doubts: list[str] = field(default_factory=list)
    #: rough estimate of the displacement at the end due to the errors of fixed steps, in units of the model's length,
    #: and radians
    carried_error: float = 0.0
    #: order of a method with fixed steps
    order_of_fixed: int = 2
    #: how far the accelerations of a classical formulation were from those of the components at most, as a part of the
    #: largest accelerations, and when [s]; these largest ones, in units of the model
    apart: tuple[float, float] = (0.0, 0.0)
    largest_acceleration: float = 0.0
    _begun: float = field(default_factory=time.perf_counter)
    _bar: ProgressBar | None = None

    def begin(self, name: str, t_end: float) -> None:
        """Start the clock, and the bar of a run of the model `name` until `t_end` [s]."""
        self._begun = time.perf_counter()
        self._bar = ProgressBar(name, t_end, self.progress)

    def end(self) -> None:
        """Stop the clock and the bar."""
        self.statistics.seconds = time.perf_counter() - self._begun
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def show(self, t: float, t_end: float) -> None:
        """Draw the bar at the time t [s]."""
        if self._bar is not None:
            self._bar.show(t, f"{t:.3g} s of {t_end:.3g} s")
