"""The speeds behind an instant at which components are switched, the impulses of the joints, and the energy lost;
compiled. The equations are those of :mod:`flexmb.solvers.changes.switching`."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.solvers.start.initial import refuse_no_inertia
from flexmb.system.accelerations import work_for
from flexmb.system.evaluation import constraints, energies, matrix
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import NO_ROOM, OK, add_product, factorize, solve
from flexmb.system.system import System

#: Corrections of the speeds and impulses with the residuals of their equations.
CORRECTIONS = 2
#: What an instant is asked for: the energy lost, and the work of prescribed motions.
LOST, WORK = range(2)


def behind_impact(
    before: System, system: System, t: float, q: np.ndarray, v: np.ndarray, strikes: bool
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Speeds (n,) behind an instant at which a run goes over from one system to another in a position (nq,), the
    impulses Λ (m,), the energy lost and the work of prescribed motions [J]; `strikes`: components are switched on."""
    n, m, total = system.n, system.m, system.plan.total
    place, speeds, rest = system.full_q(q), system.full(v), system.full(system.states_alone(v))
    room, out = np.zeros((4, max(system.plan.size, total))), np.zeros(2)
    none = np.zeros(0, dtype=np.int64)
    columns, rows = (none, none) if system.pattern is None else system.pattern
    while True:
        status = _impact(
            before.plan, before.scratch, system.plan, system.scratch, system.linear, float(system.mass_scale),
            float(t), place, speeds, rest, work_for(system.plan), columns, rows, np.empty(len(system.linear.values)),
            room, np.zeros(ENERGY_WIDTH), int(strikes), out,
        )  # fmt: skip
        if status != NO_ROOM:
            break
        system.grow()
    if status != OK or not np.isfinite(room[0]).all():
        refuse_no_inertia(system, t, q)
    behind = v + room[0, :n]
    if system.spins[0].any():
        out[WORK] += float(system.spin_energy(behind) - system.spin_energy(v))
    return behind, system.mass_scale * room[0, n : n + m], float(out[LOST]), float(out[WORK])


@allocation_free
def _impact(
    before, buffers, plan, scratch, linear, mass, t, q, v, rest, work, columns, rows, A, room, e, strikes, out
):  # fmt: skip
    """Fill room[0] (size,) with the jump of the speeds and Λ/mass, zero unless it `strikes`, and `out`. A: a copy of
    the values of the matrix; `columns` and `rows`: its pattern if it is sparse. Returns the status of its factors."""
    x, b, r = room[0], room[1], room[2]
    n, m, weights = plan.n, plan.m, work.weights
    energies(before, buffers, t, q, rest, work.zero, weights, e)
    out[LOST] = e[1] + e[2]
    energies(plan, scratch, t, q, rest, work.zero, weights, e)
    out[LOST] -= e[1] + e[2]
    out[WORK] = 0.0
    for i in range(plan.size):
        x[i] = 0.0
    if strikes == 0:
        return OK
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
        b[i] = 0.0
    add_product(plan, A, columns, rows, mass, x, b)
    for i in range(n):
        out[LOST] += 0.5 * x[i] * b[i]
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
