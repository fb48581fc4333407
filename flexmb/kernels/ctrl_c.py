"""Ctrl-C in compiled code. Python notes a signal, and handles it at its next instruction, which in a long loop may come
after minutes; so loops ask for the note before each step."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from flexmb.kernels.compilation import machine_code


@machine_code(lambda: False)
def ctrl_c_noted(typingctx: Any) -> Any:
    """Inside compiled code that holds the lock of the interpreter: whether Ctrl-C was pressed and Python has not
    handled it yet. The note is gone then: whoever asks hands the signal on, by :func:`signal.raise_signal`."""

    def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
        number = ir.IntType(32)
        asked = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, []), "PyOS_InterruptOccurred")
        return builder.icmp_signed("!=", builder.call(asked, []), ir.Constant(number, 0))

    return types.boolean(), codegen
