"""What beams of the plane and of space share: two ends, elements between them, and places along them."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from flexmb.elements.interior import Interior, interior, places_are_known
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.contract import Kernels
from flexmb.machine.memory import check_memory
from flexmb.model import checks, given_names
from flexmb.model.components import Assembler, Component
from flexmb.model.damping import Damping, ModalDamping, StiffnessProportional
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.frames import Frame, FrameOrPoint, meant_frame
from flexmb.model.model import Model, check_member, check_model

#: estimate of how much more a beam bends in one of its elements than in the mean
PEAK_TO_MEAN = 2.0
#: memory [bytes] that assembly takes for each entry of an element's matrix (measured: 130 to 340, depending on theory)
BYTES_OF_ENTRY = 250
#: what an element that stretches alike everywhere knows as means only
MEAN_AXIAL_FORCE: frozenset[str] = frozenset({"strain", "axial_force"})
#: a place this near to a node, in lengths of an element, is at the node
NEAR = 1e-12


class BeamElements(NamedTuple):
    """The elements of a beam in an assembly: coordinates (k, nv), parameters (k, np) or (np,), scratch space."""

    coordinates: Numbers | np.ndarray
    parameters: np.ndarray
    work: int = 0


class InteriorWeld(NamedTuple):
    """What welds a frame to a place of a beam: kernels, rows with what they are measured in, and the function that
    makes the parameters of the weld of a point of a beam at such a place."""

    kernels: Kernels
    rows: Sequence[tuple[str, str]]
    parameters: Callable[[Interior, Any], np.ndarray]


@dataclass(eq=False)
class AnyBeam(Component):
    """A straight uniform beam of the plane or of space.

    Arguments: `name`; `model`; `ends` (2, 2) or (2, 3) [m], the undeformed end points; `properties`; `elements`;
    `damping`.
    """

    name: str = field()
    model: Model
    ends: np.ndarray
    properties: Any
    elements: int = 1
    damping: Damping | None = None
    #: what it has made for an assembly, which it knows by a weak reference
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    #: its places that were asked for, by their s
    _points: dict[float, Any] = field(default_factory=dict, init=False, repr=False)
    kind = "beam"
    #: fields that say which part it is or follow from its frames: they are no parameters that could vary
    not_varied: ClassVar[frozenset[str]] = frozenset(("name", "model", "ends"))
    #: number of elements when none is given
    usual_elements: ClassVar[int] = 1
    #: difference of slopes within one element [rad] at which the error is about one percent of the length
    slope_limit: ClassVar[float] = 1.0
    #: whether its theory has shear, so that GA counts
    has_shear: ClassVar[bool] = False
    #: the quantities of a section that its theory knows as means over an element only
    means: ClassVar[frozenset[str]] = frozenset()
    #: the kind of its properties, and an example of them
    family: ClassVar[type | tuple[type, ...]] = object
    example: ClassVar[str] = ""
    #: how a frame is welded to a place of it
    interior_weld: ClassVar[InteriorWeld]
    #: names of the fields that all beams of its space have
    common: ClassVar[frozenset[str]] = frozenset()

    @property
    def length(self) -> float:
        """Undeformed length [m]."""
        start, end = self.ends.tolist()
        return math.hypot(*(y - x for x, y in zip(start, end)))

    @property
    def kernels(self) -> Kernels | None:
        """The kernels of its elements; None if it does not say."""
        return None

    @property
    def heat_kernels(self) -> Kernels | None:
        """The kernels of heat on its elements (:mod:`flexmb.elements.heat`); None if its theory has none."""
        return None

    def heat_room(self, elements: BeamElements) -> int:
        """How many scratch numbers the kernels of heat need, besides a row of forces."""
        return 0

    def heat_error(self, system: Assembled, q: np.ndarray, strains: np.ndarray) -> np.ndarray:
        """By what part of its length its end is in a wrong place at positions q (k, total), for the strains of heat
        (ε, κ), in space (ε, κy, κz); estimates (k,)."""
        return np.zeros(len(q))

    @property
    def instead_of_frame(self) -> str:
        beam = self.name if self.name.isidentifier() else "beam"
        return f"give {beam}.start, {beam}.end or {beam}.at(s), s from 0 to 1"

    @property
    def start(self) -> Any:
        """The frame at the beam's start."""
        return self._entered(0.0)

    @property
    def end(self) -> Any:
        """The frame at the beam's end."""
        return self._entered(1.0)

    def _entered(self, s: float) -> Any:
        point = self.at(s)
        point.enter()
        return point

    def at(self, s: float) -> Any:
        """The place on the axis at the fraction `s` ∈ [0, 1] of the length: a frame for joints, bodies, springs,
        forces, sensors and results, see :class:`~flexmb.elements.on_beam.OnBeam`."""
        if not 0.0 <= checks.number(s, "s", self.where) <= 1.0:
            raise ModelError(f"{self.where}: point {s:g} is off the beam; give a fraction of its length, 0 to 1")
        place = float(s) + 0.0  # no −0
        if place not in self._points:
            self._points[place] = self.make_point(place)
        return self._points[place]

    def add_point(self, point: Any) -> None:
        """Keep a place that is made with the beam, and enter it in the model."""
        self._points[point.s] = point
        self.model.register_frame(point)

    def make_point(self, s: float) -> Any:
        """The frame of a place that is asked for the first time, on a node of its own."""
        return self.point_on(self.node_for(s), s, welded=True)

    def node_for(self, s: float, fixed: bool = False) -> Any:
        """A node at the place s of the undeformed axis."""
        at_end = s in (0.0, 1.0)
        place = self.ends[int(s)].copy() if at_end else self.ends[0] + s * (self.ends[1] - self.ends[0])
        return self.new_node(place, fixed)

    def new_node(self, position: np.ndarray, fixed: bool = False) -> Any:
        """A node at a place of the undeformed axis, with the axes of the beam."""
        raise NotImplementedError

    def point_on(self, node: Any, s: float, *, welded: bool) -> Any:
        """The frame of the place at s on a node."""
        raise NotImplementedError

    def point_name(self, s: float) -> str:
        """The name of a place: 'rod.start', 'rod.end', 'rod@0.25'."""
        return f"{self.name}.{'end' if s else 'start'}" if s in (0.0, 1.0) else f"{self.name}@{s!r}"

    def check_places(self, where: str) -> None:
        """Refuse what stands between the ends of a beam whose kernels tell no Jacobian of a place."""
        if not places_are_known(self.kernels):
            raise ModelError(
                f"{where}: {self.where} is a {type(self).__name__}, whose kernels have no point_jacobian, so nothing "
                "can stand between its ends; write that kernel, or use its end frames"
            )

    def frames(self) -> list[Frame]:
        """Interior places of the beam on which components stand."""
        return [point for _, point in sorted(self._points.items()) if point.is_entered]

    def nodes(self) -> list[Any]:
        return [frame.node for frame in self.frames() if not frame.node.fixed]

    @property
    def stations(self) -> np.ndarray:
        """The fractions s of the length, from 0 to 1, at which its elements end."""
        return np.linspace(0.0, 1.0, int(self.elements) + 1)

    def locate(self, s: float) -> tuple[int, float]:
        """The element that has the point at the fraction `s` ∈ [0, 1] of the length, and the place on that element,
        again from 0 to 1."""
        count = int(self.elements)
        element = min(int(s * count), count - 1)
        return element, s * count - element

    def node_at(self, s: float) -> int | None:
        """The number of the node at which a place is; None inside of an element."""
        node = round(s * int(self.elements))
        return node if abs(s * int(self.elements) - node) < NEAR else None

    def point_data(self, s: float) -> np.ndarray:
        """The argument `w` of the point and section kernels for the local place `s` ∈ [0, 1] of an element."""
        return np.array([float(s)])

    def slope_differences(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        """The largest difference of slopes within each element [rad], (k, elements), at coordinates q (k, total)."""
        return np.zeros((len(q), 0))

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if an element bends beyond the range of its theory, with the number of elements to take."""
        differences = self.slope_differences(system, q)
        if not differences.size or not differences.max() > self.slope_limit:
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
        return self._made_once("numbers", assembly, make)

    def elements_of(self, assembly: Assembler) -> BeamElements:
        """What :meth:`elements_in` gives, computed once for the beam and all that stands at its places."""
        return self._made_once("elements", assembly, self.elements_in)

    def _made_once(self, what: str, assembly: Assembler, make: Callable[[Assembler], Any]) -> Any:
        if what not in self._made or self._made[what][0]() is not assembly:
            self._made[what] = weakref.ref(assembly), make(assembly)
        return self._made[what][1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}}

    def __repr__(self) -> str:
        start, end = (", ".join(f"{x:g}" for x in place) for place in np.asarray(self.ends).tolist())
        count = "1 element" if self.elements == 1 else f"{self.elements} elements"
        return f"{type(self).__name__}({self.name!r}, ({start}) to ({end}), {count})"

    def check(self) -> None:
        check_model(self.model, self.where)
        self.ends = checks.numbers(self.ends, "ends", self.where, "two points")
        if self.ends.shape != (2, self.model.dimension):
            raise ModelError(f"{self.where}: ends must be two points, not {checks.quoted(self.ends)}")
        if not self.length > 0.0:
            raise ModelError(f"{self.where}: its length is zero; start and end must be different points")
        self.elements = checks.count(self.elements, "elements", self.where, least=1)
        if not isinstance(self.properties, self.family):
            raise ModelError(f"{self.where}: properties must be {self.example}, not {checks.quoted(self.properties)}")
        if self.damping is not None and not isinstance(self.damping, Damping):
            raise ModelError(
                f"{self.where}: damping must be ModalDamping(ratio) or StiffnessProportional(beta), not "
                f"{checks.quoted(self.damping)}"
            )

    def make_finer(self) -> tuple[str, str]:
        """Take twice the elements, each of them in two halves, and say how many there were and are: ('4 elements', '8
        elements'). Frames, and what stands on them, stay where they are. A theory of one element takes twice the
        modes."""
        before = int(self.elements)
        self.elements, self._made = 2 * before, {}
        return f"{before} element{'s' if before > 1 else ''}", f"{self.elements} elements"

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
        need = BYTES_OF_ENTRY * self.elements * self.width**2
        check_memory(need, f"{count} of {self.width} coordinates", "take fewer", self.where)

    def elements_in(self, assembly: Assembler) -> BeamElements:
        """Elements of the beam in an assembly, with instances of `kernels`."""
        raise NotImplementedError

    def welded_places(self) -> dict[str, Any]:
        points = [point for _, point in sorted(self._points.items()) if point.welded and point.is_entered]
        return {point.name: point.node for point in points}

    def assemble(self, assembly: Assembler) -> None:
        elements = self.elements_of(assembly)
        assert self.kernels is not None
        assembly.series(self, self.kernels, *elements)
        for _, point in sorted(self._points.items()):
            if point.welded and point.is_entered:
                place = self.interior(elements, point.s)
                weld = self.weld_of(point)
                tag = {0.0: "start", 1.0: "end"}.get(point.s, f"at {point.s:g}")
                rows = [(f"{tag} {what}", kind) for what, kind in weld.rows]
                coordinates = [place.coordinates, *assembly.node(point.node)]
                p = weld.parameters(place, point)
                assembly.instance(self, weld.kernels, coordinates, p, rows, place.work, point.name)

    def weld_of(self, point: Any) -> InteriorWeld:
        """How the frame of one of its places is welded to it."""
        return self.interior_weld

    def interior(self, elements: BeamElements, s: float) -> Interior:
        """The place at s in one of its elements."""
        assert self.kernels is not None
        e, local = self.locate(s)
        numbers = joined(elements.coordinates)
        p = np.broadcast_to(elements.parameters, (len(numbers.v), np.shape(elements.parameters)[-1]))[e]
        data = np.asarray(self.point_data(local), dtype=float)
        own = Numbers(numbers.q[e], numbers.v[e])
        return interior(self.kernels, own, p, elements.work, data, self.model.dimension, self.where)

    def assemble_load(self, assembly: Assembler, load: Any) -> None:
        """Add the instances of a load along the axis (:mod:`flexmb.elements.beam_load`), on the beam's coordinates."""
        raise NotImplementedError

    @classmethod
    def takes_loads(cls) -> bool:
        """Whether the theory has loads along the axis."""
        return cls.assemble_load is not AnyBeam.assemble_load

    @classmethod
    def options(cls) -> list[str]:
        """Names of the options that the theory adds to those of all beams."""
        return [f.name for f in fields(cls) if f.init and f.name not in cls.common and not f.metadata.get("internal")]

    @classmethod
    def check_options(cls, given: Mapping[str, Any], theory: str, where: str) -> None:
        """Refuse an option that the theory does not have."""
        allowed = cls.options()
        for option in given:
            if option not in allowed:
                raise ModelError(
                    f"{where}: theory {theory!r} has no option {option!r}{given_names.similar(option, allowed)}; it "
                    f"has: {', '.join(allowed) or 'none'}"
                )

    @classmethod
    def build(
        cls,
        model: Model,
        name: str,
        start: FrameOrPoint,
        end: FrameOrPoint,
        properties: Any,
        elements: int,
        damping: Damping | None,
        **options: Any,
    ) -> Self:
        """Make the beam and its end frames, and add them to a model."""
        where = f"beam {name!r}"
        start, end = (meant_frame(x, where) if isinstance(x, Component) else x for x in (start, end))
        with model.all_or_nothing():
            ends = np.array([position_of(start, "start", model, where), position_of(end, "end", model, where)])
            beam = cls(name, model, ends, properties, elements, damping, **options)
            beam.check()
            beam.check_room()
            welds = beam.make_ends(start, end)
            model.add(beam)
        for weld in welds:
            model.add(weld)
        return beam

    def make_ends(self, start: FrameOrPoint, end: FrameOrPoint) -> Sequence[Component]:
        """Make the frames and nodes of the beam, and return the welds to given frames that it does not share."""
        raise NotImplementedError


def position_of(place: FrameOrPoint, what: str, model: Model, where: str) -> np.ndarray:
    """The point [m] of a place, which is a frame of the model or a point; `what` and `where` are for messages."""
    if isinstance(place, Frame):
        check_member(place, model, where)
        return place.position
    return checks.vector(place, what, where, model.dimension)
