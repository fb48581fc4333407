"""Coordinates without mass that follow the joints of a tree: counters of turns, rotors without inertia; and loose ones,
which a row of their own ties to its motion in another way.

A row that has such a coordinate s in it, and whose part on the joints is the same in all positions,

    g = c₀ s + cᵀ x + constant,

makes it s = C x + constant for good: it is read off, its row holds by itself, and the force on it acts on the joints.
In its row there may be others that follow joints themselves, as a rotor without inertia follows a counter of turns.

Where that part changes, as for the counted angle of two bodies on different branches, or where the row is one of
speeds, as for the tread of a tyre, the coordinate is loose: it is carried behind the joint coordinates. No other row
has it in it, so that the force f on it is the multiplier, and its acceleration follows from those of the links,

    λ = −f/c₀,      s̈ = (γ − G a)/c₀        (G a of all others)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.errors import FormulationError
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.references import by_reference
from flexmb.model.ways import SPEEDS, TURN
from flexmb.system.sticking import nothing_sticks
from flexmb.system.system import System

#: positions in which a row is looked at, and how far from zero joints are in them
LOOKED, AWAY = 3, 0.7
#: parts of the largest number that are taken for zero
ZERO = 1e-9


@by_reference
class Followers(NamedTuple):
    """The numbers in the system of k coordinates, those of their rows, C by its entries (their speeds and numbers, of
    coordinate k those from begins[k] to begins[k + 1]), the constants (k,), and the number of the speed of the turn
    that each counts, −1 if it is not one turn alone; `position` (nv,) are the numbers among joint coordinates whose
    rates the single speeds are, else −1. Of coordinates that are `loose` (l,), by their numbers in the system, those of
    their rows and their parts c₀ of these, `loose_rows` and `loose_by`."""

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
    """By which row a coordinate follows the joints:  s = C x + constant,  C its `part` (nv,), `more` the constant."""

    row: int
    part: np.ndarray
    more: float


@cache
def no_followers() -> Followers:
    """Those of coordinates that are the system's own."""
    whole, none = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Followers(whole, whole, whole, whole, none, none, whole, whole, whole, whole, none)


def followers_of(system: System, tree: Tree, where: str) -> Followers:
    """The followers of a tree; a FormulationError for a coordinate that is neither of a joint nor follows joints."""
    nodes = tree.nodes
    known = np.zeros(system.n, dtype=bool)
    for numbers in (nodes.numbers_v.ravel(), nodes.own[nodes.own >= 0], nodes.inner):
        known[numbers] = True
    position, turning = _single(tree)
    unknown = np.flatnonzero(~known)
    following: dict[int, _Follows] = {}
    counted: list[int] = []
    loose: list[tuple[int, int, float]] = []
    begins, speeds, parts = [0], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    if len(unknown):
        with nothing_sticks(system.assembly, system.plan):
            mass = abs(sp.csc_array(system.mass_matrix(0.0, system.q0))).sum(axis=1)
        G = sp.csr_array(system.jacobian(0.0, system.q0))
        rows = np.unique(G[:, unknown].nonzero()[0])
        seen = [_on_joints(system, tree, rows, k) for k in range(LOOKED)]
        x, _ = tree.start()
        q, v, a = system.initial.copy(), *np.zeros((2, system.plan.total))
        tree.put(x, np.zeros(tree.nv), np.zeros(tree.nv), q, v, a)  # given positions may miss the joints of the tree
        g, _, _ = system.constraint(0.0, q[: system.nq], system.v0)
        at = np.where(position >= 0, x[np.maximum(position, 0)], 0.0)
        light = unknown[mass[unknown] == 0.0]
        while found := {
            number: follows
            for number in np.setdiff1d(light, list(following)).tolist()
            if (follows := _follows(system, seen, rows, number, unknown, position, following, g, at))
        }:
            following |= found
    for number in np.setdiff1d(unknown, list(following)).tolist():
        k = _row_of_loose(seen, number, unknown) if mass[number] == 0.0 else None
        if k is None:
            raise FormulationError(
                f"{where}: {system.names[number]!r} is a coordinate that no joint of the tree has, and that is not "
                "tied to it by one row without mass; leave formulation out, whose absolute coordinates take it"
            )
        loose.append((number, int(rows[k]), float(seen[0][0][k, number])))
    outwards = dict(reversed(following.items()))  # those that follow others stand before these, as forces are handed on
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


def _row_of_loose(seen: Any, number: int, unknown: np.ndarray) -> int | None:
    """The row, by its place among those seen, that alone has a coordinate in it, with one part in all positions, and no
    other such coordinate."""
    with_it = np.unique(np.concatenate([own[:, [number]].nonzero()[0] for own, _ in seen]))
    others = np.setdiff1d(unknown, [number])
    if len(with_it) != 1 or seen[0][0][with_it][:, others].count_nonzero():
        return None
    k = int(with_it[0])
    parts = [own[k, number] for own, _ in seen]
    return k if np.ptp(parts) <= ZERO * abs(parts[0]) else None


def _follows(
    system: System,
    seen: Any,
    rows: np.ndarray,
    number: int,
    unknown: np.ndarray,
    position: np.ndarray,
    following: dict[int, _Follows],
    g: np.ndarray,
    at: np.ndarray,
) -> _Follows | None:
    """How a coordinate follows the joints, by a row in which all others do so already. `g` (m,): the errors of rows
    with the joints at `at` (nv,) and all else as in the model."""
    others = np.setdiff1d(unknown, [number, *following])
    used = {one.row for one in following.values()}
    for k, row in enumerate(rows.tolist()):
        own = seen[0][0][k, number]
        if own == 0.0 or system.rows[row].level != "position" or row in used:
            continue
        parts = []
        for entries, on_joints in seen:
            through = (entries[k, other] * one.part for other, one in following.items())
            parts.append(-sum(through, on_joints[k]) / entries[k, number])
        size = np.abs(parts[0]).max(initial=0.0)
        same = all(np.abs(part - parts[0]).max() <= ZERO * max(size, 1.0) for part in parts)
        single = not np.any(np.abs(parts[0][position < 0]) > ZERO * size)
        if size > 0.0 and same and single and not seen[0][0][[k]][:, others].count_nonzero():
            error = g[row] + sum(
                seen[0][0][k, other] * (one.part @ at + one.more - system.initial[other])
                for other, one in following.items()
            )
            return _Follows(row, parts[0], system.initial[number] - error / own - parts[0] @ at)
    return None


def _on_joints(system: System, tree: Tree, rows: np.ndarray, k: int) -> tuple[Any, np.ndarray]:
    """Some rows of G (r, n), and of G B (r, nv), in a position of the tree."""
    rng = np.random.default_rng(k)
    x, _ = tree.start()
    single, _ = _single(tree)
    at = single[single >= 0]
    x[at] += AWAY * rng.uniform(-1.0, 1.0, len(at))
    q, v, a = system.initial.copy(), *np.zeros((2, system.plan.total))
    tree.put(x, np.zeros(tree.nv), np.zeros(tree.nv), q, v, a)
    G = sp.csr_array(system.jacobian(0.0, q[: system.nq]))[rows]
    on_joints = np.zeros((len(rows), tree.nv))
    for i in range(tree.nv):
        u = np.zeros(tree.nv)
        u[i] = 1.0
        tree.put(x, u, np.zeros(tree.nv), q, v, a)
        on_joints[:, i] = G @ v[: system.n]
    return G, on_joints


def _single(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """For each speed the number of the joint coordinate whose rate it is, −1 if there is none; whether that is a
    turn."""
    links = tree.arrays
    position, turning = np.full(links.nv, -1, dtype=np.int64), np.zeros(links.nv, dtype=bool)
    for kind, i, k in zip(links.kind, links.at_q, links.at_v):
        if SPEEDS[kind] == 1:
            position[k], turning[k] = i, kind == TURN
    for i in range(links.inner):
        position[links.nv - 1 - i] = links.nq - 1 - i
    return position, turning
