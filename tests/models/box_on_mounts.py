"""Mechanisms in space for tests of analyses, with a load of known power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned_back
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import cross, dot, vector_in
from flexmb.model.components import Assembler, Component
from flexmb.model.functions.time_function import as_function
from flexmb.spatial import SpatialModel


@dataclass(eq=False)
class Wrench(Component):
    """A force and a moment on a frame: f(t) F₀ along axes of the ground, f(t) M₀ about axes of the ground, or of the
    body (`follower`)."""

    frame: Any
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)
    factor: Any = 1.0
    follower: bool = False
    strength = "factor"
    dimension = 3
    external = True
    kind = "load"

    def frames(self) -> list:
        return [self.frame]

    def check(self) -> None:
        self.factor = as_function(self.factor, "factor", self.where)

    def assemble(self, assembly: Assembler) -> None:
        own = [*self.frame.offset, *self.force, *self.moment, float(self.follower), *assembly.strength(self).slot()]
        assembly.instance(self, WRENCH, assembly.node(self.frame.node), np.array(own), strength=10)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = strength_at(p[i], 10, t)
        e = quaternion_at(q, iq[i], 3)
        moment = vector_in(p[i], 6) if p[i, 9] != 0.0 else turned_back(e, vector_in(p[i], 6))
        arm = cross(vector_in(p[i], 0), turned_back(e, vector_in(p[i], 3)))
        for k in range(3):
            out[i, k] = -f * p[i, 3 + k]
            out[i, 3 + k] = -f * (arm[k] + moment[k])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        e = quaternion_at(q, iq[i], 3)
        moment = vector_in(p[i], 6) if p[i, 9] != 0.0 else turned_back(e, vector_in(p[i], 6))
        arm = cross(vector_in(p[i], 0), turned_back(e, vector_in(p[i], 3)))
        spin = (v[iv[i, 3]], v[iv[i, 4]], v[iv[i, 5]])
        power = dot(arm, spin) + dot(moment, spin)
        for k in range(3):
            power += p[i, 3 + k] * v[iv[i, k]]
        out[i, 4] = strength_at(p[i], 10, t) * power


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f = w[2] * strength_at(p[i], 10, t)
        e = quaternion_at(q, iq[i], 3)
        force = turned_back(e, vector_in(p[i], 3))
        moment = turned_back(e, vector_in(p[i], 6))
        for k in range(3):
            unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            turned_arm = cross(vector_in(p[i], 0), cross(force, unit))
            turned_moment = cross(moment, unit)
            for j in range(3):
                K[i, 3 + j, 3 + k] -= f * turned_arm[j]
                if p[i, 9] == 0.0:
                    K[i, 3 + j, 3 + k] -= f * turned_moment[j]


WRENCH = Kernels("force and moment in space", residual=residual, tangent=tangent, energy=energy)

#: where mounts of the box sit, in its own axes [m], and their stiffness [N/m]
MOUNTS = {"a": ((0.5, 0.3, -0.2), (900.0, 1100.0, 1500.0)), "b": ((-0.4, 0.35, -0.2), (800.0, 1000.0, 1200.0)),
          "c": ((0.1, -0.4, -0.25), (1000.0, 900.0, 1400.0))}  # fmt: skip
MASS, INERTIA = 12.0, np.array([0.5, 0.8, 1.1])
TURN = Rotation.from_rotvec([0.3, -0.5, 0.8])


def box(gravity=(0.0, 0.0, 0.0), damping: float = 0.0) -> SpatialModel:
    """A box on three mounts, each with springs along the axes of the ground, relaxed where the box is drawn."""
    model = SpatialModel("box", gravity=gravity)
    body = model.add_body("box", mass=MASS, inertia=INERTIA, position=(0.2, -0.1, 0.4), orientation=TURN)
    for name, (arm, stiffness) in MOUNTS.items():
        place = body.frame.position + TURN.apply(arm)
        seat = model.add_frame(f"seat {name}", place, fixed=True)
        springs = (*stiffness, 0.0, 0.0, 0.0)
        dampers = tuple(damping * k for k in springs)
        model.bushing(seat, body.frame.attach(name, arm, TURN.inv()), stiffness=springs, damping=dampers)
    return model


def jacobian(arm) -> np.ndarray:
    """J (3, 6) of the point of the box at `arm`, against (ṙ, ω in its own axes)."""
    return np.hstack([np.eye(3), TURN.as_matrix() @ np.cross(np.eye(3), arm).T])
