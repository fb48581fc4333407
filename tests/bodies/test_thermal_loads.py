"""Heat in bodies: growth, bending, residual stress, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies

ALPHA = 1.2e-5
STEEL = fm.Material(7850, 205e9, 0.3, thermal_expansion=ALPHA)
BAR = {"a": (0, 0, 0), "b": (0.6, 0, 0.8)}
SECTION = fm.Rectangle(width=0.02, height=0.03)


def frame(loads, material=STEEL, ends=BAR, **options):
    bar = bodies.Member(("a", "b"), material, SECTION, elements=3)
    return bodies.from_frame(ends, [bar], interfaces={"a": "a", "b": "b"}, loads=loads, modes=2, **options)


def free_strain(body, name):
    """Displacement (3,) of b against a of a free body under a load of strength 1, by its modes alone."""
    eta = body.loads[name].modal / body.stiffness
    return (body.interfaces["b"].translation - body.interfaces["a"].translation) @ eta


class TestFrames:
    def test_an_oblique_bar_grows_along_itself(self):
        body = frame({"warm": bodies.ThermalLoad(50.0)})
        assert free_strain(body, "warm") == pytest.approx(50.0 * ALPHA * np.array([0.6, 0.0, 0.8]), rel=1e-9, abs=1e-13)

    def test_a_gradient_bends_it_away_from_the_warm_side_in_both_planes(self):
        ends = {"a": (0, 0, 0), "b": (1, 0, 0)}
        for axis in (1, 2):
            gradient = np.eye(3)[axis] * 300.0
            body = frame({"sun": bodies.ThermalLoad(gradient=gradient)}, ends=ends)
            eta = body.loads["sun"].modal / body.stiffness
            a, b = (body.interfaces[x] for x in "ab")
            turn_a, turn_b = (x.rotation @ eta for x in (a, b))
            assert turn_b - turn_a == pytest.approx(ALPHA * np.cross(gradient, (1, 0, 0)), abs=1e-12)

    def test_a_field_of_places_is_the_gradient_it_is_made_of(self):
        given = frame({
            "one": bodies.ThermalLoad(5.0, gradient=(10.0, 200.0, -100.0), about=(0.1, 0, 0)),
            "two": bodies.ThermalLoad(lambda x: 5.0 + (x - [0.1, 0, 0]) @ [10.0, 200.0, -100.0]),
        })  # fmt: skip
        one, two = (given.loads[name] for name in ("one", "two"))
        assert np.allclose(one.modal, two.modal, rtol=1e-9, atol=1e-9 * np.abs(one.modal).max())

    def test_heat_that_is_free_leaves_no_stress(self):
        ends = {"a": (0, 0, 0), "b": (1, 0, 0)}
        body = frame({"warm": bodies.ThermalLoad(1.0, gradient=(0.0, 50.0, 80.0))}, ends=ends)
        load = body.loads["warm"]
        assert not np.any(load.force) and not np.any(load.moment) and not np.any(load.moment_shapes)
        assert np.abs(load.second).max() < 1e-12 * body.stiffness.max()


class TestSolids:
    @pytest.mark.parametrize(("plane_strain", "factor"), [(False, 1.0), (True, 1.3)])
    def test_a_plate_in_the_plane_grows(self, plane_strain, factor):
        skfem = pytest.importorskip("skfem")
        mesh = skfem.MeshQuad.init_tensor(np.linspace(0, 1, 4), np.linspace(0, 0.2, 2))
        ends = {name: bodies.Tie(bodies.on_plane((x, 0), (1, 0)), average=True) for name, x in (("a", 0.0), ("b", 1.0))}
        body = bodies.from_mesh(
            mesh, STEEL, interfaces=ends, loads={"warm": bodies.ThermalLoad(40.0)}, modes=3, plane_strain=plane_strain
        )
        assert free_strain(body, "warm") == pytest.approx([40.0 * ALPHA * factor, 0.0], rel=1e-9, abs=1e-14)
        assert np.abs(body.loads["warm"].second).max() < 1e-12 * body.stiffness.max()

    def test_its_work_on_the_second_order_is_that_of_its_stress(self):
        skfem = pytest.importorskip("skfem")
        mesh = skfem.MeshQuad.init_tensor(np.linspace(0, 1, 4), np.linspace(0, 0.5, 3))
        model = bodies.mesh_model(mesh, STEEL)
        force, stress = bodies.ThermalLoad(lambda x: 30.0 * x[:, 1] ** 2).spread(model, "here")
        rng = np.random.default_rng(1)
        shapes = rng.standard_normal((len(force), 3))
        uniform, work = bodies.ThermalLoad(7.0).spread(model, "here")
        # uniform heat stresses as the displacement ᾱτX with the opposite sign
        grown = 7.0 * ALPHA * model.nodes[model.node_of, model.direction_of]
        assert np.allclose(model.stiffness @ grown, uniform, atol=1e-9 * np.abs(uniform).max())
        assert np.allclose(model.stress_work(grown[:, None], shapes)[0], work(shapes), rtol=1e-9)
        assert force @ model.rigid_modes() == pytest.approx(np.zeros(3), abs=1e-9 * np.abs(force).max())
        assert np.allclose(stress(shapes), stress(shapes).T)


class TestRefused:
    @pytest.mark.parametrize(
        ("load", "match"),
        [
            (bodies.ThermalLoad(lambda x: x), "temperature gives"),
            (bodies.ThermalLoad("hot"), "temperature"),
            (bodies.ThermalLoad(gradient=(1.0, 2.0)), "gradient"),
            (bodies.ThermalLoad(1.0, about=(0, 0, 0)), "give gradient too"),
            (3.0, "a flexmb.bodies.NodalLoad or a ThermalLoad"),
        ],
    )
    def test_what_is_given(self, load, match):
        with pytest.raises(fm.errors.FlexmbError, match=match):
            frame({"sun": load})

    def test_a_material_that_does_not_say_how_it_expands(self):
        skfem = pytest.importorskip("skfem")
        cold = fm.Material(7850, 205e9)
        with pytest.raises(fm.errors.ModelError, match="element 0 has no thermal_expansion"):
            frame({"sun": bodies.ThermalLoad(1.0)}, material=cold)
        with pytest.raises(fm.errors.ModelError, match="its material has no thermal_expansion"):
            bodies.from_mesh(skfem.MeshHex(), cold, interfaces={}, loads={"sun": bodies.ThermalLoad(1.0)}, modes=1)
        with pytest.raises(fm.errors.ModelError, match="thermal_expansion"):
            fm.Material(7850, 205e9, thermal_expansion="much")
        with pytest.raises(TypeError, match="thermal_expansion"):
            fm.Material(7850, 205e9, alpha=1e-5)

    def test_matrices_do_not_say_how_a_body_strains(self):
        K = np.diag([0.0, 0.0]) + 5.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
        model = bodies.matrix_model(np.kron(K, np.eye(2)), np.eye(4), [[0.0, 0.0], [1.0, 0.0]])
        with pytest.raises(fm.errors.ModelError, match="make it from a mesh or a frame"):
            bodies.ThermalLoad(1.0).spread(model, "here")
