"""Consistent initial values: positions, speeds, accelerations and multipliers that meet the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.errors import InitialConditionError, InitialConditionWarning, SolverError, warn
from flexmb.solvers.index_one import accelerations, project
from flexmb.solvers.run import work_arrays
from flexmb.system.linear import NO_ROOM, OK

if TYPE_CHECKING:
    from flexmb.system.system import System

#: positions and speeds meet their constraints to this, in units of the model's length
TOLERANCE = 1e-12
#: a larger correction of the initial positions is worth a warning
NOTICEABLE = 1e-6


def consistent_state(
    system: System, t: float, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float, float]:
    """Full q, v, a (total,), λ (m,) nearest to what is given, and how far positions and speeds were moved (in units of
    the model's length and radians). Raises InitialConditionError when the joints cannot be brought together."""
    full_q, full_v = system.full_q(q), system.full(v)
    a, lam = np.zeros(system.plan.total), np.zeros(system.m)
    work = work_arrays(system)
    moved = speeded = 0.0
    if system.m:
        before_q, before_v = full_q[: system.n].copy(), full_v[: system.n].copy()
        for _ in range(20):
            args = (system.plan, system.scratch, system.linear, system.mass_scale, t)
            status, left, _ = project(*args, full_q, full_v, lam, system.row_scale, work, TOLERANCE, 30, True)
            if status != NO_ROOM:
                break
            system.grow()
        if not np.isfinite(left) or left > 1e-9 or (status != OK and left > TOLERANCE):
            raise InitialConditionError(_disagreement(system, t, before_q, before_v, left))
        if status != OK:
            _no_inertia(system)
        moved = float((np.abs(full_q[: system.n] - before_q) / system.scale).max())
        speeded = float((np.abs(full_v[: system.n] - before_v) / system.scale).max())
        if moved > NOTICEABLE:
            warn(
                f"model {system.model.name!r}: the initial positions did not meet the joints and were moved by up to "
                f"{moved * system.length_scale:.3g} m (or {moved:.3g} rad); give positions that fit to keep them",
                InitialConditionWarning,
            )
    for _ in range(20):
        args = (system.plan, system.scratch, system.linear, system.mass_scale, t)
        status = accelerations(*args, full_q, full_v, a, lam, work, 0.0, 0.0)
        if status != NO_ROOM:
            break
        system.grow()
    if status != OK:
        _no_inertia(system)
    if not np.all(np.isfinite(a)):
        bad = system.names[int(np.flatnonzero(~np.isfinite(a[: system.n]))[0])]
        raise SolverError(f"model {system.model.name!r}: the initial acceleration of {bad!r} is not finite")
    return full_q, full_v, a, lam, moved, speeded


def _disagreement(system: System, t: float, q: np.ndarray, v: np.ndarray, left: float) -> str:
    g, _, _ = system.constraint(t, q, v)
    worst = np.argsort(-np.abs(g) / system.row_scale)[:4]
    parts = [f"{system.rows[k].where} by {g[k]:.3g}" for k in worst if abs(g[k]) > 0]
    return (
        f"model {system.model.name!r}: the joints cannot be brought together from the initial positions; "
        "they disagree in "
        f"{', '.join(parts)}; move the bodies nearer or check lengths (what remains: {left:.2g} of the model's length)"
    )


def _no_inertia(system: System) -> None:
    """Say which coordinates can accelerate without any inertia, or which constraints depend on one another."""
    from flexmb.solvers.rank import redundant_rows

    q = system.q0
    redundant_rows(system, 0.0, q, raise_error=True)
    M = system.mass_matrix(0.0, q)
    G = system.jacobian(0.0, q)
    diagonal = np.abs(M.diagonal())
    held = np.asarray(abs(G).sum(axis=0)).ravel() if system.m else np.zeros(system.n)
    loose = [system.names[k] for k in np.flatnonzero((diagonal < 1e-14 * max(diagonal.max(), 1e-300)) & (held == 0))]
    what = f"coordinate {', '.join(map(repr, loose[:5]))}" if loose else "a motion that no joint prevents"
    raise SolverError(
        f"model {system.model.name!r}: {what} has no inertia, so its acceleration is not determined; "
        "put mass or inertia on it, or fasten it"
    )
