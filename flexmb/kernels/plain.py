"""Compiled functions made of what Numba documents alone, in place of :mod:`flexmb.kernels.hooks`.

Results agree to rounding; compiling takes several times as long, each process does it anew, and calls take longer.
As with the hooks, functions that compiled code calls by their address are compiled when a run first reaches them. Their
address is that of a function for C (`numba.cfunc`) that takes two addresses: that of a structure with all arguments,
and that of its result; it returns whether an error occurred.
"""

from __future__ import annotations

import ctypes
import inspect
import traceback
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload, register_jitable

from flexmb.machine.interruption import interruptible, sheltered

#: the options that Numba documents
_DOCUMENTED = ("error_model", "fastmath", "nogil")
_BYTES, _STATUS = ir.IntType(8).as_pointer(), ir.IntType(32)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in _DOCUMENTED if name in given}


def Compiled(function: Callable[..., Any], targetoptions: dict[str, Any]) -> Any:
    """A compiled function."""
    return numba.njit(**_options(targetoptions))(function)


def Kernel(function: Callable[..., Any], call: Any, run: Any, targetoptions: dict[str, Any]) -> Any:
    """The compiled function of a component."""
    return Compiled(function, targetoptions)


_included: set[Any] = set()


def Inlined(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """A function that Python runs as Python and compiled code includes."""
    if function not in _included:
        _included.add(function)
        register_jitable(**_options(options))(function)
    return function


class Called:
    """A function that compiled code calls by its address, with a declared type of result."""

    def __init__(self, function: Callable[..., Any], returns: Any, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.returns, self.options = function, returns, _options(options)
        self.function = numba.njit(**self.options)(function)
        overload(self)(self._handing_on("to(({0},))", self._of_types))

    def _handing_on(self, call: str, to: Any) -> Any:
        """A function with the arguments of this one, as Numba demands of both parts of an overload, that calls
        another."""
        names = ", ".join(inspect.signature(self.py_func).parameters)
        scope = {"to": to, "__name__": self.py_func.__module__}
        exec(f"def {self.py_func.__name__}({names}): return {call.format(names)}", scope)
        return scope[self.py_func.__name__]

    def _of_types(self, kinds: tuple[Any, ...]) -> Any:
        return self._handing_on("to(({0},))", _call_of(self, self.returns(*map(types.unliteral, kinds))))

    @cached_property
    def from_python(self) -> Any:
        """The function that Python calls."""
        return numba.njit(**self.options)(self._handing_on("to({0})", self))

    def __call__(self, *args: Any) -> Any:
        return self.from_python(*args)


#: functions and signatures that compiled code may ask for, by their numbers, and the variables for their addresses
_wanted: list[tuple[Called, Any]] = []
_places: dict[tuple[Called, Any], tuple[int, ctypes.c_int64]] = {}
#: entries for C by their functions and signatures
_entries: dict[tuple[Any, Any], Any] = {}


@sheltered
def _find(number: int) -> int:
    """Address of a function, requested by running code. An error cannot pass through compiled code: it is printed, and
    the address is 0, which is an error there."""
    try:
        return machine_address(*_wanted[number])
    except Exception:
        traceback.print_exc()
        return 0


_FIND = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(_find)
_FIND_AT = ctypes.cast(_FIND, ctypes.c_void_p).value


def _call_of(function: Called, call: Any) -> Any:
    """For the compiler: the call of a function by its address, from a tuple of its arguments."""
    known = (function, call)
    if known not in _places:
        _places[known] = len(_wanted), ctypes.c_int64(0)
        _wanted.append(known)
    number, place = _places[known]
    word = ir.IntType(64)
    ask = ir.FunctionType(word, [word]).as_pointer()

    @intrinsic
    def call_it(typingctx: Any, given: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kept = builder.inttoptr(word(ctypes.addressof(place)), word.as_pointer())
            with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(kept))):
                found = builder.call(
                    builder.inttoptr(word(ctypes.cast(_FIND, ctypes.c_void_p).value), ask), [word(number)]
                )
                with cgutils.if_unlikely(builder, cgutils.is_null(builder, found)):
                    reason = f"{function.py_func.__qualname__} could not be compiled; the reason was printed"
                    context.call_conv.return_user_exc(builder, RuntimeError, (reason,))
                builder.store(found, kept)
            each = [
                context.cast(builder, value, kind, wanted)
                for value, kind, wanted in zip(cgutils.unpack_tuple(builder, args[0]), given.types, call.args)
            ]
            return call_address(context, builder, call, builder.load(kept), each)

        return call.return_type(given), codegen

    return call_it


def _structure(context: Any, kinds: Any) -> Any:
    return ir.LiteralStructType([context.get_value_type(kind) for kind in kinds])


def call_address(context: Any, builder: Any, call: Any, address: Any, args: Any) -> Any:
    """Generate a call of the function at an address; an error in it is an error here."""
    given = cgutils.alloca_once(builder, _structure(context, call.args))
    for k, value in enumerate(args):
        builder.store(value, cgutils.gep_inbounds(builder, given, 0, k))
    found = cgutils.alloca_once(builder, context.get_value_type(call.return_type), zfill=True)
    entry = builder.inttoptr(address, ir.FunctionType(_STATUS, [_BYTES, _BYTES]).as_pointer())
    failed = builder.call(entry, [builder.bitcast(given, _BYTES), builder.bitcast(found, _BYTES)])
    with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, failed)):
        context.call_conv.return_user_exc(builder, RuntimeError, ("an error in compiled code",))
    return builder.load(found)


@interruptible
@sheltered
def machine_address(function: Any, call: Any) -> int:
    """Address of the machine code of a compiled function for a signature, in the way of :func:`call_address`."""
    known = (function, call)
    if known not in _entries:
        _entries[known] = _entry(function, call)
    return int(_entries[known].address)


def _entry(function: Any, call: Any) -> Any:
    run = function.function if isinstance(function, Called) else function
    arguments = types.Tuple(call.args)

    @intrinsic
    def taken(typingctx: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            structure = builder.bitcast(args[0], _structure(context, call.args).as_pointer())
            each = [builder.load(cgutils.gep_inbounds(builder, structure, 0, k)) for k in range(len(call.args))]
            whole = context.make_tuple(builder, arguments, each)
            return impl_ret_borrowed(context, builder, arguments, whole)

        return arguments(types.voidptr), codegen

    @intrinsic
    def put(typingctx: Any, place: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[1], builder.bitcast(args[0], args[1].type.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.voidptr, call.return_type), codegen

    def entry(given, found):  # type: ignore[no-untyped-def]
        try:
            put(found, run(*taken(given)))
        except Exception:
            return 1
        return 0

    return numba.cfunc(types.int32(types.voidptr, types.voidptr), error_model="numpy")(entry)
