"""Quantities, times and the method of the run that a user asks a sensitivity for, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.analyses.sensitivity.propagation import Quantity, named_outputs, quantities
from flexmb.errors import ModelError, SolverError
from flexmb.model import checks, given_names, given_times
from flexmb.model.events import Switch
from flexmb.model.model import Model
from flexmb.solvers.binding.options import checked_options, names_of_options
from flexmb.solvers.events.jamming import refuse_joint_friction
from flexmb.solvers.methods.registry import METHODS
from flexmb.system.plan import FOUND
from flexmb.system.refusals import refuse_searches, refuse_sticking
from flexmb.system.system import System

#: the methods whose runs are differentiated, and how
RUNS, DERIVATIVES = ("radau", "generalized_alpha"), ("direct", "adjoint")
STARTS = ("equilibrium",)


class Wanted(NamedTuple):
    """Outputs over time, by their names, at times (k,); or else `quantities` at the end and integrals."""

    names: list[str]
    outputs: list[Any]
    times: np.ndarray | None
    quantities: list[Quantity]


def wanted(
    outputs: Sequence[Any] | Any,
    times: Any,
    final: Sequence[Any] | Any,
    integrals: Mapping[str, tuple[Any, int]] | Sequence[Any] | Any,
    span: tuple[float, float],
    model: Model,
    where: str,
) -> Wanted:
    """Outputs or quantities that a user wants to know of a run of a model over a `span` of time."""
    over_time = named_outputs(outputs, "outputs", model, where)
    if not over_time:
        if times is not None:
            raise ModelError(f"{where}: times are those of outputs over time; name these, outputs='rod.end.y'")
        found = quantities(final, integrals, model, where)
        return Wanted([], [quantity.output for quantity in found], None, found)
    if times is None:
        raise ModelError(f"{where}: give the times at which the outputs are wanted, times=[0.1, 0.2]")
    if named_outputs(final, "final", model, where) or (len(integrals) if hasattr(integrals, "__len__") else True):
        raise ModelError(
            f"{where}: outputs at times, and final or integrals, are two questions; ask one after the other"
        )
    names = [name for name, _ in over_time]
    given_names.all_different(names, "output", where)
    return Wanted(names, [x for _, x in over_time], given_times.rising_times(times, *span, where), [])


def chosen_method(
    method: Any, derivatives: Any, options: dict[str, Any], system: System, initial: Any, over_time: bool, where: str
) -> tuple[str, dict[str, Any]]:
    """The method of the run and its options: what was asked for, or Radau IIA where it covers the model."""
    checks.choice(derivatives, DERIVATIVES, "derivatives", where)
    if isinstance(method, str) and method in DERIVATIVES:
        raise SolverError(
            f"{where}: method is the one of the run, as in simulate: {' or '.join(map(repr, RUNS))}; how it is "
            f"differentiated says derivatives={method!r}"
        )
    if method is not None:
        checks.choice(method, RUNS, "method", where)
    if initial is not None:
        checks.choice(initial, STARTS, "initial", where)
    own = names_of_options(METHODS["generalized_alpha"]) - names_of_options(METHODS["radau"])
    why = None
    if method is None:
        why = _why_not_radau(system)
        method = "generalized_alpha" if set(options) & own or derivatives == "adjoint" or why else "radau"
    elif method == "radau" and (why := _why_not_radau(system)):
        raise SolverError(f"{where}: {why}; take method='generalized_alpha' with a step")
    _refuse(method, derivatives, options, initial, over_time, why, system, where)
    return method, checked_options(method, METHODS, options, where)


def _refuse(
    method: str,
    derivatives: str,
    options: dict[str, Any],
    initial: Any,
    over_time: bool,
    why: str | None,
    system: System,
    where: str,
) -> None:
    """Refuse what a method does not differentiate."""
    fixed = [name for name in ("formulation", "rotations", "save_every") if options.get(name) is not None]
    if fixed:
        raise SolverError(f"{where}: derivatives are those of runs in absolute coordinates; leave {fixed[0]} out")
    if method == "radau":
        if derivatives == "adjoint":
            raise SolverError(
                f"{where}: runs by radau are differentiated forwards alone, derivatives='direct'; backwards take "
                "method='generalized_alpha' with a step"
            )
        return
    events = [f"the {x.where}" for x in system.model.events.values()]
    _refuse_instants(events, "method='radau', or leave events out", where)
    if options.get("step") is None:
        said = f"{why}, and by generalized_alpha" if why else "by generalized_alpha"
        raise SolverError(f"{where}: {said} derivatives are those of fixed steps; give step=…, in seconds")
    if options.get("tolerance") is not None or options.get("max_step") is not None:
        raise SolverError(f"{where}: derivatives by generalized_alpha are those of fixed steps; give step alone")
    if initial is not None:
        raise SolverError(
            f"{where}: derivatives of a run that begins at an equilibrium are computed by method='radau', "
            "which follows its error; leave step out"
        )
    if over_time and derivatives == "adjoint":
        raise SolverError(
            f"{where}: outputs at many times are as many quantities, each of which takes a march backwards; take "
            "derivatives='direct', or ask for the end and integrals"
        )


def _why_not_radau(system: System) -> str | None:
    """Why runs of a system by Radau IIA cannot be differentiated, if so."""
    switching = [x for x in system.model.events.values() if any(isinstance(action, Switch) for action in x.do)]
    if system.model.controllers and switching:
        return f"derivatives of runs by radau do not go through {switching[0].where} beside controllers"
    if system.plan.friction:
        return "derivatives of runs by radau do not go through friction by a joint's own force"
    if np.any(system.plan.groups[:, FOUND] != 0):
        return "derivatives of runs by radau do not go through components that read others"
    return None


def refuse_states(system: System, where: str) -> None:
    """Refuse mechanisms whose forces are no smooth functions of the motion between events."""
    refuse_sticking(system, where)
    refuse_searches(system, where)
    if system.model.controllers:
        refuse_joint_friction(system, where)
    instants = [f"the {x.where}" for x in system.model.components.values() if x.switches_itself]
    _refuse_instants(instants, "leave jets out", where)


def _refuse_instants(instants: list[str], instead: str, where: str) -> None:
    if instants:
        raise SolverError(
            f"{where}: it has {', '.join(instants)}, and derivatives do not go through instants that move with "
            f"the parameters; take differences of whole runs (flexmb.study), or {instead}"
        )
