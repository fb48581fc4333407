"""Constraint rows with which a run or an analysis begins, and with which a run goes on."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import LARGEST_DENSE
from flexmb.errors import RedundancyError, RedundancyWarning, warn
from flexmb.solvers.events.jamming import friction_not_unique
from flexmb.solvers.rows.index_one import norm, project
from flexmb.solvers.rows.left_out import CONTRADICT, HOLD, OFF, SLOW
from flexmb.solvers.run import Run
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.assembly import Row
from flexmb.system.bad_kernels import Joints
from flexmb.system.linear import OK
from flexmb.system.rank import (
    CONTRADICTION,
    dependent_and_partners,
    redundant_rows,
    said_of_redundant,
    scaled_rows,
)
from flexmb.system.redundancy import other_rows
from flexmb.system.system import System

#: what may be done about rows that repeat others
REDUNDANT = ("remove", "error")
#: Where some rows depend on others, a pivot below this part of the largest is none: positions that were typed close
#: joints no better.
TYPED = 1e-5
#: joints are closed if their error is smaller; where they are closed here, they are so to the second
CLOSED, TIGHT = 1e-9, 1e-13
#: most corrections by which they are closed; a pivot below this multiple of the joints' error is none
SWEEPS, FINENESS = 30, 10.0
#: rows left out that a warning names
MOST_NAMED = 12
#: A run that came to its end goes on with other rows if a share of its own in those left out is larger.
WORSE = 2.0
#: Rows that were left out because they repeated others in one position only take part where they do not: positions may
#: be moved for that by so much, and speeds by such a part of the largest.
MOVED, SPEEDED = 1e-4, 1e-3
#: A row that was left out contradicts the others in speeds or accelerations from the start if it is off by more than
#: SPEEDED of the largest speed, or by more than this part of the largest acceleration (which has speeds squared).
ACCELERATED = 1e-2


def independent_rows(whole: System, t: float, q: np.ndarray, redundant: str, known: Joints | None = None) -> System:
    """The system with rows that are independent of one another in a position, joints closed; the others are left out
    with a RedundancyWarning, or refused where `redundant` is "error". Rows that contradict others are refused. `known`:
    what joints say in the position, if the caller has it already."""
    strict = redundant == "error"
    found = redundant_rows(whole, t, q, raise_error=strict, scaled=known.scaled if known else None)
    off = float(norm(known.g, whole.row_scale, whole.m)) if known else _off(whole, t, q)
    if off > CLOSED and (len(found) or whole.m * whole.n <= LARGEST_DENSE):
        # Rows that repeat one another where joints are closed need not do so where a drawing leaves them open.
        closed, left = _closed(whole, t, q, found)
        if left <= CONTRADICTION:
            q = closed
            found = redundant_rows(whole, t, q, raise_error=strict)
    if not len(found):
        return whole
    dependent, partners = dependent_and_partners(whole, t, q, least=TYPED)
    g = whole.constraint(t, q, np.zeros(whole.n))[0] / whole.row_scale
    if np.any(np.abs(g[dependent]) > CONTRADICTION):
        raise RedundancyError(f"{said_of_redundant(whole, t, q, dependent, partners)}; remove one")
    warn_of_redundant(whole, t, q, dependent, partners)
    return whole.with_rows(np.setdiff1d(np.arange(whole.m), dependent))


def _off(whole: System, t: float, q: np.ndarray) -> float:
    """The largest error of the joints in a position, in units of the model."""
    g = whole.constraint(t, q, np.zeros(whole.n))[0]
    return float(norm(g, whole.row_scale, whole.m))


def _closed(whole: System, t: float, q: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, float]:
    """A position (nq,) beside this one in which joints are closed, and the error that is left there. In a large system
    only the rows that were not `found` redundant are solved for. Else all are, the shortest way: how nearly rows depend
    on one another is not told more finely than the joints are closed."""
    if whole.m * whole.n > LARGEST_DENSE:
        system = whole.with_rows(np.setdiff1d(np.arange(whole.m), found))
        full_q, full_v, lam = system.full_q(q), np.zeros(system.plan.total), np.zeros(system.m)
        args = (full_q, full_v, lam, system.row_scale, work_for(system.plan), 1e-12, SWEEPS, True)
        status, _, _ = with_room(system, project, t, *args)
        q = full_q[: system.nq]
        return q, _off(whole, t, q) if status == OK else np.inf
    for _ in range(SWEEPS):
        g = whole.constraint(t, q, np.zeros(whole.n))[0] / whole.row_scale
        off = float(np.max(np.abs(g)))
        if not TIGHT < off < 1.0:
            break
        A = dense(scaled_rows(whole, whole.jacobian(t, q)))
        move, *_ = np.linalg.lstsq(A, -g, rcond=max(TYPED, FINENESS * off))
        if np.max(np.abs(move)) < TIGHT:
            break
        q = whole.retract(q, whole.scale * move)
    return q, _off(whole, t, q)


def warn_of_redundant(whole: System, t: float, q: np.ndarray, dependent: list[int], partners: list[np.ndarray]) -> None:
    """Name the rows that are left out, and those that they repeat."""
    warn(
        f"{said_of_redundant(whole, t, q, dependent, partners, MOST_NAMED)}; the rows named first are left out, and "
        "forces that the motion does not determine are the smallest that hold the mechanism (see unique_reactions); "
        "redundant='error' refuses such joints",
        RedundancyWarning,
    )


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


def rows_exchanged(run: Run) -> bool:
    """Whether a run that ended before its time can go on with other constraint rows; if so, it has them, and begins
    anew where it is. If a row that was left out contradicts the others, the message says so."""
    fading, run.fading = run.fading, HOLD
    system, t = run.system, run.t
    if not system.left_out or (fading == HOLD and run.status != "diverged"):
        return False
    rows, share = other_rows(system, t, run.q[: system.nq])
    same = np.array_equal(rows, system.kept)
    if fading == HOLD:
        if same or share <= WORSE or run.exchanged == t:
            return False
        run.status, run.message = "finished", ""
    if fading == CONTRADICT and (same or run.exchanged == t or not _fits(run, system.whole.with_rows(rows))):
        row, when = _culprit(run), float(run.left_out.found.time)
        run.diverged(f"{row.where} was left out as redundant and contradicts the others at t = {when:g} s")
        return False
    run.exchanged = t
    limit = 2.0 * float(run.left_out.found.limit)
    if not same:
        run.use(system.whole.with_rows(rows))
        run.statistics.other_rows += 1
    else:  # no choice is better
        run.left_out.found.limit = limit
    said = friction_not_unique(run.system, t, run.q[: system.nq])
    if said:
        run.diverged(said)
        return False
    return _accelerated(run)


def _fits(run: Run, system: System) -> bool:
    """Whether the run's state meets all rows of another system, or nearly: then it is moved onto them."""
    q, v, lam = run.q.copy(), run.v.copy(), np.zeros(system.m)
    args = (q, v, lam, system.row_scale, work_for(system.plan), 1e-12, 10, True)
    status, left, _ = with_room(system, project, run.t, *args)
    n, nq = system.n, system.nq
    moved = norm(system.difference(q[:nq], run.q[:nq]), system.scale, n)
    speeded = norm(v[:n] - run.v[:n], system.scale, n)
    fastest = norm(run.v[:n], system.scale, n)
    if status != OK or not left <= CLOSED or not moved <= MOVED or not speeded <= SPEEDED * fastest:
        return False
    run.q[:], run.v[:] = q, v
    return True


def _accelerated(run: Run) -> bool:
    """Fill the run's accelerations and multipliers; False if its rows do not determine them, which ends the run."""
    system = run.system
    args = (run.q, run.v, run.a, run.lam, work_for(system.plan), 0.0, 0.0)
    if with_room(system, accelerations, run.t, *args) == OK and np.isfinite(run.a).all():
        return True
    run.diverged("the constraints lose rank (a singular position): accelerations are not determined")
    return False


def _culprit(run: Run) -> Row:
    """The row that was left out and contradicts the others."""
    assembly = run.system.assembly
    numbers = np.setdiff1d(np.arange(len(assembly.rows)), run.system.kept)
    return assembly.rows[int(numbers[int(run.left_out.found.culprit)])]
