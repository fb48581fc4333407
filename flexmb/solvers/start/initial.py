"""Consistent initial values: positions, speeds, accelerations and multipliers that satisfy the constraints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from flexmb.algebra.factors import Factors, bordered, dense
from flexmb.errors import InitialConditionError, InitialConditionWarning, SolverError, warn
from flexmb.formulations.spatial_algebra import NO_INERTIA
from flexmb.joints.sticking import FREE
from flexmb.model import checks
from flexmb.solvers.events.jamming import refuse_friction_not_unique, refuse_jam
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.rows.index_one import NOT_ASKED, SWEEPS, TOLERANCE, norm, project, project_and_accelerate
from flexmb.solvers.rows.left_out import CLOSED
from flexmb.solvers.start.given_speeds import GivenSpeeds, listed
from flexmb.solvers.start.hard_rows import refuse_hard_rows
from flexmb.solvers.start.movable_parts import rigidly_closed
from flexmb.solvers.statuses import NO_ROOM, OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.doubts import misplaced
from flexmb.system.moved_start import NOTICEABLE, Move, reported_move
from flexmb.system.rank import redundant_rows
from flexmb.system.sticking import set_friction
from flexmb.system.system import System

#: Given speeds resist a change as if they had RESISTANCE times the inertia of the whole mechanism; each of CORRECTIONS
#: reduces their error by this factor. A larger one would lose as many digits where given speeds contradict each other.
RESISTANCE, CORRECTIONS = 1e6, 3
#: Most coordinates of a system in which a motion without inertia is searched for.
LARGEST_SEARCH = 500


def consistent_state(
    system: System, t: float, q: np.ndarray, v: np.ndarray, gaps: str = "refuse", *, of_model: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Move, float]:
    """The consistent state closest to the given q and v: q (total_q,), v, a (total,), λ (m,), the move of the
    positions, and the largest change of a speed (in units of the model's length and radians).

    Positions are moved by the shortest displacement in the metric of the mass matrix, once flexible bodies have been
    moved as rigid ones (:func:`~flexmb.solvers.start.movable_parts.rigidly_closed`), so that joints that these can meet
    do not strain them; :mod:`flexmb.system.moved_start` decides which `gaps` may be closed so, and reports them.
    If the speeds are `of_model`, those that the user gave are kept, and the others are computed to fit them (a crank's
    speed determines those of its mechanism). An InitialConditionWarning names those that cannot be kept. Otherwise all
    speeds are those of a state; if they do not fit the joints, they change as by an impulse of the joints, by the
    smallest change in the metric of the mass matrix. From then on, joints with friction stick or slide. Raises
    InitialConditionError if the joints cannot be brought together.
    """
    if system.plan.friction:
        refuse_friction_not_unique(system, t, q)
        set_friction(system.assembly, system.plan, FREE)
    full_q, full_v = system.full_q(q), system.full(v)
    a, lam = np.zeros(system.plan.total), np.zeros(system.m)
    work = work_for(system.plan)
    moved, speeded = Move(), 0.0
    ended = NOT_ASKED
    if system.m:
        before_q, before_v = full_q[: system.nq].copy(), full_v[: system.n].copy()
        full_q[: system.nq], misfit = rigidly_closed(system, t, before_q)
        args = (full_q, full_v, a, lam, before_v, system.row_scale, work, TOLERANCE, SWEEPS)
        status, left, ended = with_room(system, project_and_accelerate, t, *args)
        if not math.isfinite(left) or left > CLOSED or (status != OK and left > TOLERANCE):
            raise InitialConditionError(_disagreement(system, t, before_q, before_v, left))
        if status != OK:
            refuse_no_inertia(system, t, q)
        if of_model and ended == NOT_ASKED and (full_v[: system.n] != before_v).any():
            given = GivenSpeeds(system, full_q[: system.nq])
            full_v[: system.n] = _fitting_speeds(system, t, full_q[: system.nq], before_v, given)
            with_room(system, project, t, full_q, full_v, lam, system.row_scale, work, TOLERANCE, 0, False)
            _warn_of_changed_speeds(system, given.changes(full_v[: system.n]))
        if (full_v[: system.n] != before_v).any():
            speeded = norm(full_v[: system.n] - before_v, system.scale, system.n)
        if (full_q[: system.nq] != before_q).any():
            size = norm(system.difference(full_q[: system.nq], before_q), system.scale, system.n)
            if size > NOTICEABLE and (wrong := misplaced(system, full_q[: system.nq])):
                raise InitialConditionError(
                    f"model {system.model.name!r}: from the initial positions, which do not meet the joints, these are "
                    f"closed another way than meant: {wrong}"
                )
            where = f"model {system.model.name!r}"
            moved = reported_move(system, t, before_q, full_q[: system.nq], gaps, where, misfit)
    if ended in (NOT_ASKED, NO_ROOM):
        ended = with_room(system, accelerations, t, full_q, full_v, a, lam, work, 0.0, 0.0)
    if ended != OK:
        refuse_jam(system, t, full_q[: system.nq], full_v[: system.n], lam)
        refuse_no_inertia(system, t, q)
    if not checks.all_finite(a):
        bad = system.names[int(np.flatnonzero(~np.isfinite(a[: system.n]))[0])]
        raise SolverError(f"model {system.model.name!r}: the initial acceleration of {bad!r} is not finite")
    if system.plan.friction and (stated := RowStates(system)).rows:
        refuse_hard_rows(stated, t, full_q, full_v)
        found = stated.settle(t, full_q, full_v, lam, np.zeros(len(stated.rows), dtype=bool), strikes=False)
        if isinstance(found, str):
            raise SolverError(f"model {system.model.name!r}: at t = {t:g} s {found}")
        full_v, a, lam = found.v, found.a, found.lam
    return full_q, full_v, a, lam, moved, speeded


def _disagreement(system: System, t: float, q: np.ndarray, v: np.ndarray, left: float) -> str:
    """Message with the joints that disagree most."""
    g, _, _ = system.constraint(t, q, v)
    worst = np.argsort(-np.abs(g) / system.row_scale)[:4]
    parts = [f"{system.rows[k].where} by {g[k]:.3g}" for k in worst if abs(g[k]) > 0]
    return (
        f"model {system.model.name!r}: the joints cannot be brought together from the initial positions; "
        "they disagree in "
        f"{', '.join(parts)}; move the bodies nearer or check lengths (what remains: {left:.2g} of the model's length)"
    )


def _fitting_speeds(system: System, t: float, q: np.ndarray, start: np.ndarray, given: GivenSpeeds) -> np.ndarray:
    """Speeds (n,) with G v + g_t = 0 that keep the given ones, J v = w, as far as possible:

    ½ δvᵀ M δv + ½ RESISTANCE |J v − w|² → min,   as   [M Gᵀ Jᵀ; G 0 0; J 0 −1/RESISTANCE]
    """
    scale, m, k = system.scale, system.m, len(given.w)
    M, G = system.mass_matrix(t, q, system.states_alone(start)), system.jacobian(t, q)
    whole = system.mass_scale * system.length_scale**2
    S = scipy.sparse.diags_array(scale)
    J = scipy.sparse.diags_array(1.0 / given.scale) @ given.J @ S if k else given.J
    if isinstance(M, np.ndarray):
        rows: Any = np.vstack([G / system.row_scale[:, None] * scale, J.toarray()])
        top: Any = scale[:, None] * M * scale / whole
        corner: Any = np.diag(np.repeat([0.0, -1.0 / RESISTANCE], [m, k]))
    else:
        rows = scipy.sparse.vstack([scipy.sparse.diags_array(1.0 / system.row_scale) @ G @ S, J])
        top = S @ M @ S / whole
        corner = scipy.sparse.diags_array(np.repeat([0.0, -1.0 / RESISTANCE], [m, k]))
    factors, v = Factors(bordered(top, rows, corner=corner)), start.copy()
    for _ in range(CORRECTIONS):
        _, rates, _ = system.constraint(t, q, v)
        off = (given.w - given.J @ v) / given.scale
        v += scale * factors.solve(np.concatenate([np.zeros(system.n), -rates / system.row_scale, off]))[: system.n]
    return v


def _warn_of_changed_speeds(system: System, changed: list[str]) -> None:
    """Warn of the given speeds that could not be kept."""
    if changed:
        warn(
            f"model {system.model.name!r}: the initial speeds do not fit the joints: {listed(changed)}; "
            "give speeds that fit to keep them (those that are not given are found)",
            InitialConditionWarning,
        )


def refuse_no_inertia(system: System, t: float, q: np.ndarray) -> None:
    """Raise an error that names the coordinates without inertia in a position, or the constraints that depend on one
    another."""
    redundant_rows(system, t, q, raise_error=True)
    M, G = system.mass_matrix(t, q), system.jacobian(t, q)
    with np.errstate(over="ignore"):
        inertia = np.abs(M.diagonal()) * system.scale**2  # kg m² times numbers, all alike
    largest = int(np.argmax(inertia))
    if not np.isfinite(inertia).all():
        raise SolverError(
            f"model {system.model.name!r}: the inertia of coordinate {system.names[largest]!r} exceeds all numbers; "
            "check masses and lengths, or take other units"
        )
    held = np.asarray(abs(G).sum(axis=0)).ravel() if system.m else np.zeros(system.n)
    loose = np.flatnonzero((inertia < NO_INERTIA * max(inertia[largest], 1e-300)) & (held == 0))
    if len(loose):
        what = f"coordinate {', '.join(repr(system.names[k]) for k in loose[:5])}"
        part = float(inertia[loose].max() / (inertia[largest] or 1.0))
    elif system.m < system.n:
        what, part = _loosest_motion(system, M, G)
    else:
        raise SolverError(_lost_joint_forces(system, inertia))
    if part > 0.0:
        beside = f"has an inertia of only {part:.1g} of that of {system.names[largest]!r}, lost in rounding"
    else:
        beside = "has no inertia"
    raise SolverError(
        f"model {system.model.name!r}: {what} {beside}, so its acceleration is not determined; "
        f"put {'more ' * (part > 0.0)}mass or inertia on it, or fasten it"
    )


def _lost_joint_forces(system: System, inertia: np.ndarray) -> str:
    """Message for a mechanism in which nothing can move and whose joint forces are not determined. Its rows are
    independent, so that the reason is either inertias (n,) of very different size, or rows that are nearly
    dependent."""
    most, least = int(np.argmax(inertia)), int(np.argmin(np.where(inertia > 0.0, inertia, np.inf)))
    part = float(inertia[least] / (inertia[most] or 1.0))
    where = f"model {system.model.name!r}: the joints leave no motion free, but their forces are not determined"
    if part < NO_INERTIA:
        return (
            f"{where}: coordinate {system.names[least]!r} has an inertia of only {part:.1g} of that of "
            f"{system.names[most]!r}, lost in rounding; put more mass or inertia on it"
        )
    return f"{where}, since some nearly repeat others in this position; move the bodies away from it, or remove a joint"


def _loosest_motion(
    system: System, M: np.ndarray | scipy.sparse.csc_array, G: np.ndarray | scipy.sparse.csc_array
) -> tuple[str, float]:
    """The motion with the least inertia among those that the joints allow, in words, and its inertia as a part of the
    largest one of a coordinate."""
    if system.n > LARGEST_SEARCH:
        return "a motion that no joint prevents", 0.0
    scale = system.scale
    mass = scale[:, None] * dense(M) * scale
    free = scipy.linalg.null_space(dense(G) / system.row_scale[:, None] * scale) if system.m else np.eye(system.n)
    values, vectors = np.linalg.eigh(free.T @ mass @ free)
    shape = np.abs(free @ vectors[:, 0])
    names = [repr(system.names[k]) for k in np.argsort(-shape, kind="stable")[:4] if shape[k] > 0.3 * shape.max()]
    part = float(values[0]) / float(np.max(np.abs(np.diag(mass)), initial=1e-300))
    return f"a motion that no joint prevents (of {', '.join(names)})", part if part > np.finfo(float).eps else 0.0
