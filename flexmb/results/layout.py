"""What a solution knows of the mechanism: which numbers belong to which names. Plain data, so that it can be filed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from flexmb.system.system import System


@dataclass(frozen=True)
class FramePlace:
    """A frame: numbers (3,) of its node's coordinates (fixed ones stand behind all others), offset (ux, uy, angle)."""

    numbers: tuple[int, int, int]
    offset: tuple[float, float, float]


@dataclass(frozen=True)
class BodyPlace:
    """A rigid body: the name of its frame, its centre of mass in the frame's axes [m], its mass [kg]."""

    frame: str
    center: tuple[float, float]
    mass: float


@dataclass(frozen=True)
class PairPlace:
    """A joint or a force between two frames: the name of its class and of the frames."""

    kind: str
    a: str
    b: str


@dataclass(frozen=True)
class BeamPlace:
    """A beam: its number of elements, its undeformed length [m], and what stresses need of its properties: EA [N],
    EI [Nm²], area [m²] and outer fibre [m]; 0 where unknown."""

    elements: int
    length: float = 0.0
    EA: float = 0.0
    EI: float = 0.0
    area: float = 0.0
    outer_fibre: float = 0.0


@dataclass
class Layout:
    """Names and numbers of a mechanism.

    `model`: its name; `coordinates`, `kinds` ('length', 'angle', 'relative angle', 'slope'): of the n free coordinates;
    `fixed`: values of the coordinates of fixed frames; `rows`: (owner, name, kind) of each constraint row; frames,
    bodies, pairs, beams by name.
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

    @classmethod
    def of(cls, system: System) -> Layout:
        """The layout of a system, as its model stands."""
        from flexmb.elements.planar import Beam, RigidBody
        from flexmb.model.frames import Frame

        assembly, model = system.assembly, system.model
        layout = cls(
            model.name,
            list(assembly.free.names),
            list(assembly.free.kinds),
            system.initial[system.n :].copy(),
            [(row.owner, row.name, row.kind) for row in system.rows],
        )
        for name, frame in model.frames.items():
            ux, uy = frame.offset
            x, y, angle = assembly.node_numbers(frame.node).tolist()
            layout.frames[name] = FramePlace((x, y, angle), (float(ux), float(uy), float(frame.offset_angle)))
        for name, component in model.components.items():
            a, b = getattr(component, "a", None), getattr(component, "b", None)
            if isinstance(component, RigidBody):
                cx, cy = map(float, component.center)
                layout.bodies[name] = BodyPlace(component.frame.name, (cx, cy), float(component.mass))
            elif isinstance(component, Beam):
                given = component.properties
                sizes = (component.length, given.EA, given.EI, given.area, given.outer_fibre)
                layout.beams[name] = BeamPlace(int(component.elements), *(float(x) for x in sizes))
            elif isinstance(a, Frame) and isinstance(b, Frame):
                layout.pairs[name] = PairPlace(type(component).__name__, a.name, b.name)
        return layout

    def joints(self) -> list[str]:
        """Names of the components that have constraint rows."""
        return list(dict.fromkeys(owner for owner, _, _ in self.rows))

    def rows_of(self, name: str) -> list[int]:
        """Numbers of a component's constraint rows."""
        return [k for k, (owner, _, _) in enumerate(self.rows) if owner == name]
