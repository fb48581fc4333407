"""What the loop of generalized-α works on: its coefficients, options, arrays, and what it remembers between steps."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling


class State(Clock):
    """What the loop remembers between steps; flags are 0 or 1."""

    beside: float  # whether to step over the next point of the grid of fixed steps
    # the step to which â belongs; the last step that was done; the step over which a changed from `a_before`; the step
    # for which the matrix was made
    h_last: float
    h_done: float
    h_slope: float
    h_matrix: float
    jump: float  # why the recursion starts again at this state (0: it does not)
    plain: float  # whether to predict without the slope of a
    last_error: float
    # how many more steps make their own matrix, and how many do when an old one is no use
    fresh_only: float
    fresh_span: float
    # the largest errors of positions and of speeds; the coordinate or constraint that is to blame
    drift: float
    velocity_drift: float
    culprit: float
    # the correction that rounding leaves, in both norms; the step for which it was measured; for how many more steps
    # the measurement serves
    floor: float
    floor_power: float
    floor_step: float
    floor_left: float
    # the predictor in use (0: by accelerations, 1: by positions); how many earlier positions are known, and their times
    predictor: float
    past: float
    past_1: float
    past_2: float
    past_3: float
    # Newton's method: corrections since the matrix was made; their sum in the step; the last one in both norms; whether
    # the matrix is the step's own; whether a new one is wanted; whether one was made, and rounding measured, in this
    # step; iterations since the matrix was made, beyond one in each step, with one half for each further correction of
    # speeds
    since: float
    moved: float
    last: float
    last_power: float
    fresh: float
    refresh: float
    renewed: float
    measured: float
    wasted: float
    # by which differences of a the step is foreseen (0: first, 1: second); how far either was off lately; how many
    # steps since the recursion started tell of second differences; after how many steps the other ones are tried again
    foresight: float
    first_off: float
    second_off: float
    curves: float
    untried: float
    # the largest σ where accelerations were computed (:func:`flexmb.solvers.rows.passage.smallest_singular_value`)
    widest: float
    # near singular positions: whether rounding hides the error of the last step; what it left in Δq lately; the least
    # that it left in a step of the run
    hidden: float
    left: float
    least_left: float
    # fixed steps: whether one was divided since the last stop; what the errors of all of them become until the end
    part: float
    carried: float


class Counts(Variables):
    """What a run counts; `since_save` are the steps since the last one that was saved."""

    steps: int
    rejected: int
    iterations: int
    factorisations: int
    since_save: int
    divided: int


# values of `jump`: forces have jumped; steps are uneven
FORCES, UNEVEN_STEPS = 1.0, 2.0
# value of `culprit`: the constraints depend on one another
NO_RANK = -1.0

# rows of `memory`, which tells how fast iterations with old factors converge: the step's matrix; the mass matrix
NEWTON_MEMORY, STANDING_MEMORY = range(2)


@by_reference
class Coefficients(NamedTuple):
    """Numbers of the method; `on_a` = (1 − αm)/(1 − αf) is ∂a₁/∂â₁. The error of a step is C h³ ȧ in positions and
    D h³ ä in speeds, with C as `error` and D as `speed_error`: â = a + (αm − αf) h ȧ + e h² ä is what the recursion
    keeps, e = ½ (1 − αf) − (1 − αm) (½ + αm − αf), so that D = e + γ (½ + αm − αf) − ⅙."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float
    on_a: float
    error: float
    speed_error: float

    @classmethod
    def of(cls, rho: float) -> Self:
        """The coefficients for a spectral radius at infinity.

        >>> rule = Coefficients.of(1.0)  # the trapezoidal rule
        >>> rule.gamma, rule.beta, round(12 * rule.error, 12), round(12 * rule.speed_error, 12)
        (0.5, 0.25, 1.0, 1.0)
        """
        am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 + af - am
        beta = 0.25 * (gamma + 0.5) ** 2
        ahead = 0.5 + am - af
        in_speeds = 0.5 * (1.0 - af) - (1.0 - am) * ahead + gamma * ahead - 1.0 / 6.0
        return cls(
            am, af, gamma, beta, (1.0 - am) / (1.0 - af), abs(beta - 0.5 * (af - am) - 1.0 / 6.0), abs(in_speeds)
        )


@by_reference
class Options(NamedTuple):
    """What a run is asked for, in numbers."""

    tolerance: float
    allowed: float  # estimated errors of steps that are allowed, per second
    newton: float  # accuracy of Δq that Newton's method must reach, in units of the scale of each coordinate
    newton_exact: int  # 1: the user gave it; 0: it follows the accelerations
    t_start: float
    t_end: float
    step: float  # fixed; 0: by the error
    longest: float
    shortest: float
    together: float  # instants that are nearer to each other than this are one
    mass: float
    length: float
    iterations: int
    save_every: int
    own_standing: int  # 1: the factors for accelerations are not those of the steps
    rigid: int  # 1: nothing bends, so that errors of speeds go on
    careful: int  # 1: a small system or one with controllers: the matrix of an earlier step must not cost accuracy


@by_reference
class MotionSoFar(NamedTuple):
    """Where the motion has come to: q (total_q,), v, the speeds that are shown, a, â (total,), λ (m,); a and λ of the
    step before, and the second divided differences over the last two steps; `off`, by which v differs from the speeds
    that are kept; and the positions of the last three steps (3, nq)."""

    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    alg: np.ndarray
    lam: np.ndarray
    a_before: np.ndarray
    lam_before: np.ndarray
    a_curve: np.ndarray
    lam_curve: np.ndarray
    off: np.ndarray
    past: np.ndarray


@by_reference
class Trial(NamedTuple):
    """The end of the step that is tried: q is the start moved by y (n,); `kept` are its speeds on their constraints;
    `maps` (k, 9) lead from changes of y to changes of speeds where the matrix was made, for each orientation."""

    y: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    alg: np.ndarray
    lam: np.ndarray
    kept: np.ndarray
    maps: np.ndarray


@by_reference
class Loop(NamedTuple):
    """All that the loop works with. `standing` keeps factors of the matrix for accelerations, [M Gᵀ; G 0]; `memory`
    (2, 3) tells how well factors serve that are used again; `kinks` are times at which steps end."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    standing: Linear
    sampling: Sampling
    scheme: Coefficients
    options: Options
    scales: Scales
    motion: MotionSoFar
    trial: Trial
    work: Work
    state: State
    counts: Counts
    memory: np.ndarray
    kinks: np.ndarray
    left_out: LeftOut
    crossings: Crossings


def motion_of(plan: Plan, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> MotionSoFar:
    """The start of a run, whose steps change q, v, a and λ in place."""
    total, m = plan.total, plan.m
    before, curve, off = np.zeros((3, total))
    lam_before, lam_curve = np.zeros((2, m))
    past = np.zeros((3, plan.nq))
    return MotionSoFar(q, v, v.copy(), a, a.copy(), lam, before, lam_before, curve, lam_curve, off, past)


def trial_for(plan: Plan, q: np.ndarray) -> Trial:
    """Room for a step from the position q (total_q,)."""
    total = plan.total
    v, a, alg, kept = np.zeros((4, total))
    maps = np.zeros((len(plan.orientations), 9))
    return Trial(np.zeros(plan.n), q.copy(), v, a, alg, np.zeros(plan.m), kept, maps)
