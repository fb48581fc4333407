"""What joints do to frames, and whether the motion determines it."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.model import checks
from flexmb.results import names
from flexmb.results.recorded import Recorded


def joint_name(solution: Recorded, joint: Any) -> str:
    """The name of a component that has constraint rows, given by name or as it is."""
    name = names.key_name(solution, joint)
    if not solution.layout.rows_of(name):
        raise checks.unknown(name, solution.layout.joints(), "joint", solution.where)
    return name


def joints_not_unique(solution: Recorded) -> list[str]:
    """Names of the joints some of whose constraint rows have multipliers that the motion does not determine."""
    rows = solution.layout.rows
    return list(dict.fromkeys(rows[k][0] for k in solution.source.rows_not_unique(solution)))


def reaction(solution: Recorded, joint: Any, on: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Force (k, 2) [N] and moment (k,) [Nm] of a joint on a frame, see :meth:`flexmb.Solution.reaction`."""
    name = joint_name(solution, joint)
    if on is None:
        if name not in solution.layout.pairs:
            raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames; say on which frame, on=…")
        frame = solution.layout.pairs[name].b
    else:
        frame = names.key_name(solution, on)
        if frame not in solution.layout.frames:
            raise checks.unknown(frame, solution.layout.frames, "frame", solution.where)
    values = solution.source.node_force(solution, name, frame)
    place = solution.layout.frames[frame]
    turn = names.node_columns(solution, place.numbers)[:, 2]
    c, s = np.cos(turn), np.sin(turn)
    ux, uy, _ = place.offset
    moment = values[:, 2] - (c * ux - s * uy) * values[:, 1] + (s * ux + c * uy) * values[:, 0]
    return values[:, :2].copy(), moment
