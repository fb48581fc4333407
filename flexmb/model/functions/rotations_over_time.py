"""Rotations as functions of time, as users say them: what drives of orientations follow, and what attitude sensors
measure against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, RotationSpline

from flexmb.errors import ModelError
from flexmb.kernels.rotation_functions import EULER, TABLE, VECTOR
from flexmb.model import checks
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.orientations import axes_that_turn, checked_sequence, quaternion_of, rotation_of, scalar_first


def is_rotation(given: Any) -> bool:
    """Whether a user gave rotations or a matrix, and not three functions."""
    return isinstance(given, Rotation) or checks.shape_of(given) == (3, 3)


def checked_rotation(
    rotation: Any,
    times: Any,
    sequence: str | None,
    where: str,
    read: Callable[[Any, str, str], TimeFunction] = as_function,
) -> tuple[Any, Any]:
    """A rotation and its times, checked; `read` makes functions of time of what a user gave.

    `rotation` is one of: rotations of SciPy at the `times` (n,) [s]; three functions of time, or numbers, the Euler
    angles [rad] of a `sequence`; three functions without one, the rotation vector [rad]; a rotation or a matrix, held.
    """
    if times is not None:
        times = _checked_times(rotation, times, where)
    elif not is_rotation(rotation):
        given = checks.several(rotation, "rotation", where)
        if len(given) != 3:
            raise ModelError(
                f"{where}: rotation is {len(given)} functions of time; give three (Euler angles with their "
                "sequence, or a rotation vector), or rotations of SciPy with their times"
            )
        if sequence is not None:
            checked_sequence(sequence, where)
        return tuple(read(f, "rotation", where) for f in given), None
    elif isinstance(rotation, Rotation) and not rotation.single:
        raise ModelError(f"{where}: rotation is {len(rotation)} rotations; give their times, times=(n,)")
    else:
        quaternion_of(rotation, "rotation", where)
    if sequence is not None:
        raise ModelError(f"{where}: sequence is that of three Euler angles as functions of time; a rotation needs none")
    return rotation, times


def _checked_times(rotation: Any, times: Any, where: str) -> np.ndarray:
    """The times of a table of rotations."""
    times = checks.row(times, "times", where)
    if not isinstance(rotation, Rotation) or rotation.single:
        raise ModelError(f"{where}: times are those of several rotations of SciPy; rotation is none of these")
    if len(times) != len(rotation):
        raise ModelError(f"{where}: there are {len(times)} times and {len(rotation)} rotations; give as many of each")
    if len(times) < 2:
        raise ModelError(f"{where}: give at least two times, or one rotation without times to hold it")
    falling = np.flatnonzero(np.diff(times) <= 0.0)
    if falling.size:
        k = int(falling[0])
        raise ModelError(f"{where}: times must rise; after {times[k]:g} comes {times[k + 1]:g}")
    return times


def rotation_parameters(
    clock: TimeFunction, rotation: Any, times: Any, sequence: str | None, where: str
) -> Iterator[Any]:
    """The numbers of a checked rotation over time, in pieces (:mod:`flexmb.kernels.rotation_functions`); it is read at
    the time that a `clock` says."""
    yield clock.parameters()
    if times is not None:
        yield [TABLE, len(times), *times, *_table_rows(times, rotation).ravel()]
        return
    if is_rotation(rotation):
        vector = rotation_of(quaternion_of(rotation, "rotation", where)).as_rotvec()
        functions = tuple(as_function(float(x), "rotation", where) for x in vector)
    else:
        functions = rotation
    if sequence is None:
        yield [VECTOR]
    else:
        axes, order = axes_that_turn(sequence)
        yield [EULER, *axes]
        functions = functions[order]
    for f in functions:
        yield f.parameters()


def _table_rows(when: np.ndarray, rotations: Rotation) -> np.ndarray:
    """For each interval its quaternion and the cubics of its rotation vector (n − 1, 16)."""
    cubics = np.transpose(RotationSpline(when, rotations).interpolator.c[::-1], (1, 0, 2))
    return np.hstack([scalar_first(rotations[:-1]), cubics.reshape(-1, 12)])
