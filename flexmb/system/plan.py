"""The flat form of a system: what the compiled loop sees of a model.

A :class:`Plan` is arrays of numbers only, the same types for every model, so that whatever takes a plan is compiled
once for all models. Instances of one kernel family with the same sizes form a *group*; a group's kernels are called on
blocks of instances, small enough that what they fill stays in the nearest cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: instances that one kernel call works on
BLOCK = 32

# columns of Plan.groups
COUNT, NP, NQ, NV, ROWS, P_AT, IQ_AT, IV_AT, ROW_AT, MAP_AT, GMAP_AT, KERNEL_AT = range(12)
N_COLUMNS = KERNEL_AT + 7


class Plan(NamedTuple):
    """Constant description of a system.

    `n` free speeds, `total` speeds with those of fixed frames, `m` constraint rows, `size` = n + m unknowns.
    """

    groups: np.ndarray  # (number of groups, N_COLUMNS) sizes, places and kernel addresses
    p: np.ndarray  # parameters of all instances
    numbers: np.ndarray  # iq and iv of all instances
    rows: np.ndarray  # constraint row of each instance's rows; −1: left out as redundant
    kmap: np.ndarray  # where an entry of an instance's K goes in the values of the matrix; −1: nowhere
    gmap: np.ndarray  # where an entry of an instance's G goes, and behind it that of Gᵀ
    n: int
    total: int
    m: int
    size: int
    dense: int  # 1: the matrix is (size, size), row by row; 0: compressed sparse columns
    nnz: int


class Scratch(NamedTuple):
    """What the compiled evaluation writes on; made once per system."""

    out: np.ndarray
    K: np.ndarray
    lam: np.ndarray
    work: np.ndarray


def scratch_for(plan: Plan, work: int) -> Scratch:
    """Scratch space that any kernel call of the plan fits in."""
    g = plan.groups
    if len(g) == 0:
        return Scratch(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(max(work, 1)))
    nv, m = g[:, NV], g[:, ROWS]
    width = int(np.max([nv, np.full_like(nv, 9), 3 * m, m * nv], axis=None))
    return Scratch(
        np.zeros(BLOCK * width),
        np.zeros(BLOCK * int(np.max(nv)) ** 2),
        np.zeros(BLOCK * max(1, int(np.max(m)))),
        np.zeros(max(work, 1)),
    )
