"""Names in drawings: where the name of each body, beam and joint stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.model import checks, given_names
from flexmb.results import names as names_of
from flexmb.results.recorded import Recorded
from flexmb.visual.cameras import checked_camera


def labels_of(solution: Recorded, wanted: Any, camera: Any, up: Any, where: str) -> list[tuple[str, np.ndarray]]:
    """The names of parts and joints with their places (2,) [m] in a drawing, at the last of its times: of all, or of
    those that a user wants; what is off, and what has no place then, has no name."""
    layout = solution.layout
    fixed = {name for name, body in layout.bodies.items() if layout.is_fixed(body.frame)}
    known = [*(name for name in layout.bodies if name not in fixed), *layout.beams, *layout.pairs]
    if isinstance(wanted, bool | np.bool_):
        names = known if wanted else []
    else:
        names = [names_of.key_name(solution, key) for key in checks.several(wanted, "names", where)]
        for name in names:
            given_names.known(name, known, "part or joint to name", where)
    axes = checked_camera(solution, camera, up, where)[:2] if layout.dimension == 3 else np.eye(2)
    out: list[tuple[str, np.ndarray]] = []
    for name in names:
        if name in layout.beams:
            line = solution.axis(name)[-1]
            place = line[len(line) // 2]
        elif name in layout.bodies:
            place = solution.track(layout.bodies[name].frame).position[-1]
        else:
            pair = layout.pairs[name]
            a, b = (solution.track(frame).position[-1] for frame in (pair.a, pair.b))
            place = 0.5 * (a + b) if set(pair.glyphs) & {"spring", "rod"} else b
            if not solution.is_on(name)[-1]:
                continue
        if np.all(np.isfinite(place)):
            out.append((name, axes @ place))
    return out
