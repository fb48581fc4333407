"""What remains in memory of compiled functions."""

from __future__ import annotations

import ctypes
import gc
import os

import numba
import numpy as np
import pytest
from numba.core import registry

from flexmb.kernels.compilation import INTERPRETED, compiled, inlined
from flexmb.kernels.hooks.generator import generator

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@inlined
def part(x):
    return 2.0 * x + 1.0


def test_neither_llvm_nor_a_library_keeps_modules(tmp_path, monkeypatch):
    """LLVM's engine keeps each module that it is given until the process ends."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    numba.njit(lambda x: x + np.sin(x))(1.0)  # parts that Numba compiles for all functions

    @compiled
    def whole(x):
        return np.sin(part(x))

    made = whole.targetctx.codegen()._engine._ee._modules
    before = len(made)
    assert whole(0.5) == np.sin(2.0)
    ((one,), (two,)) = whole.overloads.values(), part.overloads.values()
    assert len(made) == before
    for library in (one.library, two.library):
        assert not list(library._final_module.functions) and not library._linking_libraries
    assert numba.njit(lambda x: whole(x) + part(x))(0.5) == np.sin(2.0) + 2.0  # later callers include it all the same


_C = ctypes.CDLL(None) if os.name == "posix" else None


class _Memory(ctypes.Structure):
    """What the function mallinfo2 of C's library returns."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def _in_use():
    """Bytes that C's library has given out."""
    gc.collect()
    ask = _C.mallinfo2
    ask.restype = _Memory
    found = ask()
    return found.uordblks + found.hblkhd


@pytest.mark.skipif(not hasattr(_C, "mallinfo2"), reason="C's library does not say what is in use")
def test_lists_of_passes_are_freed():
    """Each that stayed kept 30 kB."""
    made_by = generator(registry.cpu_target.target_context)
    for make in (made_by._module_pass_manager, made_by._function_pass_manager):
        make()
        before = _in_use()
        for _ in range(40):
            make()
        assert _in_use() - before < 40 * 5_000


def test_all_compilations_share_one_generator():
    """Each has tables for the processor, of half a megabyte."""
    target = registry.cpu_target.target_context
    assert generator(target.subtarget()) is generator(target)


def test_a_function_may_call_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @compiled
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert factorial(5) == 120
