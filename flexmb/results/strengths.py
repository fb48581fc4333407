"""The strength of components over the times of a solution, and what heat takes from the forces of a beam's sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.model.components import Component
from flexmb.model.functions.time_function import TimeFunction
from flexmb.results.recorded import Recorded

#: of a load path the components that a factor scales, with the values (k,) of the factor
Factors = Mapping[str, np.ndarray]


def strength_over_time(solution: Recorded, component: Component, times: np.ndarray, factors: Factors) -> np.ndarray:
    """The strength of a component (k,): its function of time at the `times` (k,), times its factor, plus what
    controllers, states and whoever began the run command; 1 if it has no strength."""
    assert solution.model is not None
    out = np.ones(len(times))
    if component.strength is not None:
        out = component.function(component.strength)(times)
    if component.name in factors:
        out = out * factors[component.name]
    commanded: Any = getattr(solution.source, "commanded", {}).get(component.name)
    if commanded is not None:
        out = out + (commanded(times) if isinstance(commanded, TimeFunction) else commanded)
    for log in solution.control.values():
        if component.name in log.commands:
            out = out + log.at(component.name, solution.t)
    for law in solution.model.components.values():
        own: Any = getattr(law, "commands", ())
        if hasattr(law, "decided") and component in own:
            out = out + law.decided(solution)[:, list(own).index(component)]
    return np.asarray(out)


def loads_of_heat(solution: Recorded, beam: str) -> list[Component]:
    """The components that heat a beam."""
    if solution.model is None:
        return []
    return [c for c in solution.model.components.values() if c.heated is not None and c.heated.name == beam]


def times_of_loads(solution: Recorded) -> np.ndarray:
    """The times (k,) at which functions of time are read."""
    return solution.t if solution.load_time is None else np.full(len(solution.t), solution.load_time)
