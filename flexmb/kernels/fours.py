"""Arithmetic on four numbers at a time inside compiled code.

The compiler makes vector instructions of long loops. Columns of sparse factors are short, four or eight numbers, and so
are rows of the small matrices of an element; these it handles one number at a time, since it cannot know that they do
not overlap with the array being changed. These functions state that they do not.

Matrices whose rows are added have rows of :func:`wide` numbers, the last of which are zeros.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from flexmb.kernels.compilation import inlined, machine_code

#: how many numbers are processed at a time
FOUR = 4


def _subtract_in_python(w: Any, i: int, value: Any, columns: Any, factors: Any) -> None:
    for a, x in zip(columns, factors, strict=True):
        w[i : i + FOUR] -= value[a : a + FOUR] * x


def _add_in_python(w: Any, i: int, value: Any, columns: Any, factors: Any) -> None:
    for a, x in zip(columns, factors, strict=True):
        w[i : i + FOUR] += value[a : a + FOUR] * x


@machine_code(_subtract_in_python)
def subtract_columns(typingctx: Any, w: Any, i: Any, value: Any, columns: Any, factors: Any) -> Any:
    """Inside compiled code: w[i : i + 4] -= value[a : a + 4] x + value[b : b + 4] y + … for `columns` (a, b, …) and
    `factors` (x, y, …), real or complex."""
    return _changed_by_columns("fsub", w, value, columns)


@machine_code(_add_in_python)
def add_columns(typingctx: Any, w: Any, i: Any, value: Any, columns: Any, factors: Any) -> Any:
    """Inside compiled code: w[i : i + 4] += value[a : a + 4] x + value[b : b + 4] y + …, as
    :func:`subtract_columns`."""
    return _changed_by_columns("fadd", w, value, columns)


def _changed_by_columns(operation: str, w: Any, value: Any, columns: Any) -> Any:
    """Type and code of a function that adds or subtracts multiples of columns."""
    number = w.dtype
    whole = isinstance(number, types.Complex)
    count = len(columns)
    given = types.none(w, types.intp, value, types.UniTuple(types.intp, count), types.UniTuple(number, count))

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        real = ir.DoubleType()
        several = ir.VectorType(real, 2 * FOUR if whole else FOUR)
        w_data, value_data = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((signature.args[0], args[0]), (signature.args[2], args[2]))
        )

        def place(data: Any, at: Any) -> Any:
            return builder.bitcast(builder.gep(data, [at]), several.as_pointer())

        def same(x: Any, second: Any = None) -> Any:
            """A vector filled with x, or with x and `second` alternating."""
            vector = ir.Constant(several, ir.Undefined)
            for k in range(several.count):
                x_k = x if second is None or k % 2 == 0 else second
                vector = builder.insert_element(vector, x_k, ir.Constant(ir.IntType(32), k))
            return vector

        change = getattr(builder, operation)

        def changed(y: Any, column: Any, x: Any) -> Any:
            return change(y, builder.fmul(column, x, flags=("contract",)), flags=("contract",))

        target = place(w_data, args[1])
        y = builder.load(target, align=8)
        for k in range(count):
            column = builder.load(place(value_data, builder.extract_value(args[3], k)), align=8)
            x = builder.extract_value(args[4], k)
            if not whole:
                y = changed(y, column, same(x))
                continue
            re, im = builder.extract_value(x, 0), builder.extract_value(x, 1)
            swap = ir.Constant(ir.VectorType(ir.IntType(32), several.count), [j ^ 1 for j in range(several.count)])
            y = changed(y, column, same(re))
            y = changed(y, builder.shuffle_vector(column, column, swap), same(builder.fneg(im), im))
        builder.store(y, target, align=8)
        return context.get_dummy_value()

    return given, codegen


@inlined
def wide(size):
    """The least multiple of four that is not below `size`."""
    return FOUR * ((size + FOUR - 1) // FOUR)


@inlined
def add_row(x, rows, at, out, to, width):
    """out[to : to + width] += x rows[at : at + width]"""
    for i in range(0, width, FOUR):
        add_columns(out, to + i, rows, (at + i,), (x,))


@inlined
def add_two_rows(x, y, rows, a, b, out, to, width):
    """out[to : to + width] += x rows[a : a + width] + y rows[b : b + width]"""
    for i in range(0, width, FOUR):
        add_columns(out, to + i, rows, (a + i, b + i), (x, y))


@inlined
def add_rows(x, rows, at, out, to, width):
    """out[to : to + width] += x[0] rows[at : at + width] + x[1] times the next row + …, for all of x."""
    count = x.shape[0]
    whole = count - count % FOUR
    for k in range(0, whole, FOUR):
        for i in range(0, width, FOUR):
            a = at + k * width + i
            add_columns(
                out, to + i, rows, (a, a + width, a + 2 * width, a + 3 * width), (x[k], x[k + 1], x[k + 2], x[k + 3])
            )
    for k in range(whole, count):
        add_row(x[k], rows, at + k * width, out, to, width)
