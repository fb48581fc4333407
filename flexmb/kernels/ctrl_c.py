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
    """Inside compiled code: whether Ctrl-C was pressed and Python has not handled it yet. The note is gone then:
    whoever asks hands the signal on, by :func:`signal.raise_signal`. False in code that does not hold the lock of the
    interpreter, which may not ask: whoever calls it looks for Ctrl-C between two calls."""

    def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
        number, truth = ir.IntType(32), ir.IntType(1)
        held, asked = (
            cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, []), name)
            for name in ("PyGILState_Check", "PyOS_InterruptOccurred")
        )
        noted = cgutils.alloca_once_value(builder, ir.Constant(truth, 0))
        with builder.if_then(builder.icmp_signed("!=", builder.call(held, []), ir.Constant(number, 0))):
            builder.store(builder.icmp_signed("!=", builder.call(asked, []), ir.Constant(number, 0)), noted)
        return builder.load(noted)

    return types.boolean(), codegen
