"""Instances of kernel families, as components give them to the assembler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexmb.errors import KernelError
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Component


@dataclass(slots=True)
class Instance:
    """One instance of a kernel family: its owner, the numbers of its `coordinates` in q and of its `speeds` in v, and
    its place in the plan."""

    owner: Component
    kernels: Kernels
    coordinates: np.ndarray
    speeds: np.ndarray
    parameters: np.ndarray
    rows: np.ndarray
    velocity_rows: int
    label: str
    work: int
    group: int
    place: int


@dataclass(slots=True)
class InstanceSeries:
    """Instances of a kernel family that a component gives together: numbers of `coordinates` (k, nq) in q and (k, nv)
    in v, `parameters` (k, np), `rows` (k, m), of which `velocity_rows` of each instance are velocity rows. The plan
    keeps them in a group, one after the other from `place` on."""

    owner: Component
    kernels: Kernels
    coordinates: Numbers
    parameters: np.ndarray
    rows: np.ndarray
    label: str
    work: int
    strength: int | None = None
    prescribed: int | None = None
    #: the place in the parameters that says whether friction sticks
    state: int | None = None
    velocity_rows: int = 0
    group: int = -1
    place: int = -1

    def __len__(self) -> int:
        return len(self.coordinates.v)

    def instance(self, k: int) -> Instance:
        """Instance number k."""
        return Instance(
            self.owner,
            self.kernels,
            self.coordinates.q[k],
            self.coordinates.v[k],
            self.parameters[k],
            self.rows[k],
            self.velocity_rows,
            self.label,
            self.work,
            self.group,
            self.place + k,
        )

    def filled(self) -> np.ndarray:
        """The entries of K that its kernels may fill, counted row by row."""
        pattern, nv = self.kernels.pattern, self.coordinates.v.shape[1]
        if pattern is None:
            return _all_entries(nv)
        m = self.rows.shape[1]
        if pattern.K.shape != (nv, nv) or pattern.G.shape != (m, nv):
            raise KernelError(
                f"{self.owner.where}: the pattern of kernels {self.kernels.name!r} has K {pattern.K.shape} and G "
                f"{pattern.G.shape}; with {nv} speeds and {m} rows they are ({nv}, {nv}) and ({m}, {nv})"
            )
        return np.flatnonzero(pattern.K)

    def leave_out_zeros(self, count: int, first: int, gmap: np.ndarray) -> None:
        """Leave those entries of G out of a map that the kernels never fill; the map has the places in the matrix of
        the G and the Gᵀ of so many instances, from `first` on (:class:`flexmb.system.plan.Plan`)."""
        if self.kernels.pattern is not None:
            G = self.kernels.pattern.G
            gmap[first : first + 2 * count * G.size].reshape(count, G.size, 2)[:, ~G.ravel()] = -1


@lru_cache(maxsize=64)
def _all_entries(nv: int) -> np.ndarray:
    return np.arange(nv * nv)
