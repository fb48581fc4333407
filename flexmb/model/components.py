"""The base class of all components, and the assembler as they see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np

from flexmb.kernels.blocks import Block, Coordinates, Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.appearance import BeamPlace, PairPlace, Place, Shown
from flexmb.model.doubted import Doubted
from flexmb.model.field_help import with_fields
from flexmb.model.flexible_bodies import FlexibleBody
from flexmb.model.frames import Frame, Node, take_frames
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.handed_over import Commanded, Finds, Search
from flexmb.model.hints import AnswersCalls
from flexmb.model.ways import Ways, turns_about

#: kinds of components whose rows or inertia hold the turns of the nodes on which they stand
HOLDING = ("joint", "body", "beam", "wheel")
#: constraint rows of an instance: name, kind ('length', 'angle') and, of velocity rows, their level 'velocity'
Rows = Sequence[tuple[str, str] | tuple[str, str, str]]


class Assembler(Protocol):
    """The assembler as components see it (:class:`flexmb.system.assembly.Assembly`)."""

    gravity: np.ndarray

    def node(self, node: Node) -> tuple[Numbers, ...]:
        """Numbers of a node's coordinates for each of its blocks, in the plane its place and its angle."""

    def coordinates(
        self, owner: Component, blocks: Sequence[Block], initial: np.ndarray, speeds: np.ndarray | None = None, *,
        given: bool | None = None, sizes: np.ndarray | None = None,
    ) -> tuple[Numbers, ...]:  # fmt: skip
        """Numbers of new coordinates that the component owns, for each block that says what they are
        (:mod:`flexmb.kernels.blocks`), with their values (nq,) and speeds (nv,) at the start; `given`: whether a user
        gave these speeds, and a run keeps them (those that are not zero when None; False: they follow from nodes);
        `sizes` (nv,) of changes by which errors are measured, where those that follow from their measures do not fit.

        With values (k, nq) and speeds (k, nv) there are k sets of these blocks, whose names begin with node0, node1, …;
        the numbers of each block are then (k, size)."""

    def own_coordinate(self, name: str) -> Numbers:
        """Numbers of a coordinate that a component owns and has added already, by its name such as 'motor.rotor'."""

    def commanded(self, component: Component) -> list[Commanded]:
        """The kernel instances, added already, in which the strength of a component stands."""

    def strength(self, owner: Component) -> TimeFunction:
        """The strength of a component: the field that `strength` names, or a function that an analysis puts in its
        place."""

    def prescribed(self, owner: Component) -> TimeFunction:
        """The motion that a component prescribes: the field that `prescribed` names, or a function that an analysis
        puts in its place."""

    def held(self, function: TimeFunction) -> TimeFunction:
        """A function of time that no analysis replaces, as it is; or its value at the time at which one holds all of
        them. A component that prescribes its motion by several functions asks for each of them."""

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Coordinates,
        parameters: np.ndarray,
        rows: Rows | None = None,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
        prescribed: int | None = None,
        reads: bool = False,
        state: int | None = None,
        stays: bool = False,
        found: bool = False,
        finds: Sequence[Finds] = (),
    ) -> None:
        """Add one instance of a kernel family on some blocks, or on numbers that are the same in q and in v; `rows` are
        name and kind ('length', 'angle') of each constraint, and its level where that is not "position": "velocity".

        `strength`: the place in the parameters where the :meth:`TimeFunction.slot` of the component's strength begins;
        there it is commanded from outside. `prescribed`: the number of the row that follows the prescribed motion.
        `reads`: it has no rows of its own, and its kernel `friction` reads the multipliers of all rows that the
        component has added until then. `state`: the place in the parameters that says whether friction sticks on its
        last coordinate or slides, with the inertia of what sticks behind it (:mod:`flexmb.joints.sticking`); runs
        change both.
        `stays`: it takes part even where its component is switched off, as a row that counts an angle and holds
        nothing. `found`: it has one row, from which its last parameter is subtracted; where the component is switched
        on in a run that parameter becomes what is measured there. `finds`: what it reads of other components, on whose
        coordinates it stands; its kernels get that in the place of multipliers (:mod:`flexmb.system.finding`).
        """

    def at_last(self, put: Callable[[], None]) -> None:
        """Call `put` when all components have been assembled, to add an instance that reads others."""

    def read_by(self, finds: Finds) -> list[Numbers]:
        """The coordinates of the instances that have to be asked for what is read, once all are assembled."""

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: Numbers | np.ndarray,
        parameters: np.ndarray,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        """Add many instances of a kernel family without constraints at once, as a beam adds its elements: coordinates
        (k, nv), parameters (k, np), or (np,) for all of them."""

    def search(self, search: Search) -> None:
        """Add a kernel family that acts between those of many bodies that are near each other; one for a component."""


@dataclass(eq=False)
class Component(Shown, Doubted, metaclass=AnswersCalls):
    """A named part of a mechanism. A subclass is a dataclass with its data and a method `assemble`.

    Arguments: `name`, by which results and messages know it; a model calls one that was given none by its verb and a
    number, "revolute 1".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> hinge.name, [name for name, part in m.components.items() if isinstance(part, fm.Component)]
    ('hinge', ['bob', 'hinge'])
    """

    name: str = field(default="", kw_only=True)

    #: the word for it in messages, e.g. "joint"
    kind = "component"
    #: name of the field with its strength, a function of time; None if it is no load
    strength: ClassVar[str | None] = None
    #: unit of that field
    strength_unit: ClassVar[str] = "–"
    #: name of the field with the motion that it prescribes, a function of time (or None); None if it is no drive
    prescribed: ClassVar[str | None] = None
    #: unit of that field
    prescribed_unit: ClassVar[str] = "m"
    #: whether the first number of its kernels `switches` is the gap of a stiff force that acts where it is negative
    touches: ClassVar[bool] = False
    #: whether it is a load that acts from outside, which an equilibrium path scales where no loads are named
    external: ClassVar[bool] = False
    #: quantities of its sections that are means over an element, where results warn if they vary much along it
    means: ClassVar[frozenset[str]] = frozenset()
    #: whether its shear forces balance moments that change along its shapes, so that results warn where these are poor
    shear_of_moments: ClassVar[bool] = False
    #: whether it is the attraction of a central body, which has to act on all that has mass (:meth:`check_masses`)
    attracts: ClassVar[bool] = False
    #: whether it is off in a model until a run or a user switches it on
    starts_off: ClassVar[bool] = False
    #: whether it is beside the mechanism and puts nothing on the coordinates that it reads, as states of first order
    only_reads: ClassVar[bool] = False
    #: class of what such components do by themselves in a run, :class:`flexmb.model.events.Switching`, if anything
    switches_itself: ClassVar[Any] = None
    #: whether it acts on directions of its frames, or holds them, and not on their origins alone
    turning: ClassVar[bool] = True
    #: whether its places have the direction of an axis alone, x, and no turn about it that means anything
    axis_alone: ClassVar[bool] = False
    #: 2 if it stands in models of the plane alone, 3 if in models of space alone; None if it may stand in both
    dimension: ClassVar[int | None] = 2

    @property
    def heated(self) -> Any:
        """The beam whose sections it strains without stress, as heat does; None if there is none."""
        return None

    @property
    def stands_in(self) -> int:
        """2 in the plane, 3 in space: how many coordinates a place has in the model of its frames."""
        return self.frames()[0].model.dimension

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__doc__ = with_fields(cls)
        if "__repr__" not in vars(cls):  # else the dataclass would make one of its own
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    @property
    def measures_from_start(self) -> bool:
        """Whether its constraint rows measure from the position that the model starts in, and so fix no position when
        a mechanism is assembled from a sketch."""
        return False

    @property
    def is_drive(self) -> bool:
        """Whether it prescribes a motion."""
        return self.prescribed is not None and getattr(self, self.prescribed) is not None

    def function(self, field: str) -> TimeFunction:
        """One of its fields as a function of time."""
        return as_function(getattr(self, field), field, self.where)

    def functions(self) -> list[TimeFunction]:
        """The functions of time that it follows: those among its fields."""
        values = [getattr(self, name, None) for name in _field_names(type(self))]  # type: ignore[arg-type]
        return [value for value in values if isinstance(value, TimeFunction)]

    def kinks_until(self, t_end: float) -> list[float]:
        """Times [s], not after `t_end` where they go on for ever, at which what it does is no smooth function of time,
        and where steps that follow their error end: those of its functions of time."""
        return [time for function in self.functions() for time in function.kinks_until(t_end)]

    @property
    def where(self) -> str:
        """The component as messages name it."""
        name = self.name
        return _named(self.kind, name) if type(name) is str else f"{self.kind} {checks.quoted(name)}"

    def __repr__(self) -> str:
        """Its class, its name, and the fields that differ from their defaults, on one line."""
        texts = [checks.quoted(self.name)]
        for f in fields(self):
            value = getattr(self, f.name, None)
            if f.name in ("name", "model") or not (f.init and f.repr) or _is_default(value, f.default):
                continue
            texts.append(f"{f.name}={checks.brief(value)}")
        return f"{type(self).__name__}({', '.join(texts)})"

    def frames(self) -> list[Frame]:
        """All frames to which the component refers; the model checks that they are its own."""
        return []

    def parts(self) -> list[Component]:
        """All other components to which it refers; the model checks that they are its own."""
        return []

    @property
    def own_frame(self) -> Frame | None:
        """The frame that it means where a frame is wanted, as a body means its frame; None: it means none."""
        return None

    @property
    def instead_of_frame(self) -> str:
        """What messages say to give where it was given for a frame and means none."""
        names = [f"{checks.quoted(frame.name)}" for frame in self.frames() if isinstance(frame, Frame)]
        return f"give one, such as its {' or '.join(names)}" if names else "give one, e.g. model.ground or beam.end"

    def take_frames(self) -> None:
        """Put the frame of a body where a user gave the body for it; refuse what means no frame."""
        take_frames(self, self.frames(), self.where)

    def check(self) -> None:
        """Raise a ModelError if the data cannot be right, and convert them: numbers to functions of time, lists to
        arrays. The model calls it when the component is added, and again at every assembly, since a user may set
        attributes in between; a second call must change nothing."""

    def nodes(self) -> list[Node]:
        """The nodes that carry the component and move with it; others may stand on them too. :meth:`rigid_motion`
        starts them."""
        return []

    @property
    def own_size(self) -> float:
        """A length [m] that tells how large it is where its frames do not, or 0."""
        return 0.0

    def welded_places(self) -> dict[str, Node]:
        """Nodes that it welds to places within itself, by the labels of the kernel instances that do so; these begin
        as :mod:`flexmb.elements.interior` says, and end with what a weld of a frame to a place has."""
        return {}

    def named_places(self) -> dict[str, Any]:
        """Places within it that results know by a name and that have no node, with what :meth:`point_data` takes for
        each."""
        return {}

    def check_masses(self, masses: Sequence[Component]) -> None:
        """Refuse a model in which, as the attraction of a central body, it does not act on all components with mass."""

    def attraction(self, gravity: Any) -> Component | None:
        """The load by which a :class:`flexmb.spatial.CentralGravity` of its model attracts it, on its own coordinates,
        which the model keeps beside it (:mod:`flexmb.elements.spatial.attraction`). None: it has no mass; a component
        that has some is then refused by name, whatever its flags say."""
        return None

    def assemble(self, assembly: Assembler) -> None:
        """Give coordinates, kernels and parameters to the assembler."""
        raise NotImplementedError

    def point_data(self, s: float) -> Sequence[float] | np.ndarray:
        """What its kernels `point`, `section` and `point_jacobian` take as `w` for the place s of an element, from 0 to
        1: s itself, or numbers that depend on it, such as values of shape functions."""
        return [s]

    def flexible_body(self, parameters: np.ndarray) -> FlexibleBody | None:
        """The body with modes in a floating frame that its instance with these parameters is: its kernel is then the
        equations of that. None: it is no such body."""
        return None

    def locate(self, s: Any) -> tuple[int, Any]:
        """The number of the element that has the place s ∈ [0, 1] along it, and what :meth:`point_data` takes for it:
        the place on that element, again from 0 to 1. Elements are equally long."""
        place = self.place()
        count = int(place.elements) if isinstance(place, BeamPlace) else 1
        element = min(int(s * count), count - 1)
        return element, s * count - element

    def keep_shape(self, assembly: Assembler) -> bool:
        """Add rows by which the nodes of a body that deforms keep their places against one another as in the model, as
        those of a rigid body do; coordinates of kind 'modal' are held besides. False: it does not know how. Analyses
        ask for it that take flexible bodies by their undeformed shapes."""
        return False

    def as_found(self, place: Callable[[Frame], Any]) -> Component | None:
        """A copy that holds its frames where they are when it is switched on in a run, of a component that holds what
        it finds: all its parameters are taken from its `assemble`. `place` copies a frame with its node to where it
        then is. None: what its instances do not find themselves (see :meth:`Assembler.instance`) must fit."""
        return None

    def holds_turn(self, node: Any, axis: np.ndarray) -> bool:
        """Whether it holds the turn of a node in space about an `axis` (3,), in axes of the ground at the start, or
        gives it inertia. A cable asks, whose places have a direction and no turn about it."""
        if not (self.turning and self.kind in HOLDING and self.stands_on(node)):
            return False
        ways, first = self.ways(), self.frames()[0]
        return ways is None or not turns_about(ways, getattr(first.node, "orientation"), axis)  # noqa: B009

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        """Whether it acts on the turn of such a node about an axis, by a torque or by a force beside the axis; a `node`
        of None is a place of a beam on whose coordinates it stands itself."""
        if self.turning:
            return self.kind not in HOLDING and self.stands_on(node)
        beside: list[Any] = [frame for frame in self.frames() if getattr(frame, "node", None) is node is not None]
        return any(node.is_lever(frame.offset, axis) for frame in beside)

    def stands_on(self, node: Any) -> bool:
        """Whether one of its frames is on a node."""
        return any(getattr(frame, "node", None) is node for frame in self.frames())

    def ways(self) -> Ways | None:
        """How its frame b may move against a, of a joint that says so by motions one behind the other; it then holds
        these frames by nothing else. None: it is no such joint, and formulations in joint coordinates take it as what
        it is in the equations of the mechanism."""
        return None

    def place(self) -> Place | None:
        """Where results find it: a body, a beam or a pair of frames (:mod:`flexmb.model.appearance`). A component with
        frames `a` and `b` is a pair, drawn by its `glyphs`. The elements of a beam need a kernel `point`."""
        a, b = getattr(self, "a", None), getattr(self, "b", None)
        of = [frame.name for end in (a, b) for frame in self.frames() if frame is end]
        return PairPlace(of[0], of[1], self.glyphs) if len(of) == 2 else None

    def spins(self) -> list[tuple[Node, np.ndarray, float]]:
        """What turns at a constant speed on a node in space and has no coordinate: the node, the angular momentum (3,)
        [kg m²/s] against it, in its axes, and the energy [J] while the node rests. Momenta and the energy ledger count
        it; the work of the drives that hold the speed is its change."""
        return []

    def rigid_motion(self, velocity: Any, angular_velocity: Any, about: Any) -> None:
        """Give the nodes and coordinates of the component the speeds of a rigid motion: `velocity` (2,) [m/s] of the
        point `about` (2,) [m] and `angular_velocity` [rad/s]; in space (3,) each, in the axes of the ground."""
        nodes = self.nodes()
        if nodes:
            dimension = len(nodes[0].position)
            motion = checks.rigid_motion(velocity, angular_velocity, about, self.where, dimension)
            for node in nodes:
                node.move(*motion)


@lru_cache(maxsize=256)
def _field_names(of: type[Component]) -> tuple[str, ...]:
    """Names of the fields of a class of components."""
    return tuple(f.name for f in fields(of))


@lru_cache(maxsize=1024)
def _named(kind: str, name: str) -> str:
    """How messages name a component. Checks ask for it often, and the name stays."""
    return f"{kind} {checks.quoted(name)}"


def _is_default(value: Any, default: Any) -> bool:
    """Whether a field holds its default, or nothing."""
    if value is None:
        return True
    return default is not MISSING and type(value) is type(default) and bool(np.all(value == default))
