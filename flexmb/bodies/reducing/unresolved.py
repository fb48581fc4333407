"""Stresses under loads of inertia that the modes of a body leave out.

Forces at interfaces have their deformations in the basis, and so have loads that were given. What acts between the
interfaces by acceleration and spin has them only if it was asked for: M φ of the six rigid motions, and −M ω̃ω̃X. Under
such a load f, interfaces held, the body deforms by u = K⁻¹ f, of which its modes have Σ φ φᵀ K u/ω²; the largest stress
of the rest tells how far stresses of the body are from those of the full model."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mode_basis import Modes
from flexmb.bodies.reducing.second_order import spin_loads
from flexmb.bodies.stresses import stresses_of, von_mises


def inertia_forces(body: HeldBody) -> np.ndarray:
    """The loads (n', 12), in the plane (n', 4), of unit accelerations of the body, turns last, and of unit ω_iω_j."""
    return np.hstack([body.mass @ body.rigid, spin_loads(body).on_body(body)])


def unresolved_stresses(body: HeldBody, found: Modes) -> np.ndarray:
    """The largest stress of von Mises (12,), in the plane (4,) [Pa], that the modes leave out under each unit load."""
    model, forces = body.model, inertia_forces(body)
    u = body.held(forces) if body.ties else body.flexible(forces)
    phi = found.shapes
    left = u - phi @ ((phi.T @ (body.stiffness @ u)) / found.omegas[:, None] ** 2)
    stress = stresses_of(model.nodes, model.cells, model.elasticity, model.translations(body.map @ left)).nodal
    return np.asarray(np.max(von_mises(stress.transpose(0, 2, 1)), axis=0))
