"""Instances of kernel families, as components give them to the assembler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
