"""Compiled functions for certain types, as plain data: where a function stands, how it is called, and with which types.

A function is named by its place, "module:name"; a kernel that a function makes for a family, by "module:FAMILY.role".
A kernel that is made of another one has a tuple instead, of the place of the function that makes it, the place of that
other kernel, and further arguments.

It is called from Python, or by its address, and has machine code for each of the two. What becomes part of its callers
is not in a list: it is compiled with them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flexmb.kernels.hooks.calls import Called, Compiled, Part, machine_address
from flexmb.kernels.hooks.internals import Signature
from flexmb.kernels.warming.types import NotListed, Types, compiled_at, found_at, place_of


class Function(NamedTuple):
    """A compiled function for certain types: its place, the number of the type of its result if it is called by
    address, else None, and the numbers of the types of its arguments."""

    place: Any
    returns: int | None
    arguments: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its module and name; of a kernel that is made of another one, those of that."""
        place: str = self.place if isinstance(self.place, str) else self.place[1]
        return place.replace(":", ".")


def described(dispatcher: Any, given: Any, types: Types) -> Function | None:
    """A compiled function that is asked for with a signature, None if it is a part of others; :class:`NotListed` if a
    list cannot hold it."""
    if isinstance(dispatcher, Part):
        return None
    by_address = bool(dispatcher.targetoptions.get("no_cpython_wrapper"))
    if isinstance(given, Signature):
        returns, arguments = given.return_type, given.args
    else:
        returns, arguments = None, given
    if by_address and returns is None:
        raise NotListed(f"{dispatcher}: the type of its result is not known")
    place = place_of_kernel(dispatcher.py_func)
    return Function(place, types.number(returns) if by_address else None, tuple(map(types.number, arguments)))


def place_of_kernel(function: Any) -> Any:
    """Where a compiled function stands, given as a function of Python; :class:`NotListed` if a list cannot say it."""
    if hasattr(function, "made_by"):
        how, arguments = function.made_by
        return place_of(how), place_of_kernel(function.made_of), *arguments
    place = f"{function.__module__}:{function.__qualname__}"
    if compiled_at(place).py_func is not function and not _calls(compiled_at(place), function):
        raise NotListed(f"{place} is something else")
    return place


def _calls(dispatcher: Any, function: Any) -> bool:
    """Whether a function is the one through which Python calls a compiled function."""
    return isinstance(dispatcher, Called) and dispatcher.from_python.py_func is function


def dispatcher_of(place: Any) -> Any:
    """The compiled function that stands at a place, or is made as it says."""
    if isinstance(place, str):
        return compiled_at(place)
    if place not in _made:
        how, of, *arguments = place
        _made[place] = found_at(how)(dispatcher_of(of), *arguments)
    return _made[place]


#: kernels that are made of others, by what is said of them
_made: dict[Any, Any] = {}


def called_with(function: Function, types: Types) -> tuple[Any, Any]:
    """A compiled function of a list, with a signature if it is called by its address, else with the types of its
    arguments; :class:`NotListed` if there is no such function, or no such types."""
    dispatcher = dispatcher_of(function.place)
    if not isinstance(dispatcher, Compiled):
        raise NotListed(f"{function.place} is not compiled by flexmb")
    arguments = tuple(types.kind(k) for k in function.arguments)
    return dispatcher, arguments if function.returns is None else types.kind(function.returns)(*arguments)


def compile_function(function: Function, types: Types) -> None:
    """Compile a function, or load its machine code if that is kept; :class:`NotListed` if there is no such function, or
    no such types."""
    dispatcher, given = called_with(function, types)
    if isinstance(given, Signature):
        machine_address(dispatcher, given)
        return
    from_python = dispatcher.from_python if isinstance(dispatcher, Called) else dispatcher
    from_python.compile(given)
