"""Named tuples as they were at one instant, of which copies are made.

A compiled loop reads and changes some hundred arrays, and many of them are parts of others. To begin anew with the same
contents without computing them again, the contents are kept; copies are parts of one another as the arrays were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.variables import Variables

#: The contents of an owner of memory begin at a multiple of so many bytes.
ALIGNED = 64


class Image:
    """The arrays and variables of some named `tuples`, also those of tuples inside them, as they are now; but for those
    in the arrays of the tuple `beside`, which are not kept.

    >>> from typing import NamedTuple
    >>> class Pair(NamedTuple):
    ...     whole: np.ndarray
    ...     part: np.ndarray
    >>> numbers = np.array([1.0, 2.0, 3.0])
    >>> image = Image(Pair(numbers, numbers[1:]))
    >>> numbers[:] = 0.0
    >>> (pair,) = image.copies()
    >>> pair.part[0] = 7.0
    >>> pair.whole.tolist()
    [1.0, 7.0, 3.0]
    """

    def __init__(self, *tuples: Any, beside: Any = ()) -> None:
        self._tuples = tuples  # they keep their arrays alive, so that no other array gets the identity of one
        self._beside = [(_address(x), x.nbytes) for x in _arrays_in(beside)]
        #: the owners of the memory of all other arrays, by identity, and where their contents begin in `_contents`
        self._owners: dict[int, tuple[np.ndarray, int]] = {}
        self._size = 0
        self._arrays: dict[int, int] = {}
        self._views: list[_View] = []
        self._made = [self._recipe(given) for given in tuples]
        self._contents = np.zeros(self._size, dtype=np.uint8)
        for owner, at in self._owners.values():
            self._contents[at : at + owner.nbytes] = owner.ravel(order="K").view(np.uint8)
        self._owners.clear()

    def _recipe(self, value: Any) -> Any:
        """How a value is made from a list of arrays: the number of an array, a :class:`_Made` for a tuple with arrays,
        or a :class:`_Kept` value."""
        if isinstance(value, np.ndarray | Variables):
            if id(value) not in self._arrays:
                self._arrays[id(value)] = len(self._views)
                self._views.append(self._view(value))
            return self._arrays[id(value)]
        if isinstance(value, tuple):
            parts = [self._recipe(field) for field in value]
            if not all(isinstance(part, _Kept) for part in parts):
                return _Made(getattr(value, "_make", tuple), parts)
        return _Kept(value)

    def _view(self, value: Any) -> _View:
        record = isinstance(value, Variables)
        array: np.ndarray = value.base if record else value
        kind = type(value)._layout if record else array.dtype
        at, given = _address(array), (array.shape, kind, array.strides, record)
        for number, (first, size) in enumerate(self._beside):
            if first <= at < first + size and array.size:
                return _View(number, at - first, *given)
        owner = _owner_of(array)
        if id(owner) not in self._owners:
            self._owners[id(owner)] = owner, self._size
            self._size += -(-owner.nbytes // ALIGNED) * ALIGNED
        return _View(-1, self._owners[id(owner)][1] + (at - _address(owner) if array.size else 0), *given)

    def copies(self, beside: Any = ()) -> tuple[Any, ...]:
        """Copies of all tuples. `beside`: a tuple as the one of this name that the image was made with, the arrays of
        which are shared: they take the places of those."""
        contents, others = self._contents.copy(), _arrays_in(beside)
        arrays = []
        for number, at, shape, kind, strides, record in self._views:
            array = np.ndarray(shape, kind, contents if number < 0 else others[number], at, strides)
            arrays.append(array[0] if record else array)
        return tuple(_of(made, arrays) for made in self._made)


class _View(NamedTuple):
    """Where an array lies: the `number` of the array beside in which it does, −1 for the contents of the image; its
    first byte `at` there, its shape, kind and strides; whether it is a record of variables."""

    number: int
    at: int
    shape: tuple[int, ...]
    kind: Any
    strides: tuple[int, ...]
    record: bool


class _Made(NamedTuple):
    """A tuple made by a function `make` of its parts."""

    make: Callable[[Iterable[Any]], Any]
    parts: list[Any]


class _Kept(NamedTuple):
    """A value that all copies share."""

    value: Any


def _of(recipe: Any, arrays: list[Any]) -> Any:
    """What is made by a recipe from the arrays of a copy."""
    kind = type(recipe)
    if kind is int:
        return arrays[recipe]
    if kind is _Kept:
        return recipe.value
    return recipe.make([_of(part, arrays) for part in recipe.parts])


def _owner_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _arrays_in(value: Any) -> list[np.ndarray]:
    """The arrays of a tuple, and of those inside it, in their order."""
    if isinstance(value, tuple):
        return [array for field in value for array in _arrays_in(field)]
    return [value] if isinstance(value, np.ndarray) else []
