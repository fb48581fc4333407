"""The end of bouncing: infinitely many impacts in a finite time.

The flights of a row that bounces under a steady force become shorter by a ratio r, its restitution, and its speeds
become smaller by the same ratio. Behind a flight d those that are left take d r/(1 − r). Once the row moves in them by
less than what counts as closed, it is closed at once, and bouncing ends at the predicted time. No speed is too
small for an impact. So it is with a block that rocks on its corners, each of which is struck in turn while the other
leaves.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.events.impacts.collision import Collision
from flexmb.system.system import System

#: Flights from which bouncing is predicted: their ratios have to agree to STEADY of themselves.
FLIGHTS, STEADY = 4, 0.01
#: What is left of the flights moves nothing if the row moves by less than this in it, in model lengths or radians.
LEFT = 1e-10


class Flights:
    """The latest impacts of a row, with their times and the speeds behind them, and when bouncing ends by the last two
    flights: the prediction that agreed best with the one before it. Those of early flights are off by what is not yet
    steady, those of short ones by round-off."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.speeds: list[float] = []
        self.predicted, self.best, self.agrees = np.inf, np.inf, np.inf

    def add(self, t: float, speed: float) -> None:
        """Note an impact at time t, and the `speed` with which it is left."""
        self.times, self.speeds = [*self.times[-FLIGHTS:], t], [*self.speeds[-FLIGHTS:], speed]
        before, last = np.diff(self.times[-3:]) if len(self.times) > 2 else (0.0, 0.0)
        if not 0.0 < last < before:
            self.predicted = self.best = self.agrees = np.inf
            return
        predicted = t + last * last / (before - last)
        change = abs(predicted - self.predicted)
        if change < self.agrees:
            self.best, self.agrees = predicted, change
        self.predicted = predicted

    def left(self) -> float:
        """How long the flights that are left take [s]; infinite where they are not steady."""
        flights = np.diff(self.times)
        if len(flights) < FLIGHTS or not np.all(flights > 0.0):
            return np.inf
        ratios = flights[1:] / flights[:-1]
        r = float((flights[-1] / flights[0]) ** (1.0 / (len(flights) - 1)))
        slower = float((self.speeds[-1] / self.speeds[0]) ** (1.0 / len(flights)))
        steady = r < 1.0 and np.all(np.abs(ratios - r) <= STEADY * r) and abs(slower - r) <= STEADY * r
        return float(flights[-1]) * r / (1.0 - r) if steady else np.inf


class Bouncing:
    """The flights of each row of a run, by the name of its coordinate."""

    def __init__(self) -> None:
        self._flights: dict[str, Flights] = {}

    def ended(
        self, t: float, system: System, struck: np.ndarray, names: list[str], collision: Collision
    ) -> dict[int, float]:
        """Note an impact at time t of the rows with numbers `struck`, whose coordinates have these `names`; returns
        which of them bounce no more, each with the time [s] at which it comes to rest. One that is left without a speed
        of its own, as a corner on which a block rocks, has that of the fastest, and all come to rest with it."""
        found = {}
        sizes = system.scale[[system.names.index(name) for name in names]]
        speeds = collision.after / sizes
        fastest = float(np.max(speeds))
        for k, name, P, own in zip(struck.tolist(), names, collision.impulse, speeds.tolist()):
            speed = own if own > 0.0 else fastest
            if not (P > 0.0 and speed > 0.0):
                continue
            flights = self._flights.setdefault(name, Flights())
            flights.add(t, speed)
            left = flights.left()
            if speed * left <= LEFT:
                found[k] = flights.best if abs(flights.best - t) <= 2.0 * left else t + left
                del self._flights[name]
        return found
