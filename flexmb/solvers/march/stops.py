"""Stops of a run: the statuses with which a segment of the compiled loop ends, instants of controllers, and the row
that saves a state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.statuses import COMMANDED, CONTROL_FAILED, OK, RUNAWAY
from flexmb.system import sampling as control
from flexmb.system.evaluation import energies


@by_reference
class Scales(NamedTuple):
    """Scales of coordinates (n,) and constraint rows (m,), and which coordinates are angles whose rotation in a step is
    limited (n,)."""

    coordinates: np.ndarray
    rows: np.ndarray
    turning: np.ndarray


@called(None)
def save_row(plan, t, q, v, a, lam, saved, row):
    """Write a state into row `row` of `saved`."""
    saved.t[row] = t
    for i in range(plan.nq):
        saved.q[row, i] = q[i]
    for i in range(plan.n):
        saved.v[row, i] = v[i]
        saved.a[row, i] = a[i]
    for k in range(saved.lam.shape[1]):  # none if they are found later
        saved.lam[row, k] = lam[k]


@called(int)
def act(plan, scratch, sampling, t, near, q, v, a, lam, weights):
    """Call the controllers whose instants are at time t or closer to it than `near` [s]; returns OK, COMMANDED,
    CONTROL_FAILED or RUNAWAY."""
    happened = control.run_controllers(plan, scratch, sampling, t, near, q, v, a, lam)
    if happened == control.FAILED:
        return CONTROL_FAILED
    if sampling.failed[1] >= 0:
        energies(plan, scratch, t, q, v, a, weights, sampling.energies)
        if sampling.energies[0] > sampling.bounds[sampling.failed[1]]:
            return RUNAWAY
        sampling.failed[1] = -1
    return COMMANDED if happened == control.COMMANDED else OK
