"""How the compiled evaluation calls the kernels of a group, and adds the K that they fill to the matrix."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.contract import function_of, reads_time, run_kernel
from flexmb.kernels.slots import is_constant
from flexmb.kernels.views import matrix_view, stack_view, vector_view
from flexmb.system.finding import find
from flexmb.system.plan import (
    COUNT,
    FILLED,
    FILLED_AT,
    FOUND,
    IQ_AT,
    IV_AT,
    KERNEL_AT,
    MAP_AT,
    NP,
    NQ,
    NV,
    P_AT,
    ROW_AT,
    ROWS,
    SEARCH,
    VELOCITY_ROWS,
    Plan,
)

RESIDUAL, TANGENT, ENERGY, CONSTRAINT, JACOBIAN, POINT, SECTION, FRICTION, SWITCHES = range(9)


@called(None)
def call_kernel(plan, scratch, role, group, first, last, width, square, t, q, v, a, w):
    """Call one kernel on the instances first to last − 1 of a group; what it fills begins at index 0 of the scratch
    arrays. One that reads other components gets what they say in the place of multipliers. For a Jacobian, K is needed,
    and zeroed first, only if wk is not zero."""
    groups, found = plan.groups, 0
    if groups[group, FOUND] != 0:
        if groups[group, FOUND] < 0 or (role == TANGENT and w[1] == 0.0 and w[2] == 0.0):
            found = -1  # masses alone are asked for, in which it has no part
        else:
            found = find(plan, scratch, group, role == TANGENT, t, q, v, a, w)
    n = last - first
    np_, nq, nv, m = groups[group, NP], groups[group, NQ], groups[group, NV], groups[group, ROWS]
    for k in range(n * width):
        scratch.out[k] = 0.0
    side = nv if square else 0
    if role != JACOBIAN or w[2] != 0.0:
        for k in range(n * side * side):
            scratch.K[k] = 0.0
    if found < 0:
        return
    out = matrix_view(scratch.out, 0, n, width)
    K = stack_view(scratch.K, 0, n, side, side)
    if groups[group, SEARCH] > 0:
        p = matrix_view(plan.near.p, groups[group, P_AT] + first * np_, n, np_)
    else:
        p = matrix_view(plan.p, groups[group, P_AT] + first * np_, n, np_)
    iq = matrix_view(plan.numbers, groups[group, IQ_AT] + first * nq, n, nq)
    iv = matrix_view(plan.numbers, groups[group, IV_AT] + first * nv, n, nv)
    lam = matrix_view(scratch.lam, 0, n, m + found)
    # views without an owner, so that a kernel has no references to count
    q, v, a = (vector_view(q, 0, len(q)), vector_view(v, 0, len(v)), vector_view(a, 0, len(a)))
    w = vector_view(w, 0, len(w))
    work = vector_view(scratch.work, 0, len(scratch.work))
    run_kernel(groups[group, KERNEL_AT + role], p, iq, iv, t, q, v, a, lam, w, out, K, work)


@inlined
def gather_multipliers(plan, scratch, group, first, last, lam):
    m = plan.groups[group, ROWS]
    for k in range((last - first) * m):
        row = plan.rows[plan.groups[group, ROW_AT] + first * m + k]
        scratch.lam[k] = lam[row] if row >= 0 else 0.0


@inlined
def add_K(plan, scratch, group, first, last, values):
    """Add the K of the instances first to last − 1, stored from index 0 of scratch.K, to the values of the matrix."""
    square = plan.groups[group, NV] * plan.groups[group, NV]
    count, at = plan.groups[group, FILLED], plan.groups[group, FILLED_AT]
    base = plan.groups[group, MAP_AT] + first * count
    filled = vector_view(plan.numbers, at, count)
    for i in range(last - first):
        places = vector_view(plan.kmap, base + i * count, count)
        own = vector_view(scratch.K, i * square, square)
        for k in range(count):
            place = places[k]
            if place >= 0:
                values[place] += own[filled[k]]


def may_be_driven(plan: Plan) -> bool:
    """Whether some constraint rows may move by themselves, so that their forces do work: velocity rows, and rows that
    read the time, but by a function that is constant."""
    held = [row for row in plan.groups.tolist() if row[KERNEL_AT + CONSTRAINT]]
    return any(row[VELOCITY_ROWS] > 0 or _follows_time(plan, row) for row in held)


def _follows_time(plan: Plan, row: list[int]) -> bool:
    """Whether the constraints of a group, a `row` of the plan's groups, may depend on time."""
    if not reads_time(row[KERNEL_AT + CONSTRAINT]):
        return False
    place = function_of(row[KERNEL_AT + CONSTRAINT])
    if place is None:
        return True
    parameters = plan.p[row[P_AT] : row[P_AT] + row[COUNT] * row[NP]].reshape(row[COUNT], row[NP])
    return not is_constant(parameters, place).all()


def rows_work(plan: Plan) -> bool:
    """Whether multipliers of constraint rows take part in the balance of energy: those of rows that may move by
    themselves, and all where friction depends on them."""
    return plan.friction > 0 or may_be_driven(plan)


def numbers_read(plan: Plan, role: int) -> np.ndarray | None:
    """The indices, in q and in v, of the coordinates and speeds that kernels of this role read; None if those that
    search for their pairs may read any."""
    groups = plan.groups[plan.groups[:, KERNEL_AT + role] != 0]
    if groups[:, SEARCH].any():
        return None
    at = ((row[first], row[COUNT] * row[each]) for row in groups.tolist() for first, each in ((IQ_AT, NQ), (IV_AT, NV)))
    return np.concatenate([np.zeros(0, dtype=np.int64), *(plan.numbers[first : first + count] for first, count in at)])
