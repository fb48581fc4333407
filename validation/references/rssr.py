"""A crank and a rocker on hinges askew, coupled by a rod on two balls (RSSR): one loop equation.

The crank of length c turns about z at the origin, its ball is at c (−sin α, cos α, 0). The rocker of length r turns
about x at the foot F, its ball is at F + r (0, −sin β, cos β). The rod keeps their distance ℓ:

    f(α, β) = |F + r (0, −sin β, cos β) − c (−sin α, cos α, 0)|² − ℓ² = 0

so that dβ/dα = −f_α/f_β. Driven at the rocker, it locks where f_α = 0. At rest the moment on the crank that balances
the weight of rocker (mass m_r, center halfway) and rod (m, halfway) is M = dV/dα = g (m_r + m) ½ r d(cos β)/dα.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

CRANK, ROCKER = 0.1, 0.4
FOOT = np.array([0.5, 0.3, 0.0])
#: the rod's length fits α = β = 0
ROD = float(np.linalg.norm(FOOT + (0.0, -CRANK, ROCKER)))
ROD_MASS, ROCKER_MASS, GRAVITY = 0.5, 1.0, 9.81


def slopes(alpha: float, beta: float) -> tuple[float, float]:
    """f_α/2 and f_β/2."""
    way = FOOT + ROCKER * np.array([0.0, -np.sin(beta), np.cos(beta)]) - crank_ball(alpha)
    by_alpha = CRANK * np.array([np.cos(alpha), np.sin(alpha), 0.0])
    by_beta = ROCKER * np.array([0.0, -np.cos(beta), -np.sin(beta)])
    return float(way @ by_alpha), float(way @ by_beta)


def crank_ball(alpha: float) -> np.ndarray:
    """The ball of the crank (3,) [m]."""
    return CRANK * np.array([-np.sin(alpha), np.cos(alpha), 0.0])


def rocker_angle(alpha: float) -> float:
    """β on the branch that begins at 0: with (u, v, w) = F − ball, 2 r (w cos β − v sin β) = ℓ² − r² − |u, v, w|²."""
    u, v, w = FOOT - crank_ball(alpha)
    wanted = (ROD**2 - ROCKER**2 - u * u - v * v - w * w) / (2.0 * ROCKER)
    size, phase = float(np.hypot(v, w)), float(np.arctan2(v, w))  # w cos β − v sin β = size cos(β + phase)
    return float(np.arccos(wanted / size)) - phase


def rate(alpha: float) -> float:
    """dβ/dα."""
    by_alpha, by_beta = slopes(alpha, rocker_angle(alpha))
    return -by_alpha / by_beta


def dead_points() -> tuple[float, float]:
    """The least and the largest β, where a driven rocker locks."""
    ends = [brentq(lambda a: slopes(a, rocker_angle(a))[0], *x, xtol=1e-15) for x in ((-1.5, 0.0), (0.5, 2.5))]
    least, largest = sorted(rocker_angle(a) for a in ends)
    return least, largest


def moment(alpha: float) -> float:
    """The moment on the crank [Nm] that holds the weight."""
    weight = GRAVITY * (ROCKER_MASS + ROD_MASS) * 0.5 * ROCKER
    return -weight * float(np.sin(rocker_angle(alpha))) * rate(alpha)
