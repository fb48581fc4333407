"""A ball that rolls on the ground, and the joint of one that rolls on a turntable, whose rows are of speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmb as fm
from flexmb.joints.spatial.joint import SpatialJoint
from flexmb.kernels import Kernels, kernel
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import cross, vector_at
from flexmb.model.components import Assembler


def ball():
    """A ball of 0.5 m that rolls on the ground and carries a body on a pivot at its center."""
    m = fm.SpatialModel("ball", gravity=(0.5, 0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.1, 0.12), position=(0, 0, 0.5))
    two = m.add_body("two", mass=0.2, inertia=(0.01, 0.01, 0.01), position=(0, 0, 1.0))
    m.rolling_sphere(m.ground, one.frame, radius=0.5, name="roll")
    m.spherical(one.frame, two.attach("low", (0, 0, -0.5)), name="pivot")
    one.frame.move((0.5, 0, 0), (0, 1.0, 0))
    two.frame.move((0.9, 0, 0), (0, 0.8, 0.1))
    return m


#: of the ball [m], and rate of the table [rad/s]
RADIUS, TABLE = 0.3, 2.1


@dataclass(eq=False)
class Turntable(SpatialJoint):
    """Frame b is the center of a ball on a table that turns about the z-axis of the ground."""

    def assemble(self, assembly: Assembler) -> None:
        rows = [("x", "length", "velocity"), ("y", "length", "velocity"), ("z", "length")]
        assembly.instance(self, TURNTABLE, assembly.node(self.b.node), np.array([RADIUS, TABLE]), rows)


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        R, rate = p[i, 0], p[i, 1]
        x, y, z = vector_at(q, iq[i], 0)
        vx, vy, vz = vector_at(v, iv[i], 0)
        wx, wy, _ = turned(quaternion_at(q, iq[i], 3), vector_at(v, iv[i], 3))
        out[i, 2] = z - R
        out[i, 3] = vx - R * wy + rate * y
        out[i, 4] = vy + R * wx - rate * x
        out[i, 5] = vz
        out[i, 6] = -rate * vy
        out[i, 7] = rate * vx


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        R, rate = p[i, 0], p[i, 1]
        e = quaternion_at(q, iq[i], 3)
        omega = vector_at(v, iv[i], 3)
        across_x = turned_back(e, (0.0, -R, 0.0))  # the row of a velocity along x in ω, in the axes of the body
        across_y = turned_back(e, (R, 0.0, 0.0))
        out[i, 0] = out[i, 7] = out[i, 14] = 1.0
        # turned by δ, u·ω becomes u·ω + (u × δ)·… = u·ω + (ω × u)·δ for a u that is fixed in space
        slope_x, slope_y = cross(omega, across_x), cross(omega, across_y)
        for j in range(3):
            out[i, 3 + j] = across_x[j]
            out[i, 9 + j] = across_y[j]
            out[i, 18 + 3 + j] = slope_x[j]
            out[i, 24 + 3 + j] = slope_y[j]
        out[i, 18 + 1] = rate
        out[i, 24] = -rate
        mx = w[2] * (lam[i, 0] * across_x[0] + lam[i, 1] * across_y[0])
        my = w[2] * (lam[i, 0] * across_x[1] + lam[i, 1] * across_y[1])
        mz = w[2] * (lam[i, 0] * across_x[2] + lam[i, 1] * across_y[2])
        K[i, 3, 4] -= mz
        K[i, 3, 5] += my
        K[i, 4, 3] += mz
        K[i, 4, 5] -= mx
        K[i, 5, 3] -= my
        K[i, 5, 4] += mx


#: Two velocity rows and a position row on a node in space; parameters: radius, rate of the table.
TURNTABLE = Kernels("ball on a turntable", constraint=constraint, jacobian=jacobian)
