"""Named tuples as they were at one instant, of which copies are made.

A compiled loop reads and changes some hundred arrays, and many of them are parts of others. To begin anew with the same
contents without computing them again, the contents are kept; copies are parts of one another as the arrays were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.variables import Variables


class Image:
    """The arrays and variables of some named `tuples`, also those of tuples inside them, as they are now.

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

    def __init__(self, *tuples: Any) -> None:
        self._tuples = tuples  # they keep their arrays alive, so that no other array gets the identity of one
        #: the owners of the memory of all arrays, with their contents, and the arrays with the numbers of their owners
        self._owners: dict[int, int] = {}
        self._contents: list[np.ndarray] = []
        self._arrays: dict[int, int] = {}
        self._views: list[tuple[int, Any]] = []
        self._made = [self._recipe(given) for given in tuples]

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

    def _view(self, value: Any) -> tuple[int, Any]:
        """The number of the owner of an array, or of variables, and where in its memory the array lies: its shape,
        kind, first byte and strides; None if it is all of it, and ... for variables."""
        owner = owner_of(value)
        if id(owner) not in self._owners:
            self._owners[id(owner)] = len(self._contents)
            self._contents.append(owner.ravel(order="K").copy())
        number = self._owners[id(owner)]
        if isinstance(value, Variables):
            return number, ...
        if value is owner and value.ndim == 1:
            return number, None
        first = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0] if value.size else 0
        return number, (value.shape, value.dtype, first, value.strides)

    def copies(self, instead: Mapping[int, np.ndarray] | None = None) -> tuple[Any, ...]:
        """Copies of all tuples. `instead`: arrays that are shared and not copied, by the identities of the owners whose
        places they take."""
        memory: list[Any] = list(self._contents)
        for key, array in (instead or {}).items():
            if key in self._owners:
                memory[self._owners[key]] = array
        memory = [mine.copy() if mine is content else mine for mine, content in zip(memory, self._contents)]
        arrays = []
        for number, view in self._views:
            if view is None:
                arrays.append(memory[number] if memory[number].ndim == 1 else memory[number].reshape(-1))
            elif view is ...:
                arrays.append(memory[number][0])
            else:
                shape, kind, first, strides = view
                arrays.append(np.ndarray(shape, kind, memory[number], first, strides))
        return tuple(_of(made, arrays) for made in self._made)


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


def owner_of(value: Any) -> np.ndarray:
    """The array that owns the memory of an array or of variables.

    >>> numbers = np.arange(6.0)
    >>> owner_of(numbers[2:].reshape(2, 2)) is numbers
    True
    """
    owner: np.ndarray = value if isinstance(value, np.ndarray) else value.base
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner


def shared(tuple_before: Any, tuple_now: Any) -> dict[int, np.ndarray]:
    """The owners of the arrays of a named tuple by the identities of those of another one, whose places they take in
    :meth:`Image.copies`."""
    instead: dict[int, np.ndarray] = {}
    for before, now in zip(tuple_before, tuple_now):
        if isinstance(before, np.ndarray):
            owners = owner_of(before), owner_of(now)
            if all(owner.nbytes == before.nbytes and owner.flags.c_contiguous for owner in owners):
                instead[id(owners[0])] = owners[1]
        elif isinstance(before, tuple):
            instead |= shared(before, now)
    return instead
