"""A straight uniform rod in space that is clamped at its start and bends and twists by any amount, Kirchhoff's and
Clebsch's equations (Love (1927), chapter 18), under forces and torques on its end that keep their directions.

With the orientation R of the section, its x-axis along the rod, the force F, the same everywhere, and the moment M, all
in axes of space:

    r' = R (e_x + diag(1/EA, 1/GAy, 1/GAz) Rᵀ F)      R' = R κ̃      κ = diag(1/GJ, 1/EIy, 1/EIz) Rᵀ M      M' = −r' × F

From the start on these are integrated with a guess of M(0), which is mended until M(L) is the torque that is given
there (shooting). The load comes on in parts. Where the derivative of M(L) by M(0) is singular, the rod buckles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

#: steps of the differences by M(0), of fourth order
_STEP = 1e-3


@dataclass(frozen=True)
class RodInSpace:
    """`length` [m], stiffness GJ, EIy (of bending in x–z), EIz (in x–y) [Nm²], EA, GAy and GAz [N]; the last three are
    infinite if not given."""

    length: float
    GJ: float
    EIy: float
    EIz: float
    EA: float = np.inf
    GAy: float = np.inf
    GAz: float = np.inf

    def along(self, start: np.ndarray, force: np.ndarray) -> np.ndarray:
        """r (3), R (9, by rows) and M (3) at the end, for M(0) (3,)."""
        compliance = 1.0 / np.array([self.GJ, self.EIy, self.EIz])
        stretch = 1.0 / np.array([self.EA, self.GAy, self.GAz])
        ahead = np.array([1.0, 0.0, 0.0])

        def rate(_: float, y: np.ndarray) -> np.ndarray:
            R, M = y[3:12].reshape(3, 3), y[12:]
            k = compliance * (R.T @ M)
            turning = R @ np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
            forward = R @ (ahead + stretch * (R.T @ force))
            return np.concatenate([forward, turning.ravel(), -np.cross(forward, force)])

        y0 = np.concatenate([np.zeros(3), np.eye(3).ravel(), start])
        run = solve_ivp(rate, (0.0, self.length), y0, method="DOP853", rtol=1e-12, atol=1e-13)
        return np.asarray(run.y[:, -1])

    def slope(self, start: np.ndarray, force: np.ndarray) -> np.ndarray:
        """The derivative (3, 3) of M(L) by M(0)."""
        columns = []
        for unit in np.eye(3) * _STEP * max(1e-3 * min(self.GJ, self.EIy, self.EIz), float(np.linalg.norm(start))):
            ends = [self.along(start + part * unit, force)[12:] for part in (1.0, -1.0, 2.0, -2.0)]
            columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * np.linalg.norm(unit)))
        return np.array(columns).T

    def clamp_moment(
        self, force: np.ndarray, torque: np.ndarray | None = None, guess: np.ndarray | None = None, parts: int = 4
    ) -> np.ndarray:
        """M(0) (3,) [Nm] under a force (3,) [N] and a torque (3,) [Nm] on the end; from a `guess` at once, or from the
        unloaded rod in so many `parts`."""
        force, torque = np.asarray(force, dtype=float), np.zeros(3) if torque is None else np.asarray(torque)
        start = np.zeros(3) if guess is None else np.array(guess)
        for part in np.linspace(0.0, 1.0, parts + 1)[1:] if guess is None else (1.0,):
            for _ in range(30):
                off = self.along(start, part * force)[12:] - part * torque
                if np.max(np.abs(off)) < 1e-11 * max(1e-3, float(np.max(np.abs(start)))):
                    break
                start = start - np.linalg.solve(self.slope(start, part * force), off)
            else:
                raise RuntimeError("the rod was not found")
        return start

    def end(
        self, force: np.ndarray, torque: np.ndarray | None = None, guess: np.ndarray | None = None, parts: int = 4
    ) -> tuple[np.ndarray, np.ndarray]:
        """The place (3,) [m] and the orientation (3, 3) of the end."""
        y = self.along(self.clamp_moment(force, torque, guess, parts), np.asarray(force, dtype=float))
        return y[:3], y[3:12].reshape(3, 3)

    def buckling_force(self, direction: np.ndarray, low: float, high: float) -> float:
        """The force in a `direction` (3,) in the x–y plane, between `low` and `high` [N], at which the rod, bent by it
        in this plane, leaves the plane."""
        bent: np.ndarray | None = None

        def sideways(force: float) -> float:
            nonlocal bent
            F = force * np.asarray(direction, dtype=float)
            bent = self.clamp_moment(F, guess=bent)
            return float(np.linalg.det(self.slope(bent, F)[:2, :2]))  # torsion and bending across the plane

        return float(brentq(sideways, low, high, xtol=1e-12, rtol=1e-11))


def path(rod: RodInSpace, load: Callable[[float], np.ndarray], factors: np.ndarray) -> list[np.ndarray]:
    """The places (3,) [m] of the end under the forces `load(factor)`, one after the other."""
    places, moment = [], np.zeros(3)
    for factor in factors:
        moment = rod.clamp_moment(load(float(factor)), guess=moment)
        places.append(rod.along(moment, load(float(factor)))[:3])
    return places
