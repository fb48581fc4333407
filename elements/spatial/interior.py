"""The weld of a frame of space to a place inside an element (:mod:`flexmb.elements.interior`).

The place is r(s), with axes b₁, b₂, b₃. A frame is fastened to a node (R, A) with the arm u and axes a₁, a₂, a₃. Six
constraints weld it to the place:

    g = (R + A u − r,  a₂·b₃,  a₃·b₁,  a₁·b₂)

With the angular velocities ω of the node and Ω of the place, and c = a × b of each of the last three rows:

    ġ = (ω − Ω)·c,    g̈ = (ω̇ − Ω̇)·c + (ω − Ω)·((ω × a) × b + a × (Ω × b))

A place that has the direction b₁ of its axis alone, and lets what is welded to it spin about that, has the two rows
(a₂·b₁, a₃·b₁) in place of the last three.

So G is (I, −A ũ; 0, cᵀ A) on the node, whose ω is in its own axes, and −J, −cᵀ J_ω on the element. The multipliers
λ, μ are the force −λ and the moment −Σ μ c on the element, in axes of the ground; and if the place turns by θ and the
node by y in its own axes, with â = Aᵀ a, b̂ = Aᵀ b and λ̂ = Aᵀ λ:

    δ(−Σ μ c) = Σ μ (ã b̃ θ − b̃ ã A y)
    δ(u × λ̂ + Σ μ â × b̂) = (ũ λ̂~ + Σ μ â~ b̂~) y − Σ μ â~ b̂~ Aᵀ θ         the moment on the node
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.elements.interior import Interior, force_at, jacobian_of, place_of
from flexmb.kernels import rotations
from flexmb.kernels.compilation import allocation_free, compiled
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import (
    inverse,
    product,
    quaternion_at,
    quaternion_in,
    rotation_matrix,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import (
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.kernels.widths import CONSTRAINT_WIDTH
from flexmb.kernels.widths import SPATIAL_POINT_ROWS as ROWS
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH as WIDTH

WELD_ROWS: list[tuple[str, str]] = [
    *((what, "length") for what in "xyz"),
    *((f"turn {what}", "angle") for what in "xyz"),
]
SPINNING_WELD_ROWS = [*WELD_ROWS[:3], *((f"turn {what}", "angle") for what in "zy")]
#: numbers of a node in q and in v, and of the parameters behind those of the element: the arm (3), the axes (4)
NODE_Q, NODE_V, ARM_AND_AXES = 7, 6, 7


def weld_parameters(place: Interior, point: Any) -> np.ndarray:
    """The parameters of the weld of a point of a beam."""
    axes = rotations.product(rotations.inverse(tuple(point.node.orientation)), tuple(point.beam.axes_at(point.s)))
    return np.concatenate([place.parameters, point.offset, axes])


@compiled
def _column(A, k):
    """A column of a matrix."""
    return A[k], A[3 + k], A[6 + k]


@compiled
def _paired(k, turns):
    """Which axis of the node must stay across which of the place, in one of three rows of direction, or of two."""
    return (k + 1) % 3, (k + 2) % 3 if turns == 3 else 0


@compiled
def _moved(w, at):
    """A vector of a point, from w[at] on."""
    return w[at], w[at + 1], w[at + 2]


@allocation_free
def weld_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq = iq.shape[1] - NODE_Q
    nv = iv.shape[1] - NODE_V
    own = p.shape[1] - ARM_AND_AXES
    rows = out.shape[1] // CONSTRAINT_WIDTH
    turns = rows - 3
    for i in range(p.shape[0]):
        place_of(WIDTH, nq, nv, p, i, iq, iv, t, q, v, a, work)  # without accelerations: `a` is zero
        answer = out[i]
        axes = quaternion_at(q, iq[i], nq + 3)
        arm = vector_in(p[i], own)
        spin = vector_at(v, iv[i], nv + 3)
        moving = cross(spin, arm)
        gap = minus(plus(vector_at(q, iq[i], nq), turned(axes, arm)), _moved(work, 0))
        speed = minus(plus(vector_at(v, iv[i], nv), turned(axes, moving)), _moved(work, 7))
        put(answer, 0, gap)
        put(answer, rows, speed)
        put(answer, 2 * rows, minus(_moved(work, 13), turned(axes, cross(spin, moving))))
        N = rotation_matrix(product(axes, quaternion_in(p[i], own + 3)))
        P = rotation_matrix((work[3], work[4], work[5], work[6]))
        on_node = turned(axes, spin)
        on_place = _moved(work, 10)
        against = minus(on_node, on_place)
        for k in range(turns):
            own_axis, its_axis = _paired(k, turns)
            first, second = _column(N, own_axis), _column(P, its_axis)
            c = cross(first, second)
            change = plus(cross(cross(on_node, first), second), cross(first, cross(on_place, second)))
            answer[3 + k] = dot(first, second)
            answer[rows + 3 + k] = dot(against, c)
            answer[2 * rows + 3 + k] = dot(_moved(work, 16), c) - dot(against, change)


@allocation_free
def weld_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq = iq.shape[1] - NODE_Q
    n = iv.shape[1] - NODE_V
    nv = iv.shape[1]
    own = p.shape[1] - ARM_AND_AXES
    turns = out.shape[1] // nv - 3
    for i in range(p.shape[0]):
        place_of(WIDTH, nq, n, p, i, iq, iv, t, q, v, a, work)
        row = out[i]
        axes = quaternion_at(q, iq[i], nq + 3)
        A = rotation_matrix(axes)
        back = inverse(axes)
        arm = vector_in(p[i], own)
        N = rotation_matrix(product(axes, quaternion_in(p[i], own + 3)))
        P = rotation_matrix((work[3], work[4], work[5], work[6]))
        force = force_at(WIDTH, p, i)
        moment = (0.0, 0.0, 0.0)
        by_place = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # Σ μ ã b̃
        by_node = by_place  # Σ μ â~ b̂~
        for k in range(turns):
            own_axis, its_axis = _paired(k, turns)
            first, second = _column(N, own_axis), _column(P, its_axis)
            moment = plus(moment, times(-lam[i, 3 + k], cross(first, second)))
            by_place = combined(1.0, by_place, lam[i, 3 + k], tilde_product(first, second))
            inward = tilde_product(turned(back, first), turned(back, second))
            by_node = combined(1.0, by_node, lam[i, 3 + k], inward)
        put(work, force, times(-1.0, vector_in(lam[i], 0)))
        put(work, force + 3, moment)
        J, own_K = jacobian_of(WIDTH, ROWS, nq, n, p, i, iq, iv, t, q, v, a, w[2], work)
        lever = matrix_product(A, tilde(arm))
        for k in range(3):
            for j in range(n):
                row[k * nv + j] = -work[J + k * n + j]
            row[k * nv + n + k] = 1.0
            for j in range(3):
                row[k * nv + n + 3 + j] = -lever[3 * k + j]
        for k in range(turns):
            own_axis, its_axis = _paired(k, turns)
            first, second = _column(N, own_axis), _column(P, its_axis)
            c = cross(first, second)
            for j in range(n):
                turning = c[0] * work[J + 3 * n + j] + c[1] * work[J + 4 * n + j] + c[2] * work[J + 5 * n + j]
                row[(3 + k) * nv + j] = -turning
            put(row, (3 + k) * nv + n + 3, turned_back(axes, c))
        if w[2] == 0.0:
            continue
        block = K[i]
        inward = turned(back, vector_in(lam[i], 0))
        add_block(block, n + 3, n + 3, w[2], combined(1.0, tilde_product(arm, inward), 1.0, by_node))
        node_on_place = matrix_product(transposed(by_place), A)
        place_on_node = matrix_product(by_node, transposed(A))
        for j in range(n):
            turn = (work[J + 3 * n + j], work[J + 4 * n + j], work[J + 5 * n + j])
            x = applied(by_place, turn)
            y = applied(place_on_node, turn)
            z = applied(transposed(node_on_place), turn)
            for k in range(n):
                across = x[0] * work[J + 3 * n + k] + x[1] * work[J + 4 * n + k] + x[2] * work[J + 5 * n + k]
                block[k, j] += work[own_K + k * n + j] + w[2] * across
            for k in range(3):
                block[n + 3 + k, j] -= w[2] * y[k]
                block[j, n + 3 + k] -= w[2] * z[k]


WELD: Kernels = Kernels("weld to an element in space", constraint=weld_constraint, jacobian=weld_jacobian)
SPINNING_WELD = Kernels("weld to the axis of an element in space", constraint=weld_constraint, jacobian=weld_jacobian)
