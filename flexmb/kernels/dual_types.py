"""Dual numbers in compiled code: a value with its derivatives in several directions, which the processor computes at
once.

The rules by which they are computed are in :mod:`flexmb.kernels.dual_numbers`, which registers them by :func:`teach`;
vectors and outputs of kernels whose entries are dual numbers are in :mod:`flexmb.kernels.dual_arrays`.
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


class OwnType(types.Type):
    """A type whose rules are code of flexmb; what is compiled with it depends on them."""

    @property
    def code(self) -> list[CodeType]:
        return _codes()


class SlopesType(OwnType):
    """Derivatives in several directions, which the processor computes at once."""

    def __init__(self) -> None:
        super().__init__("slopes")


class DualType(OwnType):
    """A value and its derivatives."""

    def __init__(self) -> None:
        super().__init__("dual number")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        return self if isinstance(other, types.Number) else None


SLOPES, DUAL = SlopesType(), DualType()
#: the fields of values of each type
FIELDS: dict[types.Type, list[tuple[str, types.Type]]] = {DUAL: [("x", types.float64), ("d", SLOPES)]}


def vector_type() -> Any:
    """The compiler's type of slopes."""
    return ir.VectorType(ir.DoubleType(), LANES)


@register_model(SlopesType)
class _SlopesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, vector_type())


def lay_out(kind: types.Type, fields: list[tuple[str, types.Type]]) -> None:
    """Tell the compiler the fields of values of a type."""

    class Model(models.StructModel):  # type: ignore[misc]
        def __init__(self, manager: Any, of: Any) -> None:
            super().__init__(manager, of, fields)

    FIELDS[kind] = fields
    register_model(type(kind))(Model)


lay_out(DUAL, FIELDS[DUAL])


def made(context: Any, builder: Any, kind: types.Type, values: Any) -> Any:
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for (name, _), given in zip(FIELDS[kind], values):
        setattr(made, name, given)
    return made._getvalue()


def maker(kind: types.Type) -> Any:
    """What makes a value of a type from those of its fields."""
    of = kind(*(field for _, field in FIELDS[kind]))

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return made(context, builder, kind, given)

    return of, codegen


def reader(kind: types.Type, name: str) -> Any:
    """What reads a field of a value of a type."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return getattr(cgutils.create_struct_proxy(kind)(context, builder, given[0]), name)

    return dict(FIELDS[kind])[name](kind), codegen


def _all(builder: Any, x: Any) -> Any:
    """The same number in all directions."""
    first = builder.insert_element(ir.Constant(vector_type(), ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(vector_type(), ir.Undefined), zeros)


@intrinsic
def slopes(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Derivatives in the four directions."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        made = ir.Constant(vector_type(), ir.Undefined)
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
        zero = ir.Constant(vector_type(), [0.0] * LANES)
        still = builder.fcmp_ordered("==", given[0], zero)
        return builder.select(still, zero, divide(context, builder, signature, given))

    return signature, codegen


@intrinsic
def dual(typingctx: Any, x: Any, d: Any) -> Any:
    """The dual number x + d ε; a number d is the derivative in all directions."""
    if d is SLOPES:
        return maker(DUAL)

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return made(context, builder, DUAL, (given[0], _all(builder, given[1])))

    return DUAL(types.float64, types.float64), codegen


@intrinsic
def value(typingctx: Any, a: Any) -> Any:
    """The value x of a dual number."""
    return reader(DUAL, "x")


@intrinsic
def slope(typingctx: Any, a: Any) -> Any:
    """The derivatives d of a dual number."""
    return reader(DUAL, "d")


@lower_cast(types.Number, DualType)
def _from_number(context: Any, builder: Any, given: Any, wanted: Any, number: Any) -> Any:
    x = context.cast(builder, number, given, types.float64)
    return made(context, builder, DUAL, (x, ir.Constant(vector_type(), [0.0] * LANES)))


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


def teach(of_one: Mapping[Any, Callable[..., Any]], of_two: Mapping[Any, tuple[Callable[..., Any], ...]]) -> None:
    """Tell the compiler the rules for dual numbers (:mod:`flexmb.kernels.dual_numbers`)."""
    for function, of in (
        (operator.add, _sum), (operator.sub, _difference), (operator.mul, _product), (operator.truediv, _ratio),
        (operator.neg, _opposite),
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
    """The code of the rules, and of what is told to the compiler."""
    rules, *others = (sys.modules[f"flexmb.kernels.dual_{name}"] for name in ("numbers", "types", "arrays"))
    here = [x for module in (rules, *others) for x in vars(module).values()]
    own = [x.__code__ for x in here if isinstance(x, FunctionType)]
    listed = [f.__code__ for each in rules.OF_TWO.values() for f in each] + [f.__code__ for f in rules.OF_ONE.values()]
    return [*own, *listed]
