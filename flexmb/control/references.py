"""Motions that controllers shall follow: functions of time, and the motion of a run that is replayed.

A run is known at the times of its steps. Its motion becomes cubic splines through these values, whose rates and second
rates are derivatives of the very same splines, so that errors, their rates and their accelerations belong together.
Steps of methods of higher order are long: they are first divided (:meth:`flexmb.Solution.at`). Before the first and
after the last time the motion holds its ends, at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.algebra.precision import TIME_ROUNDING
from flexmb.errors import ControlError, NamingError
from flexmb.feedback.sensors import Sensor
from flexmb.kernels import slots
from flexmb.kernels.compilation import called
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotation_functions import rotation_function
from flexmb.kernels.rotations import inverse, product
from flexmb.machine.threads import in_turn
from flexmb.model import checks
from flexmb.model.appearance import JointPlace
from flexmb.model.functions.rotations_over_time import checked_rotation, rotation_parameters
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.model.functions.splines import Spline
from flexmb.model.functions.time_function import TimeFunction, as_motion
from flexmb.results.solution import Solution

#: half the angle [rad] by which the axes of a joint may differ between two models
SAME_AXES = 1e-6
#: parts into which steps of methods of an order above 2 are divided
PARTS = 4
#: a step, as a part of the median step, below which a spline gets no knot: second differences of its ends would be
#: their round-off, as where a step leads over a kink alone (4e-15 s), or a method begins with careful steps
SHORTEST = 1e-3
#: a jump of positions at an instant, in m or rad, and of speeds, as a part of their largest, that is rounding
SAME, SAME_SPEED = 1e-9, 1e-6


@by_reference
class Table(NamedTuple):
    """The numbers of several functions of time, one behind the other; where each begins, `first` (k,); their values,
    rates and second rates, `found` (3, k)."""

    numbers: np.ndarray
    first: np.ndarray
    found: np.ndarray


class Motions(list[TimeFunction]):
    """Functions of time that are evaluated together.

    >>> import flexmb as fm
    >>> Motions([fm.Polynomial([1.0, 2.0]), fm.Polynomial([0.0, 0.0, 3.0])]).at(2.0).tolist()
    [[5.0, 12.0], [2.0, 12.0], [0.0, 6.0]]
    """

    @cached_property
    def _evaluate(self) -> Lent:
        rows = [motion.parameters() for motion in self]
        first = np.cumsum([0, *map(len, rows)])[:-1].astype(np.int64)
        return Lent(evaluate, Table(np.concatenate(rows), first, np.zeros((3, len(rows)))))

    @in_turn
    def at(self, t: float) -> np.ndarray:
        """Values, rates and second rates (3, k) at a time [s]."""
        self._evaluate(t)
        return np.array(self._evaluate.lent.found)


@called(int)
def evaluate(table, t):
    for k in range(table.first.shape[0]):
        table.found[0, k], table.found[1, k], table.found[2, k] = slots.time_function(table.numbers, table.first[k], t)
    return 0


def joint_motions(
    wanted: Any, sensors: Mapping[str, tuple[Sensor, Sensor]], where: str, what: str
) -> list[TimeFunction]:
    """Functions of time for joint coordinates: of a solution, a mapping from their names, or a row in their order.

    `sensors`: what reads each coordinate of a solution and its rate, by names."""
    names = list(sensors)
    if isinstance(wanted, Solution):
        times = _times(wanted, where)
        found = _readings(wanted, sensors, times, where)
        return [Spline(times, x) for x in found]
    if isinstance(wanted, Mapping):
        others = [name for name in wanted if name not in names]
        if others:
            raise ControlError(
                f"{where}: {what} has {', '.join(map(repr, others))}, which no actuator of the chain moves; these move "
                f"{', '.join(names)}"
            )
        missing = [name for name in names if name not in wanted]
        if missing:
            raise ControlError(f"{where}: {what} lacks {', '.join(map(repr, missing))}; give a number at least")
        given = [wanted[name] for name in names]
    else:
        given = checks.several(wanted, what, where)
        if len(given) != len(names):
            raise ControlError(
                f"{where}: {what} has {len(given)} functions of time; give one for each of {', '.join(names)}"
            )
    return [as_motion(f, f"{what} of {name!r}", where) for f, name in zip(given, names)]


def place_motions(wanted: Any, frame: str, dimension: int, where: str) -> list[TimeFunction]:
    """Functions of time for the position of a frame: of a solution that has it, or one for each component."""
    if isinstance(wanted, Solution):
        times = _times(wanted, where)
        track = _track(wanted, frame, where)
        _refuse_jumps(wanted, track.position, track.velocity, frame, where)
        place = _track(_at(wanted, times), frame, where).position
        return [Spline(times, x) for x in place.T]
    given = checks.several(wanted, "wanted", where)
    if len(given) != dimension:
        raise ControlError(
            f"{where}: wanted has {len(given)} functions of time; the position of {frame!r} has {dimension} components"
        )
    return [as_motion(f, f"wanted position {axis} of {frame!r}", where) for f, axis in zip(given, "xyz")]


class WantedRotation:
    """An orientation over time in space, as drives take it, or that of a frame in a solution."""

    def __init__(self, rotation: Any, times: Any, sequence: str | None, frame: str, where: str) -> None:
        if isinstance(rotation, Solution):
            if times is not None or sequence is not None:
                raise ControlError(f"{where}: rotation is a solution, which has its own times; leave out the others")
            times = _times(rotation, where)
            track = _track(_at(rotation, times), frame, where)
            rotation = Rotation.from_quat(track.euler_parameters, scalar_first=True)
        given, times = checked_rotation(rotation, times, sequence, where, as_motion)
        clock = Polynomial([0.0, 1.0])
        self._row = np.concatenate([*rotation_parameters(clock, given, times, sequence, where)])

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """R (3, 3), and ω and ω̇ (3,) in the axes of the ground."""
        quaternion, omega, alpha = rotation_function(self._row, 0, float(t))
        R = Rotation.from_quat(quaternion, scalar_first=True).as_matrix()
        return R, R @ np.array(omega), R @ np.array(alpha)


def planar_angle(rotation: Any, frame: str, where: str) -> TimeFunction:
    """The angle of a frame of the plane over time: a function, a number, or that in a solution."""
    if isinstance(rotation, Solution):
        times = _times(rotation, where)
        return Spline(times, _track(_at(rotation, times), frame, where).angle)
    return as_motion(rotation, f"wanted angle of {frame!r}", where)


def same_axes(one: JointPlace, other: JointPlace) -> bool:
    """Whether the coordinates of two joints in space count from the same position."""
    pairs = ((one.axes_a, other.axes_a), (one.axes_b, other.axes_b))
    return all(np.abs(product(inverse(tuple(a)), tuple(b))[1:]).max() <= SAME_AXES for a, b in pairs)


def _times(solution: Solution, where: str) -> np.ndarray:
    """The times of a solution through which splines go, rising. Its ends are part of it, also for the instant of a
    controller that is theirs but for round-off, and so the first and the last time lie outside by that."""
    if solution.still:
        raise ControlError(f"{where}: {solution.where} is a row of equilibria, not a motion in time")
    t = _apart(solution.t)
    if len(t) < 2:
        raise ControlError(f"{where}: {solution.where} has one time; give a run")
    if solution.order > 2:
        t = np.append((t[:-1, None] + np.diff(t)[:, None] * np.arange(PARTS) / PARTS).ravel(), t[-1])
    t = np.array(t)
    t[[0, -1]] += TIME_ROUNDING * np.max(np.abs(t)) * np.array([-1.0, 1.0])
    return t


def _at(solution: Solution, times: np.ndarray) -> Solution:
    """A solution at :func:`_times` of it."""
    return solution.at(np.clip(times, solution.t[0], solution.t[-1]))


def _apart(times: np.ndarray) -> np.ndarray:
    """The times of steps, rising, without those that would be too near each other; the ends of the run stay."""
    once = np.unique(times)
    if len(once) < 3:
        return once
    kept, least = [float(once[0])], SHORTEST * float(np.median(np.diff(once)))
    for t in once[:-1].tolist():
        if t - kept[-1] > least and once[-1] - t > least:
            kept.append(t)
    return np.array([*kept, once[-1]])


def _readings(
    solution: Solution, sensors: Mapping[str, tuple[Sensor, Sensor]], times: np.ndarray, where: str
) -> list[np.ndarray]:
    """Coordinates of joints at these times of a solution."""
    found, there = [], _at(solution, times)
    for name, (place, rate) in sensors.items():
        try:
            joint = getattr(place, "joint", None)  # of a sensor in space
            if joint is not None and not same_axes(joint.place().joint, solution[joint.name].place):
                raise ControlError(
                    f"{where}: in {solution.where} {joint.where} starts otherwise than in the chain, and its "
                    "coordinates count from another place; build both in the same position"
                )
            _refuse_jumps(solution, place.readings(solution), rate.readings(solution), name, where)
            found.append(place.readings(there))
        except NamingError as error:
            raise ControlError(
                f"{where}: {solution.where} has no {name!r}, which shall be followed: {error}"
            ) from error
    return found


def _track(solution: Solution, frame: str, where: str) -> Any:
    try:
        return solution.track(frame)
    except NamingError as error:
        raise ControlError(f"{where}: {solution.where} has no frame {frame!r}: {error}") from error


def _refuse_jumps(solution: Solution, place: np.ndarray, speed: np.ndarray, name: str, where: str) -> None:
    """Refuse a motion that jumps at an event."""
    largest = np.abs(speed).max(initial=0.0)
    for k in np.flatnonzero(np.diff(solution.t) == 0.0).tolist():
        if np.abs(place[k + 1] - place[k]).max() > SAME or np.abs(speed[k + 1] - speed[k]).max() > SAME_SPEED * largest:
            raise ControlError(
                f"{where}: in {solution.where} the motion of {name!r} jumps at t = {solution.t[k]:g} s, and no force "
                "could do that; give a motion without impacts"
            )
