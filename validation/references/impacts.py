"""Impacts by the law N = k δⁿ (1 + d δ̇), and balls in a row, without flexmb.

**One impact without weight**, of a mass m with the speed v₀: v dv/dδ = −N/m has the integral

    k δⁿ⁺¹/(m (n + 1)) = ∫ u/(1 + d u) du from v to v₀  =  (v₀ − v)/d − ln((1 + d v₀)/(1 + d v))/d²

(½ (v₀² − v²) for d = 0), which gives δ(v), the speed at which it is zero again, and the time ∫ m dv/N by quadrature.
The d of a restitution e is that with which it is zero at v = −e v₀.

**Two equal elastic balls** of the radius r press each other with k δ^1.5, k = √(2 r) E/(3 (1 − ν²)), Hertz (1882).

**An elastic ball under its weight** that falls from the height h: v² = 2 g (h + δ) − 2 k δⁿ⁺¹/(m (n + 1)). A flight
takes 2 √(2 h/g), a touch 2 ∫ dδ/v up to the depth where v is zero; so the motion repeats.

**A ball under its weight with losses** is integrated from touch to touch. **Balls in a row** are the chain
m ẍᵢ = Nᵢ₋₁ − Nᵢ, Nᵢ = k max(0, xᵢ − xᵢ₊₁ + 2 r)^1.5, integrated in one dimension, after Hertz (1882).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

#: the part of an impact at each end in which its speed is steady
END = 1e-3


@dataclass(frozen=True)
class Impact:
    """A mass m against the law with k, n and d, at the speed v₀; without weight."""

    mass: float
    stiffness: float
    exponent: float
    damping: float
    speed: float

    def integral(self, v: float) -> float:
        """∫ u/(1 + d u) du from v to v₀."""
        d = self.damping
        if d == 0.0:
            return 0.5 * (self.speed**2 - v**2)
        return (self.speed - v) / d - (math.log1p(d * self.speed) - math.log1p(d * v)) / d**2

    def depth(self, v: float) -> float:
        """δ at the speed v of approach, negative behind the turn."""
        power = self.exponent + 1.0
        return float((power * self.mass / self.stiffness * max(self.integral(v), 0.0)) ** (1.0 / power))

    def speed_after(self) -> float:
        """The speed with which it leaves, positive."""
        if self.damping == 0.0:
            return self.speed
        lowest = -min(self.speed, (1.0 - 1e-15) / self.damping)
        return -float(brentq(self.integral, lowest, 0.0, xtol=1e-15))

    def duration(self) -> float:
        """How long it touches [s]. With v = v₀ − (v₀ + v₁) (3 x² − 2 x³), x from END to 1 − END, and steady speeds
        outside of that."""
        after = self.speed_after()
        span = self.speed + after

        def speed(x: float) -> float:
            return self.speed - span * x * x * (3.0 - 2.0 * x)

        def rate(x: float) -> float:
            v = speed(x)
            force = self.stiffness * self.depth(v) ** self.exponent * (1.0 + self.damping * v)
            return self.mass * span * 6.0 * x * (1.0 - x) / force

        ends = self.depth(speed(END)) / self.speed + self.depth(speed(1.0 - END)) / after
        return ends + float(quad(rate, END, 1.0 - END, epsabs=1e-14, epsrel=1e-10, limit=400)[0])


def damping_of(restitution: float, speed: float) -> float:
    """The d of the law with which an impact at a speed leaves the part 0 < e < 1 of it."""

    def left(d: float) -> float:
        return Impact(1.0, 1.0, 1.0, d, speed).integral(-restitution * speed)

    # at d = 0 the integral is ½ (1 − e²) v₀², and at 1/(e v₀) minus infinity
    return float(brentq(left, 0.0, (1.0 - 1e-9) / (restitution * speed), xtol=1e-300, rtol=1e-14))


def equal_balls(youngs_modulus: float, poissons_ratio: float, radius: float) -> float:
    """The stiffness [N/m^1.5] of the contact of two equal elastic balls."""
    return math.sqrt(2.0 * radius) * youngs_modulus / (3.0 * (1.0 - poissons_ratio**2))


def elastic_period(mass: float, stiffness: float, exponent: float, height: float, g: float) -> float:
    """The time from one highest place to the next of an elastic ball under its weight."""
    power = exponent + 1.0

    def square(depth: float) -> float:
        return 2.0 * g * (height + depth) - 2.0 * stiffness * depth**power / (mass * power)

    upper = 2.0 * (g * height * power * mass / stiffness) ** (1.0 / power)
    while square(upper) > 0.0:
        upper *= 2.0
    deepest = float(brentq(square, 0.0, upper, xtol=1e-18, rtol=1e-15))

    def rate(x: float) -> float:
        depth = deepest * math.sin(x) ** 2  # where v is zero, its root comes out
        return deepest * math.sin(2.0 * x) / math.sqrt(max(square(depth), 1e-300))

    touch = quad(rate, 0.0, 0.5 * math.pi - 1e-6, epsabs=1e-15, epsrel=1e-11, limit=400)[0]
    touch += 1e-6 * rate(0.5 * math.pi - 1e-6)
    return 2.0 * math.sqrt(2.0 * height / g) + 2.0 * float(touch)


def bounce(mass: float, k: float, n: float, d: float, height: float, g: float, t_end: float) -> tuple[float, float]:
    """Height and speed at the end of a ball that falls and bounces with losses."""
    t, y, above = 0.0, np.array([height, 0.0]), True

    def law(t: float, y: np.ndarray) -> list[float]:
        depth = 0.0 if above else max(-y[0], 0.0)
        return [y[1], -g + k / mass * depth**n * max(0.0, 1.0 - d * y[1])]

    def touch(t: float, y: np.ndarray) -> float:
        return float(y[0])

    touch.terminal = True  # type: ignore[attr-defined]
    while t < t_end:
        touch.direction = -1.0 if above else 1.0  # type: ignore[attr-defined]
        run = solve_ivp(law, (t, t_end), y, method="DOP853", rtol=1e-13, atol=1e-16, events=touch)
        t, y = float(run.t[-1]), run.y[:, -1]
        if run.status == 1:
            y, above = np.array([0.0, y[1]]), not above
    return float(y[0]), float(y[1])


def row_of_balls(mass: float, k: float, gaps: np.ndarray, speed: float, t_end: float) -> np.ndarray:
    """Speeds (n,) of equal balls in a row behind an impact of the first one, with gaps (n − 1,) between them."""
    count = len(gaps) + 1

    def law(t: float, y: np.ndarray) -> np.ndarray:
        overlap = np.maximum(y[: count - 1] - y[1:count] - gaps, 0.0)
        push = k * overlap**1.5
        force = np.zeros(count)
        force[:-1] -= push
        force[1:] += push
        return np.concatenate([y[count:], force / mass])

    start = np.zeros(2 * count)
    start[count] = speed
    run = solve_ivp(law, (0.0, t_end), start, method="DOP853", rtol=1e-12, atol=1e-18, max_step=t_end / 2000.0)
    return np.asarray(run.y[count:, -1])
