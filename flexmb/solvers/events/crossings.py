"""Where watched quantities go through zero within a step: touches, which switches of components tell
(:mod:`flexmb.kernels.contract`), and the events of a run.

A quantity has its `side` of zero. At the end of a step that a method would keep it is looked at again, with its rate.
If the cubic through values and rates at both ends goes through zero, the step is made again, and ends there: its end
has the order of the method, meets the constraints, and needs no continuous form. The cubic between the last end before
zero and the first behind it, found anew each time, converges as Newton's method does. The last step ends before zero by
about rounding, so that forces that jump there act in no part of it. Behind a touch the motion is carried over zero by
that small part, and the method starts again as it does behind a kink in time.

Numbers that stay zero mean nothing. Touches cost some steps that are made again: a method has a store of MOST_CUTS of
them, and each step gives back a tenth of one, so that contacts that rattle or rest make no run stand still. Steps that
are too many to be cut follow their error through the touch. So do those that are short against what touches do in them,
where touches come in haste; such take from the store too. Events are never left out: where a step cannot end, as in a
singular position, they are at the end of the whole step.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.cubic import first_passage, root_beyond
from flexmb.forces.callbacks import evaluate_at
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossing_state import (
    AT_ZERO,
    MOST_CUTS,
    RATE,
    VALUE,
)
from flexmb.system.evaluation import switches

#: what becomes of a step: it may be kept, or is made again and ends at state.stop
KEEP, AGAIN = range(2)
#: switches whose passages are looked for: none, those that return to their side within the step, all
NOT_SWITCHES, RETURNS, SWITCHES_TOO = range(3)
#: Steps end before zero by at most this part of a step, or by rounding of the time: some ends of intervals of doubles,
#: as a part of it.
CLOSE, TIME_ROUNDING = 1e-9, 4e-15
#: A step is made again at most so often. Where so many ends in a row were behind zero, or where after so many tries one
#: before it leaves more than the last part of where zero may be, forces that act behind zero bend the cubic: then that
#: through the start and the last end before zero serves, beyond its end.
MOST_TRIES, BENT, SLOW = 16, 3.0, 0.5
#: the part of a touch that a step gives back to the store; in haste no more touches than these are left
GIVEN_BACK, HASTE = 0.1, 15.0
#: rates are found by a move of this part of a step along the motion
AHEAD = 1e-4


@called(None)
def _values(c, plan, scratch, t, q, v, a, lam, out):
    """The values of all quantities at a state."""
    if c.switches > 0:
        switches(plan, scratch, t, q, v, a, c.weights, out)
    events = out.shape[0] - c.switches
    if events > 0:
        at = events
        for i in range(plan.total_q):
            c.data[at + i] = q[i]
        at += plan.total_q
        for i in range(plan.total):
            c.data[at + i] = v[i]
            c.data[at + plan.total + i] = a[i]
        at += 2 * plan.total
        for k in range(plan.m):
            c.data[at + k] = lam[k]
        evaluate_at(int(c.callback[0]), int(c.callback[1]), 0, t, 0.0, c.data)
        for k in range(events):
            out[c.switches + k] = c.data[k]


@called(None)
def look(c, plan, scratch, t, q, v, a, lam, h, out):
    """Values and rates of all quantities at a state, in steps of size h."""
    _values(c, plan, scratch, t, q, v, a, lam, out[VALUE])
    c.state.step_size = max(abs(h), 0.5 * c.state.step_size)
    e = AHEAD * (c.state.step_size if h > 0.0 else -c.state.step_size)
    for i in range(plan.total):
        c.move[i] = e * (v[i] + 0.5 * e * a[i])
        c.v[i] = v[i] + e * a[i]
    retract(plan.orientations, plan.n, q, c.move, c.q)
    _values(c, plan, scratch, t + e, c.q, c.v, a, lam, out[RATE])
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
    """Look at a state from which steps of about the size h begin, or begin anew: behind a jump of forces, say, by which
    a quantity may have jumped through zero. That passes zero at this state, whichever way it moves behind."""
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
    for k in range(plan.m):
        c.lam[k] = lam[k]
    c.state.stop = np.inf
    c.state.tries = c.state.behind = 0.0


@called(float)
def _next_passage(c, start, before, end, after, which):
    """The time of the first passage between two times, with values and rates at both; infinite if there is none, of
    switches as `which` says. Those that were at zero in the beginning are where they go."""
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
            through = False  # it was at zero, and is on its way to its side; or may be behind zero
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
    """What becomes of a step from t0 to this state at t1: KEEP, or AGAIN to end at state.stop. A step
    that is `small` against what touches do in it may end behind one, where they come in haste."""
    state = c.state
    look(c, plan, scratch, t1, q, v, a, lam, t1 - t0, c.now)
    state.end = t1
    searching = state.stop < np.inf
    if searching and t1 < state.stop - state.near:
        searching = False  # it had to be shorter than was asked for
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
        return _again(c, t0, _beyond(c, t0) if state.behind >= BENT else at)
    if not searching:
        _touch_end(c)
        return KEEP
    far = state.high - t1 > SLOW * (state.high - state.low)
    state.low = t1
    _copy(c.now, c.low)
    at = _next_passage(c, t1, c.low, state.high, c.high, which)
    if state.behind < BENT:
        state.behind = BENT if far and state.tries >= BENT else 0.0
    if state.behind >= BENT and at < np.inf:
        at = _beyond(c, t0)
    if at - t1 <= near:
        _touch(c, t1, at + near)
    elif at < np.inf and state.tries < MOST_TRIES:
        return _again(c, t0, at)
    elif at < np.inf and state.tries == MOST_TRIES:  # a root so flat that it is not located: the step ends behind it
        state.tries += 1.0
        state.stop = state.high
        return AGAIN
    return KEEP


@called(bool)
def is_cut(c):
    """Whether a step that :func:`judge` keeps was made again to end at a passage."""
    return c.state.tries > 0.0 and c.state.stop < c.state.whole


@called(None)
def step_over(c):
    """Ask for a step that is cut once more, as long as it was at first: what passes zero in it does so at its end."""
    c.state.tries, c.state.stop = MOST_TRIES + 1.0, c.state.whole


@called(bool)
def end_earlier(c, t0):
    """Ask for a step that has to end at a touch, and had no end there, to end half as far behind the last end before
    it: beyond the touch stiff forces may act that Newton's method does not foresee. False where that was tried too
    often, and where events are to be met, whose place may be singular."""
    state = c.state
    if state.tries >= MOST_TRIES or not _only_switches(c):
        return False
    state.tries += 1.0
    low = max(state.low, t0)
    state.stop = low + 0.5 * (state.stop - low)
    return state.stop - low > state.near


@called(int)
def _again(c, t0, at):
    """Ask for the step once more, to end just before a time."""
    state = c.state
    state.tries += 1.0
    if state.behind >= BENT and not state.low < at < state.high:
        at = 0.5 * (state.low + state.high)
    state.stop = max(at - 0.5 * state.near, t0 + 0.5 * state.near)
    return AGAIN


@called(float)
def _beyond(c, t0):
    """The earliest time at which the cubics through the start and the last end before zero go through zero beyond that
    end; infinite if there is no such end."""
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
    """The earliest passage, without those of switches until a time just behind the start: these are at the start."""
    earliest = np.inf
    for k in range(c.side.shape[0]):
        if k < c.switches and c.at[k] <= start:
            c.at[k] = np.inf
            c.side[k] = c.direction[k]
        earliest = min(earliest, c.at[k])
    return earliest


@inlined
def _only_switches(c):
    """Whether all passages that were found are those of switches."""
    for k in range(c.switches, c.side.shape[0]):
        if c.at[k] < np.inf:
            return False
    return True


@called(None)
def _touch(c, t, until):
    """Let what passes zero until a time do so at the end of the step, at t."""
    for k in range(c.side.shape[0]):
        if c.at[k] <= until:
            c.touched[k] = c.direction[k]
            c.left[k] = c.at[k] - t


@called(None)
def _touch_end(c):
    """The same for what is at zero at the end of a step that was not made again."""
    for k in range(c.side.shape[0]):
        value, rate, side = c.now[VALUE, k], c.now[RATE, k], c.side[k]
        wanted = c.wanted[k] == 0.0 or c.wanted[k] == -side
        if side != 0.0 and wanted and side * rate < 0.0 and 0.0 <= -value / rate <= c.state.near:
            c.touched[k] = -side
            c.left[k] = -value / rate


@called(bool)
def keep_end(c, plan, lam):
    """The step is kept: its end is where the next one begins. Whether events are there; state.hop is how far the
    motion is to be carried over a touch."""
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
            passing = side * c.before[VALUE, k] < 0.0 and side * c.now[RATE, k] > 0.0  # it was at zero in the beginning
            if value != 0.0 and not (passing and side * value < 0.0):
                missed = 1.0 if k < c.switches and c.side[k] == -_sign(value) else missed
                c.side[k] = _sign(value)
        if c.side[k] == -before:
            c.since[k] = state.end
    _copy(c.now, c.before)
    for k in range(plan.m):
        c.lam[k] = lam[k]
    state.stop = np.inf
    state.tries = state.behind = 0.0
    state.store = min(max(state.store - missed, 0.0) + GIVEN_BACK, MOST_CUTS)
    return state.events > 0.0


@called(float)
def hop(c, plan, t, q, v, a):
    """Carry a motion over a touch; the time behind it."""
    e = c.state.hop
    c.state.hop = 0.0
    for i in range(plan.n):
        c.move[i] = e * (v[i] + 0.5 * e * a[i])
        v[i] += e * a[i]
    retract(plan.orientations, plan.n, q, c.move, q)
    return t + e
