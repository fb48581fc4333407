"""Functions that compiled code calls by their address, so that each is compiled only once, when it is first reached.

Numba puts the code of every function that is called into the machine code of its callers, and optimizes the whole
again: a function shared by ten callers, each calling the next, is compiled eleven times. A :class:`Called` function is
compiled separately. A caller's code has a variable for its address, empty at first; on the first call it asks for it
(:mod:`flexmb.kernels.hooks.requests`), and :func:`_address` compiles the function or reads it from disk. Functions that
a run does not reach are never compiled, and all callers run the same code, to the last bit.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cached_property, partial, update_wrapper
from typing import Any

from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils, registry
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing import signature
from numba.core.typing.templates import make_concrete_template

from flexmb.kernels.hooks.generator import PLACE
from flexmb.kernels.hooks.pipeline import PartPipeline, Pipeline
from flexmb.kernels.hooks.requests import Wanted, answers, declared, number_of, wanted_by
from flexmb.kernels.references import kind_of, passed_by_address
from flexmb.machine.interruption import interruptible, sheltered
from flexmb.machine.late_names import without_collections

_Dispatcher: Any = registry.CPUDispatcher
_ADDRESS = ir.IntType(64)


class Compiled(_Dispatcher):  # type: ignore[misc]
    """A compiled function whose code becomes part of that of its callers. Three versions are compiled separately, when
    they are first needed: for calls from Python, for inclusion in compiled code, and for calls by address."""

    _way: Any = Pipeline

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = None
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class or self._way)
        #: addresses of its machine code, by the types of its arguments
        self.addresses: dict[tuple[Any, ...], int] = {}
        #: what Python calls for arguments of known kinds, if some are passed by address; None before the first call
        self._entries: dict[tuple[Any, ...], Any] | None = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Called from Python. Numba finds the types of all arguments at each call, a tenth of a microsecond for each
        array in a tuple that is passed by address; kinds of such tuples are known."""
        entries = self._entries
        if not entries or named:
            if entries is None:
                self._entries = {(): None} if passed_by_address(args) else {}
            return super().__call__(*args, **named)
        key = (*map(kind_of, args),)
        entry = entries.get(key)
        if entry is not None:
            return entry(*args)
        result = super().__call__(*args)
        made = self.overloads.get(tuple(map(typeof, args)))
        if made is not None and made.entry_point is not None:
            entries[key] = made.entry_point
        return result

    @cached_property
    def part(self) -> Part:
        """The version that becomes part of compiled code."""
        return kept_like(self, Part(self.py_func, targetoptions=self.targetoptions))

    @cached_property
    def apart(self) -> Compiled:
        """The version that compiled code calls by address."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return kept_like(self, Compiled(self.py_func, targetoptions=options))

    @interruptible
    @sheltered
    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or read the machine code from disk. Ctrl-C waits until that is done, wherever it is
        asked for: in a run, or where a user builds a System or reads a Solution."""
        with without_collections():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by Numba where it meets a call of this function."""
        return self.part.get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """Called by Numba to generate the code of a call."""
        return self.part.get_overload(args)

    @property
    def in_memory(self) -> bool:
        """Whether any version has been compiled or read."""
        made = (self, self.__dict__.get("part"), self.__dict__.get("apart"))
        return any(function is not None and function.overloads for function in made)

    @property
    def is_compiling(self) -> bool:
        """Whether it is being compiled, so that a call met now is a call of itself."""
        return bool(self._compiling_counter) or ("part" in self.__dict__ and self.part.is_compiling)


class _Late(Compiled):
    """A compiled function that Numba's constructor, which takes longer than loading machine code, makes when something
    is asked of it for the first time: of most functions of a file nothing is. Python's calls of it are not Numba's."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self._given = function, options

    def __getattr__(self, name: str) -> Any:
        """Called by Python for what is not there so far."""
        if not self._is_made_now() and name not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self, name)

    def compile(self, sig: Any) -> Any:
        """As for all compiled functions."""
        self._is_made_now()
        return super().compile(sig)

    def _is_made_now(self) -> bool:
        """Whether it had not been made, and has been now."""
        with global_compiler_lock:  # another thread may be making it
            options = self.__dict__.pop("_given", None)
            if options is not None:
                self._make(options)
        return options is not None

    @interruptible
    @sheltered
    def _make(self, options: dict[str, Any]) -> None:
        so_far = dict(self.__dict__)
        try:
            super().__init__(self.py_func, targetoptions=options)
        except BaseException:
            self._given = options
            raise
        self.__dict__.update(so_far)
        self.made()

    def made(self) -> None:
        """Called when Numba has made it."""


class Part(Compiled):
    """A function that becomes part of compiled code and has no machine code of its own."""

    _way = PartPipeline

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = None
    ) -> None:
        super().__init__(py_func, locals, {**targetoptions, "no_cpython_wrapper": True}, pipeline_class)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by Numba where it meets a call; literal types such as the integer 2 become general types."""
        return _Dispatcher.get_call_template(self, [types.unliteral(arg) for arg in args], kws)

    def get_overload(self, args: Any) -> Any:
        """Called by Numba to generate the code of a call."""
        return _Dispatcher.get_overload(self, args)

    @property
    def is_compiling(self) -> bool:
        """Whether it is being compiled."""
        return bool(self._compiling_counter)

    def add_overload(self, result: Any) -> None:
        """Register a compiled version; it has no address."""
        if result.entry_point is None:
            result = result._replace(entry_point=object())
            self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result


class Inlined(_Late, Part):
    """A function that exists only inside the compiled code of its callers; Python runs it as Python."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {**options, "forceinline": True})

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)


class Called(_Late):
    """A compiled function of a module that callers call by address, with a declared type of result. Python calls it
    through a small compiled function, so that the conversion of Python's arrays is compiled only where Python calls."""

    def __init__(self, function: Callable[..., Any], returns: Any, options: dict[str, Any]) -> None:
        super().__init__(function, {**options, "no_cpython_wrapper": True})
        self.returns, self._options = returns, options

    def made(self) -> None:
        """Called when Numba has made it."""
        self.targetctx.insert_func_defn([(self._call, self, (types.VarArg(types.Any),))])

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
        """Called by Numba where it meets a call; needs no compilation, since the type of the result is declared."""
        python, args = self._compiler.fold_argument_types(args, kws)
        said = signature(self.returns, *(types.unliteral(arg) for arg in args))
        return make_concrete_template(self.__name__, self.__name__, [said]), python, args, {}

    def get_overload(self, args: Any) -> Any:
        """Called by Numba to generate the code of a call, which :meth:`_call` does."""
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


class Kernel(_Late):
    """A compiled function of a kind that has one signature, `call`, as kernels of components have. Python calls it by
    address, as compiled loops do, through one function `run` that all of a kind share, so that no conversion of
    arguments from Python is compiled for each."""

    def __init__(self, function: Callable[..., Any], call: Any, run: Any, targetoptions: dict[str, Any]) -> None:
        super().__init__(function, targetoptions)
        self.signature, self._run = call, run

    @cached_property
    def from_python(self) -> Callable[..., Any]:
        """The function that Python calls."""
        return partial(self._run, machine_address(self, self.signature))

    def __call__(self, *args: Any) -> Any:
        return self.from_python(*args)


def kept_in(shelf: Any, function: Any) -> Any:
    """Let a compiled function keep its machine code in a disk cache of this class; returns the function."""
    function._cache = shelf(function)
    return function


def kept_code(function: Any, given: Any) -> Any:
    """For a signature, or the types of arguments: the name under which a compiled function keeps its machine code, and
    what it has kept, None if nothing."""
    return function._cache.kept(given, function.targetctx)


def kept_like(one: Any, other: Any) -> Any:
    """Set the disk cache of `other` to be like that of `one`; returns `other`."""
    return kept_in(type(one._cache), other)


def machine_address(function: Any, call: Any) -> int:
    """Address of the machine code of a compiled function for a signature."""
    known = function.addresses
    if call.args not in known:
        known[call.args] = _new_address(function if isinstance(function, Called) else function.apart, call)
    return int(known[call.args])


@interruptible
@sheltered
def _new_address(function: Any, call: Any) -> int:
    """Address of machine code that nobody has asked for yet; LLVM may still have to make the code."""
    if call.args not in function.overloads:
        function.compile(call)
    result = function.overloads[call.args]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def call_address(context: Any, builder: Any, call: Any, address: Any, args: Any) -> Any:
    """Generate a call of the function at an address; an error in it is passed on to the caller."""
    convention = context.call_conv
    function = builder.inttoptr(address, convention.get_function_type(call.return_type, call.args).as_pointer())
    status, result = convention.call_function(builder, function, call.return_type, call.args, args)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


def _place(context: Any, builder: Any, wanted: Wanted) -> Any:
    """The variable for an address in an LLVM module, and the function that fills and returns it."""
    module = builder.module
    number = number_of(wanted)
    name = f"{PLACE}{number:016x}.{wanted[0]}.{wanted[1]}"
    if name in module.globals:
        return module.globals[name], module.globals[f"find {name}"]
    place = ir.GlobalVariable(module, _ADDRESS, name)
    place.linkage, place.initializer = "internal", _ADDRESS(0)
    ask = ir.Function(module, ir.FunctionType(_ADDRESS, []), f"find {name}")
    ask.linkage = "internal"
    ask.attributes.add("noinline")
    ask.attributes.add("cold")
    inner = ir.IRBuilder(ask.append_basic_block())
    found = inner.call(declared(module), [_ADDRESS(number)])
    inner.store(found, place)
    inner.ret(found)
    return place, ask


@answers
def _address(number: int) -> int:
    """Address of the machine code of a function, requested by running code."""
    module, name, args = wanted_by(number)
    function: Called = getattr(importlib.import_module(module), name)
    return machine_address(function, signature(function.returns, *args))


#: the generated code of a call depends on these functions
CODE = [f.__code__ for f in (Called._call, call_address, _place, declared)]
