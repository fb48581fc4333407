"""Machine code as a linker takes it: the object of a compiled function, its symbol, and what it calls.

The function of an object is called from C as `int symbol(T *result, void **error, arguments…)`. It returns 0, and any
other number if it raised an exception. An array is seven arguments and more: two pointers that may be null, the number
of its entries, the size of one in bytes, their address, its lengths, and the steps in bytes along each. What the
function calls by its address it asks for by `uint64_t flexmb_address(uint64_t number)`, which the program defines;
`asks` tells what a number stands for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flexmb.errors import LibraryError
from flexmb.kernels.hooks.calls import Called, Compiled, kept_code
from flexmb.kernels.hooks.requests import Wanted


@dataclass(frozen=True)
class MachineObject:
    """An object (ELF on Linux), the symbol of its function, and by numbers the module, the name and the types of the
    arguments of each function that it may ask for. The rest is what Python needs to call it."""

    code: bytes
    symbol: str
    asks: Mapping[int, Wanted]
    key: str
    defines: list[str]
    place: tuple[str, str]
    result: Any
    environments: list[tuple[str, str]]


def machine_object(function: Any, given: Any) -> MachineObject:
    """The object of a compiled function for a signature, by which compiled code calls it, or for the types of its
    arguments, by which Python calls it. It is compiled if it is not in the disk cache."""
    by_address = hasattr(given, "return_type")
    if by_address and isinstance(function, Compiled) and not function.targetoptions.get("no_cpython_wrapper"):
        function = function.apart
    elif not by_address and isinstance(function, Called):
        function = function.from_python
    name = f"{function.py_func.__module__}.{function.py_func.__qualname__}"
    if (given.args if by_address else given) not in function.overloads:
        function.compile(given)
    key, kept = kept_code(function, given)
    if kept is None:
        raise LibraryError(f"the machine code of {name} cannot be kept, so that there is no object of it")
    asks, (machine, description, own, said, *_, environments) = kept
    _, _, (code, defines) = machine
    others = [each for each in environments if each.env_name != description.env_name]
    if any(each.consts for each in (own, *others)):
        raise LibraryError(f"the machine code of {name} uses objects of Python, so that it is of no use elsewhere")
    found = [(each.env_name, each.globals["__name__"]) for each in (own, *others)]
    place = description.modname, description.qualname
    return MachineObject(code, description.llvm_func_name, asks, key, defines, place, said.return_type, found)
