"""The inertia of a body in any motion, as one array of products of its shapes.

With F₀ = X, measured from the origin of the reference frame, F_k the shapes, and a scalar mass matrix m,

    mass = 1ᵀ m 1,   c_F = Fᵀ m 1,   P_FG = Fᵀ m G = ∫ F Gᵀ dm

hold all inertia integrals that Wallrapp (1993) lists: ∫ φ·φ = tr P, and ∫ X × φ is its axial part.
"""

from __future__ import annotations

import numpy as np

from flexmb.bodies.full_model import FullModel, MassField, turned_by_units


def products(field: MassField, origin: np.ndarray, shapes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, c (1 + k, d) and P (1 + k, 1 + k, d, d) of shapes (P, d, k) at the points of mass.

    >>> one = MassField(np.array([[1.0, 0, 0]]), np.array([[2.0]]))
    >>> mass, c, P = products(one, np.zeros(3), np.zeros((1, 3, 0)))
    >>> mass, c.tolist(), P[0, 0].diagonal().tolist()
    (2.0, [[2.0, 0.0, 0.0]], [2.0, 0.0, 0.0])
    """
    X = field.positions - origin
    count, d = X.shape
    F = np.concatenate([X[:, None], shapes.transpose(0, 2, 1)], axis=1)  # (P, 1 + k, d)
    many = F.shape[1]
    flat = F.reshape(count, many * d)
    weighted = np.asarray(field.matrix @ flat)
    P = (flat.T @ weighted).reshape(many, d, many, d).transpose(0, 2, 1, 3)
    ones = np.asarray(field.matrix @ np.ones(count)).ravel()
    P = 0.5 * (P + P.transpose(1, 0, 3, 2))
    return float(ones.sum()), (flat.T @ ones).reshape(many, d), P


def products_by_vectors(
    model: FullModel, origin: np.ndarray, shapes: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of a mass matrix M that is not that of points: products by M of the vectors e_i × F, in which F₀ = X
    turns rotations too, and of the shapes (n, k).

    With C_FG = (e_i × F)ᵀ M (e_j × G) = tr P 1 − P_GF, P follows from C; its trace, for two shapes, is φᵀMφ, and its
    axial part, for X and a shape, (e_i × X)ᵀ M φ. Whatever P is, the equations of motion keep momenta and energy.
    """
    M, d = model.mass, model.dimension
    n, k = shapes.shape
    moved = model.translations(shapes)  # (N, d, k)
    moving = model.direction_of < d
    R = model.rigid_modes(origin)
    turns = R[:, d:]
    r = turns.shape[1]
    vectors = np.zeros((n, 1 + k, r))
    vectors[:, 0] = turns
    turned = turned_by_units(moved.transpose(0, 2, 1))  # (N, k, d, r)
    vectors[moving, 1:] = turned[model.node_of[moving], :, model.direction_of[moving]]
    first = np.concatenate([(R[:, :d].T @ (M @ _positions(model, origin)))[None], (R[:, :d].T @ (M @ shapes)).T])
    flat = vectors.reshape(n, -1)
    C = (flat.T @ (M @ flat)).reshape(1 + k, r, 1 + k, r).transpose(0, 2, 1, 3)
    if d == 2:
        P = 0.5 * C * np.eye(2)
    else:
        C = C.transpose(0, 1, 3, 2)
        P = 0.5 * np.trace(C, axis1=2, axis2=3)[:, :, None, None] * np.eye(3) - C
    e, axial = shapes.T @ (M @ shapes), turns.T @ (M @ shapes)
    for a in range(k):
        for b in range(k):
            P[1 + a, 1 + b] += (e[a, b] - np.trace(P[1 + a, 1 + b])) / d * np.eye(d)
        own = P[0, 1 + a]
        P[0, 1 + a] = 0.5 * (own + own.T) + _of_axial(axial[:, a])
        P[1 + a, 0] = P[0, 1 + a].T
    return float(R[:, 0] @ (M @ R[:, 0])), first, P


def _positions(model: FullModel, origin: np.ndarray) -> np.ndarray:
    """The vector (n,) of positions of nodes from the origin; zero for rotations."""
    moving = model.direction_of < model.dimension
    X = np.zeros(len(model.node_of))
    X[moving] = (model.nodes - origin)[model.node_of[moving], model.direction_of[moving]]
    return X


def _of_axial(axial: np.ndarray) -> np.ndarray:
    """The antisymmetric B with ∫ X × φ = (B₂₃ − B₃₂, …), half of it in each of both places."""
    if len(axial) == 1:
        return 0.5 * np.array([[0.0, axial[0]], [-axial[0], 0.0]])
    x, y, z = 0.5 * axial
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
