"""Inverse kinematics: against closed forms, forward kinematics and a general minimizer."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples import robots
from tests.analyses.kinematics.inverse.arms import LENGTHS, chain, names


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("elbow", [1.0, -1.0])
def test_two_links_by_the_cosine_law(dimension, elbow):
    m = chain(2, dimension)
    x, y = 0.9, 1.1
    found = fm.inverse_kinematics(m, {"link1.far": (x, y, 0.0)[:dimension]}, near={"joint1.angle": elbow})
    bend = elbow * np.arccos((x * x + y * y - 1.0 - 0.64) / 1.6)
    first = np.arctan2(y, x) - np.arctan2(0.8 * np.sin(bend), 1.0 + 0.8 * np.cos(bend))
    assert [found.positions[n] for n in names(2)] == pytest.approx([first, bend], abs=1e-11)
    assert found["link1.far"].position[:2] == pytest.approx([x, y], abs=1e-11)


def test_nearest_posture_of_three_links_by_a_general_minimizer():
    m, wanted, near = chain(3), np.array([0.7, 1.2]), np.array([0.3, 0.5, 0.4])
    found = fm.inverse_kinematics(m, {"link2.far": wanted}, near=dict(zip(names(3), near)))

    def hand(q):
        a = np.cumsum(q)
        return np.array([LENGTHS @ np.cos(a), LENGTHS @ np.sin(a)])

    best = scipy.optimize.minimize(
        lambda q: np.sum((q - near) ** 2), near, constraints={"type": "eq", "fun": lambda q: hand(q) - wanted},
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert [found.positions[n] for n in names(3)] == pytest.approx(best.x, abs=1e-6)
    assert hand(found.joint_coordinates) == pytest.approx(wanted, abs=1e-11)


def test_limits_hold_a_joint_and_the_others_make_up_for_it():
    m = chain(3)
    near = {"joint0.angle": 0.3, "joint1.angle": 0.5, "joint2.angle": 0.4}
    free = fm.inverse_kinematics(m, {"link2.far": (0.7, 1.2)}, near=near)
    limit = free.positions["joint1.angle"] - 0.3
    held = fm.inverse_kinematics(m, {"link2.far": (0.7, 1.2)}, near=near, limits={"joint1.angle": (-1.0, limit)})
    assert held.positions["joint1.angle"] == pytest.approx(limit, abs=1e-12)
    assert held["link2.far"].position == pytest.approx([0.7, 1.2], abs=1e-11)


def test_stops_of_joints_are_limits():
    m = chain(2)
    m.joint_stop(m.components["joint1"], lower=-0.1, upper=1.5, stiffness=1e4)
    found = fm.inverse_kinematics(m, {"link1.far": (0.9, 1.1)}, near={"joint1.angle": -1.0})
    assert found.positions["joint1.angle"] > 0.0
    with pytest.raises(fm.errors.InitialConditionError, match=r"'joint1.angle' at its upper limit, 1\.5 rad, holds it"):
        fm.inverse_kinematics(m, {"link1.far": (0.1, 0.3)})
    assert fm.inverse_kinematics(m, {"link1.far": (0.1, 0.3)}, limits=False).residual < 1e-10


def test_a_goal_takes_the_redundant_joint_there():
    m = chain(3)
    found = fm.inverse_kinematics(m, {"link2.far": (0.7, 1.2)}, near=[0.3, 0.5, 0.4], goal={"joint2.angle": 0.9})
    assert found.positions["joint2.angle"] == pytest.approx(0.9, abs=2e-3)
    assert found["link2.far"].position == pytest.approx([0.7, 1.2], abs=1e-11)


def test_several_frames_of_a_branched_tree_at_once():
    m = chain(2)
    arm = m.add_body("other", mass=1.0, inertia=0.1, position=(1.5, 0.0))
    m.revolute(m.frames["link0.far"], arm.attach("near", (-0.5, 0)), name="other hinge")
    tip = arm.attach("tip", (0.5, 0))
    q = np.array([0.4, 0.7, -0.5])
    state = fm.Tree.of(m).state(q)
    wanted = {tip: state["other.tip"].position, "link1.far": state["link1.far"].position}
    found = fm.inverse_kinematics(m, wanted, near=q + [0.2, -0.3, 0.3])
    assert found.joint_coordinates == pytest.approx(q, abs=1e-10)


def test_closed_loops_stay_closed():
    from flexmb.examples.four_bar import build

    m = build()
    known = fm.Loops(m)
    x, _ = known.closed(known.tree.start()[0] + np.array([0.3, 0.0, 0.0]), np.zeros(3))
    state = known.tree.state(x)
    angle = state["coupler"].angle
    # the closed four-bar has one freedom: a point of it fits to the place that it can take
    found = fm.inverse_kinematics(m, {"coupler": (*state["coupler"].position, angle)})
    assert found.joint_coordinates == pytest.approx(x, abs=1e-9)
    assert np.max(np.abs(known.at(found.joint_coordinates).g)) < 1e-11
    with pytest.raises(fm.errors.InitialConditionError, match="'coupler' cannot come nearer"):
        fm.inverse_kinematics(m, {"coupler": state["coupler"].position + 0.2})


def test_the_state_goes_on_to_runs_rest_and_assembly():
    m = chain(2, gravity=(0.0, -9.81))
    for k in range(2):
        m.torsion_spring(*(m.components[f"joint{k}"].frames()), stiffness=50.0)
    found = fm.inverse_kinematics(m, {"link1.far": (0.9, 1.1)}, near={"joint1.angle": 1.0})
    run = fm.simulate(m, 0.1, initial=found, progress=False)
    assert run["link1.far"].position[0] == pytest.approx([0.9, 1.1], abs=1e-9)
    assert fm.equilibrium(m, initial=found).stable
    assert fm.assemble(m, initial=found)["link1.far"].position == pytest.approx([0.9, 1.1], abs=1e-10)
    assert m.frames["link1"].position == pytest.approx(found["link1"].position, abs=1e-10)


def test_a_robot_is_measured_as_its_file_says():
    robot = fm.read_urdf(robots.folder() / "six_joints.urdf", meshes=False, positions={"joint2": 0.3, "joint3": 0.8})
    tree, rng = fm.Tree.of(robot), np.random.default_rng(3)
    dynamics, frame = fm.TreeDynamics(tree), list(robot.links)[-1]
    q = rng.uniform(-0.8, 0.8, (5, tree.nq))
    poses = [(p.position, p.axes) for p in (dynamics.pose(frame, x) for x in q)]
    wanted = np.array([p for p, _ in poses]), Rotation.from_matrix([R for _, R in poses])
    found = fm.inverse_kinematics(robot, {frame: wanted}, near=q + rng.uniform(-0.2, 0.2, q.shape))
    assert found.joint_coordinates == pytest.approx(q, abs=1e-8)
    assert np.all(found.reached) and found.residuals.max() < 1e-10
    assert found.positions["joint2"] == pytest.approx(q[:, 1] + 0.3, abs=1e-8)
    assert robot.positions(found[2])["joint3"] == pytest.approx(q[2, 2] + 0.8, abs=1e-8)
    assert found[2][frame].position == pytest.approx(wanted[0][2], abs=1e-9)


def test_ball_joints_and_a_floating_base_are_moved_as_rotations():
    m = fm.SpatialModel("ball")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    m.spherical(m.ground, body.attach("pivot", (-0.5, 0, 0)), name="ball")
    free = m.add_body("free", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(2, 0, 0))
    turn, away = Rotation.from_rotvec([0.4, -0.9, 0.3]), Rotation.from_rotvec([2.0, 1.0, 0.5])
    wanted = {"body": (turn.apply([0.5, 0, 0]), turn), free: ((1.0, 2.0, 3.0), away)}
    found = fm.inverse_kinematics(m, wanted)
    assert (found["body"].orientation * turn.inv()).magnitude() < 1e-11
    assert (found["free"].orientation * away.inv()).magnitude() < 1e-11
    assert found["free"].position == pytest.approx([1.0, 2.0, 3.0], abs=1e-10)


def test_nearest_posture_of_what_is_out_of_reach():
    found = fm.inverse_kinematics(
        chain(2), {"link1.far": [(0.9, 1.1), (0.0, 3.0)]}, near={"joint1.angle": 0.4}, unreached="nearest"
    )
    assert found.reached.tolist() == [True, False]
    assert found.residuals[1] == pytest.approx(1.2, abs=1e-6)
    assert found[1]["link1.far"].position == pytest.approx([0.0, 1.8], abs=1e-4)


@pytest.mark.parametrize(
    ("targets", "options", "words"),
    [
        ({"link1.far": (0.0, 5.0)}, {}, r"cannot come nearer than 3.2 m; no limit holds it, it is out of the reach"),
        ({"ground": (0.0, 1.0)}, {}, "frame 'ground' is fixed"),
        ({"link1.far": (0.0, np.nan)}, {}, "nan; give finite numbers"),
        ({"link1.far": (0.0, 1.0, 2.0, 3.0)}, {}, r"shape \(4,\); give \(x, y\) or \(x, y, angle\)"),
        ({"hand": (0.0, 1.0)}, {}, "'hand'"),
        ({}, {}, "give poses by frames"),
        ({"link1.far": [(0.5, 1.0)] * 2, "link0.far": [(1.0, 0.0)] * 3}, {}, "different numbers of poses"),
        ({"link1.far": (0.5, 1.0)}, {"limits": {"joint1.angle": (1.0, 0.0)}}, "give .lower, upper., rising"),
        ({"link1.far": (0.5, 1.0)}, {"limits": {"joint1": (0.0, 1.0)}}, "joint coordinate 'joint1'"),
        ({"link1.far": (0.5, 1.0)}, {"near": [0.0]}, r"near has the shape \(1,\)"),
        ({"link1.far": (0.5, 1.0)}, {"near": {"joint1.angle": np.inf}}, "inf"),
        ({"link1.far": (0.5, 1.0)}, {"unreached": "perhaps"}, "unreached"),
    ],
)
def test_bad_input_is_refused_by_name(targets, options, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.inverse_kinematics(chain(2), targets, **options)


def test_limits_that_exclude_a_pose_are_named():
    message = r"'joint1.angle' at its \w+ limit, -?0.1 rad, holds it; without limits it could be reached"
    with pytest.raises(fm.errors.InitialConditionError, match=message):
        fm.inverse_kinematics(
            chain(2), {"link1.far": (0.3, 0.6)}, limits={"joint1.angle": (-0.1, 0.1)}, near=[-2.0, -0.1]
        )


def test_frames_that_no_joint_moves_and_beams_are_refused():
    m = chain(1)
    post = m.add_body("post", mass=1.0, inertia=0.1, position=(0.0, 1.0))
    m.weld(m.ground, post.frame)
    with pytest.raises(fm.errors.FormulationError, match="no joint moves 'post'"):
        fm.inverse_kinematics(m, {"post": (0.0, 1.0)})
    soft = fm.PlanarModel("soft")
    steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
    rod = soft.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.01))
    soft.revolute(soft.ground, rod.start)
    with pytest.raises(fm.errors.FormulationError, match="ends of a beam, which bends"):
        fm.inverse_kinematics(soft, {"rod.end": (0.0, 1.0)})
