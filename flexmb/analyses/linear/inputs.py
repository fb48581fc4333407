"""Inputs of linear models: what acts on a mechanism from outside, by name.

    'push'                 the strength of a component: the factor of a force or a distributed load [–], a torque or the
                           torque of a motor [Nm], the force of an actuator [N]
    'rod.end.fx', '.fy'    a force [N] on a frame, a body or a point of a beam, in the axes of space
    'rod.end.moment'       a torque [Nm] there
    'box.fz', 'box.mx'     in space: forces .fx, .fy, .fz and torques .mx, .my, .mz about the axes of the ground
    'crank motor'          of a component that prescribes a motion: the *acceleration* of what it prescribes

A strength u enters the equations of motion as B u. A prescribed motion s enters the constraints, g(q) = E s, and so do
its two rates: s̈ is the input, s and ṡ become states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.analyses.kinematics.driven import drive_names
from flexmb.analyses.linear.outputs import Outputs
from flexmb.errors import ModelError, NamingError
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.results import names as naming
from flexmb.results.state import State, as_solution
from flexmb.results.tracks.spatial_track import Track
from flexmb.system.system import System

#: forces on a place: the coordinate of the place on which each does work, and its unit
PLACE_FORCES = {"fx": ("x", "N"), "fy": ("y", "N"), "moment": ("angle", "Nm")}
#: forces and torques on a place in space, with their units
SPATIAL_FORCES = {"fx": "N", "fy": "N", "fz": "N", "mx": "Nm", "my": "Nm", "mz": "Nm"}

_FIXED = "input {name!r}: {place!r} is fixed; what acts there moves nothing"


@dataclass(frozen=True, eq=False)
class Inputs:
    """Named inputs: first the forces, with B (n, forces); then the drives, with E (m, drives) and the unit of what they
    prescribe. `asked` are the names in the order in which they were asked for."""

    asked: list[str]
    forces: list[str]
    force_units: list[str]
    B: np.ndarray
    driven: list[str]
    drive_units: list[str]
    E: np.ndarray

    @property
    def names(self) -> list[str]:
        """Names of all inputs, forces first."""
        return [*self.forces, *self.driven]

    @property
    def order(self) -> list[int]:
        """The place of each name of `asked` among all `names`."""
        return [self.names.index(name) for name in self.asked]

    @property
    def units(self) -> list[str]:
        """Units of all inputs; those of drives are of accelerations."""
        return [*self.force_units, *(f"{unit}/s²" for unit in self.drive_units)]


def chosen_inputs(state: State, names: Sequence[Any] | Any, where: str) -> Inputs:
    """The inputs of these names at a state; there may be none."""
    given = names if isinstance(names, list | tuple) else [names]
    known = input_names(state.system.model)
    texts = [_text(x, where) for x in given]
    checks.all_different(texts, "input", where)
    forces, force_units, columns, driven, drive_units, rows = [], [], [], [], [], []
    for name in texts:
        component = state.system.model.components.get(name)
        if component is not None and component.is_drive:
            driven.append(name)
            drive_units.append(component.prescribed_unit)
            rows.append(_drive_row(state.system, name, where))
            continue
        if component is not None and component.strength is not None:
            column, unit = _by_strength(state, component), component.strength_unit
        else:
            place = _by_place(state, name)
            if place is None:
                raise checks.unknown(name, known, "input", where)
            column, unit = place
        forces.append(name)
        force_units.append(unit)
        columns.append(column)
    B = np.array(columns).reshape(len(columns), state.system.n).T
    E = np.array(rows).reshape(len(rows), state.system.m).T
    return Inputs(texts, forces, force_units, B, driven, drive_units, E)


def input_names(model: Model) -> list[str]:
    """Names that an input may have; of all places only frames and bodies are listed."""
    strengths = [name for name, component in model.components.items() if component.strength is not None]
    places = [name for name, frame in model.frames.items() if not frame.node.fixed]
    forces = SPATIAL_FORCES if model.dimension == 3 else PLACE_FORCES
    every = [*strengths, *drive_names(model), *(f"{place}.{force}" for place in places for force in forces)]
    return list(dict.fromkeys(every))


def _text(name: Any, where: str) -> str:
    """The name of an input, given by name or as a component."""
    text = name if isinstance(name, str) else getattr(name, "name", None)
    if not isinstance(text, str):
        raise NamingError(f"{where}: {name!r} is no input; give the name of a component or of a force on a place")
    return text


def _by_strength(state: State, component: Component) -> np.ndarray:
    """−∂r/∂u: the equations are linear in a strength, so a difference over one unit is exact."""
    system = state.system
    if component.name in system.off:
        raise ModelError(f"input {component.name!r}: {component.where} is off, and acts on nothing; switch it on")
    places = system.strength_places(component.name)
    before = system.plan.p[places]
    own = float(component.function(str(component.strength))(state.t))

    def residual(value: float) -> np.ndarray:
        system.plan.p[places] = value - own
        return system.residual(state.t, state.q, state.v, state.a)

    try:
        return residual(0.0) - residual(1.0)
    finally:
        system.plan.p[places] = before


def _by_place(state: State, name: str) -> tuple[np.ndarray, str] | None:
    """Generalized forces (n,) of a unit force on a place, which are the place's derivatives by the coordinates; and the
    unit of the force. None if the name is not of a place."""
    head, _, tail = name.rpartition(".")
    solution = state.solution
    if tail in SPATIAL_FORCES and isinstance(naming.find_track(solution, head), Track):
        return _by_place_in_space(state, name), SPATIAL_FORCES[tail]
    if tail not in PLACE_FORCES or state.system.model.dimension == 3:
        return None
    if naming.find_track(solution, head) is None:
        return None
    coordinate, unit = PLACE_FORCES[tail]
    column = Outputs(state.system, [f"{head}.{coordinate}"]).derivatives(state).q[0]
    if not column.any():
        raise ModelError(_FIXED.format(name=name, place=head))
    return column, unit


def _by_place_in_space(state: State, name: str) -> np.ndarray:
    """Generalized forces (n,) of a unit force or torque on a place in space, along or about an axis of the ground:
    those that have its power at any speeds."""
    system, (head, _, tail) = state.system, name.rpartition(".")
    rate = f"{head}.{'v' if tail[0] == 'f' else 'w'}{tail[1]}"
    numbers = Outputs(system, [rate]).coordinates_of(rate)
    count = len(numbers)
    if not count:
        raise ModelError(_FIXED.format(name=name, place=head))
    unit_speeds = np.zeros((count, system.n))
    unit_speeds[np.arange(count), numbers] = 1.0
    q, rest = np.tile(state.q, (count, 1)), np.zeros((count, system.n))
    solution = as_solution(system, np.full(count, state.t), q, unit_speeds, rest, np.zeros((count, system.m)))
    column = np.zeros(system.n)
    column[numbers] = solution.series(rate).values
    return column


def _drive_row(system: System, name: str, where: str) -> np.ndarray:
    """The column of E (m,) of a drive, whose row of g is its quantity less s."""
    row = np.zeros(system.m)
    own = system.prescribed_row(name)
    if own is None:
        raise ModelError(f"{where}: drive {name!r} has no part in the constraints; it was left out as redundant")
    row[own] = 1.0
    return row
