"""Sizes of what is round, of which a diameter or a radius is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flexmb.errors import ModelError
from flexmb.model.checks import positive, quoted


def unnamed_sizes(given: Sequence[Any], where: str, *calls: str) -> None:
    """Refuse sizes that are given by position, where a number alone may be a diameter or a radius; `calls` say what to
    write, with {} for the sizes.

    >>> unnamed_sizes((0.05,), "circle section", "Circle(diameter={})", "Circle(radius={})")
    Traceback (most recent call last):
    flexmb.errors.ModelError: circle section: its size 0.05 may be a diameter or a radius; write Circle(diameter=0.05) \
or Circle(radius=0.05)
    """
    if not given:
        return
    sizes = [quoted(x) for x in given]
    shown = (call.format(*sizes, *["…"] * call.count("{}")) for call in calls)
    may = f"size {sizes[0]} may be a diameter or a radius" if len(sizes) == 1 else "sizes are given without names"
    raise ModelError(f"{where}: its {may}; write {' or '.join(shown)}")


def whole_diameter(diameter: Any, radius: Any, where: str) -> float:
    """The diameter of what is round, of which a diameter or a radius is given.

    >>> whole_diameter(None, 0.1, "sphere")
    0.2
    """
    if diameter is None and radius is None:
        raise ModelError(f"{where}: it has no size; give diameter=… or radius=…")
    if diameter is not None and radius is not None:
        raise ModelError(f"{where}: it has a diameter and a radius; give one of both")
    return positive(diameter, "diameter", where) if radius is None else 2.0 * positive(radius, "radius", where)


def two_diameters(outer: Any, inner: Any, where: str) -> tuple[float, float]:
    """The outer and the inner diameter of a tube."""
    if outer is None or inner is None:
        raise ModelError(f"{where}: a tube has two diameters; give outer_diameter=… and inner_diameter=…")
    o, i = positive(outer, "outer_diameter", where), positive(inner, "inner_diameter", where)
    if i >= o:
        raise ModelError(f"{where}: inner diameter {i:g} must be smaller than the outer one, {o:g}")
    return o, i
