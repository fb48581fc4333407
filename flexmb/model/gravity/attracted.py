"""Components under central gravity: a model keeps an attraction beside each of its components that has mass."""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.errors import NamingError
from flexmb.model.components import Component
from flexmb.model.gravity.fields import Gravity, as_gravity

#: how the attraction of a component is called
NAMED = "gravity of {}"


class Kept(NamedTuple):
    """A component with the field that attracts it, and its attraction, as they were when this was made."""

    of: Component
    gravity: Gravity
    attraction: Component


class FieldOfGravity:
    """The attribute `gravity` of a model: what a user sets becomes a field, whose attractions the model then has."""

    def __get__(self, model: Any, of: type | None = None) -> Any:
        return self if model is None else vars(model)["gravity"]

    def __set__(self, model: Any, given: Any) -> None:
        vars(model)["gravity"] = gravity = as_gravity(given, model.where, model.dimension)
        kept: dict[str, Kept] = vars(model).setdefault("_attractions", {})
        if kept or gravity.is_central:
            vars(model)["_attractions"] = _attractions(model, gravity, kept)


def is_attracted(model: Any, component: Component) -> bool:
    """Whether the central gravity of a model acts on one of its components.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> ball = m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> is_attracted(m, ball), m.check() is None, is_attracted(m, ball)
    (False, False, True)
    """
    return component.name in vars(model)["_attractions"]


def attracted_by(model: Any, component: Component) -> Component | None:
    """Component that an attraction acts on, if the given one is an attraction that a model keeps."""
    kept: dict[str, Kept] = vars(model)["_attractions"]
    return next((own.of for own in kept.values() if own.attraction is component), None)


def _attractions(model: Any, gravity: Gravity, kept: dict[str, Kept]) -> dict[str, Kept]:
    """Put into a model with central gravity the attractions of its components, behind all others, and take out those of
    components that are no longer there, or of another field. They stay the same objects from one check to the next."""
    for name, own in kept.items():
        if model.components.get(NAMED.format(name)) is own.attraction:
            del model.components[NAMED.format(name)]
    found: dict[str, Kept] = {}
    for name, component in list(model.components.items()) if gravity.is_central else ():
        before = kept.get(name)
        if before is not None and before.of is component and before.gravity == gravity:
            found[name] = before
        elif (new := component.attraction(gravity)) is not None:
            new.name = NAMED.format(name)
            found[name] = Kept(component, gravity, new)
    for name, own in found.items():
        called = NAMED.format(name)
        if called in model.components:
            raise NamingError(
                f"{model.where}: {model.components[called].where} has the name of what attracts "
                f"{model.components[name].where} in the central gravity of the model; give it another name"
            )
        model.components[called] = own.attraction
    return found
