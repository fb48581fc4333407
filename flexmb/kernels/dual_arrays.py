"""Vectors and outputs of kernels in compiled code whose entries are dual numbers (:mod:`flexmb.kernels.dual_types`)."""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from numba import types
from numba.extending import intrinsic, overload

from flexmb.kernels.dual_types import (
    DUAL,
    LANES,
    SLOPES,
    OwnType,
    dual,
    lane,
    lay_out,
    maker,
    reader,
    slope,
    slopes,
    value,
)

_VECTOR = types.Array(types.float64, 1, "C")
_STACK = types.Array(types.float64, 3, "C")


class SeededType(OwnType):
    """A vector of numbers of which up to four change in the directions of the derivatives."""

    def __init__(self) -> None:
        super().__init__("vector with directions")


class ColumnType(OwnType):
    """The output of a residual, of which the derivatives alone are kept, in columns of a tangent."""

    def __init__(self) -> None:
        super().__init__("columns of a tangent")


class RowType(OwnType):
    """The row of one instance in that output."""

    def __init__(self) -> None:
        super().__init__("row of columns of a tangent")


class ScratchType(OwnType):
    """Scratch numbers, of which each has its derivatives behind it."""

    def __init__(self) -> None:
        super().__init__("scratch dual numbers")


class UnitType(OwnType):
    """A vector with one entry that is 1, all others are 0."""

    def __init__(self) -> None:
        super().__init__("unit vector")


class RatesType(OwnType):
    """The output of a constraint, of which the derivatives of ġ alone are kept, LANES numbers for each row."""

    def __init__(self) -> None:
        super().__init__("rates of a constraint")


class RowOfRatesType(OwnType):
    """The row of one instance in that output."""

    def __init__(self) -> None:
        super().__init__("row of rates of a constraint")


SEEDED, COLUMN, ROW, SCRATCH = SeededType(), ColumnType(), RowType(), ScratchType()
UNIT, RATES, ROW_OF_RATES = UnitType(), RatesType(), RowOfRatesType()
_PART_OF_K = [("K", _STACK), ("i", types.int64), ("j", types.int64), ("count", types.int64)]
_RATES_OF_ROWS = [("x", _VECTOR), ("count", types.int64)]
_AT, _CHANGES = types.UniTuple(types.int64, LANES), types.UniTuple(SLOPES, LANES)
lay_out(SEEDED, [("x", _VECTOR), ("at", _AT), ("d", _CHANGES)])
lay_out(COLUMN, _PART_OF_K)
lay_out(ROW, _PART_OF_K)
lay_out(SCRATCH, [("x", _VECTOR)])
lay_out(UNIT, [("at", types.int64)])
lay_out(RATES, _RATES_OF_ROWS)
lay_out(ROW_OF_RATES, _RATES_OF_ROWS)


@intrinsic
def seeded(typingctx: Any, x: Any, at: Any, d: Any) -> Any:
    """The vector x whose entries `at` (4,) change by the slopes d (4,); −1 is no entry."""
    return maker(SEEDED)


@intrinsic
def column(typingctx: Any, K: Any, i: Any, j: Any, count: Any) -> Any:
    """The output of instance i whose derivatives go into `count` columns of K[i] from j on."""
    return maker(COLUMN)


@intrinsic
def scratch(typingctx: Any, x: Any) -> Any:
    """Scratch for dual numbers in the vector x, 1 + LANES numbers for each."""
    return maker(SCRATCH)


@intrinsic
def unit(typingctx: Any, at: Any) -> Any:
    """The unit vector whose entry `at` is 1; −1 is no entry."""
    return maker(UNIT)


@intrinsic
def rates(typingctx: Any, x: Any, count: Any) -> Any:
    """The output of a constraint of `count` rows, whose derivatives of ġ go into the vector x."""
    return maker(RATES)


@intrinsic
def _row_of_rates(typingctx: Any, x: Any, count: Any) -> Any:
    return maker(ROW_OF_RATES)


@intrinsic
def _place_of(typingctx: Any, v: Any) -> Any:
    return reader(UNIT, "at")


@intrinsic
def _numbers_of(typingctx: Any, q: Any) -> Any:
    return reader(q, "x")


@intrinsic
def _entries_of(typingctx: Any, q: Any) -> Any:
    return reader(SEEDED, "at")


@intrinsic
def _changes_of(typingctx: Any, q: Any) -> Any:
    return reader(SEEDED, "d")


@intrinsic
def _row(typingctx: Any, K: Any, i: Any, j: Any, count: Any) -> Any:
    return maker(ROW)


@intrinsic
def _matrix_of(typingctx: Any, out: Any) -> Any:
    return reader(out, "K")


@intrinsic
def _instance_of(typingctx: Any, out: Any) -> Any:
    return reader(out, "i")


@intrinsic
def _column_of(typingctx: Any, out: Any) -> Any:
    return reader(out, "j")


@intrinsic
def _count_of(typingctx: Any, out: Any) -> Any:
    return reader(out, "count")


def _entry(of, at):  # type: ignore[no-untyped-def]
    entries, changes = _entries_of(of), _changes_of(of)
    x = _numbers_of(of)[at]
    if at == entries[0]:
        return dual(x, changes[0])
    if at == entries[1]:
        return dual(x, changes[1])
    if at == entries[2]:
        return dual(x, changes[2])
    if at == entries[3]:
        return dual(x, changes[3])
    return dual(x, 0.0)


def _row_of(of, at):  # type: ignore[no-untyped-def]
    return _row(_matrix_of(of), _instance_of(of), _column_of(of), _count_of(of))


def _so_far(of, at):  # type: ignore[no-untyped-def]
    K, i, j, count = _matrix_of(of), _instance_of(of), _column_of(of), _count_of(of)
    return dual(0.0, slopes(
        K[i, at, j], K[i, at, j + 1] if count > 1 else 0.0, K[i, at, j + 2] if count > 2 else 0.0,
        K[i, at, j + 3] if count > 3 else 0.0,
    ))  # fmt: skip


def _so_far_of_pair(of, at):  # type: ignore[no-untyped-def]
    K, i, j, count = _matrix_of(of), _instance_of(of), _column_of(of), _count_of(of)
    return dual(0.0, slopes(
        K[i, at[1], j], K[i, at[1], j + 1] if count > 1 else 0.0, K[i, at[1], j + 2] if count > 2 else 0.0,
        K[i, at[1], j + 3] if count > 3 else 0.0,
    ))  # fmt: skip


def _keep(of, at, y):  # type: ignore[no-untyped-def]
    K, i, j, d = _matrix_of(of), _instance_of(of), _column_of(of), slope(y)
    for k in range(_count_of(of)):
        K[i, at, j + k] = lane(d, k)


def _keep_of_pair(of, at, y):  # type: ignore[no-untyped-def]
    K, i, j, d = _matrix_of(of), _instance_of(of), _column_of(of), slope(y)
    for k in range(_count_of(of)):
        K[i, at[1], j + k] = lane(d, k)


def _keep_zero(of, at, y):  # type: ignore[no-untyped-def]
    for k in range(_count_of(of)):
        _matrix_of(of)[_instance_of(of), at, _column_of(of) + k] = 0.0


def _keep_zero_of_pair(of, at, y):  # type: ignore[no-untyped-def]
    for k in range(_count_of(of)):
        _matrix_of(of)[_instance_of(of), at[1], _column_of(of) + k] = 0.0


def _recalled(of, at):  # type: ignore[no-untyped-def]
    x, first = _numbers_of(of), (1 + LANES) * at
    return dual(x[first], slopes(x[first + 1], x[first + 2], x[first + 3], x[first + 4]))


def _remember(of, at, y):  # type: ignore[no-untyped-def]
    x, first, d = _numbers_of(of), (1 + LANES) * at, slope(y)
    x[first] = value(y)
    for k in range(LANES):
        x[first + 1 + k] = lane(d, k)


def _remember_number(of, at, y):  # type: ignore[no-untyped-def]
    x, first = _numbers_of(of), (1 + LANES) * at
    x[first] = y
    for k in range(LANES):
        x[first + 1 + k] = 0.0


def _of_unit(of, at):  # type: ignore[no-untyped-def]
    return 1.0 if at == _place_of(of) else 0.0


def _rates_row_of(of, at):  # type: ignore[no-untyped-def]
    return _row_of_rates(_numbers_of(of), _count_of(of))


def _rate_so_far(of, at):  # type: ignore[no-untyped-def]
    x, first = _numbers_of(of), LANES * (at - _count_of(of))
    if 0 <= first < LANES * _count_of(of):
        return dual(0.0, slopes(x[first], x[first + 1], x[first + 2], x[first + 3]))
    return dual(0.0, 0.0)


def _keep_rate(of, at, y):  # type: ignore[no-untyped-def]
    x, first, d = _numbers_of(of), LANES * (at - _count_of(of)), slope(y)
    if 0 <= first < LANES * _count_of(of):
        for k in range(LANES):
            x[first + k] = lane(d, k)


def _keep_rate_number(of, at, y):  # type: ignore[no-untyped-def]
    x, first = _numbers_of(of), LANES * (at - _count_of(of))
    if 0 <= first < LANES * _count_of(of):
        for k in range(LANES):
            x[first + k] = 0.0


def _rate_so_far_of_pair(of, at):  # type: ignore[no-untyped-def]
    return _row_of_rates(_numbers_of(of), _count_of(of))[at[1]]


def _keep_rate_of_pair(of, at, y):  # type: ignore[no-untyped-def]
    _row_of_rates(_numbers_of(of), _count_of(of))[at[1]] = y


def _get(of, at):  # type: ignore[no-untyped-def]
    if of is COLUMN:
        return _row_of if isinstance(at, types.Integer) else _so_far_of_pair
    if of is RATES:
        return _rates_row_of if isinstance(at, types.Integer) else _rate_so_far_of_pair
    if of is ROW_OF_RATES:
        return _rate_so_far
    return {SEEDED: _entry, ROW: _so_far, SCRATCH: _recalled, UNIT: _of_unit}.get(of)


def _set(of, at, y):  # type: ignore[no-untyped-def]
    if of is ROW:
        return _keep if y is DUAL else _keep_zero
    if of is SCRATCH:
        return _remember if y is DUAL else _remember_number
    if of is RATES:
        return _keep_rate_of_pair
    if of is ROW_OF_RATES:
        return _keep_rate if y is DUAL else _keep_rate_number
    if of is COLUMN:
        return _keep_of_pair if y is DUAL else _keep_zero_of_pair
    return None


@cache
def teach_entries() -> None:
    """Tell the compiler how entries of these are read and set."""
    overload(operator.getitem)(_get)
    overload(operator.setitem)(_set)
