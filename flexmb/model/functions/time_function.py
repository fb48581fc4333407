"""The base of all functions of time, their sums and multiples, and the constant. Compiled code evaluates them.

A function gives a value with its first and second rate. It can be added to others and scaled:

>>> from flexmb.model.functions.smooth_functions import Harmonic, SmoothStep
>>> lift = 0.2 * SmoothStep(1.0, 2.0) + Harmonic(0.01, 30.0)
>>> round(lift(2.0), 6), round(lift.rate(2.0), 6)
(0.096952, -0.098224)

Inside a kernel it is a piece of the parameter row; :func:`flexmb.kernels.slots.time_function` reads it. Before it may
stand a number that is commanded from outside; then :func:`flexmb.kernels.slots.strength_at` reads both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels import slots
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


class TimeFunction(metaclass=AnswersCalls):
    """A function of time f(t) with its rates; see :mod:`flexmb.model.functions.time_function`.

    `f(t)`, `f.rate(t)` and `f.second_rate(t)` take a time [s] or an array of times.

    >>> import flexmb as fm
    >>> motion = fm.Polynomial([0.0, 3.0]) + 0.5 * fm.Harmonic(amplitude=1.0, frequency=2.0)
    >>> isinstance(motion, fm.TimeFunction), round(motion(0.25), 6)
    (True, 0.989713)
    """

    #: numpy leaves products like `np.float64(2) * f` to this class
    __array_ufunc__ = None

    def parameters(self) -> np.ndarray:
        """The numbers that :func:`flexmb.kernels.slots.time_function` reads: kind, own length, data."""
        return self._row.copy()

    def slot(self) -> np.ndarray:
        """The numbers that :func:`flexmb.kernels.slots.strength_at` reads: the command from outside, at first zero,
        then the numbers of the function."""
        return np.concatenate([[0.0], self._row])

    def _terms(self) -> list[np.ndarray]:
        """Rows (kind, length, factor, data …) whose values add up to the function."""
        raise NotImplementedError

    @cached_property
    def _rows(self) -> list[np.ndarray]:
        """The same, made once, as a function stays what it is; nobody writes into them."""
        return self._terms()

    @cached_property
    def _row(self) -> np.ndarray:
        terms = self._rows
        if len(terms) == 1:
            return terms[0]
        return np.concatenate([[float(slots.SUM), 2.0 + sum(map(len, terms))], *terms])

    def _evaluate(self, t: Any, which: int) -> Any:
        times = t if isinstance(t, float) else checks.numbers(t, "t", type(self).__name__, "a time or times")
        times = np.asarray(times)
        out = np.empty((3, times.size))
        slots.tabulate(self._row, np.ascontiguousarray(times.ravel()), out)
        return float(out[which, 0]) if times.ndim == 0 else out[which].reshape(times.shape)

    @property
    def kinks(self) -> list[float]:
        """The times, rising, at which one piece of it ends and another begins: derivatives jump there, or the function
        itself. Of pulses that repeat these are the first ones, :meth:`kinks_until` has the others.

        >>> from flexmb.model.functions.smooth_functions import TrapezoidalSpeed
        >>> TrapezoidalSpeed(3.0, accelerate=1.0, cruise=2.0, decelerate=1.0).kinks
        [0.0, 1.0, 3.0, 4.0]
        """
        return self.kinks_until(-np.inf)

    def kinks_until(self, end: float) -> list[float]:
        """All `kinks`, and those of repeated pulses that are not after the time `end` [s]."""
        return sorted({time for row in self._rows for time in _ends(row, end).tolist()})

    def jumps(self) -> dict[float, tuple[float, float]]:
        """By how much value and rate jump, by the times [s] at which one of them does; of pulses that repeat the first
        ones. A spline does not count, whose rate may jump at its ends.

        >>> from flexmb.model.functions.jumping_functions import PiecewiseLinear, Step
        >>> (2.0 * Step(1.0) + PiecewiseLinear([0.0, 1.0], [0.0, 3.0])).jumps()
        {0.0: (0.0, 3.0), 1.0: (2.0, -3.0)}
        """
        sums: dict[float, np.ndarray] = {}
        for row in self._rows:
            for time, value, rate in _jumps_of(row):
                sums[time] = sums.get(time, np.zeros(2)) + row[2] * np.array([value, rate])
        return {time: (float(both[0]), float(both[1])) for time, both in sorted(sums.items()) if both.any()}

    def delayed(self, delay: float) -> TimeFunction:
        """This function so many seconds later, f(t − `delay`); a negative delay [s] is earlier.

        >>> from flexmb.model.functions.smooth_functions import SmoothStep
        >>> SmoothStep(1.0, 2.0).delayed(0.5)(2.5)
        0.5
        """
        delay = checks.number(delay, "delay", "delayed function of time")
        return _Combination([_later(row, delay) for row in self._rows])

    def __call__(self, t: Any) -> Any:
        """f(t)."""
        return self._evaluate(t, 0)

    def rate(self, t: Any) -> Any:
        """df/dt."""
        return self._evaluate(t, 1)

    def second_rate(self, t: Any) -> Any:
        """d²f/dt²."""
        return self._evaluate(t, 2)

    def __add__(self, other: Any) -> TimeFunction:
        summand = as_function(other, "the other summand", "sum of functions of time")
        return _Combination([*self._rows, *summand._rows])

    __radd__ = __add__

    def __mul__(self, factor: Any) -> TimeFunction:
        if isinstance(factor, TimeFunction):
            raise ModelError("product of two functions of time: only numbers can scale one; use fm.spline_fit(...)")
        number = checks.number(factor, "factor", "scaled function of time")
        terms = [row.copy() for row in self._rows]
        for row in terms:
            row[2] *= number
        return _Combination(terms)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> TimeFunction:
        number = checks.number(divisor, "divisor", "scaled function of time")
        if number == 0.0:
            raise ModelError("scaled function of time: the divisor is zero")
        return self * (1.0 / number)

    def __neg__(self) -> TimeFunction:
        return self * -1.0

    def __sub__(self, other: Any) -> TimeFunction:
        return self + -as_function(other, "the subtrahend", "difference of functions of time")

    def __rsub__(self, other: Any) -> TimeFunction:
        return -self + other


#: pulses that rise more often than that before the end of a run are refused
_MOST_PULSES = 1_000_000


def _ends(row: np.ndarray, until: float) -> np.ndarray:
    """Where the pieces of a term begin and end, repetitions up to a time. Inside a spline the second rate is
    continuous."""
    kind, data = int(row[0]), row[3:]
    if kind in (slots.SMOOTH_STEP, slots.SPIN_UP):
        return data[0] + np.array([0.0, data[1]])
    if kind == slots.TRAPEZOID:
        return data[0] + np.concatenate([[0.0], np.cumsum(data[1:4])])
    if kind == slots.LINES:
        return data[1 : 1 + int(data[0])]
    if kind == slots.PULSE:
        start, duration, period = data[:3].tolist()
        if duration == 0.0:
            return data[:1]
        again = 0.0 if period == 0.0 else max(0.0, np.floor((until - start) / period))
        if again > _MOST_PULSES:
            raise ModelError(
                f"pulse with a period of {period:g} s: it rises {again:.3g} times until t = {until:g} s, where steps "
                f"would have to end; give it a mean value, or a longer period"
            )
        rises = start + np.arange(again + 1.0) * period  # rounded as the pulse itself does
        return np.concatenate([rises, rises + duration])
    return data[[1, int(data[0])]] if kind == slots.SPLINE else data[:0]


def _later(row: np.ndarray, by: float) -> np.ndarray:
    """A term f(t − by)."""
    out = row.copy()
    kind, data = int(row[0]), out[3:]
    if kind == slots.HARMONIC:
        data[2] -= data[1] * by
    elif kind in (slots.SPLINE, slots.LINES):
        data[1 : 1 + int(data[0])] += by
    else:
        data[0] += by
    return out


def _jumps_of(row: np.ndarray) -> list[tuple[float, float, float]]:
    """Times at which a term without its factor jumps, by how much its value does and its rate."""
    kind, data = int(row[0]), row[3:]
    if kind == slots.PULSE:
        height = float(data[4] - data[3])
        return [(time, sign * height, 0.0) for time, sign in zip(_ends(row, -np.inf).tolist(), (1.0, -1.0))]
    if kind == slots.LINES:
        times, values = data[1:].reshape(2, -1)
        slopes = np.concatenate([[0.0], np.diff(values) / np.diff(times), [0.0]])
        return [(time, 0.0, more) for time, more in zip(times.tolist(), np.diff(slopes).tolist())]
    return []


def term(kind: int, *data: Any) -> list[np.ndarray]:
    """The single row (kind, length, factor 1, data …) of a function that is one term."""
    if all(type(d) is float for d in data):
        return [np.array([float(kind), 3.0 + len(data), 1.0, *data])]
    values = np.concatenate([np.atleast_1d(np.asarray(d, dtype=float)).ravel() for d in data])
    return [np.concatenate([[float(kind), 3.0 + len(values), 1.0], values])]


class _Combination(TimeFunction):
    """A sum of scaled functions."""

    def __init__(self, terms: list[np.ndarray]) -> None:
        self._given = terms

    def __repr__(self) -> str:
        return f"TimeFunction(a sum of {len(self._given)} terms)"

    def _terms(self) -> list[np.ndarray]:
        return self._given


@dataclass(frozen=True)
class Constant(TimeFunction):
    """The same value at all times.

    >>> Constant(3.0)(7.0)
    3.0
    """

    value: float

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.number, type(self).__name__, "value")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.POLYNOMIAL, 0.0, self.value)


def as_function(value: Any, what: str, where: str) -> TimeFunction:
    """A function of time as it is, a number as a Constant; otherwise a ModelError that names `what` and `where`."""
    if isinstance(value, TimeFunction):
        return value
    if callable(value):
        raise ModelError(
            f"{where}: {what} is a function of Python, which compiled code cannot call; "
            f"use fm.spline_fit(function, t_start, t_end), or one of fm.SmoothStep, fm.Harmonic, fm.Spline, …"
        )
    return Constant(checks.number(value, what, where))


def as_motion(value: Any, what: str, where: str) -> TimeFunction:
    """A function of time that a drive can follow: neither its value nor its rate jumps. Otherwise as `as_function`."""
    function = as_function(value, what, where)
    for time, (value_jump, rate_jump) in function.jumps().items():
        said, by = ("", value_jump) if value_jump else ("the rate of ", rate_jump)
        raise ModelError(
            f"{where}: {said}{what} jumps by {by:.6g} at t = {time:g} s, and no force could do that; "
            "use fm.SmoothStep, or fm.Spline for a table"
        )
    return function


def row_of_numbers(value: Any, what: str, where: str) -> np.ndarray:
    """A row of finite numbers; unlike :func:`flexmb.model.checks.row` it takes no single number for a row."""
    result = checks.numbers(value, what, where, "a row of numbers")
    if result.ndim != 1:
        raise ModelError(f"{where}: {what} must be a row of numbers, not {checks.quoted(result)}")
    return result


def table(times: Any, values: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Times that rise, at least two, and as many values."""
    times, values = row_of_numbers(times, "times", where), row_of_numbers(values, "values", where)
    if len(times) != len(values):
        raise ModelError(f"{where}: there are {len(times)} times and {len(values)} values; give as many of each")
    if len(times) < 2:
        raise ModelError(f"{where}: give at least two points")
    falling = np.flatnonzero(np.diff(times) <= 0.0)
    if falling.size:
        k = int(falling[0])
        raise ModelError(f"{where}: times must rise; after {times[k]:g} comes {times[k + 1]:g}")
    return times, values
