"""Force and torque on a frame, each a function of time."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.forces.frame_load import FrameLoad
from flexmb.forces.planar.place_load import put_place_load
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.kernels.slots import strength_at
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.checks import Vector
from flexmb.model.components import Assembler
from flexmb.model.frames import AXES, turned
from flexmb.model.functions.time_function import TimeFunction, as_function


@dataclass(eq=False)
class PointForce(FrameLoad):
    """A force on the origin of a frame.

        F = f(t) F₀, fixed in space, or f(t) A F₀ in the axes of the frame (`axes="body"`)

    Its power F·ṙ is input power, also that of a constant force, which has no potential energy here (weight is the
    model's `gravity`).

    At a place inside a beam, `rod.at(0.3)`, it acts on the beam's own coordinates, see
    :mod:`flexmb.forces.planar.place_load`.

    Arguments: `frame`; `force` F₀ (2,) [N]; `factor` f, a number or a function of time; `axes`: "ground" or
    "body".

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> m.point_force(body.frame, (0, -5), name="push").fixed_in_space
    True
    """

    force: Vector
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    axes: str = "ground"
    strength = "factor"

    def check(self) -> None:
        super().check()
        self.force = checks.vector(self.force, "force", self.where)
        checks.choice(self.axes, AXES, "axes", self.where)
        self.factor = as_function(self.factor, "factor", self.where)

    def assemble(self, assembly: Assembler) -> None:
        place, follower = self.place_on_beam(assembly), not self.fixed_in_space
        if place is not None:
            put_place_load(self, assembly, place, np.asarray(self.force), 0.0, follower)
            return
        own = [*self.frame.numbers, *self.force, float(follower), *assembly.strength(self).slot()]
        assembly.instance(self, POINT_FORCE, assembly.node(self.frame.node), np.array(own), strength=6)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        track = solution.track(self.frame.name)
        force = self.force if self.fixed_in_space else turned(np.asarray(self.force), track.angle)
        return [Load(track.position, strength[:, None] * force)]


@dataclass(eq=False)
class PointTorque(FrameLoad):
    """A torque M(t) on a frame; its power M θ̇ is input power.

    Arguments: `frame`; `torque` [Nm], a number or a function of time, positive counter-clockwise.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> m.point_torque(body.frame, 2.0).name
    'point_torque 1'
    """

    torque: TimeFunction | float
    strength = "torque"
    strength_unit = "Nm"

    def check(self) -> None:
        super().check()
        self.torque = as_function(self.torque, "torque", self.where)

    def assemble(self, assembly: Assembler) -> None:
        place = self.place_on_beam(assembly)
        if place is not None:
            put_place_load(self, assembly, place, np.zeros(2), 1.0, False)
            return
        _, turning = assembly.node(self.frame.node)
        assembly.instance(self, POINT_TORQUE, turning, assembly.strength(self).slot(), strength=0)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        return [Load(solution.track(self.frame.name).position, torques=strength)]


@compiled
def force_in_space(p, t, angle):
    """The force in space."""
    f = strength_at(p, 6, t)
    turn = angle + p[2] if p[5] != 0.0 else 0.0
    c = math.cos(turn)
    s = math.sin(turn)
    return f * (c * p[3] - s * p[4]), f * (s * p[3] + c * p[4])


@kernel
def force_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        angle = q[iq[i, 2]]
        ux, uy = frame_arm(p[i], 0, angle)
        fx, fy = force_in_space(p[i], t, angle)
        out[i, 0] = -fx
        out[i, 1] = -fy
        out[i, 2] = uy * fx - ux * fy


@kernel
def force_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        angle = q[iq[i, 2]]
        fx, fy = force_in_space(p[i], t, angle)
        if p[i, 5] != 0.0:  # the force turns with its arm, so its moment is constant
            K[i, 0, 2] += w[2] * fy
            K[i, 1, 2] -= w[2] * fx
        else:
            ux, uy = frame_arm(p[i], 0, angle)
            K[i, 2, 2] += w[2] * (ux * fx + uy * fy)


@kernel
def force_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        angle = q[iq[i, 2]]
        om = v[iv[i, 2]]
        ux, uy = frame_arm(p[i], 0, angle)
        fx, fy = force_in_space(p[i], t, angle)
        out[i, 4] = fx * (v[iv[i, 0]] - om * uy) + fy * (v[iv[i, 1]] + om * ux)


@kernel
def torque_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = -strength_at(p[i], 0, t)


@kernel
def torque_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """A given torque depends on no coordinate."""


@kernel
def torque_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 4] = strength_at(p[i], 0, t) * v[iv[i, 0]]


POINT_FORCE = Kernels("point force", residual=force_residual, tangent=force_tangent, energy=force_energy)
POINT_TORQUE = Kernels("point torque", residual=torque_residual, tangent=torque_tangent, energy=torque_energy)
