"""A rotor on a frame of the plane, with its angle φ against that frame as a coordinate: of motors.

Its axis is normal to the plane, so that it turns at θ̇_a + φ̇. With its inertia J, friction d and torque τ

    T = ½ J (θ̇_a + φ̇)²,   lost: d φ̇²,   input: τ φ̇
    θ_a:  J (φ̈ + θ̈_a),    φ:  J (φ̈ + θ̈_a) + d φ̇ − τ
"""

from __future__ import annotations

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        spin = p[i, 0] * (a[iv[i, 1]] + a[iv[i, 0]])
        out[i, 0] = spin
        out[i, 1] = spin + p[i, 1] * v[iv[i, 1]] - strength_at(p[i], 2, t)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m = w[0] * p[i, 0]
        K[i, 0, 0] += m
        K[i, 0, 1] += m
        K[i, 1, 0] += m
        K[i, 1, 1] += m + w[1] * p[i, 1]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        rate = v[iv[i, 1]]
        spin = rate + v[iv[i, 0]]
        out[i, 0] = 0.5 * p[i, 0] * spin * spin
        out[i, 3] = p[i, 1] * rate * rate
        out[i, 4] = strength_at(p[i], 2, t) * rate


#: On θ_a and φ; parameters: J, d, the slot of the torque.
ROTOR: Kernels = Kernels("rotor", residual=residual, tangent=tangent, energy=energy, reacts=True)
