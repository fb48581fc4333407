"""An order of elimination by nested dissection of the places of nodes (George (1973)).

A body is cut in two where few nodes touch both halves; these are eliminated last. The halves are cut again, until the
parts are small. The parts are the fronts of a factorization (:mod:`flexmb.algebra.multifrontal`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

#: parts with no more coordinates than this one are not cut; parts of the extent at which a cut is tried
SMALL = 120
CUTS = (0.42, 0.46, 0.5, 0.54, 0.58)


@dataclass(frozen=True, eq=False)
class Front:
    """Coordinates that are eliminated together: `own` (k,), and numbers of the fronts before it that hand on to it."""

    own: np.ndarray
    before: tuple[int, ...]


def dissect(pattern: scipy.sparse.csr_matrix, places: np.ndarray) -> list[Front]:
    """Fronts of a symmetric pattern (n, n) whose coordinates have `places` (n, d), in the order of elimination.

    >>> line = scipy.sparse.diags([np.ones(999), np.ones(1000), np.ones(999)], [-1, 0, 1]).tocsr()
    >>> fronts = dissect(line, np.arange(1000.0)[:, None])
    >>> len(fronts[-1].own), sum(len(front.own) for front in fronts)
    (1, 1000)
    """
    _, group = np.unique(places, axis=0, return_inverse=True)
    group = group.ravel()
    groups = int(group.max()) + 1 if len(group) else 0
    to = scipy.sparse.csr_matrix(
        (np.ones(len(group), dtype=np.int8), (group, np.arange(len(group)))), shape=(groups, len(group))
    )
    sizes = np.bincount(group, minlength=groups)
    ones = scipy.sparse.csr_matrix(
        (np.ones(len(pattern.indices), dtype=np.int8), pattern.indices, pattern.indptr), pattern.shape
    )
    graph = (to.astype(np.int32) @ ones.astype(np.int32) @ to.T.astype(np.int32)).tocsr()
    centers = np.zeros((groups, places.shape[1]))
    centers[group] = places
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
    side = np.zeros(groups, dtype=np.int8)
    fronts: list[Front] = []

    def leave(part: np.ndarray, before: tuple[int, ...]) -> int:
        fronts.append(Front(np.concatenate([members[g] for g in part]), before))
        return len(fronts) - 1

    def cut(part: np.ndarray) -> int:
        """Put the fronts of a part behind the others; the number of the last one."""
        if sizes[part].sum() <= SMALL:
            return leave(part, ())
        best = _best_cut(part, graph, centers, sizes, side)
        if best is None:
            return leave(part, ())
        first, second, between = best
        before = tuple(cut(half) for half in (first, second) if len(half))
        return leave(between, before) if len(between) else _joined(before, fronts)

    if groups:
        cut(np.arange(groups))
    return fronts


def _joined(before: tuple[int, ...], fronts: list[Front]) -> int:
    """A front without coordinates of its own, behind two parts that do not touch."""
    fronts.append(Front(np.zeros(0, dtype=np.int64), before))
    return len(fronts) - 1


def _best_cut(
    part: np.ndarray, graph: scipy.sparse.csr_matrix, centers: np.ndarray, sizes: np.ndarray, side: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Two halves and what is between them; None if a part cannot be cut."""
    x = centers[part]
    axis = int(np.argmax(np.ptp(x, axis=0)))
    order = np.argsort(x[:, axis], kind="stable")
    sorted_part, along = part[order], x[order, axis]
    rows = graph[sorted_part]
    owner = np.repeat(np.arange(len(part)), np.diff(rows.indptr))
    best = None
    for share in CUTS:
        k = int(share * len(part))
        k = int(np.searchsorted(along, along[k], side="left")) or int(np.searchsorted(along, along[k], side="right"))
        if not 0 < k < len(part):
            continue
        side[sorted_part[:k]], side[sorted_part[k:]] = 1, 2
        across = side[rows.indices]
        touching = [np.unique(owner[(owner < k) & (across == 2)]), np.unique(owner[(owner >= k) & (across == 1)])]
        for which in touching:
            cost = int(sizes[sorted_part[which]].sum())
            if best is None or cost < best[0]:
                best = (cost, k, which)
    side[part] = 0
    if best is None:
        return None
    _, k, which = best
    between = np.zeros(len(part), dtype=bool)
    between[which] = True
    first = np.arange(len(part)) < k
    return sorted_part[first & ~between], sorted_part[~first & ~between], sorted_part[between]
