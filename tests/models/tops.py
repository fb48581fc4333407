"""A heavy top, and the steady precession of one, which is known exactly."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

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
