"""Point on a curve: the origin of one frame stays on a spline that turns with another.

    g = (r_b + R_b s_b) − (r_a + R_a c(s)),    three rows and the joint's own coordinate s along the curve

c is the curve in the axes of body a, its frame's arm included, and s_b the arm of frame b. With ′ for d/ds:

    G = [ −1,  R_a c̃,  1,  −R_b s̃_b,  −R_a c′ ]    for (r_a, y_a, r_b, y_b, s)
    γ = R_a (ω_a × (ω_a × c) + 2 ṡ ω_a × c′ + ṡ² c″) − R_b (ω_b × (ω_b × s_b))

The curve is the cubic spline through given points, c″ continuous. Its parameter s is its length, nearly so between its
knots: each piece between two points is made of PIECES cubics, so that the pace |c′| is close to 1.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.joints.spatial.lines import carried
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.slots import interval_in
from flexmb.kernels.vectors import (
    add_block,
    cross,
    cubics_in,
    dot,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled
from flexmb.model.pairs import pair_coordinates

#: parameters: the arm of frame b; 1 for a closed curve; how many knots; the knots; the cubics of each interval (12)
ARM_B, CLOSED, COUNT, KNOTS = 0, 3, 4, 5
#: how far beyond its ends an open curve goes on, in its length: what rounding and Newton's method need
MARGIN = 1e-6
#: a run that stops so near to an end, in lengths of the curve, on its way there, has stopped because of it
NEAR = 1e-3
#: how many cubics make the curve between two points
PIECES = 8


@dataclass(eq=False)
class PointOnCurve(SpatialJoint):
    """The origin of frame b stays on a curve fixed to frame a, a cubic spline through points; b may turn.

        r_b = r_a + A_a c(s)    (:mod:`flexmb.joints.spatial.point_on_curve`)

    s [m], the joint's coordinate 'position', is the length of the curve from its first point; on a closed curve it
    counts all rounds. A run stops with a message where b reaches the end of an open one. At the
    start b is where the curve is nearest to it.

    Arguments: `through`, points (n, 3) [m] in the axes of frame a, two or more; `closed`: the curve goes on from the
    last point to the first one, smoothly (three or more; the first is not given again at the end).

    >>> import numpy as np
    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> bead = m.add_body("bead", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0, 0))
    >>> angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    >>> ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    >>> wire = m.point_on_curve(m.ground, bead.frame, ring, closed=True, name="wire")
    >>> bead.frame.move(velocity=(0, 2.0, 0))
    >>> solution = fm.simulate(m, 10.0, step=0.01, progress=False)
    >>> bool(abs(solution.coordinate("wire.position")[-1] - 20.0) < 1e-3)
    True
    """

    through: Any
    _: KW_ONLY
    closed: bool = False
    #: length of the curve [m]
    length: float = field(default=0.0, init=False, repr=False)
    glyphs = ("ball", "rolling")

    def check(self) -> None:
        super().check()
        self.closed = checks.flag(self.closed, "closed", self.where)
        wanted = "points (n, 3)"
        points = checks.numbers(self.through, "through", self.where, wanted)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ModelError(f"{self.where}: through must be {wanted}, not an array of the shape {points.shape}")
        least = 3 if self.closed else 2
        if len(points) < least:
            raise ModelError(
                f"{self.where}: {'a closed' if self.closed else 'a'} curve needs at least {least} points; "
                f"{len(points)} {'is' if len(points) == 1 else 'are'} given"
            )
        steps = np.linalg.norm(np.diff(points, axis=0, append=points[:1]), axis=1)
        same = np.flatnonzero((steps if self.closed else steps[:-1]) <= 1e-12 * np.max(np.abs(points)))
        if same.size:
            k = int(same[0])
            again = "the first point again at its end; leave it out" if k == len(points) - 1 else f"point {k} twice"
            raise ModelError(f"{self.where}: its curve has {again}, at {points[k].tolist()}; give different points")
        self.through = points
        self.length = float(self.curve().x[-1])

    def curve(self) -> scipy.interpolate.CubicSpline:
        """The spline, in the axes of frame a, over its length [m]."""
        points = np.vstack([self.through, self.through[:1]]) if self.closed else self.through
        return _by_length(points, self.closed)

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        curve = self.curve()
        points = curve(np.linspace(0.0, curve.x[-1], PIECES * len(curve.x) + 1))
        return [carried(solution, self.a, points)]

    def _start(self, curve: scipy.interpolate.CubicSpline) -> tuple[float, float]:
        """The place along the curve that is nearest to frame b at the start, and its rate."""
        to_a = tuple(self.a.quaternion)
        goal = np.array(turned_back(to_a, tuple(self.b.position - self.a.position)))
        tries = np.linspace(0.0, curve.x[-1], 16 * len(curve.x) + 1)
        off = np.linalg.norm(curve(tries) - goal, axis=1)
        k = int(np.argmin(off))
        low, high = tries[max(k - 1, 0)], tries[min(k + 1, len(tries) - 1)]
        found = scipy.optimize.minimize_scalar(
            lambda s: float(np.sum((curve(s) - goal) ** 2)), bounds=(low, high), method="bounded"
        )
        s = float(found.x)
        for _ in range(20):  # a minimum is known to half the digits; where the slope vanishes, to all
            c, cd, cdd = (curve(s, j) for j in range(3))
            bent = float(cd @ cd + (c - goal) @ cdd)
            s = float(np.clip(s - (c - goal) @ cd / bent, low, high)) if bent > 0.0 else s
        if off[k] <= np.linalg.norm(curve(s) - goal):
            s = float(tries[k])
        velocities = [frame.node.moving_at(self.b.position)[0] for frame in (self.a, self.b)]
        way = curve(s, 1)
        return s, float(way @ turned_back(to_a, tuple(velocities[1] - velocities[0])) / (way @ way))

    def assemble(self, assembly: Assembler) -> None:
        curve = self.curve()
        s, rate = self._start(curve)
        block = free(["position"], "length")
        (place,) = assembly.coordinates(self, [block], np.array([s]), np.array([rate]), given=False)
        turn = np.array([turned(tuple(self.a.axes), e) for e in np.eye(3)])
        cubics = np.transpose(curve.c[::-1], (1, 0, 2)) @ turn
        cubics[:, 0] += self.a.offset
        p = np.array([*self.b.offset, float(self.closed), len(curve.x), *curve.x, *cubics.ravel()])
        rows = [(name, "length") for name in "xyz"]
        assembly.instance(self, ON_CURVE, [*pair_coordinates(assembly, self.a, self.b), place], p, rows)

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        (instance,) = system.instances_of(self.name)
        s, rate = float(q[instance.coordinates[-1]]), float(v[instance.speeds[-1]])
        left = min(s, self.length - s) if np.isnan(rate) else s if rate < 0.0 else self.length - s
        if self.closed or left > NEAR * self.length or (rate == 0.0 and 0.0 <= s <= self.length):
            return ""
        end = "first" if s < 0.5 * self.length else "last"
        return (
            f"reaches the end of its curve at the {end} point; make the curve longer, or hold frame {self.b.name!r} "
            "before it"
        )


def _by_length(points: np.ndarray, closed: bool) -> scipy.interpolate.CubicSpline:
    """The cubic spline through points by the lengths of their chords, and through it another one of many more pieces
    by its own length."""
    ends = "periodic" if closed else "not-a-knot"
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    first = scipy.interpolate.CubicSpline(np.concatenate([[0.0], np.cumsum(chords)]), points, bc_type=ends)
    parts = np.repeat(chords / PIECES, PIECES)
    places = np.concatenate([[0.0], np.cumsum(parts)])
    nodes, weights = np.polynomial.legendre.leggauss(10)
    rates = np.linalg.norm(first(places[:-1, None] + 0.5 * parts[:, None] * (nodes + 1.0), 1), axis=2)
    lengths = np.cumsum(0.5 * parts * (rates @ weights))
    through = first(places)
    if closed:
        through[-1] = through[0]  # to the last digit
    return scipy.interpolate.CubicSpline(np.concatenate([[0.0], lengths]), through, bc_type=ends)


@compiled
def _on_curve(row, s):
    """c, c′, c″ at s; NaN beyond the ends of an open curve."""
    n = int(row[COUNT])
    length = row[KNOTS + n - 1]
    if row[CLOSED] > 0.5:
        s -= length * np.floor(s / length)
    elif not -MARGIN * length <= s <= (1.0 + MARGIN) * length:
        s = np.nan
    low = interval_in(row, KNOTS, KNOTS + n - 1, s)
    return cubics_in(row, KNOTS + n + 12 * (low - KNOTS), s - row[low])


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        A = quaternion_at(q, at_q, 3)
        B = quaternion_at(q, at_q, 10)
        omega_a = vector_at(v, at_v, 3)
        omega_b = vector_at(v, at_v, 9)
        sd = v[at_v[12]]
        arm_b = vector_in(row, ARM_B)
        c, c_s, c_ss = _on_curve(row, q[at_q[14]])
        carried = cross(omega_a, c)
        swing = cross(omega_b, arm_b)
        place_a = plus(vector_at(q, at_q, 0), turned(A, c))
        rate_a = plus(vector_at(v, at_v, 0), turned(A, plus(carried, times(sd, c_s))))
        put(out[i], 0, minus(plus(vector_at(q, at_q, 7), turned(B, arm_b)), place_a))
        put(out[i], 3, minus(plus(vector_at(v, at_v, 6), turned(B, swing)), rate_a))
        inward = plus(cross(omega_a, plus(carried, times(2.0 * sd, c_s))), times(sd * sd, c_ss))
        put(out[i], 6, minus(turned(A, inward), turned(B, cross(omega_b, swing))))


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        answer = out[i]
        block = K[i]
        A = quaternion_at(q, at_q, 3)
        B = quaternion_at(q, at_q, 10)
        arm_b = vector_in(row, ARM_B)
        c, c_s, c_ss = _on_curve(row, q[at_q[14]])
        by_a = matrix_product(rotation_matrix(A), tilde(c))
        by_b = matrix_product(rotation_matrix(B), tilde(arm_b))
        way = turned(A, c_s)
        for k in range(3):
            answer[13 * k + k] = -1.0
            answer[13 * k + 6 + k] = 1.0
            for j in range(3):
                answer[13 * k + 3 + j] = by_a[3 * k + j]
                answer[13 * k + 9 + j] = -by_b[3 * k + j]
            answer[13 * k + 12] = -way[k]
        force = times(w[2], vector_in(lam[i], 0))
        on_a = turned_back(A, force)
        add_block(block, 3, 3, -1.0, tilde_product(c, on_a))
        add_block(block, 9, 9, 1.0, tilde_product(arm_b, turned_back(B, force)))
        mixed = cross(on_a, c_s)
        for j in range(3):
            block[3 + j, 12] += mixed[j]
            block[12, 3 + j] += mixed[j]
        block[12, 12] -= dot(c_ss, on_a)


#: Three rows, on two nodes and a place along the curve.
ON_CURVE = Kernels("point on a curve", constraint=constraint, jacobian=jacobian)
