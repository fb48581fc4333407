"""What was said in a model at one time, and what has changed since then: for runs that begin without reading the model
again."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cached_property
from operator import is_
from typing import Any

import numpy as np

from flexmb.model.components import Component
from flexmb.model.frames import Frame, Node
from flexmb.model.model import Model

#: Fields of a model that hold its parts, which are compared one by one.
PARTS = ("frames", "components", "controllers", "events", "off")
#: Kinds of values that say no more than themselves.
_PLAIN = frozenset((type(None), bool, int, float, str, np.ndarray))
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
        self._note()

    def _note(self) -> None:
        """Note what is said now, part by part; and the same in flat lists, by which it is quickly seen that nothing has
        changed: the parts that the model holds, the objects in all fields and in their lists, the bytes of arrays, and
        what other things say that can change."""
        self._held = _held_by(self.model)
        #: for each part its name, and each of its fields with the object that stood there and what was said by it
        self._parts = [(name, part, _fields_of(part)) for name, part in _parts_of(self.model)]
        self._off = frozenset(self.model.off)
        fields = [(vars(part), what, *found) for _, part, own in self._parts for what, found in own.items()]
        self._dicts: list[dict[str, Any]] = [there for there, *_ in fields]
        self._names: list[str] = [what for _, what, *_ in fields]
        self._objects: list[Any] = [value for _, _, value, _ in fields]
        numbers = [isinstance(value, np.ndarray) and value.dtype != object for _, _, value, _ in fields]
        self._arrays = [value for (_, _, value, _), known in zip(fields, numbers) if known]
        self._bytes = [*map(np.ndarray.tobytes, self._arrays)]
        self._others = [
            (value, said) for (_, _, value, said), known in zip(fields, numbers) if said is not None and not known
        ]
        self._lists = [(value, [*map(id, value)]) for value, _ in self._others if isinstance(value, list | tuple)]

    def change(self) -> str:
        """The name of something in the model that has changed since then; empty if nothing has."""
        if self.model.off != self._off:
            return "off"
        if (
            self._held == _held_by(self.model)
            and all(map(is_, map(dict.get, self._dicts, self._names), self._objects))
            and [*map(np.ndarray.tobytes, self._arrays)] == self._bytes
            and all(_frozen(value) == said for value, said in self._others)
            and all([*map(id, value)] == items for value, items in self._lists)
        ):
            return ""
        now = _parts_of(self.model)
        if [id(part) for _, part in now] != [id(part) for _, part, _ in self._parts]:
            before = {name for name, *_ in self._parts}
            return next((name for name, _ in now if name not in before), "what it consists of")
        for name, part, fields in self._parts:
            there = vars(part)
            for what, (value, said) in fields.items():
                other = there.get(what)
                if (other is not value or said is not None) and _frozen(other) != (said or _frozen(value)):
                    return f"{name}.{what}" if name else what
        self._note()  # another analysis has checked the model, and put equal things in place of some
        return ""


def _held_by(model: Model) -> list[int]:
    """The identities of the frames, components, controllers and events of a model."""
    return [
        id(part) for held in (model.frames, model.components, model.controllers, model.events) for part in held.values()
    ]


def _parts_of(model: Model) -> list[tuple[str, Any]]:
    """The parts of a model with their names; the model itself has none. Records in their fields, such as laws and
    sensors, are parts too."""
    nodes = {id(frame.node): (name, frame.node) for name, frame in model.frames.items()}
    named = (model.frames, model.components, model.controllers, model.events)
    found = [("", model), *nodes.values(), *(part for things in named for part in things.items())]
    known = {id(part) for _, part in found}
    for name, part in found:  # grows while it is read
        for what, value in vars(part).items():
            if type(value) not in _PLAIN and not (part is model and what in PARTS):
                for inner in value if isinstance(value, list | tuple) else (value,):
                    if id(inner) not in known and _is_record(inner):
                        known.add(id(inner))
                        found.append((f"{name}.{what}", inner))
    return found


def _fields_of(part: Any) -> dict[str, tuple[Any, Any]]:
    """The fields of a part: the object in each, and what it says if that can change in it."""
    kind, fields = type(part), {}
    for what, value in vars(part).items():
        computed = isinstance(getattr(kind, what, None), cached_property)
        if not what.startswith("_") and what not in _OWN and not computed:
            fields[what] = value, _frozen(value) if isinstance(value, np.ndarray | dict | list | set | tuple) else None
    return fields


def _is_record(value: Any) -> bool:
    """Whether an object is a record of fields that can be set, such as a law or a sensor."""
    if not is_dataclass(value) or isinstance(value, Component | Frame | Node | Model | type):
        return False
    return not type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]


def _frozen(value: Any) -> Any:
    """What an object says in a form that can be compared later; other objects stand for themselves."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes() if value.dtype != object else tuple(value.flat)
    if isinstance(value, float):
        return value if value == value else "nan"
    if isinstance(value, dict):
        return tuple((key, _frozen(x)) for key, x in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(_frozen(x) for x in value)
    return value
