"""How functions become machine code: compiled lazily by Numba, kept on disk."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError
from numba.extending import intrinsic, is_jitted

from flexmb.kernels.cache import Shelf
from flexmb.kernels.compiler import PLAIN, Called, Compiled, Inlined, Kernel, call_address, hooks

#: Whether Numba is switched off (NUMBA_DISABLE_JIT=1): kernels then run as plain Python, some hundred times slower, but
#: with all that a debugger can do. What is called compiled elsewhere is then interpreted.
INTERPRETED: bool = bool(getattr(numba.config, "DISABLE_JIT", False))

#: options of all compiled functions; C calls none of them, so that they need no wrapper for it
OPTIONS: dict[str, Any] = {
    "nopython": True, "error_model": "numpy", "fastmath": {"contract"}, "no_cfunc_wrapper": True
}  # fmt: skip
_NUMBERS = {int: types.int64, float: types.float64, bool: types.boolean, None: types.none}


if hooks is not None:  # plain Numba keeps nothing that helpers could make
    from flexmb.kernels.warming.helpers import help_runs

    help_runs()


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    return function if INTERPRETED else _kept(Compiled(function, targetoptions={**OPTIONS, **options}))


def _kept(function: Any) -> Any:
    return function if PLAIN else hooks.kept_in(Shelf, function)


def _type_of(result: Any) -> Any:
    """Numba's type for a result given in Python: int, float, bool, None, or a tuple of them."""
    return types.Tuple([_type_of(x) for x in result]) if isinstance(result, tuple) else _NUMBERS[result]


def compiled(function: Callable[..., Any]) -> Any:
    """Compile lazily with Numba and keep the machine code on disk, see :mod:`flexmb.kernels.cache`.

    It is compiled again when anything that it depends on has changed: its own code, that of functions it calls, in
    whichever file or notebook, and the values that it reads from modules. If changes cannot be detected (it calls a
    function that is defined for Numba by `numba.extending.overload`, or reads an object that is no number, text, array,
    tuple or function), it is compiled again in each process.
    """
    return _compiled(function)


def allocation_free(function: Callable[..., Any]) -> Any:
    """As :func:`compiled`, for functions that create no arrays: their code does no reference counting for the arrays
    passed to them.

    Counting takes a locked instruction for each array at each call; in a step of a small system there are a thousand of
    these, a third of its time.
    """
    return _compiled(function, _nrt=False)


def unlocked(function: Callable[..., Any]) -> Any:
    """As :func:`allocation_free`, without the interpreter lock: other Python threads run at the same time."""
    return _compiled(function, _nrt=False, nogil=True)


def called(returns: Any) -> Callable[[Callable[..., Any]], Any]:
    """As :func:`allocation_free`, for a part of kernels that is compiled once for all its callers, when a run first
    reaches it, see :mod:`flexmb.kernels.hooks.calls`; `returns` is int, float, bool, None or a tuple of them."""
    options = {**OPTIONS, "_nrt": False}
    return lambda function: function if INTERPRETED else _kept(Called(function, _type_of(returns), options))


def inlined(function: Callable[..., Any]) -> Any:
    """As :func:`allocation_free`, for a part of kernels that is included in the code of each of its callers.

    Otherwise each kernel has its own copy of the part, and the order in which kernels were compiled or loaded decides
    which copy is called. Copies may differ in the last bit, since products may be fused with sums; but a run must be
    reproducible to the bit.
    """
    return function if INTERPRETED else _kept(Inlined(function, {**OPTIONS, "_nrt": False}))


def python_of(kernel: Any) -> Callable[..., Any] | None:
    """The Python function from which a kernel was compiled, None if it is not a kernel."""
    if is_jitted(kernel):
        return kernel.py_func
    return kernel if INTERPRETED and inspect.isfunction(kernel) else None


def plain(
    function: Callable[..., Any], known: dict[Any, Any] | None = None, names: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """A copy of a Python function in which the functions that it calls by name are plain Python functions too, so that
    an index out of range is an error in all of them; `names`: what else some names mean in all of them."""
    known = {} if known is None else known
    if function not in known:
        scope = dict(function.__globals__)

        def of(value: Any) -> Any:
            if names is not None and inspect.isfunction(value):
                return plain(value, known, names)
            return plain(value.py_func, known, names) if is_jitted(value) else value

        cells = tuple(CellType(of(cell.cell_contents)) for cell in function.__closure__ or ())
        known[function] = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
        scope.update({name: of(scope[name]) for name in function.__code__.co_names if name in scope})
        scope.update(names or {})
    return known[function]


def machine_code(python: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Decorator for a function written in compiler instructions; `python` replaces it where Numba is switched off."""
    return lambda define: python if INTERPRETED else intrinsic(define)


def compiler_message(error: NumbaError) -> str:
    """The essence of a long compiler message: its first statement, and the line in the file."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines()]
    skip = re.compile(r"^(Failed in \w+ mode pipeline|- Resolution failure|During: |$)")
    said = next((line for line in lines if not skip.match(line)), "unknown reason")
    causes = [
        line for line in lines if re.match(r"^(Cannot|Invalid|No implementation|Unknown|NameError|Undeclared)", line)
    ]
    place = next((m for m in re.findall(r'File "([^"]+)", line (\d+)', text)), None)
    what = causes[0] if causes and causes[0] not in said else said
    return what.rstrip(".:") + (f" ({Path(place[0]).name}, line {place[1]})" if place else "")


# -- kernels --------------------------------------------------------------------------------------------------------

_VECTOR = types.Array(types.float64, 1, "C")
_MATRIX = types.Array(types.float64, 2, "C")
_STACK = types.Array(types.float64, 3, "C")
_INDEX = types.Array(types.int64, 2, "C")

#: The one signature of all kernels, see :mod:`flexmb.kernels.contract`.
SIGNATURE = types.void(
    _MATRIX, _INDEX, _INDEX, types.float64, _VECTOR, _VECTOR, _VECTOR, _MATRIX, _VECTOR, _MATRIX, _STACK, _VECTOR
)


def call_of_kernel() -> tuple[Any, Callable[..., Any]]:
    """For the compiler: the types of an address and a kernel's arguments, and the call of the kernel at the address."""

    def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
        return call_address(context, builder, SIGNATURE, args[0], args[1:])

    return SIGNATURE.return_type(types.int64, *SIGNATURE.args), codegen


def _run_in_python(where: int, *given: Any) -> None:
    raise NotImplementedError


@machine_code(_run_in_python)
def _run_at(typingctx: Any, where: Any, p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any,
            out: Any, K: Any, work: Any) -> Any:  # fmt: skip
    return call_of_kernel()


@allocation_free
def _run(where, p, iq, iv, t, q, v, a, lam, w, out, K, work):
    _run_at(where, p, iq, iv, t, q, v, a, lam, w, out, K, work)


def kernel(function: Callable[..., Any]) -> Any:
    """As :func:`compiled`, for the kernel of a component, see :mod:`flexmb.kernels.contract`."""
    return by_address(function, SIGNATURE, _run)


def by_address(function: Callable[..., Any], signature: Any, run: Any) -> Any:
    """As :func:`compiled`, for a function that is called by its address, with one signature; `run` calls the function
    at an address, for Python."""
    return function if INTERPRETED else _kept(Kernel(function, signature, run, OPTIONS))
