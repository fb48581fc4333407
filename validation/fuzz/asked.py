"""What can be asked of a solution by name, all of it, so that a run and its file can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    of_frames, of_joints = frames_of(run), run.layout.joints()
    series = [*run.layout.states, *joint_coordinates(run.layout)]
    series += [f"{name}@0.3.{what}" for name in run.layout.beams for what in along_units(run.layout)]
    asked: list[tuple[str, Callable[[str], Any], Iterable[str]]] = [
        ("energy", lambda _: run.energy.total, [""]),
        ("", lambda name: _numbers(run.track(name)), of_frames),
        ("", lambda name: run.series(name).values, series),
        ("reaction of ", lambda name: np.hstack([np.ravel(x) for x in run.reaction(name)]), of_joints),
        ("commands of ", lambda name: np.hstack([run.control[name].y, run.control[name].u]), run.control),
    ]
    found: dict[str, Any] = {}
    for what, ask, names in asked:
        for name in names:
            try:
                found[what + name] = np.asarray(ask(name), dtype=float)
            except fm.FlexmbError as error:
                found[what + name] = str(error)
    return found


def _numbers(track: Any) -> np.ndarray:
    """Places, velocities and accelerations of a track, and how it is turned."""
    turned = track.angle[:, None] if hasattr(track, "angle") else track.euler_parameters
    return np.hstack([track.position, track.velocity, track.acceleration, turned])
