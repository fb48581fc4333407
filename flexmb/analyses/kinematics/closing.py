"""Closing joints: g(q, t) = 0 from any position, by the Levenberg–Marquardt method.

With the weights W of the coordinates a step δ solves

    [ W²   Gᵀ ] [δ]   [ −W² d ]
    [ G   −μ 1 ] [y] = [ −g    ]          min ½ |W (d + δ)|² + |g + G δ|²/(2 μ)

With d = 0 the joints close by the shortest way. Where d is the distance from a given position, the result also lies as
near to that position as the joints allow. Rows may depend on one another. See Nocedal and Wright (2006), §10.3; the
block form keeps large systems sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered
from flexmb.system.mobility import rigid_groups
from flexmb.system.system import System

#: joints are closed to this error, in units of the model's length, and radians
TOLERANCE = 1e-12
#: largest turn [rad], or displacement in units of the model's length, in one step
LARGEST_STEP = 0.5
#: unknowns up to which dense factors are faster
LARGEST_DENSE = 300


@dataclass
class MovableParts:
    """The parts that may move: groups of coordinates as rigid bodies, the others one by one; `held` coordinates stay.

    Arguments: `system`; `groups`: numbers of the coordinates of each rigid group; `held`: numbers of coordinates.
    """

    system: System
    groups: Sequence[np.ndarray] = ()
    held: Sequence[int] = ()
    single: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        together = np.concatenate([np.zeros(0, dtype=np.int64), *self.groups])
        self.single = np.setdiff1d(np.arange(self.system.n), together)
        probe = self.system.rigid_motions(np.arange(1.0, self.system.n + 1.0))
        self._points = probe[0] + probe[1] > 0.0
        self._x = probe[0] > 0.0
        turned = probe[2] * ~self.system.turning
        self._pairs = np.flatnonzero(turned)
        self._partner = np.abs(turned[self._pairs]).astype(np.int64) - 1
        self._sign = np.sign(turned[self._pairs])

    @classmethod
    def rigid(cls, system: System, held: Sequence[int] = ()) -> MovableParts:
        """Parts in which flexible bodies move as rigid ones; those that share a held or fixed node stay."""
        groups, clamped = rigid_groups(system)
        held_numbers = set(held)
        stay = [clamped, *(g for g in groups if held_numbers & set(g.tolist()))]
        free = [g for g in groups if not held_numbers & set(g.tolist())]
        return cls(system, free, np.unique(np.concatenate([np.asarray(list(held), dtype=np.int64), *stay])).tolist())

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return len(self.single) + 3 * len(self.groups)

    def columns(self, q: np.ndarray) -> sp.csc_array:
        """Z (n, count), whose columns are small motions in units of the model's length, and radians."""
        n, L = self.system.n, self.system.length_scale
        held = np.isin(self.single, self.held)
        rows = [self.single]
        columns = [np.arange(len(self.single))]
        values = [np.where(held, 0.0, self.system.scale[self.single])]
        rigid = self.system.rigid_motions(q)
        at = len(self.single)
        for members in self.groups:
            part = rigid[:, members]
            cx, cy = self.centre(q, members)
            for k, motion in enumerate((L * part[0], L * part[1], part[2] + cy * part[0] - cx * part[1])):
                rows.append(members)
                columns.append(np.full(len(members), at + k))
                values.append(motion)
            at += 3
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sp.csc_array(sp.coo_array(entries, shape=(n, self.count)))

    def centre(self, q: np.ndarray, members: np.ndarray) -> tuple[float, float]:
        """The middle of the points of a group."""
        along = self._x[members]
        across = self._points[members] & ~along
        return float(np.mean(q[members][along])), float(np.mean(q[members][across]))

    def after_motion(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The position after a motion y (count,), in which bodies turn exactly."""
        out = q.copy()
        held = np.isin(self.single, self.held)
        out[self.single] += np.where(held, 0.0, self.system.scale[self.single] * y[: len(self.single)])
        for members, (dx, dy, angle) in zip(self.groups, y[len(self.single) :].reshape(-1, 3)):
            cx, cy = self.centre(q, members)
            inside = np.isin(self._pairs, members)
            pairs, partner, sign = self._pairs[inside], self._partner[inside], self._sign[inside]
            centre = np.where(self._points, np.where(self._x, cx, cy), 0.0)
            arm = q - centre
            out[pairs] = centre[pairs] + np.cos(angle) * arm[pairs] + np.sin(angle) * sign * arm[partner]
            points = pairs[self._points[pairs]]
            out[points] += self.system.length_scale * np.where(self._x[points], dx, dy)
            out[members[self.system.turning[members]]] += angle
        return out

    def motion_between(self, q: np.ndarray, to: np.ndarray) -> np.ndarray:
        """The motion (count,) from one position to another, in which groups move as wholes."""
        change = to - q
        out = [change[self.single] / self.system.scale[self.single]]
        for members in self.groups:
            (ax, ay), (bx, by) = self.centre(q, members), self.centre(to, members)
            turned = change[members[self.system.turning[members]]]
            angle = float(np.mean(turned)) if len(turned) else self._turn(q, to, members)
            out.append(np.array([(bx - ax) / self.system.length_scale, (by - ay) / self.system.length_scale, angle]))
        return np.concatenate(out)

    def _turn(self, q: np.ndarray, to: np.ndarray, members: np.ndarray) -> float:
        """The angle by which a group without angles has turned, from its points."""
        x = members[self._x[members]]
        y = members[self._points[members] & ~self._x[members]]
        first = complex(q[x[-1]] - q[x[0]], q[y[-1]] - q[y[0]])
        last = complex(to[x[-1]] - to[x[0]], to[y[-1]] - to[y[0]])
        return float(np.angle(last / first))


def close_joints(
    parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray | None = None, max_iterations: int = 200
) -> tuple[np.ndarray, float]:
    """A position near q in which the chosen rows (all when not given) are closed; and the largest error that is left,
    in units of the model's length, and radians."""
    g = _errors(parts, t, q, rows)
    size = float(g @ g)
    mu = 1e-6
    for _ in range(max_iterations):
        if not np.isfinite(size):
            return q, np.inf
        if np.max(np.abs(g), initial=0.0) <= TOLERANCE:
            break
        step = solve_step(parts, t, q, rows, g, np.zeros(parts.count), mu)
        way = float(np.max(np.abs(step), initial=0.0))
        if way > LARGEST_STEP:
            step *= LARGEST_STEP / way
        new = parts.after_motion(q, step)
        g_new = _errors(parts, t, new, rows)
        size_new = float(g_new @ g_new)
        if size_new < size:
            stalled = size_new > (1.0 - 1e-9) * size and way < 1e-6
            q, g, size = new, g_new, size_new
            mu = max(0.1 * mu, 1e-14)
            if stalled:
                break
        else:
            if way < 1e-13 or mu > 1e8:
                break
            mu *= 10.0
    return q, float(np.max(np.abs(g), initial=0.0))


def _errors(parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """The errors of the chosen rows, in units of the model's length, and radians."""
    system = parts.system
    g = system.constraint(t, q, np.zeros(system.n))[0] / system.row_scale
    return g if rows is None else g[rows]


def solve_step(
    parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray | None, g: np.ndarray, d: np.ndarray, mu: float
) -> np.ndarray:
    """One step δ (count,); all coordinates have the same weight in units of the model's length, and radians."""
    system = parts.system
    G: Any = sp.csr_array(sp.diags_array(1.0 / system.row_scale) @ sp.csc_array(system.jacobian(t, q)))
    G = sp.csc_array((G if rows is None else G[rows]) @ parts.columns(q))
    k, m = parts.count, G.shape[0]
    b = np.concatenate([-d, -g])
    if k + m <= LARGEST_DENSE:
        A = bordered(np.eye(k), G.toarray(), corner=-mu * np.eye(m))
    else:
        A = bordered(sp.eye_array(k), G, corner=-mu * sp.eye_array(m))
    return Factors(A).solve(b)[:k]
