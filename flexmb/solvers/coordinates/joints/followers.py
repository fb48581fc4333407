"""Coordinates without mass that belong to no joint of the tree: followers, such as counters of turns and rotors without
inertia, and loose coordinates, which a row of their own couples to the tree.

**Followers.** A row with such a coordinate s whose coefficients in joint coordinates are the same in all positions,

    g = c₀ s + cᵀ x + constant,

gives s = C x + constant for the whole run: s is computed from x, its row is satisfied exactly, and the force on s acts
on the joints. The row may contain other followers, as a rotor without inertia follows a counter of turns.

**Loose coordinates.** Where these coefficients change with the position, as for the counted angle between two bodies on
different branches, or where the row constrains speeds, as for the tread of a tire, s is integrated after the joint
coordinates. No other row contains s, so that the force f on it determines the multiplier, and the accelerations of the
links determine s̈,

    λ = −f/c₀,      s̈ = (γ − G a)/c₀        (G a over all other coordinates)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy

from flexmb.errors import FormulationError
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.model.ways import SPEEDS, TURN
from flexmb.system.sticking import nothing_sticks
from flexmb.system.system import System

#: Number of random positions in which the coefficients of rows are compared, and the largest distance [rad or m] of a
#: joint from its initial position in them.
LOOKED, AWAY = 3, 0.7
#: Coefficients below this fraction of the largest count as zero.
ZERO = 1e-9


@by_reference
class Followers(NamedTuple):
    """k followers: their indices in the system, `follower` (k,), and the indices of their rows, `followed` (k,). The
    nonzero entries of C for follower k are follows[e] at the joint speeds of_speed[e], e from begins[k] to begins[k +
    1] − 1; `more` (k,): the constants. `counted` (k,): the index of the speed of the turn that a follower counts, −1 if
    it does not follow a single turn. `position` (nv,): the index of the joint coordinate whose rate a speed is, else
    −1.

    l loose coordinates: their indices in the system, `loose` (l,), the indices of their rows, `loose_rows`, and their
    coefficients c₀ in these, `loose_by`.
    """

    follower: np.ndarray
    followed: np.ndarray
    begins: np.ndarray
    of_speed: np.ndarray
    follows: np.ndarray
    more: np.ndarray
    counted: np.ndarray
    position: np.ndarray
    loose: np.ndarray
    loose_rows: np.ndarray
    loose_by: np.ndarray


class _Follows(NamedTuple):
    """How a coordinate follows the joints by a row,  s = C x + constant:  `part` is C (nv,), `more` the constant."""

    row: int
    part: np.ndarray
    more: float


@cache
def no_followers() -> Followers:
    """No followers and no loose coordinates: the run is in the coordinates of the system."""
    whole, none = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Followers(whole, whole, whole, whole, none, none, whole, whole, whole, whole, none)


def followers_of(system: System, tree: Tree, where: str) -> Followers:
    """The followers and loose coordinates of a system with a tree. Raises a FormulationError for a coordinate that
    belongs to no joint and is neither of the two."""
    position, turning = _single(tree)
    unknown = np.flatnonzero(~tree.given)
    following: dict[int, _Follows] = {}
    counted: list[int] = []
    loose: list[tuple[int, int, float]] = []
    begins, speeds, parts = [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    if len(unknown):
        with nothing_sticks(system.assembly, system.plan):
            mass = abs(scipy.sparse.csc_array(system.mass_matrix(0.0, system.q0))).sum(axis=1)
        G = scipy.sparse.csr_array(system.jacobian(0.0, system.q0))
        rows = np.unique(G[:, unknown].nonzero()[0])
        seen = [_on_joints(system, tree, rows, unknown, k) for k in range(LOOKED)]
        column = {number: c for c, number in enumerate(unknown.tolist())}
        x, _ = tree.start()
        q, v, a = system.initial.copy(), *np.zeros((2, system.plan.total))
        tree.put(x, np.zeros(tree.nv), np.zeros(tree.nv), q, v, a)  # the given position may violate the tree's joints
        g, _, _ = system.constraint(0.0, q[: system.nq], system.v0)
        at = np.where(position >= 0, x[np.maximum(position, 0)], 0.0)
        light = unknown[mass[unknown] == 0.0]
        while found := {
            number: follows
            for number in np.setdiff1d(light, list(following)).tolist()
            if (follows := _follows(system, seen, rows, number, column, position, following, g, at))
        }:
            following |= found
    for number in np.setdiff1d(unknown, list(following)).tolist():
        k = _row_of_loose(seen, column[number]) if mass[number] == 0.0 else None
        if k is None:
            raise FormulationError(
                f"{where}: {system.names[number]!r} is a coordinate that no joint of the tree has, and that is not "
                "tied to it by one row without mass; leave formulation out, whose absolute coordinates take it"
            )
        loose.append((number, int(rows[k]), float(seen[0][0][k, column[number]])))
    outwards = dict(reversed(following.items()))  # followers of followers first: they pass their forces on
    for _, part, _ in outwards.values():
        of = np.flatnonzero(np.abs(part) > ZERO * np.abs(part).max())
        speeds.append(of)
        parts.append(part[of])
        begins.append(begins[-1] + len(of))
        counted.append(of[0] if len(of) == 1 and turning[of[0]] else -1)

    def whole(numbers: Sequence[int]) -> np.ndarray:
        return np.array(numbers, dtype=np.int64)

    return Followers(
        whole(list(outwards)), whole([one.row for one in outwards.values()]), np.array(begins), np.concatenate(speeds),
        np.concatenate(parts), np.array([one.more for one in outwards.values()], dtype=float), whole(counted), position,
        whole([number for number, _, _ in loose]), whole([row for _, row, _ in loose]),
        np.array([by for _, _, by in loose]),
    )  # fmt: skip


def _row_of_loose(seen: Any, own: int) -> int | None:
    """The index, among the rows seen, of the only row that contains the coordinate of column `own`, if its coefficient
    is the same in all positions and the row contains no other unknown coordinate; else None."""
    with_it = np.flatnonzero(np.any([entries[:, own] != 0.0 for entries, _ in seen], axis=0))
    if len(with_it) != 1 or np.count_nonzero(np.delete(seen[0][0][with_it[0]], own)):
        return None
    k = int(with_it[0])
    parts = [entries[k, own] for entries, _ in seen]
    return k if np.ptp(parts) <= ZERO * abs(parts[0]) else None


def _follows(
    system: System,
    seen: Any,
    rows: np.ndarray,
    number: int,
    column: dict[int, int],
    position: np.ndarray,
    following: dict[int, _Follows],
    g: np.ndarray,
    at: np.ndarray,
) -> _Follows | None:
    """How a coordinate follows the joints by a row whose other coordinates belong to joints or are followers; None if
    it does not. `column`: where the unknown coordinates stand in the rows seen; `g` (m,): the errors of the rows with
    the joints at `at` (nv,) and all else as in the model."""
    others = [c for other, c in column.items() if other != number and other not in following]
    used = {one.row for one in following.values()}
    for k in np.flatnonzero(seen[0][0][:, column[number]]).tolist():
        own, row = seen[0][0][k, column[number]], int(rows[k])
        if system.rows[row].level != "position" or row in used or np.any(seen[0][0][k, others]):
            continue
        parts = []
        for entries, on_joints in seen:
            through = (entries[k, column[other]] * one.part for other, one in following.items())
            parts.append(-sum(through, on_joints[k]) / entries[k, column[number]])
        size = np.abs(parts[0]).max(initial=0.0)
        same = all(np.abs(part - parts[0]).max() <= ZERO * max(size, 1.0) for part in parts)
        single = not np.any(np.abs(parts[0][position < 0]) > ZERO * size)
        if size > 0.0 and same and single:
            error = g[row] + sum(
                seen[0][0][k, column[other]] * (one.part @ at + one.more - system.initial[other])
                for other, one in following.items()
            )
            return _Follows(row, parts[0], system.initial[number] - error / own - parts[0] @ at)
    return None


def _on_joints(
    system: System, tree: Tree, rows: np.ndarray, unknown: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """G (r, u) of some rows at the `unknown` coordinates, and G B (r, nv), in random position k of the tree."""
    rng = np.random.default_rng(k)
    x, _ = tree.start()
    single, _ = _single(tree)
    at = single[single >= 0]
    x[at] += AWAY * rng.uniform(-1.0, 1.0, len(at))
    q, v, a = system.initial.copy(), *np.zeros((2, system.plan.total))
    tree.put(x, np.zeros(tree.nv), np.zeros(tree.nv), q, v, a)
    G = scipy.sparse.csr_array(system.jacobian(0.0, q[: system.nq]))[rows]
    B, none = np.zeros((tree.nv, system.n)), np.zeros(tree.nv)
    for own, u in zip(B, np.eye(tree.nv)):
        tree.put(x, u, none, q, v, a)
        own[:] = v[: system.n]
    return G[:, unknown].toarray(), G @ B.T


def _single(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """For each speed, the index of the joint coordinate whose rate it is, −1 if there is none; and whether this
    coordinate is the angle of a turn."""
    joints = tree.arrays.joints
    position, turning = np.full(joints.nv, -1, dtype=np.int64), np.zeros(joints.nv, dtype=bool)
    for kind, i, k in zip(joints.kind, joints.at_q, joints.at_v):
        if SPEEDS[kind] == 1:
            position[k], turning[k] = i, kind == TURN
    for i in range(joints.inner):
        position[joints.nv - 1 - i] = joints.nq - 1 - i
    return position, turning
