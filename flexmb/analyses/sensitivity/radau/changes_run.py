"""A run with Radau IIA that carries the changes by its parameters along, and its states with their changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.analyses.sensitivity.over_time import Motion, Stretch
from flexmb.analyses.sensitivity.parameters import NeighboringSystems, Parametrized
from flexmb.analyses.sensitivity.radau.changed_start import starts
from flexmb.analyses.sensitivity.radau.changes import Changes, DerivedLoop, changes_for, with_changes
from flexmb.analyses.sensitivity.radau.changes_loop import advance
from flexmb.analyses.sensitivity.radau.neighboring_constants import neighbors_of
from flexmb.analyses.sensitivity.radau.sampled_changes import SampledChanges
from flexmb.analyses.sensitivity.radau.switched_changes import SwitchedChanges
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.errors import AccuracyWarning, SolverError, warn
from flexmb.model import checks, given_names
from flexmb.model.given_times import kinks_until
from flexmb.results.solution import Solution
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.changes.actions import goes_on
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.march.driver import MOST_ROWS
from flexmb.solvers.methods.radau.radau_run import OnDae, loop_of
from flexmb.solvers.one_run import asked_of, placed
from flexmb.solvers.runs.history import SavedSteps, joined
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import solution_of
from flexmb.solvers.statuses import PASSAGE_DUE
from flexmb.solvers.trust import doubts
from flexmb.system.sampling import LOGGED

#: order of the method
ORDER = 5
#: Changes of a run are as accurate as its motion where a parameter changes by this part of what is typical of it.
TYPICAL = 0.1
#: Accelerations may jump at a touch by this part of themselves: the force of a smooth contact begins at zero.
JUMPED = 1e-6
#: Most numbers in the rows of changes that a segment saves.
NUMBERS = 4_000_000


class _WithChanges(OnDae):
    """Driver of the loop with changes: it keeps the rows of each segment, with their changes."""

    in_lanes = None

    def __init__(
        self, run: Run, loop: Any, tolerance: float, sampled: SampledChanges, slots: dict[int, np.ndarray]
    ) -> None:
        super().__init__(run, self._advance_and_keep, loop, tolerance)
        self.sampled, self.slots = sampled, slots
        self.changes: Changes = loop.changes
        self.rows: list[tuple[np.ndarray, ...]] = []
        self.states: list[SavedSteps] = []
        #: whether it would have to pass through a singular position
        self.passed = False

    def motion(self) -> Motion:
        """All states of the loop with their changes."""
        moved = (np.moveaxis(np.concatenate(x), 1, 0) for x in zip(*self.rows))
        return Motion(*joined(self.states), *moved)

    def grow(self) -> None:
        """Give the changes of their commands to controllers that wait for these, or memory to the factors."""
        waits = int(self.loop.sampling.controllers[:, LOGGED].sum()) > self.changes.state.decided
        if waits or (self.state.anew == AT_COMMAND and not self.changes.state.delivered):
            self.sampled.act(self.loop, self.slots)
        else:
            super().grow()

    def resumes(self, status: int) -> bool:
        self.passed = status == PASSAGE_DUE
        return False

    def _advance_and_keep(self, loop: Any, part: SavedSteps) -> tuple[int, int]:
        changes = self.changes
        changes.state.row = changes.state.pending = 0
        status, rows = advance(loop, part.part(0, min(len(part.t), len(changes.all_q))))
        if rows:
            saved = changes.all_q, changes.all_v, changes.all_a, changes.all_lam
            self.rows.append(tuple(x[:rows].copy() for x in saved))
            self.states.append(SavedSteps(*(x[:rows].copy() for x in part)))
        return status, rows


def radau_motion(
    whole: Parametrized,
    span: tuple[float, float],
    options: dict[str, Any],
    initial: str | None,
    typical: Mapping[str, float],
    redundant: str,
) -> tuple[Solution, list[Stretch]]:
    """The run of a model, over a `span` of time, with the `options` of its method, and its stretches between events
    that switch components, with their changes by the parameters. It begins as the model says, or at the equilibrium."""
    model, where = whole.system.model, whole.where
    _refuse_moving_kinks(whole, span[1])
    bound = Bound(model, "radau", options, Choices(redundant=redundant), "sensitivity", again=False)
    state = None if initial is None else equilibrium(model, t=span[0], redundant=redundant).state
    run, _ = placed(bound, asked_of(bound, span[1], span[0], state, None, False), options)
    whole.use_rows(run.system.kept)
    neighbors = [whole.neighbors(name) for name in whole.parameters]
    sizes, names, found = _typical(whole, typical), list(whole.parameters), list[Stretch]()
    changes, shift = starts(whole, run, neighbors, state), np.zeros(len(names))
    with run:
        while True:
            sampled = SampledChanges(run, neighbors, names, where)
            loop, slots = _loop(run, neighbors, sampled.places, sizes, changes, options)
            driver = _WithChanges(run, loop, options["tolerance"], sampled, slots)
            run.history.order = ORDER
            driver.drive()
            _refuse_ended(run, driver, where)
            stretch = Stretch(run.system, neighbors, driver.motion(), shift)
            for name, near in zip(names, neighbors):
                refuse_contradicting(near, name, stretch.motion.t, stretch.motion.q, where)
            found.append(stretch)
            if not run.switching:
                break
            last = driver.changes
            before = SwitchedChanges(run, neighbors, (last.q, last.v, last.a, last.lam), names, sizes, where)
            epochs = len(run.history.epochs)
            if not goes_on(run):
                break
            if len(run.history.epochs) != epochs + 1:
                raise SolverError(
                    f"{where}: at t = {run.t:g} s several events switch components at one instant, and derivatives "
                    "end there; let one event do what they do"
                )
            dq, dv, neighbors, shift = before.behind(run)
            changes = dq, dv
    solution = solution_of(run)
    for doubt in doubts(run, solution, options):
        warn(f"model {model.name!r}: {doubt}", AccuracyWarning)
    return solution, found


def _refuse_ended(run: Run, driver: _WithChanges, where: str) -> None:
    """Refuse a run that ended early, or whose derivatives end."""
    report, why = run.report, ""
    if run.fading:
        why = "it needs other rows of its redundant joints"
    elif driver.passed:
        why = "it would have to pass through a singular position"
    elif run.changed is not None:
        why = "a row changes its state"
    elif driver.changes.state.jumped > JUMPED:
        why = "the force of a contact jumps where it touches"
    if why:
        raise SolverError(f"{where}: at t = {run.t:g} s {why}, and derivatives by radau end there")
    if report.status != "finished":
        raise SolverError(f"{where}: the run {report.message}")


def _loop(
    run: Run,
    neighbors: list[NeighboringSystems],
    commanded: np.ndarray,
    typical: np.ndarray,
    start: tuple[np.ndarray, np.ndarray],
    options: dict[str, Any],
) -> tuple[DerivedLoop, dict[int, np.ndarray]]:
    """The loop of a run whose changes of position and speeds at the start are given, (p, n) each; and where the
    neighbors have their own values of `commanded` constants."""
    system = run.system
    rows = int(max(16, min(MOST_ROWS, NUMBERS // max(1, len(neighbors) * (3 * system.n + system.m)))))
    near, slots = neighbors_of(system, neighbors, commanded)
    changes = changes_for(system, near, TYPICAL * typical, rows)
    changes.q[:], changes.v[:] = start
    own = {name: options[name] for name in ("tolerance", "max_step", "newton_tolerance", "max_iterations")}
    loop = with_changes(loop_of(run, **own), changes)
    loop.state.unsaved = 1  # the start, of which the loop finds the changes of accelerations
    return loop, slots


def _typical(whole: Parametrized, given: Mapping[str, float]) -> np.ndarray:
    """How much each parameter changes typically: as given, or its own size."""
    for name in given:
        given_names.known(name, whole.parameters, "parameter", f"{whole.where}, typical")
    own = {name: abs(value) or 1.0 for name, value in whole.parameters.items()}
    return np.array([checks.positive(given.get(name, own[name]), f"typical {name!r}", whole.where) for name in own])


def _refuse_moving_kinks(whole: Parametrized, t_end: float) -> None:
    """Refuse parameters that move the instants at which functions of time are not smooth."""
    own = kinks_until(whole.system.model.components.values(), t_end)
    for name in whole.parameters:
        for system in whole.neighbors(name).systems:
            if kinks_until(system.model.components.values(), t_end) != own:
                raise SolverError(
                    f"{whole.where}: {name!r} moves an instant at which a function of time has a kink or a jump, and "
                    "derivatives do not go through instants that move with the parameters; take a smooth function, or "
                    "differences of whole runs (flexmb.study)"
                )
