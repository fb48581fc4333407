"""Stresses of a body on its mesh over time: largest ones, where and when, envelopes, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmb.bodies.stresses import AT_ONCE, COMPONENTS, SIZES, needed_elasticity, quantity_of, stress_modes
from flexmb.errors import AccuracyWarning, warn
from flexmb.model import checks, given_times
from flexmb.model.appearance import MeshPlace
from flexmb.model.hints import Answering

#: what pictures call stresses
STRESS_LABELS = {
    "von_mises": "von Mises stress",
    "max_principal": "largest principal stress",
    "mid_principal": "middle principal stress",
    "min_principal": "lowest principal stress",
    "max_shear": "largest shear stress",
}
#: part of the largest stress by which it may be uncertain without a warning
NOTICEABLE = 0.05


def stress_names(dimension: int) -> tuple[str, ...]:
    """What can be asked of the stresses of a body, all in Pa.

    >>> stress_names(2)[:3]
    ('von_mises', 'max_principal', 'mid_principal')
    """
    return (*SIZES, *COMPONENTS[dimension])


class StressPeak(NamedTuple):
    """The largest stress of a body in a run: its `value` [Pa], its `time` [s], the number of the `node`, and the
    `position` (d,) [m] of that node in the axes in which the mesh was given."""

    value: float
    time: float
    node: int
    position: np.ndarray


class _Extremes(NamedTuple):
    """The largest and the lowest value of each instant (k,) with their nodes, and of each node (N,)."""

    high: np.ndarray
    high_node: np.ndarray
    low: np.ndarray
    low_node: np.ndarray
    highest: np.ndarray
    lowest: np.ndarray


@dataclass(frozen=True, eq=False)
class StressTrack(Answering):
    """A stress of a body at all nodes of its mesh, at k times; `solution["bracket.von_mises"]`.

    Quantities are von_mises, max_principal, mid_principal, min_principal and max_shear, and the components stress_xx …
    in the axes of the mesh, which turn with the body; see :mod:`flexmb.bodies.stresses` for their formulas.

    Arguments: `name`, `what` of them; `t` (k,) [s]; amplitudes `eta` (k, n); the `mesh`; `uncertainty` (k,) [Pa], about
    how far the largest stresses are off since the modes leave out deformations under loads of inertia, None if nobody
    has estimated it.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), *2 * [np.array([-0.05, 0.05])])
    >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
    >>> m = fm.SpatialModel("m")
    >>> bar = m.add_modal_body("bar", fm.bodies.from_mesh(bar, fm.Material(7850, 2e11), interfaces=ends, modes=2))
    >>> joint, pull = m.weld(m.ground, bar.at("foot")), m.point_force(bar.at("tip"), (1000.0, 0, 0))
    >>> stress = fm.equilibrium(m).solution["bar.stress_xx"]
    >>> round(float(stress.at((0.5, 0, 0))[0]), -3)
    100000.0
    """

    name: str
    what: str
    t: np.ndarray
    eta: np.ndarray
    mesh: MeshPlace
    uncertainty: np.ndarray | None = None

    @property
    def where(self) -> str:
        """The track as messages name it."""
        return f"stresses {self.name!r}"

    def nodes(self, k: int) -> np.ndarray:
        """The stresses (N,) [Pa] at all nodes at the instant k, counted from 0, or from the end as −1, −2 and so on."""
        return quantity_of(self._modes.nodal @ self.eta[self._instant(k)], self.what)

    def elements(self, k: int) -> np.ndarray:
        """The mean stresses (E,) [Pa] of the elements at the instant k, all blocks of cells in turn."""
        return quantity_of(self._modes.elements @ self.eta[self._instant(k)], self.what)

    def _instant(self, k: Any) -> int:
        return given_times.instant(k, len(self.t), self.where)

    def at(self, node: Any) -> np.ndarray:
        """The stress (k,) [Pa] at a node, by its number, or at the node nearest to a place (d,) in the axes in which
        the mesh was given."""
        return quantity_of(self.eta @ self._modes.nodal[node_of(self.mesh, node, self.where)].T, self.what)

    @property
    def values(self) -> np.ndarray:
        """The stress (k,) [Pa] of largest size on the mesh, at each time."""
        x = self._extremes
        return np.where(np.abs(x.high) >= np.abs(x.low), x.high, x.low)

    @property
    def envelope(self) -> np.ndarray:
        """The stress (N,) [Pa] of largest size over all times, at each node."""
        x = self._extremes
        return np.where(np.abs(x.highest) >= np.abs(x.lowest), x.highest, x.lowest)

    @property
    def peak(self) -> StressPeak:
        """The stress of largest size on the mesh in all times, where and when."""
        x, k = self._extremes, int(np.argmax(np.abs(self.values)))
        node = int(x.high_node[k] if abs(x.high[k]) >= abs(x.low[k]) else x.low_node[k])
        return StressPeak(float(self.values[k]), float(self.t[k]), node, self.mesh.given(self.mesh.nodes[node]))

    def max(self) -> float:
        """The largest stress [Pa] on the mesh in all times."""
        return float(np.max(self._extremes.high))

    def min(self) -> float:
        """The lowest stress [Pa] on the mesh in all times."""
        return float(np.min(self._extremes.low))

    def range(self) -> np.ndarray:
        """The lowest and the largest stress [Pa] on the mesh in all times (2,)."""
        return np.array([self.min(), self.max()])

    @cached_property
    def _modes(self) -> Any:
        return stress_modes(needed_elasticity(self.mesh, self.where), self.eta.shape[1])

    @cached_property
    def _extremes(self) -> _Extremes:
        modes = self._modes.nodal
        used = np.flatnonzero(np.any(modes, axis=(1, 2)))  # nodes of elements
        used = used if len(used) else np.arange(len(modes))
        N, c, n = modes[used].shape
        flat, step = modes[used].reshape(N * c, n), max(1, AT_ONCE // (9 * N))
        highest, lowest = np.full(len(modes), 0.0), np.full(len(modes), 0.0)
        highest[used], lowest[used] = -np.inf, np.inf
        rows: list[list[np.ndarray]] = [[], [], [], []]
        for first in range(0, len(self.t), step):
            stress = (self.eta[first : first + step] @ flat.T).reshape(-1, N, c)
            value = quantity_of(stress, self.what)
            top, bottom = np.argmax(value, axis=1), np.argmin(value, axis=1)
            at = np.arange(len(value))
            for row, one in zip(rows, (value[at, top], used[top], value[at, bottom], used[bottom]), strict=True):
                row.append(one)
            highest[used] = np.maximum(highest[used], value.max(axis=0))
            lowest[used] = np.minimum(lowest[used], value.min(axis=0))
        high, high_node, low, low_node = (np.concatenate(row) for row in rows)
        found = _Extremes(high, high_node, low, low_node, highest, lowest)
        self._warn(max(float(np.max(np.abs(found.high))), float(np.max(np.abs(found.low)))))
        return found

    def _warn(self, largest: float) -> None:
        """Warn where the modes leave out much of the stresses under loads of inertia."""
        if self.uncertainty is None or not len(self.uncertainty):
            return
        off = float(np.max(self.uncertainty))
        if off > NOTICEABLE * largest > 0.0:
            part = 100.0 * off / largest
            warn(
                f"{self.where}: they may be off by about {off:.2g} Pa, the largest being {largest:.2g} Pa"
                f"{f' ({part:.2g} %)' if part < 100.0 else ''}, since the modes of the body leave out what inertia "
                "between its interfaces does; reduce it with Reduction(inertia_loads=True), for centrifugal forces "
                "spin_loads=True too",
                AccuracyWarning,
            )

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"StressTrack({self.name!r}, {len(self.t)} times, {len(self.mesh.nodes)} nodes)"


class StressField(Answering):
    """A stress of a body at all nodes of its mesh at one instant; `rest["bracket.von_mises"]` of an equilibrium or of
    another state. Quantities are those of a :class:`StressTrack`.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), *2 * [np.array([-0.05, 0.05])])
    >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
    >>> m = fm.SpatialModel("m")
    >>> bar = m.add_modal_body("bar", fm.bodies.from_mesh(bar, fm.Material(7850, 2e11), interfaces=ends, modes=2))
    >>> joint, pull = m.weld(m.ground, bar.at("foot")), m.point_force(bar.at("tip"), (1000.0, 0, 0))
    >>> stress = fm.equilibrium(m)["bar.stress_xx"]
    >>> round(stress.at((0.5, 0, 0)), -3), stress.nodes().shape
    (100000.0, (99,))
    """

    def __init__(self, track: StressTrack) -> None:
        self.track = track

    @property
    def where(self) -> str:
        """The field as messages name it."""
        return self.track.where

    def nodes(self) -> np.ndarray:
        """The stresses (N,) [Pa] at all nodes."""
        return self.track.nodes(0)

    def elements(self) -> np.ndarray:
        """The mean stresses (E,) [Pa] of the elements, all blocks of cells in turn."""
        return self.track.elements(0)

    def at(self, node: Any) -> float:
        """The stress [Pa] at a node, by its number, or at the node nearest to a place (d,) in the axes in which the
        mesh was given."""
        return float(self.track.at(node)[0])

    @property
    def value(self) -> float:
        """The stress [Pa] of largest size on the mesh."""
        return float(self.track.values[0])

    @property
    def peak(self) -> StressPeak:
        """The stress of largest size on the mesh, and where it is."""
        return self.track.peak

    def max(self) -> float:
        """The largest stress [Pa] on the mesh."""
        return self.track.max()

    def min(self) -> float:
        """The lowest stress [Pa] on the mesh."""
        return self.track.min()

    def range(self) -> np.ndarray:
        """The lowest and the largest stress [Pa] on the mesh (2,)."""
        return self.track.range()

    @property
    def uncertainty(self) -> float | None:
        """About how far the largest stress is off [Pa], None if nobody has estimated it."""
        return None if self.track.uncertainty is None else float(self.track.uncertainty[0])

    def __repr__(self) -> str:
        return f"StressField({self.track.name!r}, {len(self.track.mesh.nodes)} nodes)"


def node_of(mesh: MeshPlace, node: Any, where: str) -> int:
    """The number of a node, given as that number, or as a place (d,) in the axes in which the mesh was given, to which
    it is nearest."""
    N = len(mesh.nodes)
    if len(checks.shape_of(node) or ()) == 1:
        place = checks.vector(node, "place", where, mesh.nodes.shape[1])
        return int(np.argmin(np.linalg.norm(mesh.given(mesh.nodes) - place, axis=1)))
    return checks.count(node, "node", where, 0, N - 1)
