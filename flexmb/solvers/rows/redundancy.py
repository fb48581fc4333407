"""The constraint rows with which a run or an analysis begins: rows that repeat others are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.rank import LARGEST_DENSE, TYPED
from flexmb.errors import RedundancyError, RedundancyWarning, warn
from flexmb.solvers.rows.index_one import SWEEPS, TOLERANCE, norm, project
from flexmb.solvers.rows.left_out import CLOSED
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import with_room, work_for
from flexmb.system.bad_kernels import Joints
from flexmb.system.rank import (
    CONTRADICTION,
    closed_by_all_rows,
    dependent_and_partners,
    redundant_rows,
    said_of_redundant,
)
from flexmb.system.system import System

#: Values of the option `redundant`: leave out rows that repeat others, or refuse them.
REDUNDANT = ("remove", "error")
#: Advice to those who refuse such rows.
OR_REMOVE = ", or use redundant='remove'"
#: Largest number of left-out rows that a warning names.
ROWS_NAMED = 12


def independent_rows(whole: System, t: float, q: np.ndarray, redundant: str, known: Joints | None = None) -> System:
    """The system with rows that are independent of one another in a position with closed joints. The other rows are
    left out with a RedundancyWarning, or refused if `redundant` is "error". Rows that contradict others are refused.
    `known`: the evaluated joints in the position, if the caller has them already."""
    found = _redundant(whole, t, q, redundant, known.scaled if known else None)
    off = float(norm(known.g, whole.row_scale, whole.m)) if known else _off(whole, t, q)
    if off > CLOSED and (len(found) or whole.m * whole.n <= LARGEST_DENSE):
        # Rows that repeat one another where joints are closed need not do so in a drawing that leaves them open.
        closed, left = _closed(whole, t, q, found)
        if left <= CONTRADICTION:
            q = closed
            found = _redundant(whole, t, q, redundant)
    if not len(found):
        return whole
    dependent, partners = dependent_and_partners(whole, t, q, least=TYPED)
    g = whole.constraint(t, q, np.zeros(whole.n))[0] / whole.row_scale
    if np.any(np.abs(g[dependent]) > CONTRADICTION):
        raise RedundancyError(f"{said_of_redundant(whole, t, q, dependent, partners)}; remove one")
    return without_redundant(whole, t, q, dependent, partners)


def _redundant(whole: System, t: float, q: np.ndarray, redundant: str, scaled: Any = None) -> np.ndarray:
    """Indices of the rows that repeat others, or a RedundancyError if `redundant` is "error"."""
    try:
        return redundant_rows(whole, t, q, raise_error=redundant == "error", scaled=scaled)
    except RedundancyError as why:
        raise RedundancyError(f"{why}{OR_REMOVE}") from None


def _off(whole: System, t: float, q: np.ndarray) -> float:
    """The largest error of the joints in a position, in units of the model."""
    g = whole.constraint(t, q, np.zeros(whole.n))[0]
    return float(norm(g, whole.row_scale, whole.m))


def _closed(whole: System, t: float, q: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, float]:
    """A position (nq,) close to this one in which joints are closed, and the remaining error. In a large system the
    rows that were `found` redundant are not corrected. In others all rows are corrected, by the shortest displacement:
    whether rows depend on one another can be decided only as accurately as the joints are closed."""
    if whole.m * whole.n > LARGEST_DENSE:
        system = whole.with_rows(np.setdiff1d(np.arange(whole.m), found))
        full_q, full_v, lam = system.full_q(q), np.zeros(system.plan.total), np.zeros(system.m)
        args = (full_q, full_v, lam, system.row_scale, work_for(system.plan), TOLERANCE, SWEEPS, True)
        status, _, _ = with_room(system, project, t, *args)
        q = full_q[: system.nq]
        return q, _off(whole, t, q) if status == OK else np.inf
    q = closed_by_all_rows(whole, t, q)
    return q, _off(whole, t, q)


def without_redundant(
    whole: System, t: float, q: np.ndarray, dependent: list[int], partners: list[np.ndarray]
) -> System:
    """The system without the dependent rows, with a RedundancyWarning that names them and the rows that they repeat."""
    warn(
        f"{said_of_redundant(whole, t, q, dependent, partners, ROWS_NAMED)}; the rows named first are left out, and "
        "forces that the motion does not determine are the smallest that hold the mechanism (see unique_reactions); "
        "redundant='error' of simulate, kinematics or equilibrium refuses such joints",
        RedundancyWarning,
    )
    return whole.with_rows(np.setdiff1d(np.arange(whole.m), dependent))
