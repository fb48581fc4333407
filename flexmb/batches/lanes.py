"""Copies of a bound run, of which threads begin and march each their own without Python's lock.

A compiled loop reads and changes some hundred arrays. A *lane* is a copy of all of them, with the addresses by which
compiled code finds them; to make it as it was takes some microseconds. A run in a lane begins and marches in compiled
code alone, with the functions that :func:`flexmb.simulate` calls, in their order, so that it has the same bits.

How a lane is used:

    image = LaneImage(bound, asked_of(bound, t_end, 0.0, None, None, False))  # raises NoLaneError if Python is needed
    lane = Lane(image, rows=20)             # rows: steps that one call of `march` saves at most
    lane.restore()                          # as the model says
    lane.motion.q[:system.nq] = q           # a member's own start, and parameters
    lane.p[places] = values                 # or lane.put(constants), with what follows from masses
    if lane.begin() == OK:
        lane.p[motors] = torques            # held from here on
        lane.commanded()
        status = lane.march(t)              # OK: `saved` is full; DONE: time t is reached
        lane.t, lane.motion.q, lane.saved.v[: lane.rows]

`begin` and `march` let other threads run; a lane belongs to one thread at a time. Any other status means that the run
needs Python: an event, a passage through a singular position, other rows, more room for factors, or that it diverged.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from flexmb.batches.lane_image import Constants, LaneImage
from flexmb.kernels.lending import Lent
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.march.in_lanes import AtStart, InLane
from flexmb.solvers.runs.history import new_chunk

#: Rows of a chunk of saved steps, if the caller does not know how many it needs: with a few hundred coordinates they
#: stay in the cache of a processor, and a call from Python for so many costs nothing beside them.
ROWS = 256


class Lane:
    """A copy of all that a run changes. `rows`: how many steps one call of :meth:`march` saves at most.

    After :meth:`begin`, `motion` has the present state (q, v, a, lam), `p` the parameters of all components, and
    `saved` the steps of the last call of :meth:`march`, `rows` of them.
    """

    def __init__(self, image: LaneImage, rows: int = ROWS) -> None:
        self.image, system = image, image.system
        self._contents = image.contents.copy()
        self.loop, self._bound = image.laid_into(self._contents)
        self.motion, self.state, self.p = self.loop.motion, self.loop.state, self.loop.plan.p
        n, nq, m, total = system.n, system.nq, system.m, system.plan.total
        start = AtStart(
            system.scale, system.row_scale, float(system.mass_scale), float(image.first.reach),
            float(image.first.span), float(image.first.longest), image.sees, int(image.of_model), np.zeros(nq),
            np.zeros(n), np.zeros(len(self.motion.q)), np.zeros(total), np.zeros(total), np.zeros(m),
        )  # fmt: skip
        self.saved = new_chunk(rows, (nq, n, n, m if image.late is None else image.late.count))
        self._filled = np.zeros(1, dtype=np.int64)
        lent = InLane(self.loop, start, self.saved, self._filled)
        self._begin, self._march = (Lent(f, lent, unlocked=True) for f in (image.begin, image.march))
        #: the functions that read numbers of the loop, each in memory of its own
        self._calls = self._begin, self._march
        self._ends = self._numbers("loop.options.t_end")

    def _numbers(self, path: str) -> list[Any]:
        return [x.number(path) for x in self._calls]

    @cached_property
    def _mass_scales(self) -> list[Any]:
        return [x for path in ("start.mass", *self.image.at_mass_scale) for x in self._numbers(path)]

    def put(self, constants: Constants) -> None:
        """Write the constants of a member in place of those of the image."""
        self.p[constants.places] = constants.p
        self.put_mass_scale(constants.mass_scale)
        if constants.masses is not None:
            constants.masses.put(self.loop.coordinates.joints.links)

    def put_mass_scale(self, scale: float) -> None:
        """Write the scale of masses [kg], which stands beside the memory that :meth:`restore` makes as it was."""
        for place in self._mass_scales:
            place.value = scale

    def restore(self) -> None:
        """Make everything as it was before the run began."""
        self._contents[:] = self.image.contents

    def begin(self) -> int:
        """Find the consistent start from the positions and speeds in `motion`; OK, or a status that sends the run to
        the ordinary driver."""
        return self._begin(self.image.t_start)

    def march(self, t_end: float | None = None) -> int:
        """March until `saved` is full (OK), to time `t_end` [s] (DONE), that of the bound run if it is not given, or
        until another status ends the segment."""
        if t_end is not None:
            for place in self._ends:
                place.value = t_end
        return self._march(0.0)

    def commanded(self) -> None:
        """Say that parameters in `p` have changed since the present state was found."""
        self.state.anew = AT_COMMAND

    @property
    def t(self) -> float:
        """The present time [s]."""
        return float(self.state.time)

    @property
    def rows(self) -> int:
        """Number of steps that the last call of :meth:`march` has saved."""
        return int(self._filled[0])
