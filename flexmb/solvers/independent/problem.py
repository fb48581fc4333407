"""What integrators written elsewhere call: the reduced equations and their Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.kernels.lending import Lent
from flexmb.machine import interruption
from flexmb.solvers.independent.closing import EVALUATIONS, ITERATIONS, NO_ANGLES, NOT_CLOSED, NOT_FINITE, Closing
from flexmb.solvers.independent.partition import Partition
from flexmb.solvers.independent.reduced_equations import Equations, Found, arrive, evaluate, evaluate_whole
from flexmb.solvers.independent.tangent import Tangent, fill_jacobian
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide, SingularAnglesError, SingularPositionError
from flexmb.solvers.singular_angles import singular_message
from flexmb.system.linear import NO_ROOM, OK


class Options(NamedTuple):
    """Tolerances, `atol` in model lengths and radians; names of the independent coordinates, which are chosen where
    none are given; the largest order of a formula; the longest step [s]."""

    rtol: float
    atol: float
    coordinates: Sequence[str] | None
    max_order: int
    max_step: float | None


class Problem:
    """The equations of a run in its present partition. An exception cannot pass through CVODE: a state that cannot be
    reached gives NaN, upon which it takes a shorter step, and an interruption is kept."""

    def __init__(self, run: Run, f: RightHandSide, partition: Partition) -> None:
        self.run, self.f = run, f
        self.interruption: BaseException | None = None
        self.u = np.full(run.system.m, 1.0 / np.sqrt(max(run.system.m, 1)))
        self.jacobians = 0
        self.partition = partition
        self.use(partition)

    def use(self, partition: Partition) -> None:
        """Go on with other independent coordinates, from the last step on."""
        run, f = self.run, self.f
        self._count()
        self.partition = partition
        size = len(partition.carried.scale) + len(partition.independent_speeds)
        numbers = partition.independent_speeds.astype(np.int64)
        partition.note(run)
        self.equations: Equations = Equations(
            partition.closing, partition.carried, numbers, partition.own(run, f), run.system.scale, np.array([run.t]),
            run.q, run.v, run.a, f.q, f.v, f.a, f.lam, np.zeros(size), np.zeros(size), self.u, Found.nothing(),
            f.coordinates.joints, partition.loops,
        )  # fmt: skip
        self._tangent: Tangent | None = None
        self._bind()

    def _bind(self) -> None:
        """Lend the equations to compiled code."""
        e = self.equations
        self._x, self._rates, self._since = e.x, e.rates, e.since
        self._linear = e.closing.linear
        self._evaluate, self._arrive, self._evaluate_whole = (Lent(f, e) for f in (evaluate, arrive, evaluate_whole))
        if self._tangent is not None:
            self._tangent = self._tangent._replace(equations=e)
            self._fill = Lent(fill_jacobian, self._tangent)

    def start(self) -> np.ndarray:
        """The numbers x of the run's present state."""
        return self.partition.start(self.run.q, self.run.v)

    @property
    def scale(self) -> np.ndarray:
        """The sizes by which these are measured."""
        return np.concatenate([self.partition.carried.scale, self.equations.own.scale[self.equations.fast]])

    def _use_closing(self, closing: Closing) -> None:
        self.partition.closing = closing
        self.equations = self.equations._replace(closing=closing)
        self._bind()

    def _again(self, what: str, t: float, status: int) -> int:
        """The status with as much room for factors as is needed; what is wrong then is noted."""
        while status == NO_ROOM:
            self.grow()
            status = getattr(self, what)(t)
        if status == NOT_CLOSED:
            self.f.trouble = SingularPositionError(
                f"the dependent coordinates cannot be found at t = {t:g} s (singular position, or the mechanism locks)"
            )
        elif status == NO_ANGLES:
            self.f.trouble = SingularAnglesError(self.lost())
        elif status != OK:
            f = self.f
            if np.isfinite(f.q).all() and np.isfinite(f.v).all():
                self.run.suspect = (t, f.q.copy(), f.v.copy(), np.zeros_like(f.a))
            f.lam[:] = 0.0  # the next evaluation starts from the multipliers of this one
            if status != NOT_FINITE:
                self.f.trouble = SingularPositionError(
                    f"the constraints lose rank at t = {t:g} s (a singular position): accelerations are not determined"
                )
        return status

    def lost(self) -> str:
        """What to say where Euler angles of joints were not determined in the latest evaluation; "" elsewhere."""
        number = int(self.equations.found.lost)
        return singular_message(self.run.system, self.f.coordinates, number, self.run.q) if number >= 0 else ""

    @interruption.callback
    def derivative(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        """ẏ = (v_i, a_i)."""
        try:
            interruption.raise_if_asked()
            self._x[:] = y
            status = self._evaluate(t)
            if status != OK:
                self._again("_evaluate", t, status)
            yp[:] = self._rates
        except KeyboardInterrupt as error:
            self.interruption = error
            yp[:] = np.nan

    @interruption.callback
    def jacobian(self, t: float, y: np.ndarray, yp: np.ndarray, J: np.ndarray) -> None:
        """∂ẏ/∂y; zero where the state cannot be reached."""
        try:
            interruption.raise_if_asked()
            tangent = self.tangent
            self.jacobians += 1
            if self.reach(t, y) and self._fill(t) == OK:
                J[:] = tangent.J
            else:
                J[:] = 0.0
        except KeyboardInterrupt as error:
            self.interruption = error
            J[:] = 0.0

    @property
    def tangent(self) -> Tangent:
        """Room for the Jacobian."""
        if self._tangent is None:
            self._tangent = Tangent.of(self.equations, self.partition.independent.astype(np.int64))
            self._fill = Lent(fill_jacobian, self._tangent)
        return self._tangent

    def reach(self, t: float, y: np.ndarray) -> bool:
        """Whether the state of y could be found."""
        self._x[:] = y
        status = self._evaluate_whole(t)
        return (status if status == OK else self._again("_evaluate_whole", t, status)) == OK

    def arrive(self, t: float, y: np.ndarray) -> bool:
        """Whether the state of y, the end of a step, could be found; what is asked of it is then in `equations.found`,
        and its factors are those of the system."""
        self.refresh()
        self._x[:] = y
        status = self._arrive(t)
        return (status if status == OK else self._again("_arrive", t, status)) == OK

    def refresh(self) -> None:
        """Use the factors of the system, which others may have given more room."""
        if self._linear is not self.run.system.linear:
            self._use_closing(self.partition.closing._replace(linear=self.run.system.linear))

    def grow(self) -> None:
        """Make more room for factors."""
        self._use_closing(self.partition.closing.with_room(self.run.system))

    def stepped(self) -> None:
        """The state of the run is a new one."""
        self._since[0] = self.run.t
        self.partition.note(self.run)

    def _count(self) -> None:
        """Enter what was counted in this partition."""
        counts = self.partition.closing.counts
        statistics = self.run.statistics
        statistics.evaluations += int(counts[EVALUATIONS])
        statistics.iterations += int(counts[ITERATIONS])
        counts[:] = 0

    def finish(self) -> None:
        """Enter in the statistics what was counted."""
        self._count()
        self.run.statistics.evaluations += self.f.evaluations
        self.run.statistics.jacobians += self.jacobians
