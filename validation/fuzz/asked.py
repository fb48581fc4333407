"""What can be asked of a solution by name, all of it, so that a run and its file can be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.results.beams.along import along_units
from flexmb.results.names import joint_coordinates


def frames_of(run: fm.Solution) -> list[str]:
    """The names of all frames of a solution."""
    return [*run.layout.frames, *run.layout.spatial]


def everything(run: fm.Solution) -> dict[str, Any]:
    """What can be asked of a solution by name: arrays, or the message of a refusal."""
    asked: dict[str, Callable[[], Any]] = {"energy": lambda: run.energy.total}
    for name in frames_of(run):
        asked[name] = lambda name=name: _numbers(run.track(name))
    series = [*run.layout.states, *joint_coordinates(run.layout)]
    series += [f"{name}@0.3.{what}" for name in run.layout.beams for what in along_units(run.layout)]
    for name in series:
        asked[name] = lambda name=name: run.series(name).values
    for name in run.layout.joints():
        asked[f"reaction of {name}"] = lambda name=name: np.hstack([np.ravel(x) for x in run.reaction(name)])
    for name in run.control:
        asked[f"commands of {name}"] = lambda name=name: np.hstack([run.control[name].y, run.control[name].u])
    found: dict[str, Any] = {}
    for name, ask in asked.items():
        try:
            found[name] = np.asarray(ask(), dtype=float)
        except fm.FlexmbError as error:
            found[name] = str(error)
    return found


def _numbers(track: Any) -> np.ndarray:
    """Places, velocities and accelerations of a track, and how it is turned."""
    turned = track.angle[:, None] if hasattr(track, "angle") else track.euler_parameters
    return np.hstack([track.position, track.velocity, track.acceleration, turned])
