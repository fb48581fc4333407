"""The inertia of a body in any motion, as one array of products of its shapes.

With F₀ = X, measured from the origin of the reference frame, F_k the shapes, and a scalar mass matrix m,

    mass = 1ᵀ m 1,   c_F = Fᵀ m 1,   P_FG = Fᵀ m G = ∫ F Gᵀ dm

hold all inertia integrals that Wallrapp (1993) lists: ∫ φ·φ = tr P, and ∫ X × φ is its axial part.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import FullModel, MassField


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


def products_by_rows(model: FullModel, origin: np.ndarray, shapes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of a mass matrix M that is not that of points, for shapes (n, k).

    What the first order needs is taken from M: mass, mass center and inertia from its products with rigid motions, ∫ φ
    and ∫ X × φ from those of rigid motions and shapes, the modal masses from φᵀMφ. The rest of P is that of the sums of
    M's rows at the nodes, which beams and shells have up to the square of the size of their elements; nothing of it is
    known if a reduction went before. Whatever P is, the equations of motion keep momenta and energy.
    """
    M, d = model.mass, model.dimension
    k = shapes.shape[1]
    R = model.rigid_modes(origin)
    moves, turns = R[:, :d], R[:, d:]
    rigid, mixed = M @ R, R.T @ (M @ shapes)
    coupled, inertia = moves.T @ rigid[:, d:], turns.T @ rigid[:, d:]  # −c̃ of ∫ X dm
    center = [coupled[1, 2], coupled[2, 0], coupled[0, 1]] if d == 3 else [coupled[1, 0], -coupled[0, 0]]
    first = np.concatenate([np.array(center)[None], mixed[:d].T])
    total = float(R[:, 0] @ rigid[:, 0])
    sums = np.zeros(len(model.nodes))
    P = np.zeros((1 + k, 1 + k, d, d))
    if not model.condensed:
        moving = model.direction_of < d
        own = rigid[np.flatnonzero(moving), model.direction_of[moving]]
        np.add.at(sums, model.node_of[moving], own / d)
        P = products(MassField(model.nodes, sp.diags(sums)), origin, model.translations(shapes))[2]
    P[0, 0] = 0.5 * np.trace(inertia) * np.eye(3) - inertia if d == 3 else 0.5 * inertia[0, 0] * np.eye(2)
    P = with_modal_masses(P, shapes.T @ (M @ shapes))
    for a in range(k):
        P[0, 1 + a] = 0.5 * (P[0, 1 + a] + P[0, 1 + a].T) + _of_axial(mixed[d:, a])
        P[1 + a, 0] = P[0, 1 + a].T
    return total, first, P


def with_modal_masses(P: np.ndarray, e: np.ndarray) -> np.ndarray:
    """P with the traces e (k, k) of the products of two shapes each; what is missing lies in all directions alike.

    >>> with_modal_masses(np.zeros((2, 2, 2, 2)), np.eye(1))[1, 1].tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    result, d = P.copy(), P.shape[3]
    missing = e - np.trace(P[1:, 1:], axis1=2, axis2=3)
    result[1:, 1:] += missing[:, :, None, None] * np.eye(d) / d
    return result


def _of_axial(axial: np.ndarray) -> np.ndarray:
    """The antisymmetric B with ∫ X × φ = (B₂₃ − B₃₂, …), half of it in each of both places."""
    if len(axial) == 1:
        return 0.5 * np.array([[0.0, axial[0]], [-axial[0], 0.0]])
    x, y, z = 0.5 * axial
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
