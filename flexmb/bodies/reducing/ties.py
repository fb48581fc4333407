"""Interfaces: frames tied to nodes of a body, rigidly or on average, and what a tie does at second order.

A rigid tie (RBE2) moves its nodes by u_a = t + θ × y_a, and its six coordinates (t, θ) replace theirs. A tie on average
(RBE3) leaves the nodes free and moves by (t, θ) = (Bᵀ w B)⁻¹ Bᵀ w u with B_a = (1, −ỹ_a). A frame that turns by a
finite angle moves nodes that follow it by ½ θ̃ θ̃ y besides, and nodal forces g do the work on it

    ½ θᵀ W θ,   W = ½ (D + Dᵀ) − tr D 1,   D = Σ g_a y_aᵀ
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.bodies.full_models.full_model import FullModel, turned_by_units
from flexmb.bodies.full_models.node_sets import numbers_of
from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls

#: part of the largest singular value of a tie below which its nodes lie in a line
IN_LINE = 1e-6


@dataclass(frozen=True, eq=False)
class Tie(metaclass=AnswersCalls):
    """How an interface is tied to a body, as a user says it.

    Arguments: `nodes`, a set of nodes: by :func:`in_box`, :func:`on_plane`, :func:`on_cylinder` or :func:`nearest`, by
    the name of a set of the mesh or several names, or their numbers, of a mesh those that it has for its points;
    `position` (d,) [m] of the frame in the axes of the mesh, the mean of its nodes if not given; `orientation` (d, d),
    its axes as columns, the axes of the mesh if not given; `average`: nodes stay free and the frame is their mean
    (RBE3), in place of a rigid tie (RBE2); `weights` of the nodes in that mean (k,), in the order in which numbers were
    given, of other sets in that of their numbers, all alike if not given.

    >>> Tie("bore", average=True).average
    True
    """

    nodes: Any
    position: Any = None
    orientation: Any = None
    average: bool = False
    weights: Any = None


@dataclass(frozen=True, eq=False)
class TiedSet:
    """A tie with its numbers: its `nodes` (k,); `place` (d,) and `axes` (d, d) of its frame; `rows` (m,), the
    coordinates of its nodes; `arms` (m, d), y of each; `directions` (m,); `map` B (m, 6), so that they move by B (t,
    θ); `mean` (6, m), (t, θ) of their displacements on average; `rigid`: whether B holds for them."""

    name: str
    nodes: np.ndarray
    place: np.ndarray
    axes: np.ndarray
    rows: np.ndarray
    arms: np.ndarray
    directions: np.ndarray
    map: np.ndarray
    mean: np.ndarray
    rigid: bool

    def second_order(self, forces: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Work on Θ_ij of the ½ (θ̃_i θ̃_j + θ̃_j θ̃_i) y by forces on its coordinates (m, l): (l, n, n), for turns
        (r, n) of the frame."""
        d = self.arms.shape[1]
        D = np.zeros((forces.shape[1], d, d))
        for x in range(d):
            at = self.directions == x
            D[:, x] = forces[at].T @ self.arms[at]
        trace = np.trace(D, axis1=1, axis2=2)
        if d == 2:
            return np.asarray(-trace[:, None, None] * np.outer(turns[0], turns[0]))
        W = 0.5 * (D + D.transpose(0, 2, 1)) - trace[:, None, None] * np.eye(3)
        return np.asarray(turns.T @ W @ turns)


def tied_sets(model: FullModel, given: Mapping[str, Any], *, followers: bool = False) -> list[TiedSet]:
    """The ties of the interfaces `given` by names; `followers`: frames that follow the body as a mean of nodes."""
    result = []
    for name, tie in given.items():
        where = f"body {model.name!r}, interface {checks.quoted(given_names.name(name, 'an interface'))}"
        result.append(_tied(model, name, tie if isinstance(tie, Tie) else Tie(tie), where, followers))
    taken: dict[int, str] = {}
    for one in result:
        if one.rigid:
            shared = [int(a) for a in one.nodes if a in taken]
            if shared:
                raise ModelError(
                    f"body {model.name!r}: {len(shared)} nodes, such as {shared[0]}, are tied rigidly to the "
                    f"interfaces {taken[shared[0]]!r} and {one.name!r}; give each node "
                    "to one of them, or tie one by average=True"
                )
            taken |= {int(a): one.name for a in one.nodes}
    return result


def weighted_nodes(model: FullModel, chosen: Any, weights: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of chosen nodes, in rising order, and their weights, all alike if not given."""
    nodes = numbers_of(chosen, model.nodes, model.sets, where, model.points)
    found = np.ones(len(nodes)) if weights is None else checks.vector(weights, "weights", where, len(nodes))
    if np.any(found <= 0.0):
        raise ModelError(f"{where}: a weight is {found.min():g}; all must be positive")
    order = np.argsort(nodes)
    return nodes[order], found[order]


def _tied(model: FullModel, name: str, tie: Tie, where: str, follower: bool) -> TiedSet:
    d = model.dimension
    nodes, weights = weighted_nodes(model, tie.nodes, tie.weights, where)
    places = model.nodes[nodes]
    center = weights @ places / np.sum(weights)
    place = center if tie.position is None else checks.vector(tie.position, "position", where, d)
    axes = np.eye(d) if tie.orientation is None else checks.matrix(tie.orientation, "orientation", where)
    rows = np.flatnonzero(np.isin(model.node_of, nodes))
    moving = model.direction_of[rows] < d
    size = max(float(np.max(np.ptp(places, axis=0))), 1e-12 * float(np.max(np.abs(model.nodes))), 1e-30)
    if _in_line(_map_of(model, rows[moving], center), size, d):
        if np.all(moving) or _in_line(_map_of(model, rows, center), max(size, 1.0), d):
            raise ModelError(
                f"{where}: its {len(nodes)} nodes {'are too few or ' if len(nodes) < 3 else ''}lie in a line, so that "
                "they do not say how it turns; give three nodes or more that do not"
            )
    elif tie.average or follower:
        rows = rows[moving]  # rotations of nodes take no part in a mean of several
    B = _map_of(model, rows, place)
    w = weights[np.searchsorted(nodes, model.node_of[rows])]
    mean = np.linalg.solve(B.T @ (w[:, None] * B), (w[:, None] * B).T)
    arms = model.nodes[model.node_of[rows]] - place
    rigid = not (tie.average or follower)
    return TiedSet(name, nodes, place, axes, rows, arms, model.direction_of[rows], B, mean, rigid)


def _map_of(model: FullModel, rows: np.ndarray, place: np.ndarray) -> np.ndarray:
    """B (m, 6): what translation and turn of a frame at `place` do to coordinates."""
    d = model.dimension
    direction = model.direction_of[rows]
    turned = turned_by_units(model.nodes[model.node_of[rows]] - place)
    B = np.zeros((len(rows), d + turned.shape[2]))
    B[np.arange(len(rows)), direction] = 1.0
    moving = direction < d
    B[moving, d:] = turned[moving, direction[moving]]
    return B


def _in_line(B: np.ndarray, size: float, d: int) -> bool:
    scaled = B / np.array([1.0] * d + [size] * (B.shape[1] - d))
    if len(B) < B.shape[1]:
        return True
    values = np.linalg.svd(scaled, compute_uv=False)
    return bool(values[-1] < IN_LINE * values[0])


def eliminated(model: FullModel, ties: list[TiedSet]) -> scipy.sparse.csr_matrix:
    """G (n, n'), by which the coordinates left after rigid ties move all: u = G c. The coordinates of nodes without a
    rigid tie come first, those of the interfaces in turn behind them."""
    rigid = [tie for tie in ties if tie.rigid]
    n = len(model.node_of)
    free = np.ones(n, dtype=bool)
    for tie in rigid:
        free[tie.rows] = False
    kept = np.flatnonzero(free)
    rows, columns, values, at = [kept], [np.arange(len(kept))], [np.ones(len(kept))], len(kept)
    for tie in rigid:
        r, c = np.nonzero(tie.map)
        rows.append(tie.rows[r])
        columns.append(at + c)
        values.append(tie.map[r, c])
        at += tie.map.shape[1]
    entries = (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_matrix((np.concatenate(values), entries), shape=(n, at))
