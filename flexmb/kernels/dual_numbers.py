"""Dual numbers x + d ε with ε² = 0 (Clifford (1873)): a value with its derivative in one direction.

A function of floats that is given dual numbers returns its derivative too, exact to round-off, by the rules of
differentiation alone (forward differentiation, Wengert (1964)). Here stand the rules; :mod:`flexmb.kernels.dual_types`
tells them to the compiler, and :class:`PythonDual` obeys them where Numba is switched off.

    x + d ε  ⊕  y + e ε  =  x ⊕ y + (∂⊕/∂x d + ∂⊕/∂y e) ε,        f(x + d ε) = f(x) + f′(x) d ε

x and d may be dual numbers themselves, with another ε: then the rules, which are the same, give second derivatives too,
f(x + y δ + (d + e δ) ε) = f + f′ y δ + (f′ d + (f″ d y + f′ e) δ) ε.

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

from flexmb.kernels import dual_types
from flexmb.kernels.compilation import INTERPRETED, plain


class PythonDual:
    """A dual number in plain Python."""

    __slots__ = ("d", "x")

    def __init__(self, x: Any, d: Any) -> None:
        self.x, self.d = x, d


#: the dual number x + d ε of x and d, and the value x and the derivative d of one
dual: Any = PythonDual if INTERPRETED else dual_types.dual
value: Any = operator.attrgetter("x") if INTERPRETED else dual_types.value
slope: Any = operator.attrgetter("d") if INTERPRETED else dual_types.slope
#: a number as a dual number that changes in no direction; `like` is another one
still: Any = (lambda x, like: PythonDual(x, 0.0)) if INTERPRETED else dual_types.still
quotient: Any = dual_types.quotient


def _power(a, b):  # type: ignore[no-untyped-def]
    return dual(value(a) ** b, b * value(a) ** (b - 1) * slope(a) if b != 0 else 0.0 * slope(a))


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
    return dual(math.atan2(value(a), value(b)), slope(a) * (value(b) / square) - slope(b) * (value(a) / square))


def _angle_first(a, b):  # type: ignore[no-untyped-def]
    return dual(math.atan2(value(a), b), slope(a) * (b / (value(a) * value(a) + b * b)))


def _angle_second(a, b):  # type: ignore[no-untyped-def]
    return dual(math.atan2(a, value(b)), slope(b) * (-a / (a * a + value(b) * value(b))))


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
        lambda a, b: dual(a / value(b), slope(b) * (-a / value(b) / value(b))),
    ),
    operator.pow: (_power_of_both, _power, _power_of),
    math.hypot: (_length, _length_first, _length_second),
    math.atan2: (_angle, _angle_first, _angle_second),
    max: (
        lambda a, b: a if value(a) >= value(b) else b,
        lambda a, b: a if value(a) >= b else still(b, a),
        lambda a, b: b if value(b) > a else still(a, b),
    ),
    min: (
        lambda a, b: a if value(a) <= value(b) else b,
        lambda a, b: a if value(a) <= b else still(b, a),
        lambda a, b: b if value(b) < a else still(a, b),
    ),
    math.copysign: (
        lambda a, b: a if math.copysign(1.0, value(a)) == math.copysign(1.0, value(b)) else dual(-value(a), -slope(a)),
        lambda a, b: a if math.copysign(1.0, value(a)) == math.copysign(1.0, b) else dual(-value(a), -slope(a)),
        lambda a, b: dual(math.copysign(a, value(b)), 0.0 * slope(b)),
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
    math.floor: lambda a: math.floor(value(a)),
    math.ceil: lambda a: math.ceil(value(a)),
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

    known: list[Any] = []

    def rule(k: int) -> Any:
        """A rule whose own functions take dual numbers too, as values of dual numbers may be."""
        if not known:
            every = rules if isinstance(rules, tuple) else (rules,)
            known.extend(plain(each, names=python_functions()) for each in every)
        return known[k]

    def of_two(a: Any, b: Any) -> Any:
        given = isinstance(a, PythonDual), isinstance(b, PythonDual)
        if not any(given):
            return function(a, b)
        return rule(0 if all(given) else 1 if given[0] else 2)(a, b)

    return of_two if isinstance(rules, tuple) else lambda a: rule(0)(a) if isinstance(a, PythonDual) else function(a)


@cache
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
