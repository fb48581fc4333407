"""Four numbers at a time inside compiled code.

The compiler makes vector instructions of long loops. Columns of sparse factors are short, four numbers or eight, and
are left one by one, since it cannot know that they do not overlap with what is changed. Here it is told.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from flexmb.kernels.compilation import machine_code

#: how many numbers are taken at a time
FOUR = 4


def _subtract_in_python(w: Any, i: int, value: Any, columns: Any, factors: Any) -> None:
    for a, x in zip(columns, factors, strict=True):
        w[i : i + FOUR] -= value[a : a + FOUR] * x


@machine_code(_subtract_in_python)
def subtract_columns(typingctx: Any, w: Any, i: Any, value: Any, columns: Any, factors: Any) -> Any:
    """Inside compiled code: w[i : i + 4] -= value[a : a + 4] x + value[b : b + 4] y + … for `columns` (a, b, …) and
    `factors` (x, y, …), real or complex."""
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
            """A vector of x, with another number at every second place."""
            vector = ir.Constant(several, ir.Undefined)
            for k in range(several.count):
                x_k = x if second is None or k % 2 == 0 else second
                vector = builder.insert_element(vector, x_k, ir.Constant(ir.IntType(32), k))
            return vector

        def less(y: Any, column: Any, x: Any) -> Any:
            return builder.fsub(y, builder.fmul(column, x, flags=("contract",)), flags=("contract",))

        target = place(w_data, args[1])
        y = builder.load(target, align=8)
        for k in range(count):
            column = builder.load(place(value_data, builder.extract_value(args[3], k)), align=8)
            x = builder.extract_value(args[4], k)
            if not whole:
                y = less(y, column, same(x))
                continue
            re, im = builder.extract_value(x, 0), builder.extract_value(x, 1)
            swap = ir.Constant(ir.VectorType(ir.IntType(32), several.count), [j ^ 1 for j in range(several.count)])
            y = less(y, column, same(re))
            y = less(y, builder.shuffle_vector(column, column, swap), same(builder.fneg(im), im))
        builder.store(y, target, align=8)
        return context.get_dummy_value()

    return given, codegen
