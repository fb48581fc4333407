"""What is said of friction by the joints' own forces where it does not determine the motion: a joint that jams, and
joints whose forces are not unique."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.errors import RedundancyError, SolverError
from flexmb.solvers.index_one import accelerations, with_room, work_for
from flexmb.solvers.with_friction import JAMMED
from flexmb.system.redundancy import rows_not_unique
from flexmb.system.system import System


def joints_with_friction(system: System) -> list[str]:
    """The names of the components whose friction follows from their own forces."""
    series = system.assembly.instance_series
    return list(dict.fromkeys(part.owner.name for part in series if part.kernels.friction is not None))


def jammed(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> str:
    """What to say of joints that jam at a state, q (nq,), v (n,); empty where none does. The search for the joints'
    forces begins at `lam` (m,)."""
    if not system.plan.friction or not (np.isfinite(q).all() and np.isfinite(v).all()):
        return ""
    a, found = np.zeros(system.plan.total), lam.copy()
    args = (system.full_q(q), system.full(v), a, found, work_for(system.plan), 0.0, 0.0)
    if with_room(system, accelerations, t, *args) != JAMMED:
        return ""
    names = _culprits(system, t, q, v, found if np.isfinite(found).all() else lam)
    parts = ", ".join(system.model.components[name].where for name in names)
    jam, own = ("jams", "its") if len(names) == 1 else ("jam", "their")
    return (
        f"{parts} {jam} at t = {t:g} s: the force of {own} friction and {own} own force raise each other, so that the "
        "accelerations of rigid bodies have no solution or two (Painlevé); take less friction or a longer bearing, let "
        "forces act nearer to its axis, or make what carries the joint flexible"
    )


def _culprits(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> list[str]:
    """The joints whose friction alone changes the sign of the determinant, with their forces as they are or the
    opposite ones; all with friction if none does alone."""
    n, names = system.n, joints_with_friction(system)
    A = dense(system.matrix(t, q, v, np.zeros(n), lam, (1.0, 0.0, 0.0)))
    D = A[:n, n:] - A[n:, :n].T
    A[:n, n:] -= D
    jam = []
    for name in names:
        own = [k for k, row in enumerate(system.rows) if row.owner == name]
        right = np.zeros((n + system.m, len(own)))
        right[:n] = D[:, own]
        share = np.linalg.solve(A, right)[n:][own]
        if min(np.linalg.det(np.eye(len(own)) + sign * share) for sign in (1.0, -1.0)) <= 0.0:
            jam.append(name)
    return jam or names


def refuse_jam(system: System, t: float, q: np.ndarray, v: np.ndarray, lam: np.ndarray) -> None:
    """Raise a SolverError that names the joints that jam at a state."""
    said = jammed(system, t, q, v, lam)
    if said:
        raise SolverError(f"model {system.model.name!r}: {said}")


def friction_not_unique(system: System, t: float, q: np.ndarray) -> str:
    """What to say of joints with friction whose forces are not determined in a position (nq,), since constraint rows
    repeat one another; empty where all are."""
    if not system.plan.friction or not system.left_out:
        return ""
    rows = system.assembly.rows
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
