"""Filters, and plants whose outputs pass through filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.errors import ControlError
from flexmb.model import checks
from flexmb.model.hints import answers_calls


@answers_calls
def transfer_function(numerator: Any, denominator: Any, *, name: str = "filter") -> LinearModel:
    """A transfer function b(s)/a(s) as a linear model with one input and one output.

    Arguments: `numerator`, `denominator`: coefficients of s, the highest power first; `name` of its states in results.
    A numerator of a higher degree than the denominator cannot be realized and is a ControlError.

    >>> lag = transfer_function([1.0], [0.1, 1.0])
    >>> lag.poles.astype(complex).round(9).tolist(), lag.D.tolist()
    ([(-10+0j)], [[0.0]])
    """
    where = f"transfer function of {name!r}"
    b, a = (_coefficients(x, what, where) for x, what in ((numerator, "numerator"), (denominator, "denominator")))
    n, m = len(a) - 1, len(b) - 1
    if m > n:
        raise ControlError(
            f"{where}: it is not proper, its numerator is of degree {m}, its denominator of degree {n}: it would "
            f"differentiate; give the denominator {m - n} more {'root' if m - n == 1 else 'roots'}, e.g. a factor "
            f"(1 + T s){'' if m - n == 1 else f'^{m - n}'}"
        )
    b, a = np.concatenate([np.zeros(n - m), b]) / a[0], a / a[0]
    D = b[0]
    rest = (b - D * a)[1:]
    # in a unit of time of its own, so that all states are of a like size
    unit = abs(a[-1]) ** (1.0 / n) if n and a[-1] != 0.0 else 1.0
    powers = unit ** np.arange(n)
    A = np.diag(np.full(n - 1, unit), 1) if n else np.zeros((0, 0))
    if n:
        A[-1] = -a[:0:-1] * powers / powers[-1]
    B = np.zeros((n, 1))
    if n:
        B[-1] = 1.0 / powers[-1]
    return LinearModel(
        A, B, (rest[::-1] * powers)[None, :], np.array([[D]]), states=[f"{name} {k + 1}" for k in range(n)]
    )


@answers_calls
def low_pass(time_constant: float, frequency: float, damping: float = 0.7, *, name: str = "low-pass") -> LinearModel:
    """The low pass of Kobayashi (n.d.), eq. (76), without its derivative:  1/(1 + T₁ s) · ω²/(s² + 2ζω s + ω²).

    Arguments: `time_constant` T₁ [s]; circular `frequency` ω [rad/s]; `damping` ζ [–].

    >>> low_pass(0.01, 200.0).response([0.0]).magnitude.ravel().round(12).tolist()
    [1.0]
    """
    return transfer_function(*_third_order(time_constant, frequency, damping, name, 0), name=name)


@answers_calls
def differentiator(
    time_constant: float, frequency: float, damping: float = 0.7, *, name: str = "differentiator"
) -> LinearModel:
    """Derivative and low pass in one, Kobayashi (n.d.), eq. (76):  s/(1 + T₁ s) · ω²/(s² + 2ζω s + ω²).

    Arguments: `time_constant` T₁ [s]; circular `frequency` ω [rad/s]; `damping` ζ [–]. On a speed it gives what an
    accelerometer behind the :func:`low_pass` gives.

    >>> import numpy as np
    >>> slow = differentiator(0.01, 200.0).response([0.1])
    >>> bool(abs(slow.magnitude.item() - 0.2 * np.pi) < 1e-4)
    True
    """
    return transfer_function(*_third_order(time_constant, frequency, damping, name, 1), name=name)


@answers_calls
def filtered(plant: LinearModel, filters: Mapping[str, LinearModel]) -> LinearModel:
    """The plant with some of its outputs, given by name, passed through filters, Kobayashi (n.d.), eqs. (77)-(78). The
    states of the filters come last.

    >>> import numpy as np
    >>> plant = LinearModel([[0.0, 1.0], [-1.0, 0.0]], [[0.0], [1.0]], np.eye(2), np.zeros((2, 1)), outputs=["x", "v"])
    >>> seen = filtered(plant, {"v": differentiator(0.01, 100.0)})
    >>> len(seen), seen.states[-1], seen.controllable, seen.observable
    (5, 'v: differentiator 3', True, True)
    """
    where = "filtered plant"
    check_linear(plant, "plant", where)
    check_filters(filters, where)
    chosen: list[LinearModel | None] = [None] * len(plant.outputs)
    for name, one in filters.items():
        checks.known(name, plant.outputs, "output", where)
        if one.period != plant.period:
            raise ControlError(f"{where}: the filter of {name!r} and the plant are not of the same kind of time")
        chosen[plant.outputs.index(name)] = one
    used = list(filters.values())
    k, n = len(plant), len(plant) + sum(len(f) for f in used)
    A, B = np.zeros((n, n)), np.zeros((n, plant.B.shape[1]))
    C, D = np.zeros((len(plant.outputs), n)), np.zeros_like(plant.D)
    A[:k, :k], B[:k] = plant.A, plant.B
    states, units, at = list(plant.states), list(plant.output_units), k
    operating = plant.operating_outputs.copy()
    for j, f in enumerate(chosen):
        if f is None:
            C[j, :k], D[j] = plant.C[j], plant.D[j]
            continue
        own = slice(at, at + len(f))
        A[own, own], A[own, :k], B[own] = f.A, f.B @ plant.C[j : j + 1], f.B @ plant.D[j : j + 1]
        C[j, own], C[j, :k], D[j] = f.C[0], f.D[0, 0] * plant.C[j], f.D[0, 0] * plant.D[j]
        units[j] = f"filtered {units[j]}"
        operating[j] *= _static_gain(f)
        states += [f"{plant.outputs[j]}: {state}" for state in f.states]
        at += len(f)
    return LinearModel(
        A, B, C, D, states, plant.inputs, plant.outputs, plant.input_units, units, operating, period=plant.period
    )


def check_filters(given: Any, where: str) -> None:
    """Raise a ControlError if the filters are not a dict of linear models with one input and one output each."""
    if not isinstance(given, Mapping):
        raise ControlError(f"{where}: filters must be a dict of linear models, not {checks.quoted(given)}")
    for place, one in given.items():
        what = f"the filter of {checks.quoted(place)}"
        check_linear(one, what, where)
        if one.B.shape[1] != 1 or len(one.C) != 1:
            raise ControlError(f"{where}: {what} must have one input and one output")


def _static_gain(f: LinearModel) -> float:
    """The output of a filter for a constant input of one; 0 for a filter that integrates, which has none."""
    rate = -f.A if f.period is None else np.eye(len(f)) - f.A
    if np.linalg.matrix_rank(rate) < len(f):
        return 0.0
    return float(f.D[0, 0] + (f.C @ np.linalg.solve(rate, f.B)).item())


def _third_order(T: float, omega: float, zeta: float, name: str, power: int) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of s^power · ω²/((1 + T s)(s² + 2ζω s + ω²))."""
    where = f"filter {name!r}"
    T = checks.not_negative(T, "time_constant", where)
    omega = checks.positive(omega, "frequency", where)
    zeta = checks.positive(zeta, "damping", where)
    low = [1.0] if T == 0.0 else [T, 1.0]
    square = omega * omega  # infinite for a frequency that is too large, which the transfer function refuses
    return np.array([square] + [0.0] * power), np.polymul(low, [1.0, 2.0 * zeta * omega, square])


def _coefficients(values: Any, what: str, where: str) -> np.ndarray:
    """The coefficients of a polynomial, checked, without leading zeros."""
    wanted = "coefficients of s, the highest power first"
    row = np.atleast_1d(checks.numbers(values, f"its {what}", where, wanted))
    if row.ndim != 1:
        raise ControlError(f"{where}: its {what} must be {wanted}, not {checks.quoted(row)}")
    out = np.trim_zeros(row, "f")
    if not len(out):
        if what == "denominator":
            raise ControlError(f"{where}: its denominator is zero")
        return np.zeros(1)
    return out
