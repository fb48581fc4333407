"""Choices of a user for a view: the frames whose axes are drawn, and what displacements are taken against."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names
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
