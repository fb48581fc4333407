"""Loads on sets of nodes, which turn with the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.full_models.full_model import FullModel
from flexmb.bodies.reducing.ties import Tie, tied_sets, weighted_nodes
from flexmb.errors import ModelError
from flexmb.model import checks


@dataclass(frozen=True, eq=False)
class NodalLoad:
    """A force and a moment that are spread over a set of nodes and turn with the body; their strength is 1 in a motion.

    Arguments: `nodes`, a set as for a :class:`Tie`; `force` (d,) [N] and `moment` [Nm], (3,) or one number in the
    plane, of the sum, in the axes of the mesh, at the mean of the nodes; `weights` of the nodes (k,), in the order
    as for a :class:`Tie`, all alike if not given. A moment needs nodes that say how they turn.

    >>> NodalLoad("pad", force=(0, 0, -20)).force
    (0, 0, -20)
    """

    nodes: Any
    force: Any = None
    moment: Any = None
    weights: Any = None


def spread(model: FullModel, loads: Mapping[str, NodalLoad]) -> np.ndarray:
    """The loads (n, l) on the coordinates of the full model."""
    d = model.dimension
    result = np.zeros((len(model.node_of), len(loads)))
    for k, (name, load) in enumerate(loads.items()):
        where = f"body {model.name!r}, load {checks.quoted(checks.name(name, 'a load'))}"
        if not isinstance(load, NodalLoad):
            raise ModelError(f"{where}: give a flexmb.bodies.NodalLoad, not {checks.quoted(load)}")
        force = np.zeros(d) if load.force is None else checks.vector(load.force, "force", where, d)
        turns = 3 if d == 3 else 1
        moment = np.zeros(turns)
        if load.moment is not None:
            moment = checks.vector(np.atleast_1d(load.moment), "moment", where, turns)
        if np.any(moment):
            tie = tied_sets(model, {name: Tie(load.nodes, average=True, weights=load.weights)})[0]
            result[tie.rows, k] = tie.mean.T @ np.concatenate([force, moment])
        else:  # a force alone needs no nodes that say how they turn
            nodes, weights = weighted_nodes(model, load.nodes, load.weights, where)
            for node, weight in zip(nodes, weights / np.sum(weights)):
                rows = np.flatnonzero((model.node_of == node) & (model.direction_of < d))
                result[rows, k] = weight * force[model.direction_of[rows]]
    return result
