"""Places inside elements: the one weld of a frame to any element, and what loads at such a place share with it.

Every element with the kernels `point` and `point_jacobian` has places: r(s), with the angle ψ(s). Three constraints
weld a frame (R, Θ), fastened with the arm A(Θ) u and the angle φ, to a place:

    g = (R + A(Θ) u − r,  Θ + φ − ψ)      the last one without whole turns, which not every theory counts
    G = (I, A u⊥; 1) on the frame's node, −J on the element,    γ = (θ̇² A u, 0) + J̇ v

J and J̇ v, the second rates of the place without accelerations, come from the element's own kernels, which are called by
their addresses. So an instance stands on the coordinates of the element, then on those of the node, and has in its row
of parameters: the two addresses, what the point kernel takes for the place, the row of the element, and then its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.contract import Kernels, checked_address, run_kernel
from flexmb.kernels.geometry import frame_arm
from flexmb.kernels.views import matrix_view, stack_view, vector_view
from flexmb.kernels.widths import POINT_ROWS as ROWS
from flexmb.kernels.widths import POINT_WIDTH

# places of the parameters: addresses of point and point_jacobian, how many numbers the place and the element have
POINT, JACOBIAN, DATA, OWN, HEAD = range(5)

WELD_ROWS = [("x", "length"), ("y", "length"), ("angle", "angle")]


class Interior(NamedTuple):
    """A place of an element as its welds and loads see it: coordinates of the element, the parameters with which
    each of their instances begins, and how much scratch space they need."""

    coordinates: Numbers
    parameters: np.ndarray
    work: int


def interior(
    kernels: Kernels, coordinates: Numbers, parameters: np.ndarray, work: int, data: np.ndarray, where: str
) -> Interior:
    """The place with the `data` of the point kernel, in an element with these coordinates, parameters and scratch."""
    n = len(coordinates.v)
    addresses = [checked_address(kernels, role, where) for role in ("point", "point_jacobian")]
    head = [*addresses, len(data), len(parameters)]
    room = POINT_WIDTH + len(data) + 1 + ROWS + ROWS * n + n * n + work
    return Interior(coordinates, np.concatenate([head, data, parameters]), room)


def places_are_known(kernels: Kernels | None) -> bool:
    """Whether an element of these kernels has places on which frames and loads can stand."""
    return kernels is not None and kernels.point is not None and kernels.point_jacobian is not None


# `work` holds: the point (9), data of the place and wk, force (3), J (3 nv), K (nv, nv), scratch of the element. There
# are `behind` coordinates behind those of the element.


@inlined
def place_of(p, i, behind, iq, iv, t, q, v, a, work):
    """Put the motion (9) of the place of an instance to the head of `work`."""
    data, own = int(p[i, DATA]), int(p[i, OWN])
    for k in range(POINT_WIDTH):
        work[k] = 0.0
    run_kernel(
        int(p[i, POINT]),
        matrix_view(p, i * p.shape[1] + HEAD + data, 1, own),
        matrix_view(iq, i * iq.shape[1], 1, iq.shape[1] - behind),
        matrix_view(iv, i * iv.shape[1], 1, iv.shape[1] - behind),
        t,
        q,
        v,
        a,
        matrix_view(work, 0, 1, 0),
        vector_view(p[i], HEAD, data),
        matrix_view(work, 0, 1, POINT_WIDTH),
        stack_view(work, 0, 0, 0, 0),
        vector_view(work, POINT_WIDTH, len(work) - POINT_WIDTH),
    )


@inlined
def jacobian_of(p, i, behind, iq, iv, t, q, v, a, fx, fy, moment, wk, work):
    """Put J and wk ∂(Jᵀf)/∂q of the place of an instance into `work`; returns where each begins."""
    data, own, n = int(p[i, DATA]), int(p[i, OWN]), iv.shape[1] - behind
    given = POINT_WIDTH
    force = given + data + 1
    at_J = force + ROWS
    at_K = at_J + ROWS * n
    end = at_K + n * n
    for k in range(data):
        work[given + k] = p[i, HEAD + k]
    work[given + data] = wk
    work[force] = fx
    work[force + 1] = fy
    work[force + 2] = moment
    for k in range(at_J, end if wk != 0.0 else at_K):
        work[k] = 0.0
    run_kernel(
        int(p[i, JACOBIAN]),
        matrix_view(p, i * p.shape[1] + HEAD + data, 1, own),
        matrix_view(iq, i * iq.shape[1], 1, iq.shape[1] - behind),
        matrix_view(iv, i * iv.shape[1], 1, n),
        t,
        q,
        v,
        a,
        matrix_view(work, force, 1, ROWS),
        vector_view(work, given, data + 1),
        matrix_view(work, at_J, 1, ROWS * n),
        stack_view(work, at_K, 1, n, n),
        vector_view(work, end, len(work) - end),
    )
    return at_J, at_K


# -- the weld: behind the coordinates of the element those of a node, behind its parameters the offset (3) on that node


def weld_parameters(place: Interior, offset: np.ndarray, angle: float) -> np.ndarray:
    """The parameters of a weld: `offset` (2,) of the place in the node's axes, `angle` of the place less the node's."""
    return np.concatenate([place.parameters, offset, [angle]])


@allocation_free
def weld_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iq.shape[1] - 3
    offset = p.shape[1] - 3
    for i in range(p.shape[0]):
        place_of(p, i, 3, iq, iv, t, q, v, a, work)  # without accelerations: `a` is zero
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
        at_J, at_K = jacobian_of(p, i, 3, iq, iv, t, q, v, a, -lam[i, 0], -lam[i, 1], -lam[i, 2], w[2], work)
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


WELD = Kernels("weld to an element", constraint=weld_constraint, jacobian=weld_jacobian)
