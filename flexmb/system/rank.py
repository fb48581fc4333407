"""Which constraint rows depend on others, and which motions all rows leave free."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import dependent_rows, orthonormal_null_space
from flexmb.errors import RedundancyError
from flexmb.system.system import System


def redundant_rows(
    system: System,
    t: float,
    q: np.ndarray,
    *,
    raise_error: bool = False,
    G: np.ndarray | sp.csc_array | None = None,
) -> np.ndarray:
    """Numbers of the constraint rows that depend on the others at a position; the other rows have full rank.

    With `raise_error` a RedundancyError names them and the rows that they repeat. `G`: the Jacobian at the position,
    if the caller has it already.
    """
    if system.m == 0:
        return np.zeros(0, dtype=int)
    if G is None:
        G = system.jacobian(t, q)
    if isinstance(G, np.ndarray):
        scaled = G / system.row_scale[:, None] * system.scale
    else:
        lengths = np.repeat(system.scale, np.diff(G.indptr)) / system.row_scale[G.indices]
        scaled = sp.csc_array((G.data * lengths, G.indices, G.indptr), shape=G.shape)
    # Of rows that repeat each other, velocity rows are left out first: they say nothing of positions.
    dependent, partners = dependent_rows(scaled, system.at_speed if system.at_speed.any() else None)
    if not dependent:
        return np.zeros(0, dtype=int)
    if raise_error:
        g, _, _ = system.constraint(t, q, np.zeros(system.n))
        pairs = []
        for k, others in list(zip(dependent, partners))[:4]:
            owners = sorted({system.rows[j].owner for j in others} - {system.rows[k].owner})
            with_what = f" with {', '.join(f'joint {o!r}' for o in owners)}" if owners else " with itself"
            off = f", off by {g[k]:.3g}: they contradict each other" if abs(g[k]) > 1e-6 * system.row_scale[k] else ""
            pairs.append(f"joint {system.rows[k].owner!r} (row {system.rows[k].name}){with_what}{off}")
        raise RedundancyError(
            f"model {system.model.name!r}: joints constrain the same motion in this position (rank "
            f"{system.m - len(dependent)} of {system.m}): {'; '.join(pairs)}; remove one, or use redundant='remove'"
        )
    return np.sort(np.array(dependent, dtype=int))


def free_motions(system: System, G: Any, where: str) -> np.ndarray:
    """Z (n, n − m), dense: the motions that a Jacobian leaves free, orthonormal in the scaled coordinates."""
    if not system.m:
        return np.diag(system.scale)
    scaled = dense(G) / system.row_scale[:, None] * system.scale
    try:
        return system.scale[:, None] * orthonormal_null_space(scaled)
    except np.linalg.LinAlgError:
        raise RedundancyError(
            f"{where}: constraint rows depend on each other in this position (singular position, or redundant joints); "
            "move away from it, or use redundant='remove'"
        ) from None
