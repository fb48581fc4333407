"""The loads on a mechanism over time, by the names of its components: applied loads, and reactions of joints."""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.appearance import Load
from flexmb.results.recorded import Recorded
from flexmb.results.strengths import strength_over_time
from flexmb.visual.stage.scales import Selection


def applied_loads(solution: Recorded, selection: Selection) -> dict[str, list[Load]]:
    """The applied loads that the components of a solution's model state."""
    assert solution.model is not None
    times = solution.t if selection.load_time is None else np.full(len(solution.t), selection.load_time)
    factors = {name: np.interp(solution.t, *given) for name, given in selection.factors.items()}
    loads = {}
    for name, component in solution.model.components.items():
        strength = strength_over_time(solution, component, times, factors)
        several = checks.several(component.loads(solution, times, strength), "loads", component.where)
        given = [_at_all_times(load, len(times), solution.layout.dimension, component.where) for load in several]
        on = solution.is_on(name)
        if not on.all():
            given = [_while_on(load, on) for load in given]
        if given:
            loads[name] = given
    return loads


def reactions(solution: Recorded, joint: str) -> list[Load]:
    """The force and moment of a joint on its frame b."""
    force, moment = solution.reaction(joint)
    place = solution.track(solution.layout.pairs[joint].b).position
    # a moment that the joint cannot transmit is nothing but rounding
    transmitted = np.max(np.abs(moment), initial=0.0) > 1e-9 * np.max(np.abs(force), initial=0.0)
    return [Load(place, force, moment if transmitted else None)]


def _while_on(load: Load, on: np.ndarray) -> Load:
    """A load that is zero at the times at which its component takes no part."""
    forces, torques = (
        None if x is None else x * on.reshape(-1, *[1] * (x.ndim - 1)) for x in (load.forces, load.torques)
    )
    return Load(load.places, forces, torques, spread=load.spread)


def _at_all_times(load: Load, k: int, dimension: int, where: str) -> Load:
    """A load with numbers for each of k times; torques that are always zero are left out."""
    vector = (dimension,)
    if not isinstance(load, Load):
        raise ModelError(f"{where}: loads gave {checks.quoted(load)}; give a list of flexmb.model.appearance.Load")
    arrays = {}
    for what, columns in (("places", vector), ("forces", vector), ("torques", () if dimension == 2 else vector)):
        given = getattr(load, what)
        if given is None:
            continue
        try:
            arrays[what] = np.broadcast_to(np.asarray(given, dtype=float), (k, *columns))
        except ValueError:
            raise ModelError(
                f"{where}: loads gave {what} of shape {np.shape(given)}; they must be {(k, *columns)}, a row for each "
                "time of the solution"
            ) from None
    if not np.any(arrays.get("torques", 0.0)):
        arrays.pop("torques", None)
    return Load(**arrays, spread=load.spread)
