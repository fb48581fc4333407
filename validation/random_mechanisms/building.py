"""A random mechanism while it is put together, as the functions see it that draw its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.making import Maker
from flexmb.validation.random_mechanisms.world import World


class Link(NamedTuple):
    """A link: its kind, its frames at both ends, and the component."""

    kind: str
    start: Any
    end: Any
    component: Any


class Builder:
    """A mechanism while it is put together, as the functions that draw its parts see it.

    `verb`: the verb that is being called, and what its arguments are about: `frame`, `apart` [m], the distance of its
    frames, `coordinate` of its joint with `unit_of_coordinate` and `force_of_coordinate`. `loads`: names of the loads
    of the last reduced body. `drawn`: all that was.
    """

    #: makes the links and joints of the mechanism once more, in a model of their own
    again: Callable[[], Builder]
    #: calls a verb with drawn values of the arguments that are not given
    call: Callable[..., Any]

    def __init__(self, make: Maker, world: World, weight: bool) -> None:
        self.make, self.world, self.dimension = make, world, world.dimension
        d = self.dimension
        down = world.direction(-np.eye(d)[-1]) * world.length / world.time**2 * weight
        self.model: Any = make(fm.SpatialModel if d == 3 else fm.PlanarModel, "by chance", gravity=tuple(down))
        self.base = make(self.model.ground.attach, "base", tuple(world.place(np.zeros(d))), world.pose)
        self.links: list[Link] = []
        self.joints: list[tuple[str, Any]] = []
        self.drawn: set[str] = set()
        self.loads: list[str] = []
        self.controlled = self.stiff = False
        self.verb, self.apart, self.frame, self.tank = "", 0.0, None, None
        #: names of arguments that keep their defaults
        self.left_out: tuple[str, ...] = ()
        self.coordinate: str | None = None
        self.other: tuple[str, Any, str | None] = ("", None, None)

    # -- directions and frames ---------------------------------------------------------------------------------------

    def name(self, what: str) -> str:
        """A new name for something that is added."""
        return f"{what}{len(self.model.components) + len(self.model.controllers) + len(self.model.events)}"

    def direction(self) -> np.ndarray:
        """A unit vector, all directions alike."""
        v = self.make.rng.normal(size=self.dimension)
        return np.asarray(v / np.linalg.norm(v))

    def across(self, along: np.ndarray) -> np.ndarray:
        """A unit vector across a direction."""
        u = along / np.linalg.norm(along)
        across = np.cross(u, np.roll(u, 1) + [0.1, -0.2, 0.3]) if self.dimension == 3 else np.array([-u[1], u[0]])
        return np.asarray(across / np.linalg.norm(across))

    def along(self, direction: np.ndarray) -> Rotation:
        """A rotation of the x-axis to a direction."""
        return turned_along(np.append(direction, np.zeros(3 - self.dimension)))

    def rotation(self) -> Rotation:
        """Any rotation, in the plane about z."""
        if self.dimension == 2:
            return Rotation.from_rotvec([0.0, 0.0, self.make.uniform(-3.0, 3.0)])
        return Rotation.from_rotvec(self.make.uniform(0.0, 3.0) * self.direction())

    def on(self, frame: Any, place: Any) -> Any:
        """A frame on the body of another, at a place of the mechanism and with its axes."""
        off = self.world.place(place) - frame.position
        name = f"f{len(self.model.frames)}"
        if self.dimension == 3:
            turn = frame.orientation.inv()
            return self.make(frame.attach, name, tuple(turn.apply(off)), turn * self.world.turned)
        c, s = np.cos(frame.angle), np.sin(frame.angle)
        off = (c * off[0] + s * off[1], c * off[1] - s * off[0])
        return self.make(frame.attach, name, off, self.world.pose - frame.angle)

    def where(self, frame: Any) -> np.ndarray:
        """The place of a frame in the axes of the mechanism."""
        return self.world.back(np.asarray(frame.position))

    def post(self, frame: Any, away: Any = None) -> Any:
        """A frame of the ground beside another one."""
        off = self.make.uniform(1.0, 2.0) * self.direction() if away is None else np.asarray(away)
        return self.on(self.base, self.where(frame) + off)

    @property
    def unit_of_coordinate(self) -> float:
        """1 for an angle, the length of the mechanism for a place."""
        return 1.0 if (self.coordinate or "angle").startswith("angle") else self.world.length

    @property
    def force_of_coordinate(self) -> float:
        """A torque, or a force."""
        return self.world.torque / self.unit_of_coordinate


def turned_along(direction: np.ndarray) -> Rotation:
    """A rotation of the x-axis to a direction (3,)."""
    u = direction / np.linalg.norm(direction)
    axis = np.cross([1.0, 0.0, 0.0], u)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        return Rotation.identity() if u[0] > 0.0 else Rotation.from_rotvec([0.0, 0.0, np.pi])
    return Rotation.from_rotvec(np.arctan2(size, u[0]) * axis / size)
