"""Forces through cuts of bodies: by balance of the part ahead, in tension, in spin, under weight, wherever cut."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import skfem
from scipy.spatial import ConvexHull

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.cuts import parts_ahead
from flexmb.errors import AccuracyWarning, ModelError
from flexmb.results.body_results import inertia_of_slices
from flexmb.results.names import FrameMotion

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
QUIET = bodies.Reduction(inertia_loads=True, spin_loads=True, estimate=False, progress=False)


def strip(d: int, elements: int = 20, width: float = 0.02, height: float = 0.002, **options) -> bodies.ReducedBody:
    lines = [np.linspace(0.0, 1.0, elements + 1), *(0.5 * x * np.array([-1.0, 1.0]) for x in (width, height)[3 - d :])]
    mesh = (skfem.MeshHex if d == 3 else skfem.MeshQuad).init_tensor(*lines)
    ends = {name: bodies.on_plane(x * np.eye(d)[0], np.eye(d)[0]) for name, x in (("foot", 0.0), ("tip", 1.0))}
    options = {"modes": 9, "reduction": QUIET} | ({} if d == 3 else {"thickness": width}) | options
    return bodies.from_mesh(mesh, STEEL, interfaces=ends, **options)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("modes", [0, 9])
def test_a_strip_in_tension_passes_on_what_pushes_its_tip(d, modes):
    """N w' balances what bending leaves of the force across: M = P sinh(k (L − x))/(k cosh(k L)), k² = N/EI."""
    across = np.eye(d)[-1]
    model = (fm.SpatialModel if d == 3 else fm.PlanarModel)("strip")
    body = model.add_modal_body("bar", strip(d, modes=modes))
    model.weld(model.ground, body.at("foot"))
    model.point_force(body.at("tip"), 100.0 * np.eye(d)[0] + across)
    run = fm.equilibrium(model).solution
    k = np.sqrt(100.0 / (2e11 * 0.02 * 0.002**3 / 12.0))
    for x in (0.14, 0.375, 0.61, 0.9, 0.99):
        force, moment = run.section_force("bar", x * np.eye(d)[0], np.eye(d)[0])
        np.testing.assert_allclose(force[0], 100.0 * np.eye(d)[0] + across, atol=1e-7)
        bending = -moment[0, 1] if d == 3 else moment[0]
        if modes:
            assert bending == pytest.approx(np.sinh(k * (1.0 - x)) / (k * np.cosh(k)), rel=0.05, abs=2e-4)
        np.testing.assert_allclose(run.section_force("bar", x * np.eye(d)[0], -np.eye(d)[0])[0], -force, atol=1e-9)


def test_a_spinning_strip_is_cut_where_it_is_asked():
    """½ ρA Ω² (L² − x²), in the first half of an element too; stretched by Ω² L² ρ/E = 4e-4 at most."""
    model = fm.PlanarModel("spun")
    body = model.add_modal_body("bar", strip(2, elements=8, width=0.01, height=0.02))
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame)
    model.weld(hub.frame, body.at("foot"))
    run = fm.equilibrium(model, spin=100.0, stable=False).solution
    for x in (0.0, 0.02, 0.0625, 0.1, 0.125, 0.48, 0.97, 1.0):
        force, _ = run.section_force("bar", (x, 0.0), (1.0, 0.0))
        wanted = 0.5 * 7850.0 * 2e-4 * 1e4 * (1.0 - x**2)
        assert force[0, 0] == pytest.approx(wanted, rel=4e-4, abs=0.2)


def test_forces_on_interfaces_without_nodes_on_both_sides():
    """A strip that is pulled at its middle by 50 N, and at its tip by 50 N and by 1 N across."""
    lines = [np.linspace(0.0, 1.0, 21), *(0.5 * x * np.array([-1.0, 1.0]) for x in (0.02, 0.002))]
    ends = {name: bodies.on_plane((x, 0, 0), (1, 0, 0)) for name, x in (("foot", 0.0), ("mid", 0.5), ("tip", 1.0))}
    body = bodies.from_mesh(skfem.MeshHex.init_tensor(*lines), STEEL, interfaces=ends, modes=0, reduction=QUIET)
    model = fm.SpatialModel("pulled")
    part = model.add_modal_body("bar", body)
    model.weld(model.ground, part.at("foot"))
    model.point_force(part.at("tip"), (50.0, 0.0, 1.0))
    model.point_force(part.at("mid"), (50.0, 0.0, 0.0))
    run = fm.equilibrium(model).solution
    force, _ = run.section_force("bar", (0.2, 0, 0), (1, 0, 0))
    np.testing.assert_allclose(force[0], (100.0, 0.0, 1.0), atol=1e-7)
    with pytest.warns(AccuracyWarning, match="the force through a cut is off by"):
        force, _ = run.section_force("bar", (0.75, 0, 0), (1, 0, 0))
    assert force[0, 0] == pytest.approx(50.0, rel=1e-3)


@pytest.mark.parametrize("axes", ["ground", "body"])
def test_a_file_knows_the_balance_of_a_body_that_moves(axes, tmp_path):
    """The parts of both sides of a plane, each by its own interface, pass on the same, but for how far the motion of
    elements that the plane cuts is linear in them."""
    model = fm.SpatialModel("thrown", gravity=(0.0, 0.0, -9.81))
    part = model.add_modal_body("bar", strip(3, elements=6, height=0.01, modes=6))
    hub = model.add_body("hub", mass=1.0, inertia=(1.0, 2.0, 1.5))
    model.weld(hub.frame, part.at("foot"))
    bob = model.add_body("bob", mass=0.3, inertia=(0.01, 0.02, 0.01), position=(1, 0, 0))
    model.weld(part.at("tip"), bob.frame)
    model.point_torque(hub.frame, (3.0, -5.0, 6.0))
    run = fm.simulate(model, 0.3, step=0.005)
    again = fm.load(run.save(tmp_path / "run.h5"))
    force, moment = run.section_force("bar", (0.4, 0, 0), (1, 0, 0), axes=axes)
    there = again.section_force("bar", (0.4, 0, 0), (1, 0, 0), axes=axes)
    np.testing.assert_array_equal(there[0], force)
    np.testing.assert_array_equal(there[1], moment)
    for one, other in zip(there, again.section_force("bar", (0.4, 0, 0), (-1, 0, 0), axes=axes), strict=True):
        np.testing.assert_allclose(other, -one, atol=4e-3 * np.max(np.abs(one)))


@pytest.mark.parametrize("cells", ["tetra", "hexahedron"])
def test_weight_ahead_of_a_skew_plane(cells):
    """A block that hangs at one face: the weight of the part ahead, counted by fine cubes."""
    cube = (skfem.MeshTet if cells == "tetra" else skfem.MeshHex)().refined(2)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    mesh = type(cube)(turn @ cube.p, cube.t)
    foot = {"foot": bodies.on_plane((0, 0, 0), turn[:, 2])}
    body = bodies.from_mesh(mesh, STEEL, interfaces=foot, modes=0, reduction=QUIET)
    model = fm.SpatialModel("hung", gravity=(0.0, 0.0, 9.81))
    part = model.add_modal_body("block", body)
    model.weld(model.ground.attach("wall", part.at("foot").position), part.at("foot"))
    run = fm.equilibrium(model).solution
    point, normal = np.array([0.5, 0.45, 0.43]), np.array([0.1, 0.2, 1.0])
    force, moment = run.section_force("block", turn @ point, turn @ normal)
    n = 120
    x = (np.stack(np.meshgrid(*3 * [np.arange(n) + 0.5], indexing="ij"), axis=-1).reshape(-1, 3)) / n
    x = x[(x - point) @ normal > 0.0] - point
    np.testing.assert_allclose(force[0], 7850.0 * 9.81 * len(x) / n**3 * np.array([0, 0, 1.0]), atol=20.0)
    wanted = np.cross(turn @ x.sum(axis=0), 7850.0 * 9.81 / n**3 * np.array([0, 0, 1.0]))
    np.testing.assert_allclose(moment[0], wanted, atol=20.0)


@pytest.mark.parametrize("d", [2, 3])
def test_inertia_between_plane_and_nodes_is_that_of_particles(d):
    rng = np.random.default_rng(d)
    many, n, k, r = 7, 3, 4, 3 if d == 3 else 1
    mu, X, phi, at = rng.normal(size=many), *(rng.normal(size=x) for x in ((many, d), (many, d, n), d))
    F = np.concatenate([X[:, :, None], phi], axis=2)
    arm = X - at
    slices = mu.sum(), mu @ arm, np.einsum("p,pxf->fx", mu, F), np.einsum("p,pw,pxf->fwx", mu, arm, F)
    motion = FrameMotion(np.zeros((k, d, d)), *(rng.normal(size=(k, x)) for x in (d, r, r)), np.zeros((k, d, d)))
    eta, rate, second = rng.normal(size=(3, k, n))
    force, moment = inertia_of_slices(
        bodies.Cut(*4 * (np.zeros(0),), *slices, *2 * (np.zeros(0),)), motion, eta, rate, second
    )

    def across(w, x):
        return np.cross(w, x) if d == 3 else w * np.array([-x[1], x[0]])

    for i in range(k):
        _, u, alpha, omega, _ = (x[i] for x in motion)
        swing = [
            u + across(alpha, s) + across(omega, across(omega, s)) + 2.0 * across(omega, p @ rate[i]) + p @ second[i]
            for s, p in zip(X + phi @ eta[i], phi, strict=True)
        ]
        loads = mu[:, None] * np.array(swing)
        np.testing.assert_allclose(force[i], loads.sum(axis=0), atol=1e-12)
        turning = np.cross(np.pad(arm, ((0, 0), (0, 3 - d))), np.pad(loads, ((0, 0), (0, 3 - d)))).sum(axis=0)
        np.testing.assert_allclose(moment[i], turning[-r:], atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_parts_of_simplices_ahead_of_a_plane(d):
    """By the hulls of the corners ahead and of the places where edges pass the plane."""
    rng = np.random.default_rng(d)
    corners = rng.normal(size=(d + 1, d))
    whole = ConvexHull(corners).volume
    for signs in product((-1.0, 1.0), repeat=d + 1):
        levels = np.array(signs) * rng.uniform(0.1, 1.0, size=d + 1)
        share, middle = parts_ahead(levels)
        if abs(sum(signs)) == d + 1:
            assert share == (1.0 if signs[0] > 0.0 else 0.0)
            continue
        places = [corners[levels > 0.0]]
        for i, j in product(np.flatnonzero(levels > 0.0), np.flatnonzero(levels < 0.0)):
            t = levels[i] / (levels[i] - levels[j])
            places.append((corners[i] + t * (corners[j] - corners[i]))[None])
        hull = ConvexHull(np.concatenate(places))
        assert share == pytest.approx(hull.volume / whole, rel=1e-10)
        inside = hull.points.mean(axis=0)
        pieces = [np.vstack([inside, hull.points[f]]) for f in hull.simplices]
        sizes = [abs(np.linalg.det(p[1:] - p[0])) for p in pieces]
        wanted = np.average([p.mean(axis=0) for p in pieces], axis=0, weights=sizes)
        np.testing.assert_allclose(middle @ corners, wanted)


def test_a_plane_beside_the_body_and_files_without_density(tmp_path):
    model = fm.SpatialModel("strip")
    body = model.add_modal_body("bar", strip(3, elements=4, modes=0))
    model.weld(model.ground, body.at("foot"))
    model.point_force(body.at("tip"), (10.0, 0.0, 0.0))
    run = fm.equilibrium(model).solution
    with pytest.raises(ModelError, match="both sides of the plane"):
        run.section_force("bar", (1.01, 0, 0), (1, 0, 0))
    again = fm.load(run.save(tmp_path / "rest.h5"))
    np.testing.assert_array_equal(
        again.section_force("bar", (0.3, 0, 0), (1, 0, 0)), run.section_force("bar", (0.3, 0, 0), (1, 0, 0))
    )
    unknown = replace(run.layout.bodies["bar"].mesh.elasticity[0], density=np.nan)
    object.__setattr__(run.layout.bodies["bar"].mesh, "elasticity", (unknown,))
    with pytest.warns(AccuracyWarning, match="density of its elements"):
        force, _ = run.section_force("bar", (0.3, 0, 0), (1, 0, 0))
    assert force[0, 0] == pytest.approx(10.0)
