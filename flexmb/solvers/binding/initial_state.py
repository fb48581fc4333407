"""The state of a model, a solution or a result, from which runs and analyses start."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ControlError, ModelError
from flexmb.forces.callbacks import raise_failures
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.state import State
from flexmb.solvers.changes.exchange import rows_instead
from flexmb.solvers.rows.redundancy import REDUNDANT, independent_rows
from flexmb.solvers.start.initial import consistent_state
from flexmb.system.sticking import keep_friction
from flexmb.system.system import System


@interruptible
@one_thread
def initial_state(model: Model, t: float = 0.0, *, redundant: str = "remove", gaps: str = "refuse") -> State:
    """The state that the model describes, with its joints closed, and the accelerations and joint forces that follow.

    Arguments: `model`; `t` [s]; `redundant`: "remove" constraint rows that repeat others, with a warning, or "error";
    `gaps` of joints, as in :func:`flexmb.simulate`.
    """
    system = regular_system(model, t, redundant=redundant)
    return settled(system, t, system.q0, system.v0, gaps, of_model=True)


def settled(
    system: System, t: float, q: np.ndarray, v: np.ndarray, gaps: str = "refuse", *, of_model: bool = False
) -> State:
    """A state that satisfies the constraints exactly, with the accelerations and joint forces that follow from it
    (those in a step of a run are only as accurate as the method). Of redundant constraint rows, the most independent
    ones at this position are used."""
    rows = rows_instead(system, t, q)
    if rows is not None:
        system = system.whole.with_rows(rows)
    try:
        q, v, a, lam, moved, _ = consistent_state(system, t, q, v, gaps, of_model=of_model)
    finally:  # an exception in a user's force explains more than its consequence
        raise_failures(system.model.components.values())
    keep_friction(system.assembly, system.plan)
    n = system.n
    return State(system, t, q[: system.nq], v[:n], a[:n], lam, doubts=moved.doubts)


def regular_system(model: Model, t: float = 0.0, *, redundant: str = "remove") -> System:
    """The system of a model with constraint rows that are independent in the initial position; see
    :func:`flexmb.solvers.rows.redundancy.independent_rows`."""
    if not isinstance(model, Model):
        raise ModelError(f"{model!r} is not a model; give a PlanarModel or a SpatialModel")
    checks.choice(redundant, REDUNDANT, "redundant", f"model {model.name!r}")
    system = System(model)
    return independent_rows(system, t, system.q0, redundant)


#: Options of an analysis for controllers: refuse models that have some, or hold their commands.
CONTROLLERS = ("refuse", "held")


def leave_out_controllers(model: Model, controllers: str, where: str, and_so: str = "") -> None:
    """Raise a ControlError for a model with controllers, which an analysis does not evaluate, unless their commands are
    to be held."""
    if controllers != "held" and model.controllers:
        names = ", ".join(map(repr, model.controllers))
        raise ControlError(
            f"{where}: it has the controller{'s' * (len(model.controllers) > 1)} {names}, of which this analysis knows "
            f"nothing; controllers='held' leaves commands as they are (zero in a model){and_so}"
        )


def analyzed_state(about: Any, where: str, controllers: str = "refuse", and_so: str = "") -> State:
    """The result of :func:`state_of` for an analysis that refuses controllers or holds their commands."""
    state = state_of(about, where)
    named = f"{where} of model {state.model.name!r}"
    checks.choice(controllers, CONTROLLERS, "controllers", named)
    if not state.held:
        leave_out_controllers(state.model, controllers, named, and_so)
    return state


def state_of(about: Any, where: str) -> State:
    """The state of a model (at its start), a state, a solution (at its last time) or a result that has a `state`.

    Raises a ModelError for anything else, and for a sweep of a drive, whose rates are not rates of time.
    """
    if isinstance(about, State):
        return about
    if isinstance(about, Model):
        return initial_state(about)
    if isinstance(about, Solution):
        if not isinstance(about.source, SystemSource):
            raise ModelError(f"{where}: a solution from a file has no model; give a state or a fresh solution")
        if getattr(about, "drive", None) is not None:
            raise ModelError(f"{where}: a sweep of a drive has no rates in time; give kinematics over time")
        if about.still:
            q, v, a, lam = (np.array(x[-1]) for x in (about.q, about.v, about.a, about.basic_multipliers))
            return State(about.source.system, float(about.t[-1]), q, v, a, lam[about.source.system.row_numbers])
        return settled(about.source.system, float(about.t[-1]), about.q[-1], about.v[-1])
    state = getattr(about, "state", None)
    if isinstance(state, State):
        return state
    raise ModelError(f"{where}: {about!r} says no state; give a model, a state, a solution or an equilibrium")
