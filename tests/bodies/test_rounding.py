"""Digits that thin bodies keep: forces by strains lose fewer than those by the entries of K."""

from __future__ import annotations

import numpy as np
import pytest
import skfem
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.substructures import side_by_side

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
STRIP = skfem.MeshHex.init_tensor(np.linspace(0, 1, 13), np.array([0, 0.02]), np.array([0, 0.002]))
TURN, SHIFT = Rotation.from_euler("xyz", (0.7, -1.1, 2.0)).as_matrix(), np.array([3.0, -1.0, 0.5])


def turned(mesh):
    return type(mesh)(TURN @ mesh.p + SHIFT[:, None], mesh.t)


def test_forces_are_those_of_the_stiffness_matrix():
    model = bodies.mesh_model(STRIP, STEEL)
    u = np.random.default_rng(0).normal(size=(len(model.node_of), 3))
    wanted = model.stiffness @ u
    assert model.forces(u) == pytest.approx(wanted, abs=1e-12 * np.abs(wanted).max())
    moved = 1e6 + 0.0 * u
    assert np.abs(model.forces(moved)).max() == 0.0


@pytest.mark.parametrize("interfaces", [0, 1])
def test_a_thin_strip_turned_in_space(interfaces):
    """Frequencies to 3e-11 where rounding of K changes them by 1e-7, its eigenvalues being 1e11 apart; to 3e-12 where
    no error of the basis enters them."""
    found = []
    for mesh, point, normal in ((STRIP, np.zeros(3), np.eye(3)[0]), (turned(STRIP), SHIFT, TURN[:, 0])):
        ends = {"root": bodies.on_plane(tuple(point), tuple(normal))} if interfaces else {}
        how = bodies.Reduction(estimate=False, field="linear")
        found.append(bodies.from_mesh(mesh, STEEL, interfaces=ends, modes=4, reduction=how).frequencies[:4])
    assert found[1] == pytest.approx(found[0], rel=3e-11 if interfaces else 3e-12)


def test_forces_of_substructures():
    """Those of parts side by side are those of each."""
    one, other = bodies.mesh_model(STRIP, STEEL), bodies.mesh_model(turned(STRIP), STEEL, name="other")
    both = side_by_side({"a": one, "b": other}, "both")
    u = np.random.default_rng(1).normal(size=(len(both.node_of), 2))
    n = len(one.node_of)
    assert np.array_equal(both.forces(u), np.concatenate([one.forces(u[:n]), other.forces(u[n:])]))
