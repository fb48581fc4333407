"""Splines as functions of time: through a table, or along any function of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels import slots
from flexmb.model import checks, given_times
from flexmb.model.functions.time_function import TimeFunction, table, term
from flexmb.model.hints import answers_calls


@dataclass(frozen=True, eq=False)
class Spline(TimeFunction):
    """The cubic spline through a table. Outside of the table it keeps the first and the last value.

    Arguments: `times` [s], rising; `values`; `ends`: 'not-a-knot' follows the table best, 'clamped' has no
    rate at the ends (so that no speed jumps there), 'natural' no second rate.

    >>> cubes = Spline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> round(cubes(1.5), 12), cubes(9.0)
    (3.375, 27.0)
    """

    times: Any
    values: Any
    ends: Literal["not-a-knot", "clamped", "natural"] = "not-a-knot"

    def __post_init__(self) -> None:
        times, values = table(self.times, self.values, "Spline")
        checks.choice(self.ends, ("not-a-knot", "clamped", "natural"), "ends", "Spline")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.times)} points, t = {self.times[0]:g} … {self.times[-1]:g} s)"

    def _terms(self) -> list[np.ndarray]:
        from scipy.interpolate import CubicSpline

        # (4, intervals), highest power first
        try:
            with np.errstate(all="ignore"):
                cubics = CubicSpline(self.times, self.values, bc_type=self.ends).c
        except ValueError as error:
            raise ModelError(
                f"{self!r}: no cubics go through it ({error}); give values or times less far apart"
            ) from error
        return term(slots.SPLINE, len(self.times), self.times, cubics[::-1].T)


@dataclass(frozen=True, eq=False, repr=False)
class SplineFit(Spline):
    """A spline that :func:`spline_fit` made of a function of Python; `error` is the largest difference between the two
    at the places that were tried between the points.

    >>> import math
    >>> import flexmb as fm
    >>> fit = fm.spline_fit(math.cos, 0.0, 2.0)
    >>> round(fit(1.0), 6), round(fit.rate(1.0), 5), fit.error < 1e-8
    (0.540302, -0.84147, True)
    """

    error: float = field(default=0.0)


#: largest number of points at which a function is sampled
_MOST_POINTS = 20_000
#: where between two points spline and function are compared; not at the middle, where a period could hide the error
_BETWEEN = (0.13, 0.34, 0.55, 0.79)


@answers_calls
def spline_fit(function: Callable[[float], float], t_start: float, t_end: float, tolerance: float = 1e-8) -> SplineFit:
    """A cubic spline for any function of time in Python, from `t_start` to `t_end` [s] (constant outside).

    Points are added until the spline, between the points, is off by no more than
    `tolerance` · max(1, largest |value|). The second rate of a spline is much less exact than its value: for
    a function with derivatives of size 1, an error of 1e-8 in the value means about 1e-4 in the second rate.

    >>> import math
    >>> f = spline_fit(lambda t: math.exp(-t), 0.0, 2.0)
    >>> abs(f(1.0) - math.exp(-1.0)) < 1e-8 and f.error < 1e-8
    True
    """
    name = getattr(function, "__name__", type(function).__name__)
    where = f"spline fit of function {name!r}"
    if not callable(function):
        raise ModelError(f"{where}: {checks.quoted(function)} is not a function of time")
    t_start, t_end = given_times.span(t_start, t_end, where)
    tolerance = checks.positive(tolerance, "tolerance", where)

    def value(t: float) -> float:
        try:
            result = function(t)
        except Exception as error:
            raise ModelError(f"{where}: it raised {type(error).__name__} at t = {t:.9g}: {error}") from error
        return checks.number(result, f"the value at t = {t:.9g}", where)

    times = np.linspace(t_start, t_end, 17)
    values = np.array([value(t) for t in times.tolist()])
    known: dict[float, float] = {}
    while True:
        spline = Spline(times, values)
        between = np.concatenate([times[:-1] + part * np.diff(times) for part in _BETWEEN])
        for t in between.tolist():
            if t not in known:
                known[t] = value(t)
        exact = np.array([known[t] for t in between.tolist()])
        errors = np.abs(spline(between) - exact)
        limit = tolerance * max(1.0, float(np.max(np.abs(values))))
        worst = int(np.argmax(errors))
        if errors[worst] <= 0.5 * limit:  # half, since the error may be larger between these places
            return SplineFit(times, values, error=float(errors[worst]))
        bad = np.flatnonzero(np.any(errors.reshape(len(_BETWEEN), -1) > 0.5 * limit, axis=0))
        middle = 0.5 * (times[bad] + times[bad + 1])
        shortest = max(1e-12 * (t_end - t_start), 1e-14 * max(abs(t_start), abs(t_end)))
        if len(times) + len(bad) > _MOST_POINTS or np.min(np.diff(times)[bad]) < shortest:
            raise ModelError(
                f"{where}: no spline comes within {limit:.3g} of it; with {len(times)} points the largest "
                f"error is {errors[worst]:.3g} at t = {between[worst]:.9g}. If it jumps there, take a "
                f"fm.SmoothStep in its place; otherwise give a larger tolerance"
            )
        times = np.insert(times, bad + 1, middle)
        values = np.insert(values, bad + 1, [value(t) for t in middle.tolist()])
