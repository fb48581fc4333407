"""Forces of joints on frames, and whether the motion determines them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
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


class Reactions(metaclass=AnswersCalls):
    """The forces of the joints of a :class:`~flexmb.results.solution.Solution`."""

    def reaction(self: Recorded, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, np.ndarray]:
        """Force (k, 2) [N] and moment (k,) [Nm], in space (k, 3) both, that a joint exerts on a frame (its frame b when
        `frame` is not given), at the origin of that frame, in the axes of the "ground"; with `axes` "joint" in those of
        the joint, which turn with its frame a (z is its axis in space, x in the plane); what has no axis in space, as a
        rod, has none.

        Where :meth:`unique_reactions` is False, they are the smallest that hold the mechanism.

        They are −Gᵀ λ of the joint on the frame's node, of a motor also the forces of its reducer and its rotor, moved
        to the frame's origin: M_frame = M_node − s × F, with s the frame's arm.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> force, moment = fm.simulate(build(), 0.1, step=0.01).reaction("hinge")
        >>> force[-1].round(2).tolist(), float(moment[-1])
        ([-0.91, 1.01], 0.0)
        """
        on, layout, name = _frame_of(self, joint, frame), self.layout, joint_name(self, joint)
        places, given = InLayout(layout), NodeForce(name, on)
        pair, axes_of, d = layout.pairs.get(name), None, layout.dimension
        e = np.eye(d)
        if checks.choice(axes, ("ground", "joint"), "axes", f"{self.where}, reaction") == "joint":
            if pair is None:
                raise NamingError(f"{self.where}: {name!r} is not a joint of two frames and has no axes")
            if d == 3 and pair.joint is None and not isinstance(pair.axis, tuple):
                raise NamingError(f"{self.where}: no axes of {name!r} are known; leave out axes='joint'")
            axes_of, e = places.blocks(pair.a), joint_frames(layout, name, {}).axes_on_a
        arm = layout.spatial[on].offset if d == 3 else layout.frames[on].offset
        blocks, forces = places.blocks(on), given.over(self)

        def parts(moment: bool) -> np.ndarray:
            of = [force_part(given, blocks, arm, row, moment, axes_of) for row in (e[:1] if moment and d == 2 else e)]
            return np.column_stack([one.over(self, given=forces) for one in of])

        moment = parts(True)
        return parts(False), moment[:, 0] if d == 2 else moment

    @cached_property
    def joints_not_unique(self: Recorded) -> list[str]:
        """Names of the joints whose forces the motion does not determine, since their rows repeat others; see
        :meth:`unique_reactions`."""
        rows = self.layout.rows
        return list(dict.fromkeys(rows[k][0] for k in self.source.rows_not_unique(self)))

    def unique_reactions(self: Recorded, joint: Any) -> bool:
        """Whether the motion determines the force and moment of a joint. Where constraint rows repeat one another it
        does not, as the load on each leg of a table with four; :meth:`reaction` then gives the smallest forces that
        hold the mechanism (least squares of all multipliers, moments divided by the model's length).

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).unique_reactions("hinge")
        True
        """
        return joint_name(self, joint) not in self.joints_not_unique

    def multipliers_of(self: Recorded, joint: Any) -> np.ndarray:
        """The multipliers (k, rows) of a joint's constraint rows.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).multipliers_of("hinge").shape
        (11, 2)
        """
        return self.multipliers[:, self.layout.rows_of(joint_name(self, joint))]


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
