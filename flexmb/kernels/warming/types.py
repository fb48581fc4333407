"""The compiler's types as plain data, from which they can be built again: what a list of compiled functions holds.

    "float64"                                   a number, by its name in Numba
    ["array", float64, 2, "C"]                  and "readonly" or "unaligned" behind it
    ["tuple", kind, kind, …]
    ["named", "module:Class", kind, …]          a named tuple that is passed number by number
    ["lent", "module:Class", kind, …]           one that is passed by address
    ["record", size, aligned, [name, kind, offset], …]   variables with names
    ["function", "module:name"]                 a compiled function as an argument
    ["omitted", number]                         a default of an argument

In a :class:`Types` each kind within a description is the number of a description before it, as most are parts of many.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from typing import Any

from numba import types
from numba.extending import is_jitted

from flexmb.kernels.references import LentTuple

#: types that are described by their names alone
_NUMBERS: dict[str, Any] = {
    name: getattr(types, name)
    for name in ("float64", "float32", "int64", "int32", "int8", "uint8", "uint32", "uint64", "complex128", "boolean")
    + ("none", "voidptr", "unicode_type")
}
_NAMES = {kind: name for name, kind in _NUMBERS.items()}
#: packages whose classes and functions a list may name
_OWN = ("flexmb.",)


class NotListed(Exception):
    """A type or a function that a list cannot hold, or one in a list that there is no more."""


def place_of(x: Any) -> str:
    """Where a class or function of flexmb stands, "module:name"."""
    place = f"{x.__module__}:{x.__qualname__}"
    if found_at(place) is not x:
        raise NotListed(f"{place} is something else")
    return place


def found_at(place: str) -> Any:
    """The class or function at a place, "module:name"; of flexmb alone."""
    if not place.startswith(_OWN):
        raise NotListed(f"{place} is not of flexmb")
    try:
        return pkgutil.resolve_name(place)
    except (ValueError, ImportError, AttributeError) as error:
        raise NotListed(f"{place}: {error}") from None


class Types:
    """Descriptions of types, each made of those before it.

    >>> from numba import types
    >>> known = Types()
    >>> known.number(types.float64[:, ::1])
    1
    >>> known.described
    ['float64', ['array', 0, 2, 'C']]
    >>> Types(known.described).kind(1)
    Array(float64, 2, 'C', False, aligned=True)
    """

    def __init__(self, described: Iterable[Any] = ()) -> None:
        self.described: list[Any] = list(described)
        self._kinds: dict[int, Any] = {}
        self._numbers: dict[Any, int] = {}

    def number(self, kind: Any) -> int:
        """The number of a type, described now if it is new."""
        if kind not in self._numbers:
            description = self._describe(kind)
            if description not in self.described:
                self.described.append(description)
            self._numbers[kind] = self.described.index(description)
        return self._numbers[kind]

    def _describe(self, kind: Any) -> Any:
        if kind in _NAMES:
            return _NAMES[kind]
        if type(kind) is types.Array:
            marks = [name for name, on in (("readonly", not kind.mutable), ("unaligned", not kind.aligned)) if on]
            return ["array", self.number(kind.dtype), kind.ndim, kind.layout, *marks]
        if type(kind) is LentTuple:
            return ["lent", place_of(kind.of), *map(self.number, kind.fields)]
        if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
            return ["named", place_of(kind.instance_class), *map(self.number, kind.types)]
        if type(kind) in (types.Tuple, types.UniTuple):
            return ["tuple", *map(self.number, kind.types)]
        if type(kind) is types.Record:
            fields = [[name, self.number(field.type), field.offset] for name, field in kind.fields.items()]
            return ["record", kind.size, kind.aligned, *fields]
        if type(kind) is types.Dispatcher:
            return ["function", place_of_compiled(kind.dispatcher)]
        if type(kind) is types.Omitted and type(kind.value) in (int, float, bool, type(None)):
            return ["omitted", kind.value]
        raise NotListed(f"the type {kind}")

    def take(self, other: Types, number: int) -> int:
        """The number of the type that has a number among `other` descriptions."""
        return self.number(other.kind(number))

    def __repr__(self) -> str:
        return f"Types({self.described})"

    def kind(self, number: int) -> Any:
        """The type that has a number; :class:`NotListed` if there is none such any more."""
        if number not in self._kinds:
            self._kinds[number] = self._build(self.described[number])
        return self._kinds[number]

    def _build(self, description: Any) -> Any:
        if isinstance(description, str):
            return _NUMBERS[description]
        what, *given = description
        if what == "array":
            of, ndim, layout, *marks = given
            return types.Array(self.kind(of), ndim, layout, "readonly" in marks, None, "unaligned" not in marks)
        if what == "record":
            size, aligned, *fields = given
            known = {"alignment": None, "title": None}
            named = [(name, {"type": self.kind(of), "offset": offset, **known}) for name, of, offset in fields]
            return types.Record(named, size, aligned)
        if what == "function":
            return types.Dispatcher(compiled_at(given[0]))
        if what == "omitted":
            return types.Omitted(given[0])
        if what == "tuple":
            return types.Tuple([self.kind(x) for x in given])
        of, fields = found_at(given[0]), tuple(self.kind(x) for x in given[1:])
        if len(getattr(of, "_fields", ())) != len(fields):
            raise NotListed(f"{given[0]} has other fields")
        return LentTuple(of, fields) if what == "lent" else types.BaseTuple.from_types(fields, of)


def compiled_at(place: str) -> Any:
    """The compiled function at a place."""
    found = found_at(place)
    if not is_jitted(found):
        raise NotListed(f"{place} is not a compiled function")
    return found


def place_of_compiled(dispatcher: Any) -> str:
    """Where a compiled function of flexmb stands."""
    place = f"{dispatcher.py_func.__module__}:{dispatcher.py_func.__qualname__}"
    if compiled_at(place).py_func is not dispatcher.py_func:
        raise NotListed(f"{place} is something else")
    return place
