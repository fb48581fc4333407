"""Forces of joints on frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import NamingError
from flexmb.model import checks
from flexmb.results import names
from flexmb.results.recorded import Recorded


def reaction(solution: Recorded, joint: Any, on: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment that a joint exerts on a frame, see :meth:`flexmb.Solution.reaction`."""
    name = names.key_name(solution, joint)
    layout = solution.layout
    if not layout.rows_of(name):
        raise checks.unknown(name, layout.joints(), "joint", solution.where)
    if on is None:
        if name not in layout.pairs:
            raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames; say on which frame, on=…")
        frame = layout.pairs[name].b
    else:
        frame = names.key_name(solution, on)
        if frame not in layout.frames and frame not in layout.spatial:
            raise checks.unknown(frame, (*layout.frames, *layout.spatial), "frame", solution.where)
    values = solution.source.node_force(solution, name, frame)
    if frame in layout.spatial:
        place = layout.spatial[frame]
        q, _, _ = names.spatial_node_columns(solution, place)
        turn = Rotation.from_quat(np.roll(q[:, 3:], -1, axis=1))
        force = values[:, :3].copy()
        return force, turn.apply(values[:, 3:]) - np.cross(turn.apply(place.offset), force)
    planar = layout.frames[frame]
    turn_angle = names.node_columns(solution, planar.numbers)[:, 2]
    c, s = np.cos(turn_angle), np.sin(turn_angle)
    ux, uy, _ = planar.offset
    moment = values[:, 2] - (c * ux - s * uy) * values[:, 1] + (s * ux + c * uy) * values[:, 0]
    return values[:, :2].copy(), moment
