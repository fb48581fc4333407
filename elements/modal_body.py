"""What reduced bodies of the plane and of space share: their coordinates, interfaces, parameters and damping."""

from __future__ import annotations

import dataclasses
import weakref
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from flexmb.bodies.far_bending import far_bending, in_mean_frame, moves_twice
from flexmb.bodies.fields import linear_field, stiffened_field
from flexmb.bodies.meshes.surface import surface_triangles
from flexmb.bodies.mode_change import mode_change
from flexmb.bodies.reduced_body import Interface, ReducedBody
from flexmb.bodies.reducing.quartic import energy_of
from flexmb.elements.beam import BeamElements, InteriorWeld
from flexmb.elements.interior import Interior, interior
from flexmb.elements.on_beam import OnBeam
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined, modal
from flexmb.kernels.contract import Kernels
from flexmb.model import checks, given_names
from flexmb.model.appearance import MeshPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.damping import Damping, ModalDamping, StiffnessProportional
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.frames import Frame
from flexmb.model.model import Model, check_model

#: modes of bodies with slightly other numbers that differ by more than this part are not the same
MODES_STAY = 0.05
#: forces that a body leaves out, by those of its modes, beyond which it is doubted
STRETCHED = 0.1
#: error of places by the body's length, as estimated, beyond which it is doubted
TOO_FAR = 0.01
#: what the field of a body may be in its modes
FIELDS = ("quadratic", "linear")


class OnBody(OnBeam):
    """An interface of a reduced body, a frame with the fields `body` and `interface`, its name there.

    Forces and torques act on the body itself; all else enters a node, with the rows that weld it to the body, as at a
    place inside a beam."""

    body: Any
    interface: str
    welded = True

    @property
    def beam(self) -> Any:  # type: ignore[override]
        return self.body

    @property
    def s(self) -> str:  # type: ignore[override]
        return self.interface

    @property
    def carrier(self) -> Any:
        return self.body


@dataclasses.dataclass(eq=False, repr=False)
class AnyModalBody(Component):
    """A flexible body by its modes, of the plane or of space: see :class:`flexmb.spatial.ModalBody`."""

    name: str = dataclasses.field()
    model: Model
    reduced: ReducedBody
    frame: Any
    field: str = "quadratic"
    geometric_stiffness: bool = False
    damping: Damping | None = None
    amplitudes: Any = None
    amplitude_rates: Any = None
    #: the frames of its interfaces that were asked for
    _points: dict[str, Any] = dataclasses.field(default_factory=dict, init=False, repr=False)
    _made: dict[str, Any] = dataclasses.field(default_factory=dict, init=False, repr=False)
    kind = "body"
    interior_weld: ClassVar[InteriorWeld]

    @property
    def kernels(self) -> Kernels:
        """The kernels of its family."""
        raise NotImplementedError

    def make_point(self, name: str, interface: Interface) -> Any:
        """The frame of an interface, on a node of its own, where it is at the start."""
        raise NotImplementedError

    def interface_data(self, interface: Interface) -> np.ndarray:
        """Parameters that the kernels of places take for an interface."""
        raise NotImplementedError

    def mass_parameters(self, body: ReducedBody) -> list[np.ndarray]:
        """The arrays of its mass as the kernels take them."""
        raise NotImplementedError

    def scratch(self, slaves: int) -> int:
        """How many numbers of scratch the kernels need."""
        raise NotImplementedError

    @property
    def own_size(self) -> float:
        """Radius of gyration of the body [m]."""
        return float(np.sqrt(np.trace(self.reduced.products[0, 0]) / self.reduced.mass))

    @property
    def own_frame(self) -> Frame | None:
        return None

    @property
    def instead_of_frame(self) -> str:
        first = next(iter(self.reduced.interfaces), "…")
        body = self.name if self.name.isidentifier() else "body"
        return f"give {body}.at({first!r}), one of its interfaces"

    def at(self, interface: str) -> Any:
        """The frame of an interface by its name: for joints, bodies, springs, forces, sensors and results."""
        known = self.reduced.interfaces
        if given_names.known(interface, known, "interface", self.where) not in self._points:
            self._points[interface] = self.make_point(interface, known[interface])
        return self._points[interface]

    def check(self) -> None:
        if not isinstance(self.reduced, ReducedBody):
            raise ModelError(f"{self.where}: {checks.quoted(self.reduced)} is no ReducedBody; see fm.bodies")
        check_model(self.model, self.where)
        body, dimension = self.reduced, self.model.dimension
        if body.dimension != dimension:
            raise ModelError(
                f"{self.where}: its reduced body has {body.dimension} dimensions; it stands in a model of {dimension}"
            )
        if not body.modes:
            raise ModelError(f"{self.where}: its reduced body has no modes; a body that does not bend is add_body")
        checks.choice(self.field, FIELDS, "field", self.where)
        self.geometric_stiffness = checks.flag(self.geometric_stiffness, "geometric_stiffness", self.where)
        if self.field == "quadratic" and not len(body.slaves):
            raise ModelError(
                f"{self.where}: its reduced body has no slave shapes, so its field is linear in the modes, and it does "
                "not stiffen when it spins; say field='linear', and geometric_stiffness=True if it has "
                "unit_load_stiffness"
            )
        if self.geometric_stiffness and (self.field == "quadratic" or body.unit_load_stiffness is None):
            raise ModelError(
                f"{self.where}: geometric_stiffness is that of unit loads, for a linear field of a reduced body with "
                "unit_load_stiffness; a quadratic field has it already"
            )
        if self.damping is not None and not isinstance(self.damping, Damping):
            raise ModelError(
                f"{self.where}: damping must be ModalDamping(ratio) or StiffnessProportional(beta), not "
                f"{checks.quoted(self.damping)}"
            )
        if isinstance(self.damping, ModalDamping):
            self.damping.check(body.modes, self.where)
        for what in ("amplitudes", "amplitude_rates"):
            given = getattr(self, what)
            setattr(
                self, what, checks.vector([0.0] * body.modes if given is None else given, what, self.where, body.modes)
            )

    def check_places(self, where: str) -> None:
        """Nothing to refuse: all of its interfaces take loads."""

    def shown_body(self) -> ReducedBody:
        """The reduced body with the field that was chosen."""
        if self.field == "quadratic":
            return self.reduced
        return _linear(self.reduced, self.geometric_stiffness)

    def damping_of_modes(self) -> np.ndarray:
        """The damping (n,) of each mode, by the speed of its amplitude."""
        body = self.reduced
        if isinstance(self.damping, StiffnessProportional):
            return np.asarray(self.damping.beta * body.stiffness)
        ratios = np.array(body.damping)
        if isinstance(self.damping, ModalDamping):
            ratios[np.argsort(body.frequencies, kind="stable")] = self.damping.values(body.modes)
        return np.asarray(2.0 * ratios * np.sqrt(body.stiffness * np.diagonal(body.modal_mass)))

    def frames(self) -> list[Frame]:
        return [self.frame, *(point for point in self._points.values() if point.is_entered)]

    def nodes(self) -> list[Any]:
        return [frame.node for frame in self.frames()]

    def welded_places(self) -> dict[str, Any]:
        return {point.name: point.node for point in self._points.values() if point.is_entered}

    def named_places(self) -> dict[str, Any]:
        known = (
            name for name in self.reduced.interfaces if name not in self._points or not self._points[name].is_entered
        )
        return {f"{self.name}.{name}": name for name in known}

    def mesh_place(self) -> MeshPlace | None:
        """Mesh of the body as pictures show it; None if it has none."""
        body = self.shown_body()
        return None if body.mesh is None else _mesh_place(body, self.name)

    def keep_shape(self, assembly: Assembler) -> bool:
        return True  # its interfaces are welded to it, and analyses hold its modes

    def other_meaning(self, other: Any) -> str:
        body = self.reduced
        apart = body is not other.reduced and mode_change(body, other.reduced) > MODES_STAY
        if not np.any(apart):
            return ""
        mode = int(np.argmax(apart))
        return (
            f"mode {mode + 1} of {self.where}, of {body.frequencies[mode] / (2.0 * np.pi):.6g} Hz, is another one by "
            "order or direction, as happens near modes of nearly the same frequency and with other meshes; move the "
            "frequencies apart, take fewer modes, or let the builder change numbers of one reduced body"
        )

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """Warnings if it bends farther than its field knows, or into double curvature so far that the stretching which
        a quadratic field leaves counts."""
        numbers = system.coordinates_of(self.name, self.kernels)[0]
        eta = q[:, numbers[len(numbers) - self.reduced.modes :]]
        return [*self._far_bending(eta), *self._stretched(eta)]

    def _far_bending(self, eta: np.ndarray) -> list[Doubt]:
        body = self.reduced
        second = self.field == "quadratic" or (self.geometric_stiffness and moves_twice(body))
        turn, off = far_bending(body, eta, second)
        if not np.any(off > TOO_FAR):
            return []
        if not in_mean_frame(body):
            advice = "take the mean frame, Reduction(reference='mean')"
        elif second:
            advice = "make several bodies of it, joined at interfaces"
        else:
            advice = "take field='quadratic'" if len(body.slaves) else "take a body with a quadratic field"
        text = (
            f"{self.where} bends too far for {'the second order of' if second else 'a linear field in'} its modes: it "
            f"turns by up to {float(turn.max()):.3g} rad in its frame, and places may be off by about "
            f"{100.0 * float(off.max()):.2g} % of its length; {advice}"
        )
        return [Doubt(int(np.argmax(off > TOO_FAR)), text)]

    def _stretched(self, eta: np.ndarray) -> list[Doubt]:
        body = self.reduced
        known = np.asarray(body.quartic)
        if self.field != "quadratic" or not len(known):
            return []
        strain = 0.5 * eta**2 @ body.stiffness
        left = 2.0 * energy_of(known, eta[:, : len(known)])
        stiffer = np.divide(left, strain, out=np.zeros(len(eta)), where=strain > 0.0)
        if not np.any(stiffer > STRETCHED):
            return []
        text = (
            f"{self.where} bends into double curvature, as plates do, and would stretch: its elastic forces would be "
            f"about {100.0 * float(stiffer.max()):.2g} % larger, which a field of second order in modes leaves out; "
            "move it less, or make several bodies of it, joined at interfaces"
        )
        return [Doubt(int(np.argmax(stiffer > STRETCHED)), text)]

    def locate(self, s: Any) -> tuple[int, Any]:
        """The number of the element that has an interface, and what :meth:`point_data` takes for it."""
        return 0, s

    def point_data(self, s: Any) -> np.ndarray:
        """What the kernels of places take for an interface by its name; numbers from 0 to 1 count from the first of
        them to the last."""
        body, names = self.shown_body(), list(self.reduced.interfaces)
        name = s if isinstance(s, str) else names[round(float(s) * (len(names) - 1))]
        return self.interface_data(body.interfaces[name])

    def elements_of(self, assembly: Assembler) -> BeamElements:
        """Coordinates, parameters and scratch of the body in an assembly, shared by all that acts on it."""
        if "of" not in self._made or self._made["of"][0]() is not assembly:
            self._made["of"] = weakref.ref(assembly), self._elements_in(assembly)
        elements: BeamElements = self._made["of"][1]
        return elements

    def _elements_in(self, assembly: Assembler) -> BeamElements:
        body = self.shown_body()
        names = [f"mode{k + 1}" for k in range(body.modes)]
        node = assembly.node(self.frame.node)
        # amplitudes have any units: as large as makes the inertia of their rates that of a turn of the body
        sizes = np.sqrt(np.trace(np.atleast_2d(body.inertia)) / np.diagonal(body.modal_mass))
        own = assembly.coordinates(self, [modal(names)], self.amplitudes, self.amplitude_rates, sizes=sizes)
        numbers = joined([*node, *own])
        head = [*assembly.gravity.tolist(), body.modes, len(body.slaves), body.mass]
        arrays = [*self.mass_parameters(body), body.slaves, body.stiffness, self.damping_of_modes()]
        return BeamElements(
            numbers, np.concatenate([head, *(x.ravel() for x in arrays)]), self.scratch(len(body.slaves))
        )

    def interior(self, elements: BeamElements, s: str) -> Interior:
        """One of its interfaces."""
        numbers: Numbers = elements.coordinates  # type: ignore[assignment]
        data, dimension = self.point_data(s), self.model.dimension
        return interior(self.kernels, numbers, elements.parameters, elements.work, data, dimension, self.where)

    def assemble(self, assembly: Assembler) -> None:
        elements = self.elements_of(assembly)
        assembly.instance(self, self.kernels, elements.coordinates, elements.parameters, work=elements.work)
        for name, point in self._points.items():
            if point.is_entered:
                place, weld = self.interior(elements, name), self.interior_weld
                rows = [(f"{name} {what}", kind) for what, kind in weld.rows]
                coordinates = [place.coordinates, *assembly.node(point.node)]
                p = weld.parameters(place, point)
                assembly.instance(self, weld.kernels, coordinates, p, rows, place.work, point.name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}}


# models are checked often, and a mesh may be large


@lru_cache(maxsize=16)
def _linear(body: ReducedBody, geometric_stiffness: bool) -> ReducedBody:
    """A body with a linear field."""
    return stiffened_field(body) if geometric_stiffness else linear_field(body)


@lru_cache(maxsize=16)
def _mesh_place(body: ReducedBody, name: str) -> MeshPlace:
    """The mesh of a body as pictures show it."""
    mesh = body.mesh
    assert mesh is not None
    modes = tuple(f"{name}.mode{k + 1}" for k in range(body.modes))
    slaves = body.slaves if mesh.slave_shapes.shape[2] else body.slaves[:0]
    shapes = np.concatenate([mesh.shapes, mesh.slave_shapes], axis=2)
    faces = surface_triangles(mesh)
    interfaces = {own: (x.position, x.orientation) for own, x in body.interfaces.items()}
    return MeshPlace(
        mesh.nodes, modes, shapes, slaves, faces, mesh.cells, mesh.elasticity, mesh.left_out, body.origin,
        body.orientation, bool(body.loads), interfaces,
    )  # fmt: skip
