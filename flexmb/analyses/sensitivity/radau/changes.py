"""Arrays and variables for the changes of a run by its parameters, and the loop with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.analyses.sensitivity.radau.neighboring_constants import Neighbors
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.methods.radau.matrix_layout import Matrices
from flexmb.solvers.methods.radau.radau_state import Counts, End, Motion, Options, RadauLoop, Stages, State
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling
from flexmb.system.stacked import Stacked
from flexmb.system.system import System


class ChangesState(Variables):
    """Variables of the changes: the number of rows of the present segment that are saved, whether another one is being
    saved; counters: corrections, and solutions of the equations of stages; the size of
    the step [s]; the largest jump of accelerations at a touch; how many decisions of
    controllers the changes know of, and whether they know of the commands that have come into effect."""

    row: int
    pending: int
    corrections: int
    solved: int
    h: float
    jumped: float
    decided: int
    delivered: int


@by_reference
class Changes(NamedTuple):
    """Changes of a run by each of p parameters: at the present state `q` (small motions), `v`, `a` (p, n) and `lam`
    (p, m); of the stages `du` (p, 3, n) and `dlam` (p, 3, m), and of the last step those of speeds
    since its start, `dv_before`, and `dlam_before`. `typical` (p,): what their errors are multiplied by.
    Saved rows: `all_q`, `all_v`, `all_a` (rows, p, n), `all_lam` (rows, p, m).

    Scratch: `motion`, `stiffness` and `damping` (3, values) of the stages, of which `indptr` and `indices` are the
    pattern if it is sparse; `maps` (3, orientations, 27): exp(−ỹ), T and Ṫ + ω̃ T of each; δθ, δv, δa of the stages
    (3, n) each; `of_r` (3, total) and `of_g`, `of_rates` (3, m): derivatives of the equations by one parameter; `ends`
    (4, values), matrices at the end of a step; vectors (largest size,) in `x`; positions and speeds of displaced states
    in `moved_q` and `moved_v`; rates of rows in `rates` (6, m); `kept` (2, size) the estimate of the run; zeros (m,) in
    `still`.
    """

    near: Neighbors
    typical: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    du: np.ndarray
    dlam: np.ndarray
    dv_before: np.ndarray
    dlam_before: np.ndarray
    all_q: np.ndarray
    all_v: np.ndarray
    all_a: np.ndarray
    all_lam: np.ndarray
    state: ChangesState
    indptr: np.ndarray
    indices: np.ndarray
    motion: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    maps: np.ndarray
    turns: np.ndarray
    speeds: np.ndarray
    accelerations: np.ndarray
    of_r: np.ndarray
    of_g: np.ndarray
    of_rates: np.ndarray
    ends: np.ndarray
    x: np.ndarray
    moved_q: np.ndarray
    moved_v: np.ndarray
    rates: np.ndarray
    kept: np.ndarray
    still: np.ndarray


@by_reference
class DerivedLoop(NamedTuple):
    """A :class:`~flexmb.solvers.methods.radau.radau_state.RadauLoop` with the changes of the run by parameters."""

    plan: Plan
    scratch: Scratch
    stacked: Stacked
    linear: Linear
    matrices: Matrices
    sampling: Sampling
    options: Options
    scales: Scales
    motion: Motion
    stages: Stages
    end: End
    work: Work
    state: State
    counts: Counts
    kinks: np.ndarray
    left_out: LeftOut
    rows: np.ndarray
    watch: np.ndarray
    crossings: Crossings
    changes: Changes


def changes_for(system: System, near: Neighbors, typical: np.ndarray, rows: int) -> Changes:
    """Memory for the changes by the parameters of `near`, of which up to `rows` rows are saved in a segment."""
    plan, pattern, p = system.plan, system.pattern, len(typical)
    n, m, total, k = plan.n, plan.m, plan.total, len(system.orientations)
    values = plan.size * plan.size if pattern is None else pattern.nnz
    indptr, indices = (np.zeros(1, dtype=np.int64),) * 2 if pattern is None else pattern
    z = np.zeros
    return Changes(
        near, typical, z((p, n)), z((p, n)), z((p, n)), z((p, m)), z((p, 3, n)), z((p, 3, m)), z((p, 3, n)),
        z((p, 3, m)),
        z((rows, p, n)), z((rows, p, n)), z((rows, p, n)), z((rows, p, m)), ChangesState.zeros(),
        np.asarray(indptr, dtype=np.int64), np.asarray(indices, dtype=np.int64),
        z((3, values)), z((3, values)), z((3, values)), z((3, k, 27)), z((3, n)), z((3, n)), z((3, n)),
        z((3, total)), z((3, m)), z((3, m)), z((4, values)), z((8, max(plan.size, total, plan.nq))),
        z(plan.total_q), z(total), z((6, m)), z((2, plan.size)), z(m),
    )  # fmt: skip


def with_changes(loop: RadauLoop, changes: Changes) -> DerivedLoop:
    """The loop of a run with changes."""
    return DerivedLoop(*loop, changes)
