"""One right call of every public callable, as the ground for wrong ones."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import flexmb as fm
from flexmb.model.verbs import verb_name
from tests.good_arguments import CALLS, Arguments
from tests.good_values import SUBJECTS, VALUES_OF, new_name
from tests.models import components, components_in_space
from tests.models.worlds import World


class Missing(Exception):
    """No right value is known for an argument."""


@cache
def _instances() -> dict[tuple[int, type], Callable[[], Any]]:
    """Makers of one component of each class that there is in a catalogue."""
    found: dict[tuple[int, type], Callable[[], Any]] = {}
    for dimension, catalogue in CATALOGUES.items():
        for make in catalogue().values():
            found.setdefault((dimension, type(make())), make)
    return found


CATALOGUES = {2: components.catalog, 3: components_in_space.catalog}


@dataclasses.dataclass
class Call:
    """A right call, of which single arguments are replaced by wrong ones."""

    function: Callable[..., Any]
    given: Callable[[], Arguments]
    signature: inspect.Signature

    @property
    def arguments(self) -> list[str]:
        own = [p.name for p in self.signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        return [name for name in dict.fromkeys([*own, *self.given()]) if name != "self"]

    @property
    def draws(self) -> bool:
        """Whether it makes a picture."""
        return bool({"background", "labels"} & set(self.signature.parameters))

    def skips(self, argument: str, kind: str) -> bool:
        """Whether a kind is right for an argument, and costs a picture or processes."""
        annotation = str(getattr(self.signature.parameters.get(argument), "annotation", "Any"))
        if argument in ("workers", "executor"):
            return kind in ("None", "number", "bool", "huge", "zero")
        if not self.draws:
            return False
        right = {"None": "None", "text": "str", "empty text": "str", "dict": "Mapping", "number": "float"}
        return kind in right and right[kind] in annotation

    def __call__(self, wrong: Arguments) -> Any:
        named = {**self.given(), **wrong}
        first = [
            named.pop(p.name)
            for p in self.signature.parameters.values()
            if p.kind is p.POSITIONAL_ONLY and p.name in named
        ]
        several = [named.pop(name) for name in list(named) if name.startswith("*")]
        return self.function(*first, *several, **named)


def good_call(name: str, of: tuple[Any, Any, inspect.Signature], world: World) -> Call:
    """A right call of a public callable; `of` is its class, if it is a method, itself and its signature."""
    owner, function, signature = of
    component = _component_of(name, owner, function)
    if component is not None:
        return _call_of_component(name, owner, function, signature, component)
    if owner is not None:
        function = _bound(owner, function, name, world)

    def given() -> Arguments:
        found = dict(CALLS[name](world)) if name in CALLS else {}
        for p in signature.parameters.values():
            if (
                p.name == "self"
                or p.name in found
                or p.default is not p.empty
                or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
            ):
                continue
            if p.name not in VALUES_OF:
                raise Missing(f"no right value for {p.name}: {p.annotation}")
            found[p.name] = VALUES_OF[p.name](world)
        return found

    given()
    return Call(function, given, signature)


def _bound(owner: type, function: Any, name: str, world: World) -> Callable[..., Any]:
    method = name.rpartition(".")[2]
    if isinstance(function, classmethod | staticmethod):
        return getattr(owner, method)
    if issubclass(owner, fm.Component):
        for (_, of), make in _instances().items():
            if of is owner:
                return getattr(make(), method)
    for of in owner.__mro__:
        if of.__name__ in SUBJECTS:
            return getattr(SUBJECTS[of.__name__](world), method)
    raise Missing(f"no instance of {owner.__name__}")


def _component_of(name: str, owner: Any, function: Any) -> Any:
    """(dimension, class) of the component that a class or a verb of a model makes."""
    dimension = 3 if "spatial" in name or "Spatial" in name or "Robot" in name else 2
    for (d, of), _ in _instances().items():
        if d != dimension:
            continue
        if owner is None and function is of:
            return d, of
        if (
            owner is not None
            and issubclass(owner, fm.PlanarModel | fm.SpatialModel)
            and name.endswith("." + verb_name(of))
            and not name.startswith("fm.Robot")
        ):
            return d, of
    return None


def _call_of_component(name: str, owner: Any, function: Any, signature: inspect.Signature, key: Any) -> Call:
    instance = _instances()[key]()
    parts = (instance, *(getattr(instance, f.name) for f in dataclasses.fields(instance)))
    frames = [
        *instance.frames(),
        *(x for part in parts[1:] if hasattr(part, "frames") and isinstance(part, fm.Component) for x in part.frames()),
    ]
    model = next(
        x.model for x in (*parts, *frames) if isinstance(getattr(x, "model", None), fm.PlanarModel | fm.SpatialModel)
    )
    taken = signature.parameters
    values = {f.name: getattr(instance, f.name) for f in dataclasses.fields(instance) if f.init and f.name in taken}

    def given() -> Arguments:
        return values | ({"name": new_name()} if "name" in taken else {})

    verb = getattr(model, name.rpartition(".")[2]) if owner else lambda **named: model.add(function(**named))
    return Call(verb, given, signature)
