"""Straight-line programs as machine code.

The statements of a program become instructions of the compiler directly, without Python code in between, of which Numba
would infer the types operation by operation. The machine code is kept as that of all other kernels, under a digest that
contains the text of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from llvmlite import ir
from numba import types

from flexmb.formulations.blocks.programs import Program, lines_of, read
from flexmb.kernels.compilation import INTERPRETED, allocation_free, machine_code
from flexmb.kernels.hooks.calls import call_address, machine_address

#: the arrays of a kernel: two that are given, two that are filled
ARRAYS = ("constants", "given", "matrix", "found")
_ROW = types.float64[::1]
#: the signature of all kernels that are made of programs
SIGNATURE = types.void(_ROW, _ROW, _ROW, _ROW)


def emit(context: Any, builder: Any, text: str, pointers: dict[str, Any]) -> None:
    """Write the instructions of a program, between arrays at some addresses."""
    double, word, flags = ir.DoubleType(), ir.IntType(64), ("contract",)
    statements, results = lines_of(text)
    module, one = builder.module, ir.Constant(double, 1.0)
    call = {name: module.declare_intrinsic(f"llvm.{name}", [double]) for name in ("sin", "cos")}
    v: list[Any] = []
    for kind, *args in statements:
        if kind == "symbol":
            v.append(builder.load(builder.gep(pointers[args[0]], [ir.Constant(word, args[1])])))
        elif kind == "number":
            v.append(ir.Constant(double, args[0]))
        elif kind == "+":
            v.append(builder.fadd(v[args[0]], v[args[1]], flags=flags))
        elif kind == "-":
            v.append(builder.fsub(v[args[0]], v[args[1]], flags=flags))
        elif kind == "*":
            v.append(builder.fmul(v[args[0]], v[args[1]], flags=flags))
        elif kind == "neg":
            v.append(builder.fneg(v[args[0]], flags=flags))
        elif kind == "inv":
            v.append(builder.fdiv(one, v[args[0]], flags=flags))
        else:
            v.append(builder.call(call[kind], [v[args[0]]]))
    for array, index, of in results:
        builder.store(v[of], builder.gep(pointers[array], [ir.Constant(word, index)]))


def kernel_of(text: str) -> Any:
    """The compiled function (constants, given, matrix, found) of a program as text: it fills the last two arrays. Where
    Numba is switched off, a function in Python."""

    def in_python(constants: Any, given: Any, matrix: Any, found: Any) -> None:
        _run(text, constants, given, matrix, found)

    @machine_code(in_python)
    def body(typingctx: Any, constants: Any, given: Any, matrix: Any, found: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            arrays = [context.make_array(kind)(context, builder, arg) for kind, arg in zip(signature.args, args)]
            emit(context, builder, text, dict(zip(ARRAYS, (array.data for array in arrays))))
            return context.get_dummy_value()

        return SIGNATURE, codegen

    @allocation_free
    def block_kernel(constants, given, matrix, found):
        body(constants, given, matrix, found)

    return block_kernel


def _run(text: str, constants: Any, given: Any, matrix: Any, found: Any) -> None:
    into = {"matrix": matrix, "found": found}
    for array, numbers in _read(text).values({"constants": constants, "given": given}).items():
        into[array][: len(numbers)] = numbers


@lru_cache(maxsize=256)
def _read(text: str) -> Program:
    return read(text)


#: kernels by their texts, and in Python by their numbers, counted from 1
_made: dict[str, tuple[Any, int]] = {}
_numbered: list[Callable[..., None]] = []


def address_of(text: str) -> int:
    """The address of the kernel of a program, for :func:`run_at`; 0 of an empty text."""
    if not text:
        return 0
    if text not in _made:
        kernel = kernel_of(text)
        if INTERPRETED:
            _numbered.append(kernel)
            _made[text] = kernel, len(_numbered)
        else:
            _made[text] = kernel, machine_address(kernel, SIGNATURE)
    return _made[text][1]


def _run_in_python(address: int, constants: Any, given: Any, matrix: Any, found: Any) -> None:
    _numbered[address - 1](constants, given, matrix, found)


@machine_code(_run_in_python)
def run_at(typingctx: Any, address: Any, constants: Any, given: Any, matrix: Any, found: Any) -> Any:
    """Inside compiled code: call the kernel at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return call_address(context, builder, SIGNATURE, args[0], args[1:])

    return types.none(types.int64, _ROW, _ROW, _ROW, _ROW), codegen
