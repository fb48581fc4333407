"""Constraint rows that were left out as redundant, watched on the way.

Of rows that repeat one another a run has some, and leaves out the others, G_o = C G with the rows G that take part. At
each step two things are looked at. Rows that were left out must hold all the same. And no number of C may become large:
then the rows that take part are about to depend on one another, while an exchange of two rows, which multiplies the
volume of the rows by the number of C at their crossing, makes them independent again (Goreinov et al. (2010)). Where
all rows together lose rank, C stays as it is. One solution with the matrix of the step tells of C: with weights w,

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
from flexmb.system.evaluation import add_constraint_forces, constraints
from flexmb.system.linear import solve
from flexmb.system.plan import COUNT, ROW_AT, ROWS, Plan
from flexmb.system.system import System

#: whether rows that were left out hold, as the others do; whether some that take part fade, or one contradicts them
HOLD, FADE, CONTRADICT = range(3)
#: Rows fade where a share of them in those that were left out is larger. Within the next step it grows, and with its
#: square what rounding leaves of accelerations in joint coordinates: from a share of 10 on 1e-7 was left.
FADED = 5.0
#: A row that was left out contradicts the others if it is off by more than this, in units of the model, or by more than
#: this multiple of the error of those that take part.
OFF, OF_DRIFT = 1e-5, 100.0
#: Errors of velocity rows are parts of the largest speed, or of this one, in units of the model a second, if all are
#: slower: the speeds of a mechanism at rest are rounding.
SLOW = 1e-4


#: rows hold in a position, and joints are closed, if their errors are smaller, in units of the model
CLOSED = 1e-9
#: They contradict the others in speeds or accelerations from the start if they are off by more than these parts of the
#: largest speed and of the largest acceleration, which has speeds squared.
SPEEDED, ACCELERATED = 1e-3, 1e-2


class RowsFadeError(Exception):
    """Other constraint rows are needed for the steps to come; `found` is FADE or CONTRADICT. It does not leave a
    run."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


class Found(Variables):
    """The share above which rows fade; the row that contradicts the others, and when it does."""

    limit: float
    culprit: float
    time: float


@by_reference
class LeftOut(NamedTuple):
    """The rows (r,) that were left out: a plan of these alone, their weights, scales and errors; scratch: forces
    (total,), a solution (size,), zeros (4,)."""

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
    """The rows that a system leaves out; none in most."""
    if not system.left_out:
        empty = np.zeros(0)
        return LeftOut(system.plan, empty, empty, empty, empty, empty, empty, empty, empty, Found.zeros())
    assembly = system.assembly
    numbers = np.setdiff1d(np.arange(len(assembly.rows)), system.kept)
    r = len(numbers)
    plan, _ = assembly.plan(numbers, 0)
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
    """HOLD, FADE or CONTRADICT at a state whose matrix has its factors in `linear`; `drift` is the error of the rows
    that take part."""
    r = left.plan.m
    constraints(left.plan, scratch, t, q, v, v, left.zero, left.g, left.gd, left.gamma)
    fastest = max(norm(v, scale, plan.n), SLOW)
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
    return HOLD if share <= left.found.limit else FADE


def contradiction(system: System, t: float, q: np.ndarray) -> str:
    """What to say of a row that was left out and does not hold in a position in which the others do; empty if all
    hold."""
    if not system.left_out:
        return ""
    whole = system.whole
    off = np.abs(whole.constraint(t, q, np.zeros(whole.n))[0]) / whole.row_scale
    worst = int(np.argmax(off))
    if off[worst] <= OFF:
        return ""
    return f"{whole.rows[worst].where} was left out as redundant and contradicts the others there"


def refuse_contradiction(system: System, t: float, q: np.ndarray, where: str) -> None:
    """Raise a RedundancyError if a row that was left out does not hold in the position that was found."""
    said = contradiction(system, t, q)
    if said:
        raise RedundancyError(
            f"{where}: in the position that was found {said}: it repeats them in the initial position only; draw the "
            "model in another position"
        )


def refuse_contradicting_rates(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Raise a RedundancyError if a row that was left out does not hold in speeds (n,) or accelerations (n,) that meet
    the others: drives of t and of t² rad agree at t = 0, but their speeds do not."""
    if not system.left_out:
        return
    whole, m, n = system.whole, system.whole.m, system.n
    _, rates, gamma = whole.constraint(t, q, v)
    _, driven, _ = whole.constraint(t, q, np.zeros(n))
    rows = whole.row_scale
    fastest = max(norm(driven, rows, m), norm(v, whole.scale, n), SLOW)
    hardest = max(norm(gamma, rows, m), norm(a, whole.scale, n), SLOW)
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
