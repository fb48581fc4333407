"""What is measured: a line is a method of a code on a problem, a point one run of it at one setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

#: tolerances that are asked for, two in each decade: errors by tolerance go up and down by chance
TOLERANCES = tuple(10.0 ** (-0.5 * k) for k in range(6, 21))


class CutOffError(Exception):
    """A run that takes longer than it may, does not come to its end, or is refused; `final` if no finer setting will
    help."""

    def __init__(self, why: str, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class Setting(NamedTuple):
    """Options of one point: its tolerance (NaN where the method has fixed steps), what is printed, and the options."""

    tolerance: float
    label: str
    options: Any


@dataclass
class Outcome:
    """What one run gave: what the problem observes (k, c) at the times asked for, the processor time of the code [s],
    counts (0 where a code does not tell), the error of the energy ledger (NaN where there is none), the time [s] of
    the method alone, without assembly and checks, where it is another, and that [s] of it which a code from elsewhere
    spends in the compiled right-hand side of flexmb."""

    observed: np.ndarray
    seconds: float
    steps: int = 0
    evaluations: int = 0
    energy: float = float("nan")
    alone: float | None = None
    evaluating: float = 0.0

    @property
    def seconds_alone(self) -> float:
        """The time of the method alone [s]."""
        return self.seconds if self.alone is None else self.alone


@dataclass
class Line:
    """A method of a code on a problem.

    `settings`: from coarse to fine; `run(setting, end, limit)`: a run to the time `end`, cut off after `limit` seconds,
    observed at the problem's times up to `end`; `on_steps`: whether these are times of steps, so that nothing is
    interpolated; `target`: the motion (k, c) that it tends to, if that is not the problem's reference; `predict`: the
    factor by which the next setting takes longer, for codes that cannot be stopped.
    """

    code: str
    method: str
    settings: Iterable[Setting]
    run: Callable[[Setting, float, float], Outcome]
    on_steps: bool = False
    target: np.ndarray | None = None
    predict: float = 1.0

    @property
    def name(self) -> str:
        """The code and its method."""
        return f"{self.code} {self.method}"


@dataclass
class Point:
    """A row of the table, see :mod:`flexmb.validation.performance.work_precision`."""

    problem: str
    code: str
    method: str
    tolerance: float
    setting: str
    error: float
    error_by_tolerance: float
    error_between: float
    energy: float
    seconds: float
    seconds_alone: float
    steps: int
    evaluations: int
    seconds_evaluating: float = 0.0

    def row(self) -> dict[str, Any]:
        """The point as it is written to files."""
        return asdict(self)


def halved_steps(t_end: float, first: int, most: int, label: str = "step") -> Iterable[Setting]:
    """Fixed steps [s]: `first` in the run, then twice as many again and again."""
    count = first
    while count <= most:
        yield Setting(float("nan"), f"{label} {t_end / count:.2e}", t_end / count)
        count *= 2
