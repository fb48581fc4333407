"""Checks of a user's input: every message names the thing and says what is wanted."""

from __future__ import annotations

import contextlib
import inspect
import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.errors import ModelError

#: A row of numbers as a user gives it: a tuple, a list or an array.
Vector = Sequence[float] | np.ndarray

#: largest whole number that a float can tell from its neighbors
LARGEST_COUNT = 2**53
#: limits of entries and characters for a value that a message quotes
_SHORT = reprlib.Repr()
_SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 60, 100, 30
_FLOAT = np.dtype(float)
#: what Python would make a number of, or NumPy, that is none
_NO_REAL = (str, bytes, bool, np.bool_, complex, np.complexfloating)
#: up to this size, plain Python looks through an array faster than NumPy
_FEW = 64


def quoted(value: Any) -> str:
    """A value as messages quote it: short, and on one line.

    >>> quoted(np.zeros((3, 3))), quoted([1.0] * 50)
    ('an array of shape (3, 3)', '[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ...]')
    """
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    if type(value) is str and len(value) < _SHORT.maxstring:  # most quoted values are names
        text = repr(value)
        if len(text) > _SHORT.maxstring:  # some characters are written as codes
            text = _SHORT.repr(value)
    else:
        text = _SHORT.repr(value.item() if isinstance(value, np.generic | np.ndarray) else value)
    if " at 0x" in text or "\n" in text:
        return f"an object of type {type(value).__name__}"
    return text


def brief(value: Any) -> str:
    """A value in the text of a component; a thing with a name is shown by it."""
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return repr(name)
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ", threshold=4).replace("\n", "")
    return quoted(value)


def number(value: Any, what: str, where: str) -> float:
    """A finite number, or a ModelError that names `what` and `where`."""
    result = value if type(value) is float else _real(value)
    if result is None:
        raise ModelError(f"{where}: {what} must be a number, not {quoted(value)}")
    if not math.isfinite(result):
        raise ModelError(f"{where}: {what} is {result}; give a finite number")
    return result


def _real(value: Any) -> float | None:
    """A real number as a float; None for texts, truth values, complex numbers and arrays of several numbers."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, _NO_REAL):
        return None
    if isinstance(value, np.ndarray):
        return _real(value[()]) if value.ndim == 0 else None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:  # objects of other kinds may raise anything
        return None


def flag_or_none(value: Any, what: str, where: str) -> bool | None:
    """True, False or None."""
    return None if value is None else flag(value, what, where)


def positive(value: Any, what: str, where: str) -> float:
    """A finite number above zero."""
    result = number(value, what, where)
    if result <= 0.0:
        raise ModelError(f"{where}: {what} is {result:g}; it must be positive")
    return result


def positive_or_infinite(value: Any, what: str, where: str) -> float:
    """A number above zero, which may be infinite."""
    return math.inf if isinstance(value, float) and value == math.inf else positive(value, what, where)


def not_negative(value: Any, what: str, where: str) -> float:
    """A finite number, zero or above."""
    result = number(value, what, where)
    if result < 0.0:
        raise ModelError(f"{where}: {what} is {result:g}; it must not be negative")
    return result


def count(value: Any, what: str, where: str, least: int = 0, most: float = math.inf) -> int:
    """A whole number of at least `least` and at most `most`."""
    if type(value) is int and least <= value <= min(most, LARGEST_COUNT):
        return value
    result = number(value, what, where)
    if result != int(result) or result < least or result > LARGEST_COUNT:
        limits = f"at least {least}" if result <= LARGEST_COUNT else f"{LARGEST_COUNT} at most"
        raise ModelError(f"{where}: {what} is {quoted(value)}; give a whole number, {limits}")
    if result > most:
        raise ModelError(f"{where}: {what} is {value:.6g}; give at most {most:.0f}")
    return int(result)


def check_fields(thing: Any, check: Callable[[Any, str, str], Any], where: str, *names: str) -> None:
    """Pass fields of a thing through a check, and keep them in the form that it returns."""
    for what in names:
        object.__setattr__(thing, what, check(getattr(thing, what), what, where))


def flag(value: Any, what: str, where: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{where}: {what} is {quoted(value)}; give True or False")
    return bool(value)


def numbers(value: Any, what: str, where: str, wanted: str, *, infinite: bool = False) -> np.ndarray:
    """An array of numbers of any shape, all finite unless `infinite` ones are allowed; `wanted` describes in messages
    what it should be."""
    if type(value) is np.ndarray and value.dtype == float:  # nothing to convert
        result = value.copy(order="K")
    else:
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "iuf":
                flat = [_real(x) for x in array.ravel().tolist()] if array.dtype.kind == "O" and array.ndim else [None]
                array = np.array([math.nan if x is None else x for x in flat]).reshape(array.shape if array.ndim else 1)
                if None in flat:
                    raise TypeError
            result = array.astype(float)
        except Exception:  # rows of different lengths, and objects that may raise anything
            raise ModelError(f"{where}: {what} must be {wanted}, not {quoted(value)}") from None
    if all_finite(result):
        return result
    good = ~np.isnan(result) if infinite else np.isfinite(result)
    if not np.all(good):
        place = np.argwhere(~good)[0].tolist()
        entry = f"[{', '.join(map(str, place))}]" if place else ""
        raise ModelError(
            f"{where}: {what}{entry} is {result[tuple(place)]}; give {'' if infinite else 'finite '}numbers"
        )
    return result


def listed(value: Any, what: str, where: str) -> list[Any]:
    """The things of a list, a tuple, an array or what else gives things in turn; no text and no dict.

    >>> listed((1, 2), "numbers", "model 'm'")
    [1, 2]
    """
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return list(value)
    except TypeError:
        raise ModelError(f"{where}: {what} must be a list, not {quoted(value)}") from None


def pair(value: Any, what: str, where: str) -> tuple[Any, Any]:
    """Two things."""
    found = listed(value, what, where)
    if len(found) != 2:
        raise ModelError(f"{where}: {what} is {quoted(value)}; give a pair")
    return found[0], found[1]


def function(value: Any, what: str, where: str, *of: str) -> Callable[..., Any]:
    """A function, or what else can be called with the arguments `of` by their places.

    >>> function(lambda t: t, "law", "controller 'c'", "t", "y")
    Traceback (most recent call last):
    flexmb.errors.ModelError: controller 'c': law is an object of type function; give a function of (t, y)
    """
    fits = callable(value)
    if fits and of:
        with contextlib.suppress(ValueError):  # compiled functions may have no signature
            try:
                inspect.signature(value).bind(*of)
            except TypeError:
                fits = False
    if not fits:
        more = f" of ({', '.join(of)})" if of else ""
        raise ModelError(f"{where}: {what} is {quoted(value)}; give a function{more}")
    return value


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape that an array of a value would have; None for rows of different lengths.

    >>> shape_of([[1, 2], [3, 4]]), shape_of([[1], [2, 3]])
    ((2, 2), None)
    """
    try:
        return np.shape(value)
    except ValueError:
        return None


def all_finite(values: np.ndarray) -> bool:
    """Whether all numbers of an array are finite.

    >>> all_finite(np.zeros((2, 2))), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    if values.size > _FEW:
        return bool(np.isfinite(values).all())
    flat = values.tolist() if values.ndim == 1 else values.ravel().tolist()
    return math.isfinite(sum(flat)) or all(map(math.isfinite, flat))  # the sum of numbers may be too large for one


def extremes(values: np.ndarray) -> tuple[int, int]:
    """The smallest and the largest of some whole numbers.

    >>> extremes(np.array([[3, 1], [2, 5]]))
    (1, 5)
    """
    if values.size > _FEW:
        return int(values.min()), int(values.max())
    flat = values.ravel().tolist()
    return min(flat), max(flat)


def row(value: Any, what: str, where: str) -> np.ndarray:
    """A row of finite numbers (k,); a number is a row of one."""
    result = np.atleast_1d(numbers(value, what, where, "a row of numbers"))
    if result.ndim != 1:
        raise ModelError(f"{where}: {what} must be a row of numbers, not {quoted(result)}")
    return result


def matrix(value: Any, what: str, where: str) -> np.ndarray:
    """A matrix of finite numbers; a row of numbers is a matrix of one row."""
    result = np.atleast_2d(numbers(value, what, where, "a matrix of numbers"))
    if result.ndim != 2:
        raise ModelError(f"{where}: {what} must be a matrix of numbers, not {quoted(result)}")
    return result


def sparse_matrix(value: Any, what: str, where: str) -> Any:
    """A matrix of finite numbers in compressed rows, given as one of SciPy or as an array."""
    import scipy.sparse as sp

    if not sp.issparse(value):
        return sp.csr_matrix(matrix(value, what, where))
    if value.ndim != 2 or value.dtype.kind not in "iuf":
        raise ModelError(f"{where}: the {what} matrix must be a matrix of numbers, not one of {value.dtype}")
    found = sp.csr_matrix(value, dtype=float)
    if not all_finite(found.data):
        raise ModelError(f"{where}: its {what} matrix has entries that are not finite")
    return found


def vector(value: Any, what: str, where: str, length: int = 2) -> np.ndarray:
    """A finite vector of the given length."""
    if type(value) is np.ndarray and value.dtype is _FLOAT and value.shape == (length,):
        if math.isfinite(sum(value.tolist())):
            return value.copy()  # a fast way, since a model is checked often
    wanted = f"{length} numbers"
    result = numbers(value, what, where, wanted)
    if result.shape != (length,):
        raise ModelError(f"{where}: {what} must be {wanted}, not {quoted(value)}")
    return result


def rigid_motion(
    velocity: Any, angular_velocity: Any, about: Any, where: str, dimension: int
) -> tuple[np.ndarray, Any, np.ndarray]:
    """Velocity (2,) of a point, angular velocity, and the point (2,) itself; (3,) each where `dimension` is 3.

    >>> rigid_motion((1, 2), 3, (0, 0), "model 'm'", 2)[1]
    3.0
    """
    v = vector(velocity, "velocity", where, dimension)
    if dimension == 2:
        omega: Any = number(angular_velocity, "angular_velocity", where)
    else:
        omega = vector(angular_velocity, "angular_velocity", where, dimension)
    return v, omega, vector(about, "about", where, dimension)


def symmetric(value: Any, what: str, where: str, size: int, wanted: str) -> np.ndarray:
    """A symmetric matrix (size, size), given as itself or by its diagonal."""
    matrix = numbers(value, what, where, wanted)
    if matrix.shape == (size,):
        return np.diag(matrix)
    if matrix.shape != (size, size):
        raise ModelError(f"{where}: {what} must be {wanted}, not {quoted(matrix)}")
    if (matrix != matrix.T).any() and np.max(np.abs(matrix - matrix.T)) > 1e-12 * np.max(np.abs(matrix)):
        raise ModelError(f"{where}: the matrix of {what} is not symmetric; use (S + Sᵀ)/2")
    return matrix


def symmetric_matrix(value: Any, what: str, where: str, size: int, wanted: str) -> np.ndarray:
    """A symmetric matrix (size, size) without negative eigenvalue, given as itself or by its diagonal."""
    matrix = symmetric(value, what, where, size, wanted)
    own = np.diagonal(matrix)
    alone = np.count_nonzero(matrix) == np.count_nonzero(own)  # then they are the eigenvalues
    lowest = float(own.min() if alone else np.linalg.eigvalsh(matrix)[0])
    if lowest < -1e-12 * float(np.max(np.abs(matrix))):
        raise ModelError(f"{where}: {what} has the eigenvalue {lowest:g}; it must not be negative")
    return matrix


def text(value: Any, what: str, where: str) -> str:
    """A text, which may be empty."""
    if not isinstance(value, str):
        raise ModelError(f"{where}: {what} must be a text, not {quoted(value)}")
    return value


def solution(value: Any, where: str) -> Any:
    """Check that an argument is the result of a run or an analysis."""
    if isinstance(value, type) or not (hasattr(value, "track") and hasattr(value, "multipliers_of")):
        raise ModelError(f"{where}: {quoted(value)} is no solution; give what fm.simulate returned")
    return value


def kind_or_none(value: Any, kind: type, what: str, where: str) -> Any:
    """An object of a class, or None."""
    if value is not None and not isinstance(value, kind):
        raise ModelError(f"{where}: {what} is {quoted(value)}; give one of the class {kind.__name__}")
    return value


def storable(text: str) -> bool:
    """Whether files can hold a text: it must have neither NUL nor halves of characters (lone surrogates)."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def choice(value: Any, allowed: Iterable[str], what: str, where: str) -> str:
    """One of the allowed words."""
    allowed = tuple(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise ModelError(f"{where}: {what} is {quoted(value)}; choose one of {', '.join(map(repr, allowed))}")
    return value


def several(value: Any, what: str, where: str) -> list[Any]:
    """A list of the things given; a single one may be given without a list."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or hasattr(value, "name"):
        return [value]
    try:
        if isinstance(value, Mapping):
            raise TypeError
        return list(value)
    except Exception:  # not a list after all
        raise ModelError(f"{where}: {what} must be a list, not {quoted(value)}") from None


def names_or_none(value: Any, what: str, where: str) -> Mapping[Any, Any]:
    """A dict of things by their names, empty where None is given."""
    return {} if value is None else by_names(value, what, where)


def by_names(value: Any, what: str, where: str) -> Mapping[Any, Any]:
    """A dict of things by their names."""
    if not isinstance(value, Mapping):
        raise ModelError(f"{where}: {what} must be given by names, {{name: …}}, not {quoted(value)}")
    return value
