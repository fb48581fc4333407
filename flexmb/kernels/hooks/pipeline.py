"""Numba's compiler pipeline without steps that flexmb does not need.

Numba makes machine code of every function that it compiles, although most become part of others, whose code contains
them, and optimizes them fully, though each caller's copy is optimized anew; for each call it compares two sets of
options, in all their entries; and it writes the types of all variables into a text that is larger than the machine
code. LLVM reduces the strength of loops: it looks for the cheapest counters of all addresses, which for the long
expressions of beams takes longer than all else together, and the code runs no faster for it. These steps are left out.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any

from llvmlite import binding
from llvmlite.binding.ffi import ObjectRef
from llvmlite.binding.newpassmanagers import FunctionPassManager, ModulePassManager, NewPassManager
from numba.core import base, typing
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, compile_result
from numba.core.dispatcher import Dispatcher
from numba.core.environment import _rebuild_env
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.typing import signature

from flexmb.kernels.hooks import typed_operators
from flexmb.kernels.hooks.generator import CODE as generator_code
from flexmb.kernels.hooks.generator import PLACE, generator
from flexmb.kernels.hooks.requests import Wanted, promised_to
from flexmb.machine.interruption import sheltered

for _function in (
    # these compile a function or read it from disk: modules that LLVM has taken over must not be freed again
    Dispatcher.compile,
    CFunc.compile.__wrapped__,  # type: ignore[attr-defined]
    # these pass machine code to LLVM, which relies on getting it
    binding.ExecutionEngine._raw_object_cache_getbuffer,
    binding.ExecutionEngine._raw_object_cache_notify,
    # these read new registrations from generators; after an exception in one nothing could be compiled any more
    typing.BaseContext.refresh,
    base.BaseContext.refresh,
):
    sheltered(_function)

# An empty method of one base hides that of the other, which frees a list of LLVM's passes; each optimization left one.
for _manager in (ModulePassManager, FunctionPassManager):
    if _manager._dispose is ObjectRef._dispose:
        _manager._dispose = NewPassManager._dispose

#: names of passes: the one that writes the text of types; and those for inner functions and for arithmetic of whole
#: arrays, which users may write, but which do not occur in the compiled functions of flexmb
TEXTS, CLOSURES = ("annotate_types",), ("inline_closure_likes", "nopython_rewrites")


class QuickFlags(Flags):  # type: ignore[misc]
    """Options of a compilation, compared by those that are set. Numba's own class gives all of them the same hash and
    compares every option, also those that are not set."""

    def __hash__(self) -> int:
        return hash(frozenset(item for item in self._values.items() if type(item[1]) is bool))

    def __eq__(self, other: Any) -> Any:
        return self._values == other._values if type(other) is QuickFlags else super().__eq__(other)


@contextmanager
def _no_loop_strength_reduction() -> Iterator[None]:
    """LLVM's switch for the whole process, on while code of flexmb becomes machine code: a user's own functions are
    compiled as they are without flexmb."""
    binding.set_option("flexmb", "-disable-lsr=true")
    try:
        yield
    finally:
        binding.set_option("flexmb", "-disable-lsr=false")


def _forget(library: Any) -> None:
    """Let go of what a library was made of. What remains is what a library from the disk cache has, whose code cannot
    be inspected."""
    library._disable_inspection = True
    library._final_module = _nothing()
    library._linking_libraries.clear()


@cache
def _nothing() -> Any:
    """An empty module."""
    return binding.parse_assembly("")


class OwnLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of flexmb, with which the disk cache keeps what it calls by address."""

    _codegen: Any
    #: what the code may ask for while it runs, by numbers
    asked: dict[int, Wanted]

    def _finalize_dynamic_globals(self) -> None:
        super()._finalize_dynamic_globals()
        self._dynamic_globals = [name for name in self._dynamic_globals if not name.startswith(PLACE)]


class WholeLibrary(OwnLibrary):
    """Code that runs by itself, with copies of the parts that it calls. The copies are its own: with Numba's linkage
    the first copy that a process has loaded serves all callers, and copies may differ in the last bit, as each was
    optimized together with its caller. A run would then depend on the order in which code was compiled or loaded.

    LLVM's loader finds functions by their names alone, and the optimizer may give a function that nobody else calls
    other arguments. So the copies have names that no other library has. Numba's own counting of references (NRT) keeps
    its names, by which the optimizer knows it."""

    def _optimize_final_module(self) -> None:
        own = secrets.token_hex(8)
        for function in self._final_module.functions:
            copied = not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr
            if copied and not function.name.startswith("NRT_"):
                function.linkage = "internal"
                function.name = f"{function.name}.{own}"
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """As in Numba, but for machine code that :class:`Generator` makes and loads: Numba gives LLVM's engine the
        module, which the engine keeps for as long as the process lives."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        module = self._final_module
        self.asked = promised_to(module)
        with _no_loop_strength_reduction():
            code = self._codegen.object_of(module)
        names = [x.name for group in (module.functions, module.global_variables) for x in group if not x.is_declaration]
        self._codegen._scan_and_fix_unresolved_refs(module)
        self.restore((code, names))

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, list[str]]]:
        """The representation for the disk cache: machine code, and the names that it defines."""
        self._ensure_finalized()
        return self.name, "object", (self.code, self.defined)

    def restore(self, kept: tuple[bytes, list[str]]) -> None:
        """Load machine code."""
        self.code, self.defined = kept
        self._codegen.load(self.code, self.defined)
        self._finalized = True
        _forget(self)


class Pipeline(CompilerBase):  # type: ignore[misc]
    """Numba's pipeline from a Python function to machine code, without the text of types."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        super().__init__(typing, target, library, args, return_type, QuickFlags(flags), locals)
        self.state.type_annotation = None

    def define_pipelines(self) -> list[Any]:
        """The passes, in a list with one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        own = self.state.func_id.modname.partition(".")[0] == "flexmb"
        left_out = (*TEXTS, *CLOSURES) if own else TEXTS
        passes.passes = [entry for entry in passes.passes if entry[0].name() not in left_out]
        return [passes]

    def compile_extra(self, function: Any) -> Any:
        """Compile a Python function."""
        if self.state.library is None:
            self.state.library = WholeLibrary(generator(self.state.targetctx), function.__qualname__)
        return super().compile_extra(function)


class PartLibrary(OwnLibrary):
    """Code that becomes part of its callers' code: it remains LLVM bitcode, without stores to the stack and empty
    branches, so that callers have less to copy; all else is optimized where it is copied to."""

    def _optimize_final_module(self) -> None:
        settings: dict[str, Any] = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = self._codegen._module_pass_manager(**settings)
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Keep the bitcode, from which each caller makes its copy; it takes a tenth of the memory of the module."""
        self._finalize_dynamic_globals()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"  # so that callers may include it and leave out what they do not need
        self.asked = promised_to(self._final_module)
        self.restore(self._final_module.as_bitcode())

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        return self

    def clone(self) -> Any:
        """The module, for a caller to include; called by llvmlite."""
        return binding.parse_bitcode(self.bitcode)

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """The representation for the disk cache: bitcode."""
        return self.name, "bitcode", self.bitcode

    def restore(self, code: bytes) -> None:
        """Keep bitcode."""
        self.bitcode = code
        self._finalized = True
        _forget(self)


class PartPipeline(Pipeline):
    """As :class:`Pipeline`, for a function that only compiled code calls, which gets no machine code of its own."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        super().__init__(typing, target, library, args, return_type, flags, locals)
        self.state.flags.no_compile = True

    def compile_extra(self, function: Any) -> Any:
        """Compile a Python function."""
        self.state.library = PartLibrary(generator(self.state.targetctx), function.__qualname__)
        return super().compile_extra(function)


def again(
    target: Any, kept: tuple[str, str, Any], description: Any, environment: Any, signature: Any, *rest: Any
) -> Any:
    """Restore the result of a compilation from the disk cache, where another process stored it: the first five entries
    that Numba stores, and the rest."""
    name, kind, code = kept
    part = kind == "bitcode"
    library = copy(_new_library(PartLibrary if part else WholeLibrary, generator(target)))
    library._name = name
    library.restore(code)
    entry_point = object() if part else target.get_executable(library, description, environment)
    for inner in () if part else rest[-1]:  # environments of the parts whose copies the machine code holds
        library.codegen.set_env(inner.env_name, inner)
    return compile_result(
        typing_context=target.typing_context, target_context=target, library=library, fndesc=description,
        environment=environment, signature=signature, entry_point=entry_point, objectmode=False, lifted=(),
        reload_init=[],
    )  # fmt: skip


@cache
def _new_library(kind: Any, codegen: Any) -> Any:
    """A library for stored code to be copied: each new one has a module of its own, which takes longer to make than
    loading code."""
    return kind(codegen, "")


def from_object(
    target: Any, code: bytes, names: list[str], place: tuple[str, str, str], result: Any, arguments: Any,
    environments: list[tuple[str, str]],
) -> Any:  # fmt: skip
    """The result of a compilation from machine code alone, which defines `names`; `place` is the module of the function
    and its names in Python and in the code, and `environments` are the variables of the code for modules of Python,
    with the names of these, its own first."""
    module, qualname, symbol = place
    own, *others = (_rebuild_env(of, [], name) for name, of in environments)
    description = PythonFunctionDescriptor(
        native=True, modname=module, qualname=qualname, unique_name=qualname, doc="", typemap=None, restype=result,
        calltypes=None, args=tuple(f"argument{k}" for k in range(len(arguments))), kws=(), argtypes=tuple(arguments),
        mangler=lambda *_, **__: symbol, env_name=own.env_name,
    )  # fmt: skip
    kept = qualname, "object", (code, names)
    return again(target, kept, description, own, signature(result, *arguments), (own, *others))


#: the machine code of a function depends on these functions
CODE = [
    *typed_operators.CODE,
    *generator_code,
    *(
        f.__code__
        for f in (
            WholeLibrary._optimize_final_module,
            _no_loop_strength_reduction.__wrapped__,  # type: ignore[attr-defined]
            PartLibrary._optimize_final_module,
        )
    ),
]
