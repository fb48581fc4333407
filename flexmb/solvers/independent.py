"""Independent coordinates and CVODE's variable-order, variable-step BDF: the Gear method on the reduced
equations of Kobayashi (n.d.), eqs. (70)-(72).

Of the BDF formulas only those of orders 1 and 2 are stable on the whole imaginary axis, where undamped vibration lies;
the others make CVODE follow fast vibration with short steps. They are allowed all the same, since order 2 needs even
shorter ones: at rtol 1e-7 (evaluations, and error of the end in m or rad, against DOP853 at 1e-10)

    model                                          time     order 2             order 5
    four-bar linkage of rigid links                2 s      11095   4.5e-4      1237   2.4e-4
    steel pendulum, 2 elements, β = 1e-4 s         0.1 s    13350   3.8e-9      2217   9.7e-11
    the same without damping                       0.1 s    88799   4.5e-10    11294   2.7e-10
    5 elements without damping                     0.02 s  105106   1.1e-10    14443   9.8e-12

Over 1 s without damping and at rtol 1e-5 the gain is lost (order 2: 118675 evaluations, energy off by 5e-8 of what was
exchanged; order 5: 151999, 1e-4): where vibration need not be followed, take `max_order=2` or a smaller tolerance.

The partition is changed when its pivots wear out.

Up to DENSE_LIMIT unknowns the Newton matrix is dense, by CVODE's difference quotients. Beyond it, GMRES with the
preconditioner  P ≈ I − γJ  from the exact tangents: with M, D, K and the spread R of independent coordinates,

    [M + γD + γ²K  Gᵀ] [z]   [M R r_v − γ K R r_q]
    [G             0 ] [·] = [0                  ],      z_v = z_i,   z_q = r_q + γ z_v

Velocity rows leave more coordinates independent than speeds; then each has an R of its own, and z_q takes the entries
of z that belong to independent coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb import interruption
from flexmb.algebra.factors import Factors, bordered
from flexmb.kernels import charts
from flexmb.solvers.partitioning import Partition
from flexmb.solvers.passage import NEAR, Passage, leaps
from flexmb.solvers.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.run import Run

#: above this many independent coordinates the Newton equations are solved by preconditioned GMRES
DENSE_LIMIT = 150
#: adding less than this part of a time to it does not change it
ROUNDING = 1e-15
#: Where to look next for a position of a mechanism without freedom, in units of a step: at its end, a little beyond,
#: then nearer and nearer to its beginning.
PARTS = (1.0, 1.5, *(0.5**k for k in range(1, 11)))


def run_independent(
    run: Run,
    *,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    coordinates: Sequence[str] | None = None,
    max_order: int = 5,
    max_step: float | None = None,
) -> None:
    """`coordinates`: names of the independent ones (automatic when not given); `atol` in model lengths."""
    system, n = run.system, run.system.n
    run.history.order = max_order
    f = RightHandSide(run)
    problem = _Problem(run, f, Partition(system, run.t, run.q, coordinates))

    def start(t: float) -> Any:
        from sksundae.cvode import CVODE

        fast, carried = problem.partition.independent_speeds, problem.partition.carried
        scale = np.concatenate([carried.scale, system.scale[fast]])
        options: dict[str, Any] = {"rtol": rtol, "atol": atol * scale, "max_order": max_order}
        options["min_step"] = ROUNDING * max(abs(run.t), abs(run.t_end))
        options["max_step"] = max(max_step or run.t_end - run.t, options["min_step"])
        if len(fast) > DENSE_LIMIT:
            options |= problem.krylov()
        solver = CVODE(problem.derivative, max_num_steps=100_000, **options)
        solver.init_step(t, np.concatenate([carried.positions(run.q), run.v[fast]]))
        return solver

    def work() -> None:
        passage = Passage(run, f, rtol, atol)
        f.q[:], f.v[:] = run.q, run.v
        f.accelerate(run.t)
        passage.see(run.t)
        if not len(problem.partition.independent):
            _follow(run, f, problem.partition, passage, max_step)
            return
        solver = start(run.t)
        while run.t < run.t_end:
            result = solver.step(run.t_end, method="onestep", tstop=run.t_end)
            if problem.interruption is not None:
                raise problem.interruption
            t, y = float(np.atleast_1d(result.t)[-1]), np.atleast_2d(result.y)[-1]
            arrived = bool(result.success) and t > run.t and bool(np.all(np.isfinite(y)))
            if arrived:
                try:
                    problem.state(t, y)
                    f.accelerate(t)
                    leap = leaps(t - run.t, run.v, run.a, f.v, f.a, system.scale, n)
                    arrived = not (leap and (passage.near or passage.sigma() < NEAR * passage.largest))
                except SingularPositionError as error:
                    f.trouble, arrived = error, False
            if not arrived:
                run.diverged(passage.why() if passage.near else str(f.trouble or f"CVODE: {result.message}"))
                return
            f.step_to(t)
            f.note_drift()
            passage.see(t)
            through = passage.due and passage.through()
            if not through and passage.too_near:
                run.diverged(passage.why())
                return
            partition = problem.partition
            worn = partition.carried.chart_ends or (coordinates is None and partition.worn)
            if worn:
                problem.iterations += partition.iterations
                problem.partition = Partition(system, run.t, run.q, coordinates)
                run.statistics.repartitions += 1
            if worn or through:
                solver = start(run.t)
            run.show()

    run.guarded(work)
    run.statistics.evaluations += f.evaluations
    run.statistics.iterations += problem.iterations + problem.partition.iterations


class _Problem:
    """What CVODE calls. An exception cannot pass through it: a state that cannot be reached gives NaN, upon which it
    takes a shorter step, and an interruption is kept."""

    def __init__(self, run: Run, f: RightHandSide, partition: Partition) -> None:
        self.run, self.f, self.partition = run, f, partition
        self.interruption: BaseException | None = None
        self.iterations = 0

    def state(self, t: float, y: np.ndarray) -> None:
        """Fill f.q, f.v with the state whose independent coordinates and speeds are y. The search for the dependent
        ones starts where the last state was heading, so that it stays on the same branch of the mechanism."""
        fast = self.partition.independent_speeds
        f, run, n = self.f, self.run, self.run.system.n
        if len(self.partition.dependent_speeds):
            h = t - run.t
            move = h * (run.v[:n] + 0.5 * h * run.a[:n])
            f.q[: self.run.system.nq] = self.run.system.retract(run.q[: self.run.system.nq], move)
            f.v[:n] = run.v[:n]
        count = len(y) - len(fast)
        self.partition.carried.put(y[:count], f.q)
        f.v[fast] = y[count:]
        if len(self.partition.dependent_speeds):
            self.partition.close(t, f.q, f.v)

    @interruption.callback
    def derivative(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        """ẏ = (v_i, a_i)."""
        try:
            yp[:] = np.nan
            if self.interruption is not None:
                return
            interruption.raise_if_asked()
            self.state(t, y)
            self.f.accelerate(t)
            fast = self.partition.independent_speeds
            count = len(y) - len(fast)
            yp[:count] = self.partition.carried.rates(self.f.rates(), self.f.v)
            yp[count:] = self.f.a[fast]
        except SingularPositionError as error:
            self.f.trouble = error
        except KeyboardInterrupt as error:
            self.interruption = error
            yp[:] = np.nan

    def krylov(self) -> dict[str, Any]:
        """GMRES with the preconditioner of the module's text."""
        from sksundae.cvode import CVODEPrecond

        preconditioner = CVODEPrecond(self._prepare, self._precondition)
        return {"linsolver": "gmres", "krylov_dim": 20, "precond": preconditioner}

    def _prepare(self, t: float, y: np.ndarray, yp: np.ndarray, jok: int, jnew: list[int], gamma: float) -> None:
        system = self.run.system
        jnew[0] = int(not jok or not hasattr(self, "_M"))
        if jnew[0]:
            self.state(t, y)
            self.f.accelerate(t)
            q, v, a = self.f.q[: system.nq].copy(), self.f.v[: system.n].copy(), self.f.a[: system.n].copy()
            lam = self.f.lam
            self._M, self._D, self._K = (
                sp.csc_array(system.tangent(t, q, v, a, lam, w)) for w in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
            )
            self._G = sp.csc_array(system.jacobian(t, q))
            self._R = self.partition.spread(t, q)
        top = (self._M + gamma * self._D + gamma**2 * self._K) / system.mass_scale
        self._factors = Factors(bordered(top, self._G) if system.m else top)

    def _precondition(
        self, t: float, y: np.ndarray, yp: np.ndarray, r: np.ndarray, z: np.ndarray, gamma: float, delta: float, lr: int
    ) -> None:
        fast, n, system = self.partition.independent_speeds, self.run.system.n, self.run.system
        k = len(r) - len(fast)
        of_positions, of_speeds = self._R
        rhs = np.zeros(self._factors.size)
        moves = self.partition.carried.speeds(r[:k], self.f.q)
        rhs[:n] = self._M @ (of_speeds @ r[k:]) - gamma * (self._K @ (of_positions @ moves))
        found = self._factors.solve(rhs / system.mass_scale)[:n]
        z[k:] = found[fast]
        rates = np.empty(system.nq)
        charts.rates(system.orientations, n, self.f.q, found, rates)
        z[:k] = r[:k] + gamma * self.partition.carried.rates(rates, found)


def _follow(run: Run, f: RightHandSide, partition: Partition, passage: Passage, max_step: float | None) -> None:
    """A mechanism without freedom follows its drives: the state at each time comes from the constraints alone. A time
    at which they do not determine it is stepped over; a step that would end on another branch is divided."""
    count = max(200, int((run.t_end - run.t) / (max_step or np.inf)) + 1)
    times = np.linspace(run.t, run.t_end, count + 1)
    while run.t < run.t_end:
        t = float(times[np.searchsorted(times, run.t, side="right")])
        ends = (t if part == 1.0 else min(run.t + part * (t - run.t), run.t_end) for part in PARTS)
        if not any(_reach(run, f, partition, end) for end in ends):
            run.diverged(passage.why() if passage.near else str(f.trouble or "the motion is not continuous there"))
            return
        passage.see(run.t)
        run.show()


def _reach(run: Run, f: RightHandSide, partition: Partition, t: float) -> bool:
    """Whether the constraints give a state at a time, on the branch of the last one; if so, the run steps to it."""
    n, h = run.system.n, t - run.t
    nq = run.system.nq
    f.q[:nq] = run.system.retract(run.q[:nq], h * (run.v[:n] + 0.5 * h * run.a[:n]))
    f.v[:n] = run.v[:n] + h * run.a[:n]
    try:
        partition.close(t, f.q, f.v)
        f.accelerate(t)
    except SingularPositionError as error:
        f.trouble = error
        return False
    if leaps(h, run.v, run.a, f.v, f.a, run.system.scale, n):
        return False
    f.step_to(t)
    return True
