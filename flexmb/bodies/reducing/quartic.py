"""The strain energy of fourth order that a quadratic field leaves: what stretches plates in double curvature.

The field of second order cancels what it can of Green's strain, E₂ = ε₁(Θ_ij) + ε₂(φ_i, φ_j), and leaves the energy

    U₄ = ⅛ Σ Q_ijkl η_i η_j η_k η_l,    Q_ijkl = ∫ E₂_ij : C : E₂_kl dV

which the equations of motion do not have. In rods and in surfaces that bend as cylinders do it is next to nothing; a
plate whose Gaussian curvature changes stretches, and is stiffer by its thickness as a deflection already.
"""

from __future__ import annotations

import numpy as np

from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.second_order import turns_of
from flexmb.bodies.reducing.ties import TiedSet

#: number of modes, the softest ones, for which it is computed: 21 pairs
SOFTEST = 6


def quartic_energy(body: HeldBody, shapes: np.ndarray) -> np.ndarray:
    """Q (k, k, k, k) of shapes (n', k), for a body whose elements know the strains of pairs of shapes."""
    model, k = body.model, shapes.shape[1]
    assert model.pair_strains is not None
    phi = body.map @ shapes
    pairs = np.array([(i, j) for i in range(k) for j in range(i, k)], dtype=int).reshape(-1, 2)
    theta = np.zeros((len(phi), len(pairs)))
    for tie in body.ties:
        if tie.rigid:
            theta[tie.rows] = _turned_twice(tie, turns_of(body, tie, shapes), pairs)
    forces = -model.pair_strains.pair_forces(phi, pairs)
    if np.any(theta):
        forces -= model.stiffness @ theta
    theta += body.map @ body.free(body.map.T @ forces)
    energies = model.pair_strains.pair_energies(phi, pairs, theta)
    number = np.zeros((k, k), dtype=int)
    number[pairs[:, 0], pairs[:, 1]] = number[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    return np.asarray(energies[number[:, :, None, None], number[None, None]])


def energy_of(quartic: np.ndarray, amplitudes: np.ndarray) -> np.ndarray:
    """U₄ (…,) of amplitudes (…, k).

    >>> float(energy_of(np.full((1, 1, 1, 1), 8.0), np.array([2.0])))
    16.0
    """
    k = len(quartic)
    pairs = (amplitudes[..., :, None] * amplitudes[..., None, :]).reshape(*amplitudes.shape[:-1], k * k)
    return np.asarray(0.125 * np.einsum("...i,ij,...j->...", pairs, quartic.reshape(k * k, k * k), pairs))


def _turned_twice(tie: TiedSet, turns: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """½ (θ̃_i θ̃_j + θ̃_j θ̃_i) y (m, p) on the coordinates of a rigid tie, for turns (r, k) of its frame."""
    a, b, y = turns[:, pairs[:, 0]], turns[:, pairs[:, 1]], tie.arms
    moving = tie.directions < y.shape[1]
    result = np.zeros((len(y), len(pairs)))
    if len(turns) == 1:
        moved = -(a * b) * y[np.arange(len(y)), np.where(moving, tie.directions, 0)][:, None]
    else:  # ã b̃ y = b (a·y) − y (a·b)
        at = np.where(moving, tie.directions, 0)
        own = y[np.arange(len(y)), at][:, None]
        moved = 0.5 * (b[at] * (y @ a) + a[at] * (y @ b)) - own * np.einsum("rp,rp->p", a, b)
    result[moving] = moved[moving]
    return result
