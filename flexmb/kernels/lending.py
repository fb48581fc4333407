"""Compiled functions that Python calls again and again with the same named tuple.

To pass a named tuple (:mod:`flexmb.kernels.references`) to compiled code, a call from Python converts each of its
arrays; those of a system are some hundred, which takes longer than many a function works. A :class:`Lent` function
stores their addresses in memory once; a call then passes two addresses and a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils

from flexmb.kernels.compilation import allocation_free, machine_code, unlocked
from flexmb.kernels.compiler import Called, call_address, machine_address
from flexmb.kernels.references import structure_of

#: bytes of a word: of an address, a number, or an entry of a shape
WORD = 8


class Lent:
    """function(lent, t) → int as a function of t alone. This object keeps the named tuple and its arrays alive.

    >>> from flexmb.kernels.lending import Lent
    >>> Lent(lambda numbers, t: int(numbers[0] + t), (2,))(1.0)
    3

    With `unlocked` other Python threads run at the same time.
    """

    def __init__(self, function: Callable[[Any, float], int], lent: Any, unlocked: bool = False) -> None:
        self.lent = lent
        self._invoke = _invoke_unlocked if unlocked else _invoke
        self._function = function
        self._compiled = isinstance(function, Called)
        if self._compiled:
            kind = self._kind = typeof(lent)
            self._memory = laid_out(lent, kind)
            self._place = int(self._memory.ctypes.data)
            self._code = machine_address(function, types.int64(kind, types.float64))

    def number(self, path: str) -> ctypes.c_double:
        """The number that compiled code reads at a `path` of fields, such as "loop.options.t_end", which may be changed
        between two calls: its `value`."""
        if not self._compiled:
            raise TypeError("a number of a tuple can be changed in memory of compiled code alone")
        place, kind = self._place, self._kind
        for name in path.split("."):
            number = kind.of._fields.index(name)
            at = 0
            for field in kind.fields[:number]:
                whole = 0 if field == types.boolean else 5 + 2 * field.ndim if isinstance(field, types.Array) else 1
                at = -(-at // WORD) * WORD + WORD * whole if whole else at + 1  # a truth value takes a byte
            place += -(-at // WORD) * WORD
            kind = kind.fields[number]
            if getattr(kind, "lent", False):
                place = ctypes.c_int64.from_address(place).value
        return ctypes.c_double.from_address(place)

    @property
    def places(self) -> tuple[int, int]:
        """The addresses of the machine code and of the tuple, with which compiled code calls it: :func:`call_lent`."""
        if not self._compiled:
            raise TypeError("only what is compiled has machine code to call")
        return self._code, self._place

    def __call__(self, t: float) -> int:
        if self._compiled:
            return int(self._invoke(self._code, self._place, t))
        return int(self._function(self.lent, t))


#: sizes of tuples in words of eight bytes, by their types
_sizes: dict[Any, int] = {}


def laid_out(lent: Any, kind: Any) -> np.ndarray:
    """Memory that holds a named tuple of Numba's type `kind` in the layout of compiled code, followed by the named
    tuples among its fields. The named tuple and its arrays must stay alive as long as it is used."""
    if kind not in _sizes:
        _sizes[kind] = _words(kind, lent)
    words = np.empty(_sizes[kind], dtype=np.int64)
    place = words.ctypes.data
    known = getattr(_lay, "overloads", {}).get((kind, types.int64))
    (known.entry_point if known is not None else _lay)(lent, place)  # whose types need not be found again
    return words


def _words(kind: Any, lent: Any) -> int:
    """Size of a named tuple in words of eight bytes. Each field takes one or more: a number; the address of another
    tuple or of variables; for an array its owners (none here), size, width of a number, address, shape and strides."""
    count = 0
    for name, field, value in zip(kind.of._fields, kind.fields, lent):
        if isinstance(field, types.Array):
            count += 5 + 2 * field.ndim
        elif getattr(field, "lent", False):
            count += 1 + _words(field, value)
        elif field in (types.float64, types.int64, types.boolean) or isinstance(field, types.Record):
            count += 1  # a truth value takes less, or as much with what fills up its word
        else:
            raise TypeError(
                f"{kind.of.__name__}.{name} is {value!r}; give a number, an array, variables or a lent tuple"
            )
    return count


def _lay_in_python(lent: Any, address: int) -> None:
    raise NotImplementedError


@machine_code(_lay_in_python)
def _lay_at(typingctx: Any, lent: Any, address: Any) -> Any:
    """Inside compiled code: copy a lent tuple to an address."""

    def copied(context: Any, builder: Any, kind: Any, source: Any, place: Any) -> Any:
        """Copy a tuple and those inside it; returns the address after the copy."""
        structure = structure_of(context, kind)
        size = context.get_abi_sizeof(structure)
        cgutils.raw_memcpy(builder, place, source, ir.Constant(ir.IntType(64), size), 1)
        behind = builder.gep(place, [ir.Constant(ir.IntType(64), size)])
        fields, copies = (builder.bitcast(x, structure.as_pointer()) for x in (source, place))
        for k, field in enumerate(kind.fields):
            if getattr(field, "lent", False):
                builder.store(behind, cgutils.gep_inbounds(builder, copies, 0, k))
                inner = builder.load(cgutils.gep_inbounds(builder, fields, 0, k))
                behind = copied(context, builder, field, inner, behind)
        return behind

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        copied(context, builder, lent, args[0], builder.inttoptr(args[1], ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.none(lent, types.int64), codegen


@allocation_free
def _lay(lent, address):
    _lay_at(lent, address)


def _call_in_python(code: int, place: int, t: float) -> int:
    raise NotImplementedError


@machine_code(_call_in_python)
def call_lent(typingctx: Any, code: Any, place: Any, t: Any) -> Any:
    """Inside compiled code: call the function whose machine code begins at an address with the tuple at another."""
    call = types.int64(types.voidptr, types.float64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lent = builder.inttoptr(args[1], ir.IntType(8).as_pointer())
        return call_address(context, builder, call, args[0], [lent, args[2]])

    return types.int64(types.int64, types.int64, types.float64), codegen


@allocation_free
def _invoke(code, place, t):
    return call_lent(code, place, t)


@unlocked
def _invoke_unlocked(code, place, t):
    return call_lent(code, place, t)
