"""What the loop of explicit methods works on: options, arrays, and what it remembers between steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.coordinates import Coordinates
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.explicit.tableau import Tableau
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling


class State(Clock):
    """What the loop remembers between steps; flags are 0 or 1."""

    last_error: float  # that of the last step that was kept
    radians: float  # ∫ρ dt until now
    rejected_here: float  # how many steps were rejected since the last one that was kept
    # the largest |g|, |ġ| and estimated error of a step; the coordinate that is to blame
    drift: float
    velocity_drift: float
    step_error: float
    culprit: float
    sigma: float  # the smallest singular value of the constraints at the end of a step
    lost: float  # the orientation whose Euler angles were singular in the last step that was tried, or −1
    # fixed steps: whether one was divided since the last stop; what the errors of all of them become until the end
    part: float
    carried: float


class Counts(Variables):
    """What a run counts."""

    steps: int
    rejected: int
    evaluations: int
    iterations: int
    factorisations: int
    divided: int


@by_reference
class Options(NamedTuple):
    """What a run is asked for, in numbers; `allowed` is the tolerance times the method's own factor."""

    t_start: float  # of the run, from where the grid of fixed steps goes on
    t_end: float
    span: float
    step: float  # fixed; 0: by the error
    allowed: float
    longest: float
    shortest: float
    closed: float  # error of joints at the end of a step
    together: float  # instants that are nearer to each other than this are one
    project: bool


@by_reference
class MotionSoFar(NamedTuple):
    """Where the motion has come to: q (total_q,), v, the speeds that are shown, which are v, a (total,), λ (m,)."""

    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Stage(NamedTuple):
    """A stage of the step that is tried, at last its end: positions x (nq,) and rates u (nq,) as carried
    (:mod:`flexmb.solvers.coordinates`), and those x0 and u0 at the start of the step; q (total_q,), v, a, λ. The slopes
    (s, nq) of x and of u in all stages; errors (2, nq) of both, at last of positions and speeds."""

    x: np.ndarray
    u: np.ndarray
    x0: np.ndarray
    u0: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    kx: np.ndarray
    ku: np.ndarray
    error_q: np.ndarray
    error_v: np.ndarray


@by_reference
class Loop(NamedTuple):
    """All that the loop works with. `method` is what belongs to the method alone: a :class:`Tableau`, or something else
    with an `order`; `rows` (m,) and `watch` (3,) look for singular positions, see :mod:`flexmb.solvers.rows.passage`;
    `kinks` are times at which steps that follow their error end."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    sampling: Sampling
    mass: float
    method: Any
    coordinates: Coordinates
    options: Options
    scale: np.ndarray
    row_scale: np.ndarray
    motion: MotionSoFar
    stage: Stage
    work: Work
    rows: np.ndarray
    watch: np.ndarray
    left_out: LeftOut
    state: State
    counts: Counts
    kinks: np.ndarray
    crossings: Crossings


def stage_for(plan: Plan, tableau: Tableau, q: np.ndarray) -> Stage:
    """Room for the stages of a step from the position q (total_q,)."""
    s, nq = len(tableau.b), plan.nq
    x, u, x0, u0 = np.zeros((4, nq))
    v, a = np.zeros((2, plan.total))
    (kx, ku), (error_q, error_v) = np.zeros((2, s, nq)), np.zeros((2, 2, nq))
    return Stage(x, u, x0, u0, q.copy(), v, a, np.zeros(plan.m), kx, ku, error_q, error_v)
