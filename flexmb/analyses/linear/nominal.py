"""A run as the nominal motion of a linear model: its states at any time, and its small motions there."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.inputs import chosen_inputs
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.linear.small_motions import SmallMotions
from flexmb.analyses.linear.smoothness import gap_in, jump_in, steps_between
from flexmb.analyses.linear.transport import (
    FARTHEST,
    Chart,
    Rows,
    basis_at,
    carried,
    farthest,
    fixed_chart,
    magnus_exponent,
    rates_of,
    rows_at,
    transported_chart,
)
from flexmb.errors import (
    AccuracyWarning,
    ControlError,
    InitialConditionWarning,
    LinearModelError,
    ModelError,
    SolverError,
    warn,
)
from flexmb.kernels.blocks import STATE
from flexmb.model.events import Switch
from flexmb.model.given_times import kinks_until
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import settled
from flexmb.system.refusals import refuse_searches, refuse_sticking

#: a transition over a step is taken if it differs by less than this part from that of two half steps
TOLERANCE = 1e-7
#: a step is halved at most so many times
HALVINGS = 12
#: how many states of a run are tried for fixed coordinates
TRIED = 5
#: how many instants are kept, with all their coefficients
KEPT = 64


class Nominal:
    """A run, in coordinates that are chosen for all of it. `where` begins messages."""

    def __init__(self, solution: Solution, inputs: Sequence[Any], outputs: Sequence[Any], names: Any) -> None:
        self.solution, self.inputs, self.outputs = solution, inputs, outputs
        self.where = f"linear model along the run of model {solution.name!r}"
        self.times = _times(solution, self.where)
        self._finest: Solution = solution.original or solution  # with the steps of the run itself
        self._known: dict[float, SmallMotions] = {}
        self._doubted = False
        first = self.small(float(self.times[0]))
        self.scale = first.state.system.scale
        self._check_smooth()
        self._charts = {float(self.times[0]): self._chosen(first, names)}

    # -- the run ------------------------------------------------------------------------------------------------------

    def _check_smooth(self) -> None:
        """Raise a LinearModelError if forces jump, and warn where the run does not tell how it moves."""
        run = steps_between(self._finest, float(self.times[0]), float(self.times[-1]), self.scale)
        system = self.small(float(self.times[0])).state.system
        jump = jump_in(run, self.states, kinks_until(system.model.components.values(), run.end))
        if jump is not None:
            raise LinearModelError(
                f"{self.where}: at t = {jump.t:.6g} s a force jumps (seen in the acceleration of {jump.name!r}), and "
                "small motions jump there; let it grow from zero over a short way, or end the run before"
            )
        few = self._finest.statistics.steps > len(self._finest.t) - 1
        gap = gap_in(run, self.states) if few and not self._doubted else None
        if gap is not None:
            self._doubted = True
            warn(
                f"{self.where}: its times are too far apart to tell how it moves between them, most at about t = "
                f"{gap:.6g} s; keep all steps of the run (leave out times), or take closer times",
                AccuracyWarning,
            )

    def states(self, times: np.ndarray) -> list[State]:
        """The states of the mechanism at some times, with joints closed and accelerations that follow from them."""
        there = self._finest.at(times)
        system = there.source.system  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InitialConditionWarning)
            found = [settled(system, float(t), q, v) for t, q, v in zip(there.t, there.q, there.v)]
        doubtful = [state for state in found if state.doubts]
        if doubtful and not self._doubted:
            self._doubted = True
            warn(
                f"{self.where}: between its times it is interpolated, and at t = {doubtful[0].t:.6g} s that leaves "
                f"gaps: {doubtful[0].doubts[0]}; keep all steps of the run (leave out times), or take closer times",
                AccuracyWarning,
            )
        return found

    def small(self, t: float) -> SmallMotions:
        """The small motions at a time, with nothing that is measured."""
        known = self._known.get(t)
        if known is None:
            [state] = self.states(np.array([t]))
            forcing = chosen_inputs(state, self.inputs, self.where)
            known = SmallMotions.about(state, forcing, Outputs(state.system, []))
            if len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            self._known[t] = known
        return known

    # -- coordinates --------------------------------------------------------------------------------------------------

    def _chosen(self, first: SmallMotions, names: Any) -> Chart:
        """The coordinates at the start of the run."""
        some = self.times[np.unique(np.linspace(0, len(self.times) - 1, 50).round().astype(int))]
        along = self.states(some)
        tried = [along[k] for k in np.unique(np.linspace(0, len(along) - 1, TRIED).round().astype(int))]
        integrals = np.flatnonzero(first.state.system.assembly.free.mask(STATE))
        if names is not None:
            own = [*names, *(first.state.system.names[k] for k in integrals)]
            chart = fixed_chart(tried[0], list(dict.fromkeys(own)))
            far, worst = farthest(along, chart)
            if far > 1e3 * FARTHEST:
                raise SolverError(
                    f"{self.where}: at t = {worst.t:.6g} s the coordinates {', '.join(names)} do not determine "
                    "the others; give others, or none, for directions that are carried along with the motion"
                )
            return chart
        charts = {tuple(chart.names + chart.names_w): chart for chart in (fixed_chart(s, None) for s in tried)}
        reach = [farthest(along, chart)[0] for chart in charts.values()]
        best = int(np.argmin(reach))
        if reach[best] <= FARTHEST:
            return list(charts.values())[best]
        idle = np.ones(first.state.system.n, dtype=bool)
        for state in along:
            G = abs(state.system.jacobian(state.t, state.q))
            idle &= np.asarray(G.max(axis=0) if isinstance(G, np.ndarray) else G.max(axis=0).toarray()).ravel() == 0.0
        return transported_chart(first, idle)

    def chart(self, t: float) -> Chart:
        """The coordinates at a time: those of the last time before, carried along."""
        found = self._charts.get(t)
        if found is not None:
            return found
        before = max(x for x in self._charts if x < t)
        chart = self._charts[before]
        if not chart.fixed:
            nodes = [before, *self.times[(self.times > before) & (self.times < t)].tolist(), t]
            for a, b in itertools.pairwise(nodes):
                at: list[Rows] = [rows_at(self.small(x)) for x in (a, 0.5 * (a + b), b)]
                chart = carried(chart, b - a, (at[0], at[1], at[2]), self.scale)
                self._charts[b] = chart
        self._charts[t] = chart
        return chart

    def model(self, t: float) -> LinearModel:
        """The linear model at a time of the run, in the coordinates there."""
        small, chart = self.small(t), self.chart(t)
        measured = Outputs(small.state.system, self.outputs)
        small = replace(small, measured=measured, by=measured.derivatives(small.state))
        return small.in_basis(basis_at(small, chart, rates_of(chart, rows_at(small), self.scale)), self.where)

    # -- transitions --------------------------------------------------------------------------------------------------

    def step(self, a: float, b: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x(b) = Φ x(a) + Γ₀ u(a) + Γ₁ u(b) for inputs that change along a straight line: Φ (k, k), Γ₀, Γ₁ (k, i), in
        the coordinates at a and at b."""
        chart = self.chart(a)
        ends = [self._augmented(t, chart) for t in (a, 0.5 * (a + b), b)]
        whole = self._halved(a, b, chart, ends, _exponential(b - a, *ends), HALVINGS)
        end = self.small(b)
        last = end.in_basis(basis_at(end, chart), self.where)
        T = _exchange(last, self.chart(b), len(end.forcing.driven))
        k, i = len(last), len(last.inputs)
        Φ, level, slope = T @ whole[:k, :k], T @ whole[:k, k : k + i], T @ whole[:k, k + i :]
        slope = slope / (b - a)
        return Φ, level - slope, slope

    def _halved(
        self, a: float, b: float, chart: Chart, A: list[np.ndarray], whole: np.ndarray, left: int
    ) -> np.ndarray:
        """The transition from a to b as that of two halves, where these differ from the `whole` divided again; `A` at
        a, in the middle and at b."""
        middle, quarter = 0.5 * (a + b), 0.25 * (b - a)
        first = [A[0], self._augmented(a + quarter, chart), A[1]]
        second = [A[1], self._augmented(middle + quarter, chart), A[2]]
        halves = [_exponential(0.5 * (b - a), *own) for own in (first, second)]
        both = halves[1] @ halves[0]
        off = (both - whole) / 15.0  # by Richardson's rule, of fourth order
        if float(np.max(np.abs(off))) <= TOLERANCE * max(1.0, float(np.max(np.abs(both)))) or not left:
            return np.asarray(both + off)
        before = self._halved(a, middle, chart, first, halves[0], left - 1)
        return self._halved(middle, b, chart, second, halves[1], left - 1) @ before

    def _augmented(self, t: float, chart: Chart) -> np.ndarray:
        """d(x, u, du/dt)/dt for inputs u that change along straight lines."""
        small = self.small(t)
        model = small.in_basis(basis_at(small, chart), self.where)
        k, i = len(model), len(model.inputs)
        out = np.zeros((k + 2 * i, k + 2 * i))
        out[:k, :k], out[:k, k : k + i] = model.A, model.B
        out[k : k + i, k + i :] = np.eye(i)
        return out


def _exponential(h: float, A0: np.ndarray, A1: np.ndarray, A2: np.ndarray) -> np.ndarray:
    """The transition over a step h by one step of Magnus's series."""
    exponent, scale = in_like_units(magnus_exponent(h, A0, A1, A2))
    return np.asarray(scale[:, None] * scipy.linalg.expm(exponent) / scale)


def _exchange(model: LinearModel, chart: Chart, driven: int) -> np.ndarray:
    """The states in the coordinates of a chart as functions of those of a model at the same instant."""
    assert model.positions is not None and model.speeds is not None
    k, f = len(model), len(chart.left)
    T = np.zeros((k, k))
    T[:f] = chart.left @ model.positions
    T[f + driven : k - driven] = chart.left_w @ model.speeds
    for j in range(driven):
        T[f + j, f + j] = T[k - driven + j, k - driven + j] = 1.0
    return T


def _times(solution: Any, where: str) -> np.ndarray:
    """The times of a run that can be a nominal motion, each once."""
    if not isinstance(solution, Solution) or not isinstance(solution.source, SystemSource):
        raise ModelError(f"{where}: it takes a fresh solution of simulate; one from a file has no model")
    if solution.still or getattr(solution, "drive", None) is not None:
        raise ModelError(f"{where}: its states are no motion in time; give a solution of simulate")
    model = solution.source.system.model
    if model.controllers:
        raise ControlError(
            f"{where}: it has the controllers {', '.join(map(repr, model.controllers))}, which act at instants; take "
            "controllers in continuous time (add_states), or linearize(state, controllers='closed') about single states"
        )
    switched = [x.where for x in model.events.values() if any(isinstance(act, Switch) for act in x.do)]
    switched += [x.where for x in model.components.values() if x.switches_itself]
    if switched or len(solution.source.epochs) > 1:
        raise LinearModelError(
            f"{where}: {', '.join(switched) or 'an event'} switches forces or joints at instants that move with the "
            "motion, where small motions jump; end the run before, or leave such events and jets out"
        )
    system = solution.source.system
    refuse_sticking(system, where)
    refuse_searches(system, where)
    t = solution.t[np.concatenate([[True], np.diff(solution.t) > 0.0])]
    if len(t) < 2:
        raise ModelError(f"{where}: it has one time only; run on for a while")
    return np.asarray(t, dtype=float)
