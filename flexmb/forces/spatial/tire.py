"""TireLaw in space: a wheel that slips on a plane, carried by its tire (:mod:`flexmb.forces.spatial.tire_law`)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact_law import stored, tearing
from flexmb.forces.spatial.tire_law import (
    LAW,
    VERTICAL,
    force_of,
    leaving,
    load_on,
    motion,
    pulls,
    row_values,
)
from flexmb.forces.tire import DAMPED, LOAD, STIFF, TIRE_UNITS, TireForces, TireLaw, checked_tire, lost_in
from flexmb.joints.spatial.lines import rim_lines
from flexmb.joints.spatial.rolling import flat_doubts, flat_limit, refuse_flat, sines_between
from flexmb.joints.spatial.rows.rolling_rows import WHEEL
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import IDENTITY, NONE, cross, dot, plus, put, times, vector_at, vector_in
from flexmb.model import checks
from flexmb.model.appearance import Load, PairPlace, RoadPlace, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import SpatialPair, unit_axis


@dataclass(eq=False)
class Tire(SpatialPair):
    """A wheel about the origin of frame b stands on a plane of frame a with its tire, which slips, springs, and may
    leave the plane and come back (:mod:`flexmb.forces.tire`, :mod:`flexmb.forces.spatial.tire`).

    Its coordinates 'ahead' and 'aside' are the deflections of the tread [m], zero at the start; they have velocity rows
    of the same names. `forces(solution)` gives load, forces, slip and place.

    Arguments: `tire`, a :class:`~flexmb.forces.tire.TireLaw`; `radius` of the wheel [m]; `normal` of the plane: 'x',
    'y', 'z' or a direction (3,) in the axes of frame a, towards b; `axle`, the wheel's axis in the axes of frame b;
    `crown`: the crown radius of the tire [m].

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("wheel", gravity=(0, 0, -9.81))
    >>> wheel = m.add_body("wheel", mass=20.0, inertia=(0.5, 1.0, 0.5), position=(0, 0, 0.3))
    >>> rubber = fm.TireLaw(load=200.0, cornering_stiffness=2e3, relaxation_length=0.3, vertical_stiffness=2e4)
    >>> tire = m.tire(m.ground, wheel.frame, rubber, 0.3, name="tire")
    >>> [row.name for row in fm.System(m).rows]
    ['ahead', 'aside']
    """

    tire: TireLaw
    radius: float
    _: KW_ONLY
    normal: Any = "z"
    axle: Any = "y"
    crown: float = 0.0
    kind = "tire"
    glyphs = ("rolling",)
    touches = True

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()
        checked_tire(self.tire, self.where).vertical(self.where)
        self.radius = checks.positive(self.radius, "radius", self.where)
        self.crown = checks.not_negative(self.crown, "crown", self.where)
        if self.crown >= self.radius:
            raise ModelError(
                f"{self.where}: crown is {self.crown:g} m, and the radius of the whole wheel {self.radius:g} m; a tire "
                "is thinner than its wheel"
            )
        refuse_flat(self, *self._directions())

    def _directions(self) -> tuple[np.ndarray, np.ndarray]:
        """The normal (3,) on frame a, and the axle (3,) on frame b."""
        return unit_axis(self.normal, self.where, "normal"), unit_axis(self.axle, self.where, "axle", "b")

    def _sines(self, system: Assembled, q: np.ndarray) -> np.ndarray:
        return sines_between(self, SPATIAL_TIRE, *self._directions(), system, q)

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        return flat_limit(self._sines(system, q[None])[0])

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        return flat_doubts(self.where, self._sines(system, q))

    def _parameters(self, a: Any, b: Any, axes_a: Any, axes_b: Any) -> np.ndarray:
        """Its parameters, for arms of its frames and the axes that these are said in."""
        n, u = (turned(tuple(axes), tuple(x)) for axes, x in zip((axes_a, axes_b), self._directions()))
        p = [WHEEL, *a, *b, *n, *NONE, *u, self.radius, self.crown]
        return np.array([*p, *self.tire.numbers(self.where), *self.tire.vertical(self.where)])

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        return rim_lines(solution, self.b, self._directions()[1], self.radius, self.crown)

    def road(self) -> RoadPlace:
        return RoadPlace(self.a.name, self.b.name, tuple(self._directions()[0].tolist()), self.radius)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        """The force on the wheel, where the tire touches: N n + F_x t₁ + F_y t₂, t₁ = u × n/|u × n|, t₂ = n × t₁."""
        found = self.forces(solution)
        tracks: list[Any] = [solution.track(frame.name) for frame in (self.a, self.b)]
        n, u = (track.orientation.apply(x) for track, x in zip(tracks, self._directions()))
        ahead = np.cross(u, n)
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        parts = ((found.load, n), (found.ahead, ahead), (found.aside, np.cross(n, ahead)))
        return [Load(found.place, sum((size[:, None] * way for size, way in parts), np.zeros_like(n)))]

    def forces(self, solution: Any) -> TireForces:
        """What the tire does in a solution. (Its rows carry no force, and a tire has no `solution.reaction`.)"""
        known = checks.solution(solution, self.where)
        load, *numbers = (known[f"{self.name}.{what}"] for what in TIRE_UNITS)
        place = np.column_stack([known[f"{self.name}.{axis}"] for axis in "xyz"])
        ahead, aside, slip_ahead, slip_aside, rolling = numbers
        return TireForces(solution.t, load, ahead, aside, slip_ahead, slip_aside, rolling, place)

    def place(self) -> PairPlace:
        still = (1.0, 0.0, 0.0, 0.0)
        return replace(super().place(), tire=tuple(self._parameters(NONE, NONE, still, still).tolist()))

    def assemble(self, assembly: Assembler) -> None:
        p = self._parameters(self.a.offset, self.b.offset, self.a.axes, self.b.axes)
        blocks = [free(["ahead", "aside"], "length")]
        tread = assembly.coordinates(self, blocks, np.zeros(2))
        rows = [(name, "length", "velocity") for name in ("ahead", "aside")]
        assembly.instance(self, SPATIAL_TIRE, [*pair_coordinates(assembly, self.a, self.b), *tread], p, rows)


@compiled
def _along(row, at_q, at_v, q, v, j, speeds):
    """The motion, and its changes by coordinate j or by its speed."""
    A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
    w_a, w_b = turned(A, vector_at(v, at_v, 3)), turned(B, vector_at(v, at_v, 9))
    e = vector_in(IDENTITY, 3 * (j % 3))
    on_a = e if 0 <= j < 3 else NONE
    about_a = turned(A, e) if 3 <= j < 6 else NONE
    on_b = e if 6 <= j < 9 else NONE
    about_b = turned(B, e) if 9 <= j < 12 else NONE
    places = vector_at(q, at_q, 0), vector_at(q, at_q, 7)
    rates = vector_at(v, at_v, 0), vector_at(v, at_v, 6)
    if speeds:
        return motion(
            row, A, B, places[0], places[1], rates[0], w_a, rates[1], w_b,
            NONE, NONE, NONE, NONE, on_a, about_a, on_b, about_b,
        )  # fmt: skip
    return motion(
        row, A, B, places[0], places[1], rates[0], w_a, rates[1], w_b,
        on_a, about_a, on_b, about_b, NONE, cross(about_a, w_a), NONE, cross(about_b, w_b),
    )  # fmt: skip


@compiled
def _turn(q, at_q, j, moment, k):
    """What a moment in the axes of the ground changes by, in those of body b (k = 9) or a (k = 3), as coordinate j
    turns it."""
    if not k <= j < k + 3:
        return NONE
    e = vector_in(IDENTITY, 3 * (j % 3))
    return cross(moment, turned(quaternion_at(q, at_q, 3 if k == 3 else 10), e))


@compiled
def _tread(q, v, at_q, at_v):
    """u and u̇."""
    return (q[at_q[14]], q[at_q[15]]), (v[at_v[12]], v[at_v[13]])


@compiled
def _unit(j):
    """The change of u by coordinate j."""
    return (1.0 if j == 12 else 0.0, 1.0 if j == 13 else 0.0)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at_q, at_v, answer = iq[i], iv[i], out[i]
        u, ud = _tread(q, v, at_q, at_v)
        now, by = _along(p[i], at_q, at_v, q, v, -1, False)
        F, _ = force_of(p[i], now, by, u, ud, (0.0, 0.0), (0.0, 0.0))
        put(answer, 0, F)
        put(answer, 3, turned_back(quaternion_at(q, at_q, 3), cross(now[1], F)))
        put(answer, 6, times(-1.0, F))
        put(answer, 9, turned_back(quaternion_at(q, at_q, 10), cross(F, now[2])))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    zero = (0.0, 0.0)
    for i in range(p.shape[0]):
        at_q, at_v, block = iq[i], iv[i], K[i]
        u, ud = _tread(q, v, at_q, at_v)
        A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        for which in range(2):
            weight = w[2] if which == 0 else w[1]
            if weight == 0.0:
                continue
            for j in range(14):
                now, by = _along(p[i], at_q, at_v, q, v, j, which == 1)
                u_by, ud_by = (_unit(j), zero) if which == 0 else (zero, _unit(j))
                F, F_by = force_of(p[i], now, by, u, ud, u_by, ud_by)
                on_a, on_b = cross(now[1], F), cross(now[2], F)
                on_a_by = plus(cross(by[1], F), cross(now[1], F_by))
                on_b_by = plus(cross(by[2], F), cross(now[2], F_by))
                if which == 0:
                    on_a_by = plus(on_a_by, _turn(q, at_q, j, on_a, 3))
                    on_b_by = plus(on_b_by, _turn(q, at_q, j, on_b, 9))
                on_a_by, on_b_by = turned_back(A, on_a_by), turned_back(B, on_b_by)
                for k in range(3):
                    block[k, j] += weight * F_by[k]
                    block[3 + k, j] += weight * on_a_by[k]
                    block[6 + k, j] -= weight * F_by[k]
                    block[9 + k, j] -= weight * on_b_by[k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at_q, at_v = iq[i], iv[i]
        u, ud = _tread(q, v, at_q, at_v)
        row = p[i]
        now, by = _along(row, at_q, at_v, q, v, -1, False)
        F, _ = force_of(row, now, by, u, ud, (0.0, 0.0), (0.0, 0.0))
        N, _ = load_on(row, now, by)
        elastic, energy_stored = stored(now[0], row[VERTICAL], 1.0)
        c_x, c_y, _, _ = leaving(row, now, by)
        k_x, k_y, d = row[LAW + STIFF], row[LAW + STIFF + 1], row[LAW + DAMPED]
        lost = N / row[LAW + LOAD] * (lost_in(k_x, d, u[0], ud[0], c_x) + lost_in(k_y, d, u[1], ud[1], c_y))
        away = dot(now[4], now[7])
        out[i, 1] = energy_stored
        out[i, 3] = lost + (elastic - N) * away
        out[i, 4] = lost + dot(F, now[7]) - N * away


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at_q, at_v = p[i], iq[i], iv[i]
        u, ud = _tread(q, v, at_q, at_v)
        A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        v_a, v_b = vector_at(v, at_v, 0), vector_at(v, at_v, 6)
        w_a, w_b = turned(A, vector_at(v, at_v, 3)), turned(B, vector_at(v, at_v, 9))
        now, by = motion(
            row, A, B, vector_at(q, at_q, 0), vector_at(q, at_q, 7), v_a, w_a, v_b, w_b,
            v_a, w_a, v_b, w_b, NONE, NONE, NONE, NONE,
        )  # fmt: skip
        out[i, 2], out[i, 3], x_by, y_by = row_values(row, now, by, u, ud, ud, (0.0, 0.0))
        out[i, 4] = -x_by
        out[i, 5] = -y_by


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    zero = (0.0, 0.0)
    for i in range(p.shape[0]):
        row, at_q, at_v, answer, block = p[i], iq[i], iv[i], out[i], K[i]
        u, ud = _tread(q, v, at_q, at_v)
        A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        now, by = _along(row, at_q, at_v, q, v, -1, False)
        for r in range(2):
            at_p, at_c, _, _ = pulls(row, now, by, u, zero, 1.0 - r, 1.0 * r)
            both = plus(at_p, at_c)
            put(answer, 14 * r, times(-1.0, both))
            put(answer, 14 * r + 3, turned_back(A, cross(both, now[1])))
            put(answer, 14 * r + 6, both)
            put(answer, 14 * r + 9, turned_back(B, plus(cross(now[2], at_p), cross(now[3], at_c))))
            answer[14 * r + 12 + r] = 1.0
        for j in range(14):
            now, by = _along(row, at_q, at_v, q, v, j, False)
            u_by = _unit(j)
            _, _, answer[28 + j], answer[42 + j] = row_values(row, now, by, u, ud, u_by, zero)
            if w[2] == 0.0:
                continue
            at_p, at_c, at_p_by, at_c_by = pulls(row, now, by, u, u_by, lam[i, 0], lam[i, 1])
            both, both_by = plus(at_p, at_c), plus(at_p_by, at_c_by)
            on_a = cross(now[1], both)
            on_b = plus(cross(now[2], at_p), cross(now[3], at_c))
            on_a_by = plus(cross(by[1], both), cross(now[1], both_by))
            on_b_by = plus(cross(by[2], at_p), cross(now[2], at_p_by))
            on_b_by = plus(on_b_by, plus(cross(by[3], at_c), cross(now[3], at_c_by)))
            on_a_by = turned_back(A, plus(on_a_by, _turn(q, at_q, j, on_a, 3)))
            on_b_by = turned_back(B, plus(on_b_by, _turn(q, at_q, j, on_b, 9)))
            for k in range(3):
                block[k, j] -= w[2] * both_by[k]
                block[3 + k, j] -= w[2] * on_a_by[k]
                block[6 + k, j] += w[2] * both_by[k]
                block[9 + k, j] += w[2] * on_b_by[k]


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        now, _ = _along(p[i], iq[i], iv[i], q, v, -1, False)
        out[i, 0] = now[0]
        out[i, 1] = tearing(now[0], dot(now[4], now[7]), p[i, VERTICAL + 1])


#: Two velocity rows and the forces of a tire, on two nodes and the two deflections of the tread.
SPATIAL_TIRE = Kernels(
    "tire in space", residual=residual, tangent=tangent, energy=energy, constraint=constraint, jacobian=jacobian,
    switches=switches,
)  # fmt: skip
