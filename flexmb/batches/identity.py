"""Digests of what a batch is made of, by name: whether a file belongs to it."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Set
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from flexmb.studies.function import fingerprint

#: How many letters of a digest are kept: two batches agree by chance once in 10^24.
LENGTH = 20


def identity_of(parts: Mapping[str, Any]) -> str:
    """The text with a digest of each of some named things. It is the same in every process in which they are alike.

    >>> one, two = (identity_of({"method": "radau", "times": np.array(t)}) for t in ([0.5, 1.0], [0.5, 2.0]))
    >>> differences(one, two)
    ['times']
    """
    return json.dumps({name: _digest(part) for name, part in parts.items()})


def differences(one: str, other: str) -> list[str]:
    """The names of the things in which two texts of :func:`identity_of` differ."""
    a, b = (json.loads(text or "{}") for text in (one, other))
    return [name for name in dict.fromkeys([*a, *b]) if a.get(name) != b.get(name)]


def _digest(thing: Any) -> str:
    known = hashlib.sha256()
    seen: dict[int, int] = {}
    kept: list[Any] = []  # so that no number of an object is used again
    for text in _parts(thing, seen, kept):
        known.update(len(text).to_bytes(8, "little") + text)
    return known.hexdigest()[:LENGTH]


def _parts(thing: Any, seen: dict[int, int], kept: list[Any]) -> Iterator[bytes]:
    """The pieces of which a thing is made, one after the other; one met before is its number."""
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes | np.generic):
        plain = thing.item() if isinstance(thing, np.generic) else thing
        yield f"{type(plain).__name__} {plain!r}".encode("utf-8", "surrogatepass")
        return
    if isinstance(thing, type | ModuleType | BuiltinFunctionType):
        yield _name(thing).encode()
        return
    if id(thing) in seen:
        yield f"met {seen[id(thing)]}".encode()
        return
    seen[id(thing)] = len(seen)
    kept.append(thing)
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        yield f"{thing.dtype.str} {thing.shape}".encode()
        yield np.ascontiguousarray(thing).tobytes()
        return
    yield _name(type(thing)).encode()
    for part in _inside(thing):
        yield from _parts(part, seen, kept)


def _inside(thing: Any) -> Iterable[Any]:
    """The things of which a thing consists."""
    if isinstance(thing, Mapping):
        return [x for item in thing.items() for x in item]
    if isinstance(thing, Set):
        return sorted(thing, key=repr)
    if isinstance(thing, list | tuple | np.ndarray):
        return list(thing)
    if isinstance(thing, functools.partial):
        return [thing.func, thing.args, thing.keywords]
    if isinstance(thing, MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, FunctionType):
        return _of_function(thing)
    if hasattr(thing, "py_func"):  # a compiled function
        return [thing.py_func]
    return [x for name, value in _fields(thing) for x in (name, value)]


def _of_function(function: FunctionType) -> list[Any]:
    """The name, the code, and the values of a function."""
    own = [_name(function), fingerprint(function)]
    return [*own, function.__defaults__, function.__kwdefaults__, *_cells(function)]


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it has no value so far
            yield None


def _fields(thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of an object without what it notes while it is used: of a dataclass its arguments, of others all but
    what they keep to find it sooner."""
    if dataclasses.is_dataclass(thing):
        yield from ((x.name, getattr(thing, x.name)) for x in dataclasses.fields(thing) if x.init)
        return
    for name, value in getattr(thing, "__dict__", {}).items():
        if not isinstance(getattr(type(thing), name, None), functools.cached_property):
            yield name, value
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                yield name, getattr(thing, name)


def _name(thing: Any) -> str:
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"
