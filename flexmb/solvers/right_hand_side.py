"""The index-1 form as an ordinary differential equation  ẏ = f(t, y),  y = (q, v), for methods written in Python."""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.solvers.index_one import accelerations, project, work_for
from flexmb.solvers.run import Run
from flexmb.system.linear import NO_ROOM, OK


class RightHandSide:
    """f(t, y), the accelerations and multipliers of a state, and projections onto the constraints."""

    def __init__(self, run: Run, alpha: float = 0.0, beta: float = 0.0) -> None:
        self.run, self.system = run, run.system
        self.alpha, self.beta = alpha, beta
        self.q, self.v, self.a = run.q.copy(), np.zeros_like(run.v), np.zeros_like(run.a)
        self.lam = run.lam.copy()
        self.work = work_for(self.system.plan)
        self.evaluations = 0
        #: why the latest trial step was not possible
        self.trouble: SingularPosition | None = None

    def trial(self, t: float, y: np.ndarray) -> np.ndarray:
        """f(t, y) of a trial step: NaN, which has any method take a shorter one, where it is not determined."""
        try:
            return self(t, y)
        except SingularPosition as error:
            self.trouble = error
            return np.full_like(y, np.nan)

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        n = self.system.n
        self.q[:n] = y[:n]
        self.v[:n] = y[n:]
        self.accelerate(t)
        return np.concatenate([y[n:], self.a[:n]])

    def accelerate(self, t: float) -> None:
        """Fill `a` and `lam` for the state in `q` and `v`."""
        self.evaluations += 1
        system = self.system
        while True:
            status = accelerations(
                system.plan,
                system.scratch,
                system.linear,
                system.mass_scale,
                t,
                self.q,
                self.v,
                self.a,
                self.lam,
                self.work,
                self.alpha,
                self.beta,
            )
            if status != NO_ROOM:
                break
            system.grow()
        if status != OK or not np.isfinite(self.a).all():
            run = self.run
            if np.isfinite(self.q).all() and np.isfinite(self.v).all():
                run.suspect = (t, self.q.copy(), self.v.copy(), np.zeros_like(self.a))
            self.lam[:] = 0.0  # the next evaluation starts from the multipliers of this one
        if status != OK:
            raise SingularPosition(
                f"the constraints lose rank at t = {t:g} s (a singular position): accelerations are not determined"
            )

    def project(self, t: float, y: np.ndarray, positions: bool = True) -> tuple[np.ndarray, float, float]:
        """y moved onto g = 0 and ġ = 0, and the errors that are left."""
        n, system = self.system.n, self.system
        self.q[:n] = y[:n]
        self.v[:n] = y[n:]
        while True:
            status, left, rate = project(
                system.plan,
                system.scratch,
                system.linear,
                system.mass_scale,
                t,
                self.q,
                self.v,
                self.lam,
                system.row_scale,
                self.work,
                1e-12,
                10,
                positions,
            )
            if status != NO_ROOM:
                break
            system.grow()
        if status != OK:
            raise SingularPosition(f"the constraints lose rank at t = {t:g} s (a singular position)")
        return np.concatenate([self.q[:n], self.v[:n]]), left, rate

    def drift(self, t: float, y: np.ndarray) -> tuple[float, float]:
        """Largest |g| and |ġ| of a state, in units of the model."""
        system = self.system
        if system.m == 0:
            return 0.0, 0.0
        g, gd, _ = system.constraint(t, y[: system.n], y[system.n :])
        return float(np.max(np.abs(g) / system.row_scale)), float(np.max(np.abs(gd) / system.row_scale))

    def keep(self, t: float, y: np.ndarray) -> None:
        """Put a step into the history, with its accelerations and multipliers, and watch the drift."""
        self(t, y)
        run = self.run
        run.t = t
        run.history.append(t, self.q, self.v, self.a, self.lam)
        drift, rate = self.drift(t, y)
        run.statistics.position_drift = max(run.statistics.position_drift, drift)
        run.statistics.velocity_drift = max(run.statistics.velocity_drift, rate)


class SingularPosition(SolverError):
    """The constraint Jacobian loses rank on the way."""
