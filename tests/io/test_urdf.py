"""Robots from URDF files: what is read, and how it moves."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples import robots
from flexmb.validation import urdf_arm
from flexmb.validation.references import robots as reference
from tests.io.elements import PENDULUM, empty, joint, link

ARM, QUADRUPED = (robots.folder() / name for name in ("arm.urdf", "quadruped.urdf"))


class TestDynamics:
    @pytest.mark.parametrize("name", ["arm", "quadruped"])
    def test_pinocchio_gives_the_same(self, name):
        state = reference.stored()[name]["states"][0]
        assert urdf_arm.forward(name, state) < 1e-12
        assert urdf_arm.inverse(name, state) < 1e-12

    @pytest.mark.parametrize("name", list(reference.ROBOTS))
    def test_the_stored_numbers_are_those_of_pinocchio(self, name):
        pytest.importorskip("pinocchio", reason="the peer is in the extra `peers`")
        if reference.path_of(name) is None:
            pytest.skip("example-robot-data is in the extra `peers`")
        found, stored = reference.compute(name), reference.stored()[name]
        for state, kept in zip(found["states"], stored["states"], strict=True):
            for what in ("accelerations", "needed"):
                for one in kept[what]:
                    assert state[what][one] == pytest.approx(kept[what][one], rel=1e-9, abs=1e-9)

    def test_damping_and_friction_act_unless_they_are_left_out(self, written):
        lost = '<dynamics damping="0.5" friction="0.2"/>'
        path = written(*PENDULUM, joint("hinge", "continuous", "base", "bob", axis="0 1 0", more=lost))
        robot = fm.read_urdf(path, gravity=(0, 0, 0), rates={"hinge": 3.0})
        assert robot.components["hinge actuator"].damping == 0.5
        run = fm.simulate(robot, 0.5, "radau", progress=False)
        J, d, T = 0.02 + 2.0 * 0.25, 0.5, 0.2  # J ω̇ = −d ω − T
        assert robot.rates(run)["hinge"][-1] == pytest.approx((3.0 + T / d) * np.exp(-d * 0.5 / J) - T / d, rel=1e-4)
        assert "hinge actuator" not in fm.read_urdf(path, losses=False).components

    def test_a_link_whose_name_is_taken(self, written):
        robot = fm.read_urdf(written(empty("base"), link("ground"), joint("hinge", "revolute", "base", "ground")))
        robot.actuate("hinge", 2.0)
        start = fm.simulate(robot, 1e-3, step=1e-3, progress=False)
        moment = robot.accelerations(start)["hinge"][0] * robot.components["ground link"].tensor()[2, 2]
        assert moment == pytest.approx(2.0, rel=1e-12)

    def test_links_without_mass_between_joints(self, written):
        path = written(
            empty("base"), empty("x"), link("arm", 1.0, "0.5 0 0"),
            joint("roll", "revolute", "base", "x", axis="1 0 0"), joint("yaw", "revolute", "x", "arm"),
        )  # fmt: skip
        robot = fm.read_urdf(path, positions={"roll": 0.3, "yaw": 0.2})
        runs = [fm.simulate(robot, 0.5, method, progress=False) for method in ("generalized_alpha", "dop853")]
        ends = [robot.positions(run)["yaw"][-1] for run in runs]
        assert ends[0] == pytest.approx(ends[1], abs=1e-3)

    def test_a_point_mass_on_a_joint(self, written):
        bob, swing = link("bob", 2.0, "0 0 -1", (0, 0, 0)), joint("p", "revolute", "base", "bob", axis="0 1 0")
        robot = fm.read_urdf(written(empty("base"), bob, swing), positions={"p": 0.5})
        start = fm.simulate(robot, 1e-3, step=1e-3, progress=False)
        assert robot.accelerations(start)["p"][0] == pytest.approx(-9.81 * np.sin(0.5), rel=1e-12)

    def test_limits_are_data_or_stops(self):
        there = {"joint2": 0.5, "joint4": 1.2, "finger": 0.02}
        robot = fm.read_urdf(ARM, meshes=False, positions=there)
        assert (robot.joints["joint4"].lower, robot.joints["joint4"].upper) == (-0.3, 2.6)
        assert not any(name.endswith("stop") for name in robot.components)
        stopped = fm.read_urdf(ARM, meshes=False, positions=there, stops=True)
        way = stopped.positions(fm.simulate(stopped, 1.0, progress=False))
        free = robot.positions(fm.simulate(robot, 1.0, progress=False))
        assert free["joint2"].max() > 2.1
        for name, values in way.items():
            limits = stopped.joints[name]
            assert limits.lower - 0.05 < values.min() and values.max() < limits.upper + 0.05

    def test_torques_and_linear_models(self):
        there = {"joint2": 0.4, "joint4": 0.9}
        robot, held = (fm.read_urdf(ARM, meshes=False, losses=False, positions=there) for _ in range(2))
        for one in held.moving:
            held.drive(one.name, one.start)
        needed = held.efforts(fm.kinematics(held, times=[0.0], progress=False))
        inputs = [robot.actuate(name, float(values[0])) for name, values in needed.items()]
        still = robot.accelerations(fm.simulate(robot, 1e-3, step=1e-3, progress=False))
        assert max(abs(x[0]) for x in still.values()) < 1e-9
        linear = fm.linearize(robot, inputs=inputs, outputs=["joint1.angle"])
        assert linear.A.shape == (16, 16)
        assert robot.actuate("joint1", 3.0) is robot.components["joint1 actuator"]


class TestPositions:
    def test_every_kind_of_joint_by_its_name(self, written):
        path = written(
            empty("base"), link("f"), link("p"), link("s"), link("r"), empty("tip"),
            joint("floating", "floating", "base", "f", xyz="1 0 0"),
            joint("planar", "planar", "base", "p", axis="0 2 0"),
            joint("slide", "prismatic", "base", "s", axis="0 0 3"), joint("turn", "continuous", "s", "r", axis="1 0 0"),
            joint("held", "fixed", "r", "tip", xyz="0 0 1"),
        )  # fmt: skip
        turn = Rotation.from_rotvec([0.0, 0.0, 0.3])
        given = {"floating": ((0.1, 0, 0), turn), "planar": (1.0, 2.0, 0.5), "slide": 0.4, "turn": 7.0}
        rates = {"floating": ((0, 1, 0), (0, 0, 2.0)), "planar": (0.5, 0, 1.0), "slide": -1.0, "turn": 20.0}
        robot = fm.read_urdf(path, gravity=(0, 0, 0), positions=given, rates=rates)
        assert robot.positions()["turn"] == 7.0 and "held" not in robot.positions()
        assert robot.links["tip"].position.round(12).tolist() == pytest.approx([0, -np.sin(7), 0.4 + np.cos(7)])
        run = fm.simulate(robot, 1.0, "radau", progress=False, tolerance=1e-8)
        end = {name: value[-1] for name, value in robot.positions(run).items() if name != "floating"}
        assert end["slide"] == pytest.approx(-0.6, abs=1e-7) and end["turn"] == pytest.approx(27.0, abs=1e-6)
        assert end["planar"] == pytest.approx([1.5, 2.0, 1.5], abs=1e-7)
        pose = robot.positions(run)["floating"]
        assert pose.position[-1] == pytest.approx([0.1, 1.0, 0.0], abs=1e-7)
        assert pose.orientation[-1].as_rotvec() == pytest.approx([0, 0, 2.3], abs=1e-7)
        assert robot.rates(run)["planar"][-1] == pytest.approx([0.5, 0.0, 1.0], abs=1e-7)
        state = fm.assemble(robot)
        assert robot.positions(state)["slide"] == pytest.approx(0.4) and isinstance(robot.rates(state)["turn"], float)

    def test_mimic_of_a_mimic(self, written):
        def follows(name, multiplier, offset):
            return f'<mimic joint="{name}" multiplier="{multiplier}" offset="{offset}"/>'

        path = written(
            empty("base"), link("a"), link("b"), link("c"), link("d"),
            joint("c", "prismatic", "base", "c", more=follows("b", 0.5, 0.1)),
            joint("b", "revolute", "base", "b", more=follows("a", -2.0, 0.3)),
            joint("a", "continuous", "base", "a"), joint("still", "revolute", "base", "d", more=follows("a", 0, 0.7)),
        )  # fmt: skip
        robot = fm.read_urdf(path, gravity=(0, 0, 0), positions={"a": 0.2}, rates={"a": 1.0})
        assert robot.joints["c"].mimic == pytest.approx(("a", -1.0, 0.25))
        assert [one.name for one in robot.moving] == ["a"]
        run = fm.simulate(robot, 1.0, "radau", progress=False)
        end = {name: values[-1] for name, values in robot.positions(run).items()}
        assert end["b"] == pytest.approx(-2.0 * end["a"] + 0.3, abs=1e-9)
        assert end["c"] == pytest.approx(-end["a"] + 0.25, abs=1e-9) and end["still"] == 0.7
        assert end["a"] == pytest.approx(1.2, abs=1e-6)  # nothing drives it

    def test_a_free_base(self):
        robot = fm.read_urdf(
            QUADRUPED,
            meshes=False,
            fixed_base=False,
            position=(0, 0, 2),
            velocity=(1, 0, 0),
            angular_velocity=(0, 0, 1),
        )
        run = fm.simulate(robot, 0.2, progress=False)
        mass = sum(body.mass for body in robot.components.values() if isinstance(body, fm.spatial.RigidBody))
        assert mass == pytest.approx(6.5 + 0.15 + 4 * (0.6 + 1.0 + 0.17 + 0.06))
        assert run["trunk"].velocity[-1][2] == pytest.approx(-9.81 * 0.2, abs=0.02)
        assert run["camera"].position[0].tolist() == pytest.approx([0.3, 0, 2.01])

    def test_names_that_are_taken(self, written):
        robot = fm.read_urdf(written(empty("ground"), link("arm"), joint("arm", "revolute", "ground", "arm")))
        assert robot.links["ground"].name == "ground link" and robot.joints["arm"].component.name == "arm joint"

    def test_drives_and_efforts_of_a_mimic_go_to_its_leader(self):
        robot = fm.read_urdf(ARM, meshes=False)
        for verb in (robot.drive, robot.actuate):
            with pytest.raises(fm.errors.ModelError, match=r"joint 'finger2' mimics 'finger'; \w+ that one"):
                verb("finger2", 0.0)
        with pytest.raises(fm.errors.ModelError, match="joint 'hand joint' is fixed"):
            robot.actuate("hand joint")
        with pytest.raises(fm.errors.NamingError, match="there is no joint 'joint8'"):
            robot.drive("joint8", 0.0)
        with pytest.raises(fm.errors.ModelError, match="no joint is driven"):
            robot.efforts(fm.assemble(robot))
        for verb, of in ((robot.positions, 3), (robot.rates, None)):
            with pytest.raises(fm.errors.ModelError, match=f"{of} has none; give a solution"):
                verb(of)
        known = robot.actuate("joint1", 5.0)
        with pytest.raises(fm.errors.ModelError, match="force"):
            robot.actuate("joint1", "strong")
        assert known.force(0.0) == 5.0


class TestShapes:
    def test_primitives_and_colors(self):
        robot = fm.read_urdf(ARM)
        parts = robot.components["link1"].shape.drawn.parts
        assert {part.kind for part in parts} == {"cylinder", "box"} and parts[0].color == "#edf0f2"
        assert isinstance(robot.components["base"], fm.spatial.Figure)  # what is fixed to the ground
        assert robot.components["link7"].mass == pytest.approx(0.6 + 0.7)  # with the hand

    def test_a_mesh_is_scaled_placed_and_colored(self, written, tmp_path):
        import trimesh

        (tmp_path / "meshes").mkdir()
        trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "meshes" / "part.stl")
        visual = (
            '<visual><origin xyz="0 0 1"/><geometry><mesh filename="package://robot/meshes/part.stl" scale="2 2 -2"/>'
            '</geometry><material name="red"/></visual>'
        )
        red = '<material name="red"><color rgba="1 0 0 1"/></material>'
        path = written(red, empty("base"), link("arm", more=visual), joint("j", "revolute", "base", "arm"))
        robot = fm.read_urdf(path, packages={"robot": tmp_path})
        (part,) = robot.components["arm"].shape.drawn.parts
        assert part.color == "#ff0000" and part.position == (0.0, 0.0, 1.0)
        assert np.ptp(part.vertices, axis=0).tolist() == pytest.approx([2.0, 4.0, 6.0])
        a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
        assert np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0 == pytest.approx(48.0)  # outwards still
        assert fm.read_urdf(path).components["arm"].shape is not None  # found among the folders above the file

    def test_a_missing_mesh_takes_the_picture_away_and_nothing_else(self, written):
        visual = '<visual><geometry><mesh filename="package://gone/part.stl"/></geometry></visual>'
        path = written(
            empty("base"), link("arm", 1.0, "0.5 0 0", more=visual), joint("j", "revolute", "base", "arm", axis="0 1 0")
        )
        with pytest.warns(
            fm.errors.PictureWarning, match="link 'arm': there is no file for the mesh 'package://gone/part.stl'"
        ):
            robot = fm.read_urdf(path)
        assert robot.components["arm"].shape is None
        ends = [
            robot.positions(fm.simulate(one, 0.3, progress=False))["j"][-1]
            for one in (robot, fm.read_urdf(path, meshes=False))
        ]
        assert ends[0] == ends[1]

    def test_meshes_are_thinned(self, written, tmp_path):
        import trimesh

        trimesh.creation.icosphere(subdivisions=4).export(tmp_path / "ball.obj")
        visual = '<visual><geometry><mesh filename="ball.obj"/></geometry></visual>'
        path = written(link("ball", more=visual))
        whole, thin = (fm.read_urdf(path, fixed_base=False, triangles=n) for n in (10_000, 1000))
        counts = [len(robot.components["ball"].shape.drawn.parts[0].faces) for robot in (whole, thin)]
        assert counts[0] == 5120 and counts[1] <= 1000

    def test_the_package_that_reads_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "yourdfpy", None)
        with pytest.raises(fm.errors.MissingExtraError, match=r"pip install 'flexmb\[urdf\]'"):
            fm.read_urdf(ARM)

    @pytest.mark.skipif(importlib.util.find_spec("collada") is None, reason="meshes in Collada need pycollada")
    def test_a_real_robot(self):
        path = robots.example_robot_data("panda_description/urdf/panda.urdf")
        if path is None:
            pytest.skip("example-robot-data is in the extra `peers`")
        robot = fm.read_urdf(path)
        shape = robot.components["panda_link6"].shape.drawn
        assert len(shape.parts) == 17 and sum(len(part.faces) for part in shape.parts) < 8000
        assert len(robot.moving) == 8
