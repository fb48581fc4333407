"""Control laws: they turn readings of sensors into commands."""

from __future__ import annotations

import ctypes
import itertools
import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.callbacks import evaluate_at, raise_named
from flexmb.kernels.compilation import inlined, kernel
from flexmb.machine import interruption
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


class Law(metaclass=AnswersCalls):
    """A control law as the compiled loop sees it: a kernel, its parameters, and the size of its memory.

    >>> import flexmb as fm
    >>> law = fm.control.LinearLaw(D=[[-4.0, -1.0]])  # a proportional gain and one on the rate
    >>> isinstance(law, fm.control.Law), law.memory
    (True, 0)
    """

    kernel: Any = None
    #: the run that has called a function of Python last
    token: Any = None

    @property
    def repeatable(self) -> bool:
        """Whether a run with it can be made a second time: it has no memory besides that of the loop."""
        return True

    @property
    def linear(self) -> LinearLaw | None:
        """The law about its operating point, where its commands meet no limits; None if it is not linear."""
        return None

    def parameters(self) -> np.ndarray:
        """Numbers that the kernel reads as p[0]."""
        raise NotImplementedError

    @property
    def memory(self) -> int:
        """How many numbers the law keeps from one instant to the next."""
        return 0

    @property
    def remembers(self) -> bool:
        """Whether its commands depend on earlier readings; some of the memory may be room to compute in."""
        return self.memory > 0

    def check(self, sensors: int, commands: int, where: str) -> None:
        """Raise a ModelError when sizes do not fit."""
        raise NotImplementedError

    def _check_sizes(self, read: int, given: int, sensors: int, commands: int, where: str) -> None:
        """Raise a ModelError unless the law reads as many numbers as there are sensors, and gives all commands."""
        if (read, given) != (sensors, commands):
            raise ModelError(
                f"{where}: its law has {read} inputs and {given} outputs; there are {sensors} sensors and {commands} "
                "commands"
            )


@dataclass(eq=False)
class LinearLaw(Law):
    """x[k+1] = A x[k] + B y[k],  u[k] = C x[k] + D y[k];  a gain alone when only D is given.

    >>> law = LinearLaw(D=[[2.0, -1.0]])
    >>> law.memory
    0
    """

    A: Any = None
    B: Any = None
    C: Any = None
    D: Any = None

    def __post_init__(self) -> None:
        if self.D is None:
            raise ModelError("linear law: give at least the gain D (commands, sensors)")
        for what in "ABCD":
            if getattr(self, what) is not None:
                checks.check_fields(self, checks.matrix, "linear law", what)
        commands, sensors = self.D.shape
        k = 0 if self.A is None else len(self.A)
        for what, shape in {"A": (k, k), "B": (k, sensors), "C": (commands, k)}.items():
            given = getattr(self, what)
            value = np.zeros(shape) if given is None else given
            if value.shape != shape:
                raise ModelError(f"linear law: {what} has the shape {value.shape}; it must be {shape}")
            setattr(self, what, value)
        self.kernel = linear_law

    @property
    def linear(self) -> LinearLaw:
        return self

    def __repr__(self) -> str:
        commands, sensors = self.D.shape
        return f"LinearLaw({sensors} readings, {commands} commands, {len(self.A)} states)"

    @classmethod
    def of(cls, model: Any) -> LinearLaw:
        """A :class:`flexmb.LinearModel` in discrete time as a law; one in continuous time must first be sampled by its
        `discrete`, one of python-control read by `LinearModel.from_control`."""
        if not all(hasattr(model, what) for what in ("A", "B", "C", "D", "period")):
            raise ModelError(f"linear law: {checks.quoted(model)} is not a linear model; give one in discrete time")
        if model.period is None:
            raise ModelError("linear law: the model is one in continuous time; give model.discrete(period)")
        return cls(model.A, model.B, model.C, model.D)

    def times(self, gain: Any) -> LinearLaw:
        """The law whose commands are `gain` times those of this one.

        >>> LinearLaw(D=[[2.0, -1.0]]).times([[3.0]]).D.tolist()
        [[6.0, -3.0]]
        """
        G = checks.matrix(gain, "gain", "linear law")
        if G.shape[1] != len(self.D):
            raise ModelError(f"linear law: the gain has {G.shape[1]} columns; the law has {len(self.D)} commands")
        return LinearLaw(self.A, self.B, G @ self.C, G @ self.D)

    def parameters(self) -> np.ndarray:
        commands, sensors = self.D.shape
        sizes = [float(len(self.A)), float(sensors), float(commands)]
        return np.concatenate([sizes, *(getattr(self, what).ravel() for what in "ABCD")])

    @property
    def memory(self) -> int:
        return 2 * len(self.A)

    @property
    def remembers(self) -> bool:
        return len(self.A) > 0

    def check(self, sensors: int, commands: int, where: str) -> None:
        self._check_sizes(self.D.shape[1], self.D.shape[0], sensors, commands, where)


@inlined
def linear_step(row, first, n, ny, no, w, x, y):
    """y = C x + D w (no,), then x = A x + B w (n,). The new values of x are made in the n places behind x; `row` holds
    A, B, C, D from `first` on."""
    A = first
    B = A + n * n
    C = B + n * ny
    D = C + no * n
    for i in range(no):
        total = 0.0
        for j in range(n):
            total += row[C + i * n + j] * x[j]
        for j in range(ny):
            total += row[D + i * ny + j] * w[j]
        y[i] = total
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += row[A + i * n + j] * x[j]
        for j in range(ny):
            total += row[B + i * ny + j] * w[j]
        x[n + i] = total
    for i in range(n):
        x[i] = x[n + i]


@kernel
def linear_law(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    linear_step(p[0], 3, int(p[0, 0]), int(p[0, 1]), int(p[0, 2]), w, work, out[0])


@dataclass(eq=False)
class PythonLaw(Law):
    """u = function(t, y), a function of Python: from the time [s] and the readings (k,) to all commands. It is called
    once at each instant, in the order of time.

    With `state_count` of 1 or more it is u = function(t, y, x): x (state_count,) is its memory, zero at the start, in
    which it writes what it wants to find there at the next instant. A run that goes on from another one (`simulate(…,
    initial=solution)`) goes on with that memory, also from a file; `state_count=0` says that the function has none.
    Without `state_count` the function may keep a memory of its own, of which flexmb knows nothing: a run that goes on
    doubts it, unless the function was last called in the run from which it goes on.

    >>> def integral(t, y, x):
    ...     x[0] += 0.01 * y[0]
    ...     return -20.0 * x
    >>> PythonLaw(integral, state_count=1)
    PythonLaw(integral, 1 state)
    """

    function: Callable[..., Any]
    state_count: int | None = None
    failure: BaseException | None = field(default=None, init=False, repr=False)
    key: int = field(default=0, init=False, repr=False)
    _sizes: tuple[int, int] = field(default=(0, 0), init=False, repr=False)
    _where: str = field(default="", init=False, repr=False)

    @property
    def repeatable(self) -> bool:
        """Whether all that the function remembers stands in its states."""
        return self.state_count is not None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"law: {checks.quoted(self.function)} is no function of (t, readings)")
        if self.state_count is not None:
            checks.check_fields(self, checks.count, "law in Python", "state_count")
        self.kernel = python_law

    def __repr__(self) -> str:
        states = f", {self.state_count} state{'s' * (self.state_count > 1)}" if self.state_count else ""
        return f"PythonLaw({getattr(self.function, '__name__', type(self.function).__name__)}{states})"

    def parameters(self) -> np.ndarray:
        if _laws.get(self.key) is not self:
            self.key = next(_keys)
            _laws[self.key] = self
        self.failure, self.token = None, object()
        address = int(ctypes.cast(_callback, ctypes.c_void_p).value or 0)
        return np.array([float(address), float(self.key), *map(float, self._sizes)])

    @property
    def memory(self) -> int:
        return sum(self._sizes) + (self.state_count or 0)

    @property
    def remembers(self) -> bool:
        return bool(self.state_count)

    def check(self, sensors: int, commands: int, where: str) -> None:
        self._sizes, self._where = (sensors, commands), where

    def evaluate(self, t: float, data: Any) -> None:
        """Write the commands behind the readings in `data`."""
        sensors, commands = self._sizes
        before = sensors + commands
        x = np.array([data[before + k] for k in range(self.state_count or 0)])
        result = self.function(t, np.array(data[:sensors]), *([x] if self.state_count else []))
        for k, value in enumerate(x.tolist()):
            data[before + k] = value
        values = np.atleast_1d(np.asarray(result, dtype=float)).ravel()
        if len(values) != commands:
            raise ModelError(f"its law gave {len(values)} commands; there are {commands}")
        for k, value in enumerate(values):
            data[sensors + k] = float(value)

    def raise_failure(self) -> None:
        """Raise again the error that the function raised while compiled code was running."""
        error, self.failure = self.failure, None
        if error is not None:
            raise_named(error, self._where, "law")


_keys = itertools.count(1)
_laws: weakref.WeakValueDictionary[int, PythonLaw] = weakref.WeakValueDictionary()


@interruption.callback
def _evaluate(key: int, want: int, t: float, size: float, data: Any) -> None:
    try:
        interruption.raise_if_asked()
        if _laws[key].failure is None:
            _laws[key].evaluate(t, data)
            return
    except BaseException as error:
        _laws[key].failure = error
    sensors, commands = _laws[key]._sizes
    for k in range(sensors, sensors + commands):
        data[k] = math.nan


_callback = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_double, ctypes.POINTER(ctypes.c_double)
)(_evaluate)


@kernel
def python_law(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    sensors, commands = int(p[0, 2]), int(p[0, 3])
    for k in range(sensors):
        work[k] = w[k]
    evaluate_at(int(p[0, 0]), int(p[0, 1]), 0, t, 0.0, work)
    for k in range(commands):
        out[0, k] = work[sensors + k]
