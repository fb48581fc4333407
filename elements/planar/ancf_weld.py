"""A frame on a node of an ANCF cable.

Three constraints weld a frame to the node: the places agree, and the angle ψ of the slope is that of the frame,

    g = (r − R − A(Θ)u,  ψ − Θ − φ),    ψ = angle of r'

whose last multiplier is the bending moment. The stretch |r'| stays free.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm

# coordinates: x, y, x', y' of the ANCF node, then X, Y, Θ of the frame's node; parameters: offset, angle

WELD_ROWS = [("x", "length"), ("y", "length"), ("angle", "angle")]


@kernel
def weld_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ux, uy = frame_arm(p[i], 0, q[iq[i, 6]])
        rx = q[iq[i, 2]]
        ry = q[iq[i, 3]]
        vx = v[iv[i, 2]]
        vy = v[iv[i, 3]]
        om = v[iv[i, 6]]
        i2 = 1.0 / (rx * rx + ry * ry)
        co = math.cos(q[iq[i, 6]] + p[i, 2])
        si = math.sin(q[iq[i, 6]] + p[i, 2])
        turn = (rx * vy - ry * vx) * i2
        out[i, 0] = q[iq[i, 0]] - q[iq[i, 4]] - ux
        out[i, 1] = q[iq[i, 1]] - q[iq[i, 5]] - uy
        out[i, 2] = math.atan2(co * ry - si * rx, co * rx + si * ry)
        out[i, 3] = v[iv[i, 0]] - v[iv[i, 4]] + om * uy
        out[i, 4] = v[iv[i, 1]] - v[iv[i, 5]] - om * ux
        out[i, 5] = turn - om
        out[i, 6] = -om * om * ux
        out[i, 7] = -om * om * uy
        out[i, 8] = 2.0 * turn * (rx * vx + ry * vy) * i2


@kernel
def weld_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ux, uy = frame_arm(p[i], 0, q[iq[i, 6]])
        rx = q[iq[i, 2]]
        ry = q[iq[i, 3]]
        i2 = 1.0 / (rx * rx + ry * ry)
        out[i, 0] = 1.0
        out[i, 4] = -1.0
        out[i, 6] = uy
        out[i, 8] = 1.0
        out[i, 12] = -1.0
        out[i, 13] = -ux
        out[i, 16] = -ry * i2
        out[i, 17] = rx * i2
        out[i, 20] = -1.0
        K[i, 6, 6] += w[2] * (lam[i, 0] * ux + lam[i, 1] * uy)
        twice = w[2] * lam[i, 2] * i2 * i2
        K[i, 2, 2] += 2.0 * twice * rx * ry
        K[i, 2, 3] += twice * (ry * ry - rx * rx)
        K[i, 3, 2] += twice * (ry * ry - rx * rx)
        K[i, 3, 3] -= 2.0 * twice * rx * ry


ANCF_WELD = Kernels("ANCF weld", constraint=weld_constraint, jacobian=weld_jacobian)
