"""The balance of energy of a run whose steps are not kept, summed up while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.results.energy.ledger import largest_exchange, relative_error


@dataclass(frozen=True, eq=False)
class RunningBalance:
    """What the ledger of all steps would say, of steps that are entered in pieces: the `work` (4,) [J] since the start,
    dissipated, input, of drives and lost by switching; total energy at the start; the largest amount left over and the
    largest total; least and largest values of all entries (7,)."""

    work: np.ndarray = field(default_factory=lambda: np.zeros(4))
    start: float | None = None
    left: float = 0.0
    largest_total: float = 0.0
    least: np.ndarray = field(default_factory=lambda: np.full(7, np.inf))
    most: np.ndarray = field(default_factory=lambda: np.full(7, -np.inf))

    def with_steps(self, energies: np.ndarray, work: np.ndarray) -> RunningBalance:
        """The balance with more steps: kinetic, strain and potential energy (k, 3) at their ends, and the work (k, 4)
        from the start of the run until then."""
        total = energies.sum(axis=1)
        start = float(total[0]) if self.start is None else self.start
        left = total - start + work[:, 0] - work[:, 1] - work[:, 2] + work[:, 3]
        entries = np.concatenate([energies, work], axis=1)
        return RunningBalance(
            work[-1].copy(),
            start,
            float(np.maximum(self.left, np.abs(left).max())),
            float(np.maximum(self.largest_total, np.abs(total).max())),
            np.minimum(self.least, entries.min(axis=0)),
            np.maximum(self.most, entries.max(axis=0)),
        )

    @property
    def exchanged(self) -> float:
        """As of a :class:`~flexmb.results.energy.ledger.Ledger`."""
        extremes = np.stack([self.least, self.most])
        return largest_exchange(extremes[:, :3], extremes[:, 3:])

    def error(self, still: float) -> float:
        """As of a :class:`~flexmb.results.energy.ledger.Ledger`; below the energy `still` [J] all motion is
        rounding."""
        return relative_error(self.left, self.exchanged, self.largest_total, still)
