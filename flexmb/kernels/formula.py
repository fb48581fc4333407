"""Formulas: one number of the state, as a compiled function that is called by its address.

    h(row, iq, iv, t, q, v, a) → number

    row (np,)   parameters
    iq  (nq,)   indices of the coordinates that it reads in q
    iv  (nv,)   indices of their speeds in v and a (in the plane the same as iq)
    t           time [s]
    q, v, a     coordinates, speeds, accelerations of the whole system (those of fixed frames last)

Its derivatives are made of it by forward differentiation (:mod:`flexmb.kernels.derivatives`):

    g_j = wm ∂h/∂a_j + wd ∂h/∂v_j + wk ∂h/∂q_j,     ∂/∂q along q ∘ exp y
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.errors import NumbaError

from flexmb.errors import KernelError
from flexmb.kernels import derivatives_in_python as in_python
from flexmb.kernels.compilation import (
    INTERPRETED,
    allocation_free,
    by_address,
    compiler_message,
    inlined,
    machine_code,
    python_of,
)
from flexmb.kernels.compiler import call_address, machine_address
from flexmb.kernels.contract import address, reads, run_in_python
from flexmb.kernels.derivatives import function_of, groups_for, named
from flexmb.kernels.dual_arrays import Orientations, coordinates_of, speeds_of
from flexmb.kernels.dual_outputs import columns_of, size_of
from flexmb.kernels.dual_places import places
from flexmb.kernels.dual_types import LANES, first_order

ARGUMENTS = ("row", "iq", "iv", "t", "q", "v", "a")
_CONTRACT = f"a formula is called as formula({', '.join(ARGUMENTS)}) and returns a number, see flexmb.kernels.formula"
_VECTOR = types.Array(types.float64, 1, "C")
_INDEX = types.Array(types.int64, 1, "C")
_INDICES = types.Array(types.int64, 2, "C")
FORMULA = types.float64(_VECTOR, _INDEX, _INDEX, types.float64, _VECTOR, _VECTOR, _VECTOR)
#: of the derivatives: with iq and iv as (1, n), the weights (wm, wd, wk), an output (nv,), and scratch
GRADIENT = types.void(_VECTOR, _INDICES, _INDICES, types.float64, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
#: how many scratch numbers the derivatives need
SCRATCH = 16


@machine_code(run_in_python)
def value_at(typingctx: Any, where: Any, row: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any) -> Any:
    """Inside compiled code: the number of the formula at a machine address."""
    return FORMULA.return_type(types.int64, *FORMULA.args), _calling(FORMULA)


@machine_code(run_in_python)
def add_gradient_at(typingctx: Any, where: Any, row: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, w: Any,
                    out: Any, work: Any) -> Any:  # fmt: skip
    """Inside compiled code: add the derivatives of a formula, which are at a machine address, to `out`."""
    return types.void(types.int64, *GRADIENT.args), _calling(GRADIENT)


def _calling(signature: Any) -> Callable[..., Any]:
    return lambda context, builder, call, given: call_address(context, builder, signature, given[0], given[1:])


@allocation_free
def _value(where, row, iq, iv, t, q, v, a):
    return value_at(where, row, iq, iv, t, q, v, a)


@allocation_free
def _add_gradient(where, row, iq, iv, t, q, v, a, w, out, work):
    add_gradient_at(where, row, iq, iv, t, q, v, a, w, out, work)


def formula(function: Callable[..., Any]) -> Any:
    """Compile lazily the formula of a quantity, a number of the state.

    >>> import numpy as np
    >>> @formula
    ... def power(row, iq, iv, t, q, v, a):
    ...     return row[0] * v[iv[0]] ** 2
    >>> one, state = np.zeros(1, dtype=np.int64), np.array([3.0])
    >>> power(np.array([0.5]), one, one, 0.0, state, state, state)
    4.5
    """
    return by_address(function, FORMULA, _value)


def _of_gradient(function: Callable[..., Any]) -> Any:
    return by_address(function, GRADIENT, _add_gradient)


def gradient_of(given: Any, orientations: Orientations, width: int) -> Any:
    """What adds the derivatives of a formula by `width` speeds, with orientations in these places. The formula keeps
    it, so that both are forgotten together.

    >>> import numpy as np
    >>> @formula
    ... def power(row, iq, iv, t, q, v, a):
    ...     return row[0] * v[iv[0]] ** 2
    >>> one, state, out = np.zeros((1, 1), dtype=np.int64), np.array([3.0]), np.zeros(1)
    >>> by_speed = np.array([0.0, 1.0, 0.0])
    >>> gradient_of(power, (), 1)(np.array([0.5]), one, one, 0.0, state, state, state, by_speed, out, np.zeros(SCRATCH))
    >>> out.tolist()
    [3.0]
    """
    made: dict[Any, Any] = vars(given).setdefault("gradients", {})
    if (orientations, width) not in made:
        made[orientations, width] = _gradient_of(given, orientations, width)
    return made[orientations, width]


def _gradient_of(given: Any, orientations: Orientations, width: int) -> Any:
    function, how = function_of(given), (gradient_of, orientations, width)
    if INTERPRETED:
        return named(in_python.gradient_of(function, orientations), given, *how, code=_of_gradient)
    number = first_order(groups_for(width))
    coordinates, speeds, columns = coordinates_of(number, orientations), speeds_of(number), columns_of(number)
    run, lanes = inlined(function), LANES * groups_for(width)

    @inlined
    def add_columns(row, iq, iv, t, q, v, a, w, out, work, j):  # type: ignore[no-untyped-def]
        found = columns(work, 1, 1)
        found[0, 0] = run(
            row, places(iq, 0)[0], places(iv, 0)[0], t, coordinates(q, iq, 0, w[2], j, 0), speeds(v, iv, 0, w[1], j),
            speeds(a, iv, 0, w[0], j),
        )  # fmt: skip
        for k in range(min(lanes, width - j)):
            out[j + k] += work[1 + k]

    def gradient(row, iq, iv, t, q, v, a, w, out, work):  # type: ignore[no-untyped-def]
        for j in range(0, width, lanes):
            add_columns(row, iq, iv, t, q, v, a, w, out, work, j)

    assert size_of(number) <= SCRATCH
    return named(gradient, given, *how, code=_of_gradient)


def formula_address(given: Any, where: str) -> int:
    """Machine address of a formula; a KernelError names who reads it if it does not compile."""
    return _address(given, FORMULA, where)


def gradient_address(given: Any, orientations: Orientations, width: int, where: str) -> int:
    """Machine address of the derivatives of a formula."""
    return _address(gradient_of(given, orientations, width), GRADIENT, where)


def _address(given: Any, signature: Any, where: str) -> int:
    if known := getattr(given, "formula_address", 0):
        return int(known)
    check_formula(given, where)
    try:
        found = address(given, signature) if INTERPRETED else machine_address(given, signature)
    except NumbaError as error:
        raise KernelError(f"{where}: its formula cannot be compiled: {compiler_message(error)}; {_CONTRACT}") from None
    # The function itself keeps its address, since nothing else keeps formulas of one's own; to look it up by the types
    # of its arguments takes 25 µs, more than to evaluate most quantities.
    given.formula_address = found
    return found


def check_formula(given: Any, where: str) -> None:
    """Raise a KernelError if something is no formula."""
    function = python_of(given)
    if function is None:
        raise KernelError(f"{where}: {given!r} is no formula; put @flexmb.kernels.formula above a function")
    wanted = len(GRADIENT.args) if hasattr(function, "made_by") else len(ARGUMENTS)
    if len(inspect.signature(function).parameters) != wanted:
        raise KernelError(f"{where}: {function.__qualname__} has other arguments; {_CONTRACT}")


def reads_accelerations(given: Any) -> bool:
    """Whether a formula reads accelerations."""
    function = python_of(given)
    return function is None or reads(function, ARGUMENTS.index("a"))
