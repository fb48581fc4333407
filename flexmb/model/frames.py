"""Frames: places with an orientation. All components stand on frames or between them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol, TypeVar, cast, overload

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.blocks import PLANAR_NODE
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.hints import AnswersCalls

#: in which axes vectors are given: those of the ground, or the frame's own
AXES = ("ground", "body")


def rotation(angle: float) -> np.ndarray:
    """The rotation matrix A(θ), Skyenginlab (n.d.), eq. (2)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def turned(vector: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """A vector (2,) turned by angles (k,): (k, 2).

    >>> turned(np.array([3.0, 4.0]), np.array([0.0, np.pi])).round(12).tolist()
    [[3.0, 4.0], [-3.0, -4.0]]
    """
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]], axis=1)


class GivenMotion(NamedTuple):
    """The motion of a frame at the start as a user gave it: its `velocity` [m/s] and `angular_velocity` [rad/s] in the
    axes of the ground, or `against` another frame as an observer there sees them, in the axes of that one. None is not
    given; zero is. `called` is how messages name it."""

    frame: Frame
    velocity: Any
    angular_velocity: Any
    against: Frame | None
    called: str


@dataclass(eq=False)
class Node:
    """Three coordinates (x, y, θ) of the mechanism, or a fixed place. Frames are fastened to nodes."""

    position: np.ndarray
    angle: float
    fixed: bool = False
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))
    angular_velocity: float = 0.0
    #: which of its speeds a user gave: none (False), all (True), or those of a motion of a frame on it
    given: GivenMotion | bool = False
    #: what its coordinates are
    blocks = PLANAR_NODE

    def coordinates(self) -> tuple[list[float], list[float]]:
        """Its coordinates and speeds at the start, in the order of its blocks."""
        return (
            [*np.asarray(self.position, dtype=float).tolist(), float(self.angle)],
            [*np.asarray(self.velocity, dtype=float).tolist(), float(self.angular_velocity)],
        )

    def move(self, velocity: np.ndarray, angular_velocity: float, about: np.ndarray) -> None:
        """Give the node the initial velocity of a rigid body that has `velocity` (2,) [m/s] at its point `about` (2,)
        [m], and `angular_velocity` [rad/s]."""
        arm = self.position - about
        self.velocity = velocity + angular_velocity * np.array([-arm[1], arm[0]])
        self.angular_velocity = angular_velocity
        self.given = True

    def moving_at(self, point: np.ndarray) -> tuple[np.ndarray, float]:
        """The initial velocity (2,) [m/s] of the node's body at a point (2,) [m], and its angular velocity [rad/s];
        what is fixed has none."""
        if self.fixed:
            return np.zeros(2), 0.0
        arm, omega = point - self.position, float(self.angular_velocity)
        return np.asarray(self.velocity + omega * np.array([-arm[1], arm[0]])), omega

    def check(self, where: str) -> None:
        """Raise a ModelError if a number cannot be right; `where` names a frame on this node."""
        self.position = checks.vector(self.position, "the position of its node", where)
        self.velocity = checks.vector(self.velocity, "the velocity of its node", where)
        self.angle = checks.number(self.angle, "the angle of its node", where)
        self.angular_velocity = checks.number(self.angular_velocity, "the angular velocity of its node", where)


class Owner(Protocol):
    """A model as its frames see it (:class:`flexmb.model.model.Model`)."""

    name: str
    #: how many coordinates a place has
    dimension: int
    gravity: Any
    ground: Frame
    frames: dict[str, Frame]

    @property
    def components(self) -> dict[str, Any]: ...

    def register_frame(self, frame: Frame) -> Frame: ...


@dataclass(eq=False)
class Frame(metaclass=AnswersCalls):
    """A place with an orientation, on a node or rigidly fastened to one.

    Arguments: `name`; `model`; `node` that carries it; `offset` (2,) [m] in the node's axes and `offset_angle` [rad].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> pivot = m.frames["bob.pivot"]
    >>> pivot.position.tolist(), pivot.offset.tolist(), pivot.is_node
    ([0.0, 0.0], [-1.0, 0.0], False)
    """

    name: str
    model: Owner
    node: Node
    offset: np.ndarray = field(default_factory=lambda: np.zeros(2))
    offset_angle: float = 0.0

    @classmethod
    def placed(
        cls, model: Owner, name: str, position: Vector = (0.0, 0.0), angle: float = 0.0, *, fixed: bool = False
    ) -> Frame:
        """A new frame of a model on a node of its own: `position` (2,) [m], `angle` [rad], `fixed` in space or not."""
        where = f"frame {checks.quoted(name)}"
        place = checks.vector(position, "position", where)
        node = Node(place, checks.number(angle, "angle", where), checks.flag(fixed, "fixed", where))
        return model.register_frame(cls(name, model, node))

    @property
    def where(self) -> str:
        """The frame as messages name it."""
        return f"frame {self.name!r}"

    @property
    def numbers(self) -> list[float]:
        """Three numbers by which kernels find it from its node: its offset, and in the plane its angle."""
        return [*self.offset.tolist(), self.offset_angle]

    @property
    def arm(self) -> np.ndarray:
        """Its place (3,) [m] in the axes of the node."""
        return np.array([*self.offset, 0.0])

    def on_node(self, vector: np.ndarray) -> np.ndarray:
        """A vector (3,) in its axes, in those of the node."""
        return np.array([*rotation(self.offset_angle) @ vector[:2], vector[2]])

    @property
    def position(self) -> np.ndarray:
        """Initial position (2,) [m]."""
        if not any(self.offset):  # most frames lie on their nodes
            return np.add(self.node.position, 0.0)
        return self.node.position + rotation(self.node.angle) @ self.offset

    @property
    def angle(self) -> float:
        """Initial angle [rad]."""
        return self.node.angle + self.offset_angle

    @property
    def is_node(self) -> bool:
        """Whether the frame lies on its node, without any offset."""
        return not any(self.offset) and self.offset_angle == 0.0

    def check(self) -> None:
        """Raise a ModelError if a number cannot be right; its node is checked by the model."""
        where = self.where
        self.offset = checks.vector(self.offset, "offset", where)
        self.offset_angle = checks.number(self.offset_angle, "offset_angle", where)

    def enter(self) -> None:
        """Make the frame a part of its model, if it is not one yet, since something shall stand on it."""

    def attach(self, name: str, offset: Vector = (0.0, 0.0), angle: float = 0.0) -> Frame:
        """A new frame, rigidly fastened to this one at `offset` (2,) [m] and `angle` [rad] in this frame's axes."""
        self.enter()
        where = f"frame {name!r}"
        moved = self.offset + rotation(self.offset_angle) @ checks.vector(offset, "offset", where)
        turned = self.offset_angle + checks.number(angle, "angle", where)
        return self.model.register_frame(Frame(name, self.model, self.node, moved, turned))

    def move(
        self,
        velocity: Vector | None = None,
        angular_velocity: float | None = None,
        *,
        against: FrameLike | None = None,
    ) -> None:
        """Give the frame an initial velocity (2,) [m/s] and angular velocity [rad/s]; or those that an observer on the
        frame `against` sees, in its axes.

        What is given is kept as far as joints and drives allow, zero as any other number; what is None is found."""
        self.enter()
        v = None if velocity is None else checks.vector(velocity, "velocity", self.where)
        omega = None if angular_velocity is None else checks.number(angular_velocity, "angular_velocity", self.where)
        start, turning = np.zeros(2) if v is None else v, omega or 0.0
        other = None if against is None else check_against(self, against)
        if other is not None:
            carried, spin = other.node.moving_at(self.position)
            start, turning = carried + rotation(other.angle) @ start, spin + turning
        self.node.move(start, turning, self.position)
        self.node.given = GivenMotion(self, v, omega, other, called(self, other))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def meant_frame(thing: Any, where: str) -> Any:
    """The frame that a user means by a thing: itself, or of a body its frame; other things are refused, and `where`
    begins the message.

    A thing that means a frame says so by `own_frame`, and one that does not may say `instead_of_frame` what to give.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> m.revolute(m.ground, body).frames()
    [Frame('ground'), Frame('body')]
    """
    meant = thing if isinstance(thing, Frame) else getattr(thing, "own_frame", None)
    if isinstance(meant, Frame):
        return meant
    called, instead = (getattr(thing, what, None) for what in ("where", "instead_of_frame"))
    shown = called if isinstance(called, str) else checks.quoted(thing)
    advice = instead if isinstance(instead, str) else "give one, e.g. model.ground or beam.end"
    raise ModelError(f"{where}: {shown} is not a frame; {advice}")


def take_frames(thing: Any, frames: Iterable[Any], where: str) -> None:
    """Put the frames that are meant into the fields of a dataclass whose `frames` were given, some by bodies."""
    found = {id(x): meant_frame(x, where) for x in frames if not isinstance(x, Frame)}
    for one in fields(thing) if found else ():
        value = getattr(thing, one.name, None)
        if id(value) in found:
            object.__setattr__(thing, one.name, found[id(value)])
        elif isinstance(value, list | tuple):
            object.__setattr__(thing, one.name, [found.get(id(x), x) for x in value])


def check_against(frame: Frame, against: Any) -> Any:
    """The frame against which another moves, refused where it cannot."""
    other = meant_frame(against, f"{frame.where}, against")
    if other.model is not frame.model:
        raise ModelError(f"{frame.where}: against is {checks.quoted(against)}; give a frame of the same model")
    if other.node is frame.node:
        raise ModelError(f"{frame.where}: {other.where} is on the same body, and so does not move against it")
    return other


def called(frame: Frame, against: Frame | None) -> str:
    """How messages name the motion of a frame."""
    return frame.name if against is None else f"{frame.where} against {against.where}"


F = TypeVar("F", bound=Frame)
F_of = TypeVar("F_of", bound=Frame, covariant=True)


class MeansFrame(Protocol[F_of]):
    """What means a frame where one is wanted, as a body means its own."""

    @property
    def own_frame(self) -> F_of:
        """The frame."""


#: What a verb takes for a frame.
FrameLike = Frame | MeansFrame[Frame]
#: What a verb takes for the end of a beam: a frame, or a point (2,) or (3,) [m] at which a new one is made.
FrameOrPoint = FrameLike | Vector


@overload
def as_frame(thing: F | MeansFrame[F]) -> F: ...
@overload
def as_frame(thing: F | MeansFrame[F] | None) -> F | None: ...
def as_frame(thing: Any) -> Any:
    """What a verb was given for a frame, as a component takes it: the component finds the frame that is meant, or
    refuses the thing by name (:func:`take_frames`). For type checkers it is the frame."""
    return cast(Frame, thing)
