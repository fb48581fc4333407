"""Layout of the matrix of all stages together: where the entries of the matrix of one stage go in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.system.linear import SMALL, Linear, analyzed, enlarged, linear_for, linear_of
from flexmb.system.plan import Compressed, Plan

#: Kinds of matrix entries. ALONE: in the row of a position constraint or the column of a multiplier, which couple the
#: unknowns of one stage only; MOTION: in an equation of motion; SPEED: in a velocity row.
ALONE, MOTION, SPEED = range(3)
#: Additional cost of a step with a matrix for each stage over one with a common matrix, in Newton corrections:
#: AT_LEAST, and BY_PRODUCTS for each multiplication of the elimination per entry of the matrix of one stage.
AT_LEAST, BY_PRODUCTS = 2.0, 0.03
#: Cost of changing from one to the other, in Newton corrections: the first time, when the matrix of all stages is laid
#: out, dense or sparse, and later.
LAYING_DENSE, LAYING_SPARSE, CHANGE = 8.0, 80.0, 4.0


@by_reference
class Own(NamedTuple):
    """The matrix of all stages together, with a matrix for each stage, and `places` (values, 3, 3): for each entry of
    the matrix of one stage the index in it for the equations of stage s and the unknowns of stage j; negative where
    there is none."""

    linear: Linear
    places: np.ndarray


def nothing_yet() -> Own:
    """An empty Own: the matrix of all stages is laid out when a step first needs it."""
    return Own(linear_of(0, None), np.zeros((0, 3, 3), dtype=np.int64))


@by_reference
class Matrices(NamedTuple):
    """Matrices of the stages: the `real` and the complex one (`pair`) of a common matrix, and that of all stages
    together (`own`). They are formed of `parts` (4, values), with the `kinds` (values,) of the entries and the array
    `turning` (k, 5); `speed_rows`: 1 if there are velocity rows. Right-hand sides b and solutions x of the real system
    (size,), of the complex one, and of all stages together (3 size,)."""

    real: Linear
    pair: Linear
    own: Own
    parts: np.ndarray
    kinds: np.ndarray
    turning: np.ndarray
    speed_rows: int
    b: np.ndarray
    x: np.ndarray
    b_pair: np.ndarray
    x_pair: np.ndarray
    b_all: np.ndarray
    x_all: np.ndarray

    @classmethod
    def of(cls, plan: Plan, pattern: Compressed | None) -> Matrices:
        """Memory for matrices with the pattern of one stage's."""
        kinds, real = kinds_of(plan, pattern), linear_for(plan, pattern)
        (b, x), (b_pair, x_pair) = np.zeros((2, plan.size)), np.zeros((2, plan.size), dtype=complex)
        b_all, x_all = np.zeros((2, 3 * plan.size))
        return cls(
            real, linear_for(plan, pattern, complex), nothing_yet(), np.zeros((4, len(real.values))), kinds,
            turning_of(plan, pattern, kinds), int((plan.at_speed >= 0).any()), b, x, b_pair, x_pair, b_all, x_all,
        )  # fmt: skip

    def enlarged(self) -> Matrices:
        """More memory for the factors."""
        own = self.own._replace(linear=enlarged(self.own.linear))
        return self._replace(real=enlarged(self.real), pair=enlarged(self.pair), own=own)


def kinds_of(plan: Plan, pattern: Compressed | None) -> np.ndarray:
    """Kind of each entry of the matrix of one stage (values,)."""
    rows, columns = _entries(plan, pattern)
    kinds = np.full(len(rows), ALONE, dtype=np.int64)
    moves = columns < plan.n
    kinds[moves & (rows < plan.n)] = MOTION
    if plan.m and plan.at_speed.max() >= 0:
        at_speed = np.concatenate([np.zeros(plan.n, dtype=bool), plan.at_speed >= 0])
        kinds[moves & at_speed[rows]] = SPEED
    return kinds


def turning_of(plan: Plan, pattern: Compressed | None, kinds: np.ndarray) -> np.ndarray:
    """Entries of the matrix of one stage that are multiplied by ω̃, those in the columns of orientations: an array (k,
    5) with the index of the entry, the indices of the entries of the same row in the columns of the two other axes
    (negative where there is none), and the indices in v of these two axes."""
    if not len(plan.orientations):
        return np.zeros((0, 5), dtype=np.int64)
    rows, columns = _entries(plan, pattern)
    start = np.full(plan.size, -1, dtype=np.int64)
    for k in range(3):
        start[plan.orientations[:, 0] + k] = plan.orientations[:, 0]
    values = np.flatnonzero((kinds != ALONE) & (start[columns] >= 0))
    axis = columns[values] - start[columns[values]]
    found = [values]
    numbers = [start[columns[values]] + (axis + k) % 3 for k in (1, 2)]
    keys = columns * plan.size + rows
    order = np.argsort(keys)
    for number in numbers:
        wanted = number * plan.size + rows[values]
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)]
        found.append(np.where(keys[at] == wanted, at, -1))
    return np.column_stack(found + numbers)


def laid_out(plan: Plan, pattern: Compressed | None, kinds: np.ndarray) -> tuple[Own, float]:
    """Layout and memory of the matrix of all stages, and the additional cost of a step with it, in Newton
    corrections."""
    size, stages = plan.size, plan.size * np.arange(3)
    rows, columns = (x[:, None, None] for x in _entries(plan, pattern))
    there = (kinds != ALONE)[:, None, None] | np.eye(3, dtype=bool)
    at_row, at_column = np.broadcast_arrays(rows + stages[:, None], columns + stages)
    if pattern is None:
        return Own(linear_of(3 * size, None), np.where(there, at_row * 3 * size + at_column, -1)), AT_LEAST
    row, column = at_row[there], at_column[there]
    order = np.lexsort((row, column))
    places = np.full(there.shape, -1, dtype=np.int64)
    places[there] = np.argsort(order)
    starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=3 * size))])
    whole = Compressed(starts, row[order])
    products = analyzed(whole).lower_nonzeros ** 2 / (3 * size)
    return Own(linear_of(3 * size, whole, small=size <= SMALL), places), AT_LEAST + BY_PRODUCTS * products / len(kinds)


def _entries(plan: Plan, pattern: Compressed | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the entries of the matrix of one stage."""
    if pattern is None:
        rows, columns = np.indices((plan.size, plan.size)).reshape(2, -1)
        return rows, columns
    return pattern.indices, np.repeat(np.arange(plan.size), np.diff(pattern.indptr))
