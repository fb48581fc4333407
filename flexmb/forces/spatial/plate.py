"""Forces of a flow and of sunlight on flat plates in space.

Both act at the origin of a frame on the plate, and depend on how the plate stands to a direction that is fixed in
space. They are computed in the axes of the body, with the normal n of the plate, which is constant there.

**In a flow**, with the velocity u of the plate against the flow, the area A and the density ϱ, by quasi-steady laws:

    F = −½ ϱ A ((c₁ |u| + c₂ |u · n|) (u · n) n + c₀ |u| u)

At the angle of attack α, where |u · n| = |u| sin α, c₁ gives the lift c₁ sin α cos α and the drag c₁ sin² α of a thin
plate with attached flow (2π if it is long and thin); c₂ the normal force c₂ sin² α of a plate across the flow, in
Newton's law 2; c₀ the drag of its skin. F · u ≤ 0: seen from the flow, the plate always loses energy.

**In sunlight** of the pressure p [N/m²] from the direction s, with c = n · s > 0: of the light that falls on the area
A c, the part ϱ_s is reflected as by a mirror, the part ϱ_d in all directions by Lambert's law, and the rest is
absorbed. Light brings momentum along −s; from a mirror it leaves along 2 c n − s, and what is scattered takes 2/3 n
with it, the mean over the half sphere. What comes less what goes is, as in Wertz (1978), section 17.2,

    F = −p A c ((1 − ϱ_s) s + 2 (ϱ_s c + ϱ_d/3) n)

The back of the plate (c < 0) is in no light; a plate with two bright sides is two plates.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import (
    IDENTITY,
    add_block,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame as AnyFrame
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.spatial_frames import Frame, unit_axis

#: parameters of both: arm of the frame (3) and normal (3) in the axes of the body; a direction or velocity fixed in
#: space (3): of the sun, or of the flow
ARM, NORMAL, FIXED = 0, 3, 6
#: of the plate in a flow: ½ ϱ A, c₀, c₁, c₂; of the plate in sunlight: A, ϱ_s, ϱ_d, slot of the pressure
HALF, SKIN, LINEAR, SQUARE = 9, 10, 11, 12
AREA, MIRROR, DIFFUSE, PRESSURE = 9, 10, 11, 12


@dataclass(eq=False)
class _Plate(Component):
    """What both have: a plate on a frame, and its area.

    Arguments: `frame` in the middle of the plate, of a body, or a place on a beam; `area` A [m²]; `axis`: the normal n
    in the axes of the frame, 'x', 'y', 'z' or (3,).
    """

    frame: Frame
    area: float
    _: KW_ONLY
    axis: Any = "z"
    kind = "force"
    dimension = 3
    external = True
    fixed_in_space = True

    def frames(self) -> list[AnyFrame]:
        return [self.frame]

    def check(self) -> None:
        if self.frame.node.fixed:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} is fixed; what acts there moves nothing")
        checks.check_fields(self, checks.positive, self.where, "area")
        unit_axis(self.axis, self.where, frame=repr(self.frame.name))

    def head(self, fixed: np.ndarray) -> list[float]:
        """The parameters that both begin with."""
        return [*self.frame.offset, *turned(tuple(self.frame.axes), tuple(unit_axis(self.axis, self.where))), *fixed]

    def normal(self, solution: ShownMotion) -> tuple[np.ndarray, np.ndarray]:
        """Places and normals (k, 3) at the times of a solution."""
        track: Any = solution.track(self.frame.name)
        return track.position, track.orientation.apply(unit_axis(self.axis, self.where))


# Both have a force F in the axes of the body, so that r = (−R F, F × arm). Along y, R F changes by R (∂F/∂y − F̃) y.


@compiled
def put_force(answer, orientation, arm, F):
    """Fill the residual (6,)."""
    put(answer, 0, times(-1.0, turned(orientation, F)))
    put(answer, 3, cross(F, arm))


@compiled
def add_tangent(K, w, orientation, arm, F, by_turn, by_speed):
    """Add the tangent: `by_turn` is ∂F/∂y, `by_speed` ∂F/∂u, with u the velocity of the frame in the axes of the body,
    which changes by Rᵀ with ṙ and by −(arm)~ with ω."""
    R = rotation_matrix(orientation)
    lever = tilde(arm)
    turning = combined(w[2], by_turn, -w[1], matrix_product(by_speed, lever))
    moving = combined(w[1], matrix_product(by_speed, transposed(R)), 0.0, R)
    add_block(K, 0, 0, -1.0, matrix_product(R, moving))
    add_block(K, 0, 3, -1.0, matrix_product(R, combined(1.0, turning, -w[2], tilde(F))))
    add_block(K, 3, 0, -1.0, matrix_product(lever, moving))
    add_block(K, 3, 3, -1.0, matrix_product(lever, turning))


# -- in a flow -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Drag(_Plate):
    """Drag, and lift, of a flat plate in a steady flow; with `skin` alone, the drag of a body that is the same from all
    sides, as a ball. What it loses against the flow is dissipated, what the flow carries is input.

    Arguments: `density` ϱ of the fluid [kg/m³]; `square` c₂ [–], that of a plate across the flow, by its area: 2 in
    thin air by Newton's law; `linear` c₁ [–], of lift; `skin` c₀ [–]; `wind` (3,) [m/s], the velocity of the flow.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> sail = m.add_body("sail", mass=2.0, inertia=(1, 1, 1))
    >>> sail.move((0, 0, 10.0))
    >>> air = m.drag(sail.frame, 4.0, density=0.5)
    >>> round(float(fm.simulate(m, 1.0)["sail.vz"][-1]), 4)  # 10/(1 + 10 ½ ϱ A c₂ t/m)
    0.9091
    """

    density: float = 1.2
    linear: float = 0.0
    square: float = 2.0
    skin: float = 0.0
    wind: Any = (0.0, 0.0, 0.0)

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "density", "linear", "square", "skin")
        self.wind = checks.vector(self.wind, "wind", self.where, 3)
        if self.frame.model.gravity.is_central:
            raise ModelError(
                f"{self.where}: it reads speeds against the origin of the model, which is in orbit, and not against "
                "the air there; leave it out, or give a python_force that knows gravity.origin(t)"
            )

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        """The drag of the skin knows no direction of the plate, and acts at the origin of its frame."""
        skin = self.linear == 0.0 and self.square == 0.0
        return super().twists(node, axis) and not (skin and not self.frame.node.is_lever(self.frame.offset, axis))

    def assemble(self, assembly: Assembler) -> None:
        half = 0.5 * self.density * self.area
        p = np.array([*self.head(self.wind), half, self.skin, self.linear, self.square])
        assembly.instance(self, DRAG, assembly.node(self.frame.node), p)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        place, n = self.normal(solution)
        track: Any = solution.track(self.frame.name)
        u = track.velocity - self.wind
        speed, across = np.linalg.norm(u, axis=1), np.sum(u * n, axis=1)
        along_n = (self.linear * speed + self.square * np.abs(across)) * across
        force = along_n[:, None] * n + self.skin * speed[:, None] * u
        return [Load(place, -0.5 * self.density * self.area * force)]


@compiled
def flow_force(row, iq, iv, q, v):
    """The orientation of the body, Rᵀ (ṙ − wind), u and F in its axes."""
    orientation = quaternion_at(q, iq, 3)
    carried = turned_back(orientation, minus(vector_at(v, iv, 0), vector_in(row, FIXED)))
    u = plus(carried, cross(vector_at(v, iv, 3), vector_in(row, ARM)))
    n = vector_in(row, NORMAL)
    speed, across = math.sqrt(dot(u, u)), dot(u, n)
    along_n = (row[LINEAR] * speed + row[SQUARE] * abs(across)) * across
    F = times(-row[HALF], plus(times(along_n, n), times(row[SKIN] * speed, u)))
    return orientation, carried, u, F


@kernel
def flow_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, _, F = flow_force(p[i], iq[i], iv[i], q, v)
        put_force(out[i], orientation, vector_in(p[i], ARM), F)


@kernel
def flow_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        orientation, carried, u, F = flow_force(row, iq[i], iv[i], q, v)
        n = vector_in(row, NORMAL)
        speed, across = math.sqrt(dot(u, u)), dot(u, n)
        if speed == 0.0:
            continue  # F is of second order in u
        ahead = times(1.0 / speed, u)
        by_normal = row[LINEAR] * speed + 2.0 * row[SQUARE] * abs(across)
        linear = combined(by_normal, outer(n, n), row[LINEAR] * across, outer(n, ahead))
        skin = combined(row[SKIN] * speed, IDENTITY, row[SKIN] * speed, outer(ahead, ahead))
        by_speed = combined(-row[HALF], linear, -row[HALF], skin)
        add_tangent(K[i], w, orientation, vector_in(row, ARM), F, matrix_product(by_speed, tilde(carried)), by_speed)


@kernel
def flow_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, u, F = flow_force(p[i], iq[i], iv[i], q, v)
        out[i, 3] = -dot(F, u)
        out[i, 4] = dot(turned(orientation, F), vector_in(p[i], FIXED))


DRAG: Kernels = Kernels("drag of a plate", residual=flow_residual, tangent=flow_tangent, energy=flow_energy)


# -- in sunlight -----------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class SolarPressure(_Plate):
    """The pressure of sunlight on one side of a flat plate, that of its normal. The pressure is a strength: a function
    of time (eclipses), an input of linear models, a command of controllers. A plate does not shade another one.

    Arguments: `sun` (3,), the direction to the sun; `mirror` ϱ_s and `diffuse` ϱ_d [–], the parts of the light that are
    reflected, as by a mirror and in all directions; `pressure` p [N/m²], a number or a function of time, that of the
    sun at the distance of the earth when not given.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> sail = m.add_body("sail", mass=2.0, inertia=(1, 1, 1))
    >>> light = m.solar_pressure(sail.frame, 100.0, sun=(0, 0, 1), mirror=1.0)
    >>> float(fm.simulate(m, 1e4)["sail.vz"][-1].round(6))  # −2 p A t/m
    -4.56
    """

    sun: Any = (1.0, 0.0, 0.0)
    mirror: float = 0.0
    diffuse: float = 0.0
    pressure: TimeFunction | float = 4.56e-6
    strength = "pressure"
    strength_unit = "N/m²"

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "mirror", "diffuse")
        if self.mirror + self.diffuse > 1.0:
            raise ModelError(
                f"{self.where}: mirror and diffuse are {self.mirror:g} and {self.diffuse:g}; together at most 1 of the "
                "light is reflected"
            )
        self.sun = checks.vector(self.sun, "sun", self.where, 3)
        self.sun = self.sun / checks.positive(
            np.linalg.norm(self.sun), "length of the direction to the sun", self.where
        )
        self.pressure = self.function("pressure")

    def assemble(self, assembly: Assembler) -> None:
        before = [*self.head(self.sun), self.area, self.mirror, self.diffuse]
        p = np.array([*before, *assembly.strength(self).slot()])
        assembly.instance(self, SOLAR_PRESSURE, assembly.node(self.frame.node), p, strength=PRESSURE)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        place, n = self.normal(solution)
        c = np.maximum(n @ self.sun, 0.0)[:, None]
        light = (1.0 - self.mirror) * self.sun + 2.0 * (self.mirror * c + self.diffuse / 3.0) * n
        return [Load(place, -strength[:, None] * self.area * c * light)]


@compiled
def light_force(row, iq, q, t):
    """The orientation of the body, and in its axes s, n, c, and F for c ≥ 0."""
    orientation = quaternion_at(q, iq, 3)
    s = turned_back(orientation, vector_in(row, FIXED))
    n = vector_in(row, NORMAL)
    c = max(dot(n, s), 0.0)
    push = -strength_at(row, PRESSURE, t) * row[AREA] * c
    F = plus(times(push * (1.0 - row[MIRROR]), s), times(2.0 * push * (row[MIRROR] * c + row[DIFFUSE] / 3.0), n))
    return orientation, s, n, c, F


@kernel
def light_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, _, _, F = light_force(p[i], iq[i], q, t)
        put_force(out[i], orientation, vector_in(p[i], ARM), F)


@kernel
def light_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        orientation, s, n, c, F = light_force(row, iq[i], q, t)
        if c == 0.0:
            continue
        # with s changing by s × y:  ∂F/∂y = ∂F/∂s s̃
        absorbed = 1.0 - row[MIRROR]
        by_c = plus(times(absorbed, s), times(4.0 * row[MIRROR] * c + 2.0 / 3.0 * row[DIFFUSE], n))
        push = -strength_at(row, PRESSURE, t) * row[AREA]
        by_turn = matrix_product(combined(push, outer(by_c, n), push * c * absorbed, IDENTITY), tilde(s))
        nothing = combined(0.0, IDENTITY, 0.0, IDENTITY)
        add_tangent(K[i], w, orientation, vector_in(row, ARM), F, by_turn, nothing)


@kernel
def light_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        orientation, _, _, _, F = light_force(p[i], iq[i], q, t)
        speed = turned_back(orientation, vector_at(v, iv[i], 0))
        out[i, 4] = dot(F, plus(speed, cross(vector_at(v, iv[i], 3), vector_in(p[i], ARM))))


SOLAR_PRESSURE: Kernels = Kernels(
    "sunlight on a plate", residual=light_residual, tangent=light_tangent, energy=light_energy
)
