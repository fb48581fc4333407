"""What a mechanism stands on: the polygon of its contacts with the ground, and how far the zero-moment point is inside.

The points at which contacts with fixed frames press, seen along gravity, have a convex hull. Contacts can only push: so
their forces have a resultant whose line pierces the floor within the hull. As long as the zero-moment point that a
motion needs lies inside, the feet stay flat on the floor; where it reaches the edge, they tip about it
(Vukobratović and Borovac, 2004).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.forces.contact_force import refuse_corners
from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import vector_in
from flexmb.model import given_times
from flexmb.model.hints import AnswersCalls
from flexmb.quantities.standing import FLAT, NUMBERS, margin_of, on_floor
from flexmb.results import names
from flexmb.results.recorded import Recorded


@dataclass(frozen=True, eq=False)
class Support(metaclass=AnswersCalls):
    """What a mechanism stands on at k times, `solution.support()`.

    `contacts`: names of the contacts with the ground; `pressing` (k, contacts): which of them press; `points`
    (k, contacts, 2) or (k, contacts, 3) [m]: where; `zmp` (k, 2) or (k, 3) [m]: the zero-moment point on the floor on
    which they press, NaN where none does; `margin` (k,) [m]: how far it lies from the edge of the polygon, negative
    outside and NaN where there is none, which is also the series "whole.margin".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("table", gravity=(0, -9.81))
    >>> top = m.add_body("top", mass=10.0, inertia=1.0, position=(0.1, 0.5))
    >>> for x, foot in ((-0.4, "left"), (0.6, "right")):
    ...     under = top.attach(foot, (x - 0.1, -0.5))
    ...     _ = m.contact(m.ground, under, fm.HalfPlane("y"), stiffness=1e5, damping=1.0, name=f"{foot} foot")
    >>> support = fm.simulate(m, 2.0, progress=False).support()
    >>> support.contacts, bool(support.pressing[-1].all()), round(float(support.margin[-1]), 3)
    (['left foot', 'right foot'], True, 0.5)
    """

    t: np.ndarray
    contacts: list[str]
    pressing: np.ndarray
    points: np.ndarray
    zmp: np.ndarray
    up: np.ndarray = field(repr=False)

    def polygon(self, k: int) -> np.ndarray:
        """The corners (p, 2) or (p, 3) [m] of the polygon at time number k, counterclockwise as seen from above.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("table", gravity=(0, -9.81))
        >>> top = m.add_body("top", mass=10.0, inertia=1.0, position=(0.1, 0.5))
        >>> for x, foot in ((-0.4, "left"), (0.6, "right")):
        ...     under = top.attach(foot, (x - 0.1, -0.5))
        ...     _ = m.contact(m.ground, under, fm.HalfPlane("y"), stiffness=1e5, damping=1.0, name=f"{foot} foot")
        >>> fm.simulate(m, 2.0, progress=False).support().polygon(-1)[:, 0].round(2).tolist()
        [-0.4, 0.6]
        """
        k = given_times.instant(k, len(self.points), "support")
        points = self.points[k, self.pressing[k]]
        return points[_hull(self._on_floor(points))]

    @property
    def margin(self) -> np.ndarray:
        """How far the zero-moment point lies inside (k,) [m]."""
        k, n, d = self.points.shape
        x, zmp, out = np.zeros((k, n, NUMBERS)), np.zeros((k, 3)), np.zeros(k)
        x[:, :, 0], x[:, :, 1 : 1 + d], zmp[:, :d] = self.pressing, self.points, self.zmp
        _margins(x.reshape(k, -1), n, *map(tuple, on_floor(self.up)), d == 2, zmp, out)
        return out

    def _on_floor(self, points: np.ndarray) -> np.ndarray:
        """Points as an observer above sees them, with one coordinate in the plane and two in space."""
        d = len(self.up)
        return points @ np.stack([e[:d] for e in on_floor(self.up)[: d - 1]], axis=1)

    def __len__(self) -> int:
        return len(self.t)


def support(solution: Recorded) -> Support:
    """Support of a mechanism: see :class:`Support`."""
    contacts = solution.layout.ground_contacts()
    if not contacts:
        raise ModelError(
            f"{solution.where}, support: no contact joins the mechanism to a fixed frame; a polygon needs some, e.g. "
            "model.contact(model.ground, foot, …)"
        )
    for name in contacts:
        place = solution.layout.pairs[name].contact
        assert place is not None
        refuse_corners(name, place)
    whole = solution.whole
    if not np.any(whole.gravity):
        raise ModelError(f"{solution.where}, support: the model has no gravity, which presses it on a floor")
    up = -whole.gravity / np.linalg.norm(whole.gravity)
    tracks = [names.find_touch(solution, name) for name in contacts]
    pressing = np.stack([track.normal_force > 0.0 for track in tracks], axis=1)  # type: ignore[union-attr]
    points = np.stack([track.position for track in tracks], axis=1)  # type: ignore[union-attr]
    count = np.maximum(pressing.sum(axis=1), 1)
    heights = np.sum(np.where(pressing, points @ up, 0.0), axis=1) / count
    zmp = np.where(np.any(pressing, axis=1, keepdims=True), whole.on_floor(up, heights), np.nan)
    return Support(solution.t, contacts, pressing, points, zmp, up)


def _hull(points: np.ndarray) -> np.ndarray:
    """The numbers of the corners of the convex hull of points (p, 1) or (p, 2), in order; of points on a line its two
    ends, and of a single point itself."""
    if len(points) < 2:
        return np.arange(len(points))
    if points.shape[1] == 2 and len(points) > 2:
        apart = points - points.mean(axis=0)
        spread = np.linalg.svd(apart, compute_uv=False)
        if spread[1] > FLAT * spread[0]:
            try:
                return np.asarray(scipy.spatial.ConvexHull(points).vertices)
            except scipy.spatial.QhullError:  # almost on a line
                pass
    along = (points - points[0]) @ (points[int(np.argmax(np.linalg.norm(points - points[0], axis=1)))] - points[0])
    return np.array([int(np.argmin(along)), int(np.argmax(along))])


@compiled
def _margins(x, count, e, f, planar, points, out):
    for k in range(x.shape[0]):
        out[k] = margin_of(x[k], 0, count, e, f, planar, vector_in(points[k], 0))
