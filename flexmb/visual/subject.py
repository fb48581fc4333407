"""The subject of a view: the solution of anything that has one, and the meaning of its times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexmb.analyses.statics.load_path import LoadPath
from flexmb.analyses.vibration.mode_shapes import AnyModes
from flexmb.errors import ModelError
from flexmb.model.appearance import BodyPlace
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.state import as_solution
from flexmb.system.system import System

#: the duration of a load path, and of one swing of a mode, at speed 1 [s]
PATH_SECONDS, MODE_SECONDS = 5.0, 2.0


@dataclass(frozen=True, eq=False)
class Subject:
    """A solution to be shown; `clock`: the name of its times; `seconds`: the duration of the show (of the solution
    itself when None); `caption`: a text instead of times; `factors` of loads over its times by name, (times, factors);
    `load_time` [s]: the time at which loads as functions of time are evaluated (the times of the solution when None);
    `without_loads` and `without_joint_forces`: why it has none of them, empty if it has."""

    solution: Solution
    clock: str = "t [s]"
    seconds: float | None = None
    caption: str = ""
    factors: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    load_time: float | None = None
    without_loads: str = ""
    without_joint_forces: str = ""

    @classmethod
    def of(cls, shown: Any, mode: int | None = None) -> Subject:
        """The subject made from a solution, a model, a state, an equilibrium, a load path, or one `mode` of modes."""
        if isinstance(shown, AnyModes):
            subject = _of_modes(shown, 0 if mode is None else mode)
        elif mode is not None:
            raise ModelError(f"view: {_kind(shown)} has no modes; give fm.modes(…), or leave out mode")
        else:
            subject = _of_solution(shown)
        return subject


def _of_solution(shown: Any) -> Subject:
    if isinstance(shown, Model):
        return Subject(_as_described(shown), without_joint_forces="a model without a run knows no joint forces")
    if isinstance(shown, LoadPath):
        order = np.arange(float(len(shown)))
        factors = {name: (order, shown.factor) for name in shown.loads}
        return Subject(shown.ordered(order), "point", PATH_SECONDS, factors=factors, load_time=shown.balance.t)
    solution = shown if isinstance(shown, Solution) else getattr(shown, "solution", None)
    if not isinstance(solution, Solution):
        raise ModelError(
            f"view: {_kind(shown)} is nothing that can be seen; give a model, a solution, a state, an equilibrium, a "
            "load path or modes"
        )
    filed = "a solution from a file has no model, which knows the loads" if solution.model is None else ""
    if getattr(solution, "drive", None) is not None:  # its times are those of a drive, so loads are taken at t = 0
        return Subject(solution, solution.time_label, PATH_SECONDS, load_time=0.0, without_loads=filed)
    return Subject(solution, solution.time_label, without_loads=filed)


def _of_modes(modes: Any, mode: int) -> Subject:
    swing = modes.motion(mode)
    # wheels of constant speed are left as they are: their turns have nothing to do with the period of the mode
    bodies = swing.layout.bodies.items()
    swing.layout = replace(swing.layout, bodies={name: _without_speed(body) for name, body in bodies})
    nothing = "a mode shape knows neither loads nor joint forces"
    caption = modes.title(range(len(modes))[int(mode)])  # motion has refused a wrong number
    return Subject(swing, "", MODE_SECONDS, caption, without_loads=nothing, without_joint_forces=nothing)


def _without_speed(body: BodyPlace) -> BodyPlace:
    """A body that does not turn at a constant speed on the body that carries it."""
    return body if body.spin is None else replace(body, spin=replace(body.spin, speed=0.0))


def _as_described(model: Model) -> Solution:
    """A model as it was described, at rest, even if its joints do not close."""
    system = System(model)
    q, zero, lam = system.q0[None, :], np.zeros((1, system.n)), np.zeros((1, system.m))
    return as_solution(system, np.zeros(1), q, zero, zero.copy(), lam, still=True)


def _kind(shown: Any) -> str:
    """What was given, as messages name it."""
    text = repr(shown)
    return text if len(text) <= 60 else f"an object of type {type(shown).__name__}"
