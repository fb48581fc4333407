"""Views of parts of flat arrays inside compiled code, without reference counting."""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.core import cgutils

from flexmb.kernels.compilation import machine_code


def _view(dimensions: int, flat: Any) -> tuple[Any, Any]:
    """Type and code of a view of a part of a flat array that does not own it, so that no references are counted."""
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
        count = shape[0]
        for size in shape[1:]:
            count = builder.mul(count, size, flags=["nsw"])
        view.data, view.itemsize, view.nitems = start, width, count
        view.shape, view.strides = (cgutils.pack_array(builder, x) for x in (shape, strides))
        view.meminfo, view.parent = (cgutils.get_null_value(x.type) for x in (view.meminfo, view.parent))
        return view._getvalue()

    return result(flat, *([types.intp] * (dimensions + 1))), codegen


@machine_code(lambda flat, start, size: flat.ravel()[start : start + size])
def vector_view(typingctx: Any, flat: Any, start: Any, size: Any) -> Any:
    """Inside compiled code: flat.ravel()[start : start + size] without reference counting; valid while `flat` lives.

    The compiler knows that an index counted from zero inside a view is not negative, and makes vector instructions of
    loops over it; for an index with an offset, work[start + k], it does not.
    """
    return _view(1, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def matrix_view(typingctx: Any, flat: Any, start: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] as an array (rows, columns); valid while `flat` lives."""
    return _view(2, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def stack_view(typingctx: Any, flat: Any, start: Any, count: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] as an array (count, rows, columns); valid while `flat` lives."""
    return _view(3, flat)
