"""A control period of one member of an environment: commands, motion, readings; compiled.

The member stands in a lane (:mod:`flexmb.batches.lanes`), a copy of a bound run that marches without Python. Commands
are held for a period T; with a delay d = k T + r, 0 ≤ r < T, a command that was given at a time t acts from t + d on:
in each period first the command of k + 1 periods ago for the time r, then that of k periods ago for the rest.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, unlocked
from flexmb.kernels.lending import call_lent
from flexmb.kernels.references import by_reference
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.statuses import DONE, OK
from flexmb.system.plan import Plan, Scratch
from flexmb.system.readings import Sensors, read_all
from flexmb.system.sampling import NOISE, OFFSET, RESOLUTION, gauss

#: What a member has to do: a period, to begin anew, or nothing.
STEP, RESTART, IDLE = range(3)
#: The whole numbers of a member: what it has to do, how it ended, the periods since its start, and the whole periods by
#: which its commands are delayed.
JOB, STATUS, PERIODS, WHOLE = range(4)
#: The numbers of a member: its time and the point of the grid of fixed steps, while another member is in its lane; by
#: what its commands are delayed beyond whole periods [s].
TIME, GRID, REST = range(3)
#: A status beside those of loops: a reading has no value, such as an angle whose turns are in doubt.
IN_DOUBT = -1


@by_reference
class Calls(NamedTuple):
    """Addresses of the machine code that begins and marches in a lane, and of the tuple that it works on; `ends` and
    `also` (1,) are where they read the end of their span [s]."""

    begin: int
    march: int
    of_begin: int
    of_march: int
    ends: np.ndarray
    also: np.ndarray


@by_reference
class Control(NamedTuple):
    """Constants of all members: the `period` [s]; the `places` of commanded parameters, and the number of the
    action `of` each; `limits` (actions, 2) of actions, and the `scales` (actions, 2) by which they become commands: at
    zero, and for an action of one; `ranges` (observed, 2) of what is observed."""

    period: float
    places: np.ndarray
    of: np.ndarray
    limits: np.ndarray
    scales: np.ndarray
    ranges: np.ndarray


@by_reference
class Member(NamedTuple):
    """A member: its lane, which it may share with others if `kept` is not empty, and its own numbers."""

    plan: Plan
    scratch: Scratch
    state: Any  # a Clock, that of the method
    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    p: np.ndarray
    x: np.ndarray  # joint coordinates at the end of the last step, and joint speeds, of quick steps; else (0,)
    u: np.ndarray
    contents: np.ndarray  # the memory of the lane, as whole numbers
    fresh: np.ndarray  # what it was before the run began
    calls: Calls
    control: Control
    sensors: Sensors
    whole: np.ndarray  # its whole numbers
    numbers: np.ndarray  # its numbers
    random: np.ndarray  # (1,) the state of random numbers
    action: np.ndarray  # (actions,) the command of this period
    given: np.ndarray  # (slots, actions) the last commands, one after the other
    start_q: np.ndarray  # (nq,) where it begins
    start_v: np.ndarray  # (n,)
    targets: np.ndarray  # (targets,)
    kept: (
        np.ndarray
    )  # (nq + n + joint coordinates and speeds,) its state, while others are in its lane; (0,) if none are
    read: np.ndarray  # (readings,) scratch
    values: np.ndarray  # (readings + targets,)
    seen: np.ndarray  # (observed + targets,)


@unlocked
def on_members(code, places, first, last):
    """Call the machine code with the tuples at these places, from number `first` to the one before `last`."""
    for i in range(first, last):
        call_lent(code, places[i], 0.0)


@called(int)
def do(m, t):
    """Do what a member has to do; the time is not used. Its status is then DONE, or why there is no next state."""
    job = m.whole[JOB]
    if job == IDLE:
        return 0
    if job == RESTART:
        status = _begin(m)
    else:
        _load(m)
        status = _go_on(m)
    if status == DONE:
        status = _read(m)
        _store(m)
    elif m.kept.shape[0] > 0:
        _begin_anew(m)  # the next member finds the lane as if this one had not failed
    m.whole[STATUS] = status
    return 0


@called(int)
def _begin_anew(m):
    """Fill the lane with what it was, and find the state from which the member begins."""
    for k in range(m.contents.shape[0]):
        m.contents[k] = m.fresh[k]
    for i in range(m.start_q.shape[0]):
        m.q[i] = m.start_q[i]
    for i in range(m.start_v.shape[0]):
        m.v[i] = m.start_v[i]
    status = call_lent(m.calls.begin, m.calls.of_begin, 0.0)
    if status == OK and m.x.shape[0] > 0:  # a march of no length finds the joint coordinates
        m.calls.ends[0] = m.calls.also[0] = 0.0
        status = call_lent(m.calls.march, m.calls.of_march, 0.0)
        return OK if status == DONE else status
    return status


@called(int)
def _begin(m):
    """Begin an episode."""
    status = _begin_anew(m)
    m.whole[PERIODS] = 0
    for i in range(m.given.shape[0]):
        for k in range(m.given.shape[1]):
            m.given[i, k] = 0.0
    for i in range(m.sensors.counted.shape[0]):
        for k in range(m.sensors.counted.shape[1]):
            m.sensors.counted[i, k] = math.nan
    n = m.values.shape[0] - m.targets.shape[0]
    observed = m.seen.shape[0] - m.targets.shape[0]
    m.sensors.doubtful[0] = -1
    for k in range(m.targets.shape[0]):
        m.values[n + k] = m.seen[observed + k] = m.targets[k]
    return DONE if status == OK else status


@called(None)
def _load(m):
    """Put the state of the member into its lane, if it shares that."""
    if m.kept.shape[0] == 0:
        return
    at = m.start_q.shape[0] + m.start_v.shape[0]
    for i in range(m.x.shape[0]):
        m.x[i] = m.kept[at + i]
    for i in range(m.u.shape[0]):
        m.u[i] = m.kept[at + m.x.shape[0] + i]
    m.state.time, m.state.grid = m.numbers[TIME], m.numbers[GRID]


@called(None)
def _store(m):
    """Keep the state of the member, if others use its lane."""
    m.numbers[TIME] = m.state.time
    if m.kept.shape[0] == 0:
        return
    nq, n = m.start_q.shape[0], m.start_v.shape[0]
    for i in range(nq):
        m.kept[i] = m.q[i]
    for i in range(n):
        m.kept[nq + i] = m.v[i]
    for i in range(m.x.shape[0]):
        m.kept[nq + n + i] = m.x[i]
    for i in range(m.u.shape[0]):
        m.kept[nq + n + m.x.shape[0] + i] = m.u[i]
    m.numbers[GRID] = m.state.grid


@called(int)
def _march(m, number, end):
    """Hold the command of period `number`, none before the first, and go on to a time; returns DONE, or why not."""
    slot = number % m.given.shape[0]
    for k in range(m.control.places.shape[0]):
        m.p[m.control.places[k]] = m.given[slot, m.control.of[k]] if number >= 0 else 0.0
    m.state.anew = AT_COMMAND
    m.calls.ends[0] = m.calls.also[0] = end
    status = OK
    while status == OK:
        status = call_lent(m.calls.march, m.calls.of_march, 0.0)
    return status


@called(int)
def _go_on(m):
    """Go on by a period; returns DONE, or why not."""
    count, period = m.whole[PERIODS], m.control.period
    slot = count % m.given.shape[0]
    limits, scales = m.control.limits, m.control.scales
    for k in range(m.action.shape[0]):
        action = min(max(m.action[k], limits[k, 0]), limits[k, 1])
        m.given[slot, k] = scales[k, 0] + scales[k, 1] * action
    m.whole[PERIODS] = count + 1
    number = count - m.whole[WHOLE]
    if m.numbers[REST] > 0.0:
        status = _march(m, number - 1, count * period + m.numbers[REST])
        if status != DONE:
            return status
    return _march(m, number, (count + 1) * period)


@called(int)
def _read(m):
    """Read the sensors: their exact values, and what is observed of them. Returns DONE, or IN_DOUBT, and then leaves
    the last values as they are."""
    s, ranges = m.sensors, m.control.ranges
    read_all(m.plan, m.scratch, s, m.state.time, m.q, m.shown, m.a, m.lam, m.read)
    for k in range(m.read.shape[0]):
        if not math.isfinite(m.read[k]):
            s.doubtful[0] = k
            return IN_DOUBT
    for k in range(m.read.shape[0]):
        m.values[k] = m.read[k]
    for k in range(ranges.shape[0]):
        value = m.values[k] + s.errors[k, OFFSET]
        if s.errors[k, NOISE] > 0.0:
            value += s.errors[k, NOISE] * gauss(m.random)
        if s.errors[k, RESOLUTION] > 0.0:
            value = round(value / s.errors[k, RESOLUTION]) * s.errors[k, RESOLUTION]
        m.seen[k] = min(max(value, ranges[k, 0]), ranges[k, 1])
    return DONE
