"""Joints whose friction follows from their own forces, as runs in joint coordinates know them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.solvers.joint_motion.followers import Followers
from flexmb.system.kernel_calls import FRICTION
from flexmb.system.plan import COUNT, KERNEL_AT, N_COLUMNS, ROW_AT, ROWS, Plan
from flexmb.system.searching import no_near
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System


@by_reference
class RubbingWork(NamedTuple):
    """Scratch of Newton's method for k multipliers: `acting` forces without friction, `force` friction, `other`
    friction near by, `a` accelerations, all (total,); D (k, total) is ∂F/∂λ, C (k, k) what follows from it, J the
    matrix with the order of its rows; `off` (k,) errors, `base` (k,) those of the forces as they are; where `memory` is
    not 0 J is to be made anew."""

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
    """The k multipliers that friction reads (:mod:`flexmb.solvers.joint_motion.joint_rates`).

    `whole` is the plan of the system, `rows` (k,) are the numbers of the rows, and `place` (m,) says which of them a
    row is, −1 if friction does not read it. Where a row is that of a coordinate that may stick, `state` (k,) is the
    place of what its friction does among the parameters of the plan, `own` (k,) the number of that coordinate, and
    `speed` (k,) that of the joint speed that is its rate; else −1.

    `lam` (m,) are the multipliers that were found last, `found` (m,) those that follow from friction by others."""

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
    """What stands for a plan where there is none."""
    shapes = {"groups": (0, N_COLUMNS), "orientations": (0, 2)}
    whole = ("groups", "numbers", "rows", "at_speed", "kmap", "gmap", "orientations")
    given: dict[str, Any] = {
        f: np.zeros(shapes.get(f, (0,)), dtype=np.int64 if f in whole else float) for f in Plan._fields[:8]
    }
    return Plan(**given | dict.fromkeys(Plan._fields[8:-1], 0), near=no_near())


@cache
def no_rubbing() -> Rubbing:
    """What stands in its place where no friction follows from forces of joints."""
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
    """For a system with its tree."""
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
    """The number of the joint speed that is the rate of a coordinate of the system, −1 if that has parts of more."""
    own = np.flatnonzero(tree.nodes.own == number)
    if len(own):
        return int(tree.arrays.at_v[own[0]])
    k = next(iter(np.flatnonzero(followers.follower == number).tolist()), -1)
    if k < 0:
        return tree.nv + int(np.flatnonzero(followers.loose == number)[0])
    parts = followers.of_speed[followers.begins[k] : followers.begins[k + 1]]
    return int(parts[0]) if len(parts) == 1 else -1
