"""URDF files that are refused, and why."""

from __future__ import annotations

import pytest

import flexmb as fm
from flexmb.examples import robots
from tests.io.elements import PENDULUM, empty, joint, link

ARM = robots.folder() / "arm.urdf"


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
        "link 'b': inertia about its mass center has the eigenvalue -0.1",
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


class TestRefused:
    @pytest.mark.parametrize("what", REFUSED)
    def test_texts(self, written, what):
        text, message = REFUSED[what]
        with pytest.raises(fm.errors.ModelError, match=message):
            fm.read_urdf(written(text=text))

    @pytest.mark.parametrize("what", WRONG)
    def test_robots(self, written, what):
        parts, message = WRONG[what]
        with pytest.raises(fm.errors.ModelError, match=message):
            fm.read_urdf(written(*parts))

    def test_a_file_that_there_is_not(self, tmp_path):
        with pytest.raises(fm.FlexmbError, match="read_urdf"):
            fm.read_urdf(tmp_path / "none.urdf")

    def test_an_impossible_part_of_a_possible_body_is_warned_of(self, written):
        camera = link("camera", 0.01, "0 0 0", (1e-6, 1e-6, 1e-5))
        path = written(link("trunk"), camera, joint("j", "fixed", "trunk", "camera"))
        with pytest.warns(fm.errors.AccuracyWarning, match="link 'camera': .* larger than the sum of the other two"):
            robot = fm.read_urdf(path, fixed_base=False)
        assert robot.components["trunk"].tensor()[2, 2] == pytest.approx(0.1 + 1e-5)

    def test_every_refusal_of_an_inertia_says_how_to_repair_it(self, written):
        for impossible in (link("b", inertia=(0.1, -0.1, 0.1)), link("b", inertia=(0.1, 0.1, 0.3)), link("b", 0.0)):
            with pytest.raises(fm.errors.ModelError, match=r"link 'b'.*improper_inertia='repair'"):
                fm.read_urdf(written(empty("a"), impossible, joint("j", "revolute", "a", "b")))
        with pytest.raises(fm.errors.ModelError, match="inertia is 'mend'; choose one of 'refuse', 'repair'"):
            fm.read_urdf(ARM, improper_inertia="mend")

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
                fm.read_urdf(path, **more)
        with pytest.raises(fm.errors.ModelError, match=r"it mimics 'finger' and is 0\.02, not 0\.01; leave it out"):
            fm.read_urdf(ARM, meshes=False, positions={"finger": 0.02, "finger2": 0.01})
        assert "hinge stop" in fm.read_urdf(path, stops={"stiffness": 1e3, "damping": 0.1}).components
