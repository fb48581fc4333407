"""Outputs and scratch space of kernels in compiled code whose entries are dual numbers
(:mod:`flexmb.kernels.dual_types`), and how dual numbers stand in memory."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from flexmb.kernels.dual_types import (
    ALONG,
    LANES,
    DualType,
    OwnType,
    SlopesType,
    dual,
    group_type,
    lay_out,
    maker,
    read,
    slope,
    value,
)

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")

array_of, instance_of, count_of, width_of = (read(name) for name in ("x", "i", "count", "width"))


# -- memory ---------------------------------------------------------------------------------------------------------


def size_of(kind: Any) -> int:
    """Number of float64 values that a dual number takes in memory."""
    if isinstance(kind, DualType):
        return size_of(kind.value) + size_of(kind.slope)
    return kind.lanes if isinstance(kind, SlopesType) else 1


def _pieces(kind: Any, at: int = 0) -> list[tuple[tuple[int, ...], int, bool]]:
    """Where each number and each group of slopes of a dual number stands in it and in memory, and whether it is a
    group."""
    if isinstance(kind, DualType):
        first = [((0, *path), place, group) for path, place, group in _pieces(kind.value, at)]
        return first + [((1, *path), p, g) for path, p, g in _pieces(kind.slope, at + size_of(kind.value))]
    if isinstance(kind, SlopesType):
        return [((k,), at + LANES * k, True) for k in range(kind.groups)]
    return [((), at, False)]


def _pointer(context: Any, builder: Any, x: Any, at: Any, place: int, group: bool) -> Any:
    data = context.make_array(VECTOR)(context, builder, x).data
    pointer = builder.gep(data, [builder.add(at, ir.Constant(ir.IntType(64), place))])
    return builder.bitcast(pointer, group_type().as_pointer()) if group else pointer


@intrinsic
def remember(typingctx: Any, x: Any, at: Any, y: Any) -> Any:
    """Write slopes, or a dual number, to the vector x from x[at] on."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        into, first, number = given
        for path, place, group in _pieces(y):
            part = builder.extract_value(number, path) if path else number
            builder.store(part, _pointer(context, builder, into, first, place, group), align=8)
        return context.get_dummy_value()

    return types.void(x, types.int64, y), codegen


@cache
def recaller(kind: Any) -> Any:
    """Compiled function that reads slopes, or a dual number, of a type from the vector x from x[at] on."""

    @intrinsic
    def recalled(typingctx: Any, x: Any, at: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            found = cgutils.get_null_value(context.get_value_type(kind))
            source, first = given
            for path, place, group in _pieces(kind):
                part = builder.load(_pointer(context, builder, source, first, place, group), align=8)
                found = builder.insert_value(found, part, path)
            return found

        return kind(VECTOR, types.int64), codegen

    return recalled


@intrinsic
def _changed(typingctx: Any, x: Any, like: Any) -> Any:
    """A number converted to a dual number of the type that the output or scratch `like` holds."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return context.cast(builder, given[0], x, like.number)

    return like.number(x, like), codegen


# -- outputs and scratch --------------------------------------------------------------------------------------------


class OutputType(OwnType):
    """An output of `width` rows, the first `count` of which are kept, as whole dual numbers one behind the other."""

    fields = (("x", VECTOR), ("count", types.int64), ("width", types.int64))

    def __init__(self, number: DualType) -> None:
        super().__init__(f"{type(self).__name__} of {number}")
        self.number = number


@lay_out
class ColumnsType(OutputType):
    """The output of one instance, as an array of one row."""


@lay_out
class ColumnsRowType(OutputType):
    """That row."""


@lay_out
class RatesType(OwnType):
    """The output of positions g, `count` for an instance, of which g, ġ and γ = −g̈ are kept, as an array of one row."""

    fields = (("x", MATRIX), ("i", types.int64), ("count", types.int64))
    number = ALONG


@lay_out
class RatesRowType(OwnType):
    """That row."""

    fields = RatesType.fields
    number = ALONG


@lay_out
class ScratchType(OwnType):
    """Scratch dual numbers in a vector."""

    fields = (("x", VECTOR),)

    def __init__(self, number: DualType) -> None:
        super().__init__(f"scratch {number}")
        self.number = number


RATES, RATES_ROW = RatesType("rates"), RatesRowType("row of rates")


def columns_of(number: DualType) -> Any:
    """Compiled function that makes an output (x, count, width) for numbers of a type."""
    kind = ColumnsType(number)

    @intrinsic
    def made_of(typingctx: Any, x: Any, count: Any, width: Any) -> Any:
        return maker(kind)

    return made_of


@intrinsic
def rates(typingctx: Any, x: Any, i: Any, count: Any) -> Any:
    """The output of positions of instance i."""
    return maker(RATES)


def scratch_of(number: DualType) -> Any:
    """Compiled function that makes scratch for numbers of a type in a vector."""
    kind = ScratchType(number)

    @intrinsic
    def made_of(typingctx: Any, x: Any) -> Any:
        return maker(kind)

    return made_of


def row_maker(of: Any) -> Any:
    kind = ColumnsRowType(of.number) if isinstance(of, ColumnsType) else RATES_ROW

    @intrinsic
    def row(typingctx: Any, x: Any, first: Any, second: Any) -> Any:
        return maker(kind)

    def row_of_columns(of, at):  # type: ignore[no-untyped-def]
        return row(array_of(of), count_of(of), width_of(of))

    def row_of_rates(of, at):  # type: ignore[no-untyped-def]
        return row(array_of(of), instance_of(of), count_of(of))

    return row_of_columns if isinstance(of, ColumnsType) else row_of_rates


def number_so_far(number: DualType) -> Any:
    recall, size = recaller(number), size_of(number)

    def so_far(of, at):  # type: ignore[no-untyped-def]
        row = at + width_of(of) if at < 0 else at
        return recall(array_of(of), size * row) if 0 <= row < count_of(of) else _changed(0.0, of)

    return so_far


def keep_number(number: DualType) -> Any:
    size = size_of(number)

    def keep(of, at, y):  # type: ignore[no-untyped-def]
        row = at + width_of(of) if at < 0 else at
        if 0 <= row < count_of(of):
            remember(array_of(of), size * row, _changed(y, of))

    return keep


def rates_so_far(of, at):  # type: ignore[no-untyped-def]
    x, i, count = array_of(of), instance_of(of), count_of(of)
    row = at + count if at < 0 else at
    rate = x[i, count + row]
    return dual(dual(x[i, row], rate), dual(rate, -x[i, 2 * count + row]))


def keep_rates(of, at, y):  # type: ignore[no-untyped-def]
    x, i, count, z = array_of(of), instance_of(of), count_of(of), _changed(y, of)
    row = at + count if at < 0 else at
    x[i, row] = value(value(z))
    x[i, count + row] = value(slope(z))
    x[i, 2 * count + row] = -slope(slope(z))


def scratch_entry(number: DualType) -> Any:
    recall, size = recaller(number), size_of(number)

    def entry(of, at):  # type: ignore[no-untyped-def]
        place = at + array_of(of).shape[0] // size if at < 0 else at
        return recall(array_of(of), size * place)

    return entry


def keep_scratch(number: DualType) -> Any:
    size = size_of(number)

    def keep(of, at, y):  # type: ignore[no-untyped-def]
        place = at + array_of(of).shape[0] // size if at < 0 else at
        remember(array_of(of), size * place, _changed(y, of))

    return keep
