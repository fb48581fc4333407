"""Times as a user gives them: the span of a run, times within it, one of its instants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.checks import number, quoted
from flexmb.model.components import Component


def span(t_start: Any, t_end: Any, where: str, step: float = 1.0) -> tuple[float, float]:
    """The times [s] from which and to which a run goes, the second later than the first, with room between floats for a
    `step` [s]: those of 64 bits are 2 s apart from 2⁵³ s on.

    >>> span(0, 1e30, "model 'm'")
    Traceback (most recent call last):
    flexmb.errors.ModelError: model 'm': t_start is 0 and t_end is 1e+30; numbers of that size are 1.41e+14 apart, so \
time cannot go on by a step of 1 s; give times nearer to zero
    """
    start, end = number(t_start, "t_start", where), number(t_end, "t_end", where)
    if end <= start:
        raise ModelError(f"{where}: t_end is {end:g}; it must be later than t_start, {start:g}")
    latest = max(abs(start), abs(end))
    if latest + step == latest:
        raise ModelError(
            f"{where}: t_start is {start:g} and t_end is {end:g}; numbers of that size are {np.spacing(latest):.3g} "
            f"apart, so time cannot go on by a step of {step:g} s; give times nearer to zero"
        )
    return start, end


def instant(k: Any, count: int, where: str) -> int:
    """The number of one of `count` instants, from 0 on, or from −1 on backwards."""
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not -count <= k < count:
        raise ModelError(
            f"{where}: there is no instant {quoted(k)}; give a whole number from 0 to {count - 1}, or from −1 on "
            "backwards"
        )
    return int(k)


def times(value: Any, what: str, where: str) -> np.ndarray:
    """One time or several [s] as a row of finite numbers."""
    try:
        result = np.atleast_1d(np.array(value, dtype=float))
        if np.asarray(value).dtype.kind not in "iuf" and result.size:  # texts of numbers, None, dates
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where}: {what} must be a time or a list of times [s], not {value!r}") from None
    if result.ndim != 1:
        raise ModelError(f"{where}: {what} must be a time or a list of times [s], not an array of shape {result.shape}")
    if not np.all(np.isfinite(result)):
        raise ModelError(f"{where}: {what} has a time that is NaN or infinite")
    return result


def rising_times(value: Any, first: float, last: float, where: str) -> np.ndarray:
    """The argument `times` of a run from `first` to `last` [s]: times of which each is later than the one before."""
    result = times(value, "times", where)
    if not len(result):
        raise ModelError(f"{where}: there is no time in times; give one or more, or leave it out for all steps")
    falling = np.flatnonzero(np.diff(result) <= 0.0)
    if len(falling):
        before, after = result[falling[0]], result[falling[0] + 1]
        raise ModelError(f"{where}: times must rise, but {after:g} s comes after {before:g} s")
    outside = result[(result < first) | (result > last)]
    if len(outside):
        raise ModelError(
            f"{where}: times has {outside[0]:g} s, which is outside the run from {first:g} s to {last:g} s"
        )
    return result


def kinks_until(components: Iterable[Component], t_end: float) -> list[float]:
    """The times [s], sorted, at which what components do is no smooth function of time."""
    return sorted({time for component in components for time in component.kinks_until(t_end)})
