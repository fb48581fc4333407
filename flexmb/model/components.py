"""What all components have in common, and what they say to the assembler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.appearance import Load, PairPlace, Place, ShownMotion
from flexmb.model.frames import Frame, Node
from flexmb.model.functions import TimeFunction, as_function


class Assembler(Protocol):
    """What a component can ask of the assembler (:class:`flexmb.system.assembly.Assembly`)."""

    gravity: np.ndarray

    def node(self, node: Node) -> np.ndarray:
        """Numbers (3,) of a node's coordinates (x, y, θ)."""

    def coordinates(
        self,
        owner: Component,
        names: list[str],
        kinds: list[str],
        initial: np.ndarray,
        speeds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Numbers of new coordinates that the component owns. Kinds are 'length', 'angle', which turns when the
        mechanism turns as a whole, 'relative angle', which stays then, and 'slope', a number without unit."""

    def strength(self, owner: Component) -> TimeFunction:
        """How strongly a component acts: its field `strength`, or what an analysis puts in its place."""

    def prescribed(self, owner: Component) -> TimeFunction:
        """The motion that a component prescribes: its field `prescribed`, or what an analysis puts in its place."""

    def instance(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        rows: list[tuple[str, str]] | None = None,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
        prescribed: int | None = None,
    ) -> None:
        """Put in one instance of a kernel family; `rows` are name and kind ('length', 'angle') of each constraint.

        `strength`: where in the parameters stands :meth:`TimeFunction.slot` of how strongly the component acts: there
        it is commanded from outside. `prescribed`: the row that follows the motion which the component prescribes.
        """

    def series(
        self,
        owner: Component,
        kernels: Kernels,
        coordinates: np.ndarray,
        parameters: np.ndarray,
        work: int = 0,
        label: str = "",
        *,
        strength: int | None = None,
    ) -> None:
        """Put in many instances of a kernel family without constraints at once, as a beam puts in its elements:
        coordinates (k, nv), parameters (k, np), or (np,) for all of them."""


class Assembled(Protocol):
    """What a component can ask of the system that it was assembled into (:class:`flexmb.System`)."""

    def instances_of(self, name: str) -> list[Any]:
        """The kernel instances that the component of that name put in, in its order."""

    def coordinates_of(self, name: str, kernels: Kernels) -> np.ndarray:
        """Numbers (k, nv) of the coordinates of a component's instances of one kernel family."""


class Doubt(NamedTuple):
    """A sentence on why results may be wrong, and the first row of coordinates that it is about."""

    first: int
    text: str


@dataclass(eq=False)
class Component:
    """A named part of a mechanism. A subclass is a dataclass that states its data and `assemble`s itself."""

    name: str

    #: what it is called in messages, e.g. "joint"
    kind = "component"
    #: the field that says how strongly it acts, a function of time; None if it is no load
    strength: ClassVar[str | None] = None
    #: and its unit
    strength_unit: ClassVar[str] = "–"
    #: the field that says which motion it prescribes, a function of time (or None); None if it is no drive
    prescribed: ClassVar[str | None] = None
    #: and its unit
    prescribed_unit: ClassVar[str] = "m"
    #: what it is drawn as between its frames `a` and `b`: names of :data:`flexmb.model.appearance.GLYPHS`
    glyphs: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__repr__" not in vars(cls):  # a dataclass would write another one
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    @property
    def drives(self) -> bool:
        """Whether it prescribes a motion."""
        return self.prescribed is not None and getattr(self, self.prescribed) is not None

    def function(self, field: str) -> TimeFunction:
        """One of its fields as a function of time."""
        return as_function(getattr(self, field), field, self.where)

    @property
    def where(self) -> str:
        """The component as messages name it."""
        return f"{self.kind} {checks.quoted(self.name)}"

    def __repr__(self) -> str:
        """Its class, its name, and what was given otherwise than by default, on one line."""
        said = [checks.quoted(self.name)]
        for f in fields(self):
            value = getattr(self, f.name, None)
            if f.name in ("name", "model") or not (f.init and f.repr) or _is_default(value, f.default):
                continue
            said.append(f"{f.name}={_brief(value)}")
        return f"{type(self).__name__}({', '.join(said)})"

    def frames(self) -> list[Frame]:
        """All frames that the component refers to; the model checks that they are its own."""
        return []

    def parts(self) -> list[Component]:
        """All other components that it refers to; the model checks that they are its own."""
        return []

    def check(self) -> None:
        """Raise a ModelError if the data cannot be right, and bring them into their form: numbers that stand for
        functions of time, rows of numbers. Called when it is added to a model, and at every assembly again, since
        attributes may be set in between: what was set must stay."""

    def nodes(self) -> list[Node]:
        """Nodes that belong to the component (they are made for it)."""
        return []

    def assemble(self, assembly: Assembler) -> None:
        """Say coordinates, kernels and parameters to the assembler."""
        raise NotImplementedError

    def place(self) -> Place | None:
        """Where results find it: a body, a beam or a pair of frames (:mod:`flexmb.model.appearance`). A component with
        frames `a` and `b` is a pair, drawn by its `glyphs`. The elements of a beam need a kernel `point`."""
        a, b = getattr(self, "a", None), getattr(self, "b", None)
        of = [frame.name for end in (a, b) for frame in self.frames() if frame is end]
        return PairPlace(of[0], of[1], self.glyphs) if len(of) == 2 else None

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        """Lines that show it in drawings, films and pictures in space: points (k, p, 2) [m] at the k times of a
        solution, or (p, 2) of what stands still. What is built in, and what has `glyphs`, is drawn without them."""
        return []

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> Sequence[Load]:
        """What it does to the mechanism from outside at the k times of a solution, for the arrows that show it.

        Arguments: `times` (k,) [s], at which its functions of time are read (those of the solution, but one and the
        same where not time passes but a load grows); `strength` (k,), how strongly it acts, when it has a field
        `strength`: that function, times the factor of a load path, plus what a controller commands; else 1."""
        return []

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """What the component says of positions that it cannot stand for: coordinates q (k, total) of a system, those of
        fixed frames at the tail, one row after the other. Runs and equilibria warn with it."""
        return []

    def rigid_motion(self, velocity: Any, angular_velocity: float, about: Any) -> None:
        """Give all that the component owns the speeds of a rigid motion: `velocity` (2,) of the point `about` (2,)."""
        for node in self.nodes():
            assert isinstance(node, Node)
            arm = node.position - np.asarray(about, dtype=float)
            node.velocity = np.asarray(velocity, dtype=float) + angular_velocity * np.array([-arm[1], arm[0]])
            node.angular_velocity = angular_velocity


def _is_default(value: Any, default: Any) -> bool:
    """Whether a field holds its default, or nothing."""
    if value is None:
        return True
    return default is not MISSING and type(value) is type(default) and bool(np.all(value == default))


def _brief(value: Any) -> str:
    """A value within the text of a component: things by their names."""
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return repr(name)
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ", threshold=4).replace("\n", "")
    return checks.quoted(value)


def pair_coordinates(assembly: Assembler, a: Frame, b: Frame) -> np.ndarray:
    """Coordinates (6,) of the nodes under two frames."""
    return np.concatenate([assembly.node(a.node), assembly.node(b.node)])


def pair_offsets(a: Frame, b: Frame) -> np.ndarray:
    """Parameters (6,) with which all joints and forces between two frames begin: (ux, uy, φ) of a, then of b."""
    return np.array([*a.offset.tolist(), a.offset_angle, *b.offset.tolist(), b.offset_angle])
