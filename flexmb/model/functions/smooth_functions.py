"""Smooth functions of time: polynomials, smooth steps, harmonics, and the two ways in which machines are sped up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels import slots
from flexmb.model import checks
from flexmb.model.functions.time_function import TimeFunction, row_of_numbers, term


@dataclass(frozen=True)
class Polynomial(TimeFunction):
    """c₀ + c₁ τ + c₂ τ² + …  with τ = t − t_start, before `t_start` too.

    Arguments: `coefficients`, lowest first; `t_start` [s].

    >>> Polynomial([0.0, 2.0, 0.5], t_start=1.0)(3.0)
    6.0
    """

    coefficients: Any
    t_start: float = 0.0

    def __post_init__(self) -> None:
        number = row_of_numbers(self.coefficients, "coefficients", "Polynomial")
        if not number.size:
            raise ModelError("Polynomial: coefficients are empty; give at least one")
        object.__setattr__(self, "coefficients", tuple(number.tolist()))
        checks.check_fields(self, checks.number, type(self).__name__, "t_start")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.POLYNOMIAL, self.t_start, self.coefficients)


@dataclass(frozen=True)
class SmoothStep(TimeFunction):
    """A smooth step from one value to another along the quintic 10 s³ − 15 s⁴ + 6 s⁵, s = (t − t_start)/duration;
    constant before and after. Its rate and second rate are continuous.

    Arguments: `t_start` [s], `duration` [s], `from_value`, `to_value`.

    >>> step = SmoothStep(t_start=1.0, duration=2.0, from_value=0.0, to_value=4.0)
    >>> step(0.5), step(2.0), step(9.0)
    (0.0, 2.0, 4.0)
    """

    t_start: float
    duration: float
    from_value: float = 0.0
    to_value: float = 1.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.positive, type(self).__name__, "duration")
        checks.check_fields(self, checks.number, type(self).__name__, "t_start", "from_value", "to_value")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.SMOOTH_STEP, self.t_start, self.duration, self.from_value, self.to_value)


@dataclass(frozen=True)
class TrapezoidalSpeed(TimeFunction):
    """The distance traveled with a speed that rises evenly, stays, and falls evenly to rest. The top speed is

        distance / (accelerate/2 + cruise + decelerate/2)

    Arguments: `distance` [m or rad]; the durations `accelerate`, `cruise`, `decelerate` [s]; `t_start` [s].

    >>> travel = TrapezoidalSpeed(distance=3.0, accelerate=1.0, cruise=2.0, decelerate=1.0)
    >>> travel(1.0), travel.rate(2.0), travel(5.0)
    (0.5, 1.0, 3.0)
    """

    distance: float
    accelerate: float
    cruise: float
    decelerate: float
    t_start: float = 0.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.number, type(self).__name__, "distance", "t_start")
        checks.check_fields(self, checks.positive, type(self).__name__, "accelerate", "decelerate")
        checks.check_fields(self, checks.not_negative, type(self).__name__, "cruise")

    @property
    def top_speed(self) -> float:
        """The speed while cruising."""
        return self.distance / (0.5 * self.accelerate + self.cruise + 0.5 * self.decelerate)

    def _terms(self) -> list[np.ndarray]:
        durations = (self.accelerate, self.cruise, self.decelerate)
        return term(slots.TRAPEZOID, self.t_start, *durations, self.top_speed, self.distance)


@dataclass(frozen=True)
class Harmonic(TimeFunction):
    """mean + amplitude sin(frequency t + phase).

    Arguments: `amplitude`; `frequency` [rad/s]; `phase` [rad]; `mean`.

    >>> round(Harmonic(2.0, 3.0).rate(0.0), 12)
    6.0
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.number, type(self).__name__, "amplitude", "frequency", "phase", "mean")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.HARMONIC, self.amplitude, self.frequency, self.phase, self.mean)


@dataclass(frozen=True)
class SpinUp(TimeFunction):
    """The angle of a shaft that smoothly reaches the speed ω within the time T, τ = t − t_start:

        rate = (ω/T) (τ − T/(2π) sin(2π τ/T))  for 0 ≤ τ ≤ T,  ω after    Kobayashi (n.d.), eq. (57)

    Arguments: `speed` ω [rad/s]; `duration` T [s]; `t_start` [s].

    >>> SpinUp(speed=6.0, duration=15.0)(15.0)
    45.0
    """

    speed: float
    duration: float
    t_start: float = 0.0

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.number, type(self).__name__, "speed", "t_start")
        checks.check_fields(self, checks.positive, type(self).__name__, "duration")

    def _terms(self) -> list[np.ndarray]:
        return term(slots.SPIN_UP, self.t_start, self.duration, self.speed)
