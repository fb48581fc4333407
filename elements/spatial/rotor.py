"""A rotor on a body in space, with its angle φ against that body as a coordinate: of wheels and of motors.

It turns about the unit vector e, which is fixed to the body. With its inertia J about that axis, and ω of the body in
the axes of the body, its angular momentum about the axis is h = J (e·ω + φ̇), and

    T = ½ J (e·ω + φ̇)²,   lost: d φ̇²,   input: τ φ̇
    on the body:  ḣ e + ω × h e,      on φ:  ḣ + d φ̇ − τ

The second term on the body is the gyroscopic moment. What the rotor is across its axis, and its mass, belong elsewhere.
"""

from __future__ import annotations

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import add_block, combined, cross, dot, outer, plus, put, tilde, times, vector_at, vector_in

#: parameters: the axis e (3) in the axes of the body, J, d, then the slot of the torque
AXIS, INERTIA, FRICTION = 0, 3, 4
TORQUE: int = 5


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        answer = out[i]
        J = row[INERTIA]
        axis = vector_in(row, AXIS)
        omega = vector_at(v, at_v, 0)
        faster = J * (dot(axis, vector_at(a, at_v, 0)) + a[at_v[3]])
        spin = J * (dot(axis, omega) + v[at_v[3]])
        put(answer, 0, plus(times(faster, axis), times(spin, cross(omega, axis))))
        answer[3] = faster + row[FRICTION] * v[at_v[3]] - strength_at(row, TORQUE, t)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        block = K[i]
        J = row[INERTIA]
        axis = vector_in(row, AXIS)
        omega = vector_at(v, at_v, 0)
        across = cross(omega, axis)
        spin = J * (dot(axis, omega) + v[at_v[3]])
        by_omega = combined(-spin, tilde(axis), J, outer(across, axis))
        add_block(block, 0, 0, 1.0, combined(w[0] * J, outer(axis, axis), w[1], by_omega))
        for k in range(3):
            block[k, 3] += J * (w[0] * axis[k] + w[1] * across[k])
            block[3, k] += w[0] * J * axis[k]
        block[3, 3] += w[0] * J + w[1] * row[FRICTION]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        rate = v[at_v[3]]
        spin = dot(vector_in(row, AXIS), vector_at(v, at_v, 0)) + rate
        out[i, 0] = 0.5 * row[INERTIA] * spin * spin
        out[i, 3] = row[FRICTION] * rate * rate
        out[i, 4] = strength_at(row, TORQUE, t) * rate


#: On the orientation of a body (4 numbers, 3 speeds) and φ.
ROTOR: Kernels = Kernels("rotor in space", residual=residual, tangent=tangent, energy=energy, reacts=True)
