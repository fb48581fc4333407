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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.analyses.kinematics.driven import drive_names
from flexmb.analyses.linear.outputs import Outputs
from flexmb.errors import ModelError, NamingError
from flexmb.model import given_names
from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.results.layout import Layout
from flexmb.results.meaning import spot_of
from flexmb.results.state import State
from flexmb.system.system import System

#: forces on a place: the coordinate of the place on which each does work, and its unit
PLACE_FORCES = {"fx": ("x", "N"), "fy": ("y", "N"), "moment": ("angle", "Nm")}
#: forces and torques on a place in space, with their units
SPATIAL_FORCES = {"fx": "N", "fy": "N", "fz": "N", "mx": "Nm", "my": "Nm", "mz": "Nm"}


@dataclass(frozen=True, eq=False)
class Inputs:
    """Named inputs: first the forces, with B (n, forces); then the drives, with E (m, drives) and the unit of what they
    prescribe. `asked` are the names in the order in which they were asked for; `columns`: functions of the state, which
    give those of B."""

    asked: list[str]
    forces: list[str]
    force_units: list[str]
    B: np.ndarray
    driven: list[str]
    drive_units: list[str]
    E: np.ndarray
    columns: Sequence[Callable[[State], np.ndarray]]

    def at(self, state: State) -> Inputs:
        """These inputs at another state of the system."""
        return replace(self, B=_matrix_of(self.columns, state))

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
    given_names.all_different(texts, "input", where)
    forces, force_units, columns, driven, drive_units, rows = [], [], [], [], [], []
    for name in texts:
        component = state.system.model.components.get(name)
        if component is not None and component.is_drive:
            driven.append(name)
            drive_units.append(component.prescribed_unit)
            rows.append(_drive_row(state.system, name, where))
            continue
        if component is not None and component.strength is not None:
            column, unit = _by_strength(component), component.strength_unit
        else:
            place = _by_place(state.system, name)
            if place is None:
                raise given_names.unknown(name, known, "input", where)
            column, unit = place
        forces.append(name)
        force_units.append(unit)
        columns.append(column)
    B = _matrix_of(columns, state)
    E = np.array(rows).reshape(len(rows), state.system.m).T
    return Inputs(texts, forces, force_units, B, driven, drive_units, E, columns)


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


def _matrix_of(columns: Sequence[Callable[[State], np.ndarray]], state: State) -> np.ndarray:
    """B (n, forces) at a state."""
    return np.array([column(state) for column in columns]).reshape(len(columns), state.system.n).T


def _by_strength(component: Component) -> Callable[[State], np.ndarray]:
    """−∂r/∂u: the equations are linear in a strength, so a difference over one unit is exact."""

    def column(state: State) -> np.ndarray:
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

    return column


def _by_place(system: System, name: str) -> tuple[Callable[[State], np.ndarray], str] | None:
    """Generalized forces (n,) of a unit force on a place as a function of the state, and the unit of the force; None if
    the name is not of a place."""
    head, _, tail = name.rpartition(".")
    in_space = system.model.dimension == 3
    if tail not in (SPATIAL_FORCES if in_space else PLACE_FORCES) or spot_of(Layout.of(system), head) is None:
        return None
    if in_space:
        coordinate, unit = f"{'v' if tail[0] == 'f' else 'w'}{tail[1]}", SPATIAL_FORCES[tail]
    else:
        coordinate, unit = PLACE_FORCES[tail]
    moved = Outputs(system, [f"{head}.{coordinate}"])

    def column(state: State) -> np.ndarray:
        by = _by_speeds(moved, state) if in_space else moved.derivatives(state).q[0]
        if not by.any():
            raise ModelError(f"input {name!r}: {head!r} is fixed; what acts there moves nothing")
        return by

    return column, unit


def _by_speeds(rate: Outputs, state: State) -> np.ndarray:
    """The derivatives (n,) of a speed of a place by all speeds. A force along it, or a torque about it, has the power
    of such generalized forces at any speeds."""
    system, (name,) = state.system, rate.names
    if name in rate.exact:
        return rate.derivatives(state).v[0]
    numbers, column = rate.coordinates_of(name), np.zeros(system.n)
    count = len(numbers)
    unit_speeds = np.zeros((count, system.n))
    unit_speeds[np.arange(count), numbers] = 1.0
    q, rest = np.tile(state.q, (count, 1)), np.zeros((count, system.n))
    at = np.full(count, state.t), q, unit_speeds, rest, np.zeros((count, system.m))
    column[numbers] = rate.values(*at)[:, 0]
    return column


def _drive_row(system: System, name: str, where: str) -> np.ndarray:
    """The column of E (m,) of a drive, whose row of g is its quantity less s."""
    row = np.zeros(system.m)
    own = system.prescribed_row(name)
    if own is None:
        raise ModelError(f"{where}: drive {name!r} has no part in the constraints; it was left out as redundant")
    row[own] = 1.0
    return row
