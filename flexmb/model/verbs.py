"""Verbs of models: methods that make a component and add it, with the arguments and the text of its class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from flexmb.model.components import Component
from flexmb.model.frames import Frame, MeansFrame

P = ParamSpec("P")
C = TypeVar("C", bound=Component)
F = TypeVar("F", bound=Frame)


def verb_name(of: type[Component]) -> str:
    """The verb of a class of components: 'spring_damper' of SpringDamper."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", of.__name__).lower()


def pair_verb(
    of: Callable[Concatenate[F, F, P], C],
) -> Callable[Concatenate[Any, F | MeansFrame[F], F | MeansFrame[F], P], C]:
    """The verb of a component between two frames."""
    return _method(of)


def frame_verb(of: Callable[Concatenate[F, P], C]) -> Callable[Concatenate[Any, F | MeansFrame[F], P], C]:
    """The verb of a component on a frame."""
    return _method(of)


def verb(of: Callable[P, C]) -> Callable[Concatenate[Any, P], C]:
    """The verb of a component that stands on something else than one frame or two."""
    return _method(of)


def _method(of: Any) -> Any:
    """The method that makes a component of a class and adds it to the model. It takes what the class takes, and bodies
    for frames, which the component finds (:func:`flexmb.model.frames.take_frames`).

    >>> import flexmb as fm
    >>> str(inspect.signature(fm.PlanarModel("m").revolute))
    "(a: 'FrameLike', b: 'FrameLike', *, friction: 'JointFriction | None' = None, name: 'str' = '') -> 'Revolute'"
    """

    def method(self: Any, *given: Any, **named: Any) -> Any:
        return self.add(of(*given, **named))

    taken = inspect.signature(of)
    asked = {
        name: p.replace(annotation=re.sub(r"\bFrame\b", "FrameLike", str(p.annotation)))
        for name, p in taken.parameters.items()
    }
    asked["name"] = asked.pop("name")  # the last of all
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *asked.values()]
    method.__signature__ = taken.replace(parameters=parameters, return_annotation=of.__name__)  # type: ignore[attr-defined]
    method.__name__, method.__module__, method.__doc__ = verb_name(of), of.__module__, of.__doc__
    method.__qualname__ = f"Model.{method.__name__}"
    return method
