"""Where watched quantities cross zero within a step: touches, which are zeros of the switches of components
(:mod:`flexmb.kernels.contract`), and the events of a run.

Each quantity has a `side` of zero. When a method would keep a step, the quantity and its rate are evaluated at its end.
If the cubic through values and rates at both ends of the step crosses zero, the step is made again and ends there: its
end has the order of the method, satisfies the constraints, and needs no continuous form. The cubic between the last end
before zero and the first one beyond it, found anew each time, converges as Newton's method does. The final step ends
before zero by about the round-off of time, so that forces that jump there act in no part of it. After a touch, the
motion is extrapolated across zero over that small time, and the method starts again as it does after a kink in time.

Numbers that stay zero have no meaning. Each touch costs some steps that are made again: a method has a store of
MOST_CUTS touches, and each step gives back a tenth of one, so that contacts that rattle or rest do not bring a run to a
standstill. When the store is empty, steps are not cut at touches, and their error estimate covers the touch. Steps that
are short compared with the changes that touches cause are not cut either if touches come in rapid succession; these
take from the store too. Events are never left out: where a step cannot end, as in a singular position, they are at the
end of the whole step.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.cubic import first_passage, root_beyond
from flexmb.algebra.precision import TIME_ROUNDING
from flexmb.forces.callbacks import evaluate_at
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossing_state import (
    AT_ZERO,
    BY,
    BY_PYTHON,
    CLOCK,
    COUNT,
    FIRST,
    MOST_CUTS,
    NOT_DETERMINED,
    PYTHON,
    RATE,
    VALUE,
    VALUES,
)
from flexmb.system.evaluation import switches
from flexmb.system.readings import EULER, KIND, measure

#: What becomes of a step: it may be kept, or it is made again and has to end at state.stop.
KEEP, AGAIN = range(2)
#: Switches whose zeros are sought: none; only those that return to their side within the step; all.
NOT_SWITCHES, RETURNS, SWITCHES_TOO = range(3)
#: Steps end before zero by at most CLOSE times the step, or by round-off of the time.
CLOSE = 1e-9
#: A step is made again at most MOST_TRIES times. If the ends of CUBIC_TRIES in a row were beyond zero, or if after as
#: many an end before zero leaves more than the fraction WIDE of the interval in which zero may be, forces that act
#: beyond zero bend the cubic: then the cubic through the start and the last end before zero is used, extrapolated
#: beyond that end.
MOST_TRIES, CUBIC_TRIES, WIDE = 16, 3.0, 0.5
#: Part of a touch that a step gives back to the store; touches come in rapid succession if fewer than HASTE are left.
GIVEN_BACK, HASTE = 0.1, 15.0
#: Rates are differences over a motion of this fraction of a step.
OF_STEP = 1e-4


@called(None)
def _values(c, plan, scratch, t, q, v, a, lam, out):
    """Evaluate all quantities at a state."""
    r = c.reading
    if c.switches > 0:
        switches(plan, scratch, t, q, v, a, r.room, out)
    events = out.shape[0] - c.switches
    if r.callback[BY_PYTHON] != 0:
        at = events
        for i in range(plan.total_q):
            r.data[at + i] = q[i]
        at += plan.total_q
        for i in range(plan.total):
            r.data[at + i] = v[i]
            r.data[at + plan.total + i] = a[i]
        at += 2 * plan.total
        for k in range(plan.m):
            r.data[at + k] = lam[k]
        evaluate_at(int(r.callback[0]), int(r.callback[1]), VALUES, t, 0.0, r.data)
        for k in range(events):
            out[c.switches + k] = r.data[k]
            if r.data[k] != r.data[k]:
                c.state.failed = 1.0
    event_values(r, plan, scratch, t, q, v, a, lam, out, c.switches)


@called(None)
def event_values(r, plan, scratch, t, q, v, a, lam, out, first):
    """Fill the values of the events that compiled code evaluates at a state, into `out` from `first` on."""
    for k in range(r.events.shape[0]):
        if r.events[k, BY] != PYTHON:
            out[first + k] = _event_value(r, k, plan, scratch, t, q, v, a, lam)


@called(float)
def _event_value(r, k, plan, scratch, t, q, v, a, lam):
    """The value of event number k at a state."""
    value = r.offsets[k]
    if r.events[k, BY] == CLOCK:
        return t + value
    first = r.events[k, FIRST]
    for j in range(first, first + r.events[k, COUNT]):
        one = measure(plan, scratch, r.quantities, j, t, q, v, a, lam)
        if one != one and r.quantities.table[j, KIND] == EULER:
            evaluate_at(int(r.callback[0]), int(r.callback[1]), NOT_DETERMINED, t, float(k), r.data)
        value += r.weights[j] * one
    return value


@called(None)
def look(c, plan, scratch, t, q, v, a, lam, h, out):
    """Evaluate values and rates of all quantities at a state, in steps of size h [s]; if h is negative, rates are
    differences to an earlier time."""
    r = c.reading
    _values(c, plan, scratch, t, q, v, a, lam, out[VALUE])
    c.state.step_size = max(abs(h), 0.5 * c.state.step_size)
    e = OF_STEP * (c.state.step_size if h > 0.0 else -c.state.step_size)
    for i in range(plan.total):
        r.move[i] = e * (v[i] + 0.5 * e * a[i])
        r.v[i] = v[i] + e * a[i]
    retract(plan.orientations, plan.n, q, r.move, r.q)
    _values(c, plan, scratch, t + e, r.q, r.v, a, lam, out[RATE])
    for k in range(out.shape[1]):
        out[RATE, k] = (out[RATE, k] - out[VALUE, k]) / e


@inlined
def _copy(rows, out):
    for k in range(rows.shape[1]):
        out[VALUE, k] = rows[VALUE, k]
        out[RATE, k] = rows[RATE, k]


@inlined
def _sign(x):
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0


@called(None)
def watch_from(c, plan, scratch, t, q, v, a, lam, h):
    """Evaluate the quantities at a state from which steps of about size h [s] begin, at first or after a jump of
    forces. If the quantity of an event has jumped through zero with the forces, it counts as zero at this state,
    whichever way it moves afterwards."""
    for k in range(c.side.shape[0]):
        c.at[k] = c.before[VALUE, k]
    look(c, plan, scratch, t, q, v, a, lam, h, c.before)
    for k in range(c.switches, c.side.shape[0]):
        if c.side[k] * c.at[k] > 0.0 and c.side[k] * c.before[VALUE, k] < 0.0:
            c.before[VALUE, k] = 0.0
    for k in range(c.side.shape[0]):
        if c.side[k] == 0.0:
            c.side[k] = _sign(c.before[VALUE, k])
        if c.side[k] == 0.0 or c.side[k] == AT_ZERO:
            c.side[k] = _sign(c.before[RATE, k])
    c.state.stop = np.inf
    c.state.tries = c.state.behind = 0.0


@called(float)
def _next_passage(c, start, before, end, after, which):
    """The time [s] of the first crossing between two times, from values and rates at both; infinite if there is none.
    `which`: the switches that are included. A quantity that was at zero at the start is on the side to which it
    moves."""
    earliest = np.inf
    h = end - start
    for k in range(c.side.shape[0]):
        c.at[k] = np.inf
        side = c.side[k]
        if side == 0.0 or (k < c.switches and which == NOT_SWITCHES):
            continue
        direction = c.wanted[k] if c.wanted[k] != 0.0 else -side
        p0, r0, p1, r1 = before[VALUE, k], before[RATE, k], after[VALUE, k], after[RATE, k]
        through = direction == -side and direction * p1 > (c.state.noise if k < c.switches else 0.0)
        if (side * p0 < 0.0 and side * r1 > 0.0) or (k < c.switches and which == RETURNS):
            through = False  # it was at zero and moves to its side; or it may end beyond zero
        returns = side * p0 > 0.0 and side * r0 < 0.0 and side * p1 > 0.0 and side * r1 > 0.0
        if not through and not returns:
            continue
        place = first_passage(p0, h * r0, p1, h * r1, direction)
        if place < 0.0 and not through:
            continue
        c.direction[k] = direction
        c.at[k] = start + h * max(place, 0.0)
        earliest = min(earliest, c.at[k])
    return earliest


@called(int)
def judge(c, plan, scratch, t0, t1, q, v, a, lam, small):
    """Decide what becomes of a step from t0 to this state at t1 [s]: KEEP, or AGAIN to end at state.stop. `small`: the
    step is short compared with the changes that touches cause, and may end beyond a touch if touches come in rapid
    succession."""
    state = c.state
    look(c, plan, scratch, t1, q, v, a, lam, t1 - t0, c.now)
    state.end = t1
    searching = state.stop < np.inf
    if searching and t1 < state.stop - state.near:
        searching = False  # an error estimate or a failure made it shorter than requested
        state.tries = state.behind = 0.0
    if not searching or t1 <= state.low:
        state.low = t0
        _copy(c.before, c.low)
    if not searching:
        state.stop = np.inf
        state.near = max(CLOSE * (t1 - t0), TIME_ROUNDING * max(abs(t0), abs(t1)))
    for k in range(c.side.shape[0]):
        c.touched[k] = 0.0
    near = state.near
    which = SWITCHES_TOO if searching or state.store >= 1.0 else NOT_SWITCHES
    if which == SWITCHES_TOO and small and state.store < HASTE and not searching:
        which = RETURNS
    at = _next_passage(c, state.low, c.low, t1, c.now, which)
    if at < np.inf:
        at = _leave_out_start(c, t0 + near)
    if at < np.inf:
        if state.tries >= MOST_TRIES:
            _touch(c, t1, t1)
            return KEEP
        state.high = t1
        state.whole = state.whole if searching else t1
        state.behind += 1.0
        _copy(c.now, c.high)
        if not searching and _only_switches(c):
            state.store -= 1.0
        return _again(c, t0, _beyond(c, t0) if state.behind >= CUBIC_TRIES else at)
    if not searching:
        _touch_end(c)
        return KEEP
    far = state.high - t1 > WIDE * (state.high - state.low)
    state.low = t1
    _copy(c.now, c.low)
    at = _next_passage(c, t1, c.low, state.high, c.high, which)
    if state.behind < CUBIC_TRIES:
        state.behind = CUBIC_TRIES if far and state.tries >= CUBIC_TRIES else 0.0
    if state.behind >= CUBIC_TRIES and at < np.inf:
        at = _beyond(c, t0)
    if at - t1 <= near:
        _touch(c, t1, at + near)
    elif at < np.inf and state.tries < MOST_TRIES:
        return _again(c, t0, at)
    elif at < np.inf and state.tries == MOST_TRIES:  # a root so flat that it cannot be located: the step ends beyond it
        state.tries += 1.0
        state.stop = state.high
        return AGAIN
    return KEEP


@called(bool)
def is_cut(c):
    """Whether a step that :func:`judge` keeps was made again to end at a crossing."""
    return c.state.tries > 0.0 and c.state.stop < c.state.whole


@called(None)
def step_over(c):
    """Ask for the whole length of a step that was cut; quantities that cross zero in it do so at its end."""
    c.state.tries, c.state.stop = MOST_TRIES + 1.0, c.state.whole


@called(bool)
def end_earlier(c, t0):
    """Ask for a step that had to end at a touch, and could not, to end half as far beyond the last end before the
    touch: beyond it stiff forces may act that Newton's method does not anticipate. Returns False if that was tried too
    often, or if an event is to be met, which may be in a singular position."""
    state = c.state
    if state.tries >= MOST_TRIES or not _only_switches(c):
        return False
    state.tries += 1.0
    low = max(state.low, t0)
    state.stop = low + 0.5 * (state.stop - low)
    return state.stop - low > state.near


@called(int)
def _again(c, t0, at):
    """Ask for the step once more, to end just before the time `at` [s]."""
    state = c.state
    state.tries += 1.0
    if state.behind >= CUBIC_TRIES and not state.low < at < state.high:
        at = 0.5 * (state.low + state.high)
    state.stop = max(at - 0.5 * state.near, t0 + 0.5 * state.near)
    return AGAIN


@called(float)
def _beyond(c, t0):
    """The earliest time [s] at which the cubics through the start and the last end before zero are zero beyond that
    end; infinite if there is none."""
    earliest = np.inf
    h = c.state.low - t0
    for k in range(c.side.shape[0]):
        if c.at[k] == np.inf or h <= 0.0:
            continue
        x = root_beyond(c.before[VALUE, k], h * c.before[RATE, k], c.low[VALUE, k], h * c.low[RATE, k])
        c.at[k] = t0 + h * x if x >= 1.0 else np.inf
        earliest = min(earliest, c.at[k])
    return earliest


@called(float)
def _leave_out_start(c, start):
    """The earliest crossing [s], without switches that cross zero before the time `start`: their crossing is at the
    start of the step."""
    earliest = np.inf
    for k in range(c.side.shape[0]):
        if k < c.switches and c.at[k] <= start:
            c.at[k] = np.inf
            c.side[k] = c.direction[k]
        earliest = min(earliest, c.at[k])
    return earliest


@inlined
def _only_switches(c):
    """Whether all crossings that were found belong to switches."""
    for k in range(c.switches, c.side.shape[0]):
        if c.at[k] < np.inf:
            return False
    return True


@called(None)
def _touch(c, t, until):
    """Let quantities that cross zero before the time `until` [s] do so at the end of the step, at t."""
    for k in range(c.side.shape[0]):
        if c.at[k] <= until:
            c.touched[k] = c.direction[k]
            c.left[k] = c.at[k] - t


@called(None)
def _touch_end(c):
    """Let quantities that are at zero at the end of a step that was not made again cross zero there."""
    for k in range(c.side.shape[0]):
        value, rate, side = c.now[VALUE, k], c.now[RATE, k], c.side[k]
        wanted = c.wanted[k] == 0.0 or c.wanted[k] == -side
        if side != 0.0 and wanted and side * rate < 0.0 and 0.0 <= -value / rate <= c.state.near:
            c.touched[k] = -side
            c.left[k] = -value / rate


@called(bool)
def keep_end(c):
    """Keep the step: its end is the start of the next one. Returns whether events are there; state.hop becomes the time
    [s] by which the motion is to be extrapolated across a touch."""
    state = c.state
    state.hop = state.events = 0.0
    missed = 0.0
    for k in range(c.side.shape[0]):
        before = c.side[k]
        if c.touched[k] != 0.0:
            c.side[k] = c.touched[k]
            if k < c.switches:
                state.hop = max(state.hop, max(c.left[k], 0.0) + 0.5 * state.near)
            else:
                state.events += 1.0
        else:
            side, value = c.side[k], c.now[VALUE, k]
            passing = side * c.before[VALUE, k] < 0.0 and side * c.now[RATE, k] > 0.0  # it was at zero at the start
            if value != 0.0 and not (passing and side * value < 0.0):
                missed = 1.0 if k < c.switches and c.side[k] == -_sign(value) else missed
                c.side[k] = _sign(value)
        if c.side[k] == -before:
            c.since[k] = state.end
    _copy(c.now, c.before)
    state.stop = np.inf
    state.tries = state.behind = 0.0
    state.store = min(max(state.store - missed, 0.0) + GIVEN_BACK, MOST_CUTS)
    return state.events > 0.0


@called(float)
def hop(c, plan, t, q, v, a):
    """Extrapolate the motion across a touch, at constant accelerations; returns the time after it [s]."""
    e, move = c.state.hop, c.reading.move
    c.state.hop = 0.0
    for i in range(plan.n):
        move[i] = e * (v[i] + 0.5 * e * a[i])
        v[i] += e * a[i]
    retract(plan.orientations, plan.n, q, move, q)
    return t + e
