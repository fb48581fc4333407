"""Runs in momenta: the state is joint coordinates x and the hinge momenta Ĝ of Jerkovsky (1978).

Speeds follow from momenta at each position, by (2.8.30) of Ohkami et al. (1985), and the rates of momenta from the
loads, by (2.8.29), in which no inertia is differentiated (:mod:`flexmb.formulations.classical.jerkovsky`). A momentum
that no load changes stays what it was to the last digit.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import SolverError
from flexmb.formulations.classical import jerkovsky
from flexmb.formulations.classical.first_order import states_beside
from flexmb.formulations.kinds import Hybrid
from flexmb.kernels.blocks import INTEGRAL
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.runs.right_hand_side import RightHandSide
from flexmb.solvers.runs.run import Run

#: The formulation that has a momentum form.
FORMULATION = "jerkovsky"


class InMomenta(RightHandSide):
    """The right-hand side for y = (x, Ĝ)."""

    def __init__(self, run: Run, coordinates: Coordinates, formulation: str | Hybrid | None) -> None:
        where = f"simulate model {run.system.model.name!r}"
        if formulation != FORMULATION:
            raise SolverError(
                f"{where}: momenta are of formulation {FORMULATION!r}, which alone has a form in momenta; give "
                f"formulation={FORMULATION!r}, or leave momenta out"
            )
        super().__init__(run, coordinates=coordinates, formulation=formulation)
        assert self.paper is not None
        states = states_beside(self.paper.formulation.tree)
        loose = [run.system.names[k] for k in [*coordinates.joints.followers.loose, *states]]
        if loose:
            raise SolverError(f"{where}: {loose[0].removesuffix(INTEGRAL)!r} has no momentum; leave momenta out")
        self._t, self._still = run.t, np.zeros(coordinates.joints.links.joints.nv)

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ = (ẋ, d/dt Ĝ)."""
        self._t = t
        rates = super().__call__(t, y)
        if np.isfinite(rates[self.places :]).all():
            rates[self.places :] = self._of_paper("hinge momentum rates")
        return rates

    def _of_paper(self, what: str) -> np.ndarray:
        assert self.paper is not None
        return self.paper.formulation.yields[what]

    def _put(self, y: np.ndarray) -> None:
        """Compute the state q, v of y: the position first, at which momenta tell the speeds."""
        assert self.paper is not None
        super()._put(np.concatenate([y[: self.places], self._still]))
        at_rest = self.paper.formulation.motion(self.coordinates.joints.x, self._still, t=self._t)
        speeds = jerkovsky.speeds(at_rest, y[self.places :])
        super()._put(np.concatenate([y[: self.places], speeds]))

    def carried(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """y for a state q (nq,), v (n,)."""
        assert self.paper is not None
        y = super().carried(q, v)
        motion = self.paper.formulation.motion(y[: self.places], y[self.places :], t=self._t)
        y[self.places :] = jerkovsky.momenta_of(motion).along_hinges
        return y

    def sizes(self) -> np.ndarray:
        """Scales of the entries of y: those of momenta are the inertia against each speed, where the others are free,
        times its scale."""
        assert self.paper is not None
        sizes = super().sizes()
        at_rest = self.paper.formulation.motion(self.coordinates.joints.x, self._still, t=self._t)
        answers = np.diag([jerkovsky.speeds(at_rest, unit)[k] for k, unit in enumerate(np.eye(len(self._still)))])
        sizes[self.places :] /= np.diag(answers)
        return sizes

    def names(self) -> list[str]:
        """Names of the entries of y."""
        names = super().names()
        return [*names[: self.places], *(f"momentum of {name}" for name in names[self.places :])]
