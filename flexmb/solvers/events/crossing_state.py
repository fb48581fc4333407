"""The record of the quantities that are watched within the steps of a run; a step ends where one of them crosses zero
(:mod:`flexmb.solvers.events.crossings`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.algebra.precision import SUMMED_ROUNDING
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.kernels.widths import SWITCH_WIDTH
from flexmb.system.evaluation import SWITCHES
from flexmb.system.near import ROOM
from flexmb.system.plan import COUNT as INSTANCES
from flexmb.system.plan import KERNEL_AT, SEARCH, Plan
from flexmb.system.readings import Sensors, sensor_table

#: Side of a quantity that is at zero: it will be the side to which the quantity moves.
AT_ZERO = 2.0
#: Columns of Reading.events, and who evaluates an event: a function of Python; compiled code, by readings; the clock.
FIRST, COUNT, BY = range(3)
PYTHON, READINGS, CLOCK = range(3)
#: What compiled code wants of Python: the values of events, or the error for one that is not determined.
VALUES, NOT_DETERMINED = range(2)
#: Place in `callback` of whether there are values that Python evaluates.
BY_PYTHON = 2
#: Rows of arrays of quantities: their values and their rates.
VALUE, RATE = range(2)
#: Size of the store of touches: the number of touches for which steps may be made again.
MOST_CUTS = 20.0
#: An event that happens this often within this fraction of a run is taken to happen for ever.
FOR_EVER, AT_ONCE = 50, 1e-6


class Search(Variables):
    """State of the search for the next zero of a watched quantity."""

    stop: float  # time at which the step has to end [s]; infinite if it may end anywhere
    tries: float  # number of times that the step was made again
    # latest end of a trial step before zero, earliest one beyond zero [s]; number of ends in a row beyond zero
    low: float
    high: float
    behind: float
    near: float  # a quantity counts as zero if it is zero within this time [s]
    store: float  # number of touches for which steps may still be made again
    hop: float  # time from the end of a kept step to just beyond the touch [s]
    events: float  # number of events at that end
    failed: float  # whether a function of Python has given NaN, as it does once it has failed
    noise: float  # switches that are no larger than this count as round-off
    step_size: float  # typical size of steps [s], of which some may be very short
    # first end of the step that is made again; end of the last trial step [s]
    whole: float
    end: float


@by_reference
class Reading(NamedTuple):
    """What the evaluation of quantities needs. `quantities`: what is read of a state; of each event in `events`, by
    columns FIRST, COUNT and BY, the first of its readings, their number, and who evaluates it; `weights` of the
    readings, and the `offsets` of the events. `callback`: address and key of the function of Python, zero if it is not
    called, and whether it evaluates the others; `data`: its results, then q, v, a and λ. Scratch: the `move` from a
    state to q, with the speeds v, and `room`, weights of kernels."""

    quantities: Sensors
    events: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    callback: np.ndarray
    data: np.ndarray
    q: np.ndarray
    v: np.ndarray
    move: np.ndarray
    room: np.ndarray


@by_reference
class Crossings(NamedTuple):
    """K quantities: first the `switches` of components, then the quantities of events, then those of joints that may
    stick. `side` of zero of each; the time `since` when a switch is there [s] (−∞: unknown); the direction `wanted` in
    which an event is to be found (0: both); `touched`, the direction in which it crosses zero at the end of the step
    (0: it does not), and the time `left` from there to the crossing [s]; `at`, the time of the next crossing [s], and
    its `direction`. Values and rates (2, K): `before` the step, at its end (`now`), and at both ends of the interval
    that is searched (`low`, `high`); `reading`: how they are evaluated."""

    switches: int
    state: Search
    side: np.ndarray
    since: np.ndarray
    wanted: np.ndarray
    touched: np.ndarray
    left: np.ndarray
    at: np.ndarray
    direction: np.ndarray
    before: np.ndarray
    now: np.ndarray
    low: np.ndarray
    high: np.ndarray
    reading: Reading


def for_ever(times: Sequence[float], span: float, at_once: float = AT_ONCE) -> bool:
    """Whether something that happened at these times [s] happens for ever: often within the fraction `at_once` of a run
    over a `span` [s], at one instant or at times that accumulate there."""
    return len(times) >= FOR_EVER and times[-1] - times[-FOR_EVER] <= at_once * span


class EventsDueError(Exception):
    """The method has to end, since an event ends the run, switches components or changes joints that stick. Raised and
    caught inside `simulate`; users never see it."""


def no_events() -> tuple[Sensors, np.ndarray, np.ndarray, np.ndarray]:
    """The first four of :class:`Reading` of a run without events."""
    return sensor_table([], doubts=False), np.zeros((0, 3), dtype=np.int64), np.zeros(0), np.zeros(0)


@lru_cache(maxsize=1)
def _nothing() -> Crossings:
    """An empty Crossings, shared by all runs that watch nothing; nothing is ever written into it."""
    empty = np.zeros(0)
    state = Search.zeros()
    state.stop = np.inf
    rows = np.zeros((2, 0))
    reading = Reading(*no_events(), np.zeros(3, dtype=np.int64), empty, empty, empty, empty, np.zeros(4))
    return Crossings(0, state, empty, empty, empty, empty, empty, empty, empty, rows, rows, rows, rows, reading)


def reading_for(
    plan: Plan,
    q: np.ndarray,
    events: int,
    read: tuple[Sensors, np.ndarray, np.ndarray, np.ndarray],
    callback: tuple[int, int, int],
) -> Reading:
    """How the values of so many `events` and joints are evaluated, from the position q (total_q,); `read`: the first
    four of :class:`Reading`, and a `callback` for what they leave to Python."""
    data = np.zeros(events + plan.total_q + 2 * plan.total + plan.m if events else 0)
    room = np.zeros(plan.total), np.zeros(plan.total), np.zeros(4)
    return Reading(*read, np.array(callback, dtype=np.int64), data, q.copy(), *room)


def crossings_for(
    plan: Plan,
    q: np.ndarray,
    length: float,
    cut: bool,
    wanted: np.ndarray | None = None,
    reading: Reading | None = None,
) -> Crossings:
    """The quantities to be watched in a run from the position q (total_q,) of a model of this `length` [m]: switches,
    if steps may be `cut`, and the quantities of events and sticking joints, to be found in the directions `wanted`, as
    the `reading` says."""
    touches = 0
    if cut:
        touches = SWITCH_WIDTH * sum(
            plan.near.table[row[SEARCH] - 1, ROOM] if row[SEARCH] else row[INSTANCES]
            for row in plan.groups.tolist()
            if row[KERNEL_AT + SWITCHES]
        )
    events = 0 if wanted is None else len(wanted)
    if touches + events == 0:
        return _nothing()
    state = Search.zeros()
    state.stop, state.store, state.noise = np.inf, MOST_CUTS, SUMMED_ROUNDING * length
    size = touches + events
    side, touched, left, at, direction, directions = np.zeros((6, size))
    since = np.full(size, -np.inf)
    before, now, low, high = np.zeros((4, 2, size))
    if wanted is not None:
        directions[touches:] = wanted
    reading = reading or reading_for(plan, q, 0, no_events(), (0, 0, 0))
    return Crossings(
        touches, state, side, since, directions, touched, left, at, direction, before, now, low, high, reading
    )
