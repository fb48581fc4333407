"""How far off the field of a reduced body is, of first or of second order in its modes, where the body bends far.

A place that has moved by u₁ and turned by ϑ in the body's frame moves by ½ ϑ u₁ of second order, which a linear field
leaves out, and by about ½ ϑ² u₁ of third order, which a quadratic one leaves out too. Besides, a linear field does not
know what loads do on the second order: of the elastic energy their work is the part

    w = f·Θ / ½ ηᵀΛη,    f·Θ = Σ_k λ_k η_k Σ_m (φ_kᵀ M χ_m) ζ_m

with the forces f that hold the body in its deformation, and the slave shapes in place of Θ; φ_k without what a rigid
body does.
"""

from __future__ import annotations

import numpy as np

from flexmb.bodies.reduced_body import ReducedBody, axial

#: error of a linear field by ½ ϑ u₁, as both ends of a strip have it
BOTH_ENDS = 1.5
#: momenta of modes by those of a rigid motion below which the frame is the mean one
MEAN = 1e-6


def size_of(body: ReducedBody) -> float:
    """The length [m] of a straight bar with the body's radius of gyration about its mass center."""
    center = body.first[0] / body.mass
    return float(np.sqrt(12.0 * (np.trace(body.products[0, 0]) / body.mass - center @ center)))


def far_bending(body: ReducedBody, eta: np.ndarray, second_order: bool) -> tuple[np.ndarray, np.ndarray]:
    """For amplitudes (k, n): the largest turns ϑ (k,) [rad] in the body's frame, and about how far places are off (k,)
    as a part of the body's length, with a field of second order or with a linear one.

    ϑ is the largest turn of an interface, or 2 u₁ by the length as of a clamped arc, if that is more; u₁ is the largest
    displacement of an interface, or twice the mean of the body's mass.

    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([1 / 12, 1e-4, 1e-4]), np.diag([0.0, 1.0, 0.0])
    >>> body = ReducedBody(1.0, np.zeros((2, 3)), P, stiffness=[1e4])
    >>> turn, off = far_bending(body, np.array([[0.1]]), second_order=False)
    >>> turn.round(2).tolist(), off.round(2).tolist()
    ([0.4], [0.06])
    """
    length, interfaces = size_of(body), body.interfaces.values()
    mean = np.sqrt(np.einsum("ki,ij,kj->k", eta, body.modal_mass, eta) / body.mass)
    moved = np.max([2.0 * mean, *(np.linalg.norm(eta @ x.translation.T, axis=1) for x in interfaces)], axis=0) / length
    turn = np.max([2.0 * moved, *(np.linalg.norm(eta @ x.rotation.T, axis=1) for x in interfaces)], axis=0)
    if second_order:
        return turn, 0.5 * turn**2 * moved
    return turn, turn * (0.5 * BOTH_ENDS * moved + work_on_second_order(body, eta))


def in_mean_frame(body: ReducedBody) -> bool:
    """Whether the modes of a body have no momentum."""
    n = body.modes
    M = body.mass_matrix
    size = np.sqrt(np.diagonal(M))
    return bool(np.all(np.abs(M[:-n, -n:]) < MEAN * size[:-n, None] * size[-n:]))


def moves_twice(body: ReducedBody) -> bool:
    """Whether interfaces of a body move by the second order of its modes."""
    return any(np.any(x.translation2) for x in body.interfaces.values())


def work_on_second_order(body: ReducedBody, eta: np.ndarray) -> np.ndarray:
    """|w| (k,) for amplitudes (k, n); 0 of bodies without slave shapes."""
    n = body.modes
    rigid = np.concatenate([body.first, axial(body.products[0])], axis=1).T  # momenta of each field
    size = rigid.shape[0]
    both = np.einsum("kmaa->km", body.products[1 : 1 + n, 1 + n :])
    both = both - rigid[:, 1 : 1 + n].T @ np.linalg.solve(body.mass_matrix[:size, :size], rigid[:, 1 + n :])
    forces, slaves = eta * body.stiffness, 0.5 * np.einsum("ki,mij,kj->km", eta, body.slaves, eta)
    work, energy = np.einsum("ki,im,km->k", forces, both, slaves), 0.5 * np.einsum("ki,ki->k", forces, eta)
    return np.abs(np.divide(work, energy, out=np.zeros(len(eta)), where=energy > 0.0))
