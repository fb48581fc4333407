"""Singular Jacobians of driven mechanisms: det G, null vectors, and a number that vanishes smoothly with det G."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered, dense
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class SingularPoint:
    """A singular position on a path: its `kind`, 'lock-up' or 'change point'; `t` and `q` (n,); the `motion` (n,)
    that is free there; and the `shares` (m,) of the rows of a `system` in the forces that are not bounded there."""

    system: System
    kind: str
    t: float
    q: np.ndarray
    motion: np.ndarray
    shares: np.ndarray

    @classmethod
    def at(cls, system: System, kind: str, t: float, q: np.ndarray) -> SingularPoint:
        """The singular position at q, with what is free there and what is not bounded."""
        motion, shares, _ = null_pair(scaled_jacobian(system, t, q))
        return cls(system, kind, t, q, motion * system.scale, shares / system.row_scale)


class Jacobian:
    """The scaled Jacobian G at a position, factorized."""

    def __init__(self, system: System, t: float, q: np.ndarray) -> None:
        self.system = system
        self.matrix = scaled_jacobian(system, t, q)
        try:
            self._factors = Factors(self.matrix)
        except np.linalg.LinAlgError:
            self.sign = 0.0
        else:
            self.sign = self._factors.sign

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """x with G x = rows, in the units of the coordinates."""
        return self._factors.solve(rows / self.system.row_scale) * self.system.scale

    def solve_transposed(self, forces: np.ndarray) -> np.ndarray:
        """λ with Gᵀ λ = forces."""
        return self._factors.solve_transposed(forces * self.system.scale) / self.system.row_scale


def scaled_jacobian(system: System, t: float, q: np.ndarray) -> Any:
    """G with its rows and columns in units of the model's length, and radians."""
    G = system.jacobian(t, q)
    if isinstance(G, np.ndarray):
        return G / system.row_scale[:, None] * system.scale
    return sp.csc_array(sp.diags_array(1.0 / system.row_scale) @ G @ sp.diags_array(system.scale))


def null_pair(G: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """The singular vectors w, u (n,) of the smallest singular value of a square matrix, and that value."""
    if isinstance(G, np.ndarray) or G.shape[0] <= 300:
        U, s, Vt = scipy.linalg.svd(dense(G), check_finite=False)
        return Vt[-1], U[:, -1], float(s[-1])
    size = float(np.max(np.abs(G.data)))
    shifted = sp.csc_array(G + 1e-14 * size * sp.eye_array(G.shape[0]))  # G may be singular to the last digit
    factors = Factors(shifted)
    w = np.random.default_rng(0).normal(size=G.shape[0])
    value = 0.0
    for _ in range(30):
        u = factors.solve_transposed(w)
        u /= np.linalg.norm(u)
        w = factors.solve(u)
        before, value = value, 1.0 / float(np.linalg.norm(w))
        w *= value
        if abs(value - before) <= 1e-10 * value:
            break
    return w, u, value


def bordered_value(G: Any, u: np.ndarray, w: np.ndarray) -> float:
    """β of [G u; wᵀ 0] [x; β] = [0; 1]: it vanishes where G is singular, and is smooth there."""
    b = np.append(np.zeros(len(u)), 1.0)
    return float(Factors(bordered(G, w[None, :], u[:, None])).solve(b)[-1])
