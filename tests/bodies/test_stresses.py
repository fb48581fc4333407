"""Stresses on the mesh of a body: patches of constant stress, full models, cuts, gauges, files, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.stresses import COMPONENTS, quantity_of, stresses_of, tensors
from flexmb.errors import AccuracyWarning, ModelError, NamingError
from tests.models.solid_bodies import ALUMINIUM, bracket_mesh

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
LENGTH, SIDE = 0.5, 0.02
QUIET = bodies.Reduction(inertia_loads=True, progress=False)


def bar(**options) -> bodies.ReducedBody:
    x, side = np.linspace(0.0, LENGTH, 13), np.array([0.0, SIDE])
    ends = {name: bodies.on_plane((at, 0, 0), (1, 0, 0)) for name, at in (("foot", 0.0), ("tip", LENGTH))}
    options = {"modes": 4, "reduction": QUIET} | options
    return bodies.from_mesh(skfem.MeshHex.init_tensor(x, side, side), STEEL, interfaces=ends, name="bar", **options)


def held(reduced: bodies.ReducedBody, force=(0.0, 0.0, 0.0), gravity=(0.0, 0.0, 0.0)) -> fm.SpatialModel:
    model = fm.SpatialModel("cantilever", gravity=gravity)
    body = model.add_modal_body("bar", reduced)
    model.weld(model.ground.attach("wall", body.at("foot").position), body.at("foot"), name="clamp")
    model.point_force(body.at("tip"), force, name="load")
    return model


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("mesh", [skfem.MeshHex(), skfem.MeshTet(), skfem.MeshQuad(), skfem.MeshTri()])
def test_uniform_strain_of_any_element_has_uniform_stress(mesh, order):
    mesh = mesh.refined(1)
    d = mesh.p.shape[0]
    model = bodies.mesh_model(mesh, fm.Material(1000.0, 1.0, 0.25), order=order)
    A = np.random.default_rng(0).normal(size=(d, d))
    found = stresses_of(model.nodes, model.cells, model.elasticity, (model.nodes @ A.T)[:, :, None])
    strain = 0.5 * (A + A.T)
    if d == 3:
        wanted = 0.4 * np.trace(strain) * np.eye(3) + 0.8 * strain
    else:  # plane stress
        wanted = 1.0 / (1 - 0.0625) * (0.25 * np.trace(strain) * np.eye(2) + 0.75 * strain)
    for part in found:
        np.testing.assert_allclose(
            tensors(part[:, :, 0])[:, :d, :d], np.broadcast_to(wanted, (len(part), d, d)), atol=1e-13
        )


def test_plane_strain_is_held_across():
    model = bodies.mesh_model(skfem.MeshQuad(), fm.Material(1000.0, 1.0, 0.25), plane_strain=True)
    moved = np.zeros((len(model.nodes), 2, 1))
    moved[:, 0, 0] = model.nodes[:, 0]
    stress = stresses_of(model.nodes, model.cells, model.elasticity, moved).elements[0, :, 0]
    np.testing.assert_allclose(stress, [1.2, 0.4, 0.4, 0.0], atol=1e-13)


def test_sizes_of_a_stress_do_not_depend_on_axes():
    rng = np.random.default_rng(1)
    s = rng.normal(size=6)
    one = tensors(s)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    other = turn @ one @ turn.T
    t = np.array([other[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))])
    for what in ("von_mises", "max_principal", "mid_principal", "min_principal", "max_shear"):
        assert quantity_of(t, what) == pytest.approx(quantity_of(s, what), rel=1e-12)
    assert bodies.von_mises(np.array([5.0, 0, 0, 0, 0, 0])) == pytest.approx(5.0)


def test_stresses_of_a_cantilever_are_those_of_a_beam():
    force = 10.0
    run = fm.equilibrium(held(bar(), (0.0, 0.0, force))).solution
    stress = run["bar.stress_xx"]
    x, half = 0.25, 0.5 * SIDE
    wanted = force * (LENGTH - x) * half / (SIDE**4 / 12.0)
    assert stress.at((x, half, 0.0))[0] == pytest.approx(wanted, rel=2e-3)
    assert stress.at((x, half, SIDE))[0] == pytest.approx(-wanted, rel=2e-3)
    peak = run["bar.von_mises"].peak
    assert peak.position[0] < 0.1 * LENGTH
    assert run[f"bar@{peak.node}.von_mises"][0] == pytest.approx(peak.value, rel=1e-12)
    assert stress.min() == pytest.approx(-stress.max(), rel=1e-3)
    assert run["bar.von_mises"].envelope[peak.node] == pytest.approx(peak.value)
    force_there, moment = run.section_force("bar", (x, half, half), (1, 0, 0))
    np.testing.assert_allclose(force_there[0], [0.0, 0.0, force], atol=1e-3 * force)  # the section turns
    assert moment[0, 1] == pytest.approx(-force * (LENGTH - x), rel=1e-5)
    strain = run.surface_strain("bar", (x, half, 0.0), (1, 0, 0))[0]
    assert strain == pytest.approx(wanted / STEEL.youngs_modulus, rel=2e-3)


def test_cut_in_the_turned_body_has_forces_in_the_axes_of_the_ground():
    model = held(bar(), (0.0, 0.0, 10.0))
    run = fm.equilibrium(model).solution
    ground, about = run.section_force("bar", (0.25, 0.01, 0.01), (-1, 0, 0))
    np.testing.assert_allclose(ground[0], [0.0, 0.0, -10.0], atol=0.01)
    own, _ = run.section_force("bar", (0.25, 0.01, 0.01), (-1, 0, 0), axes="body")
    assert np.linalg.norm(own) == pytest.approx(np.linalg.norm(ground))
    assert about[0, 1] == pytest.approx(2.5, rel=1e-5)


def test_weight_needs_its_deformation_and_without_it_there_is_a_doubt():
    weight = (0.0, 0.0, -9.81)
    line = STEEL.density * SIDE**2 * 9.81
    x, half = 0.25, 0.5 * SIDE
    wanted = line * (LENGTH - x) ** 2 / 2.0 * half / (SIDE**4 / 12.0)
    full = fm.equilibrium(held(bar(), gravity=weight)).solution["bar.stress_xx"]
    assert full.at((x, half, SIDE))[0] == pytest.approx(wanted, rel=5e-3)
    full.max()
    bare = fm.equilibrium(held(bar(modes=0, reduction=bodies.Reduction(progress=False)), gravity=weight)).solution
    with pytest.warns(AccuracyWarning, match=r"inertia_loads=True"):
        got = bare["bar.stress_xx"].max()
    off = bare["bar.stress_xx"].uncertainty[0]
    assert off == pytest.approx(abs(full.max() - got), rel=0.7)  # an estimate


def test_stresses_at_rest_are_those_of_the_solution_of_one_instant():
    rest = fm.equilibrium(held(bar(), (0.0, 3.0, 10.0)))
    for what in ("von_mises", "stress_xx"):
        field, track = rest[f"bar.{what}"], rest.solution[f"bar.{what}"]
        np.testing.assert_array_equal(field.nodes(), track.nodes(0))
        np.testing.assert_array_equal(field.elements(), track.elements(0))
        np.testing.assert_array_equal(field.range(), [field.min(), field.max()])
        assert field.peak[:3] == track.peak[:3]
        assert (field.value, field.max(), field.uncertainty) == (track.values[0], track.max(), track.uncertainty[0])
        assert field.at((0.25, 0.0, 0.0)) == track.at((0.25, 0.0, 0.0))[0]
        assert field.at(7) == rest[f"bar@7.{what}"]
        assert repr(field).startswith(f"StressField('bar.{what}', ")
    with pytest.raises(AttributeError, match="nodes"):
        _ = field.node


def test_files_of_solutions_hold_stresses(tmp_path):
    run = fm.equilibrium(held(bar(), (0.0, 3.0, 10.0))).solution
    again = fm.load(run.save(tmp_path / "rest.h5"))
    for what in ("von_mises", "max_principal", "stress_xz"):
        assert again[f"bar.{what}"].peak[:3] == run[f"bar.{what}"].peak[:3]
    np.testing.assert_array_equal(again["bar.von_mises"].uncertainty, run["bar.von_mises"].uncertainty)
    np.testing.assert_allclose(
        again.section_force("bar", (0.2, 0, 0), (1, 0, 0))[0], run.section_force("bar", (0.2, 0, 0), (1, 0, 0))[0]
    )


def test_stresses_of_welded_parts():
    mesh = bracket_mesh((2, 1, 2))
    whole = bodies.mesh_model(mesh, ALUMINIUM)
    joined = bodies.from_substructures(
        {"a": whole}, {}, interfaces={"foot": ("a", bodies.on_plane((0.1, 0, 0), (1, 0, 0)))}, modes=3
    )
    alone = bodies.from_mesh(mesh, ALUMINIUM, interfaces={"foot": bodies.on_plane((0.1, 0, 0), (1, 0, 0))}, modes=3)
    one, two = (np.abs(bodies.stress_modes(x.mesh).nodal) for x in (joined, alone))
    np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6 * two.max())


def test_pictures_are_colored_by_stress_on_one_scale():
    run = fm.equilibrium(held(bar(), (0.0, 0.0, 10.0))).solution
    view = fm.View(run, color="bar.von_mises")
    piece = next(piece for piece in view.stage([0.0]) if piece.role == "body")
    assert piece.values(0).max() == pytest.approx(run["bar.von_mises"].max(), rel=1e-9)
    low, high = view.coloring.limits
    assert low == 0.0 and view.coloring.title == "von Mises stress [MPa]"
    assert high * 1e6 >= run["bar.von_mises"].max()


def test_what_has_no_stresses_is_refused_by_name():
    P = np.zeros((2, 2, 3, 3))
    P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    mesh = bodies.BodyMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [("triangle", [[0, 1, 2]])], np.zeros((3, 3, 1)))
    tip = bodies.Interface((1, 0, 0), np.eye(3), [[0], [2], [0]], [[0], [0], [3]])
    given = bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4], interfaces={"tip": tip}, mesh=mesh)
    model = fm.SpatialModel("m")
    plate = model.add_modal_body("plate", given, field="linear")
    model.weld(model.ground.attach("wall", plate.at("tip").position), plate.at("tip"))
    run = fm.simulate(model, 0.01, step=0.005, progress=False)
    for ask in (
        lambda: run["plate.von_mises"], lambda: fm.View(run, color="von_mises"),
        lambda: run.section_force("plate", (0, 0, 0), (1, 0, 0)), lambda: run.surface_strain("plate", 0, (1, 0, 0)),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=r"plate.*from_mesh"):
            ask()
    with pytest.raises(ModelError, match="nobody knows the stresses"):
        bodies.stress_modes(mesh)


def test_bad_questions_are_refused_by_name():
    run = fm.equilibrium(held(bar(), (0.0, 0.0, 10.0))).solution
    count = len(bar().mesh.nodes)
    with pytest.raises(NamingError, match=f"no node '{count}'"):
        run[f"bar@{count}.von_mises"]
    with pytest.raises(ModelError, match="node is"):
        run["bar.von_mises"].at(count)
    with pytest.raises(NamingError, match="von_mises"):
        run["bar.von_misses"]
    with pytest.raises(ModelError, match="both sides"):
        run.section_force("bar", (9.0, 0, 0), (1, 0, 0))
    with pytest.raises(ModelError, match="normal is zero"):
        run.section_force("bar", (0.2, 0, 0), (0, 0, 0))
    with pytest.raises(NamingError, match="no derivative"):
        fm.linearize(held(bar()), inputs="bar.tip.fz", outputs="bar.von_mises")
    one = bodies.ElasticCells([[[-1.0, -1], [1, 0], [0, 1]]], [0.5], np.ones((3, 1)), (0.0, 1e9))
    with pytest.raises(ModelError, match="elasticity"):
        bodies.BodyMesh(
            [(0, 0), (1, 0), (1, 1), (0, 1)], [("quad", [[0, 1, 2, 3]])], np.zeros((4, 2, 1)), elasticity=(one,)
        )


def test_stress_at_a_node_is_an_output_of_a_linear_model():
    reduced = bar()
    node = int(np.argmin(np.linalg.norm(reduced.mesh.nodes + reduced.origin - [0.25, 0.01, 0.0], axis=1)))
    linear = fm.linearize(held(reduced), inputs="bar.tip.fz", outputs=f"bar@{node}.stress_xx")
    gain = linear.D - linear.C @ np.linalg.solve(linear.A, linear.B)
    rest = fm.equilibrium(held(reduced, (0.0, 0.0, 1.0))).solution[f"bar@{node}.stress_xx"][0]
    assert gain[0, 0] == pytest.approx(rest, rel=1e-4)


def test_a_gauge_is_read_by_controllers_and_linear_models():
    model = held(bar())
    body = model.components["bar"]
    place, along = (0.25, 0.01, 0.02), (1, 0, 0)
    gauge = fm.control.SurfaceGauge(body, place, along)
    rest = fm.linearize(model, inputs="bar.tip.fz", outputs=gauge)
    gain = (rest.D - rest.C @ np.linalg.solve(rest.A, rest.B))[0, 0]
    assert gain == pytest.approx(-0.25 * 0.01 / (SIDE**4 / 12.0) / STEEL.youngs_modulus, rel=5e-3)
    model.point_force(body.at("tip"), (0.0, 0.0, fm.Harmonic(5.0, 20.0)), name="shaker")
    damper = model.point_force(body.at("tip"), (0.0, 0.0, 1.0), name="damper")
    model.add_controller("reader", period=1e-3, sensors=gauge, commands=damper, law=[[1e3]])
    run = fm.simulate(model, 0.02, step=2e-4, progress=False)
    log = run.control["reader"]
    assert np.max(np.abs(log.y)) > 1e-6
    np.testing.assert_allclose(log.y[:, 0], run.at(log.t).surface_strain("bar", place, along), atol=1e-12)
    np.testing.assert_allclose(gauge.readings(run), run.surface_strain("bar", gauge.node, along), rtol=1e-12)
    with pytest.raises(ModelError, match="body from a mesh"):
        fm.control.SurfaceGauge("bar", 0, along)
    with pytest.raises(ModelError, match="direction is zero"):
        fm.control.SurfaceGauge(body, 0, (0, 0, 0))


def test_the_doubt_of_stresses_does_not_depend_on_axes():
    """A bar under its weight, without the deformations of inertia loads, and the same one with its mesh turned."""
    parts = []
    for turn in (np.eye(3), np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]):
        turn = turn * np.linalg.det(turn)
        flat = skfem.MeshHex.init_tensor(np.linspace(0, LENGTH, 9), np.array([0.0, SIDE]), np.array([0.0, SIDE]))
        foot = {"foot": bodies.on_plane((0, 0, 0), turn[:, 0])}
        found = []
        for how in (bodies.Reduction(progress=False), QUIET):
            mesh = skfem.MeshHex(turn @ flat.p, flat.t)
            reduced = bodies.from_mesh(mesh, STEEL, interfaces=foot, modes=2, reduction=how)
            model = fm.SpatialModel("held", gravity=turn @ (3.0, -2.0, 9.81))
            body = model.add_modal_body("bar", reduced)
            model.weld(model.ground.attach("wall", body.at("foot").position), body.at("foot"))
            found.append(fm.equilibrium(model).solution)
        fields = [np.stack([run[f"bar.{what}"].nodes(0) for what in COMPONENTS[3]], axis=1) for run in found]
        stress = found[0]["bar.von_mises"]
        with pytest.warns(AccuracyWarning, match="inertia_loads=True"):
            parts.append(stress.uncertainty[0] / stress.max())
        assert stress.uncertainty[0] == pytest.approx(bodies.von_mises(fields[1] - fields[0]).max(), rel=0.02)
    assert parts[0] == pytest.approx(parts[1], rel=0.01)
