"""Quantities read in a state in compiled code: one table for the plane and for space.

Most are functions of the state, formulas that are called by their addresses
(:mod:`flexmb.quantities.quantity`). Others ask the system: sections, forces of joints, the mechanism as a whole. Each
has a kind, integers and values of its own (:class:`Sensors`).

An orientation gives angles up to whole turns. Their number follows from the previous reading and the rates at both; if
that is ambiguous, the reading is marked doubtful, and the run ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.euler_angles import (
    SINGULAR,
    angle_rates,
    angles_going_on,
    angles_of,
    distance_from_singular,
    whole_turns,
)
from flexmb.kernels.formula import value_at
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import inverse, product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, dot, minus, vector_at, vector_in
from flexmb.kernels.views import vector_view
from flexmb.system.evaluation import instance_force, sections
from flexmb.system.whole import FORCE as FORCE_OF_WHOLE
from flexmb.system.whole import LOAD, LOAD_TORQUE, MASS, MOMENT, MOMENTUM, TORQUE, WIDTH, whole_now

# kinds of readings: a formula; one of an angle up to whole turns, with that of its rate; Euler angles;
# sections of beams; forces of joints in the plane and in space; the mechanism as a whole
FUNCTION_OF_STATE, COUNTED, EULER, SECTION, PLANAR_FORCE, FORCE, OF_WHOLE = range(7)
#: what is read of the whole: the first integer of its sensors is the place in this list
WHOLE_VECTORS = ("mass", "center_of_mass", "velocity", "momentum", "angular_momentum", "force", "moment", "zmp", "load")
#: a force on the floor that is less than this part of the force itself presses on nothing
LEAST = 1e-9
# columns of Sensors.table
KIND, NUMBERS_AT, VALUES_AT = range(3)
#: number of integers of a frame in space, and offset of those of its speeds
FRAME, SPEEDS = 13, 7
# columns of Sensors.counted: the time of the last reading, up to three angles, and their rates
LAST_TIME, LAST_ANGLES, LAST_RATES = 0, 1, 4
#: largest difference between an angle and its prediction from the last reading and the rates [rad]
DOUBTFUL = 0.5 * math.pi
#: largest half of the difference between the angles since the last reading by either rate alone [rad]. If the rate only
#: rises or only falls in between, the prediction is off by no more than that, so one within DOUBTFUL is no turn off; of
#: rates that differ by more it may agree by chance
AGREEING = 2.0 * math.pi - DOUBTFUL


@dataclass
class Reading:
    """What compiled code reads: its kind, its integers and its values; `room`: the length of the buffer that
    its joint or section kernels need."""

    kind: int
    numbers: list[int]
    values: Sequence[float] | np.ndarray
    room: int = 0


@by_reference
class Sensors(NamedTuple):
    """The sensors of a run, or other quantities that are read in it."""

    table: np.ndarray  # (sensors, 3) kind, and offsets of its integers and its values
    errors: np.ndarray  # (sensors, 3) resolution, standard deviation of the noise, constant offset
    numbers: np.ndarray  # integers of all sensors, one after the other
    values: np.ndarray  # values of all sensors
    counted: np.ndarray  # (sensors, 7) time, angles and rates of the last reading; NaN before the first
    buffer: np.ndarray  # room for what kernels of sections and joints put out
    doubtful: np.ndarray  # (1,) index of the one whose number of turns is ambiguous; −1: none; (0,): nobody asks


def sensor_table(
    readings: Sequence[Reading], errors: Sequence[tuple[float, float, float]] = (), *, doubts: bool = True
) -> Sensors:
    """The arrays of readings for compiled code; `errors`: resolution, noise and offset of each; `doubts`: whether an
    ambiguous number of turns is marked, or else the nearest one taken."""
    of_numbers = np.cumsum([0, *(len(r.numbers) for r in readings)])
    of_values = np.cumsum([0, *(len(r.values) for r in readings)])
    return Sensors(
        np.array([[r.kind, of_numbers[k], of_values[k]] for k, r in enumerate(readings)], dtype=np.int64).reshape(
            -1, 3
        ),
        np.array(errors, dtype=float).reshape(-1, 3),
        np.array([x for r in readings for x in r.numbers], dtype=np.int64),
        np.concatenate([np.zeros(0), *(np.asarray(r.values, dtype=float) for r in readings)]),
        np.full((len(readings), 7), np.nan),
        np.zeros(max((r.room for r in readings), default=0)),
        np.full(int(doubts), -1, dtype=np.int64),
    )


@inlined
def _axes_at(values, p, q, numbers, i):
    """The quaternion to ground axes from axes on a frame in space, which are given relative to its node."""
    return product(quaternion_at(q, numbers, i + 3), quaternion_in(values, p))


@inlined
def _spin_at(q, numbers, i, v, k):
    """The angular velocity of a node in ground axes."""
    return turned(quaternion_at(q, numbers, i + 3), vector_at(v, numbers, k + 3))


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
    """An Euler angle with its whole turns counted. Values: the axes of b and a on their nodes; integers after the
    frames: the index of the angle, and the three axes. The angles continue those of the last reading as in
    :func:`flexmb.results.loops.angles_of_track`."""
    at = i + 2 * FRAME
    which, axes = s.numbers[at], (s.numbers[at + 1], s.numbers[at + 2], s.numbers[at + 3])
    axes_b, axes_a = _axes_at(s.values, p, q, s.numbers, i), _axes_at(s.values, p + 4, q, s.numbers, i + FRAME)
    e = product(inverse(axes_a), axes_b)
    n, j = s.numbers, i + FRAME
    omega = turned_back(axes_b, minus(_spin_at(q, n, i, v, i + SPEEDS), _spin_at(q, n, j, v, j + SPEEDS)))
    x = angles_of(axes, e)
    last = s.counted[k]
    if not abs(distance_from_singular(axes, x)) >= SINGULAR:
        _doubt(s, k)
        return math.nan
    if last[LAST_TIME] == last[LAST_TIME]:
        h, x0, u0 = t - last[LAST_TIME], vector_in(last, LAST_ANGLES), vector_in(last, LAST_RATES)
        x, near, change = angles_going_on(axes, e, omega, h, x0, u0)
        off = minus(x, near)
        if not (max(abs(off[0]), max(abs(off[1]), abs(off[2]))) <= DOUBTFUL and 0.5 * change <= AGREEING):
            _doubt(s, k)
            return math.nan
    u = angle_rates(axes, x, omega)
    last[LAST_TIME] = t
    last[LAST_ANGLES], last[LAST_ANGLES + 1], last[LAST_ANGLES + 2] = x[0], x[1], x[2]
    last[LAST_RATES], last[LAST_RATES + 1], last[LAST_RATES + 2] = u[0], u[1], u[2]
    return x[0] if which == 0 else x[1] if which == 1 else x[2]


@called(float)
def _node_force(plan, scratch, s, at, component, t, q, v, a, lam):
    """One component of the force of a joint on the node of frame b. Integers: the number of kernel instances; for each
    its group and position there, whether its residual counts, the length of its force vector, and the number of the
    pairs (component on the node, index in that vector) that follow."""
    total = 0.0
    numbers = s.numbers
    count = numbers[at]
    at += 1
    for _ in range(count):
        group, place, reacts = numbers[at], numbers[at + 1], numbers[at + 2]
        width, pairs = numbers[at + 3], numbers[at + 4]
        instance_force(plan, scratch, group, place, reacts, t, q, v, a, lam, scratch.still, s.buffer[:width])
        at += 5
        for j in range(pairs):
            if numbers[at + 2 * j] == component:
                total -= s.buffer[numbers[at + 2 * j + 1]]
        at += 2 * pairs
    return total


@called(float)
def _force_in_plane(plan, scratch, s, i, p, t, q, v, a, lam):
    """The force of a joint on b along a direction that turns with a, or its moment about the origin of b. Integers: the
    indices of the angles of a and b, 0 for a force or 1 for a moment; values: the arm of b, the direction."""
    fx = _node_force(plan, scratch, s, i + 3, 0, t, q, v, a, lam)
    fy = _node_force(plan, scratch, s, i + 3, 1, t, q, v, a, lam)
    if s.numbers[i + 2] == 0:
        c, si = math.cos(q[s.numbers[i]]), math.sin(q[s.numbers[i]])
        ex, ey = s.values[p + 2], s.values[p + 3]
        return (c * ex - si * ey) * fx + (si * ex + c * ey) * fy
    c, si = math.cos(q[s.numbers[i + 1]]), math.sin(q[s.numbers[i + 1]])
    ux, uy = s.values[p], s.values[p + 1]
    moment = _node_force(plan, scratch, s, i + 3, 2, t, q, v, a, lam)
    return moment - (c * ux - si * uy) * fy + (si * ux + c * uy) * fx


@called(float)
def _force(plan, scratch, s, i, p, t, q, v, a, lam):
    """The force of a joint on b along a direction of the joint's axes on a, or its moment about the origin of b.
    Integer after the frames: 0 for a force, 1 for a moment; values: the arm of b, the direction on the node of a."""
    at = i + 2 * FRAME + 1
    force = (
        _node_force(plan, scratch, s, at, 0, t, q, v, a, lam),
        _node_force(plan, scratch, s, at, 1, t, q, v, a, lam),
        _node_force(plan, scratch, s, at, 2, t, q, v, a, lam),
    )
    e = turned(quaternion_at(q, s.numbers, i + FRAME + 3), vector_in(s.values, p + 3))
    if s.numbers[at - 1] == 0:
        return dot(force, e)
    own = (
        _node_force(plan, scratch, s, at, 3, t, q, v, a, lam),
        _node_force(plan, scratch, s, at, 4, t, q, v, a, lam),
        _node_force(plan, scratch, s, at, 5, t, q, v, a, lam),
    )
    R = quaternion_at(q, s.numbers, i + 3)
    return dot(minus(turned(R, own), cross(turned(R, vector_in(s.values, p)), force)), e)


@called(float)
def _of_whole(plan, scratch, s, k, i, p, t, q, v, a):
    """A number of the mechanism as a whole. Integers: what is read, which component, the number of all speeds, the
    table of :func:`flexmb.system.whole.whole_table`; values: the upward direction, the momenta of wheels."""
    what, axis, total = s.numbers[i], s.numbers[i + 1], s.numbers[i + 2]
    room, of = s.buffer[: 3 * total], s.buffer[3 * total : 3 * total + WIDTH]
    whole_now(plan, scratch, s.numbers, i + 3, s.values, p + 3, t, q, v, a, room, of)
    mass = of[MASS]
    if what == 0:
        return mass
    if what == 1:
        return of[MOMENT + axis] / mass
    if what == 2:
        return of[MOMENTUM + axis] / mass
    if what == 3:
        return of[MOMENTUM + axis]
    if what == 5:
        return of[FORCE_OF_WHOLE + axis]
    if what == 8:
        return of[LOAD + axis]
    if what == 7:
        up, force = vector_in(s.values, p), minus(vector_in(of, FORCE_OF_WHOLE), vector_in(of, LOAD))
        pressing = dot(up, force)
        if not pressing > LEAST * math.sqrt(dot(force, force)):
            _doubt(s, k)
            return math.nan
        point = cross(up, minus(vector_in(of, TORQUE), vector_in(of, LOAD_TORQUE)))
        return (point[0] if axis == 0 else point[1] if axis == 1 else point[2]) / pressing
    first = MOMENTUM if what == 4 else FORCE_OF_WHOLE
    c = vector_in(of, MOMENT)
    moved = cross((c[0] / mass, c[1] / mass, c[2] / mass), vector_in(of, first))
    return of[first + 3 + axis] - (moved[0] if axis == 0 else moved[1] if axis == 1 else moved[2])


@called(float)
def _of_system(plan, scratch, s, k, t, q, v, a, lam):
    """The reading number k, of a kind that asks the system."""
    kind, i, p = s.table[k, KIND], s.table[k, NUMBERS_AT], s.table[k, VALUES_AT]
    numbers, values = s.numbers, s.values
    if kind == SECTION:
        width = numbers[i + 2]
        w = values[p + width : p + width + numbers[i + 3]]
        sections(plan, scratch, numbers[i], numbers[i + 1], t, q, v, a, w, s.buffer[:width])
        value = 0.0
        for j in range(width):
            if values[p + j] != 0.0:  # kernels give NaN for quantities that their theory does not contain
                value += values[p + j] * s.buffer[j]
        return value
    if kind == PLANAR_FORCE:
        return _force_in_plane(plan, scratch, s, i, p, t, q, v, a, lam)
    if kind == OF_WHOLE:
        return _of_whole(plan, scratch, s, k, i, p, t, q, v, a)
    if kind == FORCE:
        return _force(plan, scratch, s, i, p, t, q, v, a, lam)
    return _euler(s, k, i, p, t, q, v)


@inlined
def measure(plan, scratch, s, k, t, q, v, a, lam):
    """The reading number k in a state, before noise and resolution; NaN where its number of turns is ambiguous."""
    kind, i, p = s.table[k, KIND], s.table[k, NUMBERS_AT], s.table[k, VALUES_AT]
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
