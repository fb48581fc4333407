"""The places in Numba and llvmlite where the hooks hold on, and which of them are missing in the version at hand.

Nothing else of this room may be imported where a place is missing."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from types import FunctionType
from typing import Any

#: packages whose code is known from their versions, which are part of the name of the cache's folder
KNOWN = frozenset({"builtins", "numba", "llvmlite", "numpy", *sys.stdlib_module_names})
#: attributes by their owner, `module:class`; those of objects count if some function of the class, or of one that it
#: inherits from, names them
PLACES: dict[str, tuple[str, ...]] = {
    "numba.core.base:BaseContext": (
        *("refresh", "insert_func_defn", "insert_user_function", "call_conv", "get_python_api"),
        *("insert_const_string", "get_value_type"),
    ),
    "numba.core.bytecode:FunctionIdentity": ("_unique_ids",),
    "numba.core.callconv:CPUCallConv": (
        *("get_function_type", "call_function", "return_status_propagate", "return_exc"),
    ),
    "numba.core.ccallback:CFunc": ("compile",),
    "numba.core.codegen:JITCodeLibrary": (
        *("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_dynamic_globals"),
        *("_verify_declare_only_symbols", "_final_module", "_finalized", "_codegen", "_ensure_finalized", "_name"),
        *("_get_module_for_linking", "_linking_libraries", "get_pointer_to_function", "has_dynamic_globals"),
        *("_disable_inspection",),
    ),
    "numba.core.codegen:JITCPUCodegen": (
        *("_engine", "_tm", "_tm_features", "_rtlinker", "_module_pass_manager", "set_env", "magic_tuple"),
        *("_create_empty_module", "_customize_tm_options", "_customize_tm_features", "_get_host_cpu_name"),
        *("_scan_and_fix_unresolved_refs",),
    ),
    "numba.core.codegen:RuntimeLinker": ("scan_unresolved_symbols",),
    "numba.core.codegen:JitEngine": ("_ee", "_defined_symbols", "finalize_object"),
    "numba.core.compiler:CompileResult": ("_reduce", "library", "fndesc", "entry_point", "lifted"),
    "numba.core.compiler:CompilerBase": ("define_pipelines", "compile_extra", "state"),
    "numba.core.compiler:DefaultPassBuilder": ("define_nopython_pipeline",),
    "numba.core.compiler:Flags": ("_values", "no_compile"),
    "numba.core.compiler:PassManager": ("passes",),
    "numba.core.cpu:CPUContext": ("codegen", "get_executable"),
    "numba.core.compiler_lock:": ("global_compiler_lock",),
    "numba.core.config:": ("OPT", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "ENABLE_PROFILING"),
    "numba.core.dispatcher:Dispatcher": (
        *("compile", "get_call_template", "get_overload", "add_overload", "overloads", "targetctx"),
        *("_compiling_counter", "_compiler", "_cache"),
    ),
    "numba.core.environment:": ("_rebuild_env",),
    "numba.core.funcdesc:": ("PythonFunctionDescriptor",),
    "numba.core.pythonapi:PythonAPI": (
        *("gil_ensure", "gil_release", "import_module", "object_getattr_string", "long_from_ulonglong"),
        *("call_function_objargs", "long_as_longlong", "decref"),
    ),
    "numba.core.registry:CPUDispatcher": ("targetdescr",),
    "numba.core.runtime:_nrt_python": (
        *("memsys_stats_enabled", "memsys_enable_stats", "memsys_disable_stats", "c_helpers"),
    ),
    "numba.core.serialize:": ("dumps",),
    "numba.core.targetconfig:ConfigStack": ("top_or_none",),
    "numba.core.types.functions:BaseFunction": ("get_call_type", "get_impl_key", "_impl_keys", "typing_key"),
    "numba.core.typing:BaseContext": ("refresh", "insert_function"),
    "numba.core.typing.templates:": ("Signature", "make_concrete_template"),
    "numba.core.typing.templates:_OverloadAttributeTemplate": ("_attr",),
    "numba.core.typing.templates:_OverloadFunctionTemplate": ("_overload_func",),
    "numba.core.typing.templates:builtin_registry": ("globals", "attributes"),
    "numba.extending:_Intrinsic": ("_defn",),
    "llvmlite.binding:": (
        *("set_option", "parse_assembly", "parse_bitcode", "ObjectFileRef", "add_symbol", "create_mcjit_compiler"),
        *("get_host_cpu_features", "create_new_module_pass_manager", "create_pass_builder"),
        *("create_pipeline_tuning_options",),
    ),
    "llvmlite.binding:ModuleRef": ("as_bitcode",),
    "llvmlite.binding.ffi:ObjectRef": ("_dispose",),
    "llvmlite.binding.newpassmanagers:FunctionPassManager": ("_dispose",),
    "llvmlite.binding.newpassmanagers:ModulePassManager": ("_dispose",),
    "llvmlite.binding.newpassmanagers:NewPassManager": ("_dispose",),
    "llvmlite.binding:TargetMachine": ("emit_object",),
    "llvmlite.binding:ExecutionEngine": (
        *("add_object_file", "_raw_object_cache_getbuffer", "_raw_object_cache_notify"),
    ),
}
#: names of the arguments of functions that are replaced, or called by position
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "numba.core.compiler:CompilerBase.__init__": (
        *("self", "typingctx", "targetctx", "library", "args", "return_type", "flags", "locals"),
    ),
    "numba.core.dispatcher:Dispatcher.__init__": ("self", "py_func", "locals", "targetoptions", "pipeline_class"),
    "numba.core.dispatcher:_FunctionCompiler.fold_argument_types": ("self", "args", "kws"),
    "numba.core.types.functions:BaseFunction.get_call_type": ("self", "context", "args", "kws"),
    "numba.core.types.functions:BaseFunction.get_impl_key": ("self", "sig"),
    "numba.np.arrayobj:fix_integer_index": ("context", "builder", "idxty", "idx", "size"),
}


def missing() -> list[str]:
    """The places that this version of Numba does not have, or not as the hooks expect them; none where they work."""
    absent = [f"{owner}.{name}" for owner, names in PLACES.items() for name in names if not _has(_found(owner), name)]
    return absent + [function for function, names in ARGUMENTS.items() if _arguments(_found(function)) != names]


def _found(path: str) -> Any:
    """What stands at `module:name.name`, None if there is nothing."""
    module, _, names = path.partition(":")
    try:
        found = import_module(module)
        for name in filter(None, names.split(".")):
            found = getattr(found, name)
    except (ImportError, AttributeError):
        return None
    return found


def _has(owner: Any, name: str) -> bool:
    if owner is None or hasattr(owner, name):
        return owner is not None
    classes = owner.__mro__ if isinstance(owner, type) else ()
    functions = (value for kind in classes for value in vars(kind).values() if isinstance(value, FunctionType))
    return any(name in function.__code__.co_names for function in functions)


def _arguments(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters) if callable(function) else ()
