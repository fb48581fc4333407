"""Forces of joints on frames, and whether the motion determines them."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.model import checks
from flexmb.model.orientations import rotation_of
from flexmb.model.spatial_frames import axes_about
from flexmb.results import names
from flexmb.results.recorded import Recorded


def joint_name(solution: Recorded, joint: Any) -> str:
    """The name of a component that has constraint rows or reacts, given by name or as it is."""
    name = names.key_name(solution, joint)
    if name not in solution.layout.joints():
        raise checks.unknown(name, solution.layout.joints(), "joint", solution.where)
    return name


def joints_not_unique(solution: Recorded) -> list[str]:
    """Names of the joints some of whose constraint rows have multipliers that the motion does not determine."""
    rows = solution.layout.rows
    return list(dict.fromkeys(rows[k][0] for k in solution.source.rows_not_unique(solution)))


def reaction(solution: Recorded, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, np.ndarray]:
    """Force and moment that a joint exerts on a frame, see :meth:`flexmb.Solution.reaction`."""
    force, moment = _in_ground(solution, joint, frame)
    if checks.choice(axes, ("ground", "joint"), "axes", f"{solution.where}, reaction") == "ground":
        return force, moment
    name, layout = joint_name(solution, joint), solution.layout
    if name not in layout.pairs:
        raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames and has no axes")
    pair = layout.pairs[name]
    if layout.dimension == 2:
        track = names.find_track(solution, pair.a)
        angle = track.angle + (pair.axis or 0.0)
        c, s = np.cos(angle), np.sin(angle)
        return np.column_stack([c * force[:, 0] + s * force[:, 1], c * force[:, 1] - s * force[:, 0]]), moment
    if pair.joint is not None:
        own = pair.joint.axes_a
    elif isinstance(pair.axis, tuple):  # drives and gears about an axis
        own = axes_about(*pair.axis)
    else:
        raise NamingError(f"{solution.where}: no axes of {name!r} are known; leave out axes='joint'")
    turn = names.find_track(solution, pair.a).orientation * rotation_of(own)
    return turn.apply(force, inverse=True), turn.apply(moment, inverse=True)


def _in_ground(solution: Recorded, joint: Any, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment in the axes of the ground."""
    name, layout = joint_name(solution, joint), solution.layout
    if not layout.has_reaction(name):
        raise NamingError(
            f"{solution.where}: {name!r} is a tire, whose constraint rows are the laws of its tread and put no force "
            "on frames; the forces of the road are those that the tire itself tells, tire.forces(solution)"
        )
    if given is None:
        if name not in layout.pairs:
            raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames; say on which frame, frame=…")
        frame = layout.pairs[name].b
    else:
        frame = names.key_name(solution, given)
        if frame not in layout.frames and frame not in layout.spatial:
            raise checks.unknown(frame, (*layout.frames, *layout.spatial), "frame", solution.where)
    values = solution.source.node_force(solution, name, frame)
    if frame in layout.spatial:
        place = layout.spatial[frame]
        q, _, _ = names.spatial_node_columns(solution, place)
        turn = rotation_of(q[:, 3:])
        force = values[:, :3].copy()
        return force, turn.apply(values[:, 3:]) - np.cross(turn.apply(place.offset), force)
    planar = layout.frames[frame]
    turn_angle = names.node_columns(solution, planar.numbers)[:, 2]
    c, s = np.cos(turn_angle), np.sin(turn_angle)
    ux, uy, _ = planar.offset
    moment = values[:, 2] - (c * ux - s * uy) * values[:, 1] + (s * ux + c * uy) * values[:, 0]
    return values[:, :2].copy(), moment
