"""Instances of kernel families, as components give them to the assembler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexmb.errors import KernelError, ModelError
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.components import Component
from flexmb.model.handed_over import Finds
from flexmb.system.plan import NP, P_AT, Plan

#: levels at which a constraint row can be stated
LEVELS = ("position", "velocity")


@dataclass
class Row:
    """One constraint row: its joint, its name, its kind ("length" or "angle"), and its level, one of `LEVELS`."""

    owner: str
    name: str
    kind: str
    level: str = "position"

    @property
    def where(self) -> str:
        return f"{self.owner} ({self.name})"


@dataclass(slots=True)
class Instance:
    """One instance of a kernel family: its owner, the indices of its `coordinates` in q and of its `speeds` in v, its
    kernel group and its position there, and whether it is `off`, which excludes it from all equations."""

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
    off: bool


@dataclass(slots=True)
class InstanceSeries:
    """k instances of a kernel family that a component adds together: indices of `coordinates` (k, nq) in q and (k, nv)
    in v, `parameters` (k, np), `rows` (k, m), of which each instance has `velocity_rows` velocity rows. The plan stores
    them consecutively in a group, from `place` on. `off`: they are excluded from all equations, and their rows are −1;
    `stays`: they act even where their component is off; `found`: the last parameter of each is measured at the moment
    when the component is switched on."""

    owner: Component
    kernels: Kernels
    coordinates: Numbers
    parameters: np.ndarray
    rows: np.ndarray
    label: str
    work: int
    strength: int | None = None
    prescribed: int | None = None
    #: index of the parameter that holds the state of the friction: sliding or sticking
    state: int | None = None
    velocity_rows: int = 0
    group: int = -1
    place: int = -1
    stays: bool = False
    found: bool = False
    #: what one instance reads of other components (:mod:`flexmb.system.found`)
    finds: Sequence[Finds] = ()
    off: bool = False

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
            self.off,
        )

    def filled(self) -> np.ndarray:
        """Indices, row by row, of the entries of K that the kernels may fill."""
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
        """Mark as −1 in `gmap` those entries of G that the kernels never fill. The map has the positions in the matrix
        of the entries of G and Gᵀ of `count` instances, from `first` on (:class:`flexmb.system.plan.Plan`)."""
        if self.kernels.pattern is not None:
            G = self.kernels.pattern.G
            gmap[first : first + 2 * count * G.size].reshape(count, G.size, 2)[:, ~G.ravel()] = -1


@lru_cache(maxsize=64)
def _all_entries(nv: int) -> np.ndarray:
    return np.arange(nv * nv)


def strength_places(own: Sequence[InstanceSeries], groups: np.ndarray, where: str) -> np.ndarray:
    """Indices in the plan's parameters at which the strength of a component is commanded, one for each of its
    instances."""
    places = []
    for series in own:
        if series.strength is not None:
            group = groups[series.group]
            number = series.place + np.arange(len(series))
            places.append(group[P_AT] + number * group[NP] + series.strength)
    if not places:
        raise ModelError(
            f"{where}: its assemble() does not say where its strength stands; give strength=… to assembly.instance"
        )
    return np.concatenate(places)


def prescribed_row(own: Sequence[InstanceSeries], where: str) -> int:
    """The index of the constraint row that follows the motion prescribed by a component, among the rows of all
    components that are on."""
    for series in own:
        if series.off:
            raise ModelError(f"{where}: it is off, and moves nothing; switch it on")
        if series.prescribed is not None:
            return int(series.rows[0, series.prescribed])
    raise ModelError(
        f"{where}: its assemble() does not say which row follows its motion; give prescribed=… to assembly.instance"
    )


def put_parameters(own: Sequence[Instance], plan: Plan, values: Sequence[np.ndarray]) -> None:
    """Write parameters of a component's instances, a row for each, into the plan."""
    for instance, numbers in zip(own, values):
        group = plan.groups[instance.group]
        first = group[P_AT] + instance.place * group[NP]
        plan.p[first : first + group[NP]] = numbers
