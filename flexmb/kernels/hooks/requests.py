"""What compiled code asks for while it runs: the addresses of functions that it calls.

Code asks by a number, through `uint64_t flexmb_address(uint64_t number)`: an address, or 0 with an exception of Python.
What a number stands for, the module and the name of a function and the types of its arguments, is kept beside the code
(:func:`promised_to`), and made known to the process before the code is loaded (:func:`promise`). A program without
Python that contains the code has a `flexmb_address` of its own, which answers with the functions linked into it.
"""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, registry
from numba.core.serialize import dumps

from flexmb.kernels.hooks.generator import PLACE, generator

#: the function that code asks for addresses
ADDRESS = "flexmb_address"
#: what is asked for: the module and the name of a function, and the types of its arguments
Wanted = tuple[str, str, tuple[Any, ...]]

_NUMBER = ir.IntType(64)
_numbers: dict[Wanted, int] = {}
_wanted: ChainMap[int, Wanted] = ChainMap()
#: the function of Python that answers
_answer: Callable[[int], int]


def answers(function: Callable[[int], int]) -> Callable[[int], int]:
    """Let a function of Python answer the requests of code."""
    global _answer
    _answer = function
    return function


def number_of(wanted: Wanted) -> int:
    """The number by which code asks for what it calls."""
    if wanted not in _numbers:
        _numbers[wanted] = int.from_bytes(hashlib.sha256(dumps(wanted)).digest()[:8], "big")
        promise({_numbers[wanted]: wanted})
    return _numbers[wanted]


def wanted_by(number: int) -> Wanted:
    """The function and argument types that a number stands for."""
    return _wanted[number]


def promise(wanted: dict[int, Wanted]) -> None:
    """Before code is loaded: what it will ask for, by numbers."""
    _answer_requests()
    _wanted.update(wanted)


def promise_all(wanted: Mapping[int, Wanted]) -> None:
    """As :func:`promise`, for what is worked out when it is asked for."""
    _answer_requests()
    _wanted.maps.append(wanted)  # type: ignore[arg-type]


def promised_to(module: Any) -> dict[int, Wanted]:
    """What the code of an LLVM module may ask for, by numbers."""
    names = (x.name for x in module.global_variables if x.name.startswith(PLACE))
    numbers = {int(name[len(PLACE) :].partition(".")[0], 16) for name in names}
    return {number: _wanted[number] for number in sorted(numbers)}


def declared(module: Any) -> Any:
    """The function that code asks for addresses, in an LLVM module that does not define it."""
    return cgutils.get_or_insert_function(module, ir.FunctionType(_NUMBER, [_NUMBER]), ADDRESS)


@cache
def _answer_requests() -> None:
    """Define the function by which code asks for addresses; it calls Python."""
    target = registry.cpu_target.target_context
    module = generator(target)._create_empty_module(ADDRESS)
    asked = declared(module)
    builder = ir.IRBuilder(asked.append_basic_block())
    python = target.get_python_api(builder)
    state = python.gil_ensure()
    room = python.import_module(target.insert_const_string(module, __name__))
    function = python.object_getattr_string(room, "_answer")
    found = cgutils.alloca_once_value(builder, _NUMBER(0))
    what = python.long_from_ulonglong(asked.args[0])
    with cgutils.if_likely(builder, cgutils.is_not_null(builder, what)):  # Ctrl-C may have come between
        number = python.call_function_objargs(function, [what])
        with cgutils.if_likely(builder, cgutils.is_not_null(builder, number)):
            builder.store(python.long_as_longlong(number), found)
            python.decref(number)
        python.decref(what)
    python.decref(function)
    python.decref(room)
    python.gil_release(state)
    builder.ret(builder.load(found))
    generator(target).define(ADDRESS, module)
