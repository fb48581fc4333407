"""Forces of joints on frames, and whether the motion determines them."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.model import checks, given_names
from flexmb.quantities.given import NodeForce
from flexmb.quantities.of_system import force_part
from flexmb.quantities.places import InLayout
from flexmb.results import names
from flexmb.results.asked import joint_frames
from flexmb.results.recorded import Recorded


def joint_name(solution: Recorded, joint: Any) -> str:
    """The name of a component that has constraint rows or reacts, given by name or as it is."""
    name = names.key_name(solution, joint)
    if name not in solution.layout.joints():
        raise given_names.unknown(name, solution.layout.joints(), "joint", solution.where)
    return name


def joints_not_unique(solution: Recorded) -> list[str]:
    """Names of the joints some of whose constraint rows have multipliers that the motion does not determine."""
    rows = solution.layout.rows
    return list(dict.fromkeys(rows[k][0] for k in solution.source.rows_not_unique(solution)))


def reaction(solution: Recorded, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, np.ndarray]:
    """Force and moment that a joint exerts on a frame, see :meth:`flexmb.Solution.reaction`."""
    on, layout, name = _frame_of(solution, joint, frame), solution.layout, joint_name(solution, joint)
    places, given = InLayout(layout), NodeForce(name, on)
    pair, axes_of, d = layout.pairs.get(name), None, layout.dimension
    e = np.eye(d)
    if checks.choice(axes, ("ground", "joint"), "axes", f"{solution.where}, reaction") == "joint":
        if pair is None:
            raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames and has no axes")
        if d == 3 and pair.joint is None and not isinstance(pair.axis, tuple):
            raise NamingError(f"{solution.where}: no axes of {name!r} are known; leave out axes='joint'")
        axes_of, e = places.blocks(pair.a), joint_frames(layout, name, {}).axes_on_a
    arm = layout.spatial[on].offset if d == 3 else layout.frames[on].offset
    blocks, forces = places.blocks(on), given.over(solution)

    def parts(moment: bool) -> np.ndarray:
        of = [force_part(given, blocks, arm, row, moment, axes_of) for row in (e[:1] if moment and d == 2 else e)]
        return np.column_stack([one.over(solution, given=forces) for one in of])

    moment = parts(True)
    return parts(False), moment[:, 0] if d == 2 else moment


def _frame_of(solution: Recorded, joint: Any, given: Any) -> str:
    """The name of the frame on which a force is asked for."""
    name, layout = joint_name(solution, joint), solution.layout
    if not layout.has_reaction(name):
        raise NamingError(
            f"{solution.where}: {name!r} is a tire, whose constraint rows are the laws of its tread and put no force "
            "on frames; the forces of the road are those that the tire itself tells, tire.forces(solution)"
        )
    if given is None:
        if name not in layout.pairs:
            raise NamingError(f"{solution.where}: {name!r} is not a joint of two frames; say on which frame, frame=…")
        return layout.pairs[name].b
    frame = names.key_name(solution, given)
    if frame not in layout.frames and frame not in layout.spatial:
        raise given_names.unknown(frame, (*layout.frames, *layout.spatial), "frame", solution.where)
    return frame
