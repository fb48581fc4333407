"""What Numba knows and does not tell: results of compilations as they are stored, its counters, and the extensions that
other packages have registered."""

from __future__ import annotations

import importlib
import itertools
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

from llvmlite import binding
from numba import types
from numba.core import config, registry
from numba.core.bytecode import FunctionIdentity
from numba.core.serialize import dumps
from numba.core.typing.templates import Signature, builtin_registry
from numba.extending import _Intrinsic

from flexmb.kernels.hooks import calls, pipeline
from flexmb.kernels.hooks.calls import kept_in
from flexmb.kernels.hooks.generator import generator, make_for
from flexmb.kernels.hooks.pipeline import again
from flexmb.kernels.hooks.places import KNOWN
from flexmb.kernels.hooks.requests import promise, promise_all

__all__ = ["CODE", "CODE_OF_CALLS", "Intrinsic", "Signature", "again", "kept_in", "make_for", "promise", "promise_all"]

#: machine code depends on these functions, and the code of a call by address on those
CODE, CODE_OF_CALLS = pipeline.CODE, calls.CODE

#: the class of functions that are written in compiler instructions
Intrinsic: Any = _Intrinsic
#: what compiled code calls to allocate arrays (NRT), and the switch for counting them
_RUNTIME: Any = importlib.import_module("numba.core.runtime._nrt_python")


def stored(result: Any) -> bytes:
    """What the code asks for, and the result of a compilation, as they are stored; pipeline.again() restores it."""
    data: bytes = dumps((result.library.asked, result._reduce()))
    return data


def processor(target: Any) -> tuple[Any, ...]:
    """The processor for which a target makes machine code, and its features."""
    return _processor(generator(target))


@cache
def _processor(made_by: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = made_by.magic_tuple()
    return found


def define_runtime() -> None:
    """Let loaded code find what it calls to allocate arrays. Numba does so too, but compiles a part of it anew."""
    for name, address in _RUNTIME.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def conventions() -> dict[str, str]:
    """How compiled code calls functions, and how it lays out arrays, in LLVM's words."""
    target = registry.cpu_target.target_context
    array = types.Array(types.float64, 1, "C")
    calls = target.call_conv.get_function_type(types.float64, (array, types.int64))
    return {"calls": str(calls), "arrays": str(target.get_value_type(array))}


def features() -> dict[str, bool]:
    """What the processor at hand can do, in LLVM's words."""
    return dict(binding.get_host_cpu_features())


def chosen_by_user() -> bool:
    """Whether the environment variables of Numba choose a processor, or leave out what it can do."""
    chosen: Any = config
    return bool(chosen.CPU_NAME or chosen.CPU_FEATURES or not chosen.ENABLE_AVX)


def definition(intrinsic: Any) -> Any:
    """The Python function that defines an :data:`Intrinsic`."""
    return intrinsic._defn


def renumber() -> None:
    """Numba distinguishes functions of one name by numbers that each process counts from 1. Machine code cached by two
    processes may be loaded together in a third, where a number must not mean two things: a call would then go to the
    function loaded first. So each process, and each fork, starts from a random number."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


@contextmanager
def counting_allocations() -> Iterator[None]:
    """Let compiled code count the arrays that it allocates."""
    on = _RUNTIME.memsys_stats_enabled()
    _RUNTIME.memsys_enable_stats()
    try:
        yield
    finally:
        if not on:
            _RUNTIME.memsys_disable_stats()


def is_extended_function(function: Any) -> bool:
    """Whether a package other than Numba provides the compiled version of a function (`numba.extending.overload`)."""
    return id(function) in _overloaded(len(builtin_registry.globals))


def is_extended_attribute(name: str) -> bool:
    """Whether a package other than Numba provides the compiled version of a method or attribute of this name."""
    return name in _overloaded_attributes(len(builtin_registry.attributes))


@lru_cache(maxsize=1)
def _overloaded(count: int) -> frozenset[int]:
    found = set()
    for function, kind in builtin_registry.globals[:count]:
        templates = getattr(kind, "templates", ())
        if not isinstance(function, _Intrinsic) and not all(_of_numba(t) for t in templates):
            found.add(id(function))
    return frozenset(found)


@lru_cache(maxsize=1)
def _overloaded_attributes(count: int) -> frozenset[str]:
    templates = builtin_registry.attributes[:count]
    return frozenset(t._attr for t in templates if hasattr(t, "_attr") and not _of_numba(t))


def _of_numba(template: Any) -> bool:
    """Whether Numba itself provides the compiled version (functions that it generates have no module)."""
    module = getattr(template, "_overload_func", template).__module__
    return module is None or module.partition(".")[0] in KNOWN or module.startswith("flexmb.kernels.dual_")
