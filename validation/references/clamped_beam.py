"""Natural frequencies of uniform Euler–Bernoulli beams.

w'''' = (λ/L)⁴ w has the solutions cosh, sinh, cos, sin of λx/L; the four end conditions leave a
determinant in λ. It is divided by cosh λ, which overflows, and then of the order of one for every λ:

    clamped-free                     cos λ cosh λ = −1    cos λ + 1/cosh λ = 0       one root in ((k−1)π, kπ)
    clamped-clamped, free-free       cos λ cosh λ = +1    cos λ − 1/cosh λ = 0       one root in (kπ, (k+1)π)
    hinged-free, clamped-hinged      tan λ = tanh λ       sin λ − cos λ tanh λ = 0   one root in (kπ, (k+½)π)

k = 1, 2, ...; the rigid motions of the free beams, λ = 0, are not counted. Frequencies ω = (λ/L)² √(EI/ρA).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq


def _clamped_free(x: float) -> float:
    return math.cos(x) + 1.0 / math.cosh(x)


def _clamped_clamped(x: float) -> float:
    return math.cos(x) - 1.0 / math.cosh(x)


def _hinged_free(x: float) -> float:
    return math.sin(x) - math.cos(x) * math.tanh(x)


#: for each kind of ends: the scaled characteristic function, and the interval of its k-th root in units of π beyond k
ENDS: dict[str, tuple[Callable[[float], float], float, float]] = {
    "clamped-free": (_clamped_free, -1.0, 0.0),
    "clamped-clamped": (_clamped_clamped, 0.0, 1.0),
    "free-free": (_clamped_clamped, 0.0, 1.0),
    "hinged-free": (_hinged_free, 0.0, 0.5),
    "clamped-hinged": (_hinged_free, 0.0, 0.5),
}


def characteristic_values(count: int, ends: str = "clamped-free") -> np.ndarray:
    """The first `count` values λ > 0 (count,) for one of the `ENDS`, to round-off.

    cosh overflows beyond λ = 710, at the 226th root, far beyond the range of beam theory.
    """
    function, low, high = ENDS[ends]
    bounds = [((k + low) * math.pi, (k + high) * math.pi) for k in range(1, count + 1)]
    return np.array([brentq(function, a, b, xtol=1e-15, rtol=8.9e-16) for a, b in bounds])


def frequencies(count: int, length: float, EI: float, rhoA: float, ends: str = "clamped-free") -> np.ndarray:
    """Natural frequencies (count,) [rad/s] for one of the `ENDS`, rigid motions not counted."""
    return (characteristic_values(count, ends) / length) ** 2 * math.sqrt(EI / rhoA)
