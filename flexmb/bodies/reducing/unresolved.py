"""Stresses under loads of inertia that the modes of a body leave out.

Forces at interfaces have their deformations in the basis, and so have loads that were given. What acts between the
interfaces by acceleration and spin has them only if it was asked for: −M φ of the six rigid motions, and −M ω̃ω̃X. Under
such a load f, interfaces held, the body deforms by u = K⁻¹ f, of which its modes have Σ φ φᵀ K u/ω²; the
stresses of the rest tell how far those of the body are from the full model's."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.fields import PAIRS
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mode_basis import Modes
from flexmb.bodies.reducing.second_order import spin_loads
from flexmb.bodies.stresses import stresses_of, von_mises

#: number of directions of loads for which the nodes of the largest stresses are sought
DIRECTIONS = 40


def inertia_forces(body: HeldBody) -> np.ndarray:
    """The loads (n', 12), in the plane (n', 4), of unit accelerations of the body, turns last, and of unit ω_iω_j."""
    return np.hstack([-(body.mass @ body.rigid), spin_loads(body).on_body(body)])


def stresses_left_out(body: HeldBody, found: Modes) -> np.ndarray:
    """The stresses (p, c, 12), in the plane (p, c, 4) [Pa], that the modes leave out under each unit load, at those
    nodes that have the largest ones of von Mises under some of many loads."""
    model, forces = body.model, inertia_forces(body)
    u = body.held(forces) if body.ties else body.flexible(forces)
    phi = found.shapes
    left = u - phi @ ((phi.T @ (body.stiffness @ u)) / found.omegas[:, None] ** 2)
    stress = stresses_of(model.nodes, model.cells, model.elasticity, model.translations(body.map @ left)).nodal
    size = np.max(von_mises(stress.transpose(0, 2, 1)), axis=0)
    worst = [int(np.argmax(von_mises(stress @ load))) for load in _some_loads(size, model.dimension)]
    return np.asarray(stress[np.unique(worst)])


def _some_loads(size: np.ndarray, d: int) -> np.ndarray:
    """Loads (l, 12), in the plane (l, 4): of accelerations, of turns and of spins alone, in many directions, and of all
    together, each then about as large in its stresses of `size` (12,)."""
    rng, r = np.random.default_rng(0), 3 if d == 3 else 1
    parts = []
    for _ in range(DIRECTIONS):
        spin = rng.normal(size=r)
        square = [spin[i] * spin[j] for i, j in (PAIRS if d == 3 else PAIRS[:1])]
        blocks = [rng.normal(size=d), rng.normal(size=r), np.array(square)]
        firsts = np.cumsum([0, d, r])
        sizes = [max(float(np.max(size[at : at + len(x)])), 1e-300) for at, x in zip(firsts, blocks, strict=True)]
        parts += [np.concatenate([x * (j == k) for j, x in enumerate(blocks)]) for k in range(3)]
        parts.append(np.concatenate([x / one for x, one in zip(blocks, sizes, strict=True)]))
    return np.array(parts)
