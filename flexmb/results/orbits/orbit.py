"""The orbit of a craft, of a model in central gravity: where it is, how it lies against the orbit, what light it has.

With the origin o(t) of the model, the mass M of the craft, its first moment S, momentum P' and angular momentum H'
about that origin, its mass center is at r = o + S/M and moves at v = ȯ + P'/M, and its angular momentum about the
center of attraction is

    H = M o × ȯ + (H' + o × P' + S × ȯ)

of which the first part is constant and large; the second keeps the digits. Hill's axes are x outwards, z along r × v,
y = z × x along the flight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import check_member
from flexmb.results.orbits import diagram
from flexmb.results.orbits.parts import of_parts
from flexmb.results.orbits.sunlight import sunlight
from flexmb.results.solution import Solution
from flexmb.results.subject import CLOCK
from flexmb.results.tracks.spatial_track import Track
from flexmb.system.whole import ANGULAR, FORCE, MASS, MOMENT, MOMENTUM

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: eccentricity of a circle, and sine of the inclination of an orbit in the plane x–y, that are rounding
ROUND = 1e-13


class Elements(NamedTuple):
    """Kepler's elements of an orbit at each time, (k,): half the great `axis` [m], `eccentricity`, `inclination` to
    the plane x–y, the angle of the ascending `node` from x, the `argument` of the nearest point from the node, and
    the true `anomaly` from there, all [rad]. In the plane x–y the node is at x, of a circle the nearest point is there.
    """

    axis: np.ndarray
    eccentricity: np.ndarray
    inclination: np.ndarray
    node: np.ndarray
    argument: np.ndarray
    anomaly: np.ndarray


@dataclass(frozen=True, eq=False)
class Orbit(metaclass=AnswersCalls):
    """The orbit of a craft over the times `t` (k,) [s] of a motion, see :func:`orbit`.

    Attributes: `mass` (k,) [kg]; `center` (k, 3) [m], its mass center from the origin of the model; `position` (k, 3)
    [m] of that from the center of attraction and `velocity` (k, 3) [m/s] against it, in axes that keep their
    directions; `axes`, Hill's; `elements`; `angular_momentum` about the center of attraction [kg m²/s] and its
    `angular_momentum_beside`, without M o × ȯ; `light`, the seen part of the sun's disk.

    >>> import flexmb as fm
    >>> field = fm.spatial.CentralGravity(4.0e14, position=(7e6, 0, 0), velocity=(0, 7.6e3, 0))
    >>> m = fm.SpatialModel("craft", gravity=field)
    >>> hull = m.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8))
    >>> path = fm.spatial.orbit(fm.simulate(m, 10.0, "dop853", progress=False))
    >>> path.position[0].round(3).tolist(), path.velocity[0].round(3).tolist()
    ([7000000.0, 0.0, 0.0], [0.0, 7600.0, 0.0])
    """

    name: str
    t: np.ndarray
    gravity: CentralGravity
    numbers: np.ndarray = field(repr=False)
    solution: Solution = field(repr=False)
    sun: np.ndarray | None = field(default=None, repr=False)
    parts: tuple[Component, ...] | None = field(default=None, repr=False)

    @property
    def mass(self) -> np.ndarray:
        """[kg], (k,)."""
        return self.numbers[:, 0]

    @property
    def center(self) -> np.ndarray:
        """The mass center (k, 3) [m] from the origin of the model."""
        return self.numbers[:, 1:4] / self.mass[:, None]

    @property
    def position(self) -> np.ndarray:
        """Position of the mass center from the center of attraction [m]."""
        return self.gravity.origin(self.t)[0] + self.center

    @property
    def velocity(self) -> np.ndarray:
        """Velocity of the mass center against the center of attraction [m/s]."""
        return self.gravity.origin(self.t)[1] + self.numbers[:, 4:7] / self.mass[:, None]

    @property
    def axes(self) -> Rotation:
        """Hill's axes: x outwards, y along the flight, z along the normal; from them to those of the model."""
        x = self.position / np.linalg.norm(self.position, axis=1, keepdims=True)
        z = np.cross(self.position, self.velocity)
        z = z / np.linalg.norm(z, axis=1, keepdims=True)
        return Rotation.from_matrix(np.stack([x, np.cross(z, x), z], axis=2))

    @property
    def angular_momentum_beside(self) -> np.ndarray:
        """About the center of attraction, less M o × ȯ, which is constant [kg m²/s]."""
        o, speed = self.gravity.origin(self.t)
        _, S, P, H = np.split(self.numbers, [1, 4, 7], axis=1)
        return H + np.cross(o, P) + np.cross(S, speed)

    @property
    def angular_momentum(self) -> np.ndarray:
        """About the center of attraction [kg m²/s]."""
        o, speed = self.gravity.origin(self.t)
        return self.mass[:, None] * np.cross(o, speed) + self.angular_momentum_beside

    @property
    def elements(self) -> Elements:
        """Elements of the ellipse on which its mass center would go on as a point."""
        r, v, mu = self.position, self.velocity, self.gravity.mu
        h, rho = np.cross(r, v), np.linalg.norm(r, axis=1)
        normal = h / np.linalg.norm(h, axis=1, keepdims=True)
        near = np.cross(v, h) / mu - r / rho[:, None]
        e = np.linalg.norm(near, axis=1)
        tilt = np.hypot(normal[:, 0], normal[:, 1])
        node = np.where(tilt > ROUND, np.arctan2(normal[:, 0], -normal[:, 1]), 0.0)
        first = np.column_stack([np.cos(node), np.sin(node), np.zeros(len(node))])
        second = np.cross(normal, first)

        def angle(u: np.ndarray) -> np.ndarray:
            """From the node, in the plane of the orbit."""
            return np.arctan2(np.einsum("ki,ki->k", second, u), np.einsum("ki,ki->k", first, u))

        argument = np.where(e > ROUND, angle(near), 0.0)
        anomaly = np.mod(angle(r) - argument, 2.0 * np.pi)
        axis = 1.0 / (2.0 / rho - np.einsum("ki,ki->k", v, v) / mu)
        node, argument = np.mod(node, 2.0 * np.pi), np.mod(argument, 2.0 * np.pi)
        return Elements(axis, e, np.arctan2(tilt, normal[:, 2]), node, argument, anomaly)

    def attitude(self, key: str) -> Rotation:
        """The orientation of a frame against Hill's axes, by its name, that of a body or of a place on a beam."""
        track: Any = self.solution[key]
        if not isinstance(track, Track):
            raise ModelError(f"{self.where}: {checks.quoted(key)} is no frame in space; give one, such as a body")
        return self.axes.inv() * track.orientation

    @property
    def light(self) -> np.ndarray:
        """The part (k,) of the sun's disk that is seen from the mass center: 0 in the shadow of the central body, 1
        outside of it (:mod:`flexmb.results.orbits.sunlight`)."""
        if self.sun is None:
            raise ModelError(f"{self.where}: where the sun stands is not said; give sun=(…), its direction, to orbit")
        if self.gravity.radius is None:
            raise ModelError(
                f"{self.where}: the central body has no radius, and so no shadow; give CentralGravity(…, radius=…)"
            )
        return sunlight(self.position, self.sun, self.gravity.radius)

    def at(self, t: Any) -> Orbit:
        """View of the orbit at other times [s], between those of the solution."""
        return orbit(self.solution.at(t), self.parts, self.sun)

    def plot(self, path: str | Path | None = None, *, title: str | None = None, background: str = "light") -> Figure:
        """The orbit in its plane, to scale: the ellipse about the central body, what has been flown of it, the outward
        direction and that of the flight at the end, and, if the sun is known, its direction and the shadow.

        Arguments: `path` of a file, if it is to be written; `title`; `background`, 'light' or 'dark'.

        >>> import flexmb as fm
        >>> field = fm.spatial.CentralGravity(4.0e14, position=(7e6, 0, 0), velocity=(0, 7.6e3, 0), radius=6.4e6)
        >>> m = fm.SpatialModel("craft", gravity=field)
        >>> hull = m.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8))
        >>> path = fm.spatial.orbit(fm.simulate(m, 100.0, progress=False), sun=(1.0, 0.4, 0.2))
        >>> path.plot().axes[0].get_xlabel()
        'x [km]'
        """
        flight = self.gravity, self.t, self.solution.time_label, self.center, self.axes[-1], self.sun, self.name
        return diagram.plot(diagram.Flight(*flight), path, title, background)

    @property
    def where(self) -> str:
        """As messages name it."""
        return f"orbit of {self.name!r}"

    def __len__(self) -> int:
        return len(self.t)


@answers_calls
def orbit(solution: Solution, of: Sequence[Component | str] | Component | str | None = None, sun: Any = None) -> Orbit:
    """The orbit of a motion of a model with :class:`~flexmb.spatial.CentralGravity`: position and velocity from the
    center, elements, Hill's axes, attitudes against them, the angular momentum about the center, and eclipses.

    Arguments: `solution`; `of`: the components of the craft or their names, its bodies, beams, wheels and motors, all
    of the model when not given; a solution from a file knows the whole alone; `sun`: the direction (3,) in which the
    sun stands, in axes of the model, for `light`; the central body then needs a `radius`.

    >>> import flexmb as fm
    >>> earth = fm.spatial.CentralGravity(3.986004418e14, (7e6, 0, 0), (0, 7546.053290107541, 0), radius=6378137.0)
    >>> m = fm.SpatialModel("craft", gravity=earth)
    >>> hull = m.add_body("hull", mass=100.0, inertia=(20.0, 25.0, 30.0))
    >>> seen = fm.spatial.orbit(fm.simulate(m, earth.period / 2, progress=False), sun=(1, 0, 0))
    >>> (seen.position[-1].round(3) + 0.0).tolist(), seen.light[[0, -1]].tolist()
    ([-7000000.0, 0.0, 0.0], [1.0, 0.0])
    """
    if not isinstance(solution, Solution):
        raise ModelError(f"orbit: {checks.quoted(solution)} is no solution; give what fm.simulate or fm.load returns")
    where, central = f"orbit of {solution.where}", solution.layout.central
    if central is None:
        raise ModelError(f"{where}: its model has no CentralGravity, so that it is in no orbit")
    if solution.time_label != CLOCK:
        raise ModelError(
            f"{where}: it goes over {solution.time_label}, and where an orbit is depends on the time; give a run"
        )
    direction = None
    if sun is not None:
        direction = checks.vector(sun, "sun", where, 3)
        if not direction.any():
            raise ModelError(f"{where}: sun is zero; give the direction in which it stands")
    if of is None:
        whole = solution.whole.numbers
        numbers = np.hstack(
            [whole[:, [MASS]], whole[:, MOMENT:MOMENTUM], whole[:, MOMENTUM:ANGULAR], whole[:, ANGULAR:FORCE]]
        )
        return Orbit(solution.name, solution.t, central, numbers, solution, direction)
    if solution.model is None:
        raise ModelError(f"{where}: it is from a file, which knows the momenta of the whole alone; leave `of` out")
    named = [solution.model.component(x) if isinstance(x, str) else x for x in checks.several(of, "of", where)]
    parts = list(dict.fromkeys(named))
    for part in parts:
        if not isinstance(part, Component):
            raise ModelError(f"{where}: {checks.quoted(part)} is not a component; give some of the model")
        check_member(part, solution.model, where)
    numbers = of_parts(solution, parts)
    if not parts or not np.all(numbers[:, 0] > 0.0):
        raise ModelError(f"{where}: what `of` names has no mass; give bodies and beams of the craft")
    name = ", ".join(part.name for part in parts)
    return Orbit(name, solution.t, central, numbers, solution, direction, tuple(parts))
