"""What the loop of Radau IIA works on: its options, arrays, and what it remembers between steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.radau.matrix_layout import Own
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling
from flexmb.system.stacked import Stacked


class State(Clock):
    """What the loop remembers between steps; flags are 0 or 1."""

    # the last step that was kept, and its error; the step for which the matrices were made
    h_done: float
    last_error: float
    h_matrix: float
    # errors of positions and of speeds on the constraints at the end of the step that is tried, and the largest of the
    # run; the coordinate or constraint that is to blame; σ at the end of the step
    off: float
    rate_off: float
    drift: float
    velocity_drift: float
    culprit: float
    sigma: float
    rejected_last: float  # whether the last step was rejected
    # Newton's method: by which factor corrections shrink; what is left of the last one; whether the matrices are the
    # step's own; the correction that rounding leaves, for which step it was measured, and for how many more it serves;
    # corrections in the last step
    rate: float
    left: float
    fresh: float
    floor: float
    floor_step: float
    floor_left: float
    iterated: float
    polynomial: float  # whether the step before has a polynomial that goes on from this state
    rounded: float  # the sum of the squares of what rounding in the speeds of each step may come to at the end
    # Whether each stage has a matrix of its own, for how many steps it has been so, how many corrections that took
    # last, how many more it is worth, how many have been lost without, and how many it takes to change; the factor by
    # which corrections shrank before, and for which step; the last first correction
    own: float
    own_steps: float
    own_iterations: float
    own_worth: float
    lost: float
    own_price: float
    common_rate: float
    common_step: float
    first: float
    # of the reduced equations: whether they were evaluated last at the present state; whether J is to be made anew; the
    # rate [1/s] at which the mechanism moves
    at_start: float
    aged: float
    moving: float


class Counts(Variables):
    """What a run counts."""

    steps: int
    rejected: int
    iterations: int
    factorisations: int
    evaluations: int
    jacobians: int


# value of `culprit`: the constraints depend on one another
NO_RANK = -1.0


@by_reference
class Options(NamedTuple):
    """What a run is asked for, in numbers; `allowed` is the estimated error of a step that is allowed, `newton` that
    part of an error that Newton's method may leave, `waves` the first one as a part of what may be lost of waves, see
    :mod:`flexmb.solvers.radau.error_of_waves`; where σ is below the part `near` of its largest value, the method does
    not go on towards a singular position by itself."""

    allowed: float
    newton: float
    t_start: float
    t_end: float
    step: float  # fixed: none, 0
    longest: float
    shortest: float
    together: float  # instants that are nearer to each other than this are one
    mass: float
    length: float
    slowest: float  # the rate [1/s] of the slowest motion that a run shows
    iterations: int
    near: float
    waves: float


@by_reference
class End(NamedTuple):
    """The end of the step that is tried: q (total_q,), v, a (total,) and λ (m,)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Motion(NamedTuple):
    """Where the motion has come to: q (total_q,), v, the speeds shown, which are v, a (total,), λ (m,); and the step
    before: where it began, its speeds there (n,), its stages (3, n), changes of speeds (3, n) and multipliers
    (3, m)."""

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
    """The stages of a step, a row each. Positions are moved by y = c h v₀ + u from its start; `dv` is the change of
    speeds, `a` (3, total) are accelerations, `r` (3, total) the errors of the equations of motion, `g` those of the
    constraints, with scratch for their rates, `du` and `dlam` corrections, `all_q` (3, total_q) and `all_v` (3, total)
    whole positions and speeds. Then one stage's whole state, and right-hand sides and solutions: of the real system
    (size,), of the complex one, and of all stages together (3 size,)."""

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
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    maps: np.ndarray
    b: np.ndarray
    x: np.ndarray
    b_pair: np.ndarray
    x_pair: np.ndarray
    b_all: np.ndarray
    x_all: np.ndarray


@by_reference
class RadauLoop(NamedTuple):
    """All that the loop works with; `linear` is for accelerations, `real`, `pair` and `own` for the stages, whose
    matrices are put together of `parts` (4, values), by the `kinds` (values,) of these and by `turning` (k, 5), see
    :mod:`flexmb.solvers.radau.matrix_layout`; `speed_rows` tells whether there are velocity rows; `kinks` are times at
    which steps end; `rows` (m,) and `watch` (3,) look for singular positions, see
    :mod:`flexmb.solvers.rows.passage`."""

    plan: Plan
    scratch: Scratch
    stacked: Stacked
    linear: Linear
    real: Linear
    pair: Linear
    own: Own
    parts: np.ndarray
    kinds: np.ndarray
    turning: np.ndarray
    speed_rows: int
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
    """The start of a run, whose steps change q, v, a and λ in place."""
    n, m = plan.n, plan.m
    return Motion(q, v, v, a, lam, q.copy(), np.zeros(n), np.zeros((3, n)), np.zeros((3, n)), np.zeros((3, m)))


def stages_for(plan: Plan, q: np.ndarray, v: np.ndarray) -> Stages:
    """Room for a step from the position q (total_q,)."""
    n, m, size = plan.n, plan.m, plan.size
    u, y, dv, du = np.zeros((4, 3, n))
    a, r = np.zeros((2, 3, plan.total))
    lam, g, gd, gamma, dlam = np.zeros((5, 3, m))
    all_q, all_v = np.array([q, q, q]), np.array([v, v, v])
    b, x = np.zeros((2, size))
    b_pair, x_pair = np.zeros((2, size), dtype=complex)
    b_all, x_all = np.zeros((2, 3 * size))
    maps = np.zeros((len(plan.orientations), 9))
    return Stages(
        u, y, dv, a, lam, r, g, gd, gamma, du, dlam, all_q, all_v, q.copy(), v.copy(), np.zeros(plan.total), maps, b, x,
        b_pair, x_pair, b_all, x_all,
    )  # fmt: skip
