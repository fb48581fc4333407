"""Rooms whose names are imported when they are first used.

Whoever imports one file of a room, or asks for one name, does not wait for all the others. What a room offers stands
in the stub beside its `__init__.py`, which type checkers read too: `from .file import Name as Name` for a name,
`from . import room as room` for a room, and `NAME: type` for what `__init__.py` makes itself. A file must not have a
name that its room offers, since its import would put the file there instead.
"""

from __future__ import annotations

import ast
import gc
import pkgutil
import sys
from collections import UserDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any


def late_names(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a room and its `__all__`, where `file` is its `__init__.py`.

    >>> import flexmb as fm
    >>> fm.planar.Revolut
    Traceback (most recent call last):
    flexmb.errors.UnknownAttributeError: flexmb.planar: there is no attribute 'Revolut' (did you mean 'Revolute'?)
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    places: dict[str, tuple[str, str]] = {}
    own: list[str] = []
    for line in stub.body:
        if isinstance(line, ast.ImportFrom):
            places |= {a.asname: ("." * line.level + (line.module or ""), a.name) for a in line.names if a.asname}
        elif isinstance(line, ast.AnnAssign):
            own.append(ast.unparse(line.target))
    names = sorted([*own, *places])

    def imported(what: str) -> Any:
        if what not in places:
            raise _no_name(room, what, names, [name for name, (module, _) in places.items() if module == "."])
        module, name = places[what]
        place = f"{room}.{name}" if module == "." else f"{resolve_name(module, room)}:{name}"
        return vars(sys.modules[room]).setdefault(what, _at(place))

    return imported, names.copy, names


def _no_name(room: str, what: str, names: list[str], rooms: list[str]) -> AttributeError:
    """The error for a name that a room has not, with the rooms in it that have it."""
    if what.startswith("_") or find_spec(f"{room}.{what}"):  # what Python asks for, also where a file is imported
        return AttributeError(f"module {room!r} has no attribute {what!r}; a room is there after its import")
    others = (one for one in rooms if what in getattr(import_module(f"{room}.{one}"), "__all__", ()))
    instead = " or ".join(f"fm.{one}.{what}" for one in others)
    return import_module("flexmb.model.hints").no_attribute(room, what, names, instead)


class Choice(UserDict[str, Any]):
    """What users choose by a word, each thing imported when it is first asked for: `words` with the places of the
    things, "module:name".

    >>> from flexmb.elements.planar import BEAMS
    >>> list(BEAMS), BEAMS["cms"].__name__
    (['ancf', 'cms', 'exact', 'floating'], 'CmsBeam')
    """

    def __getitem__(self, word: str) -> Any:
        found = self.data[word]
        return _at(found) if isinstance(found, str) else found


def _at(place: str) -> Any:
    """The thing at a place, imported if it has not been."""
    module, _, name = place.partition(":")
    if module in sys.modules and hasattr(sys.modules[module], name):
        return getattr(sys.modules[module], name)
    with without_collections():
        return pkgutil.resolve_name(place)


@contextmanager
def without_collections() -> Iterator[None]:
    """Switch Python's garbage collector off. Imports make a hundred thousand objects that all stay, the compiler
    millions, nearly all of which are in use until it ends; examining them again and again takes a tenth to a sixth of
    the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
