"""The mechanism as a whole over time: mass center, momenta, and where the ground would have to carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.hints import Answering
from flexmb.quantities.of_system import LEAST, TURNING, of_whole, whole_units
from flexmb.system.whole import FORCE, LOAD, LOAD_TORQUE, MOMENTUM, TORQUE, WIDTH
from flexmb.system.whole_tables import point_on_floor


@dataclass(frozen=True, eq=False)
class WholeTrack(Answering):
    """The whole of a mechanism at k times, `solution.whole`.

    `mass` (k,) [kg]; `center_of_mass` (k, 2) or (k, 3) [m] and its `velocity` [m/s]; `momentum` [kg m/s];
    `angular_momentum` [kg m²/s] about the mass center, (k,) in the plane and (k, 3) in space; `force` [N] and `moment`
    [Nm] about the mass center: of the ground, of loads and of all else outside, but for weight, see
    :mod:`flexmb.system.whole`; `load` [N], that of loads alone (components with `external`); `zmp`, the zero-moment
    point on the floor through the origin, see :meth:`zero_moment_point`. Wheels of constant speed count.

    All are series by name: "whole.center_of_mass.x", "whole.zmp.y", in the plane "whole.angular_momentum".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("two stones", gravity=(0, -10.0))
    >>> for x, mass in ((0.0, 1.0), (1.0, 3.0)):
    ...     body = m.add_body(f"stone {x:g}", mass=mass, inertia=0.1, position=(x, 0))
    ...     body.move(velocity=(0, x))
    >>> whole = fm.simulate(m, 1.0, progress=False).whole
    >>> print(whole.center_of_mass[0, 0], whole.momentum[0, 1], whole.angular_momentum[0])
    0.75 3.0 0.75
    >>> bool(abs(whole.force).max() < 1e-9)
    True
    """

    name: str
    t: np.ndarray
    numbers: np.ndarray
    gravity: np.ndarray

    @property
    def where(self) -> str:  # type: ignore[override]
        """As messages name it."""
        return f"solution {self.name!r}, whole"

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return len(self.gravity)

    @property
    def mass(self) -> np.ndarray:
        """[kg], (k,)."""
        return self.named("mass")

    @property
    def center_of_mass(self) -> np.ndarray:
        """[m], (k, 2) or (k, 3)."""
        return self._vector("center_of_mass")

    @property
    def velocity(self) -> np.ndarray:
        """Of the mass center [m/s]."""
        return self._vector("velocity")

    @property
    def momentum(self) -> np.ndarray:
        """[kg m/s]."""
        return self._vector("momentum")

    @property
    def force(self) -> np.ndarray:
        """Of all outside, but for weight [N]."""
        return self._vector("force")

    @property
    def load(self) -> np.ndarray:
        """Of loads, which stand on no other frame [N]."""
        return self._vector("load")

    @property
    def angular_momentum(self) -> np.ndarray:
        """About the mass center [kg m²/s]."""
        return self._vector("angular_momentum")

    @property
    def moment(self) -> np.ndarray:
        """Of all outside, about the mass center [Nm]."""
        return self._vector("moment")

    def angular_momentum_about(self, point: Any) -> np.ndarray:
        """About a point of the ground, or of a track's `position` (k, …) [kg m²/s]: that of m (x − p) × ẋ."""
        return self._about(MOMENTUM, self._points(point))

    def moment_about(self, point: Any) -> np.ndarray:
        """Of all outside but weight, about a point of the ground, or of a track's `position` (k, …) [Nm]."""
        return self._about(FORCE, self._points(point))

    @property
    def zmp(self) -> np.ndarray:
        """The zero-moment point [m] on the floor through the origin, see :meth:`zero_moment_point`."""
        return self._vector("zmp") if np.any(self.gravity) else self.zero_moment_point()

    def zero_moment_point(self, height: float = 0.0, up: Any = None) -> np.ndarray:
        """The point [m] of a floor about which what carries the mechanism has no moment along the floor; (k, 2) or
        (k, 3).

            p = (u × N + h F)/(u · F)

        with the upward normal u, the force F of all outside but weight and loads, its moment N about the origin, and
        u · p = h (Vukobratović and Borovac, 2004). NaN where nothing presses on the floor. Contacts with the floor can
        only carry the mechanism if this point lies in their polygon, see :meth:`flexmb.Solution.support`.

        `height` h [m] of the floor over the origin; `up`: its normal, against gravity when not given.
        """
        where = f"{self.where}, zero-moment point"
        up = -self.gravity if up is None else checks.vector(up, "up", where, self.dimension)
        if not np.any(up):
            raise ModelError(f"{where}: the model has no gravity, so that no floor carries it; give up=…")
        height = checks.number(height, "height", where)
        return self.on_floor(np.asarray(up, dtype=float) / np.linalg.norm(up), np.full(len(self.t), height))

    def on_floor(self, up: np.ndarray, heights: np.ndarray) -> np.ndarray:
        """The zero-moment points on floors with the unit normal `up` at the `heights` (k,) [m]."""
        u = np.zeros(3)
        u[: self.dimension] = checks.vector(up, "up", self.where, self.dimension)
        heights = checks.vector(heights, "heights", self.where, len(self.t))
        force = self.numbers[:, FORCE:TORQUE] - self.numbers[:, LOAD:LOAD_TORQUE]
        torque = self.numbers[:, TORQUE:LOAD] - self.numbers[:, LOAD_TORQUE:WIDTH]
        pressing = force @ u
        weight = self.mass * max(float(np.linalg.norm(self.gravity)), np.finfo(float).tiny)
        force = np.where((pressing > LEAST * weight)[:, None], force, np.nan)
        return point_on_floor(force, torque, u, heights)[:, : self.dimension]

    def _vector(self, what: str) -> np.ndarray:
        if what in TURNING and self.dimension == 2:
            return self.named(what)
        return np.column_stack([self.named(f"{what}.{axis}") for axis in "xyz"[: self.dimension]])

    def _about(self, first: int, points: np.ndarray) -> np.ndarray:
        """The moment of vectors about points: that about the origin less p × vector."""
        arms = np.zeros((len(self.t), 3))
        arms[:, : self.dimension] = points
        moved = self.numbers[:, first + 3 : first + 6] - np.cross(arms, self.numbers[:, first : first + 3])
        return moved if self.dimension == 3 else moved[:, 2]

    def _points(self, given: Any) -> np.ndarray:
        """Points (k, d) of a point, or of as many as there are times."""
        points = checks.numbers(given, "a point", self.where, "numbers, or an array with a row for each time")
        if points.shape not in ((self.dimension,), (len(self.t), self.dimension)):
            raise ModelError(
                f"{self.where}: a point has the shape {points.shape}; give ({self.dimension},) for one, or "
                f"({len(self.t)}, {self.dimension}) for one at each time, e.g. solution['body'].position"
            )
        return np.broadcast_to(points, (len(self.t), self.dimension))

    def named(self, what: str) -> np.ndarray:
        """A number (k,) by its name: "center_of_mass.x"."""
        given_names.known(what, whole_units(self.dimension), "quantity of the whole", self.where)
        if what.startswith("zmp") and not np.any(self.gravity):
            return self.zmp
        return of_whole(self.gravity, what).alone(self.numbers)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"WholeTrack({self.name!r}, {len(self)} times)"
