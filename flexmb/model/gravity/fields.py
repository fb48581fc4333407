"""The field of gravity of a model: what accelerates all that has mass, by time and place.

A field answers `acceleration(t, r)` [m/s²], `gradient(t, r)` [1/s²], its derivative by the place, `potential(t, r)`
[J/kg], for one place r (d,) at a time t, or for many (k, d) at times (k,). Whoever works with a constant vector alone
asks for `uniform(where)`, which refuses any other field by name: so none is taken for a vector without a word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.gravity import falling
from flexmb.model.hints import AnswersCalls

#: an orbit that is less than this from a parabola has no period that could be told from rounding
CLOSED = 1e-12


class UniformGravity(np.ndarray):
    """Gravity that is the same at all places and times: a vector (2,) or (3,) [m/s²], with the answers of a field.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> m.gravity.tolist(), float(m.gravity.potential(0.0, (0, 2.0)))
    ([0.0, -9.81], 19.62)
    """

    #: whether it is the attraction of a central body, which differs from place to place
    is_central = False

    def acceleration(self, t: Any, r: Any) -> np.ndarray:
        """g [m/s²], at any place."""
        return np.broadcast_to(self.uniform(""), np.shape(r)).copy()

    def gradient(self, t: Any, r: Any) -> np.ndarray:
        """Zero: it does not change with the place."""
        return np.zeros((*np.shape(r), len(self)))

    def potential(self, t: Any, r: Any) -> Any:
        """−g · r [J/kg]."""
        return -np.asarray(r, dtype=float) @ self.uniform("")

    def uniform(self, where: str) -> np.ndarray:
        """The vector."""
        return self.view(np.ndarray)

    def weight(self) -> np.ndarray:
        """The vector by which inertia itself is heavy."""
        return self.view(np.ndarray)

    @property
    def said(self) -> str:
        """The field as reports say it."""
        return f"({', '.join(f'{g:g}' for g in self)}) m/s²"


@dataclass(frozen=True, eq=False)
class CentralGravity(metaclass=AnswersCalls):
    """The attraction of a central body, μ/|d|² towards it at the distance d, on a model whose origin is in orbit.

    The origin of the model falls about the center from `position` at `velocity` along its Kepler ellipse, and its axes
    keep their directions. All places and speeds of the model are those against the origin: so what is at rest near it
    flies along the orbit, positions keep all of their digits, and a mass is accelerated by the difference of the
    attraction at its place and at the origin alone (:mod:`flexmb.model.gravity.falling`). The field is exact at any
    distance. It acts on all that has mass: a model has a component 'gravity of …' for each of its parts that has some,
    with its potential energy, and with the power of the moving origin among the input power; in `solution.whole` it is
    among the loads. What cannot say how it is attracted is refused by name. Times are those of the orbit: a run that
    goes on from another begins with the `t_start` at which that ended, or it says that it is elsewhere.

    Arguments: `mu` μ [m³/s²], the gravitational constant times the central mass, 3.986004418e14 of the earth;
    `position` (3,) [m] and `velocity` (3,) [m/s] of the origin against the center at t = 0; `radius` [m] of the central
    body, below which nothing may start; without it the center is a point.

    Attributes: `rate` [rad/s], the mean rate of the orbit, `period` [s], `eccentricity`, `axis` [m], half the great
    axis, and `normal` (3,), the direction of its angular momentum.

    >>> import flexmb as fm
    >>> earth = fm.spatial.CentralGravity(3.986004418e14, position=(7e6, 0, 0), velocity=(0, 7546.053290107541, 0))
    >>> round(earth.period, 3), (earth.acceleration(0.0, (1.0, 0, 0)) * 1e6).round(6).tolist()  # 2 μ/ρ³ outwards
    (5828.517, [2.3242, -0.0, -0.0])
    >>> m = fm.SpatialModel("craft", gravity=earth)
    >>> rod = m.add_body("rod", mass=2.0, inertia=(0.1, 5.0, 5.0))
    >>> list(fm.System(m).model.components)
    ['rod', 'gravity of rod']
    """

    mu: float
    position: Any
    velocity: Any
    radius: float | None = None
    #: whether it is the attraction of a central body, which differs from place to place
    is_central = True

    def __post_init__(self) -> None:
        where = type(self).__name__
        object.__setattr__(self, "mu", checks.positive(self.mu, "mu", where))
        for what in ("position", "velocity"):
            object.__setattr__(self, what, checks.vector(getattr(self, what), what, where, 3))
        if self.radius is not None:
            object.__setattr__(self, "radius", checks.positive(self.radius, "radius", where))
        distance, speed = (float(np.linalg.norm(x)) for x in (self.position, self.velocity))
        if distance == 0.0:
            raise ModelError(f"{where}: position is zero, the center of attraction itself; give that of the origin")
        if self.radius is not None and distance <= self.radius:
            raise ModelError(
                f"{where}: position is {distance:g} m from the center, within the radius {self.radius:g} m; an orbit "
                "starts above it"
            )
        escape = math.sqrt(2.0 * self.mu / distance)
        if speed >= escape * (1.0 - CLOSED):
            raise ModelError(
                f"{where}: velocity is {speed:g} m/s; from {escape:g} m/s on, at {distance:g} m, the origin leaves the "
                "center on a parabola or a hyperbola; give the speed of an ellipse, such as "
                f"{math.sqrt(self.mu / distance):.10g} m/s across the position, of a circle"
            )
        if np.linalg.norm(np.cross(self.position, self.velocity)) <= CLOSED * distance * escape:
            raise ModelError(
                f"{where}: velocity is along the position, so that the origin falls into the center; give it a part "
                "across"
            )

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, CentralGravity) and np.array_equal(self.parameters, other.parameters)
        return same and self.radius == other.radius  # type: ignore[attr-defined]

    @property
    def parameters(self) -> np.ndarray:
        """The row of numbers that compiled code takes, as :mod:`flexmb.model.gravity.falling` says."""
        mu, o, od = self.mu, self.position, self.velocity
        distance = float(np.linalg.norm(o))
        a = 1.0 / (2.0 / distance - float(od @ od) / mu)
        C, S = 1.0 - distance / a, float(o @ od) / math.sqrt(mu * a)
        more = [a, math.sqrt(mu / a**3), C, S, math.hypot(C, S), math.atan2(S, C)]
        return np.array([mu, *o, *od, *more])

    @property
    def axis(self) -> float:
        """Half the great axis [m]."""
        return float(self.parameters[falling.AXIS])

    @property
    def rate(self) -> float:
        """The mean rate [rad/s] of the orbit, √(μ/a³)."""
        return float(self.parameters[falling.RATE])

    @property
    def period(self) -> float:
        """The time [s] of an orbit."""
        return 2.0 * math.pi / self.rate

    @property
    def eccentricity(self) -> float:
        """The eccentricity of the orbit, 0 of a circle."""
        return float(self.parameters[falling.ECCENTRICITY])

    @property
    def normal(self) -> np.ndarray:
        """The normal (3,) of the orbit, about which the origin goes counterclockwise."""
        h = np.cross(self.position, self.velocity)
        return np.asarray(h / np.linalg.norm(h))

    def origin(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """The place (3,) [m] of the origin from the center and its velocity (3,) [m/s] at a time; (k, 3) at times (k,).

        >>> earth = CentralGravity(4.0, position=(1.0, 0, 0), velocity=(0, 2.0, 0))
        >>> [(x.round(9) + 0.0).tolist() for x in earth.origin(0.5 * np.pi)]
        [[-1.0, 0.0, 0.0], [0.0, -2.0, 0.0]]
        """
        times = checks.numbers(t, "t", "CentralGravity", "a time [s], or several")
        o = self._along(times, np.zeros((*times.shape, 3)))[0]
        return o[..., :3], o[..., 3:]

    def enters(self, t_start: float, t_end: float) -> float | None:
        """The first time [s] between two at which the origin is within the radius of the central body, if there is one.

        >>> low = CentralGravity(4.0, position=(1.0, 0, 0), velocity=(0, 1.5, 0), radius=0.5)
        >>> round(low.enters(0.0, 10.0), 3), low.enters(0.0, 0.5)
        (0.755, None)
        """
        a, N, _, S, e, E = self.parameters[falling.AXIS :].tolist()
        if self.radius is None or a * (1.0 - e) > self.radius:
            return None
        edge = math.acos(min(max((1.0 - self.radius / a) / e, -1.0), 1.0))
        half = edge - e * math.sin(edge)  # mean anomalies between −half and half are within
        ahead = math.remainder(E - S + N * t_start, 2.0 * math.pi)
        after = 0.0 if abs(ahead) <= half else math.fmod(4.0 * math.pi - half - ahead, 2.0 * math.pi) / N
        return t_start + after if t_start + after <= t_end else None

    def __add__(self, other: Any) -> Any:
        """Refused: a model has one field."""
        raise ModelError(
            "CentralGravity: it is the whole gravity of a model, and no other can be added to it; give it alone, and "
            "forces besides it as loads"
        )

    __radd__ = __add__
    __array_ufunc__ = None  # arrays leave sums to it

    def acceleration(self, t: Any, r: Any) -> np.ndarray:
        """a (d,) [m/s²] at the place r (d,) [m] from the origin, against the origin."""
        return self._along(t, r)[1]

    def gradient(self, t: Any, r: Any) -> np.ndarray:
        """∂a/∂r (3, 3) [1/s²] there."""
        found = self._along(t, r)[2]
        return found.reshape(*found.shape[:-1], 3, 3)

    def potential(self, t: Any, r: Any) -> Any:
        """φ [J/kg] there, 0 at the origin: a = −∂φ/∂r."""
        found = self._along(t, r)[3]
        return float(found) if found.ndim == 0 else found

    def _along(self, t: Any, r: Any) -> tuple[np.ndarray, ...]:
        """Results of :func:`flexmb.model.gravity.falling.along` for the times and places given."""
        where = "CentralGravity"
        places = checks.numbers(r, "r", where, "a place of three numbers [m], or a row of these for each")
        times, shape = checks.numbers(t, "t", where, "a time [s], or several"), places.shape[:-1]
        if places.shape[-1:] != (3,) or times.shape not in ((), shape):
            raise ModelError(
                f"{where}: t has the shape {times.shape} and r {places.shape}; give a time and a place (3,), or times "
                "(k,) and places (k, 3)"
            )
        times = np.broadcast_to(times, shape).ravel()
        count = len(times)
        out = np.zeros((count, 6)), np.zeros((count, 3)), np.zeros((count, 9)), np.zeros(count)
        falling.along(self.parameters, times.copy(), np.ascontiguousarray(places.reshape(count, 3)), *out)
        return tuple(x.reshape((*shape, *x.shape[1:])) for x in out)

    def uniform(self, where: str) -> np.ndarray:
        """Refused: it is no constant vector."""
        raise ModelError(
            f"{where}: the model has a CentralGravity, which differs from place to place, and this takes the gravity "
            "of a model for a constant vector; take a model with gravity=(…) for it"
        )

    def weight(self) -> np.ndarray:
        """Zero: inertia itself is not heavy, and components of the model attract it."""
        return np.zeros(3)

    @property
    def said(self) -> str:
        """The field as reports say it."""
        return f"of a center: μ {self.mu:g} m³/s², half axis {self.axis:g} m, eccentricity {self.eccentricity:.3g}"


Gravity = UniformGravity | CentralGravity


def as_gravity(given: Any, where: str, dimension: int) -> Gravity:
    """Field of gravity from what a user gave for a model: a vector, or a field.

    >>> as_gravity((0, -9.81), "model 'm'", 2).tolist()
    [0.0, -9.81]
    """
    if isinstance(given, CentralGravity):
        if dimension != 3:
            raise ModelError(
                f"{where}: gravity is a CentralGravity, which is one of space; make the model a SpatialModel"
            )
        return given
    if isinstance(given, list | tuple) and any(isinstance(x, CentralGravity) for x in given):
        raise ModelError(
            f"{where}: gravity is a CentralGravity and more besides; a model has one field: the attraction of the "
            "center, or a vector (…) that is the same everywhere"
        )
    vector = given.view(np.ndarray) if isinstance(given, UniformGravity) else given
    return checks.vector(vector, "gravity", where, dimension).view(UniformGravity)
