"""Independent coordinates and CVODE's variable-order, variable-step BDF: the Gear method of source 004, (70)-(72).

The order is capped at 2 on elastic models without damping unless told otherwise: of the BDF formulas only those are
stable on the whole imaginary axis, where undamped axial vibration lies. The partition is changed when its pivots wear
out.

Up to DENSE_LIMIT unknowns the Newton matrix is dense, by CVODE's difference quotients. Beyond it, GMRES with the
preconditioner  P ≈ I − γJ  from the exact tangents: with M, D, K and the spread R of independent coordinates,

    [M + γD + γ²K  Gᵀ] [z]   [M R r_v − γ K R r_q]
    [G             0 ] [·] = [0                  ],      z_v = z_i,   z_q = r_q + γ z_v
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.errors import SolverError
from flexmb.solvers.partitioning import Partition
from flexmb.solvers.right_hand_side import RightHandSide, SingularPosition
from flexmb.solvers.run import Run

#: above this many independent coordinates the Newton equations are solved by preconditioned GMRES
DENSE_LIMIT = 150


def run_independent(
    run: Run,
    *,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    coordinates: Sequence[str] | None = None,
    max_order: int | None = None,
    max_step: float | None = None,
) -> None:
    """`coordinates`: names of the independent ones (automatic when not given); `atol` in model lengths."""
    if max_order is not None and not 1 <= max_order <= 5:
        raise SolverError(f"independent: max_order is {max_order}; BDF has orders 1 to 5")
    system, n = run.system, run.system.n
    f = RightHandSide(run)
    order = max_order or (2 if _rings(run) else 5)
    partition = Partition(system, run.t, run.q, coordinates)
    problem = _Problem(run, f, partition)

    def start(t: float) -> Any:
        from sksundae.cvode import CVODE

        free = partition.independent
        scale = system.scale[free]
        options: dict[str, Any] = {"rtol": rtol, "atol": atol * np.concatenate([scale, scale]), "max_order": order}
        if max_step:
            options["max_step"] = max_step
        if len(free) > DENSE_LIMIT:
            options |= problem.krylov()
        solver = CVODE(problem.derivative, max_num_steps=100_000, **options)
        solver.init_step(t, np.concatenate([run.q[free], run.v[free]]))
        return solver

    def work() -> None:
        nonlocal partition
        if system.n == system.m:
            _follow(run, f, partition, max_step)
            return
        solver = start(run.t)
        while run.t < run.t_end:
            try:
                result = solver.step(run.t_end, method="onestep", tstop=run.t_end)
            except SingularPosition as error:
                run.diverged(str(error))
                return
            if problem.failure is not None or not result.success or not np.all(np.isfinite(result.y)):
                run.diverged(str(problem.failure or f"CVODE: {result.message}"))
                return
            t = float(np.atleast_1d(result.t)[-1])
            y = np.atleast_2d(result.y)[-1]
            try:
                problem.state(t, y)
                f.accelerate(t)
            except SingularPosition as error:
                run.diverged(str(error))
                return
            run.q[:], run.v[:], run.a[:], run.lam[:] = f.q, f.v, f.a, f.lam
            run.t = t
            run.history.append(t, f.q, f.v, f.a, f.lam)
            drift, rate = f.drift(t, np.concatenate([f.q[:n], f.v[:n]]))
            run.statistics.position_drift = max(run.statistics.position_drift, drift)
            run.statistics.velocity_drift = max(run.statistics.velocity_drift, rate)
            run.statistics.steps += 1
            if coordinates is None and partition.worn and t < run.t_end:
                problem.iterations += partition.iterations
                partition = problem.partition = Partition(system, t, run.q)
                run.statistics.repartitions += 1
                solver = start(t)
            run.show()

    run.guarded(work)
    run.statistics.evaluations = f.evaluations
    run.statistics.iterations = problem.iterations + partition.iterations


class _Problem:
    """What CVODE calls. An exception cannot pass through it, so the first one is kept and the derivative made NaN."""

    def __init__(self, run: Run, f: RightHandSide, partition: Partition) -> None:
        self.run, self.f, self.partition = run, f, partition
        self.failure: Exception | BaseException | None = None
        self.iterations = 0

    def state(self, t: float, y: np.ndarray) -> None:
        """Fill f.q, f.v with the state whose independent coordinates and speeds are y."""
        free = self.partition.independent
        f, n = self.f, self.run.system.n
        if len(self.partition.dependent):
            f.q[:n] = self.run.q[:n]
            f.v[:n] = self.run.v[:n]
        f.q[free] = y[: len(free)]
        f.v[free] = y[len(free) :]
        if len(self.partition.dependent):
            self.partition.close(t, f.q, f.v)

    def derivative(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        """ẏ = (v_i, a_i)."""
        free = self.partition.independent
        try:
            self.state(t, y)
            self.f.accelerate(t)
        except (SingularPosition, KeyboardInterrupt) as error:
            self.failure = self.failure or error
            yp[:] = np.nan
            return
        yp[: len(free)] = self.f.v[free]
        yp[len(free) :] = self.f.a[free]

    def krylov(self) -> dict[str, Any]:
        """GMRES with the preconditioner of the module's text."""
        from sksundae.cvode import CVODEPrecond

        return {
            "linsolver": "gmres",
            "krylov_dim": 20,
            "precond": CVODEPrecond(self._prepare, self._precondition),
        }

    def _prepare(self, t: float, y: np.ndarray, yp: np.ndarray, jok: int, jnew: list[int], gamma: float) -> None:
        system = self.run.system
        if not jok or not hasattr(self, "_M"):
            self.state(t, y)
            self.f.accelerate(t)
            q, v, a = (x[: system.n].copy() for x in (self.f.q, self.f.v, self.f.a))
            lam = self.f.lam
            self._M, self._D, self._K = (
                sp.csc_array(system.tangent(t, q, v, a, lam, w)) for w in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
            )
            self._G = sp.csc_array(system.jacobian(t, q))
            self._R = self.partition.spread(t, q) if system.m else sp.eye_array(system.n).tocsr()
            jnew[0] = 1
        else:
            jnew[0] = 0
        mass = system.mass_scale
        top = (self._M + gamma * self._D + gamma**2 * self._K) / mass
        whole = sp.block_array([[top, self._G.T], [self._G, None]]) if system.m else top
        self._lu = sp.linalg.splu(sp.csc_array(whole))

    def _precondition(
        self, t: float, y: np.ndarray, yp: np.ndarray, r: np.ndarray, z: np.ndarray, gamma: float, delta: float, lr: int
    ) -> None:
        free = self.partition.independent
        k = len(free)
        rhs = np.zeros(self._lu.shape[0])
        rhs[: self.run.system.n] = self._M @ (self._R @ r[k:]) - gamma * (self._K @ (self._R @ r[:k]))
        z[k:] = self._lu.solve(rhs / self.run.system.mass_scale)[free]
        z[:k] = r[:k] + gamma * z[k:]


def _rings(run: Run) -> bool:
    """Whether the model stores strain energy and dissipates nothing: its stiff vibrations then never die out."""
    system = run.system
    rng = np.random.default_rng(0)
    moved = run.q[: system.n] + 1e-3 * rng.normal(size=system.n) * system.scale
    e = system.energy(run.t, moved, rng.normal(size=system.n) * system.scale)
    return bool(e[1] > 0.0 and e[3] <= 1e-9 * abs(e[0]))


def _follow(run: Run, f: RightHandSide, partition: Partition, max_step: float | None) -> None:
    """A mechanism without freedom follows its drives: the state at each time comes from the constraints alone."""
    system = run.system
    times = np.linspace(run.t, run.t_end, max(201, int((run.t_end - run.t) / (max_step or np.inf)) + 2))
    f.q[:], f.v[:] = run.q, run.v
    for before, t in pairwise(times):
        f.q[: system.n] += (t - before) * f.v[: system.n]
        try:
            partition.close(t, f.q, f.v)
            f.accelerate(t)
        except SingularPosition as error:
            run.diverged(str(error))
            return
        run.t = float(t)
        run.history.append(run.t, f.q, f.v, f.a, f.lam)
        run.statistics.steps += 1
