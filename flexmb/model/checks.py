"""Checks of what a user gives: every message names the thing and says what is wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from flexmb.errors import ModelError, NamingError

#: Numbers in a row as a user gives them: a tuple, a list or an array.
Vector = Sequence[float] | np.ndarray


def number(value: Any, what: str, where: str) -> float:
    """A finite number, or a ModelError that names `what` and `where`."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {what} must be a number, not {value!r}") from None
    if not math.isfinite(result):
        raise ModelError(f"{where}: {what} is {result}; give a finite number")
    return result


def positive(value: Any, what: str, where: str) -> float:
    """A finite number above zero."""
    result = number(value, what, where)
    if result <= 0.0:
        raise ModelError(f"{where}: {what} is {result:g}; it must be positive")
    return result


def not_negative(value: Any, what: str, where: str) -> float:
    """A finite number, zero or above."""
    result = number(value, what, where)
    if result < 0.0:
        raise ModelError(f"{where}: {what} is {result:g}; it must not be negative")
    return result


def count(value: Any, what: str, where: str, least: int = 0) -> int:
    """A whole number of at least `least`."""
    result = number(value, what, where)
    if result != int(result) or result < least:
        raise ModelError(f"{where}: {what} is {value!r}; give a whole number, at least {least}")
    return int(result)


def matrix(value: Any, what: str, where: str) -> np.ndarray:
    """A matrix of finite numbers; a row of numbers is a matrix of one row."""
    try:
        result = np.atleast_2d(np.array(value, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {what} must be a matrix of numbers, not {value!r}") from None
    if result.ndim != 2 or not np.all(np.isfinite(result)):
        raise ModelError(f"{where}: {what} must be a matrix of finite numbers")
    return result


def vector(value: Any, what: str, where: str, length: int = 2) -> np.ndarray:
    """A finite vector of the given length."""
    try:
        result = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {what} must be {length} numbers, not {value!r}") from None
    if result.shape != (length,):
        raise ModelError(f"{where}: {what} must be {length} numbers, not {value!r}")
    if not np.all(np.isfinite(result)):
        raise ModelError(f"{where}: {what} is {tuple(result.tolist())}; give finite numbers")
    return result


def choice(value: Any, allowed: Iterable[str], what: str, where: str) -> str:
    """One of the allowed words."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise ModelError(f"{where}: {what} is {value!r}; choose one of {', '.join(map(repr, allowed))}")
    return str(value)


def all_different(names: Iterable[str], what: str, where: str) -> None:
    """No name twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise NamingError(f"{where}: {what} {name!r} is given twice; give it once")
        seen.add(name)


def similar(name: str, known: Iterable[str]) -> str:
    """' (did you mean …?)' with the known names nearest to a wrong one, or nothing."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""


def unknown(name: Any, known: Iterable[str], kind: str, where: str) -> NamingError:
    """The error for a name that nothing bears."""
    known = sorted(known)
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return NamingError(f"{where}: there is no {kind} {name!r}{similar(str(name), known)}; it has: {shown or 'none'}")
