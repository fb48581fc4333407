"""Parameters by name: a name points at a number in a model as a user would, through what it was made of.

`"tip.mass"` is a field of a component, `"rod.material.youngs_modulus"` one of the material that a beam was given,
`"rod.section.diameter"` the size of its section, `"servo.law"` the law of a controller, `"gravity"` of the model.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.model import checks, given_names
from flexmb.model.components import Component
from flexmb.model.frames import Frame, Node
from flexmb.model.geometry.made_of import made_of, note_made_of
from flexmb.model.model import Model

#: How many fields lead to a number at most: "rod.section.diameter" has two; what lies deeper is no statement of a user.
DEPTH = 3
#: Fields that are no parameters: by what a part is known.
_NAMES = frozenset(("name", "model"))
#: What holds the properties that a beam was given, or those of its material and section.
_PROPERTIES = "properties"


class Parameter(NamedTuple):
    """A parameter of a model: its `name`, the part of the model `of` which it is one ("" for the model itself), and the
    fields that lead from there to its value."""

    name: str
    of: str
    path: tuple[str, ...]

    def value(self, model: Model) -> Any:
        """Value of the parameter in a model."""
        found: Any = _part(model, self.of)
        for field in self.path:
            found = _read(found, field)
        return found

    def put(self, model: Model, value: Any, where: str) -> None:
        """Change it in a model. A value that the model refuses raises a ModelError that begins with `where`."""
        part = _part(model, self.of)
        try:
            _put(part, self.path, _like(self.value(model), value, self.name, where))
        except (ModelError, TypeError) as error:
            if str(error).startswith(where):
                raise
            raise ModelError(f"{where}: {self.name!r} cannot be {checks.brief(value)}: {error}") from None


def parameter(model: Model, name: Any, where: str) -> Parameter:
    """The parameter that a name means in a model; a NamingError with what there is if it means none.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> steel, round_bar = fm.Material(density=7850, youngs_modulus=205e9), fm.Circle(diameter=0.01)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), material=steel, section=round_bar)
    >>> parameter(m, "rod.material.youngs_modulus", "m").value(m)
    205000000000.0
    >>> round(changed(m, {"rod.section.diameter": 0.02}, "m").components["rod"].properties.area * 1e6, 3)
    314.159
    """
    if not isinstance(name, str):
        raise NamingError(f"{where}: {checks.quoted(name)} is no name of a parameter; give one like 'tip.mass'")
    if name in model.components or name in model.controllers:
        own = [f"{name}.{'.'.join(path)}" for path in _inside(_part(model, name), ())]
        raise ModelError(
            f"{where}: {name!r} is a whole part; name a parameter of it: {', '.join(own) or 'it has none'}"
        )
    of = _longest(name, [*model.components, *model.controllers])
    path = tuple(name[len(of) + 1 :].split(".") if of else name.split("."))
    part = _part(model, of)
    if not of and path[0] not in _own_fields(model):
        first = name.partition(".")[0]
        raise given_names.unknown(first, [*model.components, *model.controllers, "gravity"], "part of the model", where)
    for number, field in enumerate(path):
        known = [] if number and isinstance(part, Component) else _own_fields(part)  # it is known by its own name
        if field not in known:
            holder = ".".join((*((of,) if of else ()), *path[:number]))
            raise given_names.unknown(field, known, f"parameter of {holder!r}", where)
        part = _read(part, field)
    if not _can_vary(part):
        inside = [f for f in _own_fields(part) if _can_vary(_read(part, f))]
        hint = f"; its own are {', '.join(f'{name}.{x}' for x in inside)}" if inside else ""
        raise ModelError(f"{where}: {name!r} is {checks.brief(part)}, and no number that could vary{hint}")
    return Parameter(name, of, path)


def changed(model: Model, values: Mapping[str, Any], where: str) -> Model:
    """A copy of a model with other values of some parameters, by their names."""
    other = copy.deepcopy(model)
    for name, value in values.items():
        parameter(other, name, where).put(other, value, where)
    return other


def parameters_of(model: Model) -> Iterator[str]:
    """The names of all numbers of a model that can vary, down to what beams were made of.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> tip = m.add_body("tip", mass=1.0, inertia=0.1)
    >>> list(parameters_of(m))
    ['gravity', 'tip.mass', 'tip.inertia', 'tip.center']
    """
    if _can_vary(model.gravity):
        yield "gravity"
    else:
        yield from (".".join(path) for path in _inside(model.gravity, ("gravity",)))
    for name, part in {**model.components, **model.controllers}.items():
        for path in _inside(part, ()):
            yield f"{name}.{'.'.join(path)}"


def _inside(part: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for field in _own_fields(part):
        value = _read(part, field)
        if _can_vary(value):
            yield (*path, field)
        elif len(path) < DEPTH and not isinstance(value, Sequence | np.ndarray | Component):
            yield from _inside(value, (*path, field))


def _longest(name: str, parts: Sequence[str]) -> str:
    """The longest name of a part with which a name begins; names of parts may have points in them."""
    return max((part for part in parts if name.startswith(f"{part}.")), key=len, default="")


def _part(model: Model, of: str) -> Any:
    if not of:
        return model
    return model.components[of] if of in model.components else model.controllers[of]


def _own_fields(part: Any) -> list[str]:
    """The fields of a part that a name may go on with."""
    if isinstance(part, Model):
        return ["gravity"]
    if isinstance(part, Frame | Node) or part is None or isinstance(part, type):
        return []
    found = []
    behind = made_of(getattr(part, _PROPERTIES, None)) if hasattr(part, _PROPERTIES) else None
    if behind is not None:
        found += list(behind.arguments)
    own = made_of(part)
    if own is not None and own.make is type(part):  # its fields follow from these
        return list(own.arguments)
    if own is not None:
        found += [x for x in own.arguments if x not in found]
    if is_dataclass(part):
        fixed, taken = getattr(part, "not_varied", _NAMES), inspect.signature(type(part).__init__).parameters
        follows = () if behind is None else (_PROPERTIES,)  # from material and section
        own_names = [f.name for f in fields(part) if f.init and f.name not in fixed and f.name in taken]
        found += [x for x in own_names if x not in found and x not in follows]
    return found


def _read(part: Any, field: str) -> Any:
    """The value of a field, or of an argument that the part, or its properties, were made of."""
    for thing in (getattr(part, _PROPERTIES, None), part):
        behind = made_of(thing)
        if behind is not None and field in behind.arguments:
            return behind.arguments[field]
    return getattr(part, field)


def _put(part: Any, path: tuple[str, ...], value: Any) -> None:
    """Change a field of a part of a model, which can be set."""
    field, *rest = path
    properties = getattr(part, _PROPERTIES, None)
    behind = made_of(properties)
    if behind is not None and field in behind.arguments:
        part.properties = _remade(properties, path, value)
    else:
        setattr(part, field, _remade(getattr(part, field), tuple(rest), value) if rest else value)


def _remade(thing: Any, path: tuple[str, ...], value: Any) -> Any:
    """A thing as this one, in which the field at the end of the path has another value."""
    if not path:
        return value
    field, *rest = path
    behind = made_of(thing)
    if behind is not None and field in behind.arguments:
        arguments = {**behind.arguments, field: _remade(behind.arguments[field], tuple(rest), value)}
        made = behind.make(**arguments)
        return made if made_of(made) is not None else note_made_of(made, behind.make, arguments)
    return replace(thing, **{field: _remade(getattr(thing, field), tuple(rest), value)})


def _can_vary(value: Any) -> bool:
    """Whether a value is a number, a few numbers, or something that is given as a whole, such as a law."""
    if isinstance(value, bool | str) or value is None:
        return False
    if isinstance(value, int | float | np.number):
        return True
    if isinstance(value, np.ndarray):
        return bool(np.issubdtype(value.dtype, np.number)) and value.size > 0
    if isinstance(value, tuple | list):
        return len(value) > 0 and all(_can_vary(x) for x in value)
    return hasattr(value, "kernel") and hasattr(value, "parameters")


def _like(now: Any, value: Any, name: str, where: str) -> Any:
    """A value of the kind and the shape of the present one."""
    if isinstance(now, int) and not isinstance(now, bool) and isinstance(value, int | np.integer):
        return int(value)
    if isinstance(now, int | float | np.number):
        endless = isinstance(value, float) and math.isinf(value) and math.isinf(now)
        return value if endless else checks.number(value, name, where)
    if isinstance(now, np.ndarray | tuple | list):
        numbers = checks.numbers(value, name, where, f"numbers of the shape {np.shape(now)}", infinite=True)
        if numbers.shape != np.shape(now):
            raise ModelError(f"{where}: {name!r} has the shape {np.shape(now)}, not {numbers.shape}")
        return numbers
    if type(value) is not type(now) and not hasattr(value, "kernel"):
        raise ModelError(f"{where}: {name!r} is {checks.brief(now)}, not {checks.brief(value)}; give one like it")
    return value
