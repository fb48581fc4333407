"""Functions of time that jump or have corners: steps, pulses, tables with straight lines between their points.

They are for forces, moments and commands. A drive cannot follow them, since a position and its rate do not jump. Where
they jump they already have the value after the jump; steps that follow their error end there, and the accelerations
behind are found anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels import slots
from flexmb.model import checks
from flexmb.model.functions.time_function import TimeFunction, table, term


@dataclass(frozen=True)
class Step(TimeFunction):
    """A jump from one value to another; from the time `t_start` on it is the second.

    Arguments: `t_start` [s], `from_value`, `to_value`.

    >>> step = Step(t_start=1.0, to_value=4.0)
    >>> step(0.999), step(1.0), step.rate(1.0)
    (0.0, 4.0, 0.0)
    """

    t_start: float
    from_value: float = 0.0
    to_value: float = 1.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.number, type(self).__name__, "t_start", "from_value", "to_value")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.PULSE, self.t_start, 0.0, 0.0, self.from_value, self.to_value)


@dataclass(frozen=True)
class Pulse(TimeFunction):
    """A rectangle: `value` for t_start ≤ t < t_start + duration, else zero; with a period for ever from `t_start` on:

        value  for  0 ≤ t − t_start − k period < duration,  k = 0, 1, 2, …

    Arguments: `t_start` [s]; `duration` [s]; `value`; `period` [s], longer than the duration, none when not given.

    >>> hammer = Pulse(t_start=1.0, duration=0.01, value=500.0)
    >>> hammer([0.99, 1.0, 1.005, 1.01]).tolist(), hammer.kinks
    ([0.0, 500.0, 500.0, 0.0], [1.0, 1.01])
    >>> Pulse(0.0, 0.2, 1.0, period=0.5)([0.1, 0.3, 10.1, 10.3]).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """

    t_start: float
    duration: float
    value: float = 1.0
    period: float | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        checks.check_fields(self, checks.number, name, "t_start", "value")
        checks.check_fields(self, checks.positive, name, "duration")
        if self.period is not None:
            checks.check_fields(self, checks.positive, name, "period")
            if self.period <= self.duration:
                raise ModelError(
                    f"{name}: period is {self.period:g} s; it must be longer than the duration, {self.duration:g} s"
                )

    def _terms(self) -> list[np.ndarray]:
        return term(slots.PULSE, self.t_start, self.duration, self.period or 0.0, 0.0, self.value)


@dataclass(frozen=True, eq=False)
class PiecewiseLinear(TimeFunction):
    """Straight lines between the points of a table. Outside of the table it keeps the first and the last value.

    Arguments: `times` [s], rising; `values`.

    >>> triangle = PiecewiseLinear([0.0, 1.0, 2.0], [0.0, 50.0, 0.0])
    >>> triangle([0.5, 1.5, 7.0]).tolist(), triangle.rate(1.5)
    ([25.0, 25.0, 0.0], -50.0)
    """

    times: Any
    values: Any

    def __post_init__(self) -> None:
        times, values = table(self.times, self.values, type(self).__name__)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.times)} points, t = {self.times[0]:g} … {self.times[-1]:g} s)"

    def _terms(self) -> list[np.ndarray]:
        return term(slots.LINES, len(self.times), self.times, self.values)
