"""Forces along the joints of a tree: motors and torques in hinges, which need no positions and speeds of its links.

Such forces act on coordinates of the system that are the same combinations of joint coordinates in all positions,

    s = C x + constant,      τ = Cᵀ f

for a force f on s: coordinates that count the turns of joints or follow them, those that joints own, and in the plane
the angles of nodes, which are sums of turns. So f goes straight into the forces τ along the joints. Further rows that
couple such coordinates alone, as a joint that mimics another one, or a gear, need no positions of links either.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.model.ways import BALL, FREE, SLIDE, SPEEDS
from flexmb.solvers.coordinates.joints.followers import Followers
from flexmb.system.kernel_calls import CONSTRAINT, RESIDUAL, numbers_read
from flexmb.system.plan import Plan

#: Terms of a coordinate: the index of a joint speed, that of the joint coordinate whose rate it is, and the factor.
Terms = list[tuple[int, int, float]]


@by_reference
class AlongJoints(NamedTuple):
    """k coordinates of the system: their indices `number` (k,), the same in q and v, and the constants `more` (k,).
    Coordinate number[k] is the sum of factor[e] x[of_coordinate[e]], and its rate that of factor[e] u[of_speed[e]], e
    from begins[k] to begins[k + 1] − 1."""

    number: np.ndarray
    more: np.ndarray
    begins: np.ndarray
    of_speed: np.ndarray
    of_coordinate: np.ndarray
    factor: np.ndarray


@cache
def nothing_along() -> AlongJoints:
    """No coordinates."""
    return _arrays({})


def along_joints(plan: Plan, rows: Plan, tree: Tree, followers: Followers) -> AlongJoints | None:
    """The coordinates that the forces of a `plan` and the further `rows` read and act on; None if one of them is no
    constant combination of joint coordinates."""
    known = _angles(tree) | _own(tree) | _following(followers)
    of_forces, of_rows = numbers_read(plan, RESIDUAL), numbers_read(rows, CONSTRAINT)
    if of_forces is None or of_rows is None:
        return None
    used = {*of_forces.tolist(), *of_rows.tolist()} - {*range(plan.n, plan.total)}  # what is fixed needs no joints
    return _arrays({number: known[number] for number in known if number in used}) if used <= known.keys() else None


def _following(f: Followers) -> dict[int, tuple[Terms, float]]:
    """The terms and the constants of followers, by their indices in the system."""
    found = {}
    for k, number in enumerate(f.follower.tolist()):
        own = slice(f.begins[k], f.begins[k + 1])
        speeds = f.of_speed[own].tolist()
        found[number] = [*zip(speeds, f.position[speeds].tolist(), f.follows[own].tolist())], float(f.more[k])
    return found


def _own(tree: Tree) -> dict[int, tuple[Terms, float]]:
    """Those of coordinates that joints own."""
    nodes, joints = tree.nodes, tree.arrays.joints
    return {
        int(nodes.own[s]): ([(int(joints.at_v[s]), int(joints.at_q[s]), 1.0)], float(nodes.more[s]))
        for s in np.flatnonzero(nodes.own >= 0)
    }


def _angles(tree: Tree) -> dict[int, tuple[Terms, float]]:
    """Those of the angles of nodes in the plane, but of links that elastic ones carry or that are parts of these."""
    links, joints, nodes = tree.arrays, tree.arrays.joints, tree.nodes
    if nodes.dimension != 2:
        return {}
    turns: list[Terms | None] = []
    for k, parent in enumerate(links.parent.tolist()):
        before = [] if parent == GROUND else turns[parent]
        own = range(joints.first[k], joints.first[k + 1])
        kinds = [int(joints.kind[s]) for s in own]
        if before is None or links.group[k] != -1 or links.place_of[k] >= 0 or {BALL, FREE} & {*kinds}:
            turns.append(None)
            continue
        turning = [s for s, kind in zip(own, kinds) if kind != SLIDE and SPEEDS[kind] == 1]
        turns.append([*before, *((int(joints.at_v[s]), int(joints.at_q[s]), float(joints.sense[s])) for s in turning)])
    return {
        int(nodes.numbers_v[k, 2]): (terms, float(nodes.angle[k])) for k, terms in enumerate(turns) if terms is not None
    }


def _arrays(known: dict[int, tuple[Terms, float]]) -> AlongJoints:
    ends = np.cumsum([0, *(len(terms) for terms, _ in known.values())]).astype(np.int64)
    table = np.array([term for terms, _ in known.values() for term in terms], dtype=float).reshape(-1, 3)
    return AlongJoints(
        np.array(list(known), dtype=np.int64), np.array([more for _, more in known.values()], dtype=float), ends,
        table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2].copy(),
    )  # fmt: skip


# -- compiled --------------------------------------------------------------------------------------------------------


@called(None)
def put_along(known, r, tau):
    """Convert forces −r (total,) on these coordinates, where there are no others, to forces τ (nv,) along the
    joints."""
    tau[:] = 0.0
    for k in range(known.number.shape[0]):
        for entry in range(known.begins[k], known.begins[k + 1]):
            tau[known.of_speed[entry]] -= known.factor[entry] * r[known.number[k]]


@called(None)
def put_known(known, x, u, q, v):
    """Fill these coordinates in q and v of the system from joint coordinates x and speeds u."""
    for k in range(known.number.shape[0]):
        place, rate = known.more[k], 0.0
        for entry in range(known.begins[k], known.begins[k + 1]):
            place += known.factor[entry] * x[known.of_coordinate[entry]]
            rate += known.factor[entry] * u[known.of_speed[entry]]
        q[known.number[k]] = place
        v[known.number[k]] = rate
