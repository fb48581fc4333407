"""What was said in a model at one time, and what has changed since then: for runs that begin without reading the model
again."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.model.components import Component
from flexmb.model.frames import Frame, Node
from flexmb.model.model import Model

#: Fields of a model that hold its parts, which are compared one by one.
PARTS = ("frames", "components", "controllers", "events", "off")
#: Attributes that are no statements of the user: what a function of Python raised, and by which key it is found.
_OWN = frozenset(("failure", "key", "token", *PARTS))


class Said:
    """What is said in a `model` now.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> said = Said(m)
    >>> said.change()
    ''
    >>> body.mass = 3.0
    >>> said.change()
    'body.mass'
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        #: for each part its name, and each of its fields with the object that stood there and what was said by it
        self._parts = [(name, part, _fields_of(part)) for name, part in _parts_of(model)]
        self._off = frozenset(model.off)

    def change(self) -> str:
        """The name of something in the model that has changed since then; empty if nothing has."""
        now = _parts_of(self.model)
        if [part for _, part in now] != [part for _, part, _ in self._parts]:
            before = {name for name, *_ in self._parts}
            return next((name for name, _ in now if name not in before), "what it consists of")
        for name, part, fields in self._parts:
            there = vars(part)
            for what, (value, said) in fields.items():
                other = there.get(what)
                if (other is not value or said is not None) and _frozen(other) != (said or _frozen(value)):
                    return f"{name}.{what}" if name else what
        return "off" if self.model.off != self._off else ""


def _parts_of(model: Model) -> list[tuple[str, Any]]:
    """The parts of a model with their names; the model itself has none."""
    nodes = {id(frame.node): (name, frame.node) for name, frame in model.frames.items()}
    named = (model.frames, model.components, model.controllers, model.events)
    return [("", model), *nodes.values(), *(part for things in named for part in things.items())]


def _fields_of(part: Any) -> dict[str, tuple[Any, Any]]:
    """The fields of a part: the object in each, and if that can change its contents."""
    kind, fields = type(part), {}
    for what, value in vars(part).items():
        computed = isinstance(getattr(kind, what, None), cached_property)
        if not what.startswith("_") and what not in _OWN and not computed:
            fields[what] = value, _frozen(value) if _can_change(value) else None
    return fields


def _can_change(value: Any) -> bool:
    """Whether an object may say something else later, and is not a part of the model itself."""
    if isinstance(value, np.ndarray | dict | list | set):
        return True
    if isinstance(value, tuple):
        return any(_can_change(x) for x in value)
    return _is_record(value)


def _is_record(value: Any) -> bool:
    """Whether an object is a record of fields that can be set, such as a law or a sensor."""
    if not is_dataclass(value) or isinstance(value, Component | Frame | Node | Model | type):
        return False
    return not type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]


def _frozen(value: Any) -> Any:
    """What an object says in a form that can be compared later; other objects stand for themselves."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes() if value.dtype != object else tuple(value.flat)
    if isinstance(value, int | str | None):
        return value
    if isinstance(value, float):
        return value if value == value else "nan"
    if isinstance(value, dict):
        return tuple((key, _frozen(x)) for key, x in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(_frozen(x) for x in value)
    if _is_record(value):
        return value, tuple((what, _frozen(x)) for what, (x, _) in _fields_of(value).items())
    return value
