"""Random values at the start of an episode: numbers, evenly from ranges, or by functions of one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks


@dataclass(frozen=True)
class Range:
    """From `low` to `high`, or what a `function` of a random generator returns, which is `what` `where`."""

    low: float
    high: float
    function: Callable[[np.random.Generator], Any] | None
    what: str
    where: str

    def draw(self, generator: np.random.Generator) -> float:
        """A number. One that does not vary draws nothing."""
        if self.function is not None:
            return checks.number(self.function(generator), self.what, self.where)
        if self.low == self.high:
            return self.low
        return self.low + (self.high - self.low) * float(generator.random())


def ranges_of(given: Mapping[str, Any], what: str, where: str) -> dict[str, Range]:
    """The ranges of numbers by name: each a number, a pair (lowest, highest), or a function.

    >>> one = ranges_of({"angle": (1.0, 2.0)}, "initial", "m")["angle"]
    >>> round(one.draw(np.random.default_rng(0)), 3)
    1.637
    """
    return {name: _range(value, f"{what} of {name!r}", where) for name, value in given.items()}


def _range(value: Any, what: str, where: str) -> Range:
    if callable(value):
        return Range(-math.inf, math.inf, value, what, where)
    pair = checks.numbers(value, what, where, "a number, or two: the lowest and the highest")
    if pair.ndim == 0:
        return Range(float(pair), float(pair), None, what, where)
    if pair.shape != (2,) or not pair[0] <= pair[1]:
        raise ModelError(f"{where}: {what} is {checks.quoted(value)}; give a number, or the lowest and the highest")
    return Range(float(pair[0]), float(pair[1]), None, what, where)
