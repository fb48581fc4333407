"""Three changes to what Numba does for each expression: signatures of operators are remembered, callers with other
options get another implementation, and the indices of flexmb's own functions do not wrap around.

**Signatures.** For each `a + b` Numba tries up to a hundred templates, and keeps what it finds only within one
function. Types of operands and the options of the compilation determine the result, unless further templates have been
registered, which makes a new type of function, or further conversions; so the signature is kept with the type of the
function and the options, until Numba loads new registrations.

**Implementations.** Numba compiles `max` and most other functions that it provides once for each set of options, such
as how freely sums may be contracted, but a call gets the one whose types were found last, with whichever options.
Machine code, and the last bits of results, would then depend on what else a process has compiled before. Here a call
gets the one that was compiled with the options of its caller.

**Indices.** Python's negative indices count from the end of an array. In compiled code that is a comparison, a sum and
a selection at each index, which also keeps LLVM from seeing that addresses go up evenly. In functions of flexmb only an
index that is written as a negative constant counts from the end. With checks of indices (NUMBA_BOUNDSCHECK=1) any other
negative index is an IndexError. Functions of users keep Python's rule, also inside kernels of flexmb.
"""

from __future__ import annotations

import builtins
import math
import operator
from functools import wraps
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import typing
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.np import arrayobj

#: types that are the same whenever they are equal, and whose operators do not depend on functions of users
_PLAIN = (types.Number, types.Boolean, types.Literal, types.Array, types.BaseTuple, types.NoneType, types.SliceType)
#: modules whose functions are operators
_OPERATORS = frozenset(value for room in (operator, math, builtins) for value in vars(room).values() if callable(value))

_signatures: dict[tuple[Any, tuple[Any, ...], Any], Any] = {}
_get_call_type, _get_impl_key = BaseFunction.get_call_type, BaseFunction.get_impl_key


@wraps(_get_call_type)
def _remembered_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """In place of `BaseFunction.get_call_type`."""
    options = ConfigStack.top_or_none()
    if kws or not _is_operator(function.typing_key):
        return _found_call_type(function, context, args, kws, options)
    asked = (function, tuple(args), options)
    found = _signatures.get(asked)
    if found is None:
        found = _found_call_type(function, context, args, kws, options)
        if all(isinstance(arg, _PLAIN) for arg in args):
            _signatures[asked] = found
    return found


def _found_call_type(function: Any, context: Any, args: Any, kws: Any, options: Any) -> Any:
    """The signature of a call that Numba finds, whose implementation is noted for callers with these options."""
    found: Any = _get_call_type(function, context, args, kws)
    function._impl_keys[found.args, options] = function._impl_keys[found.args]
    return found


@wraps(_get_impl_key)
def _implementation(function: Any, found: Any) -> Any:
    """In place of `BaseFunction.get_impl_key`: what a call of a signature runs."""
    known = function._impl_keys.get((found.args, ConfigStack.top_or_none()))
    return _get_impl_key(function, found) if known is None else known


def _is_operator(key: Any) -> bool:
    try:
        return key in _OPERATORS
    except TypeError:  # it has no hash
        return False


def _forgetting(insert: Any) -> Any:
    """A method that registers something with the typing context, after which no signature is known any more."""

    @wraps(insert)
    def insert_and_forget(*args: Any) -> None:
        _signatures.clear()
        insert(*args)

    return insert_and_forget


#: how the names of flexmb's own functions begin in LLVM
OWN = "_ZN6flexmb"
_fix_integer_index = arrayobj.fix_integer_index


@wraps(_fix_integer_index)
def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """In place of `fix_integer_index`: the index as an integer of the machine's size."""
    if kind.signed and builder.function.name.startswith(OWN) and not _is_negative(index):
        return context.cast(builder, index, kind, types.intp)
    return _fix_integer_index(context, builder, kind, index, size)


def _is_negative(index: Any) -> bool:
    return isinstance(index, ir.Constant) and isinstance(index.constant, int) and index.constant < 0


for _owner, _name, _changed in (
    (BaseFunction, "get_call_type", _remembered_call_type),
    (BaseFunction, "get_impl_key", _implementation),
    (typing.BaseContext, "insert_function", _forgetting(typing.BaseContext.insert_function)),
    (arrayobj, "fix_integer_index", _index),
):
    setattr(_owner, _name, _changed)

#: machine code depends on these functions
CODE = [
    f.__code__  # type: ignore[attr-defined, union-attr]
    for f in (_index, _is_negative, _found_call_type, _implementation)
]
