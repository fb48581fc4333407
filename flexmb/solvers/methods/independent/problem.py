"""The reduced equations and their Jacobian as Python functions, for integrators of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmb.kernels.lending import Lent
from flexmb.machine import interruption
from flexmb.solvers.coordinates.independent.closing import EVALUATIONS, ITERATIONS, Closing
from flexmb.solvers.methods.independent.partition import Partition
from flexmb.solvers.methods.independent.reduced_equations import (
    Equations,
    Evaluated,
    Found,
    LastStep,
    arrive,
    evaluate,
    evaluate_whole,
)
from flexmb.solvers.methods.independent.tangent import Tangent, fill_jacobian
from flexmb.solvers.rows.singular_value import any_combination
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularAnglesError, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import singular_message
from flexmb.solvers.statuses import NO_ANGLES, NO_ROOM, NOT_CLOSED, NOT_FINITE, OK


class Options(NamedTuple):
    """Options of a run: tolerances, `atol` in model lengths and radians; names of the independent coordinates, None to
    choose them; highest order of the method; longest step [s]."""

    rtol: float
    atol: float
    coordinates: Sequence[str] | None
    max_order: int
    max_step: float | None


class Problem:
    """The equations of a run in its present partition. An exception cannot pass through CVODE: for a state that cannot
    be reached the rates are NaN, upon which CVODE shortens its step, and a KeyboardInterrupt is stored in
    `interruption`."""

    def __init__(self, run: Run, f: RightHandSide, partition: Partition) -> None:
        self.run, self.f = run, f
        self.interruption: BaseException | None = None
        self.u = any_combination(run.system.m)
        self.jacobians = 0
        self.partition = partition
        self.use(partition)

    def use(self, partition: Partition) -> None:
        """Continue with other independent coordinates from the last step on."""
        run, f = self.run, self.f
        self._count()
        self.partition = partition
        size = len(partition.carried.scale) + len(partition.independent_speeds)
        numbers = partition.independent_speeds.astype(np.int64)
        partition.note(run)
        self.equations: Equations = Equations(
            partition.closing, partition.carried, numbers, partition.own(run, f), run.system.scale,
            LastStep(np.array([run.t]), run.v, run.a), Evaluated(f.q, f.v, f.a, f.lam), np.zeros(size), np.zeros(size),
            self.u, Found.nothing(), f.coordinates.joints, partition.loops,
        )  # fmt: skip
        self._tangent: Tangent | None = None
        self._bind()

    def _bind(self) -> None:
        """Prepare the compiled functions for calls with the present equations."""
        e = self.equations
        self._x, self._rates, self._since = e.x, e.rates, e.last.since
        self._linear = e.closing.linear
        self._evaluate, self._arrive, self._evaluate_whole = (Lent(f, e) for f in (evaluate, arrive, evaluate_whole))
        if self._tangent is not None:
            self._tangent = self._tangent._replace(equations=e)
            self._fill = Lent(fill_jacobian, self._tangent)

    def start(self) -> np.ndarray:
        """The integrated numbers x at the present state of the run."""
        return self.partition.start(self.run.q, self.run.v)

    @property
    def scale(self) -> np.ndarray:
        """Scales of the integrated numbers and independent speeds."""
        return np.concatenate([self.partition.carried.scale, self.equations.own.scale[self.equations.fast]])

    def _use_closing(self, closing: Closing) -> None:
        self.partition.closing = closing
        self.equations = self.equations._replace(closing=closing)
        self._bind()

    def _again(self, what: str, t: float, status: int) -> int:
        """Repeat the call `what` with more memory for factors as long as its status is NO_ROOM; record the trouble if
        it fails otherwise."""
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
            f.lam[:] = 0.0  # the next evaluation starts from these multipliers
            if status != NOT_FINITE:
                self.f.trouble = SingularPositionError(
                    f"the constraints lose rank at t = {t:g} s (a singular position): accelerations are not determined"
                )
        return status

    def lost(self) -> str:
        """Message if Euler angles of joints were singular in the last evaluation; "" otherwise."""
        number = int(self.equations.found.lost)
        return singular_message(self.run.system, self.f.coordinates, number, self.run.q) if number >= 0 else ""

    @interruption.callback
    def derivative(self, t: float, y: np.ndarray, yp: np.ndarray) -> None:
        """Fill yp with ẏ = (v_i, a_i)."""
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
        """Fill J with ∂ẏ/∂y; zero where the state cannot be reached."""
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
        """Arrays for the Jacobian."""
        if self._tangent is None:
            self._tangent = Tangent.of(self.equations, self.partition.independent.astype(np.int64))
            self._fill = Lent(fill_jacobian, self._tangent)
        return self._tangent

    def reach(self, t: float, y: np.ndarray) -> bool:
        """Evaluate the state for the numbers y; returns whether there is one."""
        self._x[:] = y
        status = self._evaluate_whole(t)
        return (status if status == OK else self._again("_evaluate_whole", t, status)) == OK

    def arrive(self, t: float, y: np.ndarray) -> bool:
        """Evaluate the state for the numbers y as the end of a step; returns whether there is one. `equations.found`
        then describes it, and the system holds its factors."""
        self.refresh()
        self._x[:] = y
        status = self._arrive(t)
        return (status if status == OK else self._again("_arrive", t, status)) == OK

    def refresh(self) -> None:
        """Use the factors of the system, whose memory others may have enlarged."""
        if self._linear is not self.run.system.linear:
            self._use_closing(self.partition.closing._replace(linear=self.run.system.linear))

    def grow(self) -> None:
        """Enlarge the memory for factors."""
        self._use_closing(self.partition.closing.with_room(self.run.system))

    def stepped(self) -> None:
        """Record that the run has a new present state."""
        self._since[0] = self.run.t
        self.partition.note(self.run)

    def _count(self) -> None:
        """Add the counters of this partition to the statistics of the run."""
        counts = self.partition.closing.counts
        statistics = self.run.report.statistics
        statistics.evaluations += int(counts[EVALUATIONS])
        statistics.iterations += int(counts[ITERATIONS])
        counts[:] = 0

    def finish(self) -> None:
        """Add all counters to the statistics of the run."""
        self._count()
        self.run.report.statistics.evaluations += self.f.evaluations
        self.run.report.statistics.jacobians += self.jacobians
