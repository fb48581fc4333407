"""The field of a reduced body: quadratic in the modes, as it is made, or linear in them.

A linear field misses what bending shortens. The geometric stiffness of unit loads, K_l, adds what that does to the
modes (Wallrapp (1993)): Σ load_l K_l η with the loads of a rigid motion, ω_i ω_j, r̈ − gravity and α. As forces alone
these terms have no energy, so that a body which is spun up gains or loses some. They are those of slave shapes χ_l,
whose second-order amplitude is ½ ηᵀ K_l η and which have a product of mass with the undeformed body alone:

    ω_x²: P_0l = e_x e_xᵀ − ½,    ω_y ω_z: P_0l = ½ (e_y e_zᵀ + e_z e_yᵀ)
    u_x: c_l = e_x,               α_x: P_0l = ½ (e_y e_zᵀ − e_z e_yᵀ)

since tr(ω̃ω̃ P) = ω·Pω − ω² tr P and tr(α̃ P) = α·(P₂₃ − P₃₂, …). So the body keeps an energy and its momenta.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.bodies.reduced_body import Interface, ReducedBody
from flexmb.errors import ModelError

#: the pairs (i, j) of ω_i ω_j in the order of :class:`~flexmb.bodies.reduced_body.UnitLoadStiffness`
PAIRS = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


def linear_field(body: ReducedBody) -> ReducedBody:
    """The same body with a field that is linear in the modes, that of its interfaces too: without slave shapes, and so
    without geometric stiffness.

    >>> from flexmb.bodies import ReducedBody
    >>> P = np.zeros((3, 3, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> body = ReducedBody(2.0, np.zeros((3, 3)), P, stiffness=[1e4], slaves=[[[0.5]]])
    >>> linear_field(body).products.shape
    (2, 2, 3, 3)
    """
    many, mesh = 1 + body.modes, body.mesh
    plain = {
        name: Interface(x.position, x.orientation, x.translation, x.rotation) for name, x in body.interfaces.items()
    }
    loads = {name: replace(x, second=None) for name, x in body.loads.items()}
    return replace(
        body,
        first=body.first[:many],
        products=body.products[:many, :many],
        slaves=None,
        interfaces=plain,
        loads=loads,
        quartic=None,
        unit_load_stiffness=None,
        mesh=None if mesh is None else replace(mesh, slave_shapes=None),
    )


def stiffened_field(body: ReducedBody) -> ReducedBody:
    """The same body with a linear field and the geometric stiffness of its `unit_load_stiffness`, as slave shapes; its
    interfaces keep their rows of second order, which are that of loads on them.

    >>> from flexmb.bodies import ReducedBody, UnitLoadStiffness
    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> spin = np.zeros((6, 1, 1))
    >>> spin[2] = 1.2
    >>> body = ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4], unit_load_stiffness=UnitLoadStiffness(spin))
    >>> stiffened_field(body).slaves.tolist()
    [[[1.2]]]
    """
    given, d, n = body.unit_load_stiffness, body.dimension, body.modes
    if given is None:
        raise ModelError(
            "reduced body: it has no unit_load_stiffness; give it one, take its quadratic field, or leave "
            "geometric_stiffness out"
        )
    first = [np.zeros(d)] * (len(given.spin)) + [*np.eye(d)] + [np.zeros(d)] * len(given.angular_acceleration)
    products = [_of_spin(*pair, d) for pair in PAIRS[: len(given.spin)]] + [np.zeros((d, d))] * d
    products += [_of_turn(k, d) for k in range(len(given.angular_acceleration))]
    T = np.concatenate([given.spin, given.acceleration, given.angular_acceleration])
    kept = [k for k in range(len(T)) if np.any(T[k])]
    many = 1 + n + len(kept)
    c, P = np.zeros((many, d)), np.zeros((many, many, d, d))
    c[: 1 + n], P[: 1 + n, : 1 + n] = body.first, body.products
    for row, k in enumerate(kept, 1 + n):
        c[row], P[0, row], P[row, 0] = first[k], products[k], products[k].T
    return replace(body, first=c, products=P, slaves=T[kept], unit_load_stiffness=None)


def _of_spin(i: int, j: int, d: int) -> np.ndarray:
    """P_0l of the load of ω_i ω_j; in the plane of ω², tr(ω̃ω̃P) = −ω² tr P."""
    if d == 2:
        return -0.5 * np.eye(2)
    e = np.eye(3)
    P = 0.5 * (np.outer(e[i], e[j]) + np.outer(e[j], e[i]))
    return P - (0.5 * np.eye(3) if i == j else 0.0)


def _of_turn(k: int, d: int) -> np.ndarray:
    """P_0l of the load of α_k."""
    i, j = (0, 1) if d == 2 else ((k + 1) % 3, (k + 2) % 3)
    P = np.zeros((d, d))
    P[i, j], P[j, i] = 0.5, -0.5
    return P
