"""The kernel contract: how a component tells the compiled loop what it does.

Every component family is a handful of compiled functions over *all* its instances at once. They all have the same
list of arguments, so that one compiled loop calls any of them, those of a user's own package included:

    kernel(p, iq, iv, t, q, v, a, lam, w, out, K, work)

    p     (n, np)      constant parameters, a row an instance
    iq    (n, nq)      positions of the instance's coordinates in q
    iv    (n, nv)      positions of its speeds in v, a (in the plane the same as iq)
    t                  time [s]
    q, v, a            coordinates, speeds, accelerations of the whole system (fixed frames at the tail)
    lam   (n, m)       Lagrange multipliers of the instance's constraint rows
    w     (3,)         weights (wm, wd, wk) of the tangent
    out   (n, ...)     what the kernel fills, a row an instance; it arrives zeroed
    K     (n, nv, nv)  what a tangent fills, a dense matrix an instance; it arrives zeroed
    work               scratch numbers, as many as the component asked for; their contents are arbitrary

The seven kernels of a family, with the equation of motion  M(q) a + f(t, q, v) + Gᵀ λ = 0,  g(q, t) = 0:

    residual    out (n, nv) = M a + velocity terms + elastic − applied
    tangent     K += wm ∂residual/∂a + wd ∂residual/∂v + wk ∂residual/∂q
    energy      out (n, 5) = kinetic, strain, potential energy [J], dissipated power, input power [W]
    constraint  out (n, 3 m) = g | ġ | γ:  position error, velocity error G v + g_t, and the right-hand side of
                G a = γ  (Skyenginlab (n.d.), eq. (13));  lam, a are not used
    jacobian    out (n, m nv) = the rows of G;  K += wk ∂(Gᵀ λ)/∂q  (only needed when wk is not zero)
    point       out (n, 9) = x, y, angle, their rates and second rates, of a point of the instance; w is what the
                component's `point_data(s)` gives for a place s ∈ [0, 1] along it, (s,) if it has no such method
    section     out (n, 5) = axial strain ε [–], curvature κ [1/m], axial force N, shear force Q [N], moment M [Nm] of
                the cross section at a point; w as for `point`

A component says by *slots* what can be commanded from outside: where in its parameters the strength stands that it
reads by :func:`flexmb.model.functions.strength_at`, and which constraint row follows the motion that it prescribes; see
:class:`flexmb.model.components.Assembler`. Controllers, inputs of linear models, load paths and swept drives use these,
and nothing else of the component.

A section's signs: κ = dθ/ds along the undeformed length, positive when the axis turns counter-clockwise; N positive in
tension; M = EI κ. The part of the beam ahead of the section acts on the one behind it with N e + Q n and M, e along the
axis, n = e turned by +90°; so dM/ds = −Q where nothing acts between. Forces are those of the material: the elastic ones
and those of a damping that is proportional to stiffness. What a theory has no law for is NaN, not zero: the shear force
of a beam whose sections stay normal to its axis, the axial force of one that does not stretch.

A kernel takes no memory of its own: `out`, `K` and `work` are all there is. Tangents are exact. The conformance suite
(:mod:`flexmb.testing`) checks all of this for any family.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from flexmb.system.cache import Shelf
from flexmb.system.calls import Called, Compiled, Inlined, call_address, machine_address

_VECTOR = types.Array(types.float64, 1, "C")
_MATRIX = types.Array(types.float64, 2, "C")
_STACK = types.Array(types.float64, 3, "C")
_INDEX = types.Array(types.int64, 2, "C")

#: The one signature of all kernels.
SIGNATURE = types.void(
    _MATRIX, _INDEX, _INDEX, types.float64, _VECTOR, _VECTOR, _VECTOR, _MATRIX, _VECTOR, _MATRIX, _STACK, _VECTOR
)

#: Whether Numba is switched off (NUMBA_DISABLE_JIT=1): kernels then run as plain Python, some hundred times slower, but
#: with all that a debugger can do. "Compiled" is then said of what would be.
INTERPRETED = bool(getattr(numba.config, "DISABLE_JIT", False))

#: nothing of this is called from C
OPTIONS: dict[str, Any] = {
    "nopython": True, "error_model": "numpy", "fastmath": {"contract"}, "no_cfunc_wrapper": True
}  # fmt: skip


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    return function if INTERPRETED else _kept(Compiled(function, targetoptions={**OPTIONS, **options}))


def _kept(dispatcher: Any) -> Any:
    dispatcher._cache = Shelf(dispatcher)
    return dispatcher


def compiled(function: Callable[..., Any]) -> Any:
    """Compile lazily with Numba and keep the machine code on disk, see :mod:`flexmb.system.cache`.

    It is compiled again when anything has changed that it is made of: its own code, what it calls, in whichever file or
    notebook, and the values that it reads from modules. Where that cannot be told (it calls a function that is
    explained to Numba by `numba.extending.overload`, or reads an object that is no number, text, array, tuple or
    function) it is compiled anew in each process.
    """
    return _compiled(function)


def bare(function: Callable[..., Any]) -> Any:
    """As :func:`compiled`, for functions that make no arrays: their code counts no references to those that it is lent.

    Counting takes a locked instruction for each array at each call; in a step of a small system there are a thousand
    of them, a third of its time.
    """
    return _compiled(function, _nrt=False)


def called(returns: Any) -> Callable[[Callable[..., Any]], Any]:
    """As :func:`bare`, for parts: compiled once for all that call them, when a run first reaches it, see
    :mod:`flexmb.system.calls`; `returns` is int, float, bool, None or a tuple of them."""
    options = {**OPTIONS, "_nrt": False}
    return lambda function: function if INTERPRETED else _kept(Called(function, returns, options))


def inlined(function: Callable[..., Any]) -> Any:
    """As :func:`bare`, for parts of kernels: put into the code of each that calls it.

    Else each kernel brings a copy, and which of them is called depends on the order in which kernels were compiled or
    loaded. Copies may differ in the last bit, by which products are fused with sums; a run is to repeat to the bit.
    """
    return function if INTERPRETED else _kept(Inlined(function, {**OPTIONS, "_nrt": False}))


#: A kernel is compiled like any other function; the name says what it is for.
kernel = compiled


@dataclass(frozen=True)
class Kernels:
    """The compiled functions of one component family (see the module's text for what each does)."""

    name: str
    residual: Any = None
    tangent: Any = None
    energy: Any = None
    constraint: Any = None
    jacobian: Any = None
    point: Any = None
    section: Any = None


#: The order in which the addresses of a family's kernels are kept.
ROLES = ("residual", "tangent", "energy", "constraint", "jacobian", "point", "section")


def python_of(kernel: Any) -> Callable[..., Any] | None:
    """The function of Python that a kernel was compiled from, None if that is no kernel."""
    if isinstance(kernel, Dispatcher):
        return kernel.py_func
    return kernel if INTERPRETED and inspect.isfunction(kernel) else None


#: Addresses of the kernels compiled so far; the kernels themselves are kept alive with them.
_addresses: dict[Any, int] = {}


def is_compiled(dispatcher: Any) -> bool:
    """Whether the address of a kernel is known already."""
    return dispatcher in _addresses


def address(dispatcher: Any) -> int:
    """Machine address of a kernel, compiled for :data:`SIGNATURE` on first use; 0 for no kernel."""
    if dispatcher is None:
        return 0
    if dispatcher not in _addresses:
        if INTERPRETED:
            _addresses[dispatcher] = len(_addresses) + 1
            return _addresses[dispatcher]
        _addresses[dispatcher] = machine_address(dispatcher, SIGNATURE)
    return _addresses[dispatcher]


def machine_code(python: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """A function of which it is said in the terms of the compiler what it does; `python` does the same where Numba is
    switched off."""
    return lambda define: python if INTERPRETED else intrinsic(define)


@machine_code(lambda where, *given: list(_addresses)[where - 1](*given))
def run_kernel(typingctx: Any, where: Any, p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any,
               out: Any, K: Any, work: Any) -> Any:  # fmt: skip
    """Inside compiled code: call the kernel at a machine address."""

    def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
        return call_address(context, builder, SIGNATURE, args[0], args[1:])

    return SIGNATURE.return_type(types.int64, *SIGNATURE.args), codegen


def _view(dimensions: int, flat: Any) -> tuple[Any, Any]:
    """Result type and code of a view on a part of a flat array that does not own it: no reference is counted."""
    result = types.Array(flat.dtype, dimensions, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source = context.make_array(signature.args[0])(context, builder, args[0])
        view = context.make_array(result)(context, builder)
        width = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(result.dtype)))
        shape = list(args[2:])
        strides = [width]
        for size in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        start = builder.gep(source.data, [args[1]])
        populate_array(view, data=start, shape=shape, strides=strides, itemsize=width, meminfo=None)
        return view._getvalue()

    return result(flat, *([types.intp] * (dimensions + 1))), codegen


@machine_code(lambda flat, start, size: flat[start : start + size])
def vector_view(typingctx: Any, flat: Any, start: Any, size: Any) -> Any:
    """Inside compiled code: flat[start:start + size] without counting a reference, for as long as `flat` lives.

    An index that counts from zero inside a view is known not to be negative, so that loops over it are turned into
    vector instructions; one with an offset, work[start + k], is not.
    """
    return _view(1, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def matrix_view(typingctx: Any, flat: Any, start: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] seen as an array (rows, columns), for as long as `flat` lives."""
    return _view(2, flat)


@machine_code(lambda flat, start, *shape: flat.ravel()[start : start + math.prod(shape)].reshape(shape))
def stack_view(typingctx: Any, flat: Any, start: Any, count: Any, rows: Any, columns: Any) -> Any:
    """Inside compiled code: flat[start:] seen as an array (count, rows, columns), for as long as `flat` lives."""
    return _view(3, flat)
