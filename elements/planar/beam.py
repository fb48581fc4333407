"""The base classes of beams: two ends, elements between them, points along them."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.planar.compound import Weld
from flexmb.model import checks
from flexmb.model.appearance import BeamPlace
from flexmb.model.components import Assembled, Assembler, Component, Doubt
from flexmb.model.damping import Damping, ModalDamping, StiffnessProportional
from flexmb.model.frames import Frame, FrameOrPoint, Node
from flexmb.model.functions import as_function
from flexmb.model.memory import check_memory
from flexmb.model.model import Model, check_member
from flexmb.model.sections import BeamProperties

#: estimate of how much more a beam bends in one of its elements than in the mean
PEAK_TO_MEAN = 2.0
#: memory [bytes] that assembly takes for each entry of an element's matrix (measured: 130 to 340, depending on theory)
BYTES_OF_ENTRY = 250


@dataclass(frozen=True, eq=False)
class BeamPoint:
    """A point of a beam's axis: `s` ∈ [0, 1] from start to end. It moves and turns with the beam, and results
    can show it."""

    beam: Beam
    s: float

    @property
    def name(self) -> str:
        """Its name in results, e.g. 'rod@0.25'."""
        return f"{self.beam.name}@{self.s:g}"

    def __repr__(self) -> str:
        return f"BeamPoint({self.name!r})"


@dataclass(eq=False)
class Beam(Component):
    """A straight uniform beam; see :meth:`flexmb.PlanarModel.add_beam`.

    Arguments: `name`; `model`; `ends` (2, 2) [m], the undeformed end points; `properties`; `elements`;
    `damping`.
    """

    model: Model
    ends: np.ndarray
    properties: BeamProperties
    elements: int = 1
    damping: Damping | None = None
    _numbers: Any = field(default=None, init=False, repr=False)
    kind = "beam"
    #: number of elements when none is given
    usual_elements: ClassVar[int] = 1
    #: difference of slopes within one element [rad] at which the error is about one percent of the length
    slope_limit: ClassVar[float] = 1.0

    @property
    def length(self) -> float:
        """Undeformed length [m]."""
        return float(np.hypot(*(self.ends[1] - self.ends[0])))

    @property
    def direction(self) -> float:
        """Undeformed direction [rad]."""
        d = self.ends[1] - self.ends[0]
        return math.atan2(d[1], d[0])

    @property
    def start(self) -> Frame:
        """The frame at the beam's start."""
        raise NotImplementedError

    @property
    def end(self) -> Frame:
        """The frame at the beam's end."""
        raise NotImplementedError

    def at(self, s: float) -> BeamPoint:
        """The point of the axis at the fraction `s` ∈ [0, 1] of the length, for results."""
        if not 0.0 <= checks.number(s, "s", self.where) <= 1.0:
            raise ModelError(f"{self.where}: point {s:g} is off the beam; give a fraction of its length, 0 to 1")
        return BeamPoint(self, float(s))

    def locate(self, s: float) -> tuple[int, float]:
        """The element that has the point at the fraction `s` ∈ [0, 1] of the length, and the place on that element,
        again from 0 to 1."""
        count = int(self.elements)
        element = min(int(s * count), count - 1)
        return element, s * count - element

    def place(self) -> BeamPlace:
        properties = self.properties
        sizes = (self.length, properties.EA, properties.EI, properties.area, properties.outer_fibre)
        return BeamPlace(int(self.elements), *(float(x) for x in sizes))

    def point_data(self, s: float) -> np.ndarray:
        """The argument `w` of the point and section kernels for the local place `s` ∈ [0, 1] of an element."""
        return np.array([float(s)])

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        """The largest difference of slopes within each element [rad], (k, elements), at coordinates q (k, total)."""
        return np.zeros((len(q), 0))

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if an element bends beyond the range of its theory, with the number of elements to take."""
        differences = self.slope_differences(system, q)
        if not differences.size or not np.max(differences) > self.slope_limit:
            return []
        most, limit = float(differences.max()), self.slope_limit
        count = int(self.elements)
        text = (
            f"{self.where} bends too far for {count} element{'s' if count > 1 else ''}: slopes within an element "
            f"differ by up to {most:.3g} rad (up to {limit:g} rad the error is about one percent of the length); "
            f"{self.remedy(math.ceil(PEAK_TO_MEAN * count * most / limit))}"
        )
        return [Doubt(int(np.argmax(differences.max(axis=1) > limit)), text)]

    def remedy(self, elements: int) -> str:
        """The advice for a beam that bends too far."""
        return f"take elements={elements}"

    @property
    def damping_time(self) -> float:
        """The factor β [s] of a damping proportional to stiffness; 0 without such damping."""
        return self.damping.beta if isinstance(self.damping, StiffnessProportional) else 0.0

    def numbers_in(self, assembly: Assembler, make: Callable[[Assembler], np.ndarray]) -> np.ndarray:
        """Numbers of the beam's own coordinates in an assembly. The beam or a load on it, whichever is assembled first,
        makes them by `make`."""
        if self._numbers is None or self._numbers[0]() is not assembly:
            self._numbers = weakref.ref(assembly), make(assembly)
        return self._numbers[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_numbers": None}

    def __repr__(self) -> str:
        (x0, y0), (x1, y1) = np.asarray(self.ends).tolist()
        count = "1 element" if self.elements == 1 else f"{self.elements} elements"
        return f"{type(self).__name__}({self.name!r}, ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}), {count})"

    def check(self) -> None:
        self.ends = checks.numbers(self.ends, "ends", self.where, "two points")
        if not self.length > 0.0:
            raise ModelError(f"{self.where}: its length is zero; start and end must be different points")
        self.elements = checks.count(self.elements, "elements", self.where, least=1)
        if not isinstance(self.properties, BeamProperties):
            raise ModelError(
                f"{self.where}: properties must be BeamProperties(EA, EI, rhoA), not {checks.quoted(self.properties)}"
            )
        if self.damping is not None and not isinstance(self.damping, Damping):
            raise ModelError(
                f"{self.where}: damping must be ModalDamping(ratio) or StiffnessProportional(beta), not "
                f"{checks.quoted(self.damping)}"
            )

    def refuse_modal_damping(self, theory: str) -> None:
        """Refuse damping of modes for a `theory` that has no modes."""
        if isinstance(self.damping, ModalDamping):
            raise ModelError(
                f"{self.where}: {theory} has no modes to damp; use damping=StiffnessProportional(beta), or "
                "theory='cms' for modal damping"
            )

    @property
    def width(self) -> int:
        """The number of coordinates of an element: those of its two ends, and its own."""
        return 6

    def check_room(self) -> None:
        """Refuse a mesh so fine that its matrices do not fit into the memory, or warn of it."""
        count = "1 element" if self.elements == 1 else f"{self.elements} elements"
        check_memory(
            BYTES_OF_ENTRY * self.elements * self.width**2,
            f"{count} of {self.width} coordinates",
            "take fewer",
            self.where,
        )

    def assemble_load(self, assembly: Assembler, load: BeamLoad) -> None:
        """Add the instances of a load along the axis, on the beam's coordinates."""
        raise NotImplementedError

    @classmethod
    def takes_loads(cls) -> bool:
        """Whether the theory has loads along the axis."""
        return cls.assemble_load is not Beam.assemble_load

    @classmethod
    def options(cls) -> list[str]:
        """Names of the options that the theory adds to those of all beams."""
        common = {f.name for f in fields(Beam)}
        return [f.name for f in fields(cls) if f.init and f.name not in common and not f.metadata.get("internal")]

    @classmethod
    def check_options(cls, given: Mapping[str, Any], theory: str, where: str) -> None:
        """Refuse an option that the theory does not have."""
        allowed = cls.options()
        for option in given:
            if option not in allowed:
                raise ModelError(
                    f"{where}: theory {theory!r} has no option {option!r}{checks.similar(option, allowed)}; it has: "
                    f"{', '.join(allowed) or 'none'}"
                )

    @classmethod
    def build(
        cls,
        model: Model,
        name: str,
        start: FrameOrPoint,
        end: FrameOrPoint,
        properties: BeamProperties,
        elements: int,
        damping: Damping | None,
        **options: Any,
    ) -> Self:
        """Make the beam and its end frames, and add them to a model."""
        where = f"beam {name!r}"
        ends = np.array([_position(start, "start", model, where), _position(end, "end", model, where)])
        beam = cls(name, model, ends, properties, elements, damping, **options)
        beam.check()
        beam.check_room()
        known = dict(model.frames)
        try:
            welds = beam.make_ends(start, end)
            model.add(beam)
        except Exception:
            model.frames = known
            raise
        for weld in welds:
            model.add(weld)
        return beam

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Weld]:
        """Make the frames and nodes of the beam, and return the welds to given frames that it does not share."""
        raise NotImplementedError


@dataclass(eq=False)
class BeamLoad(Component):
    """A load along a beam as the beam theory sees it: the `density` (2, 2) [N/m] at start and end, its `factor`, and
    whether it turns with the axis (`follower`). :class:`flexmb.DistributedLoad` is one."""

    beam: Beam
    density: Any = (0.0, 0.0)
    factor: Any = 1.0
    follower: bool = False

    def check(self) -> None:
        wanted = "2 numbers, or a row of 2 for the start and one for the end"
        ends = checks.numbers(self.density, "density", self.where, wanted)
        if ends.shape not in ((2,), (2, 2)):
            raise ModelError(f"{self.where}: density must be {wanted}, not {checks.quoted(ends)}")
        self.density = np.broadcast_to(ends, (2, 2)).copy()
        self.follower = checks.flag(self.follower, "follower", self.where)
        self.factor = as_function(self.factor, "factor", self.where)

    def density_at(self, s: np.ndarray) -> np.ndarray:
        """The density (k, 2) [N/m], without the factor, at places s ∈ [0, 1] (k,) of the beam."""
        return (1.0 - s)[:, None] * self.density[0] + s[:, None] * self.density[1]


def _position(place: FrameOrPoint, what: str, model: Model, where: str) -> np.ndarray:
    """The point (2,) [m] of a place, which is a frame of the model or a point; `what` and `where` are for messages."""
    if isinstance(place, Frame):
        check_member(place, model, where)
        return place.position
    return checks.vector(place, what, where)


@dataclass(eq=False)
class FramedBeam(Beam):
    """A beam whose nodes have (x, y, θ): the two ends, and one between neighbouring elements."""

    chain: list[Node] = field(default_factory=list, metadata={"internal": True})
    end_frames: list[Frame] = field(default_factory=list, metadata={"internal": True})

    @property
    def start(self) -> Frame:
        return self.end_frames[0]

    @property
    def end(self) -> Frame:
        return self.end_frames[1]

    def frames(self) -> list[Frame]:
        return self.end_frames

    def check(self) -> None:
        super().check()
        if self.chain and len(self.chain) != self.elements + 1:
            raise ModelError(
                f"{self.where}: it was made with {len(self.chain) - 1} elements and has {self.elements} now; its nodes "
                "are made with it, so make it anew"
            )

    def nodes(self) -> list[Node]:
        return [node for node in self.chain if not node.fixed]

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> list[Weld]:
        model, ends, count = self.model, self.ends, self.elements
        welds = []
        self.end_frames = []
        for place, tag in ((start, "start"), (end, "end")):
            frame, weld_to = _end_frame(self, place, f"{self.name}.{tag}")
            self.end_frames.append(frame)
            if weld_to is not None:
                welds.append(Weld(model.free_name(f"{self.name}.{tag} weld", self.where), weld_to, frame))
        between = [Node(ends[0] + (ends[1] - ends[0]) * k / count, self.direction) for k in range(1, count)]
        self.chain = [self.start.node, *between, self.end.node]
        return welds

    def node_turns(self) -> list[float]:
        """Angle of each node of the undeformed beam, against the beam's direction [rad] (a shared frame may have
        any)."""
        direction = self.direction
        return [node.angle - direction for node in self.chain]


def _end_frame(beam: Beam, place: FrameOrPoint, name: str) -> tuple[Frame, Frame | None]:
    """The frame of a beam's end, and the given frame to which it must be welded. The latter is None where no weld is
    needed: the end is a point, shares the node of the given frame, or is fixed in space like it."""
    model = beam.model
    if not isinstance(place, Frame):
        return Frame.placed(model, name, (place[0], place[1]), beam.direction), None
    x, y = place.position
    if place.node.fixed:
        return Frame.placed(model, name, (x, y), beam.direction, fixed=True), None
    if place.offset.any():
        return Frame.placed(model, name, (x, y), beam.direction), place
    return model.register_frame(Frame(name, model, place.node)), None
