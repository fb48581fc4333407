"""Functions that compiled code calls by their address, so that each is compiled once, when it is first reached.

Numba puts all that a function calls into its machine code, and optimises the whole again: what ten callers share, one
above the other, is compiled eleven times. A :class:`Called` function stays apart. A caller's code has a place for its
address, empty at first, and on the first call asks :func:`_address`, which compiles the function or gets it from the
disk. What a run does not reach is never compiled, and whoever calls it runs the same code, to the last bit.
"""

from __future__ import annotations

import gc
import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, registry
from numba.core.typing import signature
from numba.core.typing.templates import make_concrete_template

from flexmb.kernels.pipeline import PartPipeline, Pipeline

_Dispatcher: Any = registry.CPUDispatcher
_ADDRESS = ir.IntType(64)
_NUMBERS = {int: types.int64, float: types.float64, bool: types.boolean, None: types.none}


def _type_of(result: Any) -> Any:
    """Numba's type of a result said in Python: int, float, bool, None, or a tuple of them."""
    return types.Tuple([_type_of(x) for x in result]) if isinstance(result, tuple) else _NUMBERS[result]


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let Python not look for garbage: the compiler makes millions of small objects, nearly all of which are in use
    until it ends, and looking through them again and again takes a sixth of its time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Compiled(_Dispatcher):  # type: ignore[misc]
    """A compiled function whose callers contain it. What Python calls, what compiled code contains and what it calls by
    an address are compiled each for itself, when there is a use for it."""

    _way: Any = Pipeline

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = None
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class or self._way)
        #: where its machine code begins, by the types of the arguments for which that was asked
        self.addresses: dict[tuple[Any, ...], int] = {}

    @cached_property
    def part(self) -> Part:
        """The function that compiled code contains."""
        return kept_like(self, Part(self.py_func, targetoptions=self.targetoptions))

    @cached_property
    def apart(self) -> Compiled:
        """The function that compiled code calls by its address."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return kept_like(self, Compiled(self.py_func, targetoptions=options))

    def compile(self, sig: Any) -> Any:
        """Compile it for a signature, or read it from the disk."""
        with _without_collections():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What Numba asks for where it meets a call."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """By what Numba finds how a call is put into code."""
        return self.part.get_overload(args)

    @property
    def in_memory(self) -> bool:
        """Whether it was compiled or read, for Python or as a part."""
        made = (self, self.__dict__.get("part"), self.__dict__.get("apart"))
        return any(function is not None and function.overloads for function in made)

    @property
    def is_compiling(self) -> bool:
        """Whether it is being compiled, so that what is called now it calls itself."""
        return bool(self._compiling_counter) or ("part" in self.__dict__ and self.part.is_compiling)


class Part(Compiled):
    """A function that compiled code contains, without machine code of its own."""

    _way = PartPipeline

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = None
    ) -> None:
        super().__init__(py_func, locals, {**targetoptions, "no_cpython_wrapper": True}, pipeline_class)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The number 2 is any integer, not a type of its own."""
        return _Dispatcher.get_call_template(self, [types.unliteral(arg) for arg in args], kws)

    def get_overload(self, args: Any) -> Any:
        """By what Numba finds how a call is put into code."""
        return _Dispatcher.get_overload(self, args)

    @property
    def is_compiling(self) -> bool:
        """Whether it is being compiled."""
        return bool(self._compiling_counter)

    def add_overload(self, result: Any) -> None:
        """Note what was compiled or read; it has no address."""
        if result.entry_point is None:
            result = result._replace(entry_point=object())
            self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result


class Inlined(Part):
    """A function that is part of the compiled code of its callers and nothing else: Python runs it as Python."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "forceinline": True})

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)


class Called(Compiled):
    """A compiled function of a module that its callers do not contain, with the type of its result. Python calls it by
    way of another that calls it, so that what lends the arrays of Python is compiled only where Python calls."""

    def __init__(self, function: Callable[..., Any], returns: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "no_cpython_wrapper": True})
        self.returns = _type_of(returns)
        self.targetctx.insert_func_defn([(self._call, self, (types.VarArg(types.Any),))])
        self._options = options

    @cached_property
    def from_python(self) -> Compiled:
        """The function that Python calls."""
        name, module = self.py_func.__name__, self.py_func.__module__
        names = ", ".join(inspect.signature(self.py_func).parameters)
        scope: dict[str, Any] = {"called": self, "__name__": module}
        exec(f"def {name}({names}): return called({names})", scope)
        return kept_like(self, Compiled(scope[name], targetoptions=self._options))

    def __call__(self, *args: Any) -> Any:
        return self.from_python(*args)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What Numba asks for where it meets a call: nothing is compiled for it."""
        python, args = self._compiler.fold_argument_types(args, kws)
        said = signature(self.returns, *(types.unliteral(arg) for arg in args))
        return make_concrete_template(self.__name__, self.__name__, [said]), python, args, {}

    def get_overload(self, args: Any) -> Any:
        """By what Numba finds how a call is put into code: :meth:`_call`."""
        return self

    def _call(self, context: Any, builder: Any, call: Any, args: Any) -> Any:
        place, ask = _place(context, builder, (self.py_func.__module__, self.__name__, call.args))
        kept = cgutils.alloca_once_value(builder, builder.load(place))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(kept))):
            found = builder.call(ask, [])
            with cgutils.if_unlikely(builder, cgutils.is_null(builder, found)):
                context.call_conv.return_exc(builder)
            builder.store(found, kept)
        return call_address(context, builder, call, builder.load(kept), args)


def kept_like(one: Any, other: Any) -> Any:
    """Another dispatcher, whose machine code is kept on disk if that of the one is."""
    other._cache = type(one._cache)(other)
    return other


def machine_address(function: Any, call: Any) -> int:
    """Where the machine code of a compiled function begins, for a signature."""
    known = function.addresses
    if call.args not in known:
        if not isinstance(function, Called):
            function = function.apart
        if call.args not in function.overloads:
            function.compile(call)
        result = function.overloads[call.args]
        known[call.args] = int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    return int(known[call.args])


def call_address(context: Any, builder: Any, call: Any, address: Any, args: Any) -> Any:
    """Put a call of the function at an address into code; an error in it is handed up."""
    convention = context.call_conv
    function = builder.inttoptr(address, convention.get_function_type(call.return_type, call.args).as_pointer())
    status, result = convention.call_function(builder, function, call.return_type, call.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


def _place(context: Any, builder: Any, wanted: tuple[str, str, tuple[Any, ...]]) -> Any:
    """The place for an address in the code of a module of LLVM, and the function that fills it and returns it."""
    module = builder.module
    name = f"flexmb.{wanted[0]}.{wanted[1]}({', '.join(map(str, wanted[2]))})"
    if name in module.globals:
        return module.globals[name], module.globals[f"find {name}"]
    place = ir.GlobalVariable(module, _ADDRESS, name)
    place.linkage, place.initializer = "internal", _ADDRESS(0)
    ask = ir.Function(module, ir.FunctionType(_ADDRESS, []), f"find {name}")
    ask.linkage = "internal"
    ask.attributes.add("noinline")
    ask.attributes.add("cold")
    inner = ir.IRBuilder(ask.append_basic_block())
    python = context.get_python_api(inner)
    state = python.gil_ensure()
    here = python.import_module(context.insert_const_string(module, __name__))
    function = python.object_getattr_string(here, "_address")
    found = cgutils.alloca_once_value(inner, _ADDRESS(0))
    what = python.unserialize(python.serialize_object(wanted))
    with cgutils.if_likely(inner, cgutils.is_not_null(inner, what)):  # Ctrl-C may have come between
        number = python.call_function_objargs(function, [what])
        with cgutils.if_likely(inner, cgutils.is_not_null(inner, number)):
            inner.store(python.long_as_longlong(number), found)
            python.decref(number)
        python.decref(what)
    python.decref(function)
    python.decref(here)
    python.gil_release(state)
    inner.store(inner.load(found), place)
    inner.ret(inner.load(found))
    return place, ask


def _address(wanted: tuple[str, str, tuple[Any, ...]]) -> int:
    """Where the machine code of a function begins that running code asks for."""
    module, name, args = wanted
    function: Called = getattr(importlib.import_module(module), name)
    return machine_address(function, signature(function.returns, *args))


#: the machine code of a call depends on these functions
CODE = [f.__code__ for f in (Called._call, call_address, _place)]
