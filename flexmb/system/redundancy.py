"""Joint forces where constraint rows are redundant: the least-norm multipliers of those that hold the mechanism.

With Gᵀ N = 0 the multipliers λ and λ + N c of the rows have the same effect. Those of least norm, each in units of its
row's scale, are λ − N Nᵀ λ for an orthonormal N; a multiplier whose row of N vanishes is unique all the same. A row can
only repeat rows with which it is connected by coordinates, so that N is sought among these alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import row_space
from flexmb.machine.threads import one_thread
from flexmb.system.rank import scaled_rows
from flexmb.system.system import System

#: a multiplier is unique if the norm of its row of N is below UNIQUE; below EXACT that row is rounding
UNIQUE, EXACT = 1e-4, 1e-10
#: number of positions of a run at which rows are checked for redundancy
ASKED = 9
#: a position error is irreducible if more than the fraction KEPT of it, or of SMALL if it is smaller than that,
#: remains; in units of the model
KEPT, SMALL = 1e-5, 1e-4


def connected_rows(system: System) -> np.ndarray:
    """Indices of the constraint rows, among all, that share coordinates, directly or through other rows, with one that
    was left out."""
    assembly = system.assembly
    on = [series for series in assembly.instance_series if not series.off]
    held = [(own, series.coordinates.v) for series in on for own in series.rows.T]
    rows = np.concatenate([np.repeat(own, numbers.shape[1]) for own, numbers in held])
    places = np.concatenate([numbers.ravel() for _, numbers in held])
    free, count = places < system.n, len(assembly.rows)
    size = count + system.n
    graph = scipy.sparse.coo_array((np.ones(int(free.sum())), (rows[free], count + places[free])), shape=(size, size))
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=False)
    left_out = np.setdiff1d(np.arange(count), system.kept)
    return np.flatnonzero(np.isin(part[:count], part[left_out]))


def rows_there(whole: System, rows: np.ndarray, t: float, q: np.ndarray) -> np.ndarray:
    """Some rows of the Jacobian in units of their scales, dense, without columns that are zero."""
    G = scaled_rows(whole, whole.jacobian(float(t), q))
    part = dense(G[rows] if isinstance(G, np.ndarray) else scipy.sparse.csr_array(G)[rows])
    return part[:, part.any(axis=0)]


@one_thread
def least_multipliers(system: System, t: np.ndarray, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The least-norm multipliers (k, all rows of the model) with the same effect as `lam` at k positions; `lam` itself
    if no row was left out."""
    if not system.left_out:
        return lam
    whole, rows = system.whole, np.array(_sharing(system, t, q, EXACT), dtype=np.int64)
    scale, out, columns = whole.row_scale[rows], lam.copy(), whole.row_numbers[rows]
    for k in range(len(t)):
        if np.isfinite(lam[k, columns]).all():
            span, _ = row_space(rows_there(whole, rows, t[k], q[k]), len(rows) - system.left_out)
            out[k, columns] = span @ (span.T @ (scale * lam[k, columns])) / scale
    return out


@one_thread
def rows_not_unique(system: System, t: np.ndarray, q: np.ndarray) -> list[int]:
    """Indices of the constraint rows, among all of the model, whose multipliers are not unique in some of k
    positions."""
    return system.whole.row_numbers[_sharing(system, t, q, UNIQUE)].tolist() if system.left_out else []


def _sharing(system: System, t: np.ndarray, q: np.ndarray, least: float) -> list[int]:
    """Indices of the constraint rows, among all, whose row of N has a norm above `least` in some of k positions."""
    rows = connected_rows(system)
    found = np.zeros(len(rows), dtype=bool)
    for k in _some_of(len(t)):
        _, null = row_space(rows_there(system.whole, rows, t[k], q[k]), len(rows) - system.left_out)
        found |= np.linalg.norm(null, axis=1) > least
    return rows[found].tolist()


def _some_of(count: int) -> list[int]:
    """Indices of the positions of a run that are checked."""
    return np.unique(np.linspace(0, count - 1, ASKED).round().astype(int)).tolist()


@one_thread
def errors_left(system: System, t: np.ndarray, q: np.ndarray, errors: Callable[[int], np.ndarray]) -> int | None:
    """The index, among all rows, of a row whose position error (all rows) cannot be removed by any motion, since Nᵀ g
    is not zero, at some of k positions; None if there is none. `errors`: a function from the index of a position to the
    error there."""
    rows = connected_rows(system)
    scale = system.whole.row_scale[rows]
    for k in _some_of(len(t)):
        g = errors(k)[rows] / scale
        _, null = row_space(rows_there(system.whole, rows, t[k], q[k]), len(rows) - system.left_out)
        left = np.abs(null @ (null.T @ g))
        if np.max(left) > KEPT * max(float(np.max(np.abs(g))), SMALL):
            return int(rows[int(np.argmax(left))])
    return None
