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
from flexmb.system.plan import NP, P_AT, Plan

#: what a constraint row restricts
LEVELS = ("position", "velocity")


@dataclass
class Row:
    """One constraint row: which joint it belongs to, its name, its kind, and its level, one of `LEVELS`."""

    owner: str
    name: str
    kind: str
    level: str = "position"

    @property
    def where(self) -> str:
        return f"{self.owner} ({self.name})"


@dataclass(slots=True)
class Instance:
    """One instance of a kernel family: its owner, the numbers of its `coordinates` in q and of its `speeds` in v, its
    place in the plan, and whether it is `off` and takes no part."""

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
    """Instances of a kernel family that a component gives together: numbers of `coordinates` (k, nq) in q and (k, nv)
    in v, `parameters` (k, np), `rows` (k, m), of which `velocity_rows` of each instance are velocity rows. The plan
    keeps them in a group, one after the other from `place` on. `off`: they take no part, and their rows are −1;
    `stays`: they take part even where their component is off; `found`: the last parameter of each is what is measured
    where the component is switched on.
    """

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
    stays: bool = False
    found: bool = False
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


def strength_places(own: Sequence[InstanceSeries], groups: np.ndarray, where: str) -> np.ndarray:
    """Places among all parameters where the strength of a component is commanded, one for each of its instances."""
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
    """The number of the constraint row that follows the motion prescribed by a component, among those of all
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
    """Write parameters of a component's instances, a row for each, where kernels read them."""
    for instance, numbers in zip(own, values):
        group = plan.groups[instance.group]
        first = group[P_AT] + instance.place * group[NP]
        plan.p[first : first + group[NP]] = numbers
