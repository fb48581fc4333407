"""Robots from URDF files: what is read, how it moves, and what is refused."""

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

ARM, QUADRUPED = (robots.folder() / name for name in ("arm.urdf", "quadruped.urdf"))


def link(name, mass=1.0, center="0 0 0", inertia=(0.1, 0.1, 0.1), more=""):
    xx, yy, zz = inertia
    own = f'<mass value="{mass}"/><inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<link name="{name}"><inertial><origin xyz="{center}"/>{own}</inertial>{more}</link>'


def empty(name, more=""):
    return f'<link name="{name}">{more}</link>'


def joint(name, kind, parent, child, xyz="0 0 0", axis="0 0 1", more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


@pytest.fixture
def written(tmp_path):
    """Write a URDF of some elements."""

    def write(*parts, text=None):
        path = tmp_path / "robot.urdf"
        path.write_text(text or f'<robot name="robot">{"".join(parts)}</robot>')
        return path

    return write


PENDULUM = (empty("base"), link("bob", 2.0, "0 0 -0.5", (0.02, 0.02, 0.01)))


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
        robot = fm.load_urdf(path, gravity=(0, 0, 0), rates={"hinge": 3.0})
        assert robot.components["hinge actuator"].damping == 0.5
        run = fm.simulate(robot, 0.5, "radau", progress=False)
        J, d, T = 0.02 + 2.0 * 0.25, 0.5, 0.2  # J ω̇ = −d ω − T
        assert robot.rates(run)["hinge"][-1] == pytest.approx((3.0 + T / d) * np.exp(-d * 0.5 / J) - T / d, rel=1e-4)
        assert "hinge actuator" not in fm.load_urdf(path, losses=False).components

    def test_a_link_whose_name_is_taken(self, written):
        robot = fm.load_urdf(written(empty("base"), link("ground"), joint("hinge", "revolute", "base", "ground")))
        robot.actuate("hinge", 2.0)
        start = fm.simulate(robot, 1e-3, step=1e-3, progress=False)
        moment = robot.accelerations(start)["hinge"][0] * robot.components["ground link"].tensor()[2, 2]
        assert moment == pytest.approx(2.0, rel=1e-12)

    def test_links_without_mass_between_joints(self, written):
        path = written(
            empty("base"), empty("x"), link("arm", 1.0, "0.5 0 0"),
            joint("roll", "revolute", "base", "x", axis="1 0 0"), joint("yaw", "revolute", "x", "arm"),
        )  # fmt: skip
        robot = fm.load_urdf(path, positions={"roll": 0.3, "yaw": 0.2})
        runs = [fm.simulate(robot, 0.5, method, progress=False) for method in ("generalized_alpha", "dop853")]
        ends = [robot.positions(run)["yaw"][-1] for run in runs]
        assert ends[0] == pytest.approx(ends[1], abs=1e-3)

    def test_a_point_mass_on_a_joint(self, written):
        bob, swing = link("bob", 2.0, "0 0 -1", (0, 0, 0)), joint("p", "revolute", "base", "bob", axis="0 1 0")
        robot = fm.load_urdf(written(empty("base"), bob, swing), positions={"p": 0.5})
        start = fm.simulate(robot, 1e-3, step=1e-3, progress=False)
        assert robot.accelerations(start)["p"][0] == pytest.approx(-9.81 * np.sin(0.5), rel=1e-12)

    def test_limits_are_data_or_stops(self):
        there = {"joint2": 0.5, "joint4": 1.2, "finger": 0.02}
        robot = fm.load_urdf(ARM, meshes=False, positions=there)
        assert (robot.joints["joint4"].lower, robot.joints["joint4"].upper) == (-0.3, 2.6)
        assert not any(name.endswith("stop") for name in robot.components)
        stopped = fm.load_urdf(ARM, meshes=False, positions=there, stops=True)
        way = stopped.positions(fm.simulate(stopped, 1.0, progress=False))
        free = robot.positions(fm.simulate(robot, 1.0, progress=False))
        assert free["joint2"].max() > 2.1
        for name, values in way.items():
            limits = stopped.joints[name]
            assert limits.lower - 0.05 < values.min() and values.max() < limits.upper + 0.05

    def test_torques_and_linear_models(self):
        there = {"joint2": 0.4, "joint4": 0.9}
        robot, held = (fm.load_urdf(ARM, meshes=False, losses=False, positions=there) for _ in range(2))
        for one in held.moving:
            held.drive(one.name, one.start)
        needed = held.efforts(fm.kinematics(held, times=[0.0], progress=False))
        inputs = [robot.actuate(name, float(values[0])) for name, values in needed.items()]
        still = robot.accelerations(fm.simulate(robot, 1e-3, step=1e-3, progress=False))
        assert max(abs(x[0]) for x in still.values()) < 1e-9
        linear = fm.linearise(robot, inputs=inputs, outputs=["joint1.angle"])
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
        robot = fm.load_urdf(path, gravity=(0, 0, 0), positions=given, rates=rates)
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
        robot = fm.load_urdf(path, gravity=(0, 0, 0), positions={"a": 0.2}, rates={"a": 1.0})
        assert robot.joints["c"].mimic == pytest.approx(("a", -1.0, 0.25))
        assert [one.name for one in robot.moving] == ["a"]
        run = fm.simulate(robot, 1.0, "radau", progress=False)
        end = {name: values[-1] for name, values in robot.positions(run).items()}
        assert end["b"] == pytest.approx(-2.0 * end["a"] + 0.3, abs=1e-9)
        assert end["c"] == pytest.approx(-end["a"] + 0.25, abs=1e-9) and end["still"] == 0.7
        assert end["a"] == pytest.approx(1.2, abs=1e-6)  # nothing drives it

    def test_a_free_base(self):
        robot = fm.load_urdf(
            QUADRUPED,
            meshes=False,
            fixed_base=False,
            position=(0, 0, 2),
            velocity=(1, 0, 0),
            angular_velocity=(0, 0, 1),
        )
        run = fm.simulate(robot, 0.2, progress=False)
        mass = sum(body.mass for body in robot.components.values() if isinstance(body, fm.SpatialBody))
        assert mass == pytest.approx(6.5 + 0.15 + 4 * (0.6 + 1.0 + 0.17 + 0.06))
        assert run["trunk"].velocity[-1][2] == pytest.approx(-9.81 * 0.2, abs=0.02)
        assert run["camera"].position[0].tolist() == pytest.approx([0.3, 0, 2.01])

    def test_names_that_are_taken(self, written):
        robot = fm.load_urdf(written(empty("ground"), link("arm"), joint("arm", "revolute", "ground", "arm")))
        assert robot.links["ground"].name == "ground link" and robot.joints["arm"].component.name == "arm joint"

    def test_drives_and_efforts_of_a_mimic_go_to_its_leader(self):
        robot = fm.load_urdf(ARM, meshes=False)
        for verb in (robot.drive, robot.actuate):
            with pytest.raises(fm.ModelError, match=r"joint 'finger2' mimics 'finger'; \w+ that one"):
                verb("finger2", 0.0)
        with pytest.raises(fm.ModelError, match="joint 'hand joint' is fixed"):
            robot.actuate("hand joint")
        with pytest.raises(fm.NamingError, match="there is no joint 'joint8'"):
            robot.drive("joint8", 0.0)
        with pytest.raises(fm.ModelError, match="no joint is driven"):
            robot.efforts(fm.assemble(robot))
        for verb, of in ((robot.positions, 3), (robot.rates, None)):
            with pytest.raises(fm.ModelError, match=f"{of} has none; give a solution"):
                verb(of)
        known = robot.actuate("joint1", 5.0)
        with pytest.raises(fm.ModelError, match="force"):
            robot.actuate("joint1", "strong")
        assert known.force(0.0) == 5.0


class TestShapes:
    def test_primitives_and_colours(self):
        robot = fm.load_urdf(ARM)
        parts = robot.components["link1"].shape.drawn.parts
        assert {part.kind for part in parts} == {"cylinder", "box"} and parts[0].colour == "#edf0f2"
        assert isinstance(robot.components["base"], fm.Figure)  # what is fixed to the ground
        assert robot.components["link7"].mass == pytest.approx(0.6 + 0.7)  # with the hand

    def test_a_mesh_is_scaled_placed_and_coloured(self, written, tmp_path):
        import trimesh

        (tmp_path / "meshes").mkdir()
        trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "meshes" / "part.stl")
        visual = (
            '<visual><origin xyz="0 0 1"/><geometry><mesh filename="package://robot/meshes/part.stl" scale="2 2 -2"/>'
            '</geometry><material name="red"/></visual>'
        )
        red = '<material name="red"><color rgba="1 0 0 1"/></material>'
        path = written(red, empty("base"), link("arm", more=visual), joint("j", "revolute", "base", "arm"))
        robot = fm.load_urdf(path, packages={"robot": tmp_path})
        (part,) = robot.components["arm"].shape.drawn.parts
        assert part.colour == "#ff0000" and part.position == (0.0, 0.0, 1.0)
        assert np.ptp(part.vertices, axis=0).tolist() == pytest.approx([2.0, 4.0, 6.0])
        a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
        assert np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0 == pytest.approx(48.0)  # outwards still
        assert fm.load_urdf(path).components["arm"].shape is not None  # found among the folders above the file

    def test_a_missing_mesh_takes_the_picture_away_and_nothing_else(self, written):
        visual = '<visual><geometry><mesh filename="package://gone/part.stl"/></geometry></visual>'
        path = written(
            empty("base"), link("arm", 1.0, "0.5 0 0", more=visual), joint("j", "revolute", "base", "arm", axis="0 1 0")
        )
        with pytest.warns(
            fm.PictureWarning, match="link 'arm': there is no file for the mesh 'package://gone/part.stl'"
        ):
            robot = fm.load_urdf(path)
        assert robot.components["arm"].shape is None
        ends = [
            robot.positions(fm.simulate(one, 0.3, progress=False))["j"][-1]
            for one in (robot, fm.load_urdf(path, meshes=False))
        ]
        assert ends[0] == ends[1]

    def test_meshes_are_thinned(self, written, tmp_path):
        import trimesh

        trimesh.creation.icosphere(subdivisions=4).export(tmp_path / "ball.obj")
        visual = '<visual><geometry><mesh filename="ball.obj"/></geometry></visual>'
        path = written(link("ball", more=visual))
        whole, thin = (fm.load_urdf(path, fixed_base=False, triangles=n) for n in (10_000, 1000))
        counts = [len(robot.components["ball"].shape.drawn.parts[0].faces) for robot in (whole, thin)]
        assert counts[0] == 5120 and counts[1] <= 1000

    def test_the_package_that_reads_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "yourdfpy", None)
        with pytest.raises(fm.MissingExtraError, match=r"pip install 'flexmb\[urdf\]'"):
            fm.load_urdf(ARM)

    @pytest.mark.skipif(importlib.util.find_spec("collada") is None, reason="meshes in Collada need pycollada")
    def test_a_real_robot(self):
        path = robots.example_robot_data("panda_description/urdf/panda.urdf")
        if path is None:
            pytest.skip("example-robot-data is in the extra `peers`")
        robot = fm.load_urdf(path)
        shape = robot.components["panda_link6"].shape.drawn
        assert len(shape.parts) == 17 and sum(len(part.faces) for part in shape.parts) < 8000
        assert len(robot.moving) == 8


REFUSED = {
    "no XML": ("<robot name='r'><link", "it is no XML"),
    "another root": ("<mujoco/>", "it begins with <mujoco>"),
    "xacro": ('<robot name="r"><xacro:macro name="x"/></robot>', "xacro FILE > FILE.urdf"),
    "no links": ('<robot name="r"/>', "it has no links"),
    "a link without name": ('<robot name="r"><link/></robot>', "a <link> has no name"),
}
WRONG = {
    "two links of one name": ((link("a"), link("a")), "link 'a' is given twice"),
    "a link that there is not": ((link("a"), joint("j", "fixed", "a", "b")), "joint 'j', child: there is no link 'b'"),
    "two roots": ((link("a"), link("b")), "it has 2 roots, .* 'a', 'b'"),
    "two parents": (
        (link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")),
        "link 'b' is the child of two joints, 'j' and 'k'; a URDF is a tree",
    ),
    "a circle": (
        (link("r"), link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")),
        "the links 'a', 'b' are children of one another in a circle",
    ),
    "a type": ((link("a"), link("b"), joint("j", "ball", "a", "b")), "joint 'j': type is 'ball'; choose one of"),
    "an axis": ((link("a"), link("b"), joint("j", "revolute", "a", "b", axis="0 0 0")), "joint 'j': its axis is zero"),
    "limits": (
        (link("a"), link("b"), joint("j", "revolute", "a", "b", more='<limit lower="1" upper="-1"/>')),
        "joint 'j': its limits are 1 and -1",
    ),
    "damping": (
        (link("a"), link("b"), joint("j", "revolute", "a", "b", more='<dynamics damping="-1"/>')), "damping",
    ),
    "inertia below zero": (
        (empty("a"), link("b", inertia=(0.1, -0.1, 0.1)), joint("j", "revolute", "a", "b")),
        "link 'b': inertia about its mass centre has the eigenvalue -0.1",
    ),
    "inertia of no body": (
        (empty("a"), link("b", inertia=(0.1, 0.1, 0.3)), joint("j", "revolute", "a", "b")),
        "link 'b': its principal inertias .* larger than the sum of the other two",
    ),
    "inertia without mass": (
        (empty("a"), link("b", 0.0), joint("j", "revolute", "a", "b")), "link 'b' has an inertia, and its mass is 0",
    ),
    "no inertia": (
        (empty("a"), '<link name="b"><inertial><mass value="1"/></inertial></link>', joint("j", "revolute", "a", "b")),
        "link 'b' has no <inertia>",
    ),
    "half an inertia": (
        ('<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial></link>',),
        "the inertia of link 'b' has no izz",
    ),
    "nothing moves": (
        (link("a"), empty("b"), joint("j", "revolute", "a", "b")), "joint 'j' moves link 'b', which has no mass",
    ),
    "a point on its axis": (
        (link("a"), link("b", 1.0, "0 0 2", (0, 0, 0)), joint("j", "revolute", "a", "b")),
        "joint 'j' turns point masses on its own axis",
    ),
    "a mimic of nothing": (
        (link("a"), link("b"), joint("j", "revolute", "a", "b", more='<mimic joint="k"/>')),
        "joint 'j', mimic: there is no joint 'k'",
    ),
    "mimics in a circle": (
        (
            link("a"), link("b"), link("c"), joint("j", "revolute", "a", "b", more='<mimic joint="k"/>'),
            joint("k", "revolute", "a", "c", more='<mimic joint="j"/>'),
        ),
        "j → k → j",
    ),
    "a mimic of a floating joint": (
        (
            link("a"), link("b"), link("c"), joint("k", "floating", "a", "c"),
            joint("j", "revolute", "a", "b", more='<mimic joint="k"/>'),
        ),
        "joint 'j' mimics 'k', which is floating",
    ),
}  # fmt: skip


class TestSensors:
    def test_they_read_what_positions_and_rates_say(self, written):
        links = empty("base"), *(link(x, 1.0, "0 0 -0.5", (0.02, 0.02, 0.01)) for x in "abcd")
        kinds = {"hinge": "revolute", "wheel": "continuous", "slide": "prismatic", "table": "planar"}
        moving = (joint(name, kind, "base", x, axis="0 1 0") for (name, kind), x in zip(kinds.items(), "abcd"))
        at = {"hinge": 0.3, "wheel": 9.0, "slide": 0.2, "table": (0.1, 0.2, 0.4)}
        rates = {"wheel": 40.0, "hinge": 1.0}
        robot = fm.load_urdf(written(*links, *moving), positions=at, rates=rates, gravity=(0, 0, 0))
        push = robot.actuate("hinge")
        read = [robot.sensor(name, what) for what in ("position", "rate") for name in ("hinge", "wheel", "slide")]
        planar = [(what, k, c) for what in ("position", "rate") for k, c in enumerate(("x", "y", "angle"))]
        read += [robot.sensor("table", what, coordinate=c) for what, _, c in planar]
        robot.add_controller("log", period=0.01, sensors=read, commands=push, law=np.zeros((1, len(read))))
        run = fm.simulate(robot, 0.5, step=0.001, progress=False)
        told = {"position": robot.positions(run), "rate": robot.rates(run)}
        seen = [told[what][name] for what in ("position", "rate") for name in ("hinge", "wheel", "slide")]
        seen += [told[what]["table"][:, k] for what, k, _ in planar]
        np.testing.assert_allclose(run.control["log"].y, np.stack(seen, axis=1)[:-1:10], rtol=0, atol=1e-9)
        np.testing.assert_allclose([x.readings(run) for x in read], seen, rtol=0, atol=1e-12)
        assert told["position"]["wheel"][-1] > 25.0 and run.control["log"].y[0, 0] == pytest.approx(0.3)

    def test_what_has_no_coordinate(self, written):
        parts = empty("base"), *(link(x) for x in "abc")
        robot = fm.load_urdf(
            written(
                *parts, joint("free", "floating", "base", "a"), joint("held", "fixed", "a", "b"),
                joint("table", "planar", "base", "c"),
            )
        )  # fmt: skip
        for call, message in (
            (("free",), "joint 'free' is floating, and has no coordinate"),
            (("held",), "joint 'held' is fixed, and has no coordinate"),
            (("table",), "sensor of joint 'table': coordinate is ''; choose one of 'x', 'y', 'angle'"),
            (("tabel",), "no joint 'tabel' .did you mean 'table'"),
            (("table", "speed"), "what is 'speed'; choose one of 'position', 'rate'"),
        ):
            with pytest.raises(fm.ModelError, match=message):
                robot.sensor(*call)


class TestRepaired:
    def test_a_link(self, written):
        # Σ = diag(0.15, 0.15, -0.05) [kg m²]; without its negative part J = diag(0.15, 0.15, 0.3)
        path = written(empty("a"), link("b", inertia=(0.1, 0.1, 0.3)), joint("j", "revolute", "a", "b"))
        with pytest.warns(fm.AccuracyWarning, match=r"link 'b', .*\[0\.1, 0\.1, 0\.3\] kg m².* 0\.0707 kg m² from"):
            robot = fm.load_urdf(path, inertia="repair")
        J = robot.components["b"].tensor()
        assert np.allclose(J, np.diag([0.15, 0.15, 0.3]), atol=2e-7, rtol=0.0)
        robot.actuate("j", 3.0)
        assert robot.accelerations(fm.simulate(robot, 0.01, progress=False))["j"][-1] == pytest.approx(10.0, rel=1e-6)

    def test_links_without_mass_have_no_inertia(self, written):
        path = written(empty("a"), link("b", 0.0), link("c"), *(
            joint(name, kind, *ends) for name, kind, *ends in (("j", "revolute", "a", "b"), ("k", "fixed", "b", "c"))
        ))  # fmt: skip
        with pytest.warns(fm.AccuracyWarning, match="link 'b'"):
            robot = fm.load_urdf(path, inertia="repair")
        assert np.allclose(robot.components["b"].tensor(), np.diag([0.1, 0.1, 0.1]))

    def test_masses_on_a_line_get_some_inertia_about_it(self, written):
        point = {"inertia": (0, 0, 0)}
        parts = link("b", 1.0, "0 0 1", **point), link("c", 1.0, "0 0 3", **point), joint("k", "fixed", "b", "c")
        path = written(empty("a"), *parts, joint("j", "revolute", "a", "b", axis="1 0 0"))
        with pytest.raises(fm.ModelError, match=r"eigenvalue 0 about the axis .*inertia='repair'"):
            fm.load_urdf(path)
        with pytest.warns(fm.AccuracyWarning, match="link 'b' and what is fixed to it"):
            robot = fm.load_urdf(path, inertia="repair")
        assert np.allclose(robot.components["b"].tensor().diagonal(), [2.0, 2.0, 0.0], atol=1e-5)

    def test_a_possible_inertia_stays_as_it_is(self):
        plain, asked = (fm.load_urdf(ARM, meshes=False, inertia=what) for what in ("refuse", "repair"))
        for name, body in plain.components.items():
            if hasattr(body, "tensor"):
                assert np.array_equal(body.tensor(), asked.components[name].tensor())


class TestRefused:
    @pytest.mark.parametrize("what", REFUSED)
    def test_texts(self, written, what):
        text, message = REFUSED[what]
        with pytest.raises(fm.ModelError, match=message):
            fm.load_urdf(written(text=text))

    @pytest.mark.parametrize("what", WRONG)
    def test_robots(self, written, what):
        parts, message = WRONG[what]
        with pytest.raises(fm.ModelError, match=message):
            fm.load_urdf(written(*parts))

    def test_a_file_that_there_is_not(self, tmp_path):
        with pytest.raises(fm.FlexmbError, match="load_urdf"):
            fm.load_urdf(tmp_path / "none.urdf")

    def test_an_impossible_part_of_a_possible_body_is_warned_of(self, written):
        camera = link("camera", 0.01, "0 0 0", (1e-6, 1e-6, 1e-5))
        path = written(link("trunk"), camera, joint("j", "fixed", "trunk", "camera"))
        with pytest.warns(fm.AccuracyWarning, match="link 'camera': .* larger than the sum of the other two"):
            robot = fm.load_urdf(path, fixed_base=False)
        assert robot.components["trunk"].tensor()[2, 2] == pytest.approx(0.1 + 1e-5)

    def test_every_refusal_of_an_inertia_says_how_to_repair_it(self, written):
        for impossible in (link("b", inertia=(0.1, -0.1, 0.1)), link("b", inertia=(0.1, 0.1, 0.3)), link("b", 0.0)):
            with pytest.raises(fm.ModelError, match=r"link 'b'.*inertia='repair'"):
                fm.load_urdf(written(empty("a"), impossible, joint("j", "revolute", "a", "b")))
        with pytest.raises(fm.ModelError, match="inertia is 'mend'; choose one of 'refuse', 'repair'"):
            fm.load_urdf(ARM, inertia="mend")

    def test_arguments(self, written):
        hinge = joint("hinge", "revolute", "base", "bob", axis="0 1 0", more='<limit lower="-1" upper="1"/>')
        path = written(*PENDULUM, hinge)
        for more, message in (
            ({"positions": {"hing": 1.0}}, "positions: there is no joint 'hing'"),
            ({"positions": [1.0]}, "positions are .* give them by the names of joints"),
            ({"positions": {"hinge": "up"}}, "positions of joint 'hinge'"),
            ({"velocity": (1, 0, 0)}, "its base is fixed, and has a velocity"),
            ({"fixed_base": False}, "its root link 'base' has no mass"),
            ({"stops": None}, "stops is None; give True or False"),
            ({"stops": {}}, "stops have no stiffness"),
            ({"stops": True}, "says no effort and velocity, .* stops="),
            ({"stops": {"stiffness": 1e3}, "positions": {"hinge": 1.5}}, "starts at 1.5, beyond its limits -1 and 1"),
            ({"triangles": 3}, "triangles"),
            ({"stops": {"lower": 0.0}}, "no argument of stops 'lower'"),
        ):
            with pytest.raises(fm.FlexmbError, match=message):
                fm.load_urdf(path, **more)
        with pytest.raises(fm.ModelError, match=r"it mimics 'finger' and is 0\.02, not 0\.01; leave it out"):
            fm.load_urdf(ARM, meshes=False, positions={"finger": 0.02, "finger2": 0.01})
        assert "hinge stop" in fm.load_urdf(path, stops={"stiffness": 1e3, "damping": 0.1}).components
