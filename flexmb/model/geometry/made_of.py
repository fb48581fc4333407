"""What a thing was made of, where its own fields no longer say: the material and the section behind the properties of a
beam, the diameter behind a circle."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, NamedTuple, Self, TypeVar

T = TypeVar("T")
_KEPT = "_made_of"


class MadeOf(NamedTuple):
    """A thing is `make(**arguments)`."""

    make: Callable[..., Any]
    arguments: Mapping[str, Any]


def note_made_of(thing: T, make: Callable[..., Any], arguments: Mapping[str, Any]) -> T:
    """The thing, with a note of what it was made of. A thing made of it by :func:`dataclasses.replace` has none."""
    vars(thing)[_KEPT] = MadeOf(make, dict(arguments))
    return thing


class OfSizes:
    """A class whose kinds are made of sizes that are no fields, as a circle is of its diameter: they note them."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        made = super().__new__(cls)
        sizes = inspect.signature(cls.__init__)
        if not {x.name for x in fields(cls)} <= set(sizes.parameters) and (given or named):  # type: ignore[arg-type]
            with suppress(TypeError):  # which the call itself explains better
                arguments = sizes.bind(made, *given, **named).arguments
                note_made_of(made, cls, {name: value for name, value in arguments.items() if value is not made})
        return made


def made_of(thing: Any) -> MadeOf | None:
    """What a thing was made of, if it was noted.

    >>> import flexmb as fm
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> rod = fm.planar.BeamProperties.of(steel, fm.Circle(diameter=0.01))
    >>> sorted(made_of(rod).arguments), made_of(made_of(rod).arguments["section"]).arguments
    (['material', 'section'], {'diameter': 0.01})
    """
    found: MadeOf | None = getattr(thing, "__dict__", {}).get(_KEPT)
    return found
