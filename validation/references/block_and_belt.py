"""A block on a moving belt, held by a spring: its limit cycle of sticking and slipping, from event to event.

    m ẍ + c ẋ + k x = μ(w) N sgn w,    w = V − ẋ,    μ(w) = μ_C + (μ_S − μ_C) exp(−(w/w_S)²)

The belt takes the block along, ẋ = V, until the spring pulls as hard as static friction can,  k x + c V = μ_S N.  Then
the block slips against the belt, back and forth, until its speed is that of the belt again. From there it is carried to
the same place, so that the cycle is closed after its first slip: where it slips, and how long, is all that is
integrated, by SciPy's DOP853 with the end of the slip as its event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Belt:
    """`mass` m [kg] of the block, `weight` g [m/s²] which presses it on the belt with N = m g, `stiffness` k [N/m] and
    `damping` c [Ns/m] of its spring, `speed` V [m/s] of the belt, coefficients μ_S and μ_C of `static` and sliding
    friction, `stribeck_speed` w_S [m/s]."""

    mass: float = 1.2
    weight: float = 9.81
    stiffness: float = 80.0
    damping: float = 0.5
    speed: float = 0.15
    static: float = 0.45
    sliding: float = 0.28
    stribeck_speed: float = 0.1

    @property
    def normal(self) -> float:
        """The force N between block and belt [N]."""
        return self.mass * self.weight

    @property
    def breakaway(self) -> float:
        """The place at which static friction no longer holds the block [m]."""
        return (self.static * self.normal - self.damping * self.speed) / self.stiffness

    def coefficient(self, slip: float) -> float:
        """μ at a speed of slip [m/s]."""
        return self.sliding + (self.static - self.sliding) * float(np.exp(-((slip / self.stribeck_speed) ** 2)))

    def _rates(self, t: float, y: np.ndarray) -> list[float]:
        x, v = y
        friction = self.coefficient(self.speed - v) * self.normal
        return [v, (friction - self.damping * v - self.stiffness * x) / self.mass]

    @cached_property
    def slip(self) -> tuple[float, Callable[[np.ndarray], np.ndarray]]:
        """How long a slip lasts [s], and place and speed (2, k) at times since its beginning."""

        def caught(t: float, y: np.ndarray) -> float:
            return float(self.speed - y[1]) if t > 0.0 else 1.0

        caught.terminal, caught.direction = True, -1.0  # type: ignore[attr-defined]
        # at the break-away the forces balance: the slip begins as (w̄/2) t² with w̄ = k V/m, and events need w > 0
        first = 1e-4
        jerk = self.stiffness * self.speed / self.mass
        x = self.breakaway + self.speed * first - jerk * first**3 / 6.0
        start = [x, self.speed - 0.5 * jerk * first**2]
        found = solve_ivp(
            self._rates, (first, 100.0), start, "DOP853", events=caught, rtol=1e-12, atol=1e-14, dense_output=True
        )
        return float(found.t_events[0][0]), found.sol

    @property
    def caught_at(self) -> float:
        """The place at which the belt catches the block [m]."""
        return float(self.slip[1](np.array([self.slip[0]]))[0, 0])

    @property
    def stick(self) -> float:
        """How long the belt carries the block [s]."""
        return (self.breakaway - self.caught_at) / self.speed

    @property
    def period(self) -> float:
        """Of the cycle [s]."""
        return self.slip[0] + self.stick

    @property
    def amplitude(self) -> float:
        """Half of the way from one end of the cycle to the other [m]: where the speed is zero."""
        duration, motion = self.slip
        ends = []
        for sign in (1.0, -1.0):  # the highest and the lowest place within the slip
            times = np.linspace(1e-4, duration, 2001)
            k = int(np.argmax(sign * motion(times)[0]))
            low, high = times[max(k - 1, 0)], times[min(k + 1, 2000)]
            for _ in range(60):
                middle = 0.5 * (low + high)
                forward = sign * motion(np.array([middle]))[1, 0] > 0.0
                low, high = (middle, high) if forward else (low, middle)
            ends.append(float(motion(np.array([low]))[0, 0]))
        return 0.5 * (ends[0] - ends[1])
