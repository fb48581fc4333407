"""Many searches one behind the other in compiled code, or one after another in Python where a model has rows that
Python alone knows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.analyses.kinematics.inverse.search import Search, evaluate
from flexmb.analyses.kinematics.inverse.searching import advance, begin
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference


@by_reference
class Batch(NamedTuple):
    """A `search` for each of k targets, `wanted` (k, F, 7), from `near` (k, nq) or (1, nq), with the `goal` of the same
    shape; with `chained` each begins where the last one ended. Results: coordinates `q` (k, nq), 1 + the attempt that
    `found` them (k,), 0 if none did, and how many evaluations it took, `total` (k,)."""

    search: Search
    wanted: np.ndarray
    near: np.ndarray
    goal: np.ndarray
    chained: int
    q: np.ndarray
    found: np.ndarray
    total: np.ndarray
    #: the number (1,) of the present target
    number: np.ndarray


@called(int)
def start(batch, t):
    """Begin the search for the present target."""
    s, i = batch.search, batch.number[0]
    for f in range(s.wanted.shape[0]):
        for c in range(7):
            s.wanted[f, c] = batch.wanted[i, f, c]
    own = i if i < batch.near.shape[0] else batch.near.shape[0] - 1
    for c in range(s.goal.shape[0]):
        s.goal[c] = batch.goal[own, c]
    begin(s, batch.q[i - 1] if batch.chained != 0 and i > 0 else batch.near[own])
    return 0


@called(int)
def evaluated(batch, t):
    evaluate(batch.search)
    return 0


@called(int)
def advanced(batch, t):
    return advance(batch.search)


@called(int)
def keep(batch, t):
    """Keep what the search for the present target found."""
    s, i = batch.search, batch.number[0]
    for c in range(s.best.shape[0]):
        batch.q[i, c] = s.best[c]
    batch.found[i], batch.total[i] = s.progress.found, s.progress.total
    return 0


@called(int)
def search_all(batch, t):
    """Search for all targets."""
    for i in range(batch.q.shape[0]):
        batch.number[0] = i
        start(batch, t)
        going = 1
        while going != 0:
            evaluate(batch.search)
            going = advance(batch.search)
        keep(batch, t)
    return 0
