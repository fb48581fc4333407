"""References for solid bodies: a free plate by Ritz's method, and a body by scikit-fem's own forms."""

from __future__ import annotations

import numpy as np
import pytest
import skfem

from flexmb.validation.references.free_plate import frequencies
from flexmb.validation.references.solid_body import RigidPatch, SolidBody


def test_free_plate_converges_from_above():
    """More terms only lower the frequencies, to those that Leissa (1973) gives up to 1 % too high."""
    few, many = frequencies(5, 0.3, 8), frequencies(5, 0.3, 16)
    assert np.all(many <= few * (1.0 + 1e-12)) and few == pytest.approx(many, rel=1e-3)
    leissa = np.array([13.489, 19.789, 24.432, 35.024, 35.024])
    assert np.all(many < leissa) and many == pytest.approx(leissa, rel=1.1e-2)


def test_solid_body():
    """Rigid motions have no strain; a second-order field cancels the second order of a finite turn."""
    nodes = skfem.Basis(skfem.MeshHex(), skfem.ElementHex2(), intorder=5).doflocs.T
    solid = SolidBody(skfem.MeshHex(), skfem.ElementHex2(), 5, (1.0, 0.3, 2.0), nodes)
    R = solid.rigid_modes()
    assert np.max(np.abs(solid.stiffness @ R)) < 1e-14
    assert R[:, :3].T @ (solid.mass @ R[:, :3]) == pytest.approx(2.0 * np.eye(3), abs=1e-12)
    patch = RigidPatch(np.flatnonzero(nodes[:, 0] == 0.0), np.array([0.0, 0.5, 0.5]))
    turn = R[:, 5]  # about z
    theta, _ = solid.second_order([patch], turn, turn)
    wanted = -np.where([True, True, False], nodes, 0.0)  # θ̃ θ̃ X
    wanted -= wanted.mean(axis=0)
    got = theta.reshape(-1, 3)
    motion = np.linalg.lstsq(R, (got - wanted).ravel(), rcond=None)[0]
    assert np.max(np.abs((got - wanted).ravel() - R @ motion)) < 1e-12
