"""Arrays and variables of the loop of explicit methods: options, motion, stages, and the variables kept from step to
step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.clock import Clock
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling


class State(Clock):
    """Variables that the loop keeps from step to step; flags are 0 or 1."""

    last_error: float  # error of the last accepted step, as a part of the error allowed
    radians: float  # ∫ρ dt from the start of the run
    rejected_here: float  # number of steps rejected since the last accepted one
    # largest |g|, |ġ| and estimated error of a step; index of the coordinate named if the run fails
    drift: float
    velocity_drift: float
    step_error: float
    culprit: float
    sigma: float  # smallest singular value of the constraints at the end of a step
    lost: float  # index of the orientation whose Euler angles were singular in the last step, or −1
    # fixed steps: whether one was divided since the last stop; estimated displacement at the end of the run due to the
    # errors of all steps
    part: float
    carried: float
    since_save: float  # number of steps since the last saved one


class Counts(Variables):
    """Counters of a run, for its statistics."""

    steps: int
    rejected: int
    evaluations: int
    iterations: int
    factorizations: int
    divided: int


@by_reference
class Options(NamedTuple):
    """Numerical options of a run; `allowed` is the tolerance times the factor of the method."""

    t_start: float  # start of the run and of the grid of fixed steps
    t_end: float
    span: float
    step: float  # fixed; 0: from the error
    allowed: float
    longest: float
    shortest: float
    closed: float  # error to which joints are closed at the end of a step
    together: float  # instants closer than this [s] count as one
    project: bool
    save_every: int = 1  # every how many steps one is saved; explicit methods save all
    forces: bool = True  # whether each step computes joint forces, and how well the rows hold


@by_reference
class MotionSoFar(NamedTuple):
    """Present state: q (total_q,), v, `shown`, the speeds to be saved, the same array as v, a (total,), λ (m,)."""

    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Stage(NamedTuple):
    """The present stage of a step, after the last one its end: positions x (nq,) and speeds u (nq,) in the coordinates
    of the method (:mod:`flexmb.solvers.coordinates.coordinates`), and x0 and u0 at the start of the step; q (total_q,),
    v, a, λ. Slopes (s, nq) of x and u at all stages; the two estimated errors (2, nq) of both, converted to errors of
    positions and speeds."""

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
    """Everything that the loop reads and writes. `method`: the record of the method, such as a
    :class:`~flexmb.algebra.tableau.Tableau`, which has an `order`; `rows` (m,) and `watch` (3,) detect singular
    positions, see :mod:`flexmb.solvers.changes.passage`; `kinks`: times at which functions of time have kinks, where
    steps end unless they are fixed."""

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


def stage_for(plan: Plan, s: int, q: np.ndarray) -> Stage:
    """Arrays for the s stages of a step, filled with the position q (total_q,)."""
    nq = plan.nq
    x, u, x0, u0 = np.zeros((4, nq))
    v, a = np.zeros((2, plan.total))
    (kx, ku), (error_q, error_v) = np.zeros((2, s, nq)), np.zeros((2, 2, nq))
    return Stage(x, u, x0, u0, q.copy(), v, a, np.zeros(plan.m), kx, ku, error_q, error_v)
