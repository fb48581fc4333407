"""Distributed load on the exact beam in space.

The load does work on the cubic of the axis (:mod:`flexmb.elements.spatial.exact.places`), by Gauss points at η with the
forces F = q dx. With its shares and slopes a section axes of the nodes, as there, and A₁, A₂ of the nodes,

    forces (1 − n) F and n F on the nodes,   moments d × AᵀF in their own axes

A follower load turns with the sections, and these do not turn on as steadily as the helicoid does: the moment of an
element changes along it, and the curvature with it. Of the law (:mod:`flexmb.elements.spatial.exact.law`) η is L²/12
times the change of the strains, so that with ξ = η − ½ the section is turned by  ½ L² (ξ² − ¼) κ'  from the helicoid:

    F = Λ (q + w × q) dx,    w = 6 (ξ² − ¼) η₂

where w² is left out, which is as small as the error of the element. (Without w, which is in mean not zero, followers
converge with L² alone.) What remains of that order is small: by a load the shear strain changes along an element that
bends, of which its law does not know, L² κ q/(12 GA). With θ, the turn of the place by those of the nodes, F changes by
Λ (θ × (q + w × q) + δw × q) dx.
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.heat import power_of
from flexmb.elements.spatial.exact.helicoid import (
    LENGTH,
    SLOPES,
    TURN1,
    TURN2,
    curving,
    middle,
    straightened,
    strain_changes,
    turning,
)
from flexmb.elements.spatial.exact.law import change_of_curvature, stiffness_of_stresses, stresses
from flexmb.elements.spatial.exact.parameters import gauss_points, gauss_weights
from flexmb.elements.spatial.exact.places import shares, turns_of_place
from flexmb.kernels.compilation import called, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import (
    exp,
    inverse,
    product,
    quaternion_at,
    quaternion_in,
    rotation_matrix,
    turned,
    turned_back,
)
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import (
    NONE,
    add_block,
    applied,
    cross,
    dot,
    plus,
    tilde_product,
    times,
    transposed,
    vector_in,
)
from flexmb.kernels.views import matrix_view, vector_view
from flexmb.model.components import Assembler

# behind the parameters of the element: whether the load follows; η and the force (3) of each Gauss point; the slot of
# its factor; at the end where these begin
POINTS = len(gauss_points())
FACTOR = 1 + 4 * POINTS
#: scratch numbers: those of the law and H, then ∂η₂/∂y (3, 12); of the energy a row of forces
WORK = 108 + 36 + 36


def put_load(length: float, stations: np.ndarray, elements: BeamElements, assembly: Assembler, load: BeamLoad) -> None:
    """Add the load on the elements of a beam of this length that end at these parts of it."""
    slot, local, rows = assembly.strength(load).slot(), gauss_points(), []
    for own, first, last in zip(elements.parameters, stations[:-1], stations[1:]):
        along = load.line_load_at(first + (last - first) * local)
        forces = length * (last - first) * gauss_weights()[:, None] * along
        places = np.column_stack([local, forces]).ravel()
        rows.append(np.concatenate([own, [float(not load.fixed_in_space)], places, slot, [len(own)]]))
    at = elements.parameters.shape[1] + FACTOR
    assembly.series(load, SPATIAL_EXACT_LOAD, elements.coordinates, np.array(rows), WORK, strength=at)


@inlined
def _at(p, i):
    """Offset of the parameters of the load among those of the element."""
    return int(p[i, p.shape[1] - 1])


@inlined
def _given(p, i, k, factor):
    """η, the load in the axes in which it is given, and by what η₂ turns it."""
    place = _at(p, i) + 1 + 4 * k
    eta = p[i, place]
    xi = eta - 0.5
    return eta, times(factor, vector_in(p[i], place + 1)), 6.0 * (xi * xi - 0.25)


@called(None)
def _put(p, i, iq, t, q, row, work):
    """Subtract the forces of the load from a row (12,)."""
    factor, follows = strength_at(p[i], _at(p, i) + FACTOR, t), p[i, _at(p, i)] != 0.0
    first, second = quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10)
    phi, d, half, axes = middle(p, i, iq, q)
    begin, eta2 = product(axes, inverse(half)), NONE
    if follows:
        gamma, kappa = straightened(phi, curving(dot(phi, phi))[0], d), times(1.0 / p[i, LENGTH], phi)
        eta2 = stresses(p, i, gamma, kappa, work)[3]
    for k in range(POINTS):
        eta, load, bend = _given(p, i, k, factor)
        if follows:
            load = plus(load, cross(times(bend, eta2), load))
            load = turned(product(begin, exp(times(eta, phi))), load)
        one, slope, two, slope_two = shares(eta)
        moment = cross(times(slope, vector_in(p[i], SLOPES)), turned_back(first, load))
        moment_two = cross(times(slope_two, vector_in(p[i], SLOPES + 3)), turned_back(second, load))
        for c in range(3):
            row[c] -= one * load[c]
            row[3 + c] -= moment[c]
            row[6 + c] -= two * load[c]
            row[9 + c] -= moment_two[c]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, out[i], work)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    row = vector_view(work, 108, 12)
    for i in range(p.shape[0]):
        for k in range(12):
            row[k] = 0.0
        _put(p, i, iq, t, q, row, work)
        out[i, 4] = power_of(row, iv, i, v)


@called((float, float, float))
def _bending(p, i, phi, d, half, axes, D, work):
    """η₂; puts its derivatives by the changes (12,) of the nodes into D (3, 12)."""
    L, x = p[i, LENGTH], dot(phi, phi)
    (g, g1, _), (k, _) = curving(x), turning(x)
    gamma, kappa = straightened(phi, g, d), times(1.0 / L, phi)
    n, m, eta1, eta2, _, _, _ = stresses(p, i, gamma, kappa, work)
    stiffness_of_stresses(p, i, gamma, kappa, n, m, eta1, eta2, work, vector_view(work, 108, 36))
    first, second = product(quaternion_in(p[i], TURN1), half), product(quaternion_in(p[i], TURN2), inverse(half))
    for column in range(12):
        c, of = column % 3, column // 3
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        moved, one, two = NONE, NONE, NONE
        if of == 0:
            moved = times(-1.0 / L, turned_back(axes, e))
        elif of == 1:
            one = turned_back(first, e)
        elif of == 2:
            moved = times(1.0 / L, turned_back(axes, e))
        else:
            two = turned_back(second, e)
        gamma_x, kappa_x, _, _, _ = strain_changes(L, phi, d, g, g1, k, moved, one, two)
        change = change_of_curvature(p, i, gamma, kappa, n, m, gamma_x, kappa_x, work)
        for r in range(3):
            D[r, column] = change[r]
    return eta2


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    D, wk = matrix_view(work, 144, 3, 12), w[2]
    for i in range(p.shape[0] if wk != 0.0 else 0):
        factor, follows = strength_at(p[i], _at(p, i) + FACTOR, t), p[i, _at(p, i)] != 0.0
        block = K[i]
        A, B = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
        phi, d, half, axes = middle(p, i, iq, q)
        begin, eta2 = product(axes, inverse(half)), NONE
        if follows:
            eta2 = _bending(p, i, phi, d, half, axes, D, work)
        for k in range(POINTS):
            eta, load, bend = _given(p, i, k, factor)
            one, slope, two, slope_two = shares(eta)
            arm, arm_two = times(slope, vector_in(p[i], SLOPES)), times(slope_two, vector_in(p[i], SLOPES + 3))
            force = load
            if follows:
                own = plus(load, cross(times(bend, eta2), load))
                R = rotation_matrix(product(begin, exp(times(eta, phi))))
                by_one, by_two = turns_of_place(p, i, phi, eta)
                for column in range(12):
                    theta, c = NONE, column % 3
                    if column // 3 == 1:
                        theta = by_one[c], by_one[3 + c], by_one[6 + c]
                    elif column // 3 == 3:
                        theta = by_two[c], by_two[3 + c], by_two[6 + c]
                    bent = times(bend, (D[0, column], D[1, column], D[2, column]))
                    change = times(wk, applied(R, plus(cross(theta, own), cross(bent, load))))
                    moment = cross(arm, applied(transposed(A), change))
                    moment_two = cross(arm_two, applied(transposed(B), change))
                    for r in range(3):
                        block[r, column] -= one * change[r]
                        block[3 + r, column] -= moment[r]
                        block[6 + r, column] -= two * change[r]
                        block[9 + r, column] -= moment_two[r]
                force = applied(R, own)
            add_block(block, 3, 3, -wk, tilde_product(arm, applied(transposed(A), force)))
            add_block(block, 9, 9, -wk, tilde_product(arm_two, applied(transposed(B), force)))


SPATIAL_EXACT_LOAD = Kernels("load along an exact beam in space", residual, tangent, energy)
