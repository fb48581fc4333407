"""The error for links that a joint can move without any inertia, with what there is to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.tree.tree import Tree
from flexmb.formulations.tree.turns import parallel_axes

#: two axes count as parallel if the sine of their angle is below this
PARALLEL = 1e-6


def without_inertia(tree: Tree, status: int, where: str, q: np.ndarray, room: Any) -> FormulationError:
    """The error for a link that its joint can move without any inertia at joint coordinates q (nq,); `status` is what a
    formulation with the workspace `room` returned."""
    blocks = getattr(room, "blocks", None)  # of assembly
    link, joint = tree.links[status - 1], tree.joints[status - 1]
    if blocks is not None and status - 1 in blocks.link[blocks.first[:-1][blocks.base > 0]]:
        return FormulationError(
            f"{where}: the block of links that begins at {link!r}, as a body of its own, has no inertia against some "
            "motion in this position; give its links moments of inertia about all axes, take larger blocks, "
            "fm.Hybrid(block=…), or 'aba' or 'lagrange', which ask for none where joints hold them"
        )
    if tree.arrays.place_of[status - 1] >= 0:
        others = " or ".join(repr(name) for name, kind in FORMULATIONS.items() if not kind.takes_loops)
        return FormulationError(
            f"{where}: assembly takes what stands at {link!r}, a place within a beam, for a body of its own, which has "
            f"no inertia against all motions; give it mass and moments of inertia about all axes, or take {others}, "
            f"which ask for none there{_of_beams(tree)}"
        )
    if parallel_axes(tree.arrays.joints, q, PARALLEL) == status - 1:
        return FormulationError(
            f"{where}: the first and the last axis of the Euler angles of joint {joint!r} are parallel, so that their "
            "rates are not determined; take quaternions, as trees without euler_angles do"
        )
    return FormulationError(
        f"{where}: link {link!r}, with all that it carries, has no inertia against a motion that joint {joint!r} "
        f"allows; give it mass, or a moment of inertia about that axis{_of_beams(tree)}"
    )


def _of_beams(tree: Tree) -> str:
    """For a tree with beams, the other possible cause of a singular inertia: coinciding ends, as at coordinates that
    are all zero."""
    return (
        "; or the ends of a beam coincide at this q (tree.start() is where the model stands)"
        if tree.graph.groups
        else ""
    )
