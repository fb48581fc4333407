"""Instances of one kernel family that stand one behind the other in a plan, by addresses and offsets alone.

Whoever reads components without their groups, such as the mechanism as a whole, calls their kernels so. Offsets in
parameters and numbers stay as they are where components are switched off, and where a formulation takes other groups.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.kernels.contract import run_kernel
from flexmb.kernels.views import matrix_view, stack_view, vector_view
from flexmb.system.plan import BLOCK, IQ_AT, IV_AT, KERNEL_AT, NP, NQ, NV, P_AT, Plan

#: integers of a run: the addresses of its kernel and of the tangent, how many instances it has, offsets of their
#: parameters in the plan and of the indices of coordinates and speeds, and how many of each an instance has
VALUE, SLOPES, COUNT, PARAMETERS, WIDTH, PLACES, COORDINATES, SPEEDS_AT, SPEEDS, RUN = range(10)


def run_of(plan: Plan, group: int, place: int, count: int, role: int, slopes: int = -1) -> list[int]:
    """The integers of `count` instances of a group, from a place in it on, with their kernels of two roles."""
    row = plan.groups[group].tolist()
    offsets = [
        x for at, size in ((P_AT, NP), (IQ_AT, NQ), (IV_AT, NV)) for x in (row[at] + place * row[size], row[size])
    ]
    return [row[KERNEL_AT + role], row[KERNEL_AT + slopes] if slopes >= 0 else 0, count, *offsets]


@called(None)
def call_run(plan, scratch, runs, at, which, first, last, width, side, t, q, v, a, lam, w):
    """Call a kernel of a run, at runs[at], on its instances first to last − 1: `which` is VALUE, with `width` numbers
    of output, or SLOPES, with `side` for the rows of K; `lam`: the multipliers of all of them. What it fills begins at
    index 0 of the scratch arrays."""
    n, nv = last - first, runs[at + SPEEDS]
    for k in range(n * width):
        scratch.out[k] = 0.0
    for k in range(n * side * nv):
        scratch.K[k] = 0.0
    np_, nq = runs[at + WIDTH], runs[at + COORDINATES]
    run_kernel(
        runs[at + which],
        matrix_view(plan.p, runs[at + PARAMETERS] + first * np_, n, np_),
        matrix_view(plan.numbers, runs[at + PLACES] + first * nq, n, nq),
        matrix_view(plan.numbers, runs[at + SPEEDS_AT] + first * nv, n, nv),
        t, vector_view(q, 0, len(q)), vector_view(v, 0, len(v)), vector_view(a, 0, len(a)),
        matrix_view(lam, 0, n, len(lam) // n), vector_view(w, 0, len(w)), matrix_view(scratch.out, 0, n, width),
        stack_view(scratch.K, 0, n, side, nv), vector_view(scratch.work, 0, len(scratch.work)),
    )  # fmt: skip


@called(None)
def residual_of(plan, scratch, runs, at, t, q, v, a, r):
    """r (total,) = M a + f of the runs at runs[at + 1], whose number is runs[at]."""
    r[:] = 0.0
    none = vector_view(scratch.lam, 0, 0)
    for k in range(runs[at]):
        own = at + 1 + k * RUN
        nv = runs[own + SPEEDS]
        for first in range(0, runs[own + COUNT], BLOCK):
            last = min(first + BLOCK, runs[own + COUNT])
            call_run(plan, scratch, runs, own, VALUE, first, last, nv, 0, t, q, v, a, none, scratch.still)
            base = runs[own + SPEEDS_AT] + first * nv
            for j in range((last - first) * nv):
                r[plan.numbers[base + j]] += scratch.out[j]
