"""Bodies from stiffness and mass matrices of another program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import GENERALIZED, FullModel, MassField
from flexmb.bodies.full_models.node_sets import numbers_of
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.nodal_loads import NodalLoad
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.hints import answers_calls

#: blocks of M that must be alike for masses of points, within this part of the largest entry
ALIKE = 1e-9


@answers_calls
def from_matrices(
    K: Any,
    M: Any,
    nodes: Any,
    node_of: Any = None,
    direction_of: Any = None,
    sets: Mapping[str, Any] | None = None,
    *,
    interfaces: Mapping[str, Any],
    followers: Mapping[str, Any] | None = None,
    loads: Mapping[str, NodalLoad] | None = None,
    modes: int = 20,
    reduction: Reduction | None = None,
    name: str = "body",
) -> ReducedBody:
    """A reduced body from the matrices of another program, in SI units and in the axes of the nodes.

    Matrices alone do not say how stresses stiffen the body, so its field is linear. Masses and inertias of nodes and of
    elements move and turn with the modes; coordinates of an earlier reduction have no places, so that a body with them
    does not know how its inertia changes when it deforms.

    Arguments: `K` and `M`, dense or sparse (n, n), of the body without supports; `nodes` (N, d) [m]; `node_of` and
    `direction_of` (n,), the node of each coordinate, counted from 0, and its direction: translations 0, 1, 2 and
    rotations 3, 4, 5, in the plane 0, 1 and 2; both may be left out where the nodes in turn have all their
    translations, or all of translations and rotations; node −1 stands for coordinates of modes that an earlier
    reduction left; `sets`, nodes by names, counted from 0, by which interfaces may call them. The others are as for
    :func:`from_mesh`.

    >>> nodes = np.array([(0, 0), (1, 0), (0, 1)])
    >>> K = np.zeros((6, 6))
    >>> for a, b in ((0, 1), (1, 2), (2, 0)):  # three bars
    ...     bar = np.zeros((3, 2))
    ...     bar[b] = (nodes[b] - nodes[a]) / np.linalg.norm(nodes[b] - nodes[a])
    ...     bar[a] = -bar[b]
    ...     K += 1e4 * np.outer(bar, bar)
    >>> from_matrices(K, np.eye(6), nodes, interfaces={}, modes=3).frequencies.round(3).tolist()
    [100.0, 141.421, 173.205]
    """
    model = matrix_model(K, M, nodes, node_of, direction_of, sets, name=name)
    return reduce(model, interfaces, modes, reduction, followers=followers, loads=loads)


@answers_calls
def matrix_model(
    K: Any, M: Any, nodes: Any, node_of: Any = None, direction_of: Any = None, sets: Mapping[str, Any] | None = None,
    *, name: str = "body",
) -> FullModel:  # fmt: skip
    """The full model of matrices, before any reduction; arguments as for :func:`from_matrices`.

    >>> matrix_model(np.zeros((6, 6)), np.eye(6), np.eye(3)[:2]).mass_field.matrix.diagonal().tolist()
    [1.0, 1.0]
    """
    where = f"body {given_names.name(name, 'a body')!r}"
    X = checks.matrix(nodes, "nodes", where)
    N, d = X.shape
    K, M = (checks.sparse_matrix(x, what, where) for x, what in ((K, "stiffness"), (M, "mass")))
    n = K.shape[0]
    if (node_of is None) != (direction_of is None):
        raise ModelError(f"{where}: it has one of node_of and direction_of; give both or none")
    if node_of is None:
        all_six = d + (3 if d == 3 else 1)
        per = next((per for per in (d, all_six) if per * N == n), None)
        if per is None:
            raise ModelError(
                f"{where}: its stiffness matrix has {n} rows, and its {N} nodes have {d * N} translations, or "
                f"{all_six * N} coordinates with rotations; give the matrix of these nodes, or node_of and direction_of"
            )
        node_of, direction_of = np.repeat(np.arange(N), per), np.tile(np.arange(per), N)
    node, direction = (_whole(x, what, where) for x, what in ((node_of, "node_of"), (direction_of, "direction_of")))
    highest = d + (3 if d == 3 else 1)
    if len(node) != n or len(direction) != n or np.any(node >= N) or np.any(node < -1):
        raise ModelError(
            f"{where}: node_of and direction_of have {len(node)} and {len(direction)} entries for {n} rows, of "
            f"nodes up to {int(np.max(node, initial=-1))} among {N}; give one node from 0 on, and one direction, for "
            "each row"
        )
    direction = np.where(node < 0, GENERALIZED, direction)
    if np.any((node >= 0) & ((direction < 0) | (direction >= highest))):
        raise ModelError(f"{where}: a direction is {int(np.max(direction))}; give one below {highest}")
    pairs, times = np.unique(np.stack([node, direction])[:, node >= 0], axis=1, return_counts=True)
    if np.any(times > 1):
        a, b = pairs[:, int(np.argmax(times))]
        raise ModelError(f"{where}: node {a} has the direction {b} more than once; give each coordinate one row")
    field, note = _points(M, X, node, direction, d)
    named = {
        given_names.name(key, "a set of nodes"): numbers_of(chosen, X, {}, f"{where}, set {checks.quoted(key)}")
        for key, chosen in checks.names_or_none(sets, "sets", where).items()
    }
    return FullModel(X, K, M, node, direction, field, sets=named, notes=(note,), name=name)


def _whole(value: Any, what: str, where: str) -> np.ndarray:
    """A row of whole numbers."""
    given = checks.row(value, what, where)
    if np.any(given != np.floor(given)):
        raise ModelError(f"{where}: {what} has the entry {given[given != np.floor(given)][0]:g}; give whole numbers")
    return given.astype(np.int64)


def _points(M: sp.csr_matrix, X: np.ndarray, node: np.ndarray, direction: np.ndarray, d: int) -> tuple[Any, str]:
    """The masses of points that M consists of, if it does, and what the report says of it."""
    N, n = len(X), len(node)
    if np.any(node < 0):
        return None, (
            "mass matrix of an earlier reduction: its momenta are of first order in the speeds of modes, and how its "
            "inertia changes when it deforms is not known"
        )
    index = np.full((N, d), -1)
    moving = direction < d
    index[node[moving], direction[moving]] = np.flatnonzero(moving)
    if M.shape == (n, n) and np.all(index >= 0):
        blocks = [[M[index[:, a]][:, index[:, b]] for b in range(d)] for a in range(d)]
        limit = ALIKE * float(abs(M).max())
        apart = [abs(blocks[a][a] - blocks[0][0]).max() for a in range(1, d)]
        apart += [abs(blocks[a][b]).max() for a in range(d) for b in range(d) if a != b]
        if not np.all(moving):
            apart.append(abs(M[np.flatnonzero(~moving)]).max())
        if max(apart) <= limit:
            plain = n == N * d and np.array_equal(index.ravel(), np.arange(n))
            L = None
            if not plain:
                L = sp.csr_matrix((np.ones(N * d), (np.arange(N * d), index.ravel())), shape=(N * d, n))
            return MassField(X, blocks[0][0], L), "mass matrix of points: its inertia is exact"
    return (
        None,
        "mass matrix with rotary inertia or coupled directions: its inertia is exact for masses on and off nodes, "
        "and of second order in the length of elements for beams and shells",
    )
