"""Rank of the constraints: which rows say the same twice."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra import sparse_lu
from flexmb.algebra.sparse_order import analyse
from flexmb.errors import RedundancyError
from flexmb.system.system import System

#: a pivot this much smaller than the largest one is no pivot
RELATIVE_RANK = 1e-9

#: entries of the Jacobian up to which its rank is found by a dense QR factorisation
LARGEST_DENSE = 60_000


def redundant_rows(
    system: System,
    t: float,
    q: np.ndarray,
    *,
    raise_error: bool = False,
    G: np.ndarray | sp.csc_array | None = None,
) -> np.ndarray:
    """Numbers of constraint rows that depend on the others at a position; the rows that are left have full rank.

    With `raise_error` a RedundancyError names them and the rows that they repeat. `G`: the Jacobian there, if it is
    known already.
    """
    if system.m == 0:
        return np.zeros(0, dtype=int)
    if G is None:
        G = system.jacobian(t, q)
    if isinstance(G, np.ndarray):
        dependent, partners = _dense(G / system.row_scale[:, None] * system.scale)
    else:
        lengths = np.repeat(system.scale, np.diff(G.indptr)) / system.row_scale[G.indices]
        scaled = sp.csc_array((G.data * lengths, G.indices, G.indptr), shape=G.shape)
        small = system.m * system.n <= LARGEST_DENSE
        dependent, partners = _dense(scaled.toarray()) if small else _sparse(sp.csc_array(scaled.T))
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


def _dense(G: np.ndarray) -> tuple[list[int], list[np.ndarray]]:
    factors, *_ = scipy.linalg.lapack.dgeqp3(G.T)  # QR with column pivoting; R is the upper triangle
    diagonal = np.abs(factors.diagonal())
    m = G.shape[0]
    sizes = diagonal.tolist()
    least = RELATIVE_RANK * max(*sizes, 1e-300)
    if len(sizes) == m and all(size > least for size in sizes):
        return [], []
    # of rows that repeat each other the later ones are redundant
    dependent = []
    kept: list[int] = []
    for k in range(m):
        if np.linalg.matrix_rank(G[[*kept, k]], tol=RELATIVE_RANK * diagonal.max(initial=1.0)) > len(kept):
            kept.append(k)
        else:
            dependent.append(k)
    partners = []
    for k in dependent:
        share, *_ = np.linalg.lstsq(G[kept].T, G[k], rcond=None)
        partners.append(np.array(kept)[np.abs(share) > 1e-6])
    return dependent, partners


def _sparse(GT: sp.csc_array) -> tuple[list[int], list[np.ndarray]]:
    dependent: list[int] = []
    partners: list[np.ndarray] = []
    columns = np.arange(GT.shape[1])
    while len(columns):
        part = sp.csc_array(GT[:, columns])
        part.sort_indices()
        symbolic = analyse(part.shape[0], part.shape[1], part.indptr, part.indices)
        status, factor = sparse_lu.factorise_growing(
            sparse_lu.allocate(symbolic, singular_tolerance=RELATIVE_RANK), part.data
        )
        if status == sparse_lu.OK:
            break
        bad = int(factor.state[sparse_lu.COLUMN])
        dependent.append(int(columns[bad]))
        rows = part[:, [bad]].indices
        near = np.unique(sp.csr_array(part)[rows].indices)
        partners.append(columns[near[near != bad]])
        columns = np.delete(columns, bad)
    return dependent, partners
