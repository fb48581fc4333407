"""Wrong names of attributes and arguments, answered with the right ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from flexmb.errors import UnknownArgumentError, UnknownAttributeError
from flexmb.model import checks

C = TypeVar("C")


def no_attribute(where: str, what: str, known: Iterable[str], instead: str = "") -> UnknownAttributeError:
    """The error for an attribute that a thing has not: with what to write `instead`, or else the names that come near,
    or else all that are `known`.

    >>> str(no_attribute("track 'b'", "postion", ["position", "velocity"]))
    "track 'b': there is no attribute 'postion' (did you mean 'position'?)"
    """
    text = f"{where}: there is no attribute {what!r}"
    if instead:
        return UnknownAttributeError(f"{text}; write {instead}")
    if near := checks.similar(what, known):
        return UnknownAttributeError(text + near)
    return UnknownAttributeError(str(checks.unknown(what, known, "attribute", where)))


class Answering:
    """What answers a wrong attribute with the right one. `_hints` say what to write for words that other programs
    have; a subclass may find more in :meth:`_instead_of`."""

    _hints: ClassVar[Mapping[str, str]] = {}

    @property
    def where(self) -> str:
        """The thing as messages name it."""
        return type(self).__name__

    def _instead_of(self, what: str) -> str:
        """What to write for a word; an empty text where only the spelling may be wrong."""
        return self._hints.get(what, "")

    if not TYPE_CHECKING:  # for type checkers there are the attributes that there are

        def __getattr__(self, what: str) -> Any:
            if hasattr(type(self), what):  # a property that failed: its own error
                return object.__getattribute__(self, what)
            if what.startswith("_") or not vars(self):  # what Python asks for, also while a copy is made
                raise AttributeError(what)
            known = [name for name in dir(self) if not name.startswith("_")]
            raise no_attribute(self.where, what, known, self._instead_of(what))


def answers(**instead: str) -> Callable[[type[C]], type[C]]:
    """Let a class answer a wrong argument with the right one: `instead`, for words that others use.

    >>> import flexmb as fm
    >>> fm.Material(density=7850, E=205e9)
    Traceback (most recent call last):
    flexmb.errors.UnknownArgumentError: Material: there is no argument 'E'; write youngs_modulus=…
    """

    def answering(of: type[C]) -> type[C]:
        make: Any = of.__init__
        known = [name for name, p in inspect.signature(make).parameters.items() if p.kind is not p.VAR_POSITIONAL][1:]

        @wraps(make)
        def init(self: C, *args: Any, **given: Any) -> None:
            for what in given:
                if what not in known:
                    raise _no_argument(of.__name__, what, known, instead.get(what, ""))
            make(self, *args, **given)

        setattr(of, "__init__", init)  # noqa: B010  (type checkers allow no other way)
        return of

    return answering


def _no_argument(of: str, what: str, known: Iterable[str], instead: str) -> UnknownArgumentError:
    """The error for an argument that a class does not take."""
    text = f"{of}: there is no argument {what!r}"
    if instead:
        return UnknownArgumentError(f"{text}; write {instead}=…")
    return UnknownArgumentError(f"{text}{checks.similar(what, known)}; it takes: {', '.join(known)}")
