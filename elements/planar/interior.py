"""The weld of a frame of the plane to a place inside an element (:mod:`flexmb.elements.interior`).

The place is r(s), with the angle ψ(s). Three constraints weld a frame (R, Θ), fastened with the arm A(Θ) u and the
angle φ, to it:

    g = (R + A(Θ) u − r,  Θ + φ − ψ)      the last one without whole turns, which not every theory counts
    G = (I, A u⊥; 1) on the frame's node, −J on the element,    γ = (θ̇² A u, 0) + J̇ v

J and J̇ v, the second rates of the place without accelerations, come from the element's own kernels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.elements.interior import Interior, force_at, jacobian_of, place_of
from flexmb.kernels.compilation import allocation_free
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.kernels.widths import POINT_ROWS as ROWS
from flexmb.kernels.widths import POINT_WIDTH as WIDTH

WELD_ROWS: list[tuple[str, str]] = [("x", "length"), ("y", "length"), ("angle", "angle")]

# behind the coordinates of the element those of a node, behind its parameters the offset (3) on that node


def weld_parameters(place: Interior, point: Any) -> np.ndarray:
    """The parameters of the weld of a point of a beam."""
    return np.concatenate([place.parameters, point.offset, [point.beam.direction - point.node.angle]])


@allocation_free
def weld_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iq.shape[1] - 3
    offset = p.shape[1] - 3
    for i in range(p.shape[0]):
        place_of(WIDTH, n, n, p, i, iq, iv, t, q, v, a, work)  # without accelerations: `a` is zero
        angle = q[iq[i, n + 2]]
        om = v[iv[i, n + 2]]
        ux, uy = frame_arm(p[i], offset, angle)
        turn = angle + p[i, offset + 2] - work[2]
        out[i, 0] = q[iq[i, n]] + ux - work[0]
        out[i, 1] = q[iq[i, n + 1]] + uy - work[1]
        out[i, 2] = turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
        out[i, 3] = v[iv[i, n]] - om * uy - work[3]
        out[i, 4] = v[iv[i, n + 1]] + om * ux - work[4]
        out[i, 5] = om - work[5]
        out[i, 6] = om * om * ux + work[6]
        out[i, 7] = om * om * uy + work[7]
        out[i, 8] = work[8]


@allocation_free
def weld_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nv = iv.shape[1]
    n = nv - 3
    for i in range(p.shape[0]):
        force = force_at(WIDTH, p, i)
        for k in range(ROWS):
            work[force + k] = -lam[i, k]
        at_J, at_K = jacobian_of(WIDTH, ROWS, n, n, p, i, iq, iv, t, q, v, a, w[2], work)
        ux, uy = frame_arm(p[i], p.shape[1] - 3, q[iq[i, iq.shape[1] - 1]])
        for k in range(n):
            out[i, k] = -work[at_J + k]
            out[i, nv + k] = -work[at_J + n + k]
            out[i, 2 * nv + k] = -work[at_J + 2 * n + k]
        out[i, n] = 1.0
        out[i, n + 2] = -uy
        out[i, nv + n + 1] = 1.0
        out[i, nv + n + 2] = ux
        out[i, 2 * nv + n + 2] = 1.0
        if w[2] != 0.0:
            for j in range(n):
                for k in range(n):
                    K[i, j, k] += work[at_K + j * n + k]
            K[i, n + 2, n + 2] -= w[2] * (lam[i, 0] * ux + lam[i, 1] * uy)


WELD: Kernels = Kernels("weld to an element", constraint=weld_constraint, jacobian=weld_jacobian)
