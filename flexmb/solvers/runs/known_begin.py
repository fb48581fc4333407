"""The compiled loop of a bound model as it stands before its first step, from which later runs of one span begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.images import Image, Lane
from flexmb.solvers.runs.run import Run


class _Known(NamedTuple):
    """The span [s] of the runs, the image of their loop, and what all arrays of a lane of the image `base` had when the
    loop was about to begin."""

    span: tuple[float, float]
    base: Image
    loop: Image
    contents: dict[int, np.ndarray]


class KnownBegin:
    """The loop of runs of a bound model that begin as the model says, and in which nothing depends on objects of a run:
    without events, controllers and contacts. It is kept with all that its driver prepares, so that a later run begins
    by copying memory, to the bit as if it were prepared again."""

    def __init__(self) -> None:
        self._known: _Known | None = None

    def loop(self, run: Run, build: Callable[[], Any]) -> Any:
        """The loop of a run, which `build` makes if it is not known; the present state of the run is then that of the
        loop."""
        known, lane = self._known, _lane_of(run)  # another thread may put another one in its place
        if known is None or lane is None or known.base is not lane.image or known.span != (run.t, run.t_end):
            return build()
        (loop,) = lane.further(known.loop, lambda made: (made,))
        lane.put(known.contents)
        run.q, run.v, run.a, run.lam = loop.motion.q, loop.motion.v, loop.motion.a, loop.motion.lam
        run.begun = True
        return loop

    def note(self, run: Run, driver: Any) -> None:
        """Keep the loop of a driver that is about to begin, if it may be."""
        loop, lane, span = driver.loop, _lane_of(run), (run.t, run.t_end)
        known = self._known
        if lane is None or run.begun or (known is not None and known.base is lane.image and known.span == span):
            return
        own = (run.q, run.v, run.a, run.lam)
        same = all(x is y for x, y in zip(own, (loop.motion.q, loop.motion.v, loop.motion.a, loop.motion.lam)))
        if same and loop.plan is run.system.plan and not len(loop.crossings.side):
            self._known = _Known(span, lane.image, Image(loop, beside=lane.tuples), lane.now())


def first_loop(run: Run, build: Callable[[], Any]) -> Any:
    """The loop of a method, which `build` makes unless it is known from an earlier run."""
    return build() if run.begin is None else run.begin.loop(run, build)


def about_to_begin(run: Run, driver: Any) -> None:
    """Note the loop of a driver before its first step, for later runs."""
    if run.begin is not None:
        run.begin.note(run, driver)
        run.begun = False


def _lane_of(run: Run) -> Lane | None:
    """The copies of an image with which a run begins now, if nothing else decides how it does."""
    system, lane = run.system, run.system.lane
    plain = not (run.events.count or run.switches or system.model.controllers or run.step)
    first = run.history.entered == 1 and run.t == run.t_start
    return lane if lane is not None and plain and first and system.plan is lane.tuples[0] else None
