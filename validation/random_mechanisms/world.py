"""Where a random mechanism stands, and in what units: the same can be expressed turned, moved, and in others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.validation.random_mechanisms.making import Maker


@dataclass(frozen=True, eq=False)
class World:
    """Units of a mechanism, and the pose of its own axes (R and the place of their origin, in its lengths).

    A mechanism is drawn in its own axes and in numbers of about 1; `length` [m], `mass` [kg] and `time` [s] stand for
    1, so that forces are multiplied by mass · length/time², and a place x lies at length · (R x + origin).

    >>> there = World(2, length=2.0, turned=Rotation.from_rotvec([0, 0, 0.5 * np.pi]), origin=np.array([1.0, 0.0]))
    >>> there.place([1.0, 0.0]).round(9).tolist(), there.back(there.place([1.0, 0.5])).round(9).tolist()
    ([2.0, 2.0], [1.0, 0.5])
    """

    dimension: int
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    turned: Rotation = field(default_factory=Rotation.identity)
    origin: Any = 0.0

    def same(self, other: World) -> bool:
        """Whether both are one."""
        units = (self.length, self.mass, self.time) == (other.length, other.mass, other.time)
        return units and np.array_equal(self.axes, other.axes) and np.array_equal(self.origin, other.origin)

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    @property
    def torque(self) -> float:
        return self.force * self.length

    @property
    def axes(self) -> np.ndarray:
        """R (d, d)."""
        return np.asarray(self.turned.as_matrix()[: self.dimension, : self.dimension])

    @property
    def pose(self) -> Any:
        """R as models take it: an angle in the plane."""
        return self.turned if self.dimension == 3 else float(self.turned.as_rotvec()[2])

    def direction(self, x: Any) -> np.ndarray:
        """A vector of its own axes in those of the ground."""
        return self.axes @ np.asarray(x)

    def place(self, x: Any) -> np.ndarray:
        """A place of its own axes in those of the ground [m]."""
        return np.asarray(self.length * (self.direction(x) + self.origin))

    def back(self, place: np.ndarray) -> np.ndarray:
        """Places (…, d) [m] of the ground in its own axes and lengths."""
        return np.asarray((place / self.length - self.origin) @ self.axes)

    def elsewhere(self, rng: np.random.Generator) -> World:
        """The same mechanism turned and moved; gravity turns along."""
        spin = rng.normal(size=3) if self.dimension == 3 else np.array([0.0, 0.0, rng.uniform(-3.0, 3.0)])
        return replace(self, turned=Rotation.from_rotvec(spin) * self.turned, origin=rng.normal(size=self.dimension))

    def in_other_units(self, rng: np.random.Generator) -> World:
        """The same mechanism with other lengths, masses and times."""
        a, b, c = 10.0 ** rng.uniform(-1.0, 1.0, 3)
        return replace(self, length=a * self.length, mass=b * self.mass, time=c * self.time)

    @classmethod
    def by_chance(cls, make: Maker, dimension: int) -> World:
        """Light or heavy, small or large; most often the time is that in which the gravity of the earth moves it."""
        length, mass = make.power(-2, 1), make.power(-3, 3)
        time = float(np.sqrt(length / 9.81)) if make.chance(0.75) else make.power(-2, 1)
        return cls(dimension, length, mass, time)
