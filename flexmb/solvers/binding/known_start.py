"""Where runs begin, and the start of a bound model, which is found once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.solvers.binding.going_on import Beginning
from flexmb.system.moved_start import Move
from flexmb.system.system import System
from flexmb.system.system_image import SystemImage


class Start(NamedTuple):
    """The start of a run: its `system`, without redundant rows; what it begins from, `begin`; the consistent `state`
    there, q (total_q,), v, a (total,) and λ (m,); the move of its positions, the largest change of a speed, and texts
    about speeds that a user gave and the joints did not keep."""

    system: System
    begin: Beginning
    state: tuple[np.ndarray, ...]
    moved: Move
    speeded: float
    unkept: list[str]


class KnownStart:
    """The start of the runs of a bound model that begin at one time as the model says, without commands. It is kept
    with the system as the search for it left that, so that a later run does the same to the bit; not where joints did
    not meet, or rows repeat others, of which every run warns."""

    def __init__(self) -> None:
        self._known: tuple[float, SystemImage, Start] | None = None

    def keep(self, t: float, start: Start) -> None:
        """Keep the start of a run at time t [s], before anything else is done with it."""
        silent = start.moved.size == 0.0 and start.speeded == 0.0 and not start.system.left_out
        if silent and not start.system.plan.friction:
            state = tuple(x.copy() for x in start.state)
            self._known = t, SystemImage(start.system), start._replace(state=state)

    def at(self, t: float) -> Start | None:
        """A copy of the start at time t [s], if it is known."""
        known = self._known  # another thread may put another one in its place
        if known is None or t != known[0]:
            return None
        _, image, start = known
        system = image.copy()
        begin = Beginning(system, system.q0, system.v0)
        return start._replace(system=system, begin=begin, state=tuple(x.copy() for x in start.state))
