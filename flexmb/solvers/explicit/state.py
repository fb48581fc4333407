"""What the loop of explicit methods works on: options, arrays, and what it remembers between steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates import Coordinates
from flexmb.solvers.explicit.tableau import Tableau
from flexmb.solvers.left_out import LeftOut
from flexmb.solvers.watched import Crossings
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling

# Places in the array of state. Time; proposed step; steps of the grid that are done; error of the last step that was
# kept; ∫ρ dt until now; how many were rejected since; whether accelerations must be found anew; whether they were
TIME, STEP, GRID, LAST_ERROR, RADIANS, REJECTED_HERE, ANEW, RENEWED = range(8)
# Largest |g|, |ġ| and estimated error of a step; the coordinate that is to blame; the smallest singular value of the
# constraints at the end of a step; the orientation whose Euler angles were singular in the last step tried, or −1
DRIFT, VELOCITY_DRIFT, STEP_ERROR, CULPRIT, SIGMA, LOST = range(8, 14)
# Fixed steps: whether one was divided since the last stop; what the errors of all of them become until the end
PART, CARRIED = 14, 15
STATE_SIZE = 16

# places in the array of counts
STEPS, REJECTED, EVALUATIONS = range(3)


@by_reference
class Options(NamedTuple):
    """What a run is asked for, in numbers; `allowed` is the tolerance times the method's own factor."""

    t_begin: float  # of the run, from where the grid of fixed steps goes on
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
    """Where the motion has come to: q (total_q,), v, a (total,), λ (m,)."""

    q: np.ndarray
    v: np.ndarray
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
    with an `order`; `rows` (m,) and `watch` (3,) look for singular positions, see :mod:`flexmb.solvers.passage`;
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
    state: np.ndarray
    counts: np.ndarray
    kinks: np.ndarray
    crossings: Crossings


def stage_for(plan: Plan, tableau: Tableau, q: np.ndarray) -> Stage:
    """Room for the stages of a step from the position q (total_q,)."""
    s, nq = len(tableau.b), plan.nq
    x, u, x0, u0 = np.zeros((4, nq))
    v, a = np.zeros((2, plan.total))
    (kx, ku), (error_q, error_v) = np.zeros((2, s, nq)), np.zeros((2, 2, nq))
    return Stage(x, u, x0, u0, q.copy(), v, a, np.zeros(plan.m), kx, ku, error_q, error_v)
