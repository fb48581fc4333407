"""Quantities read in a state in compiled code: one table for the plane and for space.

They are formulas that are called by their addresses (:mod:`flexmb.quantities.quantity`), but for Euler angles, which go
on together from one reading to the next (:mod:`flexmb.kernels.euler_angles`). Some formulas read, in the place of
accelerations, what the system has to find first: the force on a node, a section of a beam, the numbers of the mechanism
as a whole.

An orientation gives angles up to whole turns. Their number follows from the previous reading and the rates at both; if
that is ambiguous, the reading is marked doubtful, and the run ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.euler_angles import (
    AGREEING,
    DOUBTFUL,
    LAST_ANGLES,
    LAST_RATES,
    LAST_TIME,
    LOST,
    MEMORY,
    UNSURE,
    read_angles,
    turn_of,
    whole_turns,
)
from flexmb.kernels.formula import value_at
from flexmb.kernels.references import by_reference
from flexmb.kernels.slots import strength_at
from flexmb.kernels.views import vector_view
from flexmb.system.evaluation import energies, instance_force, points, sections
from flexmb.system.whole import LOADS, ROOM, WIDTH, add_loads, levers, whole_now

# kinds of readings: a formula of the state; one of an angle up to whole turns, with that of its rate; of the force on a
# node, of a point and of a section of a beam, of the mechanism as a whole, of its energies; Euler angles
FUNCTION_OF_STATE, COUNTED, NODE_FORCE, POINT, SECTION, WHOLE, ENERGIES, EULER = range(8)
# columns of Sensors.table
KIND, NUMBERS_AT, VALUES_AT = range(3)


@dataclass
class Reading:
    """What compiled code reads: its kind, its integers and its values; `room`: the length of the buffer that it
    needs, and `kept` that of the part that is kept for other readings."""

    kind: int
    numbers: list[int]
    values: Sequence[float] | np.ndarray
    room: int = 0
    kept: int = 0


@by_reference
class Sensors(NamedTuple):
    """The sensors of a run, or other quantities that are read in it."""

    table: np.ndarray  # (sensors, 3) kind, and offsets of its integers and its values
    errors: np.ndarray  # (sensors, 3) resolution, standard deviation of the noise, constant offset
    numbers: np.ndarray  # integers of all sensors, one after the other
    values: np.ndarray  # values of all sensors
    counted: np.ndarray  # (sensors, 7) time, angles and rates of the last reading; NaN before the first
    buffer: np.ndarray  # what the system finds, and room for finding it
    doubtful: np.ndarray  # (1,) index of the one whose number of turns is ambiguous; −1: none; (0,): nobody asks


def sensor_table(
    readings: Sequence[Reading], errors: Sequence[tuple[float, float, float]] = (), *, doubts: bool = True
) -> Sensors:
    """The arrays of readings for compiled code; `errors`: resolution, noise and offset of each; `doubts`: whether an
    ambiguous number of turns is marked, or else the nearest one taken."""
    of_numbers = np.cumsum([0, *(len(r.numbers) for r in readings)])
    of_values = np.cumsum([0, *(len(r.values) for r in readings)])
    whole = [r for r in readings if r.kind == WHOLE]
    used, kept = 0, np.zeros(0)
    for r in whole if len(whole) > 1 else ():  # the first one finds what all of them ask for
        used |= r.numbers[_asked_at(r)]
        kept = np.full(r.kept, np.nan)
    readings = [_sharing(r, used) if r.kind == WHOLE and used else r for r in readings]
    return Sensors(
        np.array([[r.kind, of_numbers[k], of_values[k]] for k, r in enumerate(readings)], dtype=np.int64).reshape(
            -1, 3
        ),
        np.array(errors, dtype=float).reshape(-1, 3),
        np.array([x for r in readings for x in r.numbers], dtype=np.int64),
        np.concatenate([np.zeros(0), *(np.asarray(r.values, dtype=float) for r in readings)]),
        np.full((len(readings), MEMORY), np.nan),
        np.concatenate([np.zeros(max((r.room for r in readings), default=0)), kept]),
        np.full(int(doubts), -1, dtype=np.int64),
    )


def _asked_at(reading: Reading) -> int:
    """Where in a reading of the whole stands what of it is asked for."""
    return reading.numbers[0] + reading.numbers[1] + 6


def _sharing(reading: Reading, used: int) -> Reading:
    """A reading of the whole that shares what is found, and asks for all that is `used`."""
    numbers = list(reading.numbers)
    numbers[_asked_at(reading) - 1] = used
    return replace(reading, numbers=numbers)


def read_forces(sensors: Sensors) -> bool:
    """Whether one of the sensors reads joint forces."""
    return bool(np.any(sensors.table[:, KIND] == NODE_FORCE))


@inlined
def _called(s, i, p, where, t, q, v, a):
    """The number of the formula at an address. Integers: how many coordinates, speeds and values it has; the indices of
    coordinates and speeds. Values: a constant, then those of the formula."""
    numbers, nq, nv = s.numbers, s.numbers[i], s.numbers[i + 1]
    row = vector_view(s.values, p + 1, numbers[i + 2])
    return value_at(where, row, vector_view(numbers, i + 3, nq), vector_view(numbers, i + 3 + nq, nv), t, q, v, a)


@inlined
def _doubt(s, k):
    """Mark reading number k as doubtful; returns whether anybody asks for that."""
    if s.doubtful.shape[0] == 0:
        return False
    s.doubtful[0] = k
    return True


@inlined
def _counted(s, k, t, angle, rate):
    """An angle with its whole turns counted; NaN, and the reading marked doubtful, where their number is ambiguous."""
    last = s.counted[k]
    if last[LAST_TIME] == last[LAST_TIME]:
        half = 0.5 * (t - last[LAST_TIME])
        near = last[LAST_ANGLES] + half * (rate + last[LAST_RATES])
        angle = whole_turns(angle, near)
        sure = abs(angle - near) <= DOUBTFUL and half * abs(rate - last[LAST_RATES]) <= AGREEING
        if not sure and _doubt(s, k):
            return math.nan
    last[LAST_TIME], last[LAST_ANGLES], last[LAST_RATES] = t, angle, rate
    return angle


@called(float)
def _euler(s, k, i, p, t, q, v):
    """An Euler angle with its whole turns counted. Values behind the constant: which of the three it is, their axes,
    and the axes of the frames (:func:`flexmb.kernels.euler_angles.turn_of`)."""
    n, p = s.numbers, p + 1
    iq, iv = vector_view(n, i + 3, n[i]), vector_view(n, i + 3 + n[i], n[i + 1])
    e, omega = turn_of(s.values, p + 4, iq, iv, q, v)
    found = read_angles((int(s.values[p + 1]), int(s.values[p + 2]), int(s.values[p + 3])), e, omega, t, s.counted[k])
    if found == LOST or (found == UNSURE and _doubt(s, k)):
        _doubt(s, k)
        return math.nan
    return s.values[p - 1] + s.counted[k, LAST_ANGLES + int(s.values[p])]


@called(None)
def _node_force(plan, scratch, s, i, t, q, v, a, lam, width):
    """Put the force on a node to the head of the buffer. Integers from i on: those of
    :func:`flexmb.system.node_forces.force_table` behind the first."""
    numbers = s.numbers
    count, at = numbers[i], i + 1
    for c in range(width):
        s.buffer[c] = 0.0
    for _ in range(count):
        group, place, parts, size, pairs = (
            numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4],
        )  # fmt: skip
        out = s.buffer[width : width + size]
        instance_force(plan, scratch, group, place, parts, t, q, v, a, lam, scratch.still, out)
        at += 5
        for j in range(pairs):
            s.buffer[numbers[at + 2 * j]] -= out[numbers[at + 2 * j + 1]]
        at += 2 * pairs


@called(None)
def _along_beam(plan, scratch, s, kind, i, p, t, q, v, a, width):
    """Put the motion of a point of a beam, or strains and forces of a section, to the head of the buffer. Integers from
    i on: how many values say where it is, how many instances there are, and of each its group, its place, and where the
    strength of heat stands, −1 for the beam itself."""
    numbers, w = s.numbers, s.values[p : p + s.numbers[i]]
    for c in range(width):
        s.buffer[c] = 0.0
    for k in range(numbers[i + 1]):
        group, place, strength = numbers[i + 2 + 3 * k], numbers[i + 3 + 3 * k], numbers[i + 4 + 3 * k]
        if kind == POINT:
            points(plan, scratch, group, place, t, q, v, a, w, s.buffer[:width])
            return
        sections(plan, scratch, group, place, t, q, v, a, w, s.buffer[width : 2 * width])
        factor = 1.0 if strength < 0 else -strength_at(plan.p, strength, t)
        for c in range(width):
            s.buffer[c] += factor * s.buffer[width + c]


@called(None)
def _whole(plan, scratch, s, at, p, t, q, v, a):
    """Put the numbers of the mechanism as a whole, and behind them those of other formulas, to the head of the buffer.
    Integers from `at` on: how many numbers there are, what all readings ask for of the whole if there are several,
    which is then kept at the tail of the buffer with its state, what this one asks for, how many other formulas there
    are, and theirs."""
    numbers, room, j = s.numbers, s.buffer[s.numbers[at] :], at + 4
    for k in range(numbers[at + 3]):
        last = j + 3 + numbers[j] + numbers[j + 1]
        s.buffer[WIDTH + k] = s.values[p] + _called(s, j, p, numbers[last], t, q, v, a)
        p += 1 + numbers[j + 2]
        j = last + 1
    n, nq, used, room, found = plan.total, plan.total_q, numbers[at + 2], room[: ROOM * plan.total], s.buffer[:WIDTH]
    size = nq + 2 * n + 1
    memo = s.buffer[len(s.buffer) - WIDTH - size :]
    shared = numbers[at + 1]
    if shared != 0 and _same(memo, t, q, v, a, nq, n):
        for k in range(WIDTH):
            found[k] = memo[size + k]
        if used & LOADS != 0:  # which commands may have changed
            levers(numbers, j, q, n, room[3 * n :])
            add_loads(plan, scratch, numbers, j, t, q, v, a, room[:n], room[3 * n :], found)
        return
    whole_now(plan, scratch, numbers, j, used | shared, s.values, p, t, q, v, a, room, found)
    if shared != 0:
        memo[0] = t
        for k in range(nq):
            memo[1 + k] = q[k]
        for k in range(n):
            memo[1 + nq + k], memo[1 + nq + n + k] = v[k], a[k]
        for k in range(WIDTH):
            memo[size + k] = found[k]


@called(bool)
def _same(memo, t, q, v, a, nq, n):
    """Whether the whole was last found in this state."""
    same = memo[0] == t
    for k in range(nq):
        same = same and memo[1 + k] == q[k]
    for k in range(n):
        same = same and memo[1 + nq + k] == v[k] and memo[1 + nq + n + k] == a[k]
    return same


@called(float)
def _of_system(plan, scratch, s, k, t, q, v, a, lam):
    """The reading number k of a formula of what the system has to find. Behind the integers of the formula stand how
    many numbers are found, and what finding them takes; behind its values those of that."""
    kind, i, p = s.table[k, KIND], s.table[k, NUMBERS_AT], s.table[k, VALUES_AT]
    numbers = s.numbers
    at, own = i + 3 + numbers[i] + numbers[i + 1], p + 1 + numbers[i + 2]
    where, width = numbers[at], numbers[at + 1]
    if kind == NODE_FORCE:
        _node_force(plan, scratch, s, at + 2, t, q, v, a, lam, width)
    elif kind == ENERGIES:
        energies(plan, scratch, t, q, v, a, scratch.still, s.buffer[:width])
    elif kind != WHOLE:
        _along_beam(plan, scratch, s, kind, at + 2, own, t, q, v, a, width)
    else:
        _whole(plan, scratch, s, at + 1, own, t, q, v, a)
    value = s.values[p] + _called(s, i, p, where, t, q, v, vector_view(s.buffer, 0, width))
    if value != value:
        _doubt(s, k)
    return value


@inlined
def measure(plan, scratch, s, k, t, q, v, a, lam):
    """The reading number k in a state, before noise and resolution; NaN where its number of turns is ambiguous."""
    kind, i, p = s.table[k, KIND], s.table[k, NUMBERS_AT], s.table[k, VALUES_AT]
    if kind == EULER:
        return _euler(s, k, i, p, t, q, v)
    if kind != FUNCTION_OF_STATE and kind != COUNTED:
        return _of_system(plan, scratch, s, k, t, q, v, a, lam)
    at = i + 3 + s.numbers[i] + s.numbers[i + 1]
    value = s.values[p] + _called(s, i, p, s.numbers[at], t, q, v, a)
    if kind == FUNCTION_OF_STATE:
        return value
    return _counted(s, k, t, value, _called(s, i, p, s.numbers[at + 1], t, q, v, a))


@called(None)
def read_all(plan, scratch, s, t, q, v, a, lam, out):
    """out (k,): all readings of a table in a state."""
    for k in range(s.table.shape[0]):
        out[k] = measure(plan, scratch, s, k, t, q, v, a, lam)
