"""A torque in a joint of space that turns about any axis, about one of the joint's axes on frame a, with a damper.

    M = (τ(t) − c e · ω) e  on b,  −M  on a,      ω of b against a,  e fixed to a
    lost: c (e · ω)²,   input: τ e · ω

e · ω is the rate of no angle, so that there is no coordinate on which such a torque could act.
"""

from __future__ import annotations

from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import dot, vector_at, vector_in

#: parameters: e in the axes of the node of a, damping, the slot of the torque
DAMPING, TORQUE = 3, 4


@inlined
def _axis_and_rate(row, iq, iv, q, v):
    """e in the axes of the node of b, and e · ω. An instance stands on the orientations of b and a."""
    on_b = turned_back(quaternion_at(q, iq, 0), turned(quaternion_at(q, iq, 4), vector_in(row, 0)))
    return on_b, dot(on_b, vector_at(v, iv, 0)) - dot(vector_in(row, 0), vector_at(v, iv, 3))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        e, rate = _axis_and_rate(p[i], iq[i], iv[i], q, v)
        torque = strength_at(p[i], TORQUE, t) - p[i, DAMPING] * rate
        out[i, 0] = -torque * e[0]
        out[i, 1] = -torque * e[1]
        out[i, 2] = -torque * e[2]
        for k in range(3):
            out[i, 3 + k] = torque * p[i, k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _, rate = _axis_and_rate(p[i], iq[i], iv[i], q, v)
        out[i, 3] = p[i, DAMPING] * rate * rate
        out[i, 4] = strength_at(p[i], TORQUE, t) * rate


JOINT_TORQUE: Kernels = Kernels("torque about an axis of a joint", residual=residual, energy=energy)
