"""Steps that creep, since a tolerance lies below the rounding of accelerations.

Where accelerations carry rounding δ, as those of a stiff cable do, whose axial forces are differences of lengths, a
step h leaves h δ of speeds and h² δ of places besides the error of the method. An estimate of errors contains it. It
falls with h only linearly, and a method that follows its estimate shortens its steps until h δ is allowed, on one
processor a thousand times and on another not at all. So h δ is always allowed, and noted as what rounding leaves.

δ is found by moving all numbers of a state by one rounding, at that state and a little later: where a force jumps, as
that of dry friction at rest, the one shows the jump, and the lesser of both is rounding.
"""

from __future__ import annotations

import numpy as np

from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide

#: steps between two times at which δ is found, and states that are compared then
EVERY, STATES = 64, 3
#: how much later the other state is, as a part of a step
LATER = 0.1
#: what is allowed in a step, in units of h δ: the weights of a method add some up
ALLOWED = 3.0


class Creeping:
    """The least errors that are allowed in the steps of a right-hand side."""

    def __init__(self, f: RightHandSide) -> None:
        self.f, self._steps, self._random = f, 0, np.random.default_rng(0)
        self._sizes = f.sizes()
        self._noise = np.zeros(len(self._sizes) - f.places)

    def least(self, t: float, y: np.ndarray, h: float, allowed: np.ndarray) -> np.ndarray:
        """The errors that are allowed in a step h [s] from a state y (k,) at t [s], where `allowed` (k,) were asked
        for; what rounding leaves beyond them is noted in the statistics of the run."""
        if self._steps % EVERY == 0:
            here = self.f.trial(t, y)
            later = np.where(np.isfinite(here), y + LATER * h * here, y)
            self._noise = np.minimum(self._found(t, y), self._found(t, later))
        self._steps += 1
        places, run = self.f.places, self.f.run
        left = h * self._noise
        largest = float(np.max(left / self._sizes[places:], initial=0.0))
        if np.any(ALLOWED * left > allowed[places:]):
            run.statistics.note_rounding((run.t_end - t) * largest)
        moved = ALLOWED * h * largest * self._sizes[:places]
        return np.maximum(allowed, np.concatenate([moved, ALLOWED * left]))

    def _found(self, t: float, y: np.ndarray) -> np.ndarray:
        """δ (speeds,) at a state; zero where accelerations are not determined."""
        unit = np.finfo(float).eps * np.maximum(np.abs(y), self._sizes)
        here, noise = self.f.trial(t, y), np.zeros(len(y))
        for _ in range(STATES):
            moved = self.f.trial(t, y + unit * self._random.choice([-1.0, 1.0], len(y)))
            noise = np.maximum(noise, np.abs(moved - here))
        found = noise[self.f.places :]
        return np.where(np.isfinite(found), found, 0.0)
