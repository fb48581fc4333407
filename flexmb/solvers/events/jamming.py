"""Messages where friction that depends on joint forces does not determine the motion: joints that jam, and joints whose
forces are not unique."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from flexmb.errors import ModelError, RedundancyError, SolverError
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.redundancy import rows_not_unique
from flexmb.system.system import System
from flexmb.system.with_friction import EXACT, JAMMED

#: A run that has ended has jammed if friction leaves less than this fraction of the determinant.
LEFT = 1e-3
Correction = Callable[[np.ndarray], np.ndarray]
#: Largest number of corrections of the forces of a given motion.
MOST_CORRECTIONS = 400


def joints_with_friction(system: System) -> list[str]:
    """The names of the components whose friction depends on their own forces."""
    series = system.assembly.instance_series
    return list(dict.fromkeys(part.owner.name for part in series if part.kernels.friction is not None))


def jammed(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> str:
    """A message that names the joints that jam at a state, q (nq,), v (n,); empty if none does. Newton's method for the
    joint forces starts from `lam` (m,)."""
    if not system.plan.friction or not (np.isfinite(q).all() and np.isfinite(v).all()):
        return ""
    a, found = np.zeros(system.plan.total), lam.copy()
    args = (system.full_q(q), system.full(v), a, found, work_for(system.plan), 0.0, 0.0)
    status = with_room(system, accelerations, t, *args)
    margin, names = _margin(system, t, q, v, found if np.isfinite(found).all() else lam)
    sticks = any(series.state is not None for series in system.assembly.instance_series)
    if status != JAMMED and (sticks or not margin < LEFT):
        return ""
    parts = ", ".join(system.model.components[name].where for name in names)
    jam, own = ("jams", "its") if len(names) == 1 else ("jam", "their")
    return (
        f"{parts} {jam} at t = {t:g} s: the force of {own} friction and {own} own force raise each other, so that the "
        "accelerations of rigid bodies have no solution or two (Painlevé); take less friction or a longer bearing, let "
        "forces act nearer to its axis, or make what carries the joint flexible"
    )


def _margin(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> tuple[float, list[str]]:
    """The determinant of the equations with friction divided by that without it, the lesser of the values for the
    present joint forces and for opposite ones; and the joints whose own friction makes it small, all if none does
    alone."""
    n, names = system.n, joints_with_friction(system)
    A = scipy.sparse.csc_array(system.matrix(t, q, v, np.zeros(n), lam, (1.0, 0.0, 0.0)))
    D = scipy.sparse.csc_array(A[:n, n:] - A[n:, :n].T)
    without = A - scipy.sparse.block_array([[None, D], [scipy.sparse.csc_array((system.m, n)), None]])
    own = [[k for k, row in enumerate(system.rows) if row.owner == name] for name in names]
    every = [k for rows in own for k in rows]
    right = np.zeros((n + system.m, len(every)))
    right[:n] = D[:, every].toarray()
    try:
        shares = scipy.sparse.linalg.factorized(scipy.sparse.csc_array(without))(right)[n:][every]
    except RuntimeError:  # singular without friction
        return np.inf, names
    margins, at = [], 0
    for rows in own:
        part = slice(at, at + len(rows))
        margins.append(_least_determinant(shares[part, part]))
        at += len(rows)
    return _least_determinant(shares), [name for name, x in zip(names, margins) if x < LEFT] or names


def _least_determinant(share: np.ndarray) -> float:
    """The lesser of det(1 + S) and det(1 − S)."""
    return float(min(np.linalg.det(np.eye(len(share)) + sign * share) for sign in (1.0, -1.0)))


def refuse_jam(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> None:
    """Raise a SolverError that names the joints that jam at a state."""
    said = jammed(system, t, q, v, lam)
    if said:
        raise SolverError(f"model {system.model.name!r}: {said}")


def friction_not_unique(system: System, t: float, q: np.ndarray) -> str:
    """A message that names the joints with friction whose forces are not determined in a position (nq,), since
    constraint rows repeat one another; empty if all are determined."""
    if not system.plan.friction or not system.left_out:
        return ""
    rows = system.assembly.every_row
    sharing = {rows[k].owner: rows[k].where for k in rows_not_unique(system, np.array([t]), q[None, :])}
    found = [name for name in joints_with_friction(system) if name in sharing]
    if not found:
        return ""
    others = [where for name, where in sharing.items() if name not in found]
    return (
        f"{', '.join(system.model.components[name].where for name in found)}: friction by the joint's own force, which "
        "is not determined, since constraint rows repeat one another"
        + (f" (those of {', '.join(others[:6])} as well)" if others else "")
        + "; remove the joints that repeat others, take one with fewer rows (cylindrical or spherical in place of a "
        "second hinge), or leave the friction out"
    )


def refuse_friction_not_unique(system: System, t: float, q: np.ndarray) -> None:
    """Raise a RedundancyError that names joints with friction whose forces are not determined."""
    said = friction_not_unique(system, t, q)
    if said:
        raise RedundancyError(f"model {system.model.name!r}: {said}")


def refuse_joint_friction(system: System, where: str) -> None:
    """Refuse friction that depends on joint forces, for an analysis that does not support it."""
    names = ", ".join(system.model.components[name].where for name in joints_with_friction(system))
    if names:
        raise ModelError(
            f"{where}: {names} {'have' if ',' in names else 'has'} friction by the joint's own force, which this "
            "analysis does not take; take differences of runs of fm.simulate, or leave the friction out"
        )


def forces_with_friction(system: System, start: np.ndarray, correction: Correction, where: str) -> np.ndarray:
    """The multipliers (m,) of a given motion with friction that depends on joint forces, from those without friction,
    `start`. `correction` of multipliers balances the forces at fixed friction; repeated, it converges as long as
    friction is less than the forces that cause it. Raises a SolverError if it does not converge."""
    lam = start
    for _ in range(MOST_CORRECTIONS):
        change = correction(lam)
        lam = lam + change
        if not np.isfinite(lam).all():
            break
        if np.max(np.abs(change)) <= EXACT * np.max(np.abs(lam)):
            return lam
    names = ", ".join(system.model.components[name].where for name in joints_with_friction(system))
    raise SolverError(
        f"{where}: the friction of {names} and the forces of the joints raise each other, and no forces are found that "
        "hold the motion; take less friction or longer bearings"
    )
