"""Arrays and variables of the loop of Radau IIA: its options, the stages of a step, and the variables kept from step to
step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.methods.radau.matrix_layout import Matrices
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling
from flexmb.system.stacked import Stacked


class State(Clock):
    """Variables that the loop keeps from step to step; flags are 0 or 1."""

    # size of the last accepted step [s] and its error; the step for which the matrices were factorized [s]
    h_done: float
    last_error: float
    h_matrix: float
    # errors of positions and of speeds on the constraints at the end of the present step, and their largest values in
    # the run; index of the coordinate or constraint named if the run fails; σ at the end of the step
    off: float
    rate_off: float
    drift: float
    velocity_drift: float
    culprit: float
    sigma: float
    rejected_last: float  # whether the last step was rejected
    # Newton's method: ratio of successive corrections; expected ratio of the remaining error to the last correction;
    # whether the matrices are those of this step; the correction due to round-off, for which step it was measured, and
    # for how many more steps it is used; number of corrections in the last step
    rate: float
    left: float
    fresh: float
    floor: float
    floor_step: float
    floor_left: float
    iterated: float
    polynomial: float  # whether the polynomials of the last step can be extrapolated
    rounded: float  # sum of squares of the displacements at the end of the run due to round-off in the steps
    # Matrices of the stages: whether each stage has its own, and for how many steps; corrections in the last such step;
    # its additional cost in corrections; corrections lost so far with a common matrix; cost of changing; ratio of
    # successive corrections with the common matrix before the change, and for which step; size of the first correction
    # in the last step
    own: float
    own_steps: float
    own_iterations: float
    own_worth: float
    lost: float
    own_price: float
    common_rate: float
    common_step: float
    first: float
    # reduced equations: whether they were evaluated last at the present state; whether J is to be evaluated anew; the
    # rate [1/s] at which the mechanism moves
    at_start: float
    aged: float
    moving: float


class Counts(Variables):
    """Counters of a run, for its statistics."""

    steps: int
    rejected: int
    iterations: int
    factorizations: int
    evaluations: int
    jacobians: int


# Value of `culprit`: the constraints depend on one another.
NO_RANK = -1.0


@by_reference
class Options(NamedTuple):
    """Numerical options of a run. `allowed`: allowed estimate of the error of a step; `newton`: the error that Newton's
    method may leave; `waves`: `allowed` as a part of the error allowed for waves, see
    :mod:`flexmb.solvers.methods.radau.error_of_waves`; `near`: where σ is below this part of its largest value, a
    passage takes the run through the singular position."""

    allowed: float
    newton: float
    t_start: float
    t_end: float
    step: float  # size of fixed steps; this method has none, 0
    longest: float
    shortest: float
    together: float  # instants closer than this [s] count as one
    mass: float
    length: float
    slowest: float  # 1/(duration of the run) [1/s]
    iterations: int
    near: float
    waves: float


@by_reference
class End(NamedTuple):
    """State at the end of the present step, before it is accepted: q (total_q,), v, a (total,) and λ (m,)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Motion(NamedTuple):
    """Present state: q (total_q,), v, a (total,), λ (m,), and `shown`, the speeds to be saved, the same array as v. The
    last step: position and speeds (n,) at its start, u and the changes of speeds (3, n) and multipliers (3, m) of its
    stages."""

    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    q_before: np.ndarray
    v_before: np.ndarray
    u_before: np.ndarray
    dv_before: np.ndarray
    lam_before: np.ndarray


@by_reference
class Stages(NamedTuple):
    """The three stages of a step, a row each: `u`, `y` = c h v₀ + u, the displacement from the start of the step, `dv`,
    the change of speeds since then, accelerations `a` (3, total), multipliers `lam`; `r` (3, total), the errors of the
    equations of motion, `g` those of the constraints, with scratch for ġ and γ; corrections `du` and `dlam`; positions
    `all_q` (3, total_q) and speeds `all_v` (3, total); T(y) of the orientations of one stage in `maps`."""

    u: np.ndarray
    y: np.ndarray
    dv: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    r: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    du: np.ndarray
    dlam: np.ndarray
    all_q: np.ndarray
    all_v: np.ndarray
    maps: np.ndarray


@by_reference
class RadauLoop(NamedTuple):
    """Everything that the loop reads and writes. `linear` is factorized for accelerations, `matrices` for the stages;
    `end` also holds the state of one stage while its equations or matrices are evaluated. `kinks`: times at which
    functions of time have kinks, where steps end; `rows` (m,) and `watch` (3,) detect singular positions, see
    :mod:`flexmb.solvers.changes.passage`."""

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


def motion_of(plan: Plan, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> Motion:
    """The present state at the start of a run; steps change q, v, a and λ in place."""
    n, m = plan.n, plan.m
    return Motion(q, v, v, a, lam, q.copy(), np.zeros(n), np.zeros((3, n)), np.zeros((3, n)), np.zeros((3, m)))


def stages_for(plan: Plan, q: np.ndarray, v: np.ndarray) -> Stages:
    """Arrays for the stages of a step, filled with the position q (total_q,) and the speeds v (total,)."""
    n, m = plan.n, plan.m
    u, y, dv, du = np.zeros((4, 3, n))
    a, r = np.zeros((2, 3, plan.total))
    lam, g, gd, gamma, dlam = np.zeros((5, 3, m))
    all_q, all_v = np.array([q, q, q]), np.array([v, v, v])
    maps = np.zeros((len(plan.orientations), 9))
    return Stages(u, y, dv, a, lam, r, g, gd, gamma, du, dlam, all_q, all_v, maps)
