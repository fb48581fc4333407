"""Natural frequencies of the clamped-free Euler–Bernoulli beam, and how far one CMS element is from them.

The characteristic equation cos λ cosh λ = −1 is solved by bisection in the scaled form cos λ + 1/cosh λ = 0.
"""

from __future__ import annotations

import math

import numpy as np

#: Error [%] of the n-th frequency of a clamped-free beam of one CMS element, by its number of bending modes; computed
#: for the formulation's theory note by an independent implementation.
ONE_ELEMENT_ERRORS: dict[int, tuple[float, ...]] = {
    0: (0.4754, 57.97),
    1: (0.0347, 0.4175, 89.7),
    2: (0.0058, 0.1091, 0.3698, 107.7),
    3: (0.0016, 0.0357, 0.1571, 0.2971),
}
#: one unit of the last printed digit of each entry
LAST_DIGITS: dict[int, tuple[float, ...]] = {
    0: (1e-4, 1e-2),
    1: (1e-4, 1e-4, 1e-1),
    2: (1e-4, 1e-4, 1e-4, 1e-1),
    3: (1e-4, 1e-4, 1e-4, 1e-4),
}


def characteristic_values(count: int) -> np.ndarray:
    """The first `count` roots λ of cos λ cosh λ = −1."""
    roots = []
    for k in range(1, count + 1):
        low, high = (k - 1) * math.pi + (0.5 if k == 1 else 0.0), k * math.pi
        sign = math.cos(low) + 1.0 / math.cosh(low) > 0
        for _ in range(200):
            middle = 0.5 * (low + high)
            if (math.cos(middle) + 1.0 / math.cosh(middle) > 0) == sign:
                low = middle
            else:
                high = middle
        roots.append(0.5 * (low + high))
    return np.array(roots)


def frequencies(count: int, length: float, EI: float, rhoA: float) -> np.ndarray:
    """Natural frequencies (count,) [rad/s]: ω = (λ/L)² √(EI/ρA)."""
    return (characteristic_values(count) / length) ** 2 * math.sqrt(EI / rhoA)
