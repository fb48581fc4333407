"""Derivatives of mechanisms some of whose constraint rows were left out because they repeat others.

Positions and speeds do not depend on the choice of rows, and so have the same derivatives with any. Of joint forces
this holds where the motion determines them (:mod:`flexmb.system.redundancy`). The rows must repeat one another with
other values of a parameter too: a change of positions makes errors G δq, and Nᵀ G = 0, so that some motion makes good
the errors that a parameter makes only if

    Nᵀ ∂g/∂θ = 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.parameters import STEP, NeighboringSystems
from flexmb.errors import RedundancyError
from flexmb.results.solution import Solution
from flexmb.system.redundancy import errors_left


def refuse_not_unique(outputs: Outputs, solution: Solution, where: str) -> None:
    """Refuse outputs that are forces of joints which the motion does not determine."""
    if not outputs.system.left_out:
        return
    for name in outputs.names:
        for joint in (x for x in outputs.joints_of(name) if x in solution.joints_not_unique):
            raise RedundancyError(
                f"{where}: the motion does not determine {name!r}, since constraint rows of {joint!r} repeat others; a "
                "force that is not unique has no derivative; ask for another quantity, or remove redundant rows"
            )


def refuse_contradicting(
    neighbors: NeighboringSystems, parameter: str, t: np.ndarray, q: np.ndarray, where: str
) -> None:
    """Refuse a parameter with whose change rows that repeat one another in k positions would contradict one another."""
    system = neighbors.systems[0]
    if not system.left_out:
        return
    unit = abs(neighbors.h) / STEP

    def errors(system: Any, k: int) -> np.ndarray:
        return np.asarray(system.whole.constraint(float(t[k]), q[k], np.zeros(system.n))[0])

    def change(k: int) -> np.ndarray:
        return unit * np.asarray(neighbors.derivative(lambda system: errors(system, k)))

    row = errors_left(system, t, q, change)
    if row is not None:
        raise RedundancyError(
            f"{where}: {system.whole.rows[row].where} repeats others, and with another {parameter!r} contradicts them; "
            "a derivative needs a builder that keeps such joints in agreement, or a mechanism without redundant rows"
        )
