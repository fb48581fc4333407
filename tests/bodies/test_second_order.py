"""The quadratic field of a reduced solid against Θ computed pair by pair, and its inertia against particles."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mode_basis import held_modes
from flexmb.bodies.reducing.reduction import basis_of, spinning
from flexmb.bodies.reducing.second_order import UnitLoads, motion_of
from flexmb.bodies.reducing.ties import tied_sets
from flexmb.validation.references.solid_body import RigidPatch, SolidBody
from tests.models.solid_bodies import ALUMINIUM, bracket_mesh

FOOT = bodies.on_plane((0, 0, 0), (0, 0, 1)) & bodies.in_box((0.03, 0, 0), (1, 1, 1))
BACK = bodies.on_plane((0, 0, 0.12), (0, 0, 1))
PUSH = {"push": bodies.NodalLoad(BACK, force=(3.0, 0.0, 1.0))}


@pytest.fixture(scope="module")
def bracket():
    """A coarse bracket, and its full model by scikit-fem's own forms."""
    mesh = bracket_mesh((2, 1, 2))
    body = bodies.from_mesh(
        mesh, ALUMINIUM, interfaces={"foot": FOOT}, followers={"back": BACK}, modes=4,
        loads=PUSH,
    )  # fmt: skip
    nodes = body.mesh.nodes + body.origin
    solid = SolidBody(mesh, skfem.ElementHex2(), 5, (7e10, 0.33, 2700.0), nodes)
    foot = FOOT.numbers(nodes, "test")
    return body, solid, RigidPatch(foot, nodes[foot].mean(axis=0))


def test_second_order_by_unit_loads_is_that_of_every_pair(bracket):
    body, solid, foot = bracket
    shapes = body.mesh.shapes.reshape(-1, body.modes)
    chi = body.mesh.slave_shapes.reshape(-1, 6)
    back = BACK.numbers(solid.nodes, "test")
    rng = np.random.default_rng(1)
    for _ in range(2):
        i, j = rng.integers(body.modes, size=2)
        theta, moved = solid.second_order([foot], shapes[:, i], shapes[:, j])
        slaves = chi.T @ (solid.mass @ theta)
        assert np.allclose(body.slaves[:, i, j], slaves, rtol=0, atol=1e-9 * np.max(np.abs(slaves)))
        tie = body.interfaces["foot"]
        found = np.concatenate([tie.translation2[:, i, j], tie.rotation2[:, i, j]])
        assert np.allclose(found, moved[0], rtol=0, atol=1e-9 * np.max(np.abs(moved)))
        # a load on nodes, in equal parts, does its work on Θ there
        push = theta.reshape(-1, 3)[back].mean(axis=0) @ (3.0, 0.0, 1.0)
        second = body.loads["push"].second
        assert second[i, j] == pytest.approx(push, abs=1e-9 * np.max(np.abs(second)))


def test_inertia_is_that_of_all_mass(bracket):
    body, solid, _ = bracket
    X, phi = body.mesh.nodes, body.mesh.shapes
    fields = np.concatenate([X[:, :, None], phi, body.mesh.slave_shapes], axis=2)  # (N, 3, 1 + n + 6)
    for a, b in ((0, 0), (0, 2), (1, 3), (2, body.modes + 4)):
        for x in range(3):
            for y in range(3):
                u, v = np.zeros_like(X), np.zeros_like(X)
                u[:, 0], v[:, 0] = fields[:, x, a], fields[:, y, b]
                wanted = u.ravel() @ (solid.mass @ v.ravel())
                assert body.products[a, b, x, y] == pytest.approx(wanted, abs=1e-11 * np.abs(body.products[a, a]).max())
    assert np.allclose(body.modal_mass, np.eye(body.modes), atol=1e-12)
    assert np.allclose(body.first, 0.0, atol=1e-11)


def test_a_follower_is_the_mean_of_its_nodes(bracket):
    body, solid, _ = bracket
    back = BACK.numbers(solid.nodes, "test")
    assert np.allclose(body.interfaces["back"].translation, body.mesh.shapes[back].mean(axis=0), atol=1e-12)


def test_unit_loads_of_a_spin_are_those_of_the_slave_shapes(bracket):
    """ω_i ω_j loads the slave shapes by tr(ω̃ω̃ P_0m), through their T^m."""
    body, _, _ = bracket
    linear = bodies.from_mesh(
        bracket_mesh((2, 1, 2)), ALUMINIUM, interfaces={"foot": FOOT}, modes=4, loads=PUSH,
        reduction=bodies.Reduction(field="unit-loads", estimate=False),
    )  # fmt: skip
    assert len(linear.slaves) == 0
    found = linear.unit_load_stiffness.spin
    for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))):
        W = np.zeros((3, 3))
        if i == j:
            W = np.diag([1.0 if x == i else 0.0 for x in range(3)]) - np.eye(3)
        else:
            W[i, j] = W[j, i] = 1.0
        load = np.einsum("xy,myx->m", W, body.products[0, 1 + body.modes :])
        assert np.allclose(found[k], np.tensordot(load, body.slaves, 1), atol=1e-9 * np.max(np.abs(found)))
    assert np.allclose(linear.interfaces["foot"].translation2, body.interfaces["foot"].translation2, rtol=1e-9)


def test_modes_of_a_spinning_beam_are_stiffened():
    """Flapping of a clamped beam that turns about its root: ω √(ρA L⁴/EI) after Wright et al. (1982)."""
    p = fm.spatial.BeamProperties(EA=1e7, EIy=1.0, EIz=3.0, GJ=10.0, rhoA=1.0, rhoIp=1e-4)
    blade = bodies.frame_model(
        {"hub": (0, 0, 0), "tip": (1, 0, 0)}, [bodies.Member(("hub", "tip"), properties=p, elements=10)]
    )
    held = HeldBody(blade, tied_sets(blade, {"hub": "hub"}))
    for speed, wanted in ((6.0, 7.3604), (12.0, 13.1702)):
        omegas, shapes = held_modes(spinning(held, (0, 0, speed), (0, 0, 0)), 3)
        flapping = np.abs(blade.translations(held.map @ shapes)[1, 2]) > 1e-3
        assert omegas[flapping][0] == pytest.approx(wanted, rel=1e-3)


def test_frame_of_an_interface(bracket):
    """A body seen from an interface, where it neither moves nor turns; its modes are those of the body held there."""
    _, solid, patch = bracket
    body = bodies.from_mesh(
        bracket_mesh((2, 1, 2)), ALUMINIUM, interfaces={"foot": FOOT}, followers={"back": BACK}, modes=4,
        reduction=bodies.Reduction(reference="foot"),
    )  # fmt: skip
    foot, back = body.interfaces["foot"], body.interfaces["back"]
    assert np.allclose(foot.position, 0.0, atol=1e-15)
    for what in ("translation", "rotation", "translation2", "rotation2"):
        assert np.max(np.abs(getattr(foot, what))) < 1e-9 * np.max(np.abs(getattr(back, what)))
    assert len(body.slaves) == 12
    G = solid.map_of([patch])[:, :-6]
    wanted = scipy.linalg.eigh(
        G.T @ (solid.stiffness @ G), G.T @ (solid.mass @ G), eigvals_only=True, subset_by_index=[0, 3]
    )
    found = scipy.linalg.eigh(np.diag(body.stiffness), body.modal_mass, eigvals_only=True)
    assert found == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("average", [(True, True), (True, False), (False, True)])
def test_ties_on_average_carry_loads_between_interfaces(average):
    """Loads in balance between two interfaces deform the body as its static modes do, however these are tied; free
    frequencies with ties on average are those of the body without ties, from above."""
    model = bodies.mesh_model(bracket_mesh((2, 1, 2)), ALUMINIUM)
    ties = {"foot": bodies.Tie(FOOT, average=average[0]), "back": bodies.Tie(BACK, average=average[1])}
    body = HeldBody(model, tied_sets(model, ties))
    found = basis_of(body, 0, bodies.Reduction())
    moved, rigid = (np.vstack([motion_of(body, tie, x) for tie in body.ties]) for x in (found.shapes, body.rigid))
    balanced = scipy.linalg.null_space(rigid.T)
    loads = np.hstack([UnitLoads.on_tie(body, tie).on_body(body) for tie in body.ties]) @ balanced
    u = body.free(loads)
    full = balanced.T @ np.vstack([motion_of(body, tie, u) for tie in body.ties])
    reduced = balanced.T @ (moved / found.omegas**2) @ moved.T @ balanced
    assert np.allclose(reduced, full, rtol=0, atol=1e-8 * np.max(np.abs(full)))
    static = body.static_modes()
    own = np.vstack([motion_of(body, tie, static) for tie in body.ties])
    assert np.allclose(own, np.eye(12), atol=1e-8)
    if all(average):
        free = held_modes(HeldBody(model, []), 4, flexible=True)[0]
        off = basis_of(body, 12, bodies.Reduction()).omegas[:4] / free - 1.0
        assert np.all(off > -1e-9) and np.all(off < 1e-2)
