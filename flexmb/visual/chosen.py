"""Choices of a user for pictures: the frames whose axes are drawn, what displacements are taken against, colors."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.appearance import COLOR
from flexmb.results import names
from flexmb.results.pictures.displacement import DISPLACEMENT, Displaced, displaced_against
from flexmb.results.recorded import Recorded


def chosen_frames(solution: Recorded, triads: Any, where: str) -> list[str]:
    """The frames whose axes are drawn."""
    layout = solution.layout
    known = [*layout.frames, *layout.spatial]
    if isinstance(triads, bool | np.bool_):
        return known if triads else []
    chosen = [names.key_name(solution, key) for key in checks.several(triads, "triads", where)]
    for k, name in enumerate(chosen):
        chosen[k] = layout.bodies[name].frame if name in layout.bodies else name
        if chosen[k] not in known:
            raise given_names.unknown(name, known, "frame", where)
    return chosen


def chosen_displacements(
    solution: Recorded, quantity: str | None, parts: tuple[str, ...], against: Any, where: str
) -> Displaced | None:
    """The thing that displacements of parts are taken against; None where another quantity colors them."""
    if quantity != DISPLACEMENT:
        if against is not None:
            raise ModelError(f"{where}: against is what displacements are taken against; give color='displacement'")
        return None
    displaced = displaced_against(solution, against, where)
    displaced.check(parts, where)
    return displaced


def part_colors(solution: Recorded, given: Any, where: str) -> dict[str, str]:
    """The colors '#rrggbb' of parts and joints that a user gave by their names."""
    if given is None:
        return {}
    layout = solution.layout
    known = [*layout.bodies, *layout.beams, *layout.pairs]
    found = {}
    for name, color in checks.by_names(given, "colors", where).items():
        given_names.known(name, known, "part or joint to color", where)
        shown = color.lower() if isinstance(color, str) else ""
        if not COLOR.fullmatch(shown):
            raise ModelError(f"{where}: the color of {name!r} is {checks.quoted(color)}; give '#rrggbb', '#3b6ea5' …")
        found[name] = shown
    return found
