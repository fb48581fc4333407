"""Gains by which an error and its rate act on accelerations: ë + K_d ė + K_p e = 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ControlError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls

#: the symmetric part of a matrix of gains may be negative by this part of its size, which is rounding
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Gains(metaclass=AnswersCalls):
    """Gains of a law in accelerations: `position` K_p [1/s²] of errors, `rate` K_d [1/s] of their rates.

    Each is a number, a row of n numbers, one for each error, a matrix (n, n), or a function gain(q, v, t) of the joint
    coordinates, speeds and the time [s] that gives one of these.

    >>> Gains.of(10.0, 0.7)
    Gains(position=100.0, rate=14.0)
    >>> Gains(100.0, lambda q, v, t: 14.0 + t).at([0.0], [0.0], 1.0, 1, "law")
    (array([[100.]]), array([[15.]]))
    """

    position: Any
    rate: Any
    #: matrices of gains that are no functions, by what they are and for how many errors
    _known: dict[tuple[str, int], np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for what in ("position", "rate"):
            given = getattr(self, what)
            if not callable(given):
                _matrix(given, what, "gains", None)

    @classmethod
    def of(cls, frequency: Any, damping_ratio: float = 1.0) -> Gains:
        """Gains of errors that decay with an angular `frequency` ω [rad/s], a number or one for each error, and a
        `damping_ratio` ζ: K_p = ω², K_d = 2 ζ ω."""
        omega = _matrix(frequency, "frequency", "gains", None)
        if omega.ndim > 1:
            raise ControlError("gains: frequency is a matrix; give a number, or one for each error")
        zeta = checks.not_negative(damping_ratio, "damping_ratio", "gains")
        parts = omega * omega, 2.0 * zeta * omega
        return cls(*(float(x) if x.ndim == 0 else x for x in parts))

    def at(self, q: Any, v: Any, t: float, count: int, where: str) -> tuple[np.ndarray, np.ndarray]:
        """K_p and K_d (count, count) in a state."""
        found = []
        for what in ("position", "rate"):
            given: Any = getattr(self, what)
            known = self._known.get((what, count))
            if known is None:
                known = _matrix(given(q, v, t) if callable(given) else given, what, where, count)
                known = known * np.eye(count) if known.ndim < 2 else known
                if not callable(given):
                    self._known[what, count] = known
            found.append(known)
        return found[0], found[1]

    def check(self, count: int, where: str) -> None:
        """Refuse gains that are no functions and not for so many errors."""
        for what in ("position", "rate"):
            if not callable(getattr(self, what)):
                _matrix(getattr(self, what), what, where, count)


def checked_gains(given: Any, count: int, where: str, what: str = "gains") -> Gains:
    """Gains for so many errors, or a ControlError."""
    if not isinstance(given, Gains):
        raise ControlError(
            f"{where}: {what} is {checks.quoted(given)}; give fm.control.Gains(position, rate), or "
            "fm.control.Gains.of(frequency, damping_ratio)"
        )
    given.check(count, where)
    return given


def _matrix(given: Any, what: str, where: str, count: int | None) -> np.ndarray:
    """Gains as a number, a row or a matrix, none of which pushes errors away."""
    wanted = "a number, a row of numbers or a square matrix; one that follows the state is a function gain(q, v, t)"
    found = checks.numbers(given, what, where, wanted)
    shapes = ((), (count,), (count, count))
    if found.ndim > 2 or (found.ndim == 2 and found.shape[0] != found.shape[1]):
        raise ControlError(f"{where}: {what} has the shape {found.shape}; give {wanted}")
    if count is not None and found.shape not in shapes:
        raise ControlError(
            f"{where}: {what} has the shape {found.shape}; there are {count} errors, so give a number, a row of "
            f"{count} or a matrix ({count}, {count})"
        )
    least = np.linalg.eigvalsh(0.5 * (found + found.T)).min(initial=0.0) if found.ndim == 2 else found.min(initial=0.0)
    if least < -ROUNDING * np.abs(found).max(initial=0.0):
        raise ControlError(f"{where}: {what} is {checks.quoted(given)}; gains that are negative drive errors apart")
    return found
