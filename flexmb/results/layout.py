"""What a solution knows of the mechanism: which numbers belong to which names. All of it is plain data for files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.kernels.blocks import INTEGRAL, ORIENTATION, STATE, Numbers
from flexmb.kernels.widths import SIDES, Widths
from flexmb.model.appearance import BeamPlace, BodyPlace, PairPlace, Place
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Frame
from flexmb.system.assembly import Assembly
from flexmb.system.system import System

#: units of coordinates and of their rates, by kind
UNITS_OF_KINDS = {
    "length": ("m", "m/s"),
    "angle": ("rad", "rad/s"),
    "relative angle": ("rad", "rad/s"),
    "slope": ("–", "1/s"),
}


@dataclass(frozen=True)
class FramePlace:
    """A frame: the numbers (3,) of its node's coordinates (fixed ones come last), and its offset (ux, uy [m], angle
    [rad])."""

    numbers: tuple[int, int, int]
    offset: tuple[float, float, float]


@dataclass(frozen=True)
class SpatialPlace:
    """A frame in space: numbers of its node's coordinates (7,) and speeds (6,), fixed ones last; its offset (3,) [m],
    and the quaternion (4,) of its axes, both in the axes of the node."""

    coordinates: tuple[int, ...]
    speeds: tuple[int, ...]
    offset: tuple[float, ...]
    axes: tuple[float, ...]


@dataclass
class Layout:
    """Names and numbers of a mechanism.

    `model`: its name; `coordinates`: names of the nq free coordinates; `kinds`: what they are measured in ('length',
    'angle', 'slope') by the numbers of their n speeds; `fixed`: values of the coordinates of fixed frames; `rows`:
    (owner, name, kind) of each constraint row; frames, bodies, pairs, beams by name, `spatial` those frames that are in
    space; `dimension`: how many coordinates a place has; `blocks`: for each kind of block and number of speeds, the
    numbers in v with which these blocks begin (:mod:`flexmb.kernels.blocks`); `levels`: of each constraint row what it
    restricts, 'position' or 'velocity'; none where an older file does not say; `gravity` [m/s²], likewise, zero in a
    `central` one; `inner`: places within components that have no node, by name, with their component and what it calls
    them; `reacting`: names of the pairs whose force follows from its own law and not, or not alone, from rows.
    """

    model: str
    coordinates: list[str]
    kinds: list[str]
    fixed: np.ndarray
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    frames: dict[str, FramePlace] = field(default_factory=dict)
    bodies: dict[str, BodyPlace] = field(default_factory=dict)
    pairs: dict[str, PairPlace] = field(default_factory=dict)
    beams: dict[str, BeamPlace] = field(default_factory=dict)
    spatial: dict[str, SpatialPlace] = field(default_factory=dict)
    dimension: int = 2
    blocks: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)
    levels: list[str] = field(default_factory=list)
    gravity: tuple[float, ...] = ()
    central: CentralGravity | None = None
    inner: dict[str, tuple[str, Any]] = field(default_factory=dict)
    reacting: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, system: System) -> Layout:
        """The layout of a system, as its model stood when it was first asked for one. Frames that were attached since
        then are in it."""
        made: Layout = system.once(("layout", len(system.model.frames)), lambda: cls.of_assembly(system.assembly))
        return made

    @classmethod
    def of_assembly(cls, assembly: Assembly) -> Layout:
        """The layout of a model that has been assembled, as it stands."""
        model = assembly.model
        layout = cls(
            model.name,
            list(assembly.free.coordinate_names),
            list(assembly.free.measures),
            assembly.initial[len(assembly.free.q) :].copy(),
            [(row.owner, row.name, row.kind) for row in assembly.every_row],
            dimension=model.dimension,
            blocks={of: np.array(first, dtype=np.int64) for of, first in assembly.free.blocks.items()},
            levels=[row.level for row in assembly.every_row],
            gravity=tuple(model.gravity.weight().tolist()),
            central=model.gravity if model.gravity.is_central else None,
        )
        layout._take(model, assembly.places, lambda frame: assembly.node_numbers(frame.node))
        families: dict[str, list[Any]] = {}
        for series in assembly.every_series:
            families.setdefault(series.owner.name, []).append(series.kernels)
        layout.reacting = [name for name in layout.pairs if _reacts(families.get(name, []))]
        return layout

    @classmethod
    def of_names(cls, model: Model) -> Layout:
        """The names of a model that is not assembled: its frames have no numbers, and there are no coordinates."""
        layout = cls(model.name, [], [], np.zeros(0), dimension=model.dimension)
        layout.gravity = tuple(model.gravity.weight().tolist())
        layout.central = model.gravity if model.gravity.is_central else None
        none, fixed = np.full(3, -1, dtype=np.int64), np.zeros(3, dtype=np.int64)
        places = {name: component.place() for name, component in model.components.items()}
        layout._take(model, places, lambda frame: Numbers(*2 * [fixed if frame.node.fixed else none]))
        layout.reacting = list(layout.pairs)  # which of them put a force on frames, their kernels know
        return layout

    def _take(self, model: Model, places: Mapping[str, Place | None], numbers_of: Callable[[Any], Numbers]) -> None:
        """Take the frames and the places of components by name."""
        for name, frame in model.frames.items():
            numbers = numbers_of(frame)
            if isinstance(frame, Frame):
                given = (numbers.q, numbers.v, frame.offset, frame.axes)
                self.spatial[name] = SpatialPlace(*(tuple(part.tolist()) for part in given))
                continue
            ux, uy = map(float, np.asarray(frame.offset).tolist())
            x, y, angle = numbers.q.tolist()
            self.frames[name] = FramePlace((x, y, angle), (ux, uy, float(frame.offset_angle)))
        for component in model.components.values():
            self.inner |= {name: (component.name, place) for name, place in component.named_places().items()}
        for name, place in places.items():
            match place:
                case BodyPlace() as body:
                    self.bodies[name] = body
                case BeamPlace() as beam:
                    self.beams[name] = beam
                case PairPlace() as pair:
                    self.pairs[name] = pair

    @property
    def widths(self) -> Widths:
        """Widths of point and section outputs."""
        return SIDES[self.dimension]

    @property
    def orientations(self) -> np.ndarray:
        """For each orientation the number of its first speed, which is that of e1, and that of e0 in q; (k, 2)."""
        first = self.blocks.get((ORIENTATION, 3), np.zeros(0, dtype=np.int64))
        return np.stack([first, len(self.kinds) + np.arange(len(first))], axis=1)

    @property
    def states(self) -> list[str]:
        """Names of the states of first order, which are speeds of coordinates: 'filter.x1'."""
        of = [(int(first), size) for (kind, size), starts in self.blocks.items() if kind == STATE for first in starts]
        return [self.coordinates[first + k].removesuffix(INTEGRAL) for first, size in sorted(of) for k in range(size)]

    def units(self, number: int) -> tuple[str, str]:
        """The units of a coordinate and of its rate."""
        first = self.orientations[:, 0]
        if number >= len(self.kinds) or np.any((first <= number) & (number < first + 3)):
            return UNITS_OF_KINDS["slope"]
        return UNITS_OF_KINDS.get(self.kinds[number], UNITS_OF_KINDS["slope"])

    def ground_contacts(self) -> list[str]:
        """Names of the contacts of which one frame is fixed."""
        touching = [(name, pair) for name, pair in self.pairs.items() if pair.contact is not None]
        return [name for name, pair in touching if self.is_fixed(pair.a) or self.is_fixed(pair.b)]

    def joints(self) -> list[str]:
        """Names of the components that have constraint rows, or else a force on frames of which results know."""
        return list(dict.fromkeys([*(owner for owner, _, _ in self.rows), *self.reacting]))

    def rows_of(self, name: str) -> list[int]:
        """Numbers of a component's constraint rows."""
        return [k for k, (owner, _, _) in enumerate(self.rows) if owner == name]

    def has_reaction(self, name: str) -> bool:
        """Whether a component puts a force on frames of which results know, as that of its constraint rows: not those
        of a tire, velocity rows which are the laws of coordinates of its own, with their names."""
        return name in self.reacting or any(
            self.levels[k : k + 1] != ["velocity"] or f"{name}.{self.rows[k][1]}" not in self.coordinates
            for k in self.rows_of(name)
        )

    def node_of(self, frame: str) -> tuple[int, ...]:
        """Numbers of the coordinates of the node that carries a frame; each node has its own."""
        return self.spatial[frame].coordinates if frame in self.spatial else self.frames[frame].numbers

    def is_fixed(self, frame: str) -> bool:
        """Whether a frame is fixed in space."""
        return self.node_of(frame)[0] >= len(self.coordinates)


def _reacts(families: Sequence[Any]) -> bool:
    """Whether a component of these families of kernels puts on frames what its residuals say: beside its rows, or
    because it has none."""
    bears = any(kernels.bears for kernels in families)
    return any(kernels.reacts or (not bears and kernels.residual is not None) for kernels in families)
