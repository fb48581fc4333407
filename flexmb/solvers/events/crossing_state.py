"""What is watched within the steps of a run: quantities whose way through zero ends a step
(:mod:`flexmb.solvers.events.crossings`), and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.kernels.widths import SWITCH_WIDTH
from flexmb.system.evaluation import SWITCHES
from flexmb.system.near import ROOM
from flexmb.system.plan import COUNT, KERNEL_AT, SEARCH, Plan

#: the side of a quantity that is at zero, and will be where it goes
AT_ZERO = 2.0
#: values and their rates, in the rows of what was looked at
VALUE, RATE = range(2)
#: touches for which steps are made again
MOST_CUTS = 20.0
#: what happens so often within this part of a run does so for ever
FOR_EVER, AT_ONCE = 50, 1e-6
#: switches are noise below this part of the model's length
NOISE_OF = 1e-13


class Search(Variables):
    """What is known of the next passage of a watched quantity through zero."""

    stop: float  # where the step has to end (infinite: anywhere)
    tries: float  # how often it was made again
    # the last end before zero, and the first behind it; how many ends in a row were behind zero
    low: float
    high: float
    behind: float
    near: float  # how near to zero is at zero [s]
    store: float  # for how many touches steps may still be made again
    hop: float  # how far it is from the end of a kept step over zero [s]
    events: float  # how many events are at that end
    noise: float  # switches that are no larger than this are noise
    step_size: float  # about the size of steps, of which some may be very short
    # the end of the step that is made again, as it was at first; the last end that was looked at
    whole: float
    end: float


@by_reference
class Crossings(NamedTuple):
    """K quantities, the first `switches` those of components, then those of events. `side` of zero, the time `since`
    when a switch is there (−∞: not known), and the direction `wanted` (0: both); `touched`, the direction in which each
    goes through zero at the end of the step, and the time `left` until then; `at`, the time of the next passage in its
    `direction`. Values and rates (2, K): `before` the step, `now`, and at both ends of what is searched. Multipliers
    before the step; a moved state; what the function behind `callback` (address and key) takes and gives: values, then
    q, v, a and λ."""

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
    lam: np.ndarray
    q: np.ndarray
    v: np.ndarray
    move: np.ndarray
    weights: np.ndarray
    callback: np.ndarray
    data: np.ndarray


def for_ever(times: Sequence[float], span: float) -> bool:
    """Whether what happened at these times does so for ever, at one instant of a run over a `span` [s] or at times that
    accumulate there."""
    return len(times) >= FOR_EVER and times[-1] - times[-FOR_EVER] <= AT_ONCE * span


class EventsDueError(Exception):
    """Events ask for more than to be noted, so that a method ends. It does not leave a run."""


@lru_cache(maxsize=1)
def _nothing() -> Crossings:
    """Nothing to watch: nothing is ever written on it."""
    empty = np.zeros(0)
    state = Search.zeros()
    state.stop = np.inf
    rows = np.zeros((2, 0))
    return Crossings(
        0, state, empty, empty, empty, empty, empty, empty, empty, rows, rows, rows, rows, empty, empty, empty, empty,
        np.zeros(4), np.zeros(2, dtype=np.int64), empty,
    )  # fmt: skip


def crossings_for(
    plan: Plan,
    q: np.ndarray,
    length: float,
    cut: bool,
    wanted: np.ndarray | None = None,
    callback: tuple[int, int] = (0, 0),
) -> Crossings:
    """What is watched in a run from the position q (total_q,) of a model of this `length`: switches, if steps may be
    `cut`, and quantities of events that are to be found in the directions `wanted`, which a `callback` evaluates."""
    touches = 0
    if cut:
        touches = SWITCH_WIDTH * sum(
            plan.near.table[row[SEARCH] - 1, ROOM] if row[SEARCH] else row[COUNT]
            for row in plan.groups.tolist()
            if row[KERNEL_AT + SWITCHES]
        )
    events = 0 if wanted is None else len(wanted)
    if touches + events == 0:
        return _nothing()
    state = Search.zeros()
    state.stop, state.store, state.noise = np.inf, MOST_CUTS, NOISE_OF * length
    size = touches + events
    side, touched, left, at, direction = np.zeros((5, size))
    since = np.full(size, -np.inf)
    before, now, low, high = np.zeros((4, 2, size))
    directions = np.zeros(size)
    if wanted is not None:
        directions[touches:] = wanted
    data = np.zeros(events + plan.total_q + 2 * plan.total + plan.m if events else 0)
    return Crossings(
        touches, state, side, since, directions, touched, left, at, direction, before, now, low, high, np.zeros(plan.m),
        q.copy(), np.zeros(plan.total), np.zeros(plan.total), np.zeros(4), np.array(callback, dtype=np.int64), data,
    )  # fmt: skip
