"""The inertia of a body in any motion, as one array of products of its shapes.

With F₀ = X, measured from the origin of the reference frame, F_k the shapes, and a scalar mass matrix m,

    mass = 1ᵀ m 1,   c_F = Fᵀ m 1,   P_FG = Fᵀ m G = ∫ F Gᵀ dm

hold all inertia integrals that Wallrapp (1993) lists: ∫ φ·φ = tr P, and ∫ X × φ is its axial part.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import FullModel, MassField, turned_by_units


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


def products_by_matrix(
    model: FullModel, origin: np.ndarray, shapes: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of a mass matrix M that is not that of points, for shapes (n, k).

    What is of first order in the velocities of modes is taken from M: mass, mass center and inertia from its products
    with rigid motions, ∫ φ and ∫ X × φ from those of rigid motions and shapes, the modal masses from φᵀMφ. The rest is
    that of :func:`nodal_products`; nothing of it is known if a reduction went before, and then modal masses are shared
    out to all directions alike. Whatever P is, the equations of motion keep momenta and energy.
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
    if model.condensed:
        P = with_modal_masses(np.zeros((1 + k, 1 + k, d, d)), shapes.T @ (M @ shapes))
    else:
        P = nodal_products(model, origin, shapes)
    P[0, 0] = 0.5 * np.trace(inertia) * np.eye(3) - inertia if d == 3 else 0.5 * inertia[0, 0] * np.eye(2)
    for a in range(k):
        P[0, 1 + a] = 0.5 * (P[0, 1 + a] + P[0, 1 + a].T) + _of_axial(mixed[d:, a])
        P[1 + a, 0] = P[0, 1 + a].T
    return total, first, P


def nodal_products(model: FullModel, origin: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """P (1 + k, 1 + k, d, d) of shapes (n, k), their moves u and turns θ of the nodes, by the mass matrix of a model.

    M is read as that of a field u(x) = Σ N_a u_a + θ_a × s_a, as that of masses off the nodes and of sections is. In
    the body N_a and s_a stay what they are, and the field is X itself with u_a = X_a and 1 for θ̃_a. So of two nodes

        M_ab = ∫ N_a N_b 1,   B_ab = −∫ N_a s̃_b                       of moves by moves, and of moves by turns
        J_ab = tr S_ab 1 − S_abᵀ,   S_ab = ∫ s_a s_bᵀ = ½ tr J_ab 1 − J_abᵀ       of turns by turns
        P_FG = Σ_ab ½ (F_a (M_ab G_b)ᵀ + (M_ab F_b) G_aᵀ) + F_a (B_ab θ_Gb)ᵀ + (B_ab θ_Fb) G_aᵀ + θ̃_Fa S_ab θ̃_Gbᵀ

    which is exact for solids, for masses on or off their nodes, and for elements that interpolate moves alike in all
    directions; in the plane, where J_ab shows tr S_ab alone, if the s_a at a place are along one line. tr P is
    φᵀMφ for any M. Beams and shells do not interpolate all directions alike: a turned cubic is none of their fields
    along the beam. That leaves errors that fall as the square of the length of elements, as those of M do; what torsion
    has in second order is off by a part of the section's inertia until elements are as short as it is thick.

    The products of e_i × F by M, or Lagrange's equations of ½ wᵀMw with the velocities w of nodes, are no better:
    seen from a frame that moves steadily they are others unless M is that of points, so that a mass center would not
    move steadily; and where the inertia of sections does not turn with the modes, a part of the first order is missing
    that no mesh makes small.

    >>> spinning = np.diag([2.0, 2, 2, 0.3, 0.4, 0.5])  # one node with a mass and an inertia
    >>> one = FullModel(np.zeros((1, 3)), 0 * spinning, spinning, [0] * 6, range(6))
    >>> turned = np.eye(6)[:, [5]]
    >>> nodal_products(one, np.zeros(3), turned)[1, 1].diagonal().round(3).tolist()  # 0.2 is ∫ y², 0.3 is ∫ x²
    [0.2, 0.3, 0.0]
    """
    M, d, N, k = model.mass, model.dimension, len(model.nodes), shapes.shape[1]
    rows = (np.arange(6) if d == 3 else np.array([0, 1, 5]))[model.direction_of]

    def at_nodes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The moves and the turns of nodes, or forces and moments on them (N, 3, …), of coordinates (n, …)."""
        result = np.zeros((N, 6, values.shape[1]))
        result[model.node_of, rows] = values
        return result[:, :3], result[:, 3:]

    def pairs(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Σ_a A_Fa B_Gaᵀ, (1 + k, 1 + k, 3, 3)."""
        flat = A.reshape(N, -1).T @ B.reshape(N, -1)
        return flat.reshape(3, 1 + k, 3, 1 + k).transpose(1, 3, 0, 2)

    moves = rows[:, None] < 3
    places = np.zeros((N, 3, 1))
    places[:, :d, 0] = model.nodes - origin
    placed = np.where(moves, places[model.node_of, rows % 3], 0.0)
    moving, turning = np.where(moves, shapes, 0.0), np.where(moves, 0.0, shapes)
    F = np.concatenate([places, at_nodes(moving)[0]], axis=2)
    momentum = at_nodes(M @ np.hstack([placed, moving]))[0]
    by_turns = at_nodes(M @ np.hstack([rows[:, None] == 3 + np.arange(3), turning]))[0]
    B = by_turns[:, :, :3]  # −s̃ of all masses at a node, each number twice where nodes have all moves and turns
    known = np.isin(np.arange(6), rows).astype(float)
    arm = np.zeros((N, 3, 1))
    for c, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        times = known[i] * known[3 + j] + known[j] * known[3 + i]
        arm[:, c, 0] = (B[:, i, j] - B[:, j, i]) / max(times, 1.0)
    by_turns = np.concatenate([arm, by_turns[:, :, 3:]], axis=2)
    half = pairs(F, 0.5 * momentum + by_turns)
    P = half + half.transpose(1, 0, 3, 2)

    theta = at_nodes(turning)[1].transpose(0, 2, 1)
    tilde = -turned_by_units(theta).transpose(3, 0, 2, 1)  # θ × e_c (N, 3, k) at [c]
    columns = np.concatenate([np.broadcast_to(np.eye(3)[:, None, :, None], (3, N, 3, 1)), tilde], axis=3)
    chosen = [np.flatnonzero(rows == 3 + c) for c in range(3)]
    pick = [sp.csr_matrix((np.ones(len(at)), (model.node_of[at], at)), shape=(N, len(rows))) for at in chosen]
    blocks = [[of @ M @ by.T for by in pick] for of in pick]
    trace = blocks[0][0] + blocks[1][1] + blocks[2][2]
    for i in range(3):
        swung = 0.5 * (trace @ columns[i].reshape(N, -1))
        for j in range(3):
            swung -= blocks[j][i] @ columns[j].reshape(N, -1)
        P = P + pairs(columns[i], swung)
    return P[:, :, :d, :d]


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
