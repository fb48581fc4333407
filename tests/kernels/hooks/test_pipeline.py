"""What remains in memory of compiled functions."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from flexmb.kernels.compilation import INTERPRETED, compiled, inlined

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


def test_a_function_may_call_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @compiled
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert factorial(5) == 120
