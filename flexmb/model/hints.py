"""Wrong names of attributes and arguments, answered with the right ones."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from flexmb.errors import MissingArgumentError, UnknownArgumentError, UnknownAttributeError
from flexmb.model import given_names

C = TypeVar("C", bound="AnswersCalls")
F = TypeVar("F", bound=Callable[..., Any])
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
    if near := given_names.similar(what, known):
        return UnknownAttributeError(text + near)
    return UnknownAttributeError(str(given_names.unknown(what, known, "attribute", where)))


#: words that others use for arguments
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


def answers_calls(function: F, owned: bool = False) -> F:
    """Let a function answer a call that does not fit with the right arguments; `owned` is a method, which takes
    `self` or its class first. Calls that fit are not looked at.

    >>> import flexmb as fm
    >>> fm.modes(fm.PlanarModel("m"), dens=True)
    Traceback (most recent call last):
    flexmb.errors.UnknownArgumentError: modes: there is no argument 'dens' (did you mean 'dense'?); it takes: model, \
count, dense, controllers
    """

    @wraps(function)
    def answering(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except TypeError:
            called = function.__name__
            if owned and args:
                of = args[0] if isinstance(args[0], type) else type(args[0])
                called = f"{getattr(of, '_called', of.__name__)}.{called}"
            _refuse_wrong_call(function, called, args, given, owned)
            raise

    return answering  # type: ignore[return-value]  # what it takes and gives is what the function does


class AnswersCalls(ABCMeta):
    """The class of classes that answer calls which do not fit, of themselves and of their public methods, with the
    right arguments.

    >>> import flexmb as fm
    >>> fm.PlanarModel("m").add_body("b", m=1.0, inertia=0.1)
    Traceback (most recent call last):
    flexmb.errors.UnknownArgumentError: model.add_body: there is no argument 'm'; write mass=…
    """

    #: what to write for words that others use for arguments of a class; None where the words of all are meant
    _arguments: Mapping[str, str] | None = None

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **more: Any) -> Any:
        for what, method in namespace.items():
            if what.startswith("_"):
                continue
            if isinstance(method, FunctionType):
                namespace[what] = answers_calls(method, owned=True)
            elif isinstance(method, classmethod | staticmethod):
                kind = type(method)
                namespace[what] = kind(answers_calls(method.__func__, owned=kind is classmethod))
        return super().__new__(mcs, name, bases, namespace, **more)

    if not TYPE_CHECKING:  # for type checkers a call is one of `__init__`

        @property
        def __signature__(cls) -> inspect.Signature:
            """What a call takes, as `help` shows it."""
            own = inspect.signature(_maker(cls))
            return own.replace(parameters=list(own.parameters.values())[1:], return_annotation=own.empty)

        def __call__(cls, *args: Any, **given: Any) -> Any:
            try:
                return super().__call__(*args, **given)
            except TypeError:
                _refuse_wrong_call(_maker(cls), cls.__name__, (cls, *args), given, True, cls._arguments)
                raise


def _maker(of: type) -> Callable[..., Any]:
    """What takes the arguments of a class."""
    return (lambda self: None) if of.__init__ is object.__init__ else of.__init__  # type: ignore[misc]


def answers(**instead: str) -> Callable[[C], C]:
    """Let a class answer words that others use for its arguments with what to write `instead`.

    >>> import flexmb as fm
    >>> fm.Material(density=7850, E=205e9)
    Traceback (most recent call last):
    flexmb.errors.UnknownArgumentError: Material: there is no argument 'E'; write youngs_modulus=…
    """

    def answering(of: C) -> C:
        of._arguments = instead
        return of

    return answering


def _refuse_wrong_call(
    function: Callable[..., Any],
    called: str,
    args: tuple[Any, ...],
    given: Mapping[str, Any],
    owned: bool,
    instead: Mapping[str, str] | None = None,
) -> None:
    """Raise an error for a call whose arguments a function does not take; nothing for one that fits."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **given)
        return
    except TypeError as error:
        why = str(error)
    parameters = list(signature.parameters.values())
    known = [p.name for p in parameters[owned:] if p.kind not in _OPTIONAL]
    if all(p.kind is not p.VAR_KEYWORD for p in parameters):
        for what in given:
            if what not in known:
                raise _no_argument(called, what, known, instead) from None
    needed = [p.name for p in parameters[len(args) :] if p.default is p.empty and p.kind not in _OPTIONAL]
    missing = [f"{name}=…" for name in needed if name not in given]
    takes = f"it takes: {', '.join(known)}"
    if missing:
        raise MissingArgumentError(f"{called}: give {', '.join(missing)}; {takes}") from None
    raise UnknownArgumentError(f"{called}: {why}; {takes}") from None  # given twice, or too many by their places


def _no_argument(
    called: str, what: str, known: Iterable[str], instead: Mapping[str, str] | None
) -> UnknownArgumentError:
    """The error for an argument that a class or a function does not take: with what to write `instead`, or else by the
    words that others use, or else the names that come near."""
    text = f"{called}: there is no argument {what!r}"
    own = next((name for name in known if what in _WORDS.get(name, ())), "")
    if own := own if instead is None else instead.get(what, ""):
        return UnknownArgumentError(f"{text}; write {own}=…")
    return UnknownArgumentError(f"{text}{given_names.similar(what, known)}; it takes: {', '.join(known)}")


class Answering(metaclass=AnswersCalls):
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
