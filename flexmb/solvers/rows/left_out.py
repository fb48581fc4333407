"""Constraint rows that were left out as redundant, checked at every step.

Where rows repeat one another, a run has some of them, the active rows G, and leaves out the others, G_o = C G. Each
step checks two things. The rows that were left out must be satisfied all the same. And no number in C may become large:
then the active rows are about to depend on one another, while exchanging two rows multiplies the volume of the active
rows by the number in C at their crossing and makes them independent again (Goreinov et al. (2010)). Where all rows
together lose rank, C stays as it is. One solution with the matrix of the step gives information about C: with weights
w,

    [S  Gᵀ] [x]   [G_oᵀ w]
    [G  0 ] [y] = [   0   ],      x = 0,   y = Cᵀ w
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.errors import RedundancyError
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.statuses import CONTRADICT, FADE, OK
from flexmb.system.evaluation import add_constraint_forces, constraints
from flexmb.system.linear import solve
from flexmb.system.plan import COUNT, ROW_AT, ROWS, Plan
from flexmb.system.planning import plan_of
from flexmb.system.system import System

#: Active rows fade if an entry of Cᵀ w exceeds this. It grows further within the next step, and round-off in
#: accelerations in joint coordinates grows with its square: from 10 on it was 1e-7.
FADED = 5.0
#: In a step of a run, a row that was left out contradicts the others if its error exceeds this, in units of the model,
#: and this multiple of the error of the active rows.
OFF, OF_DRIFT = 1e-5, 100.0
#: The same in a position that was solved for, in which the active rows are satisfied to :data:`CLOSED`.
HELD = 1e-7
#: Errors of velocity rows are compared with the largest speed, or with this one, in model lengths per second, if all
#: are slower: speeds of a mechanism at rest are round-off.
LEAST_SPEED = 1e-4
#: A speed below this fraction of the largest one is that of a part at rest.
AT_REST = 1e-9


#: Rows are satisfied in a position, and joints are closed, if their errors are smaller than this, in units of the
#: model.
CLOSED = 1e-9
#: A row that was left out contradicts the others at the start if its error in speeds or accelerations exceeds these
#: fractions of the largest speed and of the largest acceleration, which contains squares of speeds.
SPEEDED, ACCELERATED = 1e-3, 1e-2


class RowsFadeError(Exception):
    """The following steps need other constraint rows; `found` is FADE or CONTRADICT. Raised and caught inside
    `simulate`; users never see it."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


class Found(Variables):
    """Result of the checks."""

    limit: float
    culprit: float
    time: float


@by_reference
class LeftOut(NamedTuple):
    """The r rows that were left out: their `plan`, their weights w, scales, errors `g` and `gd` and right-hand sides
    `gamma`, all (r,). Scratch: forces (total,), a solution x (size,), zeros (4,)."""

    plan: Plan
    weights: np.ndarray
    row_scale: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    force: np.ndarray
    x: np.ndarray
    zero: np.ndarray
    found: Found


def left_out_of(system: System) -> LeftOut:
    """The LeftOut of a system; empty for most."""
    if not system.left_out:
        empty = np.zeros(0)
        return LeftOut(system.plan, empty, empty, empty, empty, empty, empty, empty, empty, Found.zeros())
    assembly = system.assembly
    numbers = np.setdiff1d(np.arange(len(assembly.rows)), system.kept)
    r = len(numbers)
    plan, _ = plan_of(assembly, numbers, 0)
    has_some = [bool(np.any(plan.rows[g[ROW_AT] : g[ROW_AT] + g[COUNT] * g[ROWS]] >= 0)) for g in plan.groups]
    plan = plan._replace(groups=plan.groups[np.array(has_some)], p=system.plan.p, friction=0)
    scale = np.array([system.length_scale if assembly.rows[k].kind == "length" else 1.0 for k in numbers])
    weights = (1.0 + np.modf(0.618 * np.arange(r))[0]) / scale
    g, gd, gamma = np.zeros((3, r))
    force, x, found = np.zeros(plan.total), np.zeros(system.plan.size), Found.zeros()
    found.limit = FADED
    return LeftOut(plan, weights, scale, g, gd, gamma, force, x, np.zeros(4), found)


@called(int)
def check_left_out(left, plan, scratch, linear, t, q, v, scale, row_scale, drift):
    """Check the rows that were left out at a state whose matrix is factorized in `linear`; returns OK, FADE or
    CONTRADICT. `drift` is the error of the active rows."""
    r = left.plan.m
    constraints(left.plan, scratch, t, q, v, v, left.zero, left.g, left.gd, left.gamma)
    fastest = max(norm(v, scale, plan.n), LEAST_SPEED)
    allowed = max(OFF, OF_DRIFT * drift)
    worst = 0.0
    for k in range(r):
        error = left.gd[k] / fastest if left.plan.at_speed[k] >= 0 else left.g[k]
        off = abs(error) / left.row_scale[k]
        if not off <= worst:
            worst = off
            left.found.culprit = k
    if not worst <= allowed:
        left.found.time = t
        return CONTRADICT
    for i in range(plan.total):
        left.force[i] = 0.0
    add_constraint_forces(left.plan, scratch, t, q, v, v, left.weights, left.zero, left.force)
    for i in range(plan.size):
        left.x[i] = left.force[i] if i < plan.n else 0.0
    solve(plan, linear, left.x)
    share = 0.0
    for k in range(plan.m):
        share = max(share, abs(left.x[plan.n + k]) * row_scale[k])
    return OK if share <= left.found.limit else FADE


def contradiction(system: System, t: float, q: np.ndarray) -> str:
    """A message that names the row that was left out and is violated in a position in which the active rows hold; empty
    if all rows hold."""
    if not system.left_out:
        return ""
    whole = system.whole
    off = np.abs(whole.constraint(t, q, np.zeros(whole.n))[0]) / whole.row_scale
    worst = int(np.argmax(off))
    if off[worst] <= HELD:
        return ""
    return f"{whole.rows[worst].where} was left out as redundant and contradicts the others there"


def refuse_contradiction(system: System, t: float, q: np.ndarray, where: str) -> None:
    """Raise a RedundancyError if a row that was left out is violated in the position that was found."""
    said = contradiction(system, t, q)
    if said:
        raise RedundancyError(
            f"{where}: in the position that was found {said}: it repeats them in the initial position only; draw the "
            "model in another position"
        )


def refuse_contradicting_rates(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Raise a RedundancyError if a row that was left out is violated by speeds (n,) or accelerations (n,) that satisfy
    the others: drives of t and of t² rad agree at t = 0, but their speeds do not."""
    if not system.left_out:
        return
    whole, m, n = system.whole, system.whole.m, system.n
    _, rates, gamma = whole.constraint(t, q, v)
    _, driven, _ = whole.constraint(t, q, np.zeros(n))
    rows = whole.row_scale
    fastest = max(norm(driven, rows, m), norm(v, whole.scale, n), LEAST_SPEED)
    hardest = max(norm(gamma, rows, m), norm(a, whole.scale, n), LEAST_SPEED)
    for what, errors, allowed in (
        ("speeds", rates, SPEEDED * fastest),
        ("accelerations", whole.jacobian(t, q) @ a - gamma, ACCELERATED * hardest),
    ):
        worst = int(np.argmax(np.abs(errors) / rows))
        if abs(errors[worst]) > allowed * rows[worst]:
            raise RedundancyError(
                f"model {whole.model.name!r}: {whole.rows[worst].where} was left out as redundant, and contradicts the "
                f"others in the {what} at t = {t:g} s, by {abs(errors[worst]):.3g}; remove one of them, or draw the "
                "model in another position if it repeats them in this one only"
            )
