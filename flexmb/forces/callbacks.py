"""Functions of the user that compiled kernels call by their machine address:  evaluate(key, want, t, size, data).

For all functions of Python the address is that of one callback, which finds the force by its key. For a function that
Numba compiles it is the address of its machine code. `data` holds, for N components of force,

    state (S)  F (N)  ∂F/∂X (N, N)  ∂F/∂V (N, N)  room for another state (S)

The state of the frames goes in; the forces and their derivatives come out, those by small displacements and turns X of
the frames and by their speeds V.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import weakref
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaError

from flexmb.errors import FlexmbError, KernelError, ModelError
from flexmb.kernels.compilation import compiler_message, machine_code
from flexmb.machine import interruption

#: the values of `want`: what `evaluate` shall compute
FORCE, DERIVATIVES = 0, 1
#: step of differences, as a part of the mechanism's size, of 1 rad, and of these in a second
DIFFERENCE_STEP = 1e-5

_DATA = types.CPointer(types.float64)
_EVALUATE = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_double, ctypes.POINTER(ctypes.c_double)
)


def _evaluate_from_python(address: int, key: int, want: int, t: float, size: float, data: np.ndarray) -> None:
    _EVALUATE(address)(key, want, t, size, data.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))


@machine_code(_evaluate_from_python)
def evaluate_at(typingctx: Any, address: Any, key: Any, want: Any, t: Any, size: Any, data: Any) -> Any:
    """Inside compiled code: call the `evaluate` at a machine address with the array `data`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, real = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(ir.VoidType(), [number, number, real, real, real.as_pointer()])
        function = builder.inttoptr(args[0], kind.as_pointer())
        array = context.make_array(signature.args[5])(context, builder, args[5])
        builder.call(function, [*args[1:5], array.data])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.float64, types.float64, data), codegen


# -- functions of Python ------------------------------------------------------------------------------------------

_keys = itertools.count(1)
#: the forces that compiled code calls back (:class:`flexmb.planar.PythonForce`), by their keys
_forces: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


@interruption.callback
def _evaluate(key: int, want: int, t: float, size: float, data: Any) -> None:
    """Evaluate a force. No exception can pass through compiled code, so the first one is kept, and from then on all
    forces are NaN."""
    try:
        interruption.raise_if_asked()
        if _forces[key].failure is None:
            _forces[key].evaluate(want == DERIVATIVES, t, size, data)
            return
    except BaseException as error:
        _forces[key].failure = error
    n, states = _forces[key].sizes()
    for k in range(states, states + n):
        data[k] = math.nan


_callback = _EVALUATE(_evaluate)


def python_address(force: Any) -> tuple[int, int]:
    """Address of the callback, and the key by which it finds the force as long as the force exists."""
    if _forces.get(force.key) is not force:
        force.key = next(_keys)
        _forces[force.key] = force
    return int(ctypes.cast(_callback, ctypes.c_void_p).value or 0), force.key


def raise_failures(components: Iterable[Any]) -> None:
    """Raise the exceptions that functions of Python raised while compiled code ran."""
    for component in components:
        error = getattr(component, "failure", None)
        if error is None:
            continue
        component.failure = None
        raise_named(error, component.where, "function")


def raise_named(error: BaseException, where: str, what: str) -> NoReturn:
    """Raise what a `function` or law of Python raised while compiled code ran, so that it names the component `where`:
    an error of flexmb as one of its own type, but for a ModelError, by which the component says what is wrong with what
    the function gave; others as a KernelError."""
    if not isinstance(error, Exception):  # Ctrl-C is no mistake of the function
        raise error
    if isinstance(error, FlexmbError) and not isinstance(error, ModelError):
        if hasattr(type(error).__init__, "__code__"):  # a user's own type, which may take more than a text
            error.add_note(f"raised by the {what} of {where}")
            raise error
        raise type(error)(f"{where}: {error}") from error
    reason = str(error) if isinstance(error, ModelError) else f"its {what} raised {type(error).__name__}: {error}"
    raise KernelError(f"{where}: {reason}") from error


def has_failed(components: Iterable[Any]) -> bool:
    """Whether a function of Python raised an exception that is not reported yet."""
    return any(getattr(component, "failure", None) is not None for component in components)


# -- functions that Numba compiles --------------------------------------------------------------------------------

_machine_code: dict[Any, Any] = {}


def machine_address(
    where: str, function: Callable[..., Any], frames: int, translate: Callable[[Any, int], tuple[int, int, Any, Any]]
) -> int:
    """Address of the machine code of a user's function on one or two frames.

    `translate` makes of a compiled function and a number of frames: S, N, and two functions that Numba compiles,
    call(t, state, F) and move(state, moved, j, part, size) → way; the second is that of
    :class:`flexmb.forces.python_function.FunctionForce`.
    """
    key = (function, frames, translate)
    if key not in _machine_code:
        if frames > 2:
            raise ModelError(f"{where}: a compiled function can act on one or two frames, not on {frames}")
        try:
            compiled = function if hasattr(function, "py_func") else numba.njit(error_model="numpy")(function)
            _machine_code[key] = _evaluator(*translate(compiled, frames))
        except NumbaError as error:
            raise KernelError(
                f"{where}: Numba cannot compile its function: {compiler_message(error)}; write it with numbers, "
                "tuples and the module math, or leave compiled=True out"
            ) from None
    return int(_machine_code[key].address)


def _evaluator(states: int, n: int, call: Any, move: Any) -> Any:
    """`evaluate` of a compiled function; derivatives are differences as those of a function of Python."""

    @numba.cfunc(types.void(types.int64, types.int64, types.float64, types.float64, _DATA), error_model="numpy")
    def evaluate(key, want, t, size, data):
        whole = numba.carray(data, 2 * states + n + 2 * n * n)
        x = whole[:states]
        force = whole[states : states + n]
        moved = whole[states + n + 2 * n * n :]
        if want == DERIVATIVES:
            for j in range(2 * n):
                at = states + n + j % n + (n * n if j >= n else 0)
                ahead = move(x, moved, j, 1.0, size)
                call(t, moved, force)
                for k in range(n):
                    whole[at + k * n] = force[k]
                behind = move(x, moved, j, -1.0, size)
                call(t, moved, force)
                defined = True
                for k in range(n):
                    whole[at + k * n] = (whole[at + k * n] - force[k]) / (ahead - behind)
                    defined = defined and math.isfinite(whole[at + k * n])
                if not defined:  # the function may be defined on one side of the state
                    for side in (1.0, -1.0):
                        way = move(x, moved, j, side, size)
                        call(t, moved, force)
                        defined = True
                        for k in range(n):
                            whole[at + k * n] = force[k]
                            defined = defined and math.isfinite(force[k])
                        if defined:
                            call(t, x, force)
                            for k in range(n):
                                whole[at + k * n] = (whole[at + k * n] - force[k]) / way
                            break
        call(t, x, force)

    return evaluate
