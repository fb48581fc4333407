"""Arrays and variables of the loop of generalized-α: coefficients, options, motion, and the variables kept from step to
step."""

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
    """Variables that the loop keeps from step to step; flags are 0 or 1."""

    beside: float  # whether the next step passes a point of the grid of fixed steps, see alpha_loop
    # step sizes [s]: to which â belongs; of the last step; over which a changed from `a_before`; for which the matrix
    # was factorized
    h_last: float
    h_done: float
    h_slope: float
    h_matrix: float
    jump: float  # why the recursion starts again at this state (0: it does not)
    plain: float  # whether to predict with constant accelerations
    last_error: float
    # number of further steps that make their own matrix, and number when the next old matrix is useless
    fresh_only: float
    fresh_span: float
    # largest errors of positions and of speeds on the constraints; index of the coordinate or constraint named if the
    # run fails
    drift: float
    velocity_drift: float
    culprit: float
    # the correction due to round-off, in both norms; the step for which it was measured [s]; for how many more steps
    # the measurement is used
    floor: float
    floor_power: float
    floor_step: float
    floor_left: float
    # the predictor in use (0: accelerations, 1: positions); number of earlier positions known, and their times [s]
    predictor: float
    past: float
    past_1: float
    past_2: float
    past_3: float
    # Newton's method: corrections since the matrix was made; sum of their sizes in the step; the last one in both
    # norms; whether the matrix belongs to this step; whether a new one is to be made; whether one was made, and
    # round-off measured, in this step; iterations since the matrix was made beyond one in each step, plus one half for
    # each further projection of speeds
    since: float
    moved: float
    last: float
    last_power: float
    fresh: float
    refresh: float
    renewed: float
    measured: float
    wasted: float
    # differences of a for the prediction (0: first, 1: second); mean error of either in recent steps; number of second
    # differences since the recursion started; number of steps until the others are tried again
    foresight: float
    first_off: float
    second_off: float
    curves: float
    untried: float
    # largest σ at the states where accelerations were computed
    # (:func:`flexmb.solvers.rows.singular_value.smallest_singular_value`)
    widest: float
    # near singular positions: whether round-off hides the error of the last step; round-off in Δq in recent steps; the
    # smallest of the run
    hidden: float
    left: float
    least_left: float
    # fixed steps: whether one was divided since the last stop; estimated displacement at the end of the run due to the
    # errors of all steps
    part: float
    carried: float
    since_save: float  # number of steps since the last saved one


class Counts(Variables):
    """Counters of a run, for its statistics."""

    steps: int
    rejected: int
    iterations: int
    factorizations: int
    divided: int


# Values of `jump`: forces have jumped; sizes of steps are uneven.
FORCES, UNEVEN_STEPS = 1.0, 2.0
# Value of `culprit`: the constraints depend on one another.
NO_RANK = -1.0

# Rows of `memory`, the rates of convergence with factors that are used again: Newton's matrix; the mass matrix.
NEWTON_MEMORY, STANDING_MEMORY = range(2)


@by_reference
class Coefficients(NamedTuple):
    """Coefficients of the method; `on_a` = (1 − αm)/(1 − αf) is ∂a₁/∂â₁. The error of a step is C h³ ȧ in positions and
    D h³ ä in speeds, with C in `error` and D in `speed_error`: the recursion preserves â = a + (αm − αf) h ȧ + e h² ä,
    e = ½ (1 − αf) − (1 − αm) (½ + αm − αf), so that D = e + γ (½ + αm − αf) − ⅙."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float
    on_a: float
    error: float
    speed_error: float

    @classmethod
    def of(cls, rho: float) -> Self:
        """Coefficients for the spectral radius ρ at infinity.

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

    @classmethod
    def of_newmark(cls, beta: float, gamma: float) -> Self:
        """Coefficients of Newmark (1959): αm = αf = 0, so that â = a.

        >>> Coefficients.of_newmark(0.25, 0.5)[:5]
        (0.0, 0.0, 0.5, 0.25, 1.0)
        """
        return cls(0.0, 0.0, gamma, beta, 1.0, abs(beta - 1.0 / 6.0), abs(0.5 * gamma - 1.0 / 6.0))


@by_reference
class Options(NamedTuple):
    """Numerical options of a run."""

    tolerance: float
    allowed: float  # allowed sum of the estimated errors of steps, per second
    newton: float  # accuracy of Δq that Newton's method must reach, in units of the scale of each coordinate
    newton_exact: int  # 1: the user gave it; 0: it depends on the accelerations
    t_start: float
    t_end: float
    step: float  # fixed; 0: from the error
    longest: float
    shortest: float
    together: float  # instants closer than this [s] count as one
    mass: float
    length: float
    iterations: int
    save_every: int
    own_standing: int  # 1: accelerations have factors of their own, apart from those of Newton's method
    rigid: int  # 1: nothing bends, so that errors of speeds persist
    careful: int  # 1: a small system or one with controllers: the matrix of an earlier step must not cost accuracy


@by_reference
class MotionSoFar(NamedTuple):
    """Present state: q (total_q,), v of the recursion, `shown`, the speeds to be saved, a, â (total,), λ (m,). a and λ
    of the step before, and their second divided differences over the last two steps; `off`, the difference of v from
    the speeds that satisfy ġ = 0; the positions of the last three steps (3, nq)."""

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
    """State at the end of the trial step: q is the start displaced by y (n,); `kept` are its speeds projected onto
    ġ = 0; `maps` (k, 9): for each orientation T(y), which converts changes of y to changes of speeds, from when the
    matrix was made."""

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
    """Everything that the loop reads and writes. `standing` holds factors of [M Gᵀ; G 0] for accelerations; `memory`
    (2, 3): rates of convergence with factors that are used again; `kinks`: times at which functions of time have kinks,
    where steps end."""

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
    """The present state at the start of a run; steps change q, v, a and λ in place."""
    total, m = plan.total, plan.m
    before, curve, off = np.zeros((3, total))
    lam_before, lam_curve = np.zeros((2, m))
    past = np.zeros((3, plan.nq))
    return MotionSoFar(q, v, v.copy(), a, a.copy(), lam, before, lam_before, curve, lam_curve, off, past)


def trial_for(plan: Plan, q: np.ndarray) -> Trial:
    """Arrays for the end of a step, filled with the position q (total_q,)."""
    total = plan.total
    v, a, alg, kept = np.zeros((4, total))
    maps = np.zeros((len(plan.orientations), 9))
    return Trial(np.zeros(plan.n), q.copy(), v, a, alg, np.zeros(plan.m), kept, maps)
