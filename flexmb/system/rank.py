"""Redundant constraint rows, and the motions that all rows together leave free."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import LARGEST_DENSE, RELATIVE_RANK, dependent_rows, orthonormal_null_space, shortest_way
from flexmb.errors import RedundancyError
from flexmb.system.linear import put_scaled_rows
from flexmb.system.system import System

#: A redundant row contradicts the others if its error exceeds this fraction of the model's length, or this angle [rad].
CONTRADICTION = 1e-6
#: Joints are closed by at most SWEEPS corrections, which end where errors or moves are ROUNDING, in units of the model.
SWEEPS, ROUNDING = 30, 1e-13


def scaled_rows(system: System, G: Any) -> Any:
    """A Jacobian (m, n) with rows and columns in units of their scales."""
    if isinstance(G, np.ndarray):
        return G / system.row_scale[:, None] * system.scale
    lengths = np.repeat(system.scale, np.diff(G.indptr)) / system.row_scale[G.indices]
    return scipy.sparse.csc_array((G.data * lengths, G.indices, G.indptr), shape=G.shape)


def scaled_rows_in(system: System, values: np.ndarray) -> Any:
    """The scaled Jacobian (m, n), extracted from the values of the whole matrix; dense unless it is large."""
    if system.pattern is None or system.m * system.n > LARGEST_DENSE:
        return scaled_rows(system, system.jacobian_in(values))
    out = np.zeros((system.m, system.n))
    put_scaled_rows(*system.pattern, values, system.scale, system.row_scale, out)
    return out


def redundant_rows(
    system: System,
    t: float,
    q: np.ndarray,
    *,
    raise_error: bool = False,
    scaled: np.ndarray | scipy.sparse.csc_array | None = None,
    least: float = RELATIVE_RANK,
) -> np.ndarray:
    """Indices of the constraint rows that depend on the others at a position; the other rows have full rank.

    With `raise_error` a RedundancyError names them and the rows that they repeat. `scaled`: the Jacobian at the
    position in units of the scales, if the caller has it already. A pivot below the fraction `least` of the largest
    counts as zero.
    """
    if system.m == 0:
        return np.zeros(0, dtype=int)
    dependent, partners = dependent_and_partners(system, t, q, scaled, least)
    if not dependent:
        return np.zeros(0, dtype=int)
    if raise_error:
        raise RedundancyError(f"{said_of_redundant(system, t, q, dependent, partners)}; remove one")
    return np.sort(np.array(dependent, dtype=int))


def dependent_and_partners(
    system: System, t: float, q: np.ndarray, scaled: Any = None, least: float = RELATIVE_RANK
) -> tuple[list[int], list[np.ndarray]]:
    """The rows that :func:`redundant_rows` finds, and the rows that each of them repeats."""
    # Of rows that repeat each other, velocity rows are left out first: they do not constrain positions.
    scaled = scaled_rows(system, system.jacobian(t, q)) if scaled is None else scaled
    return dependent_rows(scaled, system.at_speed if any(system.at_speed.tolist()) else None, least)


def said_of_redundant(
    system: System, t: float, q: np.ndarray, dependent: list[int], partners: list[np.ndarray], most: int = 4
) -> str:
    """A text that names redundant rows, the rows they repeat, and contradictions between them; at most `most` of them,
    the largest contradictions first."""
    g, _, _ = system.constraint(t, q, np.zeros(system.n))
    apart = np.abs(g) / system.row_scale
    apart[apart <= CONTRADICTION] = 0.0
    pairs = []
    for k, others in sorted(zip(dependent, partners), key=lambda pair: -apart[pair[0]])[:most]:
        off = f", off by {g[k]:.3g}: they contradict each other" if apart[k] else ""
        pairs.append(f"{repeated(system, k, others)}{off}")
    more = f"; and {len(dependent) - most} more" if len(dependent) > most else ""
    return (
        f"model {system.model.name!r}: joints constrain the same motion in this position (rank "
        f"{system.m - len(dependent)} of {system.m}): {'; '.join(pairs)}{more}"
    )


def repeated(system: System, k: int, others: np.ndarray) -> str:
    """A row, and the joints whose rows `others` it repeats, in words."""
    owners = sorted({system.rows[j].owner for j in others} - {system.rows[k].owner})
    with_what = f" with {', '.join(f'joint {o!r}' for o in owners)}" if owners else " with itself"
    return f"joint {system.rows[k].owner!r} (row {system.rows[k].name}){with_what}"


def closed_by_all_rows(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """A position (nq,) close to this one in which joints are closed as well as they can be, by the shortest moves that
    correct all rows, redundant ones too; whether rows depend on one another can be decided only as accurately."""
    for _ in range(SWEEPS):
        g = system.constraint(t, q, np.zeros(system.n))[0] / system.row_scale
        off = float(np.max(np.abs(g), initial=0.0))
        if not ROUNDING < off < 1.0:
            break
        move = shortest_way(dense(scaled_rows(system, system.jacobian(t, q))), g)
        if np.max(np.abs(move)) < ROUNDING:
            break
        q = system.retract(q, system.scale * move)
    return q


def free_motions(system: System, G: Any, where: str) -> np.ndarray:
    """Z (n, n − m), dense: a basis of the null space of a Jacobian, orthonormal in the scaled coordinates."""
    if not system.m:
        return np.diag(system.scale)
    scaled = dense(G) / system.row_scale[:, None] * system.scale
    try:
        return system.scale[:, None] * orthonormal_null_space(scaled)
    except np.linalg.LinAlgError:
        raise RedundancyError(
            f"{where}: constraint rows depend on each other in this position (a singular position); move away from it"
        ) from None
