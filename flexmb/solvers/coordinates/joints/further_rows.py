"""The constraint rows beyond the joints of the tree: rows of joints that close loops, of drives, gears and wheels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from flexmb.formulations.tree.inertial import Share, plan_of
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.joints.bearing import Bearing, no_bearing
from flexmb.solvers.coordinates.joints.joint_friction import no_plan
from flexmb.system.plan import ROW_AT, ROWS, Plan
from flexmb.system.system import System


@by_reference
class FurtherRows(NamedTuple):
    """The e further rows: the `plan` of their groups, their indices `numbers` (e,) in the system, the scales of all
    rows of the system, `scale` (m,), and the links and joints on which they act, `bearing`; at most `rank` of them are
    independent of one another where the mechanism is closed. `closed` is 1 if ends of steps have to be projected onto
    constraint rows, these or others; `meets` is 1 if that is done in joint coordinates
    (:mod:`flexmb.solvers.coordinates.joints.onto_rows`).

    Multipliers `mu` (e,); `matrix` (e, e) of the responses of the tree, its factors `solved` with their `order` (2 e,)
    and their number pivots[0], and scratch x (e,); the `response` (e, nv) to each row, if the formulation has no
    halves.
    """

    plan: Plan
    numbers: np.ndarray
    scale: np.ndarray
    bearing: Bearing
    rank: int
    closed: int
    meets: int
    mu: np.ndarray
    matrix: np.ndarray
    solved: np.ndarray
    order: np.ndarray
    pivots: np.ndarray
    x: np.ndarray
    response: np.ndarray


def further_rows(
    plan: Plan, numbers: np.ndarray, scale: np.ndarray, are: tuple[bool, bool], rank: int, nv: int, bearing: Bearing
) -> FurtherRows:
    """The rows of a plan with the given indices, for a tree with nv speeds; `are`: the values of `closed` and
    `meets`."""
    e = len(numbers)
    matrix, solved = np.zeros((2, e, e))
    return FurtherRows(
        plan, numbers, scale, bearing, rank, int(are[0]), int(are[1]), np.zeros(e), matrix, solved,
        np.zeros(2 * e, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(e), np.zeros((e, nv)),
    )  # fmt: skip


@cache
def no_rows() -> FurtherRows:
    """An empty FurtherRows: the tree has all rows."""
    return further_rows(no_plan(), np.zeros(0, dtype=np.int64), np.zeros(0), (False, False), 0, 0, no_bearing())


def rows_beyond(
    system: System, tree: Tree, takes_loops: bool, followed: np.ndarray, loose: Sequence[int] | np.ndarray = ()
) -> tuple[Plan, np.ndarray]:
    """The plan and the indices (e,) of the rows that belong neither to a joint of the tree nor to a follower, nor, if
    the formulation handles closed loops (`takes_loops`), to a joint that closes one. The rows `loose`, of loose
    coordinates, are in the plan but not among the indices."""
    names, counted = {*tree.joints, *(tree.chords if takes_loops else ())}, {*np.asarray(loose).tolist()}
    follow = set(followed.tolist())
    known = {*follow, *tree.rows_of_places(), *counted}
    numbers = [k for k, row in enumerate(system.rows) if row.owner not in names and k not in known]
    within = {(place.share.group, place.share.place) for place in tree.graph.places}
    shares = [
        share
        for share in tree.graph.shares
        if share.constrains and (share.group, share.place) not in within
        if not follow.issuperset(rows := _rows_of(system.plan, share))
        if share.owner.name not in names or not counted.isdisjoint(rows)
    ]
    return plan_of(system.plan, shares)._replace(friction=0), np.array(numbers, dtype=np.int64)


def _rows_of(plan: Plan, share: Share) -> list[int]:
    """The indices of the rows of an instance; −1 for rows that are left out."""
    width = plan.groups[share.group, ROWS]
    first = int(plan.groups[share.group, ROW_AT] + share.place * width)
    found: list[int] = plan.rows[first : first + int(width)].tolist()
    return found
