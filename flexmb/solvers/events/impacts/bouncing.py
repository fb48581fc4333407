"""The end of bouncing: infinitely many impacts in a finite time.

The flights of a row that bounces under a steady force become shorter by a ratio r, its restitution. Behind a flight d
those that are left take d r/(1 − r). Once the row moves in them by less than what counts as closed, it is closed at
once, and bouncing ends at the predicted time. No speed is too small for an impact.
So it is with a block that rocks on its corners, each of which is struck in turn while the other leaves.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.events.impacts.collision import Collision
from flexmb.system.system import System

#: Flights from which bouncing is predicted: their ratios have to agree to STEADY of themselves.
FLIGHTS, STEADY = 4, 0.01
#: What is left of the flights moves nothing if the row moves by less than this in it, in model lengths or radians.
LEFT = 1e-10


class Bouncing:
    """The latest impacts of each row of a run, by the name of its coordinate."""

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = {}

    def ended(
        self, t: float, system: System, struck: np.ndarray, names: list[str], collision: Collision
    ) -> dict[int, float]:
        """Note an impact at time t of the rows with numbers `struck`, whose coordinates have these `names`; returns
        which of them bounce no more, each with the time [s] at which it comes to rest, and with it all of them."""
        found = {}
        sizes = system.scale[[system.names.index(name) for name in names]]
        speed = float(np.max(collision.after / sizes))
        for k, name, P in zip(struck.tolist(), names, collision.impulse):
            if not (P > 0.0 and speed > 0.0):
                continue
            times = self._times.setdefault(name, [])
            times.append(t)
            del times[: -FLIGHTS - 1]
            flights = np.diff(times)
            if len(flights) < FLIGHTS or not np.all(flights > 0.0):
                continue
            ratios = flights[1:] / flights[:-1]
            r = float((flights[-1] / flights[0]) ** (1.0 / (len(flights) - 1)))
            if r < 1.0 and np.all(np.abs(ratios - r) <= STEADY * r):
                left = float(flights[-1]) * r / (1.0 - r)
                if speed * left <= LEFT:
                    found[k] = t + left
                    times.clear()
        return found
