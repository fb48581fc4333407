"""The balance of energy of a run whose steps are not kept, summed up while it goes on."""

from __future__ import annotations

import numpy as np

from flexmb.results.ledger import largest_exchange, relative_error


class RunningBalance:
    """What the ledger of all steps would say, of steps that are entered in pieces."""

    def __init__(self) -> None:
        #: the work (3,) [J] since the start: dissipated, input and of drives
        self.work = np.zeros(3)
        self._start = np.nan
        self._left = self._largest_total = 0.0
        self._least, self._most = np.full(6, np.inf), np.full(6, -np.inf)

    def enter(self, energies: np.ndarray, work: np.ndarray) -> None:
        """Kinetic, strain and potential energy (k, 3) at the ends of steps, and the work (k, 3) from the start until
        then."""
        if not len(work):
            return
        total = energies.sum(axis=1)
        if np.isnan(self._start):
            self._start = float(total[0])
        left = total - self._start + work[:, 0] - work[:, 1] - work[:, 2]
        self._left = max(self._left, float(np.abs(left).max()))
        self._largest_total = max(self._largest_total, float(np.abs(total).max()))
        entries = np.concatenate([energies, work], axis=1)
        self._least = np.minimum(self._least, entries.min(axis=0))
        self._most = np.maximum(self._most, entries.max(axis=0))
        self.work = work[-1].copy()

    @property
    def exchanged(self) -> float:
        """As of a :class:`~flexmb.results.ledger.Ledger`."""
        return largest_exchange(*np.stack([self._least, self._most], axis=1)) if np.isfinite(self._start) else 0.0

    def error(self, still: float) -> float:
        """As of a :class:`~flexmb.results.ledger.Ledger`; below the energy `still` [J] all motion is rounding."""
        return relative_error(np.array([self._left]), self.exchanged, np.array([self._largest_total]), still)
