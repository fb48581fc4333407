"""Inertia of bodies from mass matrices with rotary inertia, against points of mass, and in flight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.reducing.mass_products import products, products_by_matrix
from flexmb.bodies.reducing.reduction import Reduction, reduce

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
LINEAR = Reduction(field="linear", estimate=False)


def thick_arm(elements, d=3):
    """A frame with one knee, of bars whose sections turn with much of its inertia."""
    places = {"foot": (0, 0, 0), "knee": (0, 0, 1), "hand": (1, 0.3, 1)}
    if d == 2:
        places = {"foot": (0, 0), "knee": (0, 1), "hand": (1, 0.3)}
    bar = fm.Rectangle(width=0.12, height=0.2)
    sides = (("foot", "knee"), ("knee", "hand"))
    return bodies.frame_model(places, [bodies.Member(x, STEEL, bar, elements=elements) for x in sides])


def of_points(d):
    """A model whose nodes carry points of mass, each by several nodes and off them, and these points; in space with
    masses that couple them, in the plane alone and with the arms of each along one line."""
    rng = np.random.default_rng(4)
    r, N, P = 3 if d == 3 else 1, 4, 9
    nodes, share = rng.normal(size=(N, d)), rng.uniform(0.1, 1.0, (P, N))
    share /= share.sum(axis=1, keepdims=True)
    arms = 0.4 * rng.normal(size=(P, N, d)) if d == 3 else rng.normal(size=(P, N, 1)) * rng.normal(size=(P, 1, d))
    root = rng.normal(size=(P, P))
    L = np.zeros((P, d, N, d + r))
    for p, a in np.ndindex(P, N):
        L[p, :, a, :d] = share[p, a] * np.eye(d)
        s = arms[p, a]
        L[p, :, a, d:] = np.cross(np.eye(3), s).T if d == 3 else np.array([[-s[1]], [s[0]]])
    flat = L.reshape(P * d, N * (d + r))
    m = root @ root.T if d == 3 else np.diag(root[0] ** 2)
    M = flat.T @ np.kron(m, np.eye(d)) @ flat
    model = FullModel(
        nodes, sp.csr_matrix(M.shape), M, np.repeat(np.arange(N), d + r), np.tile(np.arange(d + r), N)
    )  # fmt: skip
    return model, MassField(share @ nodes + arms.sum(axis=1), m, sp.csr_matrix(flat))


@pytest.mark.parametrize("d", [2, 3])
def test_masses_off_their_nodes_are_found_in_the_matrix(d):
    """Without error in any product; of the plane in those that its motion has, traces and axial parts."""
    model, field = of_points(d)
    rng = np.random.default_rng(5)
    shapes, origin = rng.normal(size=(len(model.node_of), 3)), rng.normal(size=d)
    wanted, got = products(field, origin, field.moved(shapes)), products_by_matrix(model, origin, shapes)
    assert got[0] == pytest.approx(wanted[0], rel=1e-12)
    assert np.allclose(got[1], wanted[1], rtol=0, atol=1e-12 * np.max(np.abs(wanted[1])))
    apart, scale = got[2] - wanted[2], np.max(np.abs(wanted[2]))
    if d == 2:
        apart = np.stack([np.trace(apart, axis1=2, axis2=3), apart[..., 0, 1] - apart[..., 1, 0]])
    assert np.max(np.abs(apart)) < 1e-12 * scale


def errors(elements, d):
    """How far products by the mass matrix of a frame are from those of its points, by the sizes of both fields: those
    of first order in the modes, and the modal masses."""
    model = thick_arm(elements, d)
    frame, given = (reduce(x, {}, 6, LINEAR) for x in (model, replace(model, mass_field=None)))
    sign = np.sign(np.einsum("adk,adk->k", frame.mesh.shapes, given.mesh.shapes))
    sign = np.append(1.0, sign)
    apart = given.products * (sign[:, None] * sign)[:, :, None, None] - frame.products
    if d == 2:  # what is not seen in the plane
        apart = np.trace(apart, axis1=2, axis2=3)[:, :, None, None]
    size = np.sqrt(np.trace(frame.products[range(7), range(7)], axis1=1, axis2=2))
    apart = np.max(np.abs(apart), axis=(2, 3)) / (size[:, None] * size)
    return np.max(apart[0, 1:]), np.max(np.abs(given.modal_mass - np.eye(6)))


@pytest.mark.parametrize(("d", "bound"), [(2, 8e-4), (3, 1.5e-3)])
def test_the_inertia_of_sections_turns_with_the_modes(d, bound):
    """Sums of rows would be off by 1.5e-2 at any number of elements, as would the inertia of sections that stay."""
    (coarse, _), (fine, modal) = errors(8, d), errors(16, d)
    assert coarse < bound and fine < coarse / 2.0
    assert modal < 1e-11


def flight(reduced, signs):
    model = fm.SpatialModel("arm")
    size = np.array([0.4, -0.3, 0.2, 0.2]) * signs
    body = model.add_modal_body("arm", reduced, field="linear", amplitudes=size, amplitude_rates=300.0 * size)
    body.frame.move((3.0, -2.0, 1.0), (60.0, -45.0, 75.0))
    return fm.simulate(model, 0.02, "radau", tolerance=1e-11, times=np.linspace(0.0, 0.02, 5), progress=False)


def test_a_body_with_rotary_inertia_in_flight():
    """It keeps energy and momenta, and flies as the same frame with its own points of mass does, the better the shorter
    its elements are."""
    apart = []
    for elements in (4, 8):
        arm = thick_arm(elements)
        frame = reduce(arm, {}, 4, LINEAR)
        given = bodies.from_matrices(arm.stiffness, arm.mass, arm.nodes, interfaces={}, modes=4, reduction=LINEAR)
        signs = np.sign(np.einsum("adk,adk->k", frame.mesh.shapes[: len(arm.nodes)], given.mesh.shapes))
        run, other = flight(given, signs), flight(frame, np.ones(4))
        energy = run.energy.total
        assert np.ptp(energy) < 1e-9 * energy[0] and np.max(run.energy.strain) > 1e-3 * energy[0]
        for momentum in (run.whole.momentum, run.whole.angular_momentum):
            assert np.max(np.abs(momentum - momentum[0])) < 1e-11 * np.linalg.norm(momentum[0])
        turned = (run["arm"].orientation.inv() * other["arm"].orientation).magnitude()
        apart.append(np.max(turned))
    assert apart[1] < apart[0] / 3.0 and apart[1] < 5e-4
