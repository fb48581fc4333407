"""Dual numbers in compiled code: a value with its derivatives in several directions, four of which the processor
computes at once.

The derivatives are *slopes*, in groups of four; or one number, where there is one direction. The values themselves may
be dual numbers: then the number holds second derivatives too. The rules by which all of these are computed are in
:mod:`flexmb.kernels.dual_numbers`, which registers them by :func:`teach`; vectors and outputs of kernels whose entries
are dual numbers are in :mod:`flexmb.kernels.dual_arrays` and :mod:`flexmb.kernels.dual_outputs`.

Slopes are computed with the licence to leave out products with what is zero in every state. The places of a body depend
on its own coordinates alone, so that most slopes are of this kind until forces are computed.
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
from numba.core.imputils import impl_ret_borrowed
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_cast, models, overload, register_model

#: how many directions the processor differentiates at once: a group
LANES = 4
#: no slope is tested for being NaN or −0, so that 0 x = 0 and x + 0 = x
_FLAGS = ("contract", "nnan", "nsz")


class OwnType(types.Type):
    """A type whose rules are code of flexmb; what is compiled with it depends on them."""

    #: the fields of its values
    fields: tuple[tuple[str, types.Type], ...] = ()

    @classmethod
    def code(cls) -> list[CodeType]:
        """The code on which whatever is compiled with the type depends."""
        return _codes()


class SlopesType(OwnType):
    """Derivatives in several directions, in groups."""

    def __init__(self, groups: int) -> None:
        super().__init__(f"slopes in {groups} groups")
        self.groups = groups
        self.lanes = LANES * groups


class DualType(OwnType):
    """A value and its derivatives."""

    def __init__(self, value: types.Type, slope: types.Type) -> None:
        super().__init__(f"dual number of {value} and {slope}")
        self.value, self.slope = value, slope
        self.fields = (("x", value), ("d", slope))

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        return self if isinstance(other, types.Number) else None


def first_order(groups: int) -> DualType:
    """The type of numbers with first derivatives in several directions."""
    return DualType(types.float64, SlopesType(groups))


def second_order(groups: int) -> DualType:
    """The type of numbers with first derivatives in several directions, and the same again in one more direction."""
    return DualType(first_order(groups), first_order(groups))


#: the type of numbers with first and second derivatives in one direction, that of time
ALONG = DualType(DualType(types.float64, types.float64), DualType(types.float64, types.float64))


def group_type() -> Any:
    """The compiler's type of a group of slopes."""
    return ir.VectorType(ir.DoubleType(), LANES)


def vector_type(groups: int) -> Any:
    """The compiler's type of slopes."""
    return ir.ArrayType(group_type(), groups)


@register_model(SlopesType)
class _SlopesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, vector_type(of.groups))


class _Model(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, list(of.fields))


def lay_out(kind: type[OwnType]) -> type[OwnType]:
    """Decorator: tell the compiler that values of a type have the fields of the type."""
    register_model(kind)(_Model)
    return kind


lay_out(DualType)


def made(context: Any, builder: Any, kind: OwnType, values: Any) -> Any:
    """A value of a type, which holds references to the arrays in it, where references are counted."""
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for (name, _), given in zip(kind.fields, values):
        setattr(made, name, given)
    return impl_ret_borrowed(context, builder, kind, made._getvalue())


def maker(kind: OwnType) -> Any:
    """Compiler's function that makes a value of a type from the values of its fields."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return made(context, builder, kind, given)

    return kind(*(field for _, field in kind.fields)), codegen


def field(context: Any, builder: Any, kind: OwnType, of: Any, name: str) -> Any:
    """A field of a value."""
    return getattr(cgutils.create_struct_proxy(kind)(context, builder, of), name)


def reader(kind: OwnType, name: str) -> Any:
    """Compiled function that reads a field of a value of a type."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return impl_ret_borrowed(context, builder, of_field, field(context, builder, kind, given[0], name))

    of_field = dict(kind.fields)[name]
    return of_field(kind), codegen


def read(name: str) -> Any:
    """A function of compiled code that reads a field."""

    @intrinsic
    def read_field(typingctx: Any, of: Any) -> Any:
        return reader(of, name)

    return read_field


# -- slopes ---------------------------------------------------------------------------------------------------------


def everywhere(builder: Any, x: Any, of: Any) -> Any:
    """The same number in all four places of a vector of the type `of`."""
    nothing = ir.Constant(of, ir.Undefined)
    first = builder.insert_element(nothing, x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def grouped(builder: Any, groups: list[Any]) -> Any:
    """Slopes of their groups."""
    made = ir.Constant(vector_type(len(groups)), ir.Undefined)
    for k, group in enumerate(groups):
        made = builder.insert_value(made, group, k)
    return made


def groups_of(builder: Any, kind: Any, x: Any, count: int) -> list[Any]:
    """The groups of slopes; of a number, which is the same in all directions, as many groups as `count`."""
    if isinstance(kind, SlopesType):
        return [builder.extract_value(x, k) for k in range(kind.groups)]
    return [everywhere(builder, x, group_type())] * count


def _of_slopes(operation: str, first: Any, second: Any) -> Any:
    """An operation in all directions at once; a number is the same in all of them."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        both = [groups_of(builder, kind, x, first.groups) for kind, x in zip((first, second), given)]
        return grouped(builder, [getattr(builder, operation)(a, b, flags=_FLAGS) for a, b in zip(*both)])

    return first(first, second), codegen


@intrinsic
def _plus(typingctx: Any, a: Any, b: Any) -> Any:
    return _of_slopes("fadd", a, b)


@intrinsic
def _minus(typingctx: Any, a: Any, b: Any) -> Any:
    return _of_slopes("fsub", a, b)


@intrinsic
def _times(typingctx: Any, a: Any, x: Any) -> Any:
    return _of_slopes("fmul", a, types.float64)


@intrinsic
def _times_or_zero(typingctx: Any, a: Any, x: Any) -> Any:
    """a x, and zero in directions in which a is zero, also where x is infinite."""
    signature, multiply = _of_slopes("fmul", a, types.float64)

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        zero = ir.Constant(group_type(), [0.0] * LANES)
        products = groups_of(builder, a, multiply(context, builder, signature, given), a.groups)
        still = [builder.fcmp_ordered("==", x, zero) for x in groups_of(builder, a, given[0], a.groups)]
        return grouped(builder, [builder.select(s, zero, x) for s, x in zip(still, products)])

    return signature, codegen


@intrinsic
def lane(typingctx: Any, d: Any, k: Any) -> Any:
    """The derivative in direction k, a number known to the compiler."""
    place = k.literal_value if isinstance(k, types.IntegerLiteral) else None
    if place is None:
        return None

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        group = builder.extract_value(given[0], place // LANES)
        return builder.extract_element(group, ir.Constant(ir.IntType(32), place % LANES))

    return types.float64(d, k), codegen


# -- dual numbers ---------------------------------------------------------------------------------------------------


@intrinsic
def dual(typingctx: Any, x: Any, d: Any) -> Any:
    """The dual number x + d ε."""
    return maker(DualType(*(types.float64 if isinstance(part, types.Number) else part for part in (x, d))))


@intrinsic
def value(typingctx: Any, a: Any) -> Any:
    """The value x of a dual number."""
    return reader(a, "x")


@intrinsic
def slope(typingctx: Any, a: Any) -> Any:
    """The derivatives d of a dual number."""
    return reader(a, "d")


@intrinsic
def still(typingctx: Any, x: Any, like: Any) -> Any:
    """A number as a dual number like another, which changes in no direction."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return context.cast(builder, given[0], x, like)

    return like(x, like), codegen


@lower_cast(types.Number, DualType)
def _from_number(context: Any, builder: Any, given: Any, wanted: Any, number: Any) -> Any:
    x = context.cast(builder, number, given, wanted.value)
    return made(context, builder, wanted, (x, cgutils.get_null_value(context.get_value_type(wanted.slope))))


def quotient(d, r):  # type: ignore[no-untyped-def]
    """d/r of a derivative d and a number r, zero where d is."""
    return d / r if r != 0.0 or d != 0.0 else 0.0 * d


def _quotient(d, r):  # type: ignore[no-untyped-def]
    return (lambda d, r: _times_or_zero(d, 1.0 / r)) if isinstance(d, SlopesType) else quotient


def _sum(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _plus(a, b)) if isinstance(a, SlopesType) and isinstance(b, SlopesType) else None


def _difference(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _minus(a, b)) if isinstance(a, SlopesType) and isinstance(b, SlopesType) else None


def _product(a, b):  # type: ignore[no-untyped-def]
    if isinstance(a, SlopesType) and isinstance(b, types.Number):
        return lambda a, b: _times(a, b)
    return (lambda a, b: _times(b, a)) if isinstance(b, SlopesType) and isinstance(a, types.Number) else None


def _ratio(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _times(a, 1.0 / b)) if isinstance(a, SlopesType) and isinstance(b, types.Number) else None


def _opposite(a):  # type: ignore[no-untyped-def]
    return (lambda a: _times(a, -1.0)) if isinstance(a, SlopesType) else None


def teach(of_one: Mapping[Any, Callable[..., Any]], of_two: Mapping[Any, tuple[Callable[..., Any], ...]]) -> None:
    """Tell the compiler the rules for dual numbers (:mod:`flexmb.kernels.dual_numbers`)."""
    for function, of in (
        (operator.add, _sum), (operator.sub, _difference), (operator.mul, _product), (operator.truediv, _ratio),
        (operator.neg, _opposite), (quotient, _quotient),
    ):  # fmt: skip
        overload(function)(of)
    for function, rule in of_one.items():
        _teach_one(function, rule)
    for function, rules in of_two.items():
        _teach_two(function, rules)


def _teach_one(function: Any, rule: Callable[..., Any]) -> None:
    @overload(function)
    def of(a):  # type: ignore[no-untyped-def]
        return rule if isinstance(a, DualType) else None


def _teach_two(function: Any, rules: tuple[Callable[..., Any], ...]) -> None:
    @overload(function)
    def of(a, b):  # type: ignore[no-untyped-def]
        if isinstance(a, DualType):
            return rules[0] if a == b else rules[1] if isinstance(b, types.Number) else None
        return rules[2] if isinstance(b, DualType) and isinstance(a, types.Number) else None


@cache
def _codes() -> list[CodeType]:
    """The code of the rules, and of what is told to the compiler."""
    rooms = ("numbers", "types", "places", "outputs", "arrays")
    rules, *others = (sys.modules[f"flexmb.kernels.dual_{room}"] for room in rooms)
    named = [x for module in (rules, *others) for x in vars(module).values()]
    named += [x for kind in named if isinstance(kind, type) for x in vars(kind).values()]
    here = [getattr(x, "_defn", getattr(x, "py_func", x)) for x in named]
    listed = [*(f for each in rules.OF_TWO.values() for f in each), *rules.OF_ONE.values()]
    return [x.__code__ for x in (*here, *listed) if isinstance(x, FunctionType)]
