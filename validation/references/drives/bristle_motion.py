"""Friction of bristles by SciPy's Radau on the equations of Canudas-de-Wit et al. (1995), and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Law:
    """The numbers of table 1 of the paper."""

    s0: float = 1e5
    s1: float = float(np.sqrt(1e5))
    s2: float = 0.4
    fc: float = 1.0
    fs: float = 1.5
    vs: float = 1e-3

    def level(self, v: float) -> float:
        return self.fc + (self.fs - self.fc) * float(np.exp(-((v / self.vs) ** 2)))

    def rates(self, v: float, z: float) -> tuple[float, float]:
        """ż and F."""
        zd = v - self.s0 * abs(v) / self.level(v) * z
        return zd, self.s0 * z + self.s1 * zd + self.s2 * v


def block(
    law: Law, force: Callable[[float], float], times: np.ndarray, spring: tuple[float, float] = (0.0, 0.0)
) -> np.ndarray:
    """x, v and z (3, k) of a mass of 1 kg at rest at the start, under a force, and pulled by a spring of a stiffness
    whose other end moves at a speed, `spring`."""
    k, u = spring

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, z = y
        zd, friction = law.rates(v, z)
        return [v, force(t) + k * (u * t - x) - friction, zd]

    found = solve_ivp(
        rates, (times[0], times[-1]), [0.0, 0.0, 0.0], method="Radau", rtol=1e-11, atol=[1e-14, 1e-13, 1e-17],
        t_eval=times,
    )  # fmt: skip
    return np.asarray(found.y)


def presliding(law: Law, z: float) -> float:
    """The displacement of a very slow pull at which the bristles are bent by z: dx = dz/(1 − σ₀ z/F_S)."""
    return -law.fs / law.s0 * float(np.log(1.0 - law.s0 * z / law.fs))
