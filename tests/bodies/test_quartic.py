"""The strain energy of fourth order that a quadratic field leaves: plates that stretch, strips that do not."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.body_of_mesh import mesh_model
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.quartic import energy_of, quartic_energy
from flexmb.bodies.reducing.ties import tied_sets
from flexmb.bodies.substructures import side_by_side

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
QUIET = bodies.Reduction(estimate=False, progress=False)


def disc(radius, thickness, fineness=3):
    """A disc of wedges."""
    flat = skfem.MeshTri.init_circle(fineness)
    p, t = radius * flat.p.T, flat.t.T
    count = len(p)
    points = np.vstack([np.column_stack([p, np.full(count, z)]) for z in (-0.5 * thickness, 0.5 * thickness)])
    return meshio.Mesh(points, [("wedge", np.hstack([t, t + count]))])


def test_a_disc_bent_into_a_saddle():
    """w = A x y, with u = −A y z and v = −A x z, has the Gaussian curvature −A². Airy's function of a free disc, ∇⁴F =
    E A² with F = F' = 0 at its edge, F = E A² (r² − a²)²/64, has the energy h/(2E) ∫ (∇²F)² = π E h A⁴ a⁶/384."""
    radius, thickness = 0.5, 0.005
    model = bodies.mesh_model(disc(radius, thickness), STEEL)
    x, y, z = model.nodes.T
    saddle = np.stack([-y * z, -x * z, x * y], axis=1).reshape(-1, 1)
    Q = quartic_energy(HeldBody(model, []), saddle)
    wanted = np.pi * 205e9 * thickness * radius**6 / 384.0
    assert float(energy_of(Q, np.ones(1))) == pytest.approx(wanted, rel=0.02)


def test_a_disc_bent_into_a_cylinder():
    """w = ½ A (x² − ν y²) would be bending by a moment about one axis; of the cylinder w = ½ A x² nothing is left."""
    model = bodies.mesh_model(disc(0.5, 0.005), STEEL)
    x, y, z = model.nodes.T
    nu = 0.3
    cylinder = np.stack([-x * z, 0.0 * z, 0.5 * x**2 + 0.5 * nu / (1.0 - nu) * z**2], axis=1).reshape(-1, 1)
    bowl = np.stack([-x * z, -y * z, 0.5 * (x**2 + y**2) + nu / (1.0 - nu) * z**2], axis=1).reshape(-1, 1)
    Q = quartic_energy(HeldBody(model, []), np.hstack([cylinder, bowl]))
    assert Q[0, 0, 0, 0] < 1e-3 * Q[1, 1, 1, 1]


@pytest.mark.parametrize("rigid", [True, False])
def test_turning_the_body_changes_nothing(rigid):
    """A rigid turn added to a shape, of second order taken along by Θ: the same energy, with a tie and without."""
    flat = skfem.MeshHex.init_tensor(np.linspace(0, 0.4, 4), np.linspace(0, 0.3, 4), np.array([0, 0.01]))
    model = bodies.mesh_model(flat, STEEL)
    ties = {"corner": bodies.in_box((0, 0, 0), (0.14, 0.11, 0.01))} if rigid else {}
    body = HeldBody(model, tied_sets(model, ties))
    shape = bodies.reducing.mode_basis.held_modes(body, 1, flexible=not rigid)[1]
    turned = shape + body.rigid @ np.array([0.0, 0, 0, 0.3, -0.2, 0.5])[:, None] * np.abs(shape).max()
    one, other = (quartic_energy(body, s)[0, 0, 0, 0] for s in (shape, turned))
    assert one > 0.0 and other == pytest.approx(one, rel=1e-6)


def bent(mesh, thickness, amplitude):
    """A body in free motion that begins with its lowest mode, the largest displacement being `amplitude`."""
    reduced = bodies.from_mesh(mesh, STEEL, interfaces={}, modes=4, reduction=QUIET)
    model = fm.SpatialModel("free")
    start = np.zeros(reduced.modes)
    start[0] = amplitude / np.abs(reduced.mesh.shapes[:, :, 0]).max()
    model.add_modal_body("sheet", reduced, amplitudes=start)
    return reduced, model


@pytest.mark.warns(fm.errors.AccuracyWarning, "bends into double curvature")
def test_a_plate_is_doubted_and_a_strip_is_not():
    """The lowest mode of a square plate is a twist: by twice its thickness it is doubted, by a tenth not; a strip
    is not by ten times its thickness."""
    line, thickness = np.linspace(0.0, 0.5, 7), 0.004
    plate = skfem.MeshHex.init_tensor(line, line, np.array([0.0, thickness]))
    strip = skfem.MeshHex.init_tensor(np.linspace(0.0, 0.5, 17), np.array([0.0, 0.01]), np.array([0.0, thickness]))
    found = {}
    for name, mesh, amplitude in (("far", plate, 2.0), ("near", plate, 0.1), ("strip", strip, 10.0)):
        body, model = bent(mesh, thickness, amplitude * thickness)
        run = fm.simulate(model, 1e-4, progress=False)
        found[name] = [text for text in run.doubts if "double curvature" in text]
        assert body.quartic.shape == (4, 4, 4, 4)
    assert len(found["far"]) == 1 and "'sheet'" in found["far"][0] and not found["near"] and not found["strip"]


def test_substructures_know_the_strains_of_pairs_of_all_their_parts():
    one = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.3]), np.array([0, 0.1]))
    two = one.translated((2.0, 0, 0))
    parts = side_by_side({x: mesh_model(m, STEEL) for x, m in (("one", one), ("two", two))}, "both")
    whole = mesh_model(one + two, STEEL)
    number = {tuple(p): k for k, p in enumerate(whole.nodes.round(9).tolist())}
    order = np.array([number[tuple(p)] for p in parts.nodes.round(9).tolist()])
    rng, pairs = np.random.default_rng(3), np.array([(0, 0), (0, 1), (1, 1)])
    shapes, fields = rng.normal(size=(2, len(whole.nodes), 3, 3))
    there = (shapes.reshape(-1, 3), fields.reshape(-1, 3))
    here = [x[order].reshape(-1, 3) for x in (shapes, fields)]
    forces = whole.pair_strains.pair_forces(there[0], pairs).reshape(-1, 3, 3)[order].reshape(-1, 3)
    np.testing.assert_allclose(parts.pair_strains.pair_forces(here[0], pairs), forces, atol=1e-12 * abs(forces).max())
    np.testing.assert_allclose(
        parts.pair_strains.pair_energies(here[0], pairs, here[1]),
        whole.pair_strains.pair_energies(there[0], pairs, there[1]), rtol=1e-12,
    )  # fmt: skip
    half = {x: mesh_model(one.translated((s, 0, 0)), STEEL) for x, s in (("left", 0.0), ("right", 1.0))}
    end = bodies.on_plane((1, 0, 0), (1, 0, 0))
    body = bodies.from_substructures(half, {"weld": [("left", end), ("right", end)]}, modes=2)
    assert len(body.quartic) == body.modes
