"""Compiled functions that Python calls again and again with the same named tuple.

To lend a named tuple (:mod:`flexmb.kernels.references`), a call from Python visits each of its arrays; those of a
system are some hundred, which takes longer than many a function works. A :class:`Lent` function has put their addresses
into memory once, and a call hands on two addresses and a time.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core.typing import signature

from flexmb.kernels.calls import Called, call_address, machine_address
from flexmb.kernels.compilation import allocation_free, machine_code, unlocked
from flexmb.kernels.references import is_lent


class Lent:
    """function(lent, t) → int as a function of t alone. The named tuple and its arrays live as long as this does.

    >>> from flexmb.kernels.lending import Lent
    >>> Lent(lambda numbers, t: int(numbers[0] + t), (2,))(1.0)
    3

    With `unlocked` other threads of Python run while the function does.
    """

    def __init__(self, function: Callable[[Any, float], int], lent: Any, unlocked: bool = False) -> None:
        self.lent = lent
        self._invoke = _invoke_unlocked if unlocked else _invoke
        self._function = function
        self._compiled = isinstance(function, Called)
        if self._compiled:
            self._memory: list[np.ndarray] = []
            self._place = put_lent(lent, self._memory)
            self._code = machine_address(function, signature(types.int64, typeof(lent), types.float64))

    def __call__(self, t: float) -> int:
        if self._compiled:
            return int(self._invoke(self._code, self._place, t))
        return int(self._function(self.lent, t))


def put_lent(lent: Any, memory: list[np.ndarray]) -> int:
    """The address of a named tuple laid out as compiled code reads it; what is written stays in `memory`.

    Each field is one or more words of eight bytes: a number; the address of another tuple; of an array its owners (none
    here), size, width of a number, address, shape and strides.
    """
    words: list[int] = []
    for name, field in zip(lent._fields, lent):
        if isinstance(field, np.ndarray):
            words += [0, 0, field.size, field.itemsize, field.ctypes.data, *field.shape, *field.strides]
        elif isinstance(field, float):
            words += struct.unpack("<q", struct.pack("<d", field))
        elif isinstance(field, (int, np.integer)) and not isinstance(field, bool):
            words.append(int(field))
        elif is_lent(field):
            words.append(put_lent(field, memory))
        else:
            raise TypeError(f"{type(lent).__name__}.{name} is {field!r}; give a number, an array or a lent tuple")
    memory.append(np.array(words, dtype=np.int64))
    return int(memory[-1].ctypes.data)


def _call_in_python(code: int, place: int, t: float) -> int:
    raise NotImplementedError


@machine_code(_call_in_python)
def _call_at(typingctx: Any, code: Any, place: Any, t: Any) -> Any:
    """Inside compiled code: call the function whose machine code begins at an address with the tuple at another."""
    call = signature(types.int64, types.voidptr, types.float64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lent = builder.inttoptr(args[1], ir.IntType(8).as_pointer())
        return call_address(context, builder, call, args[0], [lent, args[2]])

    return types.int64(types.int64, types.int64, types.float64), codegen


@allocation_free
def _invoke(code, place, t):
    return _call_at(code, place, t)


@unlocked
def _invoke_unlocked(code, place, t):
    return _call_at(code, place, t)
