"""Objects of compiled functions in a program of C without Python."""

from __future__ import annotations

import shutil
import subprocess

import numba
import numpy as np
import pytest
from numba import complex128, float64

from flexmb.elements.planar import rigid_body
from flexmb.errors import LibraryError
from flexmb.kernels.compilation import INTERPRETED, SIGNATURE, called, compiled
from flexmb.kernels.hooks.generator import INDEPENDENT
from flexmb.kernels.library.objects import machine_object

needs_objects = pytest.mark.skipif(INTERPRETED or not INDEPENDENT, reason="objects are position-independent on Linux")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (cc)")

KERNEL = """
#include <stdint.h>
#include <stdio.h>
#define ARRAY void *, void *, int64_t, int64_t
#define VECTOR(T) ARRAY, T *, int64_t, int64_t
#define MATRIX(T) ARRAY, T *, int64_t, int64_t, int64_t, int64_t
#define STACK(T) ARRAY, T *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t
extern int residual(void **result, void **error, MATRIX(double), MATRIX(int64_t), MATRIX(int64_t), double,
    VECTOR(double), VECTOR(double), VECTOR(double), MATRIX(double), VECTOR(double), MATRIX(double), STACK(double),
    VECTOR(double)) __asm__("SYMBOL");
#define V(x, n) 0, 0, n, 8, x, n, 8
#define M(x, n, m) 0, 0, (n) * (m), 8, x, n, m, 8 * (m), 8
#define S(x, n, m) 0, 0, (n) * (m) * (m), 8, x, n, m, m, 8 * (m) * (m), 8 * (m), 8
int main(void) {
    double p[] = {P}, q[] = {Q}, v[] = {V_}, a[] = {A}, lam[1], w[4] = {0}, out[3] = {0}, K[9] = {0}, work[1];
    int64_t i[] = {0, 1, 2};
    void *result = 0, *error = 0;
    if (residual(&result, &error, M(p, 1, sizeof p / 8), M(i, 1, 3), M(i, 1, 3), 0.0, V(q, 3), V(v, 3), V(a, 3),
                 M(lam, 1, 0), V(w, 4), M(out, 1, 3), S(K, 1, 3), V(work, 0)))
        return 1;
    printf("%a %a %a\\n", out[0], out[1], out[2]);
    return 0;
}
"""
CALLS = """
#include <stdint.h>
#include <stdio.h>
extern int outer(double *result, void **error, double) __asm__("OUTER");
extern int inner(double *result, void **error, double) __asm__("INNER");
static int asked = 0;
uint64_t flexmb_address(uint64_t number) {
    asked += 1;
    return number == NUMBERULL ? (uint64_t)&inner : 0;
}
int main(void) {
    double result = 0;
    void *error = 0;
    if (outer(&result, &error, 0.3) || outer(&result, &error, 0.3))
        return 1;
    printf("%a %d\\n", result, asked);
    return 0;
}
"""


@called(float)
def inner(x):
    return np.sin(x) / (1.0 + x * x)


@called(float)
def outer(x):
    return 2.0 * inner(x) + np.exp(-x)


@compiled
def raised(x):
    if x < 0.0:
        raise ValueError("negative")
    return np.sqrt(x)


def _run(folder, program, *objects):
    """What a program of C writes that is linked with objects, as a library of its own and into the program."""
    (folder / "main.c").write_text(program)
    for k, made in enumerate(objects):
        (folder / f"{k}.o").write_bytes(made.code)
    files = [f"{k}.o" for k in range(len(objects))]
    plain = ["cc", "-o", "plain", "main.c", *files, "-lm"]
    shared = ["cc", "-shared", "-o", "libkernels.so", "-Wl,-z,text", *files, "-lm"]
    using = ["cc", "-o", "using", "main.c", "-rdynamic", "./libkernels.so", "-lm"]
    for command in (plain, shared, using):
        subprocess.run(command, cwd=folder, check=True)
    found = [subprocess.run([f"./{name}"], cwd=folder, capture_output=True, text=True) for name in ("plain", "using")]
    assert [run.returncode for run in found] == [0, 0]
    assert found[0].stdout == found[1].stdout
    return found[0].stdout.split()


@needs_objects
@needs_compiler
def test_a_kernel_gives_the_same_numbers_in_a_program_of_c(tmp_path):
    rng = np.random.default_rng(3)
    p, q, v, a = (rng.standard_normal(n) for n in (8, 3, 3, 3))
    given = machine_object(rigid_body.residual, SIGNATURE)
    assert not given.asks
    program = KERNEL.replace("SYMBOL", given.symbol)
    for name, x in (("P", p), ("Q", q), ("V_", v), ("A", a)):
        program = program.replace(f"{{{name}}}", "{" + ", ".join(map(float.hex, x.tolist())) + "}")
    out, one = np.zeros((1, 3)), np.arange(3)[None]
    rigid_body.residual(
        p[None], one, one, 0.0, q, v, a, np.zeros((1, 0)), np.zeros(4), out, np.zeros((1, 3, 3)), np.zeros(0)
    )
    assert np.all(out != 0.0)
    assert list(map(float.fromhex, _run(tmp_path, program, given))) == out[0].tolist()


@needs_objects
@needs_compiler
def test_code_asks_a_program_of_c_for_what_it_calls(tmp_path):
    caller, callee = (machine_object(f, float64(float64)) for f in (outer, inner))
    ((number, wanted),) = caller.asks.items()
    assert wanted == (__name__, "inner", (float64,)) and not callee.asks
    program = CALLS.replace("OUTER", caller.symbol).replace("INNER", callee.symbol).replace("NUMBER", str(number))
    value, asked = _run(tmp_path, program, caller, callee)
    assert float.fromhex(value) == outer(0.3) and asked == "1"


@needs_objects
def test_an_object_for_python_defines_what_python_calls():
    for function in (raised, outer):
        made = machine_object(function, (float64,))
        assert {made.symbol, f"_ZN7cpython{made.symbol.removeprefix('_ZN')}"} <= set(made.defines)
    assert raised(4.0) == 2.0


@compiled
def much_of_libraries(x, z):
    room = np.zeros((40, x.size))
    for k in range(40):
        room[k] = x
    other = room.copy()
    other[0, 0] = np.sin(x[0]) + np.cos(x[1]) * np.tan(x[0]) + np.exp(x[0]) - np.log(x[1]) + x[0] ** x[1]
    other[0, 1] = np.fmod(x[0], x[1]) + np.arctan2(x[0], x[1]) + np.hypot(x[0], x[1]) + np.sinh(x[0]) + x[1] ** 7
    z = np.exp(z) / np.sqrt(z) * z**1.5
    return other.sum() + room.sum() + z.real + z.imag + round(x[0] * 1e3) // 7


@needs_objects
def test_functions_of_libraries_are_called_through_tables_that_the_loader_has_room_for():
    """LLVM's loader aborts the process where code calls a distant function in another way."""
    x, z = np.array([0.7, 1.9]), 0.3 + 0.8j
    assert much_of_libraries(x, z) == pytest.approx(much_of_libraries.py_func(x, z), rel=1e-13)
    code = machine_object(much_of_libraries, (float64[::1], complex128)).code
    assert all(name in code for name in (b"memset", b"memcpy", b"atan2", b"pow"))


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_what_cannot_be_kept_has_no_object(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))

    @compiled
    def doubled(x):
        return 2.0 * x

    with pytest.raises(LibraryError, match="doubled cannot be kept"):
        machine_object(doubled, (float64,))
