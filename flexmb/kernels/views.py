"""Views on parts of flat arrays inside compiled code, which count no references."""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.np.arrayobj import populate_array

from flexmb.kernels.compilation import machine_code


def _view(dimensions: int, flat: Any) -> tuple[Any, Any]:
    """Result type and code of a view on a part of a flat array that does not own it: no reference is counted."""
    result = types.Array(flat.dtype, dimensions, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source = context.make_array(signature.args[0])(context, builder, args[0])
        view = context.make_array(result)(context, builder)
        width = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(result.dtype)))
        shape = list(args[2:])
        strides = [width]
        for size in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        start = builder.gep(source.data, [args[1]])
        populate_array(view, data=start, shape=shape, strides=strides, itemsize=width, meminfo=None)
        return view._getvalue()

    return result(flat, *([types.intp] * (dimensions + 1))), codegen


@machine_code(lambda flat, start, size: flat.ravel()[start : start + size])
def vector_view(typingctx: Any, flat: Any, start: Any, size: Any) -> Any:
    """Inside compiled code: flat.ravel()[start : start + size] without counting a reference, while `flat` lives.

    An index that counts from zero inside a view is known not to be negative, so that loops over it are turned into
    vector instructions; one with an offset, work[start + k], is not.
    """
    return _view(1, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def matrix_view(typingctx: Any, flat: Any, start: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] seen as an array (rows, columns), for as long as `flat` lives."""
    return _view(2, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def stack_view(typingctx: Any, flat: Any, start: Any, count: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] seen as an array (count, rows, columns), for as long as `flat` lives."""
    return _view(3, flat)
