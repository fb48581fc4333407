"""Exchange of constraint rows: where rows repeat one another, active rows are replaced by rows that are more
independent.

A row that was left out is a linear combination of the active rows. Exchanging it for one of these multiplies the volume
of the active rows by the coefficient of that row (Goreinov et al. (2010)): if no coefficient exceeds one in magnitude,
no choice of rows is better.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.rank import TYPED, best_rows, dependent_rows, shares
from flexmb.solvers.changes.stride import MOVED
from flexmb.solvers.events.jamming import friction_not_unique
from flexmb.solvers.rows.index_one import SWEEPS, TOLERANCE, norm, project
from flexmb.solvers.rows.left_out import CLOSED, SPEEDED
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import CONTRADICT, OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.assembly import Row
from flexmb.system.redundancy import connected_rows, rows_there
from flexmb.system.system import System

#: Rows are exchanged if a coefficient of an active row in one that was left out exceeds this. It is somewhat more than
#: one, so that equally good rows are not exchanged again and again.
LARGEST_SHARE = 1.5


def rows_instead(system: System, t: float, q: np.ndarray) -> np.ndarray | None:
    """The rows, indices among all, that should replace the active ones in a position (nq,); None if the active rows can
    stay."""
    if not system.left_out or not np.isfinite(q).all():
        return None
    rows, share = _most_independent(system, t, q)
    return None if share <= LARGEST_SHARE or np.array_equal(rows, system.kept) else rows


def loses_rank(system: System, t: float, q: np.ndarray) -> bool:
    """Whether, at a position where the active rows are singular, every other choice of rows is singular too."""
    if not system.left_out:
        return True
    rows, _, best = _best(system, t, q)
    return len(best) < len(rows) - system.left_out


def _most_independent(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, float]:
    """The rows, indices among all, that are most independent of one another in a position, at least as many as are
    active now; and the largest coefficient of an active row in one that was left out (infinite if the active rows
    depend on one another). If all rows together have lost rank, the active rows are returned."""
    rows, A, best = _best(system, t, q)
    now = np.flatnonzero(np.isin(rows, system.kept))
    if len(best) < len(now):
        return system.kept, 0.0
    largest = np.inf
    if not dependent_rows(A[now])[0]:
        largest = float(np.max(np.abs(shares(A, now, np.setdiff1d(np.arange(len(rows)), now))), initial=0.0))
    return np.union1d(np.setdiff1d(system.kept, rows), rows[best]), largest


def _best(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices, among all, of the rows that are connected with one that was left out; these rows; and which of them are
    most independent of one another."""
    rows = connected_rows(system)
    A = rows_there(system.whole, rows, t, q)
    return rows, A, best_rows(A, system.whole.at_speed[rows], TYPED)


def rows_exchanged(run: Run) -> bool:
    """Let a run that ended early continue with other constraint rows, from its present state; returns whether it can.
    If a row that was left out contradicts the others, the run ends with a message that names it."""
    fading, run.fading = run.fading, OK
    system, t = run.system, run.t
    if not system.left_out or (fading == OK and run.report.status != "diverged"):
        return False
    rows, share = _most_independent(system, t, run.q[: system.nq])
    same = np.array_equal(rows, system.kept)
    if fading == OK:
        if same or share <= LARGEST_SHARE or run.exchanged == t:
            return False
        run.report.status, run.report.message = "finished", ""
    if fading == CONTRADICT and (same or run.exchanged == t or not _fits(run, system.whole.with_rows(rows))):
        row, when = _culprit(run), float(run.left_out.found.time)
        run.diverged(f"{row.where} was left out as redundant and contradicts the others at t = {when:g} s")
        return False
    run.exchanged = t
    limit = 2.0 * float(run.left_out.found.limit)
    if not same:
        run.use(system.whole.with_rows(rows))
        run.report.statistics.other_rows += 1
    else:  # no choice of rows is better: tolerate larger coefficients
        run.left_out.found.limit = limit
    said = friction_not_unique(run.system, t, run.q[: system.nq])
    if said:
        run.diverged(said)
        return False
    return _accelerated(run)


def _fits(run: Run, system: System) -> bool:
    """Whether the run's state satisfies all rows of another system up to a small displacement; if so, it is moved onto
    them."""
    q, v, lam = run.q.copy(), run.v.copy(), np.zeros(system.m)
    args = (q, v, lam, system.row_scale, work_for(system.plan), TOLERANCE, SWEEPS, True)
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
    """Compute the run's accelerations and multipliers; if the constraint rows do not determine them, end the run and
    return False."""
    system = run.system
    args = (run.q, run.v, run.a, run.lam, work_for(system.plan), 0.0, 0.0)
    if with_room(system, accelerations, run.t, *args) == OK and np.isfinite(run.a).all():
        return True
    run.diverged("the constraints lose rank (a singular position): accelerations are not determined")
    return False


def _culprit(run: Run) -> Row:
    """The row that was left out and contradicts the active ones."""
    assembly = run.system.assembly
    numbers = np.setdiff1d(np.arange(len(assembly.rows)), run.system.kept)
    return assembly.rows[int(numbers[int(run.left_out.found.culprit)])]
