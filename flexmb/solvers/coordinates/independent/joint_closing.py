"""Dependent joint coordinates and speeds from the independent ones; compiled.

Joints that close loops, drives, gears and wheels add constraint rows that do not belong to a joint of the tree. In
joint coordinates x and speeds u these are

    g(t, x) = 0,    ġ = C u + …,    C = G B  (v = B u)

A set of rows is chosen that are independent of one another on the tree (some rows of a four-bar in space depend on
others), and equally many coordinates, with a regular part of C. These follow from the others: positions by Newton's
method, speeds by linear equations, as in :mod:`flexmb.solvers.coordinates.independent.closing`. Accelerations need no
such equations, since the formulation yields all of them.

C is evaluated at each state, and its factors are used in Newton's method for the next state until corrections shrink
slowly. Orientations of which only one or two speeds are independent have charts, in which C is multiplied by T(y).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.precision import ROUNDING, SUMMED_ROUNDING
from flexmb.kernels.charts import difference, rate_maps, retract, to_speeds, turn
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.independent.closing import ITERATIONS
from flexmb.solvers.coordinates.joints.bearing import Bearing, put_in_speeds
from flexmb.solvers.coordinates.joints.joint_state import put_system
from flexmb.solvers.coordinates.joints.multipliers import fill_entries
from flexmb.solvers.statuses import NOT_CLOSED, OK
from flexmb.system.evaluation import constraints
from flexmb.system.plan import Plan

#: C is evaluated anew when an error is more than SLOW times the one before. MOST: largest number of corrections.
SLOW, MOST = 0.1, 24
#: Entries of `quality`: whether there are factors, and for both parts of C the smallest pivot as a part of the largest.
KNOWN, OF_POSITIONS, OF_SPEEDS = range(3)


@by_reference
class Part(NamedTuple):
    """A square part of C: its `rows` and equally many `dependent` coordinates; its factors in `matrix`, and the `order`
    of its rows in these."""

    rows: np.ndarray
    dependent: np.ndarray
    matrix: np.ndarray
    order: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, dependent: np.ndarray) -> Part:
        """The part with these rows and columns, before it is factorized."""
        size, whole = len(rows), np.int64
        return cls(rows.astype(whole), dependent.astype(whole), np.zeros((size, size)), np.zeros(size, dtype=whole))


@by_reference
class JointClosing(NamedTuple):
    """The `numbers` (e,) of the constraint rows beyond those of the tree, their `plan`, and in `bearing` the links and
    joint speeds on which they act. `place` (nq,): the index of each joint coordinate among the partitioned ones,
    :class:`flexmb.solvers.methods.independent.reduced_equations.Partitioned`.

    C (e, nv), each row in units of its scale; the scales `unit` (nv,) of joint speeds; the parts of C for `positions`,
    with the position rows, and for `speeds`, with the velocity rows too; T(y) of charts in `maps`; C T(y) in `turned`;
    scratch.
    """

    plan: Plan
    numbers: np.ndarray
    bearing: Bearing
    place: np.ndarray
    C: np.ndarray
    unit: np.ndarray
    positions: Part
    speeds: Part
    maps: np.ndarray
    turned: np.ndarray
    move: np.ndarray
    b: np.ndarray
    quality: np.ndarray

    @classmethod
    def of(
        cls, plan: Plan, numbers: np.ndarray, bearing: Bearing, place: np.ndarray, unit: np.ndarray, orientations: int
    ) -> JointClosing:
        """For the given rows, before any are chosen."""
        none, e, nv = np.zeros(0, dtype=np.int64), len(numbers), len(unit)
        return cls(
            plan, numbers.astype(np.int64), bearing, place, np.zeros((e, nv)), unit, Part.of(none, none),
            Part.of(none, none), np.zeros((orientations, 9)), np.zeros((e, nv)), np.zeros(nv), np.zeros(0), np.zeros(3),
        )  # fmt: skip

    def choosing(self, positions: Part, speeds: Part) -> JointClosing:
        """A copy with the chosen rows and dependent coordinates of positions, and of speeds."""
        size = max(len(positions.rows), len(speeds.rows))
        return self._replace(positions=positions, speeds=speeds, b=np.zeros(size), quality=np.zeros(3))


@called(None)
def put_joints(e):
    """Copy the partitioned coordinates of the present evaluation to the joint coordinates, and compute the state of the
    system from them."""
    j, place = e.joints, e.loops.place
    for i in range(place.shape[0]):
        j.x[i] = e.own.q[place[i]]
    put_system(j, e.now.q, e.now.v)


@called(None)
def fill_rows(c, j, scratch, t, q, v):
    """Compute C at the present joint coordinates, to which q and v of the system belong; forces on links are
    overwritten."""
    fill_entries(c.bearing.entries, c.bearing.entries_at, c.plan, scratch, t, q, v, j.work.zero)
    put_in_speeds(j, c.plan, c.bearing, c.numbers, c.C)


@inlined
def _charted(e):
    return e.carried.chart.partial.shape[0] > 0


@called(None)
def _turn_rows(e):
    """Compute C T(y) in the columns of orientations."""
    c, own = e.loops, e.own
    rate_maps(own.orientations, e.carried.chart.y, c.maps)
    for i in range(c.C.shape[0]):
        for k in range(c.C.shape[1]):
            c.turned[i, k] = c.C[i, k]
        for o in range(own.orientations.shape[0]):
            at = own.orientations[o, 0]
            for k in range(3):
                total = 0.0
                for axis in range(3):
                    total += c.C[i, at + axis] * c.maps[o, 3 * axis + k]
                c.turned[i, at + k] = total


@inlined
def _factorize(C, part, unit):
    """Factorize a part of C; returns the smallest pivot as a part of the largest."""
    size = part.rows.shape[0]
    for i in range(size):
        for k in range(size):
            part.matrix[i, k] = C[part.rows[i], part.dependent[k]] * unit[part.dependent[k]]
    return dense_lu.factor(part.matrix, size, part.order)


@called(int)
def factorize_rows(e, t):
    """Compute C and the factors of its parts at the present joint coordinates; returns OK or NOT_CLOSED."""
    c = e.loops
    fill_rows(c, e.joints, e.closing.scratch, t, e.now.q, e.now.v)
    if _charted(e):
        _turn_rows(e)
    of_positions = c.turned if _charted(e) else c.C
    c.quality[OF_POSITIONS] = _factorize(of_positions, c.positions, c.unit)
    c.quality[OF_SPEEDS] = _factorize(c.C, c.speeds, c.unit)
    regular = c.quality[OF_POSITIONS] > 0.0 and c.quality[OF_SPEEDS] > 0.0
    c.quality[KNOWN] = 1.0 if regular else 0.0
    return OK if regular else NOT_CLOSED


@called(None)
def _correct(e):
    """Correct the dependent coordinates for the errors of the chosen rows."""
    c, part, j, own, chart = e.loops, e.loops.positions, e.joints, e.own, e.carried.chart
    nv = c.move.shape[0]
    for k in range(part.rows.shape[0]):
        row = c.numbers[part.rows[k]]
        c.b[k] = -j.work.g[row] / j.rows.scale[row]
    dense_lu.solve(part.matrix, part.rows.shape[0], part.order, c.b)
    for i in range(nv):
        c.move[i] = 0.0
    for k in range(part.dependent.shape[0]):
        c.move[part.dependent[k]] = c.b[k] * c.unit[part.dependent[k]]
    retract(own.orientations, nv, own.q, c.move, own.q)
    if _charted(e):
        for k in range(chart.partial.shape[0]):
            for i in range(chart.partial[k, 0], chart.partial[k, 0] + 3):
                chart.y[i] += c.move[i]
        turn(chart.partial, chart.reference, chart.y, own.q)


@called(int)
def _close_positions(e, t):
    """Solve for the dependent positions from the chosen rows; returns OK or NOT_CLOSED."""
    c, j, now, work, chart = e.loops, e.joints, e.now, e.joints.work, e.carried.chart
    if _charted(e):
        difference(chart.partial, c.move.shape[0], e.own.q, chart.reference, c.move)
        for k in range(chart.partial.shape[0]):
            for i in range(chart.partial[k, 0], chart.partial[k, 0] + 3):
                chart.y[i] = c.move[i]
    last = np.inf
    for _ in range(MOST):
        put_joints(e)
        constraints(c.plan, e.closing.scratch, t, now.q, now.v, work.zero, work.weights, work.g, work.gd, work.gamma)
        worst = 0.0
        for k in range(c.positions.rows.shape[0]):
            row = c.numbers[c.positions.rows[k]]
            off = abs(j.work.g[row]) / j.rows.scale[row]
            if not off <= worst:
                worst = off
        if not worst < 1e6:
            return NOT_CLOSED
        if worst <= ROUNDING:
            return OK
        slow = worst > SLOW * last
        if slow and worst <= SUMMED_ROUNDING:
            return OK
        if slow or c.quality[KNOWN] == 0.0:
            if factorize_rows(e, t) != OK:
                return NOT_CLOSED
        e.closing.counts[ITERATIONS] += 1
        _correct(e)
        if not slow and last < np.inf and worst * worst <= ROUNDING * last:  # the next error is round-off
            put_joints(e)
            return OK
        last = worst
    return NOT_CLOSED


@called(None)
def _close_speeds(e, t):
    """Solve for the dependent speeds, with the factors at this position."""
    c, part, j, work = e.loops, e.loops.speeds, e.joints, e.joints.work
    count = part.rows.shape[0]
    put_joints(e)
    q, v = e.now.q, e.now.v
    constraints(c.plan, e.closing.scratch, t, q, v, work.zero, work.weights, work.g, work.gd, work.gamma)
    for k in range(count):
        row = c.numbers[part.rows[k]]
        c.b[k] = -j.work.gd[row] / j.rows.scale[row]
    dense_lu.solve(part.matrix, count, part.order, c.b)
    for k in range(count):
        e.own.v[part.dependent[k]] += c.b[k] * c.unit[part.dependent[k]]
    put_joints(e)


@called(int)
def close_joints(e, t):
    """Solve for the dependent joint coordinates and speeds from all rows, and compute the state of the system; returns
    OK or NOT_CLOSED. The iterations begin at the present joint coordinates, which must be near the solution."""
    c = e.loops
    if c.speeds.rows.shape[0] == 0:
        put_joints(e)
        return OK
    status = _close_positions(e, t)
    if status == OK:
        status = factorize_rows(e, t)
    if status == OK:
        _close_speeds(e, t)
    else:
        c.quality[KNOWN] = 0.0
    return status


@called(None)
def joint_direction(e, number, out):
    """Fill out (nv,) with a unit change of an independent position (of its chart) and the changes of the dependent ones
    that it causes, as joint speeds; with the present factors."""
    c, part = e.loops, e.loops.positions
    for i in range(c.move.shape[0]):
        out[i] = 0.0
    out[number] = 1.0
    C = c.turned if _charted(e) else c.C
    for k in range(part.rows.shape[0]):
        c.b[k] = -C[part.rows[k], number]
    dense_lu.solve(part.matrix, part.rows.shape[0], part.order, c.b)
    for k in range(part.dependent.shape[0]):
        out[part.dependent[k]] = c.b[k] * c.unit[part.dependent[k]]
    if _charted(e):
        to_speeds(e.own.orientations, c.maps, out)


@called(float)
def joint_stretch(e, w):
    """Largest change of a dependent coordinate or speed, in units, due to changes w (nv,) of the independent ones; with
    the present factors; w is overwritten. In charts, positions follow by C T(y)."""
    c = e.loops
    largest = _follow(c.C, c.speeds, w, c.b)
    if _charted(e):
        return max(largest, _follow(c.turned, c.positions, w, c.b))
    return largest


@inlined
def _follow(C, part, w, b):
    """Largest change, in units, of the dependent coordinates of a part of C due to changes w of the others."""
    rows, columns = part.rows, part.dependent
    for k in range(rows.shape[0]):
        b[k] = 0.0
        for i in range(C.shape[1]):
            b[k] += C[rows[k], i] * w[i]
        for i in range(columns.shape[0]):
            b[k] -= C[rows[k], columns[i]] * w[columns[i]]
    dense_lu.solve(part.matrix, rows.shape[0], part.order, b)
    largest = 0.0
    for k in range(rows.shape[0]):
        largest = max(largest, abs(b[k]))
    return largest
