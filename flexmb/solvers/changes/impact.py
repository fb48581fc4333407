"""The speeds behind an instant at which components are switched, the impulses of the joints, and the energy lost;
compiled. The equations are those of :mod:`flexmb.solvers.changes.switching`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.solvers.rows.index_one import NOT_ASKED
from flexmb.solvers.start.initial import refuse_no_inertia
from flexmb.solvers.statuses import NO_ROOM, OK
from flexmb.system.accelerations import accelerations, work_for
from flexmb.system.evaluation import constraints, energies, matrix
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import add_product, factorize, solve
from flexmb.system.system import System

#: Corrections of the speeds and impulses with the residuals of their equations.
CORRECTIONS = 2
#: What an instant is asked for: the energy lost, and the work of prescribed motions.
LOST, WORK = range(2)


class Behind(NamedTuple):
    """What is behind an instant at which components are switched: speeds v (n,), the impulses Λ (m,) of the joints, the
    energy `lost` and the `work` of prescribed motions [J]; the status of the accelerations a (total,) and multipliers
    (m,), NOT_ASKED where friction depends on joint forces, which have to be chosen first."""

    v: np.ndarray
    impulse: np.ndarray
    lost: float
    work: float
    status: int
    a: np.ndarray
    lam: np.ndarray


def behind_impact(before: System, system: System, t: float, q: np.ndarray, v: np.ndarray, strikes: bool) -> Behind:
    """What is behind the instant at which a run goes over from the system `before` to another one, in a position (nq,)
    with speeds v (n,); `strikes`: components are switched on."""
    n, m, total = system.n, system.m, system.plan.total
    place, rest = system.full_q(q), system.full(system.states_alone(v))
    size, none = max(system.plan.size, total, ENERGY_WIDTH), np.zeros(0, dtype=np.int64)
    columns, rows = (none, none) if system.pattern is None else system.pattern
    while True:
        speeds, a, lam, out = system.full(v), np.zeros(total), np.zeros(m), np.zeros(2)
        room, values = np.zeros((3, size)), np.empty(len(system.linear.values))
        given = float(system.mass_scale), float(t), place, speeds, rest, a, lam, work_for(system.plan)
        own, others = (system.plan, system.scratch, system.linear), (before.plan, before.scratch)
        status, ended = _impact(*others, *own, *given, columns, rows, values, room, int(strikes), out)
        if NO_ROOM not in (status, ended):
            break
        system.grow()
    if status != OK or not np.isfinite(room[0]).all():
        refuse_no_inertia(system, t, q)
    if system.spins[0].any():
        out[WORK] += float(system.spin_energy(speeds[:n]) - system.spin_energy(v))
    impulse = system.mass_scale * room[0, n : n + m]
    return Behind(speeds[:n], impulse, float(out[LOST]), float(out[WORK]), ended, a, lam)


@allocation_free
def _impact(
    before, buffers, plan, scratch, linear, mass, t, q, v, rest, a, lam, work, columns, rows, A, room, strikes, out
):  # fmt: skip
    """Let speeds v jump, if it `strikes`, and fill accelerations and multipliers; room[0] (size,) with the jump and
    Λ/mass, and `out`. A: a copy of the values of the matrix; `columns` and `rows`: its pattern if it is sparse. Returns
    the status of its factors and of the accelerations."""
    e = room[2]
    out[LOST] = _stored(before, buffers, t, q, rest, work, e) - _stored(plan, scratch, t, q, rest, work, e)
    if strikes == 1:
        status = _struck(plan, scratch, linear, mass, t, q, v, rest, work, columns, rows, A, room, out)
        if status != OK:
            return status, NOT_ASKED
    if plan.friction > 0:
        return OK, NOT_ASKED
    return OK, accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)


@called(float)
def _stored(plan, scratch, t, q, rest, work, e):
    """The strain and potential energy [J] of a position."""
    energies(plan, scratch, t, q, rest, work.zero, work.weights, e)
    return e[1] + e[2]


@called(int)
def _struck(plan, scratch, linear, mass, t, q, v, rest, work, columns, rows, A, room, out):
    """Let speeds v jump, add the energy that is lost so, and fill the work; returns the status of the factors."""
    x, b, r = room[0], room[1], room[2]
    n, m, weights = plan.n, plan.m, work.weights
    for k in range(m):
        work.aux[k] = 0.0
    weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, 0.0, 0.0, 0.0
    matrix(plan, scratch, t, q, rest, work.zero, work.aux, weights, linear.values)
    if plan.friction > 0:
        add_friction_to_matrix(plan, scratch, t, q, rest, work.zero, work.aux, weights, 1.0, linear.values)
    for i in range(A.shape[0]):
        A[i] = linear.values[i]
    status = factorize(plan, linear)
    if status != OK:
        return status
    constraints(plan, scratch, t, q, v, work.zero, weights, work.g, work.gd, work.gamma)
    for i in range(plan.size):
        b[i] = -work.gd[i - n] if i >= n else 0.0
        r[i] = b[i]
    for _ in range(1 + CORRECTIONS):
        solve(plan, linear, r)
        for i in range(plan.size):
            x[i] += r[i]
        _residual(plan.size, columns, rows, A, x, b, r)
    for i in range(n):
        v[i] += x[i]
        r[i] = 0.0
    add_product(plan, A, columns, rows, mass, x, r)
    for i in range(n):
        out[LOST] += 0.5 * x[i] * r[i]
    constraints(plan, scratch, t, q, work.zero, work.zero, weights, work.g, work.gd, work.gamma)
    for k in range(m):
        out[WORK] += mass * x[n + k] * work.gd[k]
    return OK


@inlined
def _residual(size, columns, rows, A, x, b, r):
    """r = b − A x (size,)."""
    for i in range(size):
        r[i] = b[i]
    if columns.shape[0] == 0:
        for i in range(size):
            for j in range(size):
                r[i] -= A[i * size + j] * x[j]
        return
    for j in range(size):
        for p in range(columns[j], columns[j + 1]):
            r[rows[p]] -= A[p] * x[j]
