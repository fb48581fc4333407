r"""Heat of sunlight in thin-walled tubes, by their mean temperature and by how much warmer the sunny side is.

The wall of a tube of the radius R and the thickness h takes α_s S ν max(s · n, 0) of the sun, of the flux S and the
seen part ν of its disk, radiates ε σ T⁴, and leads heat around. With T = T_m + T_p · n of the normals n, s⊥ the part
of the sun's direction across the axis and b = |s⊥|, the mean and the first harmonic of this are

    ϱ c h Ṫ_m = α_s S ν b/π − ε σ T_m⁴
    τ Ṫ_p + T_p = ½ α_s S τ ν s⊥/(ϱ c h),      1/τ = k/(ϱ c R²) + 4 ε σ T_m³/(ϱ c h)

to first order in T_p/T_m. T_p/R is the gradient across the section that bends the tube away from the sun. At rest
T_m = (α_s S b/(π ε σ))^¼. As Thornton and Kim (1993) have it for the booms of a telescope in orbit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.feedback.sensors import Sensor
from flexmb.feedback.states import States
from flexmb.kernels.rotations import turned
from flexmb.model.frames import Frame
from flexmb.model.gravity.falling import SIZE, origin
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.gravity.shadow import edges_until, seen_part
from flexmb.model.orientations import rotation_of
from flexmb.quantities import spatial_formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity

#: the constant of Stefan and Boltzmann [W/(m² K⁴)]
RADIATION = 5.670374419e-8


@dataclass(frozen=True, eq=False)
class SunSide(Sensor):
    """The cosine of the angle between the direction of the sun and an axis of a beam's section at the node of one of
    its ends.

    Arguments: `frame` on that node; `axis` (3,), the axis in the axes of the node; `sun` (3,), the unit direction.
    """

    frame: Frame
    axis: Any = (0.0, 1.0, 0.0)
    sun: Any = (1.0, 0.0, 0.0)

    @property
    def name(self) -> str:
        return f"sun across {self.frame.name}"

    def frames(self) -> list[Frame]:
        return [self.frame]

    def function_of_state(self, places: Places) -> Quantity:
        return Quantity(spatial_formulas.cosine, places.blocks(self.frame), [*self.axis, *self.sun])


def sun_sides(beam: Any, sun: np.ndarray) -> list[SunSide]:
    """Sensors of the sun along y and z of the sections at both ends of a beam."""
    found = []
    for s, frame in ((0.0, beam.start), (1.0, beam.end)):
        axes = rotation_of(frame.node.orientation).inv() * rotation_of(beam.undeformed_at(s)[1])
        found += [SunSide(frame, axes.apply(e), sun) for e in np.eye(3)[1:]]
    return found


@dataclass(frozen=True)
class TubeWall:
    """A wall and its surface, by what its temperatures need: α_s S/(ϱ c h) [K/s], ε σ/(ϱ c h) [1/(K³ s)], and
    k/(ϱ c R²) [1/s].

    >>> wall = TubeWall(0.8172, 8.9e-12, 0.04)
    >>> round(wall.at_rest(1.0), 1)
    413.5
    """

    taken: float
    radiated: float
    led: float

    def at_rest(self, b: float) -> float:
        """The mean temperature [K] at which it stays."""
        return (self.taken * b / (math.pi * self.radiated)) ** 0.25

    def delay(self, T: float) -> float:
        """τ [s] at a mean temperature [K]."""
        return 1.0 / (self.led + 4.0 * self.radiated * T**3)


@dataclass(eq=False)
class SolarHeat(States):
    """The temperatures of a tube in the sun as states of first order, T_m and the two parts of T_p along y and z of its
    section [K], which command the thermal loads of a beam; see :meth:`flexmb.SpatialModel.solar_heat`.

    Arguments: those of :class:`flexmb.control.States`; `orbit` and `sun`, of a tube that crosses the shadow.
    """

    _: KW_ONLY
    orbit: CentralGravity | None = None
    sun: Any = None

    def kinks_until(self, t_end: float) -> list[float]:
        edges = [] if self.orbit is None else edges_until(self.orbit, self.sun, 0.0, t_end, self.where)
        return [*super().kinks_until(t_end), *edges]


def tube_law(wall: TubeWall, orbit: CentralGravity | None, sun: np.ndarray) -> Callable[..., list[float]]:
    """The rates of T_m, T_py and T_pz, of the cosines of the sun along y and z at both ends, whose means count."""
    in_orbit, row = orbit is not None, np.zeros(SIZE) if orbit is None else orbit.parameters
    radius = 0.0 if orbit is None else float(orbit.radius or 0.0)
    direction = tuple(sun.tolist())
    taken, radiated, led = wall.taken, wall.radiated, wall.led

    def rates(t: float, y: np.ndarray, x: np.ndarray) -> list[float]:
        seen = seen_part(origin(row, 0, t)[0], direction, radius) if in_orbit else 1.0
        along_y, along_z = 0.5 * (y[0] + y[2]), 0.5 * (y[1] + y[3])
        light, faster = taken * seen, led + 4.0 * radiated * x[0] ** 3
        mean = light * math.hypot(along_y, along_z) / math.pi - radiated * x[0] ** 4
        return [mean, 0.5 * light * along_y - faster * x[1], 0.5 * light * along_z - faster * x[2]]

    return rates


def loads_of(radius: float, unstressed: float) -> Callable[..., list[float]]:
    """The factors of loads of 1 K and of gradients of 1 K/m along y and z."""

    def factors(t: float, y: np.ndarray, x: np.ndarray) -> list[float]:
        return [x[0] - unstressed, x[1] / radius, x[2] / radius]

    return factors


def across(beam: Any, sun: np.ndarray) -> np.ndarray:
    """The sun's direction along y and z of the sections of a beam at the start, the mean of its ends."""
    turns = [tuple(frame.node.orientation) for frame in (beam.start, beam.start, beam.end, beam.end)]
    seen = [np.dot(turned(turn, tuple(side.axis)), sun) for turn, side in zip(turns, sun_sides(beam, sun))]
    return 0.5 * np.array([seen[0] + seen[2], seen[1] + seen[3]])
