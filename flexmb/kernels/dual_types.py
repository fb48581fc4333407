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

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, models, overload, register_model

#: how many directions are differentiated at once
LANES = 4

_VECTOR = types.Array(types.float64, 1, "C")
_STACK = types.Array(types.float64, 3, "C")


class _Own(types.Type):
    """A type whose rules are the code of this module and of the rules; what is compiled with it depends on them."""

    @property
    def code(self) -> list[CodeType]:
        return _codes()


class SlopesType(_Own):
    """Derivatives in several directions, which the processor computes at once."""

    def __init__(self) -> None:
        super().__init__("slopes")


class DualType(_Own):
    """A value and its derivatives."""

    def __init__(self) -> None:
        super().__init__("dual number")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        return self if isinstance(other, types.Number) else None


class SeededType(_Own):
    """A vector of numbers of which up to four change in the directions of the derivatives."""

    def __init__(self) -> None:
        super().__init__("vector with directions")


class ColumnType(_Own):
    """The output of a residual, of which the derivatives alone are kept, in columns of a tangent."""

    def __init__(self) -> None:
        super().__init__("columns of a tangent")


class RowType(_Own):
    """The row of one instance in that output."""

    def __init__(self) -> None:
        super().__init__("row of columns of a tangent")


class ScratchType(_Own):
    """Scratch numbers, of which each has its derivatives behind it."""

    def __init__(self) -> None:
        super().__init__("scratch dual numbers")


class UnitType(_Own):
    """A vector with one entry that is 1, all others are 0."""

    def __init__(self) -> None:
        super().__init__("unit vector")


class RatesType(_Own):
    """The output of a constraint, of which the derivatives of ġ alone are kept, LANES numbers for each row."""

    def __init__(self) -> None:
        super().__init__("rates of a constraint")


class RowOfRatesType(_Own):
    """The row of one instance in that output."""

    def __init__(self) -> None:
        super().__init__("row of rates of a constraint")


SLOPES, DUAL, SEEDED = SlopesType(), DualType(), SeededType()
COLUMN, ROW, SCRATCH = ColumnType(), RowType(), ScratchType()
UNIT, RATES, ROW_OF_RATES = UnitType(), RatesType(), RowOfRatesType()
_AT, _CHANGES = types.UniTuple(types.int64, LANES), types.UniTuple(SLOPES, LANES)
_PART_OF_K = [("K", _STACK), ("i", types.int64), ("j", types.int64), ("count", types.int64)]
_FIELDS: dict[types.Type, list[tuple[str, types.Type]]] = {
    DUAL: [("x", types.float64), ("d", SLOPES)],
    SEEDED: [("x", _VECTOR), ("at", _AT), ("d", _CHANGES)],
    COLUMN: _PART_OF_K,
    ROW: _PART_OF_K,
    SCRATCH: [("x", _VECTOR)],
    UNIT: [("at", types.int64)],
    RATES: [("x", _VECTOR), ("count", types.int64)],
    ROW_OF_RATES: [("x", _VECTOR), ("count", types.int64)],
}


def _vector() -> Any:
    """The compiler's type of slopes."""
    return ir.VectorType(ir.DoubleType(), LANES)


@register_model(SlopesType)
class _SlopesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, _vector())


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


def _all(builder: Any, x: Any) -> Any:
    """The same number in all directions."""
    first = builder.insert_element(ir.Constant(_vector(), ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_vector(), ir.Undefined), zeros)


@intrinsic
def slopes(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Derivatives in the four directions."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        made = ir.Constant(_vector(), ir.Undefined)
        for k, x in enumerate(given):
            made = builder.insert_element(made, x, ir.Constant(ir.IntType(32), k))
        return made

    return SLOPES(*(types.float64,) * LANES), codegen


@intrinsic
def lane(typingctx: Any, d: Any, k: Any) -> Any:
    """The derivative in direction k."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.extract_element(given[0], builder.trunc(given[1], ir.IntType(32)))

    return types.float64(SLOPES, types.int64), codegen


def _of_slopes(operation: str, second: types.Type, first: types.Type = SLOPES) -> Any:
    """An operation in all directions at once; a number is the same in all of them."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        both = [x if of is SLOPES else _all(builder, x) for x, of in zip(given, (first, second))]
        return getattr(builder, operation)(*both, flags=("contract",))

    return SLOPES(first, second), codegen


@intrinsic
def _plus(typingctx: Any, a: Any, b: Any) -> Any:
    return _of_slopes("fadd", SLOPES)


@intrinsic
def _minus(typingctx: Any, a: Any, b: Any) -> Any:
    return _of_slopes("fsub", SLOPES)


@intrinsic
def _times(typingctx: Any, a: Any, x: Any) -> Any:
    return _of_slopes("fmul", types.float64)


@intrinsic
def _over(typingctx: Any, a: Any, x: Any) -> Any:
    return _of_slopes("fdiv", types.float64)


@intrinsic
def quotient(typingctx: Any, a: Any, x: Any) -> Any:
    """a/x, and zero in directions in which a is zero, also where x is."""
    signature, divide = _of_slopes("fdiv", types.float64)

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        zero = ir.Constant(_vector(), [0.0] * LANES)
        still = builder.fcmp_ordered("==", given[0], zero)
        return builder.select(still, zero, divide(context, builder, signature, given))

    return signature, codegen


@intrinsic
def dual(typingctx: Any, x: Any, d: Any) -> Any:
    """The dual number x + d ε; a number d is the derivative in all directions."""
    if d is SLOPES:
        return _maker(DUAL)

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _make(context, builder, DUAL, (given[0], _all(builder, given[1])))

    return DUAL(types.float64, types.float64), codegen


@intrinsic
def value(typingctx: Any, a: Any) -> Any:
    """The value x of a dual number."""
    return _reader(DUAL, "x")


@intrinsic
def slope(typingctx: Any, a: Any) -> Any:
    """The derivatives d of a dual number."""
    return _reader(DUAL, "d")


@intrinsic
def seeded(typingctx: Any, x: Any, at: Any, d: Any) -> Any:
    """The vector x whose entries `at` (4,) change by the slopes d (4,); −1 is no entry."""
    return _maker(SEEDED)


@intrinsic
def column(typingctx: Any, K: Any, i: Any, j: Any, count: Any) -> Any:
    """The output of instance i whose derivatives go into `count` columns of K[i] from j on."""
    return _maker(COLUMN)


@intrinsic
def scratch(typingctx: Any, x: Any) -> Any:
    """Scratch for dual numbers in the vector x, 1 + LANES numbers for each."""
    return _maker(SCRATCH)


@intrinsic
def unit(typingctx: Any, at: Any) -> Any:
    """The unit vector whose entry `at` is 1; −1 is no entry."""
    return _maker(UNIT)


@intrinsic
def rates(typingctx: Any, x: Any, count: Any) -> Any:
    """The output of a constraint of `count` rows, whose derivatives of ġ go into the vector x."""
    return _maker(RATES)


@intrinsic
def _row_of_rates(typingctx: Any, x: Any, count: Any) -> Any:
    return _maker(ROW_OF_RATES)


@intrinsic
def _place_of(typingctx: Any, v: Any) -> Any:
    return _reader(UNIT, "at")


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
def _row(typingctx: Any, K: Any, i: Any, j: Any, count: Any) -> Any:
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


@intrinsic
def _count_of(typingctx: Any, out: Any) -> Any:
    return _reader(out, "count")


@lower_cast(types.Number, DualType)
def _from_number(context: Any, builder: Any, given: Any, wanted: Any, number: Any) -> Any:
    x = context.cast(builder, number, given, types.float64)
    return _make(context, builder, DUAL, (x, ir.Constant(_vector(), [0.0] * LANES)))


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


def _sum(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _plus(a, b)) if a is SLOPES and b is SLOPES else None


def _difference(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _minus(a, b)) if a is SLOPES and b is SLOPES else None


def _product(a, b):  # type: ignore[no-untyped-def]
    if a is SLOPES and isinstance(b, types.Number):
        return lambda a, b: _times(a, b)
    return (lambda a, b: _times(b, a)) if b is SLOPES and isinstance(a, types.Number) else None


def _ratio(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _over(a, b)) if a is SLOPES and isinstance(b, types.Number) else None


def _opposite(a):  # type: ignore[no-untyped-def]
    return (lambda a: _times(a, -1.0)) if a is SLOPES else None


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


def teach(of_one: Mapping[Any, Callable[..., Any]], of_two: Mapping[Any, tuple[Callable[..., Any], ...]]) -> None:
    """Tell the compiler the rules for dual numbers (:mod:`flexmb.kernels.dual_numbers`)."""
    for function, of in (
        (operator.getitem, _get), (operator.setitem, _set), (operator.add, _sum), (operator.sub, _difference),
        (operator.mul, _product), (operator.truediv, _ratio), (operator.neg, _opposite),
    ):  # fmt: skip
        overload(function)(of)
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
