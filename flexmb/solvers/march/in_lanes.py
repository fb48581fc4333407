"""How a run begins and marches in a lane: in compiled code, without Python and its lock.

A lane is a copy of everything that the compiled loop of a bound model reads and writes (:mod:`flexmb.batches.lanes`).
Its memory is what it was before the search for a consistent start. :func:`begin` finds this start from positions and
speeds as :func:`flexmb.solvers.start.initial.consistent_state` does, with the same functions in the same order, so that
the run has the same bits; what that function does in Python, such as moving bodies until open joints meet, ends it with
the status NOT_CLOSED. Then the loop of the method marches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.charts import normalize
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.rows.index_one import NOT_ASKED, SWEEPS, TOLERANCE, project_and_accelerate
from flexmb.solvers.rows.singular_value import see_start
from flexmb.solvers.runs.history import SavedSteps
from flexmb.solvers.statuses import NOT_CLOSED, NOT_FINITE, OK
from flexmb.system.accelerations import accelerations
from flexmb.system.moved_start import NOTICEABLE


class FirstStep(NamedTuple):
    """How large the first step of a run is, as :func:`flexmb.solvers.march.times.first_step` finds it: `reach` is the
    part of a length or a radian that the motion may change over it, a tenth of tolerance^(1/order), `span` the length
    of the run and `longest` the largest step [s]. With a reach of 0 it stays as it is."""

    reach: float = 0.0
    span: float = 1.0
    longest: float = math.inf


@by_reference
class AtStart(NamedTuple):
    """Needed by :func:`begin` besides the loop: the scales (n,) and (m,) of speeds and rows, the scale of masses, the
    :class:`FirstStep`, whether the loop follows σ (`sees`), and whether speeds that joints change are refused
    (`of_model`). Scratch: the given positions (nq,) and speeds (n,), a state for σ."""

    scale: np.ndarray
    row_scale: np.ndarray
    mass: float
    reach: float
    span: float
    longest: float
    sees: int
    of_model: int
    given_q: np.ndarray
    given_v: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class InLane(NamedTuple):
    """A loop with the steps that it saves; `filled` (1,): how many rows the last call of :func:`march` filled."""

    loop: Any
    start: AtStart
    saved: SavedSteps
    filled: np.ndarray


class InLanes(NamedTuple):
    """The functions of a method, of an :class:`InLane` and a time: `begin` at this time from the positions and speeds
    in the loop; `march` until the loop ends a segment. Both return a status."""

    begin: Callable[[Any, float], int]
    march: Callable[[Any, float], int]


@called(float)
def _first_step(s, v, a):
    """:func:`flexmb.solvers.march.times.first_step` of speeds and accelerations."""
    speed, turn = 0.0, 0.0
    for i in range(s.scale.shape[0]):
        speed = max(speed, abs(v[i]) / s.scale[i])
        turn = max(turn, abs(a[i]) / s.scale[i])
    return min(s.reach / max(speed, math.sqrt(turn), 1.0 / s.span), s.span / 10.0)


@called(int)
def _consistent(s, loop, t):
    """Fill the loop with the consistent state of its positions and speeds; OK, or why the search needs Python."""
    plan, motion, work = loop.plan, loop.motion, loop.work
    q, v, a, lam = motion.q, motion.v, motion.a, motion.lam
    for i in range(plan.nq):
        s.given_q[i] = q[i]
    for i in range(plan.n):
        s.given_v[i] = v[i]
    ended = NOT_ASKED
    if plan.m > 0:
        status, left, ended = project_and_accelerate(
            plan, loop.scratch, loop.linear, s.mass, t, q, v, a, lam, s.given_v, s.row_scale, work, TOLERANCE, SWEEPS
        )
        if status != OK:
            return status
        if not left <= TOLERANCE:
            return NOT_CLOSED
        for i in range(plan.nq):
            if not abs(q[i] - s.given_q[i]) <= NOTICEABLE * min(1.0, s.scale[0]):
                return NOT_CLOSED
        if ended == NOT_ASKED and s.of_model > 0:
            return NOT_CLOSED
    if ended == NOT_ASKED:
        ended = accelerations(plan, loop.scratch, loop.linear, s.mass, t, q, v, a, lam, work, 0.0, 0.0)
    if ended != OK:
        return ended
    for i in range(plan.n):
        if not math.isfinite(a[i]):
            return NOT_FINITE
    return OK


@called(None)
def look_at_rows(s, loop, t):
    """Record σ of the present state, if the loop follows it: :meth:`flexmb.solvers.changes.trail.Trail.begin`."""
    if s.sees == 0:
        return
    plan, motion = loop.plan, loop.motion
    for i in range(motion.q.shape[0]):
        s.q[i] = motion.q[i]
    for i in range(plan.n):
        s.v[i] = motion.v[i]
    if plan.orientations.shape[0] > 0:
        normalize(plan.orientations, s.q)
    see_start(
        plan, loop.scratch, loop.linear, s.mass, t, s.q, s.v, s.a, s.lam, loop.work, s.row_scale, loop.rows, loop.watch
    )


def in_lanes(
    advance: Callable[..., Any], ready: Callable[[InLane, float, float], None], module: str | None = None
) -> InLanes:
    """The functions of a method with the compiled loop `advance`. `ready(lane, t, first)` fills what the loop holds
    besides the present state before its first step, whose size is `first`, or what the loop has if that is 0. They
    stand in `module`, that of `ready` if none is given, under the name IN_LANES."""

    def begin(lane, t):  # type: ignore[no-untyped-def]
        """Begin at a time from the positions and speeds in the loop."""
        s, loop, first = lane.start, lane.loop, 0.0
        status = _consistent(s, loop, t)
        if status != OK:
            return status
        if s.reach > 0.0:
            first = min(_first_step(s, loop.motion.v, loop.motion.a), s.longest)
        ready(lane, t, first)
        return OK

    def march(lane, t):  # type: ignore[no-untyped-def]
        """Go on until the loop ends a segment; the time is not used."""
        status, rows = advance(lane.loop, lane.saved)
        lane.filled[0] = rows
        return status

    for function in (begin, march):  # so that lists of compiled functions can name them
        function.__module__, function.__qualname__ = module or ready.__module__, f"IN_LANES.{function.__name__}"
    return InLanes(called(int)(begin), called(int)(march))
