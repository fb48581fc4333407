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
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True, eq=False)
class NodalLoad(metaclass=AnswersCalls):
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

    def spread(self, full: FullModel, name: str) -> tuple[np.ndarray, None]:
        """The load (n,) of a `name` on the coordinates of a `full` model; it has no stress of its own."""
        where = where_of(full, name)
        d = full.dimension
        result = np.zeros(len(full.node_of))
        force = np.zeros(d) if self.force is None else checks.vector(self.force, "force", where, d)
        turns = 3 if d == 3 else 1
        moment = np.zeros(turns)
        if self.moment is not None:
            moment = checks.vector(np.atleast_1d(self.moment), "moment", where, turns)
        if np.any(moment):
            tie = tied_sets(full, {name: Tie(self.nodes, average=True, weights=self.weights)})[0]
            result[tie.rows] = tie.mean.T @ np.concatenate([force, moment])
        else:  # a force alone needs no nodes that say how they turn
            nodes, weights = weighted_nodes(full, self.nodes, self.weights, where)
            for node, weight in zip(nodes, weights / np.sum(weights)):
                rows = np.flatnonzero((full.node_of == node) & (full.direction_of < d))
                result[rows] = weight * force[full.direction_of[rows]]
        return result, None


def where_of(model: FullModel, name: str) -> str:
    """A load of a body as messages name it."""
    return f"body {model.name!r}, load {checks.quoted(checks.name(name, 'a load'))}"


def spread(model: FullModel, loads: Mapping[str, Any]) -> tuple[np.ndarray, list[Any]]:
    """The loads (n, l) on the coordinates of the full model, and of each what its own stress does, see
    :meth:`flexmb.bodies.ThermalLoad.spread`."""
    result, stressed = np.zeros((len(model.node_of), len(loads))), []
    for k, (name, load) in enumerate(loads.items()):
        if not hasattr(load, "spread"):
            raise ModelError(
                f"{where_of(model, name)}: give a flexmb.bodies.NodalLoad or a ThermalLoad, not {checks.quoted(load)}"
            )
        result[:, k], own = load.spread(model, name)
        stressed.append(own)
    return result, stressed
