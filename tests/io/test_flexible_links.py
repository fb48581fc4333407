"""Flexible links of robot files: what is added, how it moves, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies
from flexmb.examples import robots
from flexmb.io import link_solids
from flexmb.io.urdf_file import parsed
from flexmb.io.urdf_shapes import Figures
from tests.io.elements import empty, joint, link

SIX = robots.folder() / "six_joints.urdf"
STEEL, TUBE = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.044)
BEAM = fm.FlexibleLink.beam(STEEL, TUBE)
MOVING = {
    "positions": {"joint2": 0.4, "joint3": 0.9, "joint5": 0.3},
    "rates": {"joint1": 1.0, "joint2": -0.5, "joint3": 0.7, "joint4": 2.0},
    "meshes": False,
}
BOX = '<visual><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.4"/></geometry></visual>'


def geometry(xyz="0 0 0.2", size="0.05 0.05 0.4", tag="visual"):
    return f'<{tag}><origin xyz="{xyz}"/><geometry><box size="{size}"/></geometry></{tag}>'


def kinetic(robot):
    """Kinetic energy at the start."""
    return fm.assemble(robot).solution.energy.kinetic[0]


@pytest.fixture
def pole(written):
    """A pole on a hinge with a load at its end, as the file says."""

    def write(more=BOX, end="0 0 0.4", mass=4.0, inertia=(0.06, 0.06, 0.01)):
        return written(
            empty("base"), link("pole", mass, "0 0 0.2", inertia, more), link("load", 1.0),
            joint("hinge", "revolute", "base", "pole", axis="0 1 0"),
            joint("wrist", "revolute", "pole", "load", xyz=end),
        )  # fmt: skip

    return write


class TestBeams:
    def test_mass_center_and_inertia_of_the_robot_stay(self):
        rigid = fm.read_urdf(SIX, **MOVING)
        bending = fm.read_urdf(SIX, flexible={"upper": BEAM, "fore": BEAM}, **MOVING)
        assert kinetic(bending) == pytest.approx(kinetic(rigid), rel=1e-12)
        weights = [fm.assemble(x).solution.energy.potential[0] for x in (rigid, bending)]
        assert weights[1] == pytest.approx(weights[0], rel=1e-12)

    def test_every_frame_starts_where_the_rigid_one_does(self):
        rigid = fm.read_urdf(SIX, **MOVING)
        bending = fm.read_urdf(SIX, flexible={"upper": BEAM, "fore": BEAM}, **MOVING)
        for name, frame in rigid.links.items():
            other = bending.links[name]
            assert np.allclose(other.position, frame.position, atol=1e-14)
            assert (other.orientation.inv() * frame.orientation).magnitude() < 1e-12
        starts = [fm.assemble(x).solution for x in (rigid, bending)]
        for what in ("velocity", "angular_velocity"):
            one, two = (getattr(x["hand"], what) for x in starts)
            assert np.allclose(one, two, atol=1e-12)

    def test_several_children_have_a_beam_each_and_joints_at_one_place_share_it(self, written):
        path = written(
            empty("base"), link("fork", 3.0, "0 0 0.1", (0.05, 0.05, 0.02)), link("a"), link("b"), link("c"),
            joint("root", "continuous", "base", "fork"), joint("left", "revolute", "fork", "a", xyz="0.2 0 0.3"),
            joint("right", "revolute", "fork", "b", xyz="-0.2 0 0.3"),
            joint("too", "revolute", "fork", "c", xyz="0.2 0 0.3", axis="1 0 0"),
        )  # fmt: skip
        robot = fm.read_urdf(path, flexible={"fork": fm.FlexibleLink.beam(STEEL, fm.Circle(diameter=0.01))})
        beams = robot.flexible["fork"].components
        assert [beam.name for beam in beams] == ["fork.left beam", "fork.right beam"]
        assert beams[0].start.node is beams[1].start.node
        assert robot.joints["too"].frame.node is robot.joints["left"].frame.node

    def test_a_point_ends_a_link_without_joints(self, written):
        path = written(
            empty("base"), link("rod", 2.0, "0 0 0.5", (0.2, 0.2, 0.01)), joint("j", "revolute", "base", "rod")
        )
        spec = fm.FlexibleLink.beam(STEEL, fm.Circle(diameter=0.01), tips={"tip": (0, 0, 1)}, rest="tip")
        robot = fm.read_urdf(path, flexible={"rod": spec}, improper_inertia="refuse")
        assert robot.flexible["rod"].sits_at == "rod.tip"
        own = robot.flexible["rod"].own
        assert own[0] == pytest.approx(7850 * np.pi * 0.005**2, rel=1e-12)
        assert own[2][0, 0] == pytest.approx(own[0] * (1.0 / 12.0 + 0.005**2 / 4.0), rel=1e-12)

    def test_what_is_fixed_to_it_or_carries_it(self, written):
        path = written(
            link("base", 5.0), link("mast", 3.0, "0 0 0.3", (0.2, 0.2, 0.02)), link("flange", 0.5, "0 0 0.01"),
            joint("foot", "fixed", "base", "mast", xyz="0 0 0.1"),
            joint("top", "fixed", "mast", "flange", xyz="0 0 0.6"),
        )  # fmt: skip
        robot = fm.read_urdf(path, flexible={"mast": BEAM}, fixed_base=False, velocity=(1, 2, 3))
        assert np.allclose(robot.links["flange"].position, (0, 0, 0.7))
        assert kinetic(robot) == pytest.approx(0.5 * 8.5 * 14.0, rel=1e-12)
        held = fm.read_urdf(path, flexible={"mast": BEAM})
        L, EI = 0.6, 205e9 * np.pi / 64 * (0.05**4 - 0.044**4)
        swing = fm.modes(held, 1).frequencies[0]
        assert 0.5 < swing / (np.sqrt(3.0 * EI / (1.3 * L**3)) / (2.0 * np.pi)) < 1.5

    def test_the_root_may_bend(self, written):
        path = written(
            link("mast", 3.0, "0 0 0.3", (0.2, 0.2, 0.02)),
            link("arm"),
            joint("j", "revolute", "mast", "arm", xyz="0 0 0.6"),
        )
        robot = fm.read_urdf(path, flexible={"mast": BEAM})
        assert fm.simulate(robot, 0.01, step=1e-3, progress=False)["mast"].position[-1][2] == 0.0

    def test_a_root_that_bends_and_flies(self, written):
        mast, turns = (
            link("mast", 3.0, "0 0 0.3", (0.2, 0.2, 0.02)),
            joint("j", "revolute", "mast", "arm", xyz="0 0 0.6"),
        )
        path = written(mast, link("arm"), turns)
        flies = {"fixed_base": False, "velocity": (1, 2, 3), "angular_velocity": (0.5, -1, 2), "rates": {"j": 3.0}}
        tube = bodies.Member(("base", "j"), STEEL, TUBE)
        ends = {"base": (0, 0, 0), "j": (0, 0, 0.6)}
        reduced = bodies.from_frame(ends, [tube], interfaces={"base": "base", "j": "j"}, modes=1)
        wanted = kinetic(fm.read_urdf(path, **flies))
        for spec in (BEAM, fm.FlexibleLink.reduced(reduced)):
            assert kinetic(fm.read_urdf(path, flexible={"mast": spec}, **flies)) == pytest.approx(wanted, rel=1e-9)


class TestSolids:
    def test_a_box_is_filled_and_its_mass_is_completed(self, pole):
        pytest.importorskip("pytetwild", reason="it is in the extra `tetrahedra`")
        spec = fm.FlexibleLink.solid(fm.Material(2700, 7e10), size=0.06, modes=2)
        robot = fm.read_urdf(pole(), flexible={"pole": spec}, rates={"hinge": 2.0, "wrist": 1.0})
        rigid = fm.read_urdf(pole(), rates={"hinge": 2.0, "wrist": 1.0})
        assert robot.flexible["pole"].own[0] == pytest.approx(2.7, rel=2e-3)
        assert kinetic(robot) == pytest.approx(kinetic(rigid), rel=1e-9)

    def test_a_mesh_that_is_given(self, pole):
        skfem = pytest.importorskip("skfem")
        x, z = np.linspace(-0.025, 0.025, 2), np.linspace(0.0, 0.4, 5)
        bar = skfem.MeshHex.init_tensor(x, x, z)
        ends = {name: bodies.on_plane((0, 0, at), (0, 0, 1)) for name, at in (("hinge", 0.0), ("wrist", 0.4))}
        spec = fm.FlexibleLink.solid(fm.Material(2700, 7e10), mesh=bar, interfaces=ends, modes=0)
        robot = fm.read_urdf(pole(), flexible={"pole": spec})
        assert robot.flexible["pole"].own[0] == pytest.approx(2.7, rel=1e-12)
        assert robot.flexible["pole"].rest[0] == pytest.approx(1.3, rel=1e-12)
        assert np.allclose(robot.joints["wrist"].frame.position, (0, 0, 0.4))
        body = robot.flexible["pole"].components[0].reduced
        again = fm.read_urdf(pole(), flexible={"pole": fm.FlexibleLink.reduced(body)})
        assert again.flexible["pole"].own[0] == body.mass

    def test_a_body_whose_interface_is_elsewhere(self, pole):
        tube = bodies.Member(("hinge", "wrist"), STEEL, TUBE)
        body = bodies.from_frame(
            {"hinge": (0, 0, 0), "wrist": (0.4, 0, 0)}, [tube], interfaces={"hinge": "hinge", "wrist": "wrist"}, modes=0
        )
        with pytest.raises(fm.errors.ModelError, match=r"interface 'wrist' of its body is 0.5657 m from the joint"):
            fm.read_urdf(pole(), flexible={"pole": fm.FlexibleLink.reduced(body)})


class TestRefused:
    @pytest.mark.parametrize(
        ("more", "match"),
        [
            (BOX + BOX, "it has 2 bodies of visual geometry; a flexible link is one solid"),
            ("", "no visual geometry"),
            (geometry(size="0.05 0.05 1.0"), "'hinge': it stands inside the solid of the link, 0.025 m below"),
        ],
    )
    def test_geometry_that_is_no_solid_of_the_link(self, pole, more, match):
        with pytest.raises(fm.errors.ModelError, match=match):
            spec = fm.FlexibleLink.solid(STEEL, size=0.2)
            pytest.importorskip("pytetwild") if "inside" in match else None
            fm.read_urdf(pole(more), flexible={"pole": spec})

    def test_a_surface_that_is_not_closed_and_one_with_two_bodies(self, pole, tmp_path):
        trimesh = pytest.importorskip("trimesh")
        cube = trimesh.creation.box((0.1, 0.1, 0.1))
        opened = trimesh.Trimesh(cube.vertices, cube.faces[1:])
        other = cube.copy().apply_translation((0.5, 0, 0))
        visual = '<visual><geometry><mesh filename="solid.stl"/></geometry></visual>'
        for shape, match in (
            (opened, "surface of its visual mesh is not closed: 3 edges"),
            (trimesh.util.concatenate([cube, other]), "its visual mesh has 2 bodies, of 1, 1 liters"),
        ):
            shape.export(tmp_path / "solid.stl")
            with pytest.raises(fm.errors.ModelError, match=match):
                fm.read_urdf(pole(visual), flexible={"pole": fm.FlexibleLink.solid(STEEL)})

    def test_a_hollow_solid_is_one_body(self, pole, tmp_path):
        trimesh = pytest.importorskip("trimesh")
        hollow = trimesh.creation.box((0.04, 0.04, 0.04))
        hollow.invert()
        trimesh.util.concatenate([trimesh.creation.box((0.1, 0.1, 0.1)), hollow]).export(tmp_path / "solid.stl")
        path = pole('<visual><geometry><mesh filename="solid.stl"/></geometry></visual>')
        one = parsed(path, "here").links["pole"]
        surface = link_solids.surface_of(one, "visual", Figures(path, {}, {}, 100), None, "here")
        assert len(surface.faces) == 24

    def test_without_pytetwild(self, pole, monkeypatch):
        monkeypatch.setitem(sys.modules, "pytetwild", None)
        with pytest.raises(fm.errors.MissingExtraError, match=r"pip install 'flexmb\[tetrahedra\]'"):
            fm.read_urdf(pole(), flexible={"pole": fm.FlexibleLink.solid(STEEL)})

    def test_a_beam_heavier_than_its_link_and_an_inertia_that_is_left_and_no_body_has(self, pole):
        heavy = fm.FlexibleLink.beam(STEEL, fm.Circle(diameter=0.05))
        with pytest.raises(fm.errors.ModelError, match=r"6.165 kg weighs? more than the link of the file, 4 kg"):
            fm.read_urdf(pole(), flexible={"pole": heavy})
        light = pole(mass=1.5, inertia=(1e-3, 1e-3, 1e-3))
        with pytest.raises(fm.errors.ModelError, match=r"left beside 1 beam.*improper_inertia='repair'"):
            fm.read_urdf(light, flexible={"pole": BEAM})
        with pytest.warns(fm.errors.AccuracyWarning, match="nearest that one can have is taken"):
            fm.read_urdf(light, flexible={"pole": BEAM}, improper_inertia="repair")

    def test_without_a_rest_what_differs_is_said(self, pole):
        with pytest.warns(fm.errors.AccuracyWarning, match="the file says 4 kg, its mass center .* rest='link' adds"):
            alone = fm.FlexibleLink.beam(STEEL, TUBE, rest=None)
            robot = fm.read_urdf(pole(), flexible={"pole": alone})
        assert "pole.rest" not in robot.components

    @pytest.mark.parametrize(
        ("flexible", "match"),
        [
            ({"poel": BEAM}, "poel"),
            ({"pole": STEEL}, r"FlexibleLink\.beam"),
            ([BEAM], "give links by name"),
            ({"load": BEAM}, "no joint and no tip beside its own frame"),
            ({"pole": fm.FlexibleLink.beam(STEEL, TUBE, rest="tip")}, "frame for its rest"),
            ({"pole": fm.FlexibleLink.beam(STEEL, TUBE, tips={"wrist": (0, 0, 1)})}, "name of one of its joints"),
            ({"pole": fm.FlexibleLink.solid(STEEL, interfaces={"elbow": [0]})}, "elbow"),
            ({"pole": fm.FlexibleLink.reduced(STEEL)}, "is no ReducedBody"),
        ],
    )
    def test_what_is_given(self, pole, flexible, match):
        with pytest.raises(fm.errors.FlexmbError, match=match):
            fm.read_urdf(pole(), flexible=flexible)
