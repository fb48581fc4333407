"""Named tuples as they were at one instant, of which copies are made.

A compiled loop reads and changes some hundred arrays, and many of them are parts of others. To begin anew with the same
contents without computing them again, the contents are kept; copies are parts of one another as the arrays were. To
make an array that lies in given memory takes as long as to copy a thousand numbers; so copies that nobody holds any
more are filled anew instead (:meth:`Image.lane`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.variables import Variables

#: The contents of an owner of memory begin at a multiple of so many bytes.
ALIGNED = 64
#: Most copies of an image that wait to be filled anew.
MOST_LANES = 4


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
        self._lanes: deque[Lane] = deque(maxlen=MOST_LANES)
        self._lock = threading.Lock()

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
        return self.laid_into(self._contents.copy(), beside)

    def laid_into(self, contents: np.ndarray, beside: Any) -> tuple[Any, ...]:
        """All tuples, with their arrays in `contents`, a copy of those of the image."""
        others, arrays = _arrays_in(beside), []
        for number, at, shape, kind, strides, record in self._views:
            array = np.ndarray(shape, kind, contents if number < 0 else others[number], at, strides)
            arrays.append(array[0] if record else array)
        return tuple(_of(made, arrays) for made in self._made)

    @property
    def contents(self) -> np.ndarray:
        """The memory of the arrays that are not beside, as it was."""
        return self._contents

    def lane(self) -> tuple[Lane, tuple[Any, ...]]:
        """Copies of all tuples, which may have served before if nobody holds an array of them any more, and the lane
        that they belong to."""
        with self._lock:
            lane = next((lane for lane in reversed(self._lanes) if lane.idle()), None)
            if lane is None:
                lane = Lane(self)
                self._lanes.append(lane)
            else:
                lane.restore()
            return lane, lane.tuples  # whoever asks next finds that these are held


class Lane:
    """Copies `tuples` of an image, which can be made as they were again, with copies of other images whose arrays
    beside lie in them.

    >>> from typing import NamedTuple
    >>> class One(NamedTuple):
    ...     numbers: np.ndarray
    >>> image = Image(One(np.zeros(2)))
    >>> (first,), (second,) = image.lane()[1], image.lane()[1]
    >>> first.numbers[0], second.numbers[0] = 1.0, 2.0
    >>> kept = first.numbers
    >>> del first, second
    >>> (third,) = image.lane()[1]  # in the memory of the second one, since somebody holds an array of the first one
    >>> third.numbers.tolist(), kept.tolist()
    ([0.0, 0.0], [1.0, 0.0])
    """

    def __init__(self, image: Image) -> None:
        self.image, contents = image, image.contents.copy()
        self.tuples = image.laid_into(contents, ())
        self._parts = _each_once([contents, *_parts_in(self.tuples)])
        self._pieces = {id(image): (contents, image.contents)}
        self._further: dict[int, tuple[Image, Any]] = {}
        del contents
        #: how many references there are to all parts if nobody but this lane holds one
        self._own = self._references()

    def idle(self) -> bool:
        """Whether nobody but this lane holds one of its tuples, or an array or a part of an array in them."""
        return self._references() == self._own

    def restore(self) -> None:
        """Fill all arrays with what they had at first."""
        for contents, first in self._pieces.values():
            contents[:] = first

    def now(self) -> dict[int, np.ndarray]:
        """What all arrays have now, for :meth:`put` of this lane and of others of the same images."""
        return {image: contents.copy() for image, (contents, _) in self._pieces.items()}

    def put(self, known: dict[int, np.ndarray]) -> None:
        """Fill the arrays with what those of a lane had when it was asked (:meth:`now`)."""
        for image, contents in known.items():
            self._pieces[image][0][:] = contents

    def further(self, image: Image, finish: Callable[..., Any]) -> Any:
        """What `finish` makes of copies of another image, of which arrays beside lie in the tuples of this lane: a
        tuple. It is made once, by whoever uses this lane, and later restored with it."""
        if id(image) not in self._further:
            contents, before = image.contents.copy(), self._references()
            made = finish(*image.laid_into(contents, self.tuples))
            self._own += self._references() - before
            self._pieces[id(image)] = contents, image.contents
            parts = _each_once([contents, *_parts_in(made)])
            self._further[id(image)] = image, made
            del contents, made
            self._parts += parts
            self._own += sum(map(getrefcount, parts)) - len(parts)  # but for the list `parts` itself
        return self._further[id(image)][1]

    def _references(self) -> int:
        return sum(map(getrefcount, self._parts))


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


def _parts_in(value: Any) -> list[Any]:
    """The arrays and variables in a tuple, the tuples in it that have some, and the tuple itself."""
    if isinstance(value, tuple):
        parts = [part for field in value for part in _parts_in(field)]
        return [value, *parts] if parts else []
    return [value] if isinstance(value, np.ndarray | Variables) else []


def _each_once(parts: list[Any]) -> list[Any]:
    return [*{id(part): part for part in parts}.values()]


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
