"""Applied loads of a model over time, as arrows want them: where they act, and how strongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from flexmb.results.solution import Solution

#: arrows along a beam that a distributed load acts on
ARROWS = 9


@dataclass(frozen=True, eq=False)
class Load:
    """Forces (k, 2) [N] (of a `spread` load [N/m]) at places (k, 2) [m], or torques (k,) [Nm]."""

    name: str
    places: np.ndarray
    forces: np.ndarray | None = None
    torques: np.ndarray | None = None
    spread: bool = False


def applied_loads(solution: Solution, factors: Mapping[str, np.ndarray], moment: float | None = None) -> list[Load]:
    """What acts on the mechanism from outside, at the times of a solution with a model: forces, torques, distributed
    loads and forces in Python, with what controllers add; `factors` (k,) multiply the loads of those names;
    `moment`: the time [s] at which functions of time are read, the times of the solution when it is None."""
    from flexmb.forces.planar.distributed_load import DistributedLoad
    from flexmb.forces.planar.point_force import PointForce, PointTorque
    from flexmb.forces.planar.python_force import PythonForce

    assert solution.model is not None
    clock = solution.t if moment is None else np.full(len(solution.t), moment)
    found: list[Load] = []
    for name, part in solution.model.components.items():
        if isinstance(part, PointForce):
            track = solution.track(part.frame.name)
            turn = track.angle if part.follower else np.zeros(len(solution.t))
            vector = _turned(np.tile(part.force, (len(turn), 1)), turn)
            found.append(Load(name, track.position, strength(solution, part, factors, clock)[:, None] * vector))
        elif isinstance(part, PointTorque):
            place = solution.track(part.frame.name).position
            found.append(Load(name, place, torques=strength(solution, part, factors, clock)))
        elif isinstance(part, DistributedLoad):
            found += _spread(solution, part, strength(solution, part, factors, clock))
        elif isinstance(part, PythonForce):
            found += _python(solution, part, clock)
    return found


def strength(solution: Solution, part: Any, factors: Mapping[str, np.ndarray], clock: np.ndarray) -> np.ndarray:
    """How strongly a load acts (k,): its function of time, times its factor, plus what a controller commands."""
    given = part.function(part.strength)
    out = np.array([given(t) for t in clock.tolist()]) * factors.get(part.name, 1.0)
    for log in solution.control.values():
        if part.name in log.commands:
            out += log.at(part.name, solution.t)
    return out


def _spread(solution: Solution, part: Any, size: np.ndarray) -> list[Load]:
    """A distributed load as loads at places along its beam."""
    beam = part.beam.name
    places = solution.places(beam, ARROWS)
    axis = solution.axis(beam, ARROWS)
    turn = solution.along(beam, "angle", ARROWS) if part.follower else np.zeros(axis.shape[:2])
    found = []
    for j, s in enumerate(places):
        density = (1.0 - s) * part.density[0] + s * part.density[1]
        forces = size[:, None] * _turned(np.tile(density, (len(size), 1)), turn[:, j])
        found.append(Load(part.name, axis[:, j], forces, spread=True))
    return found


def _python(solution: Solution, part: Any, clock: np.ndarray) -> list[Load]:
    """What a function of Python gives, at each of its frames."""
    tracks = [solution.track(frame.name) for frame in part.frames()]
    single = len(tracks) == 1
    rows = np.zeros((len(solution.t), len(tracks), 3))
    for k, t in enumerate(clock.tolist()):
        position = tuple(tuple(track.values[k, 0:3].tolist()) for track in tracks)
        velocity = tuple(tuple(track.values[k, 3:6].tolist()) for track in tracks)
        if single:
            rows[k, 0] = part.function(t, position[0], velocity[0])
        else:
            rows[k] = part.function(t, position, velocity)
    found = []
    for j, track in enumerate(tracks):
        found.append(Load(part.name, track.position, rows[:, j, :2]))
        if np.any(rows[:, j, 2]):
            found.append(Load(part.name, track.position, torques=rows[:, j, 2]))
    return found


def _turned(vectors: np.ndarray, angle: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)
