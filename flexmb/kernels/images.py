"""Named tuples as they were at one instant, of which copies are made.

A compiled loop reads and changes some hundred arrays, and many of them are parts of others. To begin anew with the same
contents without computing them again, the contents are kept; copies are parts of one another as the arrays were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
        self._owners: dict[int, np.ndarray] = {}
        self._contents: dict[int, np.ndarray] = {}
        for given in tuples:
            self._collect(given)

    def _collect(self, value: Any) -> None:
        """Keep the contents of what owns the memory of arrays and variables."""
        if isinstance(value, np.ndarray | Variables):
            owner = owner_of(value)
            if id(owner) not in self._owners:
                self._owners[id(owner)] = owner
                self._contents[id(owner)] = owner.ravel(order="K").copy()
        elif isinstance(value, tuple):
            for field in value:
                self._collect(field)

    def copies(self, instead: Mapping[int, np.ndarray] | None = None) -> tuple[Any, ...]:
        """Copies of all tuples. `instead`: arrays that are shared and not copied, by the identities of the owners whose
        places they take."""
        memory = {key: content.copy() for key, content in self._contents.items() if not instead or key not in instead}
        memory.update(instead or {})
        known: dict[int, Any] = {}
        return tuple(_copied(given, memory, known) for given in self._tuples)


def _copied(value: Any, memory: Mapping[int, np.ndarray], known: dict[int, Any]) -> Any:
    """The value with arrays that lie in other memory, given by the identities of their owners."""
    if isinstance(value, np.ndarray | Variables):
        if id(value) not in known:
            known[id(value)] = _moved(value, memory)
        return known[id(value)]
    if isinstance(value, tuple):
        fields = [_copied(field, memory, known) for field in value]
        return value._make(fields) if hasattr(value, "_make") else tuple(fields)
    return value


def _moved(value: Any, memory: Mapping[int, np.ndarray]) -> Any:
    """An array, or variables, of the same shape in other memory."""
    owner = owner_of(value)
    there = memory[id(owner)]
    if isinstance(value, Variables):
        return there[0]
    if value is owner and value.ndim == there.ndim == 1:
        return there
    first = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0] if value.size else 0
    return np.ndarray(value.shape, value.dtype, there, first, value.strides)


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
