"""Nodes and frames of space: places with an orientation; and what stands between two frames."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.kernels import rotations
from flexmb.kernels.blocks import SPATIAL_NODE
from flexmb.model import checks, frames
from flexmb.model.appearance import BodyPlace, PairPlace
from flexmb.model.checks import Vector
from flexmb.model.frames import AXES, GivenMotion, MeansFrame, called, check_against
from flexmb.model.orientations import Orientation, check_unit, quaternion_of, rotation_of, scalar_first
from flexmb.model.pairs import PairComponent

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

#: an arm this near to an axis [rad] is on it
ON_AXIS = 1e-6


@dataclass(eq=False)
class SpatialNode:
    """A place with an orientation that moves, or a fixed one. Frames are fastened to nodes.

    Arguments: `position` (3,) [m]; `orientation` (4,), the unit quaternion from its axes to those of the ground, scalar
    first; `velocity` (3,) [m/s] and `angular_velocity` (3,) [rad/s], both in the axes of the ground.
    """

    position: np.ndarray
    orientation: np.ndarray
    fixed: bool = False
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    #: which of its speeds a user gave: none (False), all (True), or those of a motion of a frame on it
    given: GivenMotion | bool = False
    #: what its coordinates are
    blocks = SPATIAL_NODE

    def coordinates(self) -> tuple[list[float], list[float]]:
        """Its coordinates and speeds at the start, in the order of its blocks; ω in its own axes."""
        axes = tuple(self.orientation.tolist())
        omega = rotations.turned_back(axes, tuple(self.angular_velocity.tolist()))
        return [*self.position.tolist(), *axes], [*self.velocity.tolist(), *omega]

    def move(self, velocity: np.ndarray, angular_velocity: np.ndarray, about: np.ndarray) -> None:
        """Give the node the initial velocity of a rigid body that has `velocity` (3,) [m/s] at its point `about` (3,)
        [m], and `angular_velocity` (3,) [rad/s], in the axes of the ground."""
        self.velocity = velocity + np.cross(angular_velocity, self.position - about)
        self.angular_velocity = np.array(angular_velocity, dtype=float)
        self.given = True

    def moving_at(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The initial velocity (3,) [m/s] of the node's body at a point (3,) [m], and its angular velocity (3,)
        [rad/s], in the axes of the ground; what is fixed has none."""
        if self.fixed:
            return np.zeros(3), np.zeros(3)
        omega = np.asarray(self.angular_velocity)
        return np.asarray(self.velocity + cross_of(omega, point - self.position)), omega

    def is_lever(self, arm: Vector, axis: np.ndarray) -> bool:
        """Whether a force at the end of an `arm` (3,) in its axes may turn it about an `axis` (3,) through it, in those
        of the ground."""
        reach = np.array(rotations.turned(tuple(self.orientation), tuple(arm)))
        return float(np.linalg.norm(np.cross(reach, axis))) > ON_AXIS * float(np.linalg.norm(reach))

    def check(self, where: str) -> None:
        """Raise a ModelError if a number cannot be right; `where` names a frame on this node."""
        self.position = checks.vector(self.position, "the position of its node", where, 3)
        self.orientation = checks.vector(self.orientation, "the orientation of its node", where, 4)
        self.velocity = checks.vector(self.velocity, "the velocity of its node", where, 3)
        self.angular_velocity = checks.vector(self.angular_velocity, "the angular velocity of its node", where, 3)
        check_unit(self.orientation, "the orientation of its node", where)


@dataclass(eq=False, repr=False)
class Frame(frames.Frame):
    """A place with an orientation in space, on a node or rigidly fastened to one.

    Arguments: `name`; `model`; `node` that carries it; `offset` (3,) [m] in the node's axes, and `axes` (4,), the unit
    quaternion from the frame's axes to those of the node.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("box")
    >>> box = m.add_body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    >>> lid = box.frame.attach("lid", (0, 0, 0.5))
    >>> lid.name, lid.position.tolist(), lid.offset.tolist()
    ('lid', [1.0, 0.0, 0.5], [0.0, 0.0, 0.5])
    """

    node: Any
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))

    @property
    def numbers(self) -> list[float]:
        return self.offset.tolist()

    @property
    def arm(self) -> np.ndarray:
        return self.offset

    def on_node(self, vector: np.ndarray) -> np.ndarray:
        return np.array(rotations.turned(tuple(self.axes.tolist()), tuple(vector.tolist())))

    @property
    def position(self) -> np.ndarray:
        """Initial position (3,) [m]."""
        axes, offset = (tuple(np.asarray(x).tolist()) for x in (self.node.orientation, self.offset))
        return self.node.position + np.array(rotations.turned(axes, offset))

    @property
    def quaternion(self) -> np.ndarray:
        """Initial orientation (4,): the unit quaternion from its axes to those of the ground."""
        return np.array(rotations.product(tuple(self.node.orientation), tuple(self.axes)))

    @property
    def orientation(self) -> scipy.spatial.transform.Rotation:
        """Initial orientation: the rotation of SciPy, from its axes to those of the ground."""
        return rotation_of(self.quaternion)

    @property
    def is_node(self) -> bool:
        """Whether the frame lies on its node, without any offset."""
        return not any(self.offset) and not any(self.axes[1:])

    def check(self) -> None:
        if self.offset_angle != 0.0:
            raise ModelError(
                f"{self.where}: offset_angle is for frames of the plane; in space attach takes orientation"
            )
        self.offset = checks.vector(self.offset, "offset", self.where, 3)
        self.axes = checks.vector(self.axes, "axes", self.where, 4)
        check_unit(self.axes, "axes", self.where)

    def attach(self, name: str, offset: Vector = (0.0, 0.0, 0.0), orientation: Orientation = None) -> Frame:
        """A new frame, rigidly fastened to this one at `offset` (3,) [m] and `orientation` in this frame's axes."""
        self.enter()
        where = f"frame {name!r}"
        arm = rotations.turned(tuple(self.axes), tuple(checks.vector(offset, "offset", where, 3)))
        axes = rotations.product(tuple(self.axes), tuple(quaternion_of(orientation, "orientation", where)))
        frame = Frame(name, self.model, self.node, offset=self.offset + np.array(arm), axes=np.array(axes))
        self.model.register_frame(frame)
        return frame

    def move(  # type: ignore[override]
        self,
        velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
        *,
        axes: str = "ground",
        against: SpatialFrameLike | None = None,
    ) -> None:
        """Give the frame an initial velocity (3,) [m/s] and angular velocity (3,) [rad/s] in the axes of the ground, or
        with `axes="body"` in its own; or those that an observer on the frame `against` sees, in the axes of that one.

        What is given is kept as far as joints and drives allow, zero as any other number; what is None is found."""
        self.enter()
        given = [
            None if x is None else checks.vector(x, what, self.where, 3)
            for x, what in ((velocity, "velocity"), (angular_velocity, "angular_velocity"))
        ]
        if checks.choice(axes, AXES, "axes", self.where) == "body":
            if against is not None:
                raise ModelError(
                    f"{self.where}: a motion against a frame is given in the axes of that one; leave axes out"
                )
            given = [None if x is None else self.orientation.apply(x) for x in given]
        start, turning = (np.zeros(3) if x is None else x for x in given)
        other = None if against is None else check_against(self, against)
        if other is not None:
            carried, spin = other.node.moving_at(self.position)
            start = carried + other.orientation.apply(start)
            turning = np.asarray(spin) + other.orientation.apply(turning)
        self.node.move(start, turning, self.position)
        self.node.given = GivenMotion(self, given[0], given[1], other, called(self, other))


@dataclass(eq=False)
class SpatialPair(PairComponent):
    """A component between frames `a` and `b` in space."""

    a: Frame
    b: Frame
    dimension = 3

    def place(self) -> PairPlace:
        return place_about(self)


def cross_of(u: Any, w: Any) -> np.ndarray:
    """u × w (3,) of single vectors, in a tenth of the time that NumPy takes for arrays of any shape."""
    (a, b, c), (x, y, z) = map(float, u), map(float, w)
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def place_about(pair: Any) -> PairPlace:
    """Where results find a pair in space; its fields `axis` and `axis_b`, where it has them, say how its shapes lie."""
    axis, axis_b = (getattr(pair, what, None) for what in ("axis", "axis_b"))
    if axis is None:
        return PairPlace(pair.a.name, pair.b.name, pair.glyphs)
    on_a = tuple(unit_axis(axis, pair.where).tolist())
    if axis_b is None:
        on_b = rotations.turned_back(tuple(pair.b.quaternion), rotations.turned(tuple(pair.a.quaternion), on_a))
    else:
        on_b = unit_axis(axis_b, pair.where).tolist()
    return PairPlace(pair.a.name, pair.b.name, pair.glyphs, on_a, tuple(map(float, on_b)))


def unit_axis(axis: Any, where: str, what: str = "axis", frame: str = "a") -> np.ndarray:
    """The direction (3,) of an axis: "x", "y", "z", or three numbers, in axes of a `frame`, "a" or "of the ground"."""
    if isinstance(axis, str) and axis in _AXES:
        return np.array(_AXES[axis])
    if isinstance(axis, str):
        of = frame if frame.startswith("of ") else f"of frame {frame}"
        raise ModelError(f"{where}: {what} is {axis!r}; give 'x', 'y', 'z', or a direction (3,) in the axes {of}")
    direction = checks.vector(axis, what, where, 3)
    largest = float(np.max(np.abs(direction)))
    if largest == 0.0:
        raise ModelError(f"{where}: {what} has no direction, since all its numbers are zero")
    direction = direction / largest  # squares of large and of small numbers may not be numbers
    return np.asarray(direction / math.sqrt(direction @ direction))


def looks_like(frame: Any, kind: str, diameter: float, point: Any = (0.0, 0.0, 0.0)) -> bool:
    """Whether a body that carries a frame is drawn with a round shape of a diameter [m] about a point (3,) of the frame
    anyway."""
    wanted = frame.position + rotations.turned(tuple(frame.quaternion), tuple(point))
    for component in frame.model.components.values():
        place = component.place()
        shape = place.shape if isinstance(place, BodyPlace) else None
        if shape is None or shape.kind != kind or abs(shape.sizes[0] - diameter) > 1e-6 * diameter:
            continue
        own: Any = frame.model.frames[place.frame]
        if own.node is not frame.node:
            continue
        middle = own.position + rotations.turned(tuple(own.quaternion), tuple(shape.position))
        if np.linalg.norm(middle - wanted) < 1e-6 * diameter:
            return True
    return False


def across(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two directions (3,) across a direction, right-handed with it as the third."""
    first = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = first - (first @ direction) * direction
    first = first / np.linalg.norm(first)
    return first, np.cross(direction, first)


@lru_cache(maxsize=256)
def axes_about(x: float, y: float, z: float) -> tuple[float, ...]:
    """The unit quaternion (4,) of axes whose z has the direction (x, y, z) of length 1: (0, 0, 1) gives no turn."""
    axis = np.array([x, y, z])
    first = np.eye(3)[(int(np.argmax(np.abs(axis))) + 1) % 3]
    first -= (first @ axis) * axis
    first /= np.linalg.norm(first)
    columns = np.column_stack([first, np.cross(axis, first), axis])
    return tuple(scalar_first(scipy.spatial.transform.Rotation.from_matrix(columns)).tolist())


def spatial_frame(
    model: Any, name: str, position: Vector = (0.0, 0.0, 0.0), orientation: Orientation = None, *, fixed: bool = False
) -> Frame:
    """A new frame of a model on a node of its own: `position` (3,) [m], `orientation`, `fixed` in space or not."""
    where = f"frame {checks.quoted(name)}"
    place = checks.vector(position, "position", where, 3)
    node = SpatialNode(place, quaternion_of(orientation, "orientation", where), checks.flag(fixed, "fixed", where))
    frame = Frame(name, model, node)
    model.register_frame(frame)
    return frame


#: What a verb takes for a frame in space.
SpatialFrameLike = Frame | MeansFrame[Frame]
