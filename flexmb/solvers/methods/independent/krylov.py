"""Newton's equations of many independent coordinates: GMRES with a preconditioner  P ≈ 1 − γ J  from exact tangents.

With M, D, K and the matrix R of δq = R δq_i,

    [M + γD + γ²K  Gᵀ] [z]   [M R r_v − γ K R r_q]
    [G             0 ] [·] = [0                  ],      z_v = z_i,   z_q = r_q + γ z_v

With velocity rows, more coordinates are independent than speeds; then each has its own R, and z_q consists of the
entries of z for independent coordinates. The change of R with the position is neglected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.kernels import charts
from flexmb.solvers.coordinates.independent.carried_numbers import rates_of
from flexmb.solvers.methods.independent.problem import Problem


class Preconditioner:
    """Preconditioner of GMRES for a problem in its present partition."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.system = problem, problem.run.system
        self._known = False

    def options(self) -> dict[str, Any]:
        """Options of CVODE that select GMRES and this preconditioner."""
        from sksundae.cvode import CVODEPrecond

        return {"linsolver": "gmres", "krylov_dim": 20, "precond": CVODEPrecond(self._prepare, self._solve)}

    def _prepare(self, t: float, y: np.ndarray, yp: np.ndarray, jok: int, jnew: list[int], gamma: float) -> None:
        system, f = self.system, self.problem.f
        jnew[0] = int(not jok or not self._known)
        if jnew[0]:
            self.problem.reach(t, y)
            q, v, a = f.q[: system.nq].copy(), f.v[: system.n].copy(), f.a[: system.n].copy()
            self._M, self._D, self._K = (
                sp.csc_array(system.tangent(t, q, v, a, f.lam, w)) for w in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
            )
            self._G = sp.csc_array(system.jacobian(t, q))
            self._R = self.problem.partition.spread(t, q)
            self._known = True
        top = (self._M + gamma * self._D + gamma**2 * self._K) / system.mass_scale
        self._factors = Factors(bordered(top, self._G) if system.m else top)

    def _solve(
        self, t: float, y: np.ndarray, yp: np.ndarray, r: np.ndarray, z: np.ndarray, gamma: float, delta: float, lr: int
    ) -> None:
        e, system = self.problem.equations, self.system
        k = len(r) - len(e.fast)
        of_positions, of_speeds = self._R
        rhs = np.zeros(self._factors.size)
        moves = self._speeds(r[:k])
        rhs[: system.n] = self._M @ (of_speeds @ r[k:]) - gamma * (self._K @ (of_positions @ moves))
        found = self._factors.solve(rhs / system.mass_scale)[: system.n]
        z[k:] = found[e.fast]
        rates = np.empty(k)
        rates_of(e.carried, system.orientations, e.now.q, found, rates)
        z[:k] = r[:k] + gamma * rates

    def _speeds(self, rates: np.ndarray) -> np.ndarray:
        """Independent speeds for given rates of the integrated numbers, near the reference of a chart."""
        system, carried = self.system, self.problem.equations.carried
        if not len(system.orientations):
            return rates
        all_rates, v = np.zeros(system.nq), np.zeros(system.n)
        all_rates[carried.plain], all_rates[carried.charted] = np.split(rates, [len(carried.plain)])
        charts.speeds_of(carried.whole, system.n, self.problem.f.q, all_rates, v)
        return v[self.problem.partition.independent]
