"""What a view shows: a solution from anything that has one, and what its times mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.analyses.statics.load_path import LoadPath
from flexmb.analyses.vibration.mode_shapes import AnyModes
from flexmb.errors import ModelError
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.state import as_solution
from flexmb.system.system import System

#: how long the points of a path, and one swing of a mode, are shown at speed 1 [s]
PATH_SECONDS, MODE_SECONDS = 5.0, 2.0


@dataclass(frozen=True, eq=False)
class Shown:
    """A solution; `clock`: what its times are called; `seconds`: how long it is shown (its own duration when None);
    `caption`: what is written instead of times; `factors` of loads over its times by name, (times, factors); `moment`:
    the time [s] at which loads stand that are functions of time (its own times when None); `without_loads` and
    `without_joint_forces`: why it has none of them, empty where it has."""

    solution: Solution
    clock: str = "t [s]"
    seconds: float | None = None
    caption: str = ""
    factors: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    moment: float | None = None
    without_loads: str = ""
    without_joint_forces: str = ""

    @classmethod
    def of(cls, shown: Any, mode: int | None = None) -> Shown:
        """What is shown of a solution, a model, a state, an equilibrium, a load path, or of modes their `mode`."""
        if isinstance(shown, AnyModes):
            return _of_modes(shown, 0 if mode is None else mode)
        if mode is not None:
            raise ModelError(f"view: {_kind(shown)} has no modes; give fm.modes(…), or leave out mode")
        return _of_solution(shown)


def _of_solution(shown: Any) -> Shown:
    if isinstance(shown, Model):
        return Shown(_as_described(shown), without_joint_forces="a model without a run knows no joint forces")
    if isinstance(shown, LoadPath):
        order = np.arange(float(len(shown)))
        factors = {name: (order, shown.factor) for name in shown.loads}
        return Shown(shown.ordered(order), "point", PATH_SECONDS, factors=factors, moment=shown.balance.t)
    solution = shown if isinstance(shown, Solution) else getattr(shown, "solution", None)
    if not isinstance(solution, Solution):
        raise ModelError(
            f"view: {_kind(shown)} is nothing that can be seen; give a model, a solution, a state, an equilibrium, a "
            "load path or modes"
        )
    filed = "a solution from a file has no model, which knows the loads" if solution.model is None else ""
    if getattr(solution, "drive", None) is not None:  # the range of a drive, not of time: loads stand as at t = 0
        return Shown(solution, solution.time_label, PATH_SECONDS, moment=0.0, without_loads=filed)
    return Shown(solution, solution.time_label, without_loads=filed)


def _of_modes(modes: Any, mode: int) -> Shown:
    swing = modes.motion(mode)
    nothing = "a mode shape knows neither loads nor joint forces"
    caption = modes.title(range(len(modes))[int(mode)])  # a wrong number did not get here
    return Shown(swing, "", MODE_SECONDS, caption, without_loads=nothing, without_joint_forces=nothing)


def _as_described(model: Any) -> Solution:
    """A model as it was described, whether its joints meet or not, with no speeds."""
    system = System(model)
    rest = np.zeros((1, system.n))
    return as_solution(
        system, np.zeros(1), system.q0[None, : system.n], rest, rest.copy(), np.zeros((1, system.m)), still=True
    )


def _kind(shown: Any) -> str:
    text = repr(shown)
    return text if len(text) <= 60 else f"an object of type {type(shown).__name__}"
