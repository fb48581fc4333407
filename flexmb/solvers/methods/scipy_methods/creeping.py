"""Protection against steps that become tiny because the tolerance is below the round-off of accelerations.

If accelerations contain round-off δ, as in a stiff cable, whose axial forces follow from differences of lengths, a step
h adds errors h δ to speeds and h² δ to positions, besides the error of the method. The estimated error contains them.
They fall only linearly with h, and a method that follows its estimate would shorten its steps until h δ is allowed, on
one processor by a factor of a thousand and on another not at all. So an error of h δ is always allowed, and recorded as
round-off in the statistics.

δ is measured by changing all numbers of a state in their last digit, at that state and a little later: where a force
jumps, as that of dry friction at rest, one of the two measurements contains the jump, and the smaller one is round-off.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.runs.right_hand_side import RightHandSide

#: Number of steps between two measurements of δ, and number of changed states compared in each.
EVERY, STATES = 64, 3
#: Delay of the second state, as a part of a step.
LATER = 0.1
#: Error that is always allowed in a step, in units of h δ: the weights of a method add up several δ.
ALLOWED = 3.0


class Creeping:
    """The smallest errors that are allowed in the steps of a right-hand side."""

    def __init__(self, f: RightHandSide) -> None:
        self.f, self._steps, self._random = f, 0, np.random.default_rng(0)
        self._sizes = f.sizes()
        self._noise = np.zeros(len(self._sizes) - f.places)

    def least(self, t: float, y: np.ndarray, h: float, allowed: np.ndarray) -> np.ndarray:
        """The errors allowed in a step h [s] from a state y (k,) at t [s]: the `allowed` (k,) ones, but at least those
        due to round-off. Larger round-off is recorded in the statistics of the run."""
        if self._steps % EVERY == 0:
            here = self.f.trial(t, y)
            later = np.where(np.isfinite(here), y + LATER * h * here, y)
            self._noise = np.minimum(self._found(t, y), self._found(t, later))
        self._steps += 1
        places, run = self.f.places, self.f.run
        left = h * self._noise
        largest = float(np.max(left / self._sizes[places:], initial=0.0))
        if np.any(ALLOWED * left > allowed[places:]):
            run.report.statistics.note_rounding((run.t_end - t) * largest)
        moved = ALLOWED * h * largest * self._sizes[:places]
        return np.maximum(allowed, np.concatenate([moved, ALLOWED * left]))

    def _found(self, t: float, y: np.ndarray) -> np.ndarray:
        """The round-off δ (speeds,) of accelerations at a state; zero where accelerations are not determined."""
        unit = np.finfo(float).eps * np.maximum(np.abs(y), self._sizes)
        here, noise = self.f.trial(t, y), np.zeros(len(y))
        for _ in range(STATES):
            moved = self.f.trial(t, y + unit * self._random.choice([-1.0, 1.0], len(y)))
            noise = np.maximum(noise, np.abs(moved - here))
        found = noise[self.f.places :]
        return np.where(np.isfinite(found), found, 0.0)
