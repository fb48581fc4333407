"""Laws of states of first order: linear ones, and functions of a user.

    ẋ = f(t, y, x),   u = g(t, y, x)          y: what the sensors read; x: the states; u: the commands

Compiled kernels call a function by its address (:mod:`flexmb.forces.callbacks`), with `data` that hold z = (y, x) at
the head; behind it come (f, g), their derivatives by z row by row, and room for another z. Derivatives are central
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from flexmb.errors import KernelError, ModelError
from flexmb.forces.callbacks import DERIVATIVES, python_address
from flexmb.kernels.compilation import INTERPRETED, compiler_message
from flexmb.model import checks

#: step of differences, as a part of each number, or of 1
STEP = 1e-5
_DATA = types.CPointer(types.float64)
#: machine code of compiled functions, by the functions and the sizes
_machine_code: dict[Any, Any] = {}


@dataclass(eq=False)
class StateFunctions:
    """The functions of Python of a law: `rates` f, and `decide` g, the states themselves where it is None and there
    are commands."""

    where: str
    rates: Callable[..., Any]
    decide: Callable[..., Any] | None
    readings: int
    states: int
    commands: int
    failure: BaseException | None = field(default=None, init=False)
    key: int = field(default=0, init=False)

    def sizes(self) -> tuple[int, int]:
        """How many numbers (f, g) and z have."""
        return self.states + self.commands, self.readings + self.states

    def told(self) -> tuple[Any, ...]:
        """Key by which equal laws share one compiled function."""
        return self.rates, self.decide, self.readings, self.states, self.commands

    def values(self, t: float, z: np.ndarray) -> list[float]:
        """(f, g) at a state."""
        y, x = z[: self.readings], z[self.readings :]
        found = self._checked("law", self.rates(t, y.copy(), x.copy()), self.states)
        if self.decide is None:
            return [*found, *x[: self.commands].tolist()]
        return [*found, *self._checked("function decide", self.decide(t, y.copy(), x.copy()), self.commands)]

    def _checked(self, what: str, given: Any, count: int) -> list[float]:
        try:
            numbers = np.atleast_1d(np.asarray("nothing" if given is None else given, dtype=float))  # None were NaN
        except (TypeError, ValueError):
            numbers = np.zeros((0, 0))
        if numbers.shape != (count,):
            numbers_are = "one number" if count == 1 else f"{count} numbers"
            raise ModelError(f"its {what} gave {checks.quoted(given)}; give {numbers_are}")
        found: list[float] = numbers.tolist()
        return found

    def evaluate(self, derivatives: bool, t: float, size: float, data: Any) -> None:
        """Fill in (f, g), and with `derivatives` these too, behind the state at the head of `data`."""
        outer, inner = self.sizes()
        z = np.array(data[:inner])
        for k, value in enumerate(self.values(t, z)):
            data[inner + k] = value
        if not derivatives:
            return
        for c in range(inner):
            step = STEP * max(1.0, abs(z[c]))
            ahead, behind = z.copy(), z.copy()
            ahead[c], behind[c] = z[c] + step, z[c] - step
            pairs = zip(self.values(t, ahead), self.values(t, behind))
            for r, (up, down) in enumerate(pairs):
                data[inner + outer + r * inner + c] = (up - down) / (ahead[c] - behind[c])

    def address(self, compiled: bool) -> tuple[int, int]:
        """Address of the code that evaluates the functions, and the key that it takes."""
        if not compiled or INTERPRETED:
            return python_address(self)
        key = (self.rates, self.decide, *self.sizes(), self.readings)
        if key not in _machine_code:
            try:  # compiled code cannot tell the wrong number of results by name
                self.values(0.0, np.zeros(self.readings + self.states))
            except ModelError as error:
                raise ModelError(f"{self.where}: {error}") from None
            except (ArithmeticError, ValueError, LookupError):
                pass  # the functions are not defined there
            try:
                _machine_code[key] = self._machine_code()
            except NumbaError as error:
                raise KernelError(
                    f"{self.where}: Numba cannot compile its functions: {compiler_message(error)}; write them with "
                    "numbers, tuples and the module math, or leave compiled=True out"
                ) from None
        return int(_machine_code[key].address), 0

    def _machine_code(self) -> Any:
        outer, inner = self.sizes()
        readings, states, commands, itself = self.readings, self.states, self.commands, self.decide is None
        rates = _njit(self.rates)
        decide = rates if self.decide is None else _njit(self.decide)

        @numba.njit(error_model="numpy")
        def call(t, z, out):
            y, x = z[:readings], z[readings:]
            f = rates(t, y, x)
            for k in range(states):
                out[k] = f[k]
            if itself:
                for k in range(commands):
                    out[states + k] = x[k]
            else:
                g = decide(t, y, x)
                for k in range(commands):
                    out[states + k] = g[k]

        @numba.cfunc(types.void(types.int64, types.int64, types.float64, types.float64, _DATA), error_model="numpy")
        def evaluate(key, want, t, size, data):
            whole = numba.carray(data, 2 * inner + outer + outer * inner)
            z, found, moved = whole[:inner], whole[inner : inner + outer], whole[inner + outer + outer * inner :]
            if want == DERIVATIVES:
                for k in range(inner):
                    moved[k] = z[k]
                for c in range(inner):
                    step = STEP * max(1.0, abs(z[c]))
                    moved[c] = z[c] + step
                    ahead = moved[c]
                    call(t, moved, found)
                    for r in range(outer):
                        whole[inner + outer + r * inner + c] = found[r]
                    moved[c] = z[c] - step
                    way = ahead - moved[c]
                    call(t, moved, found)
                    for r in range(outer):
                        at = inner + outer + r * inner + c
                        whole[at] = (whole[at] - found[r]) / way
                    moved[c] = z[c]
            call(t, z, found)

        return evaluate


def _njit(function: Any) -> Any:
    """The function, compiled."""
    return function if hasattr(function, "py_func") else numba.njit(error_model="numpy")(function)


@dataclass(eq=False)
class LinearStates:
    """ẋ = A x + B y,   u = C x + D y."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    def numbers(self) -> np.ndarray:
        """(B, A; D, C) row by row."""
        return np.block([[self.B, self.A], [self.D, self.C]]).ravel()

    def values(self, t: float, z: np.ndarray) -> list[float]:
        """(f, g) at a state."""
        found: list[float] = (self.numbers().reshape(-1, len(z)) @ z).tolist()
        return found


def linear_states(law: Any, where: str) -> LinearStates | None:
    """The matrices of a linear model in continuous time; None of what is none."""
    given = [getattr(law, name, None) for name in "ABCD"]
    if any(x is None for x in given) or not hasattr(law, "period"):
        return None
    if law.period is not None:
        raise ModelError(
            f"{where}: its law is a linear model in discrete time, every {law.period:g} s; give one in continuous "
            "time, or take model.add_controller"
        )
    return LinearStates(*(np.asarray(x, dtype=float) for x in given))
