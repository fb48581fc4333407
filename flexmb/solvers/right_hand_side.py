"""The index-1 form as an ordinary differential equation  ẏ = f(t, y),  y = (q, v), for methods written in Python."""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.solvers.index_one import accelerations, norm, project, with_room, work_for
from flexmb.solvers.run import Run
from flexmb.system.linear import OK


class SingularPositionError(SolverError):
    """The constraint Jacobian loses rank on the way."""


class RightHandSide:
    """f(t, y), and the state in which it was last evaluated: q, v (total,) with a and λ. It projects states onto the
    constraints, and makes its state a step of the run."""

    def __init__(self, run: Run, alpha: float = 0.0, beta: float = 0.0) -> None:
        self.run, self.system = run, run.system
        self.alpha, self.beta = alpha, beta
        self.q, self.v, self.a = run.q.copy(), np.zeros_like(run.v), np.zeros_like(run.a)
        self.lam = run.lam.copy()
        self.work = work_for(self.system.plan)
        self.evaluations = 0
        #: why the latest trial step was not possible
        self.trouble: SingularPositionError | None = None

    def trial(self, t: float, y: np.ndarray) -> np.ndarray:
        """f(t, y) of a trial step; where it is not determined NaN, upon which any method takes a shorter step."""
        try:
            return self(t, y)
        except SingularPositionError as error:
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
        args = (self.q, self.v, self.a, self.lam, self.work, self.alpha, self.beta)
        status = with_room(self.system, accelerations, t, *args)
        if status != OK or not np.isfinite(self.a).all():
            run = self.run
            if np.isfinite(self.q).all() and np.isfinite(self.v).all():
                run.suspect = (t, self.q.copy(), self.v.copy(), np.zeros_like(self.a))
            self.lam[:] = 0.0  # the next evaluation starts from the multipliers of this one
        if status != OK:
            raise SingularPositionError(
                f"the constraints lose rank at t = {t:g} s (a singular position): accelerations are not determined"
            )

    def project(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float, float]:
        """y moved onto g = 0 and ġ = 0, and the errors that are left."""
        n, system = self.system.n, self.system
        self.q[:n] = y[:n]
        self.v[:n] = y[n:]
        args = (self.q, self.v, self.lam, system.row_scale, self.work, 1e-12, 10, True)
        status, left, rate = with_room(system, project, t, *args)
        if status != OK:
            raise SingularPositionError(f"the constraints lose rank at t = {t:g} s (a singular position)")
        return np.concatenate([self.q[:n], self.v[:n]]), left, rate

    def drift(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Largest |g| and |ġ| of a state, in units of the model."""
        system = self.system
        if system.m == 0:
            return 0.0, 0.0
        g, gd, _ = system.constraint(t, q[: system.n], v[: system.n])
        return float(norm(g, system.row_scale, system.m)), float(norm(gd, system.row_scale, system.m))

    def step_to(self, t: float) -> None:
        """Make the state in `q`, `v`, `a` and `lam` the next step of the run."""
        run = self.run
        run.t = t
        run.q[:], run.v[:], run.a[:], run.lam[:] = self.q, self.v, self.a, self.lam
        run.history.append(t, self.q, self.v, self.a, self.lam)
        run.statistics.steps += 1

    def note_drift(self) -> None:
        """Enter the drift of the present state in the statistics."""
        statistics = self.run.statistics
        drift, rate = self.drift(self.run.t, self.q, self.v)
        statistics.position_drift = max(statistics.position_drift, drift)
        statistics.velocity_drift = max(statistics.velocity_drift, rate)
