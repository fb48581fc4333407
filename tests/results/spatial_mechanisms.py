"""Small mechanisms in space for the tests of results, and motions that are known exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY, SpatialBody
from flexmb.kernels import kernel
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import cross, vector_at
from flexmb.model.appearance import BeamPlace
from flexmb.spatial import SpatialModel


def top(spin=40.0):
    """A heavy top, tilted by 0.4 rad, whose tip rests in a socket at the origin of the ground."""
    m = SpatialModel("top", gravity=(0, 0, -9.81))
    tilt = Rotation.from_rotvec([0.4, 0.0, 0.0])
    body = m.add_body("top", mass=2.0, inertia=(0.03, 0.03, 0.01), position=tilt.apply([0, 0, 0.3]), orientation=tilt)
    m.spherical(m.ground, body.attach("tip", (0, 0, -0.3)), name="socket")
    axis = tilt.apply([0.0, 0.0, 1.0])
    body.move(np.cross(spin * axis, tilt.apply([0, 0, 0.3])), spin * axis)
    return m


def arm(drive=True):
    """Two bodies: one turns about the vertical as it is driven, the other swings on a hinge at its tip."""
    m = SpatialModel("arm", gravity=(0, 0, -9.81))
    column = m.add_body("column", mass=3.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0))
    bob = m.add_body("bob", mass=1.0, inertia=(0.05, 0.02, 0.06), position=(1.0, 0, -0.4))
    m.revolute(m.ground, column.attach("root", (-0.5, 0, 0)), name="bearing")
    m.revolute(
        column.attach("tip", (0.5, 0, 0)), bob.attach("eye", (0, 0, 0.4), Rotation.from_rotvec([0, 0.3, 0])), axis="x",
        name="hinge",
    )  # fmt: skip
    if drive:
        m.drive_angle(m.ground, m.frames["column.root"], lambda_of_time(), name="drive")
    return m


def lambda_of_time():
    """An angle that grows smoothly from rest."""
    import flexmb as fm

    return fm.Harmonic(amplitude=0.8, frequency=2.0)


def precession(t, rate=3.0, spin=-7.0, tilt=0.5):
    """Steady precession: quaternions (k, 4), scalar first and without jumps, and angular velocities (k, 3) in the
    body's axes, exactly.

    q = exp(Ω t e_z) ∘ exp(θ e_x) ∘ exp(s t e_z),  ω = s e_z + Ω (sin θ sin st, sin θ cos st, cos θ)
    """
    t = np.asarray(t, dtype=float)
    zero = np.zeros_like(t)
    outer = np.stack([np.cos(0.5 * rate * t), zero, zero, np.sin(0.5 * rate * t)], axis=1)
    inner = np.stack([np.cos(0.5 * spin * t), zero, zero, np.sin(0.5 * spin * t)], axis=1)
    lean = np.tile([np.cos(0.5 * tilt), np.sin(0.5 * tilt), 0.0, 0.0], (len(t), 1))
    s, c = np.sin(tilt), np.cos(tilt)
    omega = np.stack([rate * s * np.sin(spin * t), rate * s * np.cos(spin * t), spin + rate * c + zero], axis=1)
    return hamilton(hamilton(outer, lean), inner), omega


def hamilton(p, q):
    """The product of quaternions, written out."""
    a, b = p.T, q.T
    return np.stack(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ],
        axis=1,
    )


@kernel
def rod_point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        e = quaternion_at(q, iq[i], 3)
        arm = turned(e, (w[0] - 0.5, 0.0, 0.0))
        om, al = turned(e, vector_at(v, iv[i], 3)), turned(e, vector_at(a, iv[i], 3))
        speed = cross(om, arm)
        turning, falling = cross(al, arm), cross(om, speed)
        for k in range(3):
            out[i, k] = q[iq[i, k]] + arm[k]
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
class RigidRod(SpatialBody):
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
