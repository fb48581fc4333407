"""Wrong names of attributes and arguments, answered with the right ones."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from flexmb.errors import MissingArgumentError, UnknownArgumentError, UnknownAttributeError
from flexmb.model import checks

C = TypeVar("C")
_OPTIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


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
        setattr(of, "__init__", _answering(of.__init__, of.__name__, instead))  # noqa: B010  (type checkers allow no other way)
        return of

    return answering


#: words that others use for the arguments of verbs
_WORDS: dict[str, tuple[str, ...]] = {
    "mass": ("m", "weight"),
    "inertia": ("I", "J", "Izz", "moment_of_inertia"),
    "position": ("pos", "at", "place", "location", "origin"),
    "orientation": ("R", "orient", "rotation", "quaternion"),
    "angle": ("theta", "phi", "rotation", "orientation"),
    "center": ("com", "center", "center_of_mass", "center_of_mass"),
    "stiffness": ("k", "spring", "spring_constant"),
    "damping": ("c", "d", "damper", "damping_coefficient"),
    "free_length": ("l0", "rest_length", "natural_length", "undeformed_length"),
    "free_angle": ("theta0", "rest_angle"),
    "friction": ("mu", "friction_coefficient"),
    "restitution": ("e", "cor"),
    "radius": ("r", "R"),
    "ratio": ("i", "n", "gear_ratio"),
    "axis": ("dir", "direction"),
    "name": ("label", "id"),
}


def verbs_answer(of: type[C]) -> type[C]:
    """Let the verbs of a class, its public methods, answer a wrong argument with the right one. A verb that hands its
    other arguments on does not take part.

    >>> import flexmb as fm
    >>> fm.PlanarModel("m").add_body("b", m=1.0, inertia=0.1)
    Traceback (most recent call last):
    flexmb.errors.UnknownArgumentError: model.add_body: there is no argument 'm'; write mass=…
    """
    for name, verb in list(vars(of).items()):
        if isinstance(verb, FunctionType) and not name.startswith("_"):
            kinds = {p.kind for p in inspect.signature(verb).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                setattr(of, name, _answering(verb, f"model.{name}"))
    return of


def _answering(
    function: Callable[..., Any], called: str, instead: Mapping[str, str] | None = None
) -> Callable[..., Any]:
    """A method that answers an argument it does not take: with what to write `instead`, or else by the words that
    others use."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    known = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]

    @wraps(function)
    def answering(self: Any, *args: Any, **given: Any) -> Any:
        _refuse_unknown(called, given, known, instead)
        try:
            return function(self, *args, **given)
        except TypeError:
            _refuse_missing(function, called, (self, *args), given)
            raise

    return answering


def _refuse_unknown(
    called: str, given: Iterable[str], known: list[str], instead: Mapping[str, str] | None = None
) -> None:
    """Raise an error for the first argument `given` that is not `known`."""
    for what in given:
        if what not in known:
            own = next((name for name in known if what in _WORDS.get(name, ())), "")
            raise _no_argument(called, what, known, own if instead is None else instead.get(what, "")) from None


def _refuse_missing(function: Callable[..., Any], called: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Raise an error that names the arguments that a call of a function lacks, `self` among its `args`; nothing if it
    lacks none."""
    parameters = list(inspect.signature(function).parameters.values())
    needed = [p.name for p in parameters[len(args) :] if p.default is p.empty and p.kind not in _OPTIONAL]
    missing = [name for name in needed if name not in given]
    if missing:
        said, known = (", ".join(names) for names in ([f"{x}=…" for x in missing], [p.name for p in parameters[1:]]))
        raise MissingArgumentError(f"{called}: give {said}; it takes: {known}") from None


class AnswersCalls(ABCMeta):
    """The class of classes whose calls with wrong arguments, or without a needed one, are answered by its name."""

    if not TYPE_CHECKING:  # for type checkers a call is one of `__init__`

        @property
        def __signature__(cls) -> inspect.Signature:
            """What a call takes, as `help` shows it."""
            own = inspect.signature(cls.__init__)
            return own.replace(parameters=list(own.parameters.values())[1:], return_annotation=own.empty)

        def __call__(cls, *args: Any, **given: Any) -> Any:
            try:
                return super().__call__(*args, **given)
            except TypeError:
                _refuse_unknown(cls.__name__, given, list(inspect.signature(cls.__init__).parameters)[1:])
                _refuse_missing(cls.__init__, cls.__name__, (None, *args), given)
                raise


def _no_argument(of: str, what: str, known: Iterable[str], instead: str) -> UnknownArgumentError:
    """The error for an argument that a class or a verb does not take."""
    text = f"{of}: there is no argument {what!r}"
    if instead:
        return UnknownArgumentError(f"{text}; write {instead}=…")
    return UnknownArgumentError(f"{text}{checks.similar(what, known)}; it takes: {', '.join(known)}")
