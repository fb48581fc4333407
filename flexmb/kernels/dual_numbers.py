"""Dual numbers x + d ε with ε² = 0 (Clifford (1873)): a value with its derivative in one direction.

A function of floats that is given dual numbers returns its derivative too, exact to round-off, by the rules of
differentiation alone (forward differentiation, Wengert (1964)). Here stand the rules; :mod:`flexmb.kernels.dual_types`
tells them to the compiler, and :class:`PythonDual` obeys them where Numba is switched off.

    x + d ε  ⊕  y + e ε  =  x ⊕ y + (∂⊕/∂x d + ∂⊕/∂y e) ε,        f(x + d ε) = f(x) + f′(x) d ε

Where a function has a corner, as |x| at 0, the derivative is that of one side; `hypot` and `sqrt` of zero have the
derivative zero where nothing changes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmb.kernels import dual_types
from flexmb.kernels.compilation import INTERPRETED


class PythonDual:
    """A dual number in plain Python."""

    __slots__ = ("d", "x")

    def __init__(self, x: float, d: float) -> None:
        self.x, self.d = x, d


class PythonVector:
    """A vector of which some entries change in the direction of the derivative, in plain Python."""

    def __init__(self, x: np.ndarray, changes: dict[int, float]) -> None:
        self.x, self.changes = x, changes

    def __getitem__(self, at: int) -> PythonDual:
        return PythonDual(float(self.x[at]), float(self.changes.get(int(at), 0.0)))


class PythonColumn:
    """The output of a residual, of which the derivatives alone are kept, in column j of a matrix, in plain Python."""

    def __init__(self, K: np.ndarray, j: int) -> None:
        self.K, self.j = K, j

    def __getitem__(self, at: tuple[int, int] | int) -> Any:
        return PythonDual(0.0, float(self.K[at[1], self.j])) if isinstance(at, tuple) else PythonRow(self.K[:, self.j])

    def __setitem__(self, at: tuple[int, int], y: Any) -> None:
        self.K[at[1], self.j] = y.d if isinstance(y, PythonDual) else 0.0


class PythonRow:
    """The row of the instance in that output, in plain Python."""

    def __init__(self, slopes: np.ndarray) -> None:
        self.slopes = slopes

    def __getitem__(self, at: int) -> PythonDual:
        return PythonDual(0.0, float(self.slopes[at]))

    def __setitem__(self, at: int, y: Any) -> None:
        self.slopes[at] = y.d if isinstance(y, PythonDual) else 0.0


#: the dual number x + d ε of x and d, and the value x and the derivative d of one
dual: Any = PythonDual if INTERPRETED else dual_types.dual
value: Any = operator.attrgetter("x") if INTERPRETED else dual_types.value
slope: Any = operator.attrgetter("d") if INTERPRETED else dual_types.slope
#: d/r of a derivative d and a number r, zero where d is
quotient: Any = (lambda d, r: d / r if d != 0.0 else 0.0) if INTERPRETED else dual_types.quotient


def _power(a, b):  # type: ignore[no-untyped-def]
    return dual(value(a) ** b, b * value(a) ** (b - 1) * slope(a))


def _power_of(a, b):  # type: ignore[no-untyped-def]
    x = a ** value(b)
    return dual(x, x * math.log(a) * slope(b))


def _power_of_both(a, b):  # type: ignore[no-untyped-def]
    x = value(a) ** value(b)
    return dual(x, x * (slope(b) * math.log(value(a)) + value(b) / value(a) * slope(a)))


def _root(a):  # type: ignore[no-untyped-def]
    r = math.sqrt(value(a))
    return dual(r, quotient(0.5 * slope(a), r))


def _length(a, b):  # type: ignore[no-untyped-def]
    r = math.hypot(value(a), value(b))
    return dual(r, quotient(value(a) * slope(a) + value(b) * slope(b), r))


def _length_first(a, b):  # type: ignore[no-untyped-def]
    r = math.hypot(value(a), b)
    return dual(r, quotient(value(a) * slope(a), r))


def _length_second(a, b):  # type: ignore[no-untyped-def]
    r = math.hypot(a, value(b))
    return dual(r, quotient(value(b) * slope(b), r))


def _angle(a, b):  # type: ignore[no-untyped-def]
    square = value(a) * value(a) + value(b) * value(b)
    return dual(math.atan2(value(a), value(b)), (slope(a) * value(b) - value(a) * slope(b)) / square)


def _angle_first(a, b):  # type: ignore[no-untyped-def]
    return dual(math.atan2(value(a), b), slope(a) * b / (value(a) * value(a) + b * b))


def _angle_second(a, b):  # type: ignore[no-untyped-def]
    return dual(math.atan2(a, value(b)), -a * slope(b) / (a * a + value(b) * value(b)))


#: Functions of two numbers: the rules for two dual numbers, for a dual number and a float, and for a float and a dual
#: number.
OF_TWO: dict[Any, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    operator.add: (
        lambda a, b: dual(value(a) + value(b), slope(a) + slope(b)),
        lambda a, b: dual(value(a) + b, slope(a)),
        lambda a, b: dual(a + value(b), slope(b)),
    ),
    operator.sub: (
        lambda a, b: dual(value(a) - value(b), slope(a) - slope(b)),
        lambda a, b: dual(value(a) - b, slope(a)),
        lambda a, b: dual(a - value(b), -slope(b)),
    ),
    operator.mul: (
        lambda a, b: dual(value(a) * value(b), slope(a) * value(b) + value(a) * slope(b)),
        lambda a, b: dual(value(a) * b, slope(a) * b),
        lambda a, b: dual(a * value(b), a * slope(b)),
    ),
    operator.truediv: (
        lambda a, b: dual(value(a) / value(b), (slope(a) - value(a) / value(b) * slope(b)) / value(b)),
        lambda a, b: dual(value(a) / b, slope(a) / b),
        lambda a, b: dual(a / value(b), -a / value(b) * slope(b) / value(b)),
    ),
    operator.pow: (_power_of_both, _power, _power_of),
    math.hypot: (_length, _length_first, _length_second),
    math.atan2: (_angle, _angle_first, _angle_second),
    max: (
        lambda a, b: a if value(a) >= value(b) else b,
        lambda a, b: a if value(a) >= b else dual(b + 0.0, 0.0),
        lambda a, b: b if value(b) > a else dual(a + 0.0, 0.0),
    ),
    min: (
        lambda a, b: a if value(a) <= value(b) else b,
        lambda a, b: a if value(a) <= b else dual(b + 0.0, 0.0),
        lambda a, b: b if value(b) < a else dual(a + 0.0, 0.0),
    ),
    math.copysign: (
        lambda a, b: a if math.copysign(1.0, value(a)) == math.copysign(1.0, value(b)) else dual(-value(a), -slope(a)),
        lambda a, b: a if math.copysign(1.0, value(a)) == math.copysign(1.0, b) else dual(-value(a), -slope(a)),
        lambda a, b: dual(math.copysign(a, value(b)), 0.0),
    ),
    operator.lt: (
        lambda a, b: value(a) < value(b), lambda a, b: value(a) < b, lambda a, b: a < value(b),
    ),
    operator.le: (
        lambda a, b: value(a) <= value(b), lambda a, b: value(a) <= b, lambda a, b: a <= value(b),
    ),
    operator.gt: (
        lambda a, b: value(a) > value(b), lambda a, b: value(a) > b, lambda a, b: a > value(b),
    ),
    operator.ge: (
        lambda a, b: value(a) >= value(b), lambda a, b: value(a) >= b, lambda a, b: a >= value(b),
    ),
    operator.eq: (
        lambda a, b: value(a) == value(b), lambda a, b: value(a) == b, lambda a, b: a == value(b),
    ),
    operator.ne: (
        lambda a, b: value(a) != value(b), lambda a, b: value(a) != b, lambda a, b: a != value(b),
    ),
}  # fmt: skip
OF_TWO |= {
    operator.iadd: OF_TWO[operator.add],
    operator.isub: OF_TWO[operator.sub],
    operator.imul: OF_TWO[operator.mul],
    operator.itruediv: OF_TWO[operator.truediv],
    operator.ipow: OF_TWO[operator.pow],
}
#: functions of one number
OF_ONE: dict[Any, Callable[..., Any]] = {
    operator.neg: lambda a: dual(-value(a), -slope(a)),
    operator.pos: lambda a: a,
    abs: lambda a: dual(abs(value(a)), math.copysign(1.0, value(a)) * slope(a)),
    math.fabs: lambda a: dual(math.fabs(value(a)), math.copysign(1.0, value(a)) * slope(a)),
    math.sqrt: _root,
    math.sin: lambda a: dual(math.sin(value(a)), math.cos(value(a)) * slope(a)),
    math.cos: lambda a: dual(math.cos(value(a)), -math.sin(value(a)) * slope(a)),
    math.tan: lambda a: dual(math.tan(value(a)), slope(a) / math.cos(value(a)) ** 2),
    math.asin: lambda a: dual(math.asin(value(a)), slope(a) / math.sqrt(1.0 - value(a) ** 2)),
    math.acos: lambda a: dual(math.acos(value(a)), -slope(a) / math.sqrt(1.0 - value(a) ** 2)),
    math.atan: lambda a: dual(math.atan(value(a)), slope(a) / (1.0 + value(a) ** 2)),
    math.exp: lambda a: dual(math.exp(value(a)), math.exp(value(a)) * slope(a)),
    math.expm1: lambda a: dual(math.expm1(value(a)), math.exp(value(a)) * slope(a)),
    math.log: lambda a: dual(math.log(value(a)), slope(a) / value(a)),
    math.log1p: lambda a: dual(math.log1p(value(a)), slope(a) / (1.0 + value(a))),
    math.sinh: lambda a: dual(math.sinh(value(a)), math.cosh(value(a)) * slope(a)),
    math.cosh: lambda a: dual(math.cosh(value(a)), math.sinh(value(a)) * slope(a)),
    math.tanh: lambda a: dual(math.tanh(value(a)), slope(a) / math.cosh(value(a)) ** 2),
}


def _takes_duals(function: Any, rules: Any) -> Callable[..., Any]:
    """A function of plain Python that follows its rules for dual numbers, and is itself for floats."""

    def of_two(a: Any, b: Any) -> Any:
        given = isinstance(a, PythonDual), isinstance(b, PythonDual)
        if not any(given):
            return function(a, b)
        return rules[0 if all(given) else 1 if given[0] else 2](a, b)

    return of_two if isinstance(rules, tuple) else lambda a: rules(a) if isinstance(a, PythonDual) else function(a)


def python_functions() -> dict[str, Any]:
    """For interpreted kernels: `math`, `max`, `min` and `abs` that also take dual numbers, by their names."""
    every = {**OF_TWO, **OF_ONE}
    own = {f.__name__: _takes_duals(f, rules) for f, rules in every.items() if f.__module__ == "math"}
    return {
        "math": SimpleNamespace(**{**vars(math), **own}),
        **own,
        **{f.__name__: _takes_duals(f, every[f]) for f in (max, min, abs)},
    }


def _give_operators() -> None:
    for f, rules in {**OF_TWO, **OF_ONE}.items():
        name = f.__name__
        if f.__module__ == "_operator":
            takes = _takes_duals(f, rules)
            setattr(PythonDual, f"__{name}__", takes)
            if name in ("add", "sub", "mul", "truediv", "pow"):
                setattr(PythonDual, f"__r{name}__", lambda b, a, takes=takes: takes(a, b))


@cache
def teach() -> None:
    """Tell the compiler the rules, or Python. They are told when a kernel first needs them: the compiler looks through
    all rules that it knows for a sum or a sine whenever it compiles one."""
    if INTERPRETED:
        _give_operators()
    else:
        dual_types.teach(OF_ONE, OF_TWO)
