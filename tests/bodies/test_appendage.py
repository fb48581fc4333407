"""Matrices of spinning appendages against the accelerations of their points, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies

skfem = pytest.importorskip("skfem")
METAL = fm.Material(2700, 7e10, 0.3)
SPIN, RATE, CENTER = np.array([3.0, -2.0, 5.0]), np.array([-7.0, 4.0, 1.5]), np.array([-0.2, 0.1, 0.05])


@pytest.fixture(scope="module")
def block():
    x, y = np.linspace(0, 1, 3), np.linspace(0, 0.2, 2)
    return bodies.mesh_model(skfem.MeshHex.init_tensor(x, y, 0.5 * y), METAL)


def motion(n, seed=0):
    return np.random.default_rng(seed).standard_normal((3, n))


def inertia_force(model, free, q, rates, accelerations, origin, moved=0.0):
    """∫ Wᵀ (acceleration of points) dm of a solid whose base spins, less that of the displacement of the base."""
    d, N = 3, len(model.nodes)
    u, du, ddu = (np.zeros(N * d) for _ in range(3))
    u[free], du[free], ddu[free] = q, rates, accelerations
    r = model.nodes - origin + u.reshape(N, d)
    du, ddu = du.reshape(N, d), ddu.reshape(N, d)
    a = np.cross(RATE, r) + np.cross(SPIN, np.cross(SPIN, r)) + 2.0 * np.cross(SPIN, du) + ddu + moved
    return (model.mass_field.matrix @ a).ravel(), a


def test_on_a_fixed_center_the_matrices_are_the_inertia_of_all_points(block):
    root = bodies.on_plane((0, 0, 0), (1, 0, 0))
    found = bodies.appendage_matrices(block, root, SPIN, spin_rate=RATE, center=CENTER)
    q, v, a = motion(len(found.force))
    free = np.flatnonzero(~np.isin(block.node_of, found.clamped))
    force, _ = inertia_force(block, free, q, v, a, CENTER)
    by_matrices = found.mass @ a + found.gyroscopic @ v + (found.centrifugal + found.circulatory) @ q - found.force
    assert by_matrices == pytest.approx(force[free], rel=1e-11, abs=1e-11 * np.abs(force).max())
    for skew in (found.gyroscopic, found.circulatory):
        assert abs(skew + skew.T).max() < 1e-12 * abs(skew).max()
    for symmetric in (found.mass, found.stiffness, found.geometric):
        assert abs(symmetric - symmetric.T).max() < 1e-9 * abs(symmetric).max()


def test_on_a_free_vehicle_the_mass_center_stays(block):
    root, total = bodies.on_plane((0, 0, 0), (1, 0, 0)), 200.0
    found = bodies.appendage_matrices(block, root, SPIN, spin_rate=RATE, center=CENTER, vehicle_mass=total)
    q, v, a = motion(len(found.force), seed=1)
    free = np.flatnonzero(~np.isin(block.node_of, found.clamped))
    alone, _ = inertia_force(block, free, q, v, a, CENTER)
    base = -alone.reshape(-1, 3).sum(axis=0) / total  # so that all of the vehicle's momentum stays
    force, _ = inertia_force(block, free, q, v, a, CENTER, moved=base)
    by_matrices = found.mass @ a + found.gyroscopic @ v + (found.centrifugal + found.circulatory) @ q - found.force
    assert by_matrices == pytest.approx(force[free], rel=1e-10, abs=1e-10 * np.abs(force).max())


def test_turns_of_sections_are_in_the_energy_of_the_spin():
    """−½ qᵀ κ q is the second difference of ½ ∫ |ω × x|² dm, arms of sections turned by rotation vectors."""
    bar = bodies.Member(("a", "b"), METAL, fm.Rectangle(0.1, 0.2), elements=2)
    model = bodies.frame_model({"a": (0, 0, 0), "b": (0.5, 0.3, 0.1)}, [bar])
    found = bodies.appendage_matrices(model, "a", SPIN, center=CENTER)
    free = np.flatnonzero(~np.isin(model.node_of, found.clamped))
    field = model.mass_field
    q = motion(len(free), seed=2)[0]
    full = np.zeros(len(model.node_of))
    full[free] = q

    def energy(size):
        from scipy.spatial.transform import Rotation

        u = (field.displacement @ (size * full)).reshape(-1, 3)
        turns = (field.turning @ (size * full)).reshape(-1, 3)
        first = np.cross(turns, field.arms)
        arms = Rotation.from_rotvec(turns).apply(field.arms) - field.arms
        x = field.positions - CENTER + u - first + arms
        speeds = np.cross(SPIN, x)
        return 0.5 * field.matrix.diagonal() @ np.einsum("pd,pd->p", speeds, speeds)

    h = 1e-4
    second = (energy(h) - 2.0 * energy(0.0) + energy(-h)) / h**2
    assert q @ (found.centrifugal @ q) == pytest.approx(-second, rel=1e-5)
    assert -found.force @ q == pytest.approx(-(energy(h) - energy(-h)) / (2.0 * h), rel=1e-6)


def test_sparse_and_full_eigenvalues_are_the_same(block, monkeypatch):
    from flexmb.bodies import appendage

    found = bodies.appendage_matrices(block, bodies.on_plane((0, 0, 0), (1, 0, 0)), 20.0 * SPIN)
    full = found.poles(4)
    monkeypatch.setattr(appendage, "SMALL", 10)
    assert found.poles(4).imag == pytest.approx(full.imag, rel=1e-7)


def test_what_is_refused(block):
    root = bodies.on_plane((0, 0, 0), (1, 0, 0))
    plain = bodies.matrix_model(block.stiffness, block.mass, block.nodes)
    for wanted, match in (
        (lambda: bodies.appendage_matrices(plain, [0], SPIN), "make it from a mesh or a frame"),
        (lambda: bodies.appendage_matrices(block, root, SPIN, vehicle_mass=1.0), "the appendage weighs 54 kg"),
        (lambda: bodies.appendage_matrices(block, np.arange(len(block.nodes)), SPIN), "nothing can move"),
        (lambda: bodies.appendage_matrices(block, root, 3.0), "spin"),
        (lambda: bodies.appendage_matrices(block, "wall", SPIN), "wall"),
        (lambda: bodies.appendage_matrices(block, root, SPIN).poles(0), "count"),
    ):
        with pytest.raises(fm.errors.FlexmbError, match=match):
            wanted()
