"""The damping matrix of a planar CMS beam element."""

from __future__ import annotations

import math

import numpy as np

from flexmb.elements.cms_shapes import ElementShapes
from flexmb.model.damping import Damping, ModalDamping, StiffnessProportional
from flexmb.model.geometry.planar_properties import BeamProperties


def damping_matrix(
    shapes: ElementShapes,
    p: BeamProperties,
    damping: Damping | None,
    k_axial: np.ndarray,
    k_bending: np.ndarray,
    turning: np.ndarray,
) -> np.ndarray:
    """The damping matrix C: the force on the local coordinates c is C ċ; a rigid motion has ċ = 0. `turning` is the
    inertia of turning sections, (1 + g, 1 + g) or of no size."""
    L, m, bending = shapes.length, shapes.axial, shapes.bending
    n = 3 + m + bending
    if damping is None:
        return np.zeros((n, n))
    K = np.zeros((n, n))
    near, far = shapes.end_factors
    K[np.ix_([0, 2], [0, 2])] = p.EI / L * np.array([[near, far], [far, near]])
    K[1, 1] = p.EA / L
    K[range(3, n), range(3, n)] = np.concatenate([k_axial, k_bending])
    if isinstance(damping, StiffnessProportional):
        return damping.beta * K
    assert isinstance(damping, ModalDamping)
    # free vibration modes of the element, in its nodal and modal coordinates (x1, y1, θ1, x2, y2, θ2, ξ)
    T = np.zeros((n, n + 3))  # c = T u
    T[0, [1, 2, 4]] = 1 / L, 1.0, -1 / L
    T[1, [0, 3]] = -1.0, 1.0
    T[2, [1, 4, 5]] = 1 / L, -1 / L, 1.0
    T[range(3, n), range(6, n + 3)] = 1.0
    mass = np.zeros((n + 3, n + 3))
    for weight, row in zip(shapes.weights, shapes.at(shapes.x / L)):
        x, eta = row[0], row[1]
        jx = np.zeros(n + 3)
        jy = np.zeros(n + 3)
        jx[0], jy[1] = 1.0, 1.0
        jy[[1, 4]] += np.array([-1.0, 1.0]) * x / L
        c_x, c_y = np.zeros(n), np.zeros(n)
        c_x[1], c_x[3 : 3 + m] = eta, row[2 : 2 + m]
        c_y[[0, 2, *range(3 + m, n)]] = row[2 + m : 4 + m + bending]
        jx += c_x @ T
        jy += c_y @ T
        mass += p.rhoA * weight * (np.outer(jx, jx) + np.outer(jy, jy))
    if len(turning):
        turns = np.vstack([np.zeros(n + 3), T[[0, 2, *range(3 + m, n)]]])
        turns[0, [1, 4]] = -1 / L, 1 / L
        mass += turns.T @ turning @ turns
    import scipy.linalg

    squared, modes = scipy.linalg.eigh(T.T @ K @ T, mass)
    ratios = damping.values(n)
    C = np.zeros((n + 3, n + 3))
    for k in range(n):  # the three lowest are the rigid motions
        momentum = mass @ modes[:, 3 + k]
        C += 2.0 * ratios[k] * math.sqrt(squared[3 + k]) * np.outer(momentum, momentum)
    back = np.linalg.pinv(T)
    return back.T @ C @ back
