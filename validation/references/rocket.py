"""Rockets in closed form: speed and height by Tsiolkovsky's equation, and the spin of bodies that burn.

With the thrust F = μ c, the mass m = m₀ − μ t at the time t, and weight against the thrust,

    v = c ln(m₀/m) − g t,      z = c (t + m/μ ln(m/m₀)) − ½ g t²

**Spin.** A jet on the distance ℓ from a point that is at rest, on which the body turns about an axis across the jet,
takes the angular momentum μ ℓ² ω with it: (J ω)˙ = −μ ℓ² ω with the moment of inertia J(m) about the point, so

    ln(J ω/J₀ ω₀) = −∫ ℓ²/J dm   from m to m₀

For J = A + k² m this is ω/ω₀ = (J/J₀)^(ℓ²/k² − 1); for ℓ = 0, a jet on the axis of spin, J ω stays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad


def climb(first: float, last: float, exhaust: float, rate: float, gravity: float) -> tuple[float, float]:
    """Speed [m/s] and height [m] when the mass has gone from `first` to `last` [kg], by `rate` [kg/s].

    >>> [round(x, 6) for x in climb(np.e, 1.0, 1.0, 1.0, 0.0)]
    [1.0, 0.718282]
    """
    t = (first - last) / rate
    speed = exhaust * np.log(first / last) - gravity * t
    return float(speed), float(exhaust * (t + last / rate * np.log(last / first)) - 0.5 * gravity * t * t)


def spin(inertia: Callable[[float], float], first: float, last: float, away: float) -> float:
    """ω/ω₀ of a body with this moment of inertia J(m), and a jet on the distance `away` ℓ.

    >>> round(spin(lambda m: 1.0 + 0.5 * m, 2.0, 0.0, 1.0), 12)  # (1/2)^(1/0.5 − 1)
    0.5
    """
    lost = quad(lambda m: away**2 / inertia(m), last, first, epsabs=0.0, epsrel=1e-12)[0]
    return float(inertia(first) / inertia(last) * np.exp(-lost))
