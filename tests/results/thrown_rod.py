"""A rigid rod that is thrown, whose points and section forces can be asked for as those of a beam."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY, RigidBody
from flexmb.kernels import kernel
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import cross, vector_at
from flexmb.model.appearance import BeamPlace
from flexmb.spatial import SpatialModel


@kernel
def rod_point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        e = quaternion_at(q, iq[i], 3)
        driven_arm = turned(e, (w[0] - 0.5, 0.0, 0.0))
        om, al = turned(e, vector_at(v, iv[i], 3)), turned(e, vector_at(a, iv[i], 3))
        speed = cross(om, driven_arm)
        turning, falling = cross(al, driven_arm), cross(om, speed)
        for k in range(3):
            out[i, k] = q[iq[i, k]] + driven_arm[k]
            out[i, 7 + k] = v[iv[i, k]] + speed[k]
            out[i, 10 + k] = om[k]
            out[i, 13 + k] = a[iv[i, k]] + turning[k] + falling[k]
            out[i, 16 + k] = al[k]
        for k in range(4):
            out[i, 3 + k] = e[k]


@kernel
def rod_section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for k in range(12):
            out[i, k] = 100.0 * w[0] + k


@dataclass(eq=False)
class RigidRod(RigidBody):
    """A rigid body with a length of 1 m along its x axis, whose points can be asked for as those of a beam."""

    kind = "beam"

    def place(self):
        return BeamPlace(1, 1.0)

    def assemble(self, assembly):
        J = self.tensor()
        p = np.array([*assembly.gravity.tolist(), self.mass, *J.diagonal().tolist(), 0.0, 0.0, 0.0])
        assembly.instance(self, ROD, assembly.node(self.frame.node), p)


ROD = replace(SPATIAL_RIGID_BODY, name="rigid rod", point=rod_point, section=rod_section)


def thrown_rod():
    """A rod that is thrown and tumbles."""
    m = SpatialModel("thrown", gravity=(0, 0, -9.81))
    frame = m.add_frame("rod", (0, 0, 1))
    rod = m.add(RigidRod("rod", frame, 1.0, (0.03, 0.05, 0.07)))
    rod.attach("quarter", (-0.25, 0, 0))
    rod.move((1.0, 2.0, 3.0), (0.5, 9.0, 1.0))
    return m
