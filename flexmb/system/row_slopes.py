"""How the rates of rows change with positions and speeds, instance by instance.

Of the rows G v = −g_t and G a = γ an instance gives its own, functions of the few coordinates that it reads. Their
slopes are differences of fourth order along each of these, of positions along :meth:`flexmb.System.retract`, so that
all slopes of a system cost a number of evaluations of each instance that does not depend on the system's size. ġ is
linear and γ quadratic in the speeds, for which the differences are exact.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.differences import OFFSETS, ONE_SIDED, ONE_SIDED_WEIGHTS, WEIGHTS
from flexmb.kernels.charts import orientation, put_orientation
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.rotations import exp, normalized, product
from flexmb.system.kernel_calls import CONSTRAINT, JACOBIAN
from flexmb.system.kernel_calls import call_kernel as _call
from flexmb.system.plan import COUNT, IQ_AT, IV_AT, KERNEL_AT, NQ, NV, ROW_AT, ROWS, VELOCITY_ROWS
from flexmb.system.system import System

#: steps of the differences, in units of each coordinate's scale
STEP = 2e-4
#: differences, to both sides or to one, as they are tried one after the other: steps with twelve times their weights,
#: in an order in which equal values give exactly zero
BOTH_SIDES = np.array([*zip(OFFSETS[2:], WEIGHTS[2:]), *zip(OFFSETS[1::-1], WEIGHTS[1::-1])])[[0, 2, 1, 3]]
ONE_SIDE = np.array([x for s, w in zip(ONE_SIDED[1:], ONE_SIDED_WEIGHTS) for x in ((s, w), (ONE_SIDED[0], -w))])


@inlined
def _listed_before(numbers, first, i):
    """Whether number i from `first` on stands there earlier already."""
    for k in range(first, i):
        if numbers[k] == numbers[i]:
            return True
    return False


@called(None)
def _add_rows(plan, scratch, group, i, t, q, v, a, weight, column, H, Gq):
    """Column `column` of H += weight ġ and of Gq += weight (γ − G a), in the rows of an instance."""
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    rows, speeds = plan.groups[group, ROW_AT] + i * m, plan.groups[group, IV_AT] + i * nv
    _call(plan, scratch, CONSTRAINT, group, i, i + 1, 3 * m, False, t, q, v, scratch.still, scratch.still)
    for k in range(m):
        if plan.rows[rows + k] >= 0:
            H[plan.rows[rows + k], column] += weight * scratch.out[m + k]
            Gq[plan.rows[rows + k], column] += weight * scratch.out[2 * m + k]
    width = (2 if plan.groups[group, VELOCITY_ROWS] > 0 else 1) * m * nv
    _call(plan, scratch, JACOBIAN, group, i, i + 1, width, True, t, q, v, a, scratch.still)
    for k in range(m):
        if plan.rows[rows + k] >= 0:
            total = 0.0
            for j in range(nv):
                total += scratch.out[k * nv + j] * a[plan.numbers[speeds + j]]
            Gq[plan.rows[rows + k], column] -= weight * total


@called(None)
def _along_positions(plan, scratch, group, i, turns, t, q, v, a, h, differences, H, Gq):
    first = plan.groups[group, IQ_AT] + i * plan.groups[group, NQ]
    for c in range(first, first + plan.groups[group, NQ]):
        number = plan.numbers[c]
        if number >= plan.nq or _listed_before(plan.numbers, first, c):
            continue
        k = turns[number]
        if k >= 0 and number != plan.orientations[k, 1]:
            continue  # all three turns of an orientation are made where its scalar number stands
        for j in range(1 if k < 0 else 3):
            column = number if k < 0 else plan.orientations[k, 0] + j
            for d in range(differences.shape[0]):
                step, weight = differences[d, 0] * h[column], differences[d, 1] / (12.0 * h[column])
                if k < 0:
                    before = q[number]
                    q[number] = before + step
                    _add_rows(plan, scratch, group, i, t, q, v, a, weight, column, H, Gq)
                    q[number] = before
                else:
                    e = orientation(plan.orientations, k, q)
                    turn = exp((step if j == 0 else 0.0, step if j == 1 else 0.0, step if j == 2 else 0.0))
                    put_orientation(plan.orientations, k, normalized(product(e, turn)), q)
                    _add_rows(plan, scratch, group, i, t, q, v, a, weight, column, H, Gq)
                    put_orientation(plan.orientations, k, e, q)


@called(None)
def _along_speeds(plan, scratch, group, i, t, q, v, h, differences, Gv):
    m = plan.groups[group, ROWS]
    rows, first = plan.groups[group, ROW_AT] + i * m, plan.groups[group, IV_AT] + i * plan.groups[group, NV]
    for c in range(first, first + plan.groups[group, NV]):
        number = plan.numbers[c]
        if number >= plan.n or _listed_before(plan.numbers, first, c):
            continue
        before = v[number]
        for d in range(differences.shape[0]):
            v[number] = before + differences[d, 0] * h[number]
            _call(plan, scratch, CONSTRAINT, group, i, i + 1, 3 * m, False, t, q, v, scratch.still, scratch.still)
            weight = differences[d, 1] / (12.0 * h[number])
            for k in range(m):
                if plan.rows[rows + k] >= 0:
                    Gv[plan.rows[rows + k], number] += weight * scratch.out[2 * m + k]
        v[number] = before


@allocation_free
def add_row_slopes(plan, scratch, turns, t, q, v, a, h, of_positions, of_speeds, H, Gq, Gv):
    """H, Gq, Gv (m, n) += the slopes; `turns` (nq,): the orientation to which a coordinate belongs, or −1; `h` (n,)
    steps of all coordinates and speeds; `of_positions`, `of_speeds` (k, 2) steps and weights. q and v are changed on
    the way."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + CONSTRAINT] == 0:
            continue
        for i in range(plan.groups[group, COUNT]):
            _along_positions(plan, scratch, group, i, turns, t, q, v, a, h, of_positions, H, Gq)
            _along_speeds(plan, scratch, group, i, t, q, v, h, of_speeds, Gv)


def row_slopes(
    system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """H = ∂ġ/∂q, and ∂(γ − G a)/∂q and ∂γ/∂v, (m, n) each, at positions q (nq,), speeds v and accelerations a (n,).

    To one side where rows are not defined on both: a curve may end there."""
    turns = np.full(system.nq, -1, dtype=np.int64)
    for k, (first, scalar) in enumerate(system.orientations.tolist()):
        turns[[first, first + 1, first + 2, scalar]] = k
    out = np.full((3, system.m, system.n), np.nan)
    h = STEP * system.scale
    for length, of_positions in ((h, BOTH_SIDES), (h, ONE_SIDE), (-h, ONE_SIDE)):
        found = np.zeros_like(out)
        full = system.full_q(q).copy(), system.full(v).copy(), system.full(a)
        add_row_slopes(system.plan, system.scratch, turns, float(t), *full, length, of_positions, BOTH_SIDES, *found)
        left = ~np.isfinite(out).all(axis=(0, 1))
        out[..., left] = found[..., left]
        if np.isfinite(out).all():
            break
    return out[0], out[1], out[2]
