"""Dual numbers in compiled code: their type, and vectors and outputs of kernels whose entries are dual numbers.

The rules by which they are computed are in :mod:`flexmb.kernels.dual_numbers`, which registers them by
:func:`teach`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, models, overload, register_model

_VECTOR = types.Array(types.float64, 1, "C")
_STACK = types.Array(types.float64, 3, "C")
_FOUR = types.UniTuple(types.int64, 4)
_RATES = types.UniTuple(types.float64, 4)


class _Own(types.Type):
    """A type whose rules are the code of this module and of the rules; what is compiled with it depends on them."""

    @property
    def code(self) -> list[CodeType]:
        return _codes()


class DualType(_Own):
    """A value and a derivative."""

    def __init__(self) -> None:
        super().__init__("dual number")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        return self if isinstance(other, types.Number) else None


class SeededType(_Own):
    """A vector of numbers of which up to four change in the direction of the derivative."""

    def __init__(self) -> None:
        super().__init__("vector with a direction")


class ColumnType(_Own):
    """The output of a residual, of which the derivatives alone are kept, in a column of a tangent."""

    def __init__(self) -> None:
        super().__init__("column of a tangent")


class RowType(_Own):
    """The row of one instance in that output."""

    def __init__(self) -> None:
        super().__init__("row of a column of a tangent")


class ScratchType(_Own):
    """Scratch numbers, of which each has its derivative behind it."""

    def __init__(self) -> None:
        super().__init__("scratch dual numbers")


DUAL, SEEDED, COLUMN, ROW, SCRATCH = DualType(), SeededType(), ColumnType(), RowType(), ScratchType()
_FIELDS: dict[types.Type, list[tuple[str, types.Type]]] = {
    DUAL: [("x", types.float64), ("d", types.float64)],
    SEEDED: [("x", _VECTOR), ("at", _FOUR), ("d", _RATES)],
    COLUMN: [("K", _STACK), ("i", types.int64), ("j", types.int64)],
    ROW: [("K", _STACK), ("i", types.int64), ("j", types.int64)],
    SCRATCH: [("x", _VECTOR)],
}


def _model(kind: types.Type) -> type:
    class Model(models.StructModel):  # type: ignore[misc]
        def __init__(self, manager: Any, of: Any) -> None:
            super().__init__(manager, of, _FIELDS[kind])

    return Model


for _kind in _FIELDS:
    register_model(type(_kind))(_model(_kind))


def _make(context: Any, builder: Any, kind: types.Type, values: Any) -> Any:
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for (name, _), given in zip(_FIELDS[kind], values):
        setattr(made, name, given)
    return made._getvalue()


def _maker(kind: types.Type) -> Any:
    """What makes a value of a type from those of its fields."""
    of = kind(*(field for _, field in _FIELDS[kind]))

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _make(context, builder, kind, given)

    return of, codegen


def _reader(kind: types.Type, name: str) -> Any:
    """What reads a field of a value of a type."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return getattr(cgutils.create_struct_proxy(kind)(context, builder, given[0]), name)

    return dict(_FIELDS[kind])[name](kind), codegen


@intrinsic
def dual(typingctx: Any, x: Any, d: Any) -> Any:
    """The dual number x + d ε."""
    return _maker(DUAL)


@intrinsic
def value(typingctx: Any, a: Any) -> Any:
    """The value x of a dual number."""
    return _reader(DUAL, "x")


@intrinsic
def slope(typingctx: Any, a: Any) -> Any:
    """The derivative d of a dual number."""
    return _reader(DUAL, "d")


@intrinsic
def seeded(typingctx: Any, x: Any, at: Any, d: Any) -> Any:
    """The vector x whose entries `at` (4,) change by d (4,); −1 is no entry."""
    return _maker(SEEDED)


@intrinsic
def column(typingctx: Any, K: Any, i: Any, j: Any) -> Any:
    """The output of instance i whose derivatives go into K[i, :, j]."""
    return _maker(COLUMN)


@intrinsic
def scratch(typingctx: Any, x: Any) -> Any:
    """Scratch for dual numbers in the vector x, two numbers for each."""
    return _maker(SCRATCH)


@intrinsic
def _numbers_of(typingctx: Any, q: Any) -> Any:
    return _reader(q, "x")


@intrinsic
def _entries_of(typingctx: Any, q: Any) -> Any:
    return _reader(SEEDED, "at")


@intrinsic
def _changes_of(typingctx: Any, q: Any) -> Any:
    return _reader(SEEDED, "d")


@intrinsic
def _row(typingctx: Any, K: Any, i: Any, j: Any) -> Any:
    return _maker(ROW)


@intrinsic
def _matrix_of(typingctx: Any, out: Any) -> Any:
    return _reader(out, "K")


@intrinsic
def _instance_of(typingctx: Any, out: Any) -> Any:
    return _reader(out, "i")


@intrinsic
def _column_of(typingctx: Any, out: Any) -> Any:
    return _reader(out, "j")


@lower_cast(types.Number, DualType)
def _from_number(context: Any, builder: Any, given: Any, wanted: Any, number: Any) -> Any:
    x = context.cast(builder, number, given, types.float64)
    return _make(context, builder, DUAL, (x, context.get_constant(types.float64, 0.0)))


def _entry(of, at):  # type: ignore[no-untyped-def]
    entries, changes = _entries_of(of), _changes_of(of)
    change = 0.0
    if at == entries[0]:
        change = changes[0]
    elif at == entries[1]:
        change = changes[1]
    elif at == entries[2]:
        change = changes[2]
    elif at == entries[3]:
        change = changes[3]
    return dual(_numbers_of(of)[at], change)


def _row_of(of, at):  # type: ignore[no-untyped-def]
    return _row(_matrix_of(of), _instance_of(of), _column_of(of))


def _so_far(of, at):  # type: ignore[no-untyped-def]
    return dual(0.0, _matrix_of(of)[_instance_of(of), at, _column_of(of)])


def _so_far_of_pair(of, at):  # type: ignore[no-untyped-def]
    return dual(0.0, _matrix_of(of)[_instance_of(of), at[1], _column_of(of)])


def _keep(of, at, y):  # type: ignore[no-untyped-def]
    _matrix_of(of)[_instance_of(of), at, _column_of(of)] = slope(y)


def _keep_of_pair(of, at, y):  # type: ignore[no-untyped-def]
    _matrix_of(of)[_instance_of(of), at[1], _column_of(of)] = slope(y)


def _keep_zero(of, at, y):  # type: ignore[no-untyped-def]
    _matrix_of(of)[_instance_of(of), at, _column_of(of)] = 0.0


def _keep_zero_of_pair(of, at, y):  # type: ignore[no-untyped-def]
    _matrix_of(of)[_instance_of(of), at[1], _column_of(of)] = 0.0


def _recalled(of, at):  # type: ignore[no-untyped-def]
    x = _numbers_of(of)
    return dual(x[2 * at], x[2 * at + 1])


def _remember(of, at, y):  # type: ignore[no-untyped-def]
    x = _numbers_of(of)
    x[2 * at], x[2 * at + 1] = value(y), slope(y)


def _remember_number(of, at, y):  # type: ignore[no-untyped-def]
    x = _numbers_of(of)
    x[2 * at], x[2 * at + 1] = y, 0.0


def _get(of, at):  # type: ignore[no-untyped-def]
    if of is COLUMN:
        return _row_of if isinstance(at, types.Integer) else _so_far_of_pair
    return {SEEDED: _entry, ROW: _so_far, SCRATCH: _recalled}.get(of)


def _set(of, at, y):  # type: ignore[no-untyped-def]
    if of is ROW:
        return _keep if y is DUAL else _keep_zero
    if of is SCRATCH:
        return _remember if y is DUAL else _remember_number
    if of is COLUMN:
        return _keep_of_pair if y is DUAL else _keep_zero_of_pair
    return None


def teach(of_one: Mapping[Any, Callable[..., Any]], of_two: Mapping[Any, tuple[Callable[..., Any], ...]]) -> None:
    """Tell the compiler the rules for dual numbers (:mod:`flexmb.kernels.dual_numbers`)."""
    overload(operator.getitem)(_get)
    overload(operator.setitem)(_set)
    for function, rule in of_one.items():
        _teach_one(function, rule)
    for function, rules in of_two.items():
        _teach_two(function, rules)


def _teach_one(function: Any, rule: Callable[..., Any]) -> None:
    @overload(function)
    def of(a):  # type: ignore[no-untyped-def]
        return rule if a is DUAL else None


def _teach_two(function: Any, rules: tuple[Callable[..., Any], ...]) -> None:
    @overload(function)
    def of(a, b):  # type: ignore[no-untyped-def]
        if a is DUAL:
            return rules[0] if b is DUAL else rules[1] if isinstance(b, types.Number) else None
        return rules[2] if b is DUAL and isinstance(a, types.Number) else None


@cache
def _codes() -> list[CodeType]:
    """The code of this module and of the rules."""
    rules = sys.modules["flexmb.kernels.dual_numbers"]
    own = [
        x.__code__
        for module in (sys.modules[__name__], rules)
        for x in vars(module).values()
        if isinstance(x, FunctionType)
    ]
    listed = [f.__code__ for each in rules.OF_TWO.values() for f in each] + [f.__code__ for f in rules.OF_ONE.values()]
    return [*own, *listed]
