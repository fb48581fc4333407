"""Several states of a system evaluated together.

A kernel works on all instances of a group at once; a small mechanism has few, and a call costs more than the arithmetic
in it. An evaluation at several states, such as the stages of a step, is therefore done on as many copies of the system
side by side, with one call for all of them: coordinates of copy s begin at s total_q, speeds at s total and constraint
rows at s m. Groups that cannot be copied so form the `rest`, which is evaluated state by state: those whose kernels
read the time, which differs between states, or other components, those with friction, and those with many instances,
where nothing is gained.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.compilation import allocation_free, called
from flexmb.kernels.contract import reads_time
from flexmb.kernels.references import by_reference
from flexmb.system.kernel_calls import CONSTRAINT, FRICTION, JACOBIAN, RESIDUAL
from flexmb.system.plan import (
    BLOCK,
    COUNT,
    FOUND,
    IQ_AT,
    IV_AT,
    KERNEL_AT,
    N_COLUMNS,
    NP,
    NQ,
    NV,
    P_AT,
    ROW_AT,
    ROWS,
    Plan,
    Scratch,
)


@by_reference
class Stacked(NamedTuple):
    """`copies` copies of those groups of a plan that are evaluated together, with scratch space, and `rest`, the plan
    with the other groups. `copied` (groups, 3): for each copied group the offset of its parameters in the stacked plan
    and in the original plan, and their number."""

    plan: Plan
    scratch: Scratch
    rest: Plan
    copied: np.ndarray
    copies: int


def stacked(plan: Plan, scratch: Scratch, copies: int) -> Stacked:
    """The stacked plan for residual, constraint forces and constraints at so many states; it cannot be used for the
    matrix."""
    sources, tables, rest, copied = [], [], [], []
    parameters = indices = rows = 0
    asked = [KERNEL_AT + role for role in (RESIDUAL, CONSTRAINT, JACOBIAN)]
    for row in plan.groups.tolist():
        table, other, count = row.copy(), row.copy(), row[COUNT]
        for at in asked:
            alone = copies * count > BLOCK or row[KERNEL_AT + FRICTION] != 0 or row[FOUND] or reads_time(row[at])
            (table if alone else other)[at] = 0
        if any(other[at] for at in asked) or other[KERNEL_AT + FRICTION]:
            rest.append(other)
        if any(table[at] for at in asked):
            table[COUNT], table[P_AT], table[ROW_AT] = copies * count, parameters, rows
            table[IV_AT], table[IQ_AT] = indices, indices + copies * count * row[NV]
            copied.append((parameters, row[P_AT], count * row[NP]))
            parameters += copies * count * row[NP]
            indices += copies * count * (row[NV] + row[NQ])
            rows += copies * count * row[ROWS]
            sources.append(row)
            tables.append(table)
    groups = _table(tables, N_COLUMNS)
    numbers = np.empty(indices + rows, dtype=np.int64)
    new_rows = numbers[indices:]
    _fill(
        _table(sources, N_COLUMNS),
        groups,
        plan.numbers,
        plan.rows,
        copies,
        plan.total,
        plan.total_q,
        plan.m,
        numbers,
        new_rows,
    )
    total, total_q = copies * plan.total, copies * plan.total_q
    whole = plan._replace(
        groups=groups, p=np.empty(parameters), numbers=numbers, rows=new_rows, n=total, total=total, nq=total_q,
        total_q=total_q, m=copies * plan.m, friction=0,
    )  # fmt: skip
    still = np.zeros(max(total, 4))
    plan_of_rest = plan._replace(groups=_table(rest, N_COLUMNS))
    return Stacked(whole, scratch._replace(still=still), plan_of_rest, _table(copied, 3), copies)


def _table(rows: list[Any], columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


@allocation_free
def _fill(groups, tables, numbers, rows, copies, total, total_q, m, new_numbers, new_rows):
    """Fill the indices of coordinates and of rows of all copies."""
    for g in range(groups.shape[0]):
        count = groups[g, COUNT]
        for s in range(copies):
            for k in range(count * groups[g, NV]):
                at = tables[g, IV_AT] + s * count * groups[g, NV] + k
                new_numbers[at] = numbers[groups[g, IV_AT] + k] + s * total
            for k in range(count * groups[g, NQ]):
                at = tables[g, IQ_AT] + s * count * groups[g, NQ] + k
                new_numbers[at] = numbers[groups[g, IQ_AT] + k] + s * total_q
            for k in range(count * groups[g, ROWS]):
                row = rows[groups[g, ROW_AT] + k]
                new_rows[tables[g, ROW_AT] + s * count * groups[g, ROWS] + k] = row + s * m if row >= 0 else -1


@called(None)
def copy_parameters(plan, stack):
    """Copy the parameters of the plan, which commands change during a run, to all copies."""
    copied, p = stack.copied, stack.plan.p
    for g in range(copied.shape[0]):
        first, source, count = copied[g, 0], copied[g, 1], copied[g, 2]
        for k in range(count):
            for s in range(stack.copies):
                p[first + s * count + k] = plan.p[source + k]
