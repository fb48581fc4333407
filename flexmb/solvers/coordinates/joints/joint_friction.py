"""Data of joints whose friction depends on their own forces, for runs in joint coordinates."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.joints.followers import Followers
from flexmb.system.kernel_calls import FRICTION
from flexmb.system.plan import COUNT, KERNEL_AT, N_COLUMNS, ROW_AT, ROWS, Plan
from flexmb.system.searching import no_near
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System


@by_reference
class RubbingWork(NamedTuple):
    """Scratch of Newton's method for k multipliers: the forces without friction, `acting`, the friction `force`,
    `other` friction near it, and accelerations `a`, all (total,); D = ∂F/∂λ (k, total); C (k, k), the change of the
    errors per multiplier; the factors J of 1 − C with the `order` of their rows; the errors `off` (k,), and `base`
    (k,), the errors at the present friction. J has to be computed anew if `memory` is not 0."""

    acting: np.ndarray
    force: np.ndarray
    other: np.ndarray
    a: np.ndarray
    D: np.ndarray
    C: np.ndarray
    J: np.ndarray
    order: np.ndarray
    off: np.ndarray
    base: np.ndarray
    memory: np.ndarray


@by_reference
class Rubbing(NamedTuple):
    """The k multipliers on which friction depends (:mod:`flexmb.solvers.coordinates.joints.joint_rates`).

    `whole`: the plan of the system; `rows` (k,): the indices of their rows; `place` (m,): for each row its index among
    these, −1 if friction does not depend on it. If the row belongs to a coordinate that may stick, `state` (k,) is the
    index among the parameters of the plan of the state of its friction, `own` (k,) the index of that coordinate, and
    `speed` (k,) the index of the joint speed that is its rate; else −1.

    `lam` (m,): the multipliers that were computed last; `found` (m,): the multipliers that follow from the present
    friction.
    """

    whole: Plan
    rows: np.ndarray
    place: np.ndarray
    state: np.ndarray
    own: np.ndarray
    speed: np.ndarray
    lam: np.ndarray
    found: np.ndarray
    work: RubbingWork


def no_plan() -> Plan:
    """An empty plan."""
    shapes = {"groups": (0, N_COLUMNS), "orientations": (0, 2)}
    whole = ("groups", "numbers", "rows", "at_speed", "kmap", "gmap", "orientations")
    given: dict[str, Any] = {
        f: np.zeros(shapes.get(f, (0,)), dtype=np.int64 if f in whole else float) for f in Plan._fields[:8]
    }
    return Plan(**given | dict.fromkeys(Plan._fields[8:-1], 0), near=no_near())


@cache
def no_rubbing() -> Rubbing:
    """An empty Rubbing: no friction depends on joint forces."""
    return _room(no_plan(), np.zeros(0, dtype=np.int64), 0, 0)


def _room(plan: Plan, rows: np.ndarray, m: int, total: int) -> Rubbing:
    k = len(rows)
    place = np.full(m, -1, dtype=np.int64)
    place[rows] = np.arange(k)
    state, own, speed = np.full((3, k), -1, dtype=np.int64)
    (acting, force, other, accelerations), (C, J), (off, base) = (np.zeros(n) for n in ((4, total), (2, k, k), (2, k)))
    order = np.zeros(k, dtype=np.int64)
    work = RubbingWork(
        acting, force, other, accelerations, np.zeros((k, total)), C, J, order, off, base, memory=np.ones(1)
    )
    return Rubbing(plan, rows, place, state, own, speed, np.zeros(m), np.zeros(m), work)


def rubbing_of(system: System, tree: Tree, followers: Followers) -> Rubbing:
    """The multipliers on which the friction of a system depends, and memory for them."""
    plan = system.plan
    read: set[int] = set()
    for group in plan.groups:
        if group[KERNEL_AT + FRICTION]:
            read.update(plan.rows[group[ROW_AT] :][: group[COUNT] * group[ROWS]].tolist())
    rows = np.array(sorted(read - {-1}), dtype=np.int64)
    rubbing = _room(plan, rows, system.m, plan.total)
    for series, at in sticking_places(system.assembly, plan):
        row, number = int(np.searchsorted(system.kept, series.rows[0, -1])), int(series.coordinates.v[0, -1])
        k = rubbing.place[row]
        rubbing.state[k], rubbing.own[k], rubbing.speed[k] = at, number, _speed_of(tree, followers, number)
    return rubbing


def _speed_of(tree: Tree, followers: Followers, number: int) -> int:
    """The index of the joint speed that is the rate of a coordinate of the system, −1 if its rate consists of several
    speeds."""
    own = np.flatnonzero(tree.nodes.own == number)
    if len(own):
        return int(tree.arrays.joints.at_v[own[0]])
    k = next(iter(np.flatnonzero(followers.follower == number).tolist()), -1)
    if k < 0:
        return tree.nv + int(np.flatnonzero(followers.loose == number)[0])
    parts = followers.of_speed[followers.begins[k] : followers.begins[k + 1]]
    return int(parts[0]) if len(parts) == 1 else -1
