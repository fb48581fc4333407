"""Joint motions along paths: against closed forms, and against runs that they drive."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

import flexmb as fm
from flexmb.examples import robots
from tests.analyses.kinematics.inverse.arms import chain

LINE = (0.9, fm.Polynomial([0.2, 0.3]))
TIMES = np.linspace(0.0, 2.0, 81)


def two_links(y):
    """The joint angles of :func:`chain` with two links whose end is at (0.9, y), elbow turned on."""
    bend = np.arccos((0.81 + y * y - 1.64) / 1.6)
    return np.arctan2(y, 0.9) - np.arctan2(0.8 * np.sin(bend), 1.0 + 0.8 * np.cos(bend)), bend


@pytest.mark.parametrize("dimension", [2, 3])
def test_joint_angles_and_rates_along_a_line(dimension):
    path = LINE if dimension == 2 else (*LINE, 0.0)
    found = fm.joint_motion(chain(2, dimension), {"link1.far": path}, TIMES, near={"joint1.angle": 1.0})
    exact = np.array(two_links(0.2 + 0.3 * TIMES))
    for k in range(2):
        assert found.positions[f"joint{k}.angle"] == pytest.approx(exact[k], abs=1e-11)
    step = 1e-5
    rates = (np.array(two_links(0.2 + 0.3 * (TIMES + step))) - np.array(two_links(0.2 + 0.3 * (TIMES - step)))) / 2e-5
    assert found.rates["joint1.angle"][3:-3] == pytest.approx(rates[1][3:-3], abs=1e-4)
    assert found.error < 1e-6
    state = found.state(40)
    assert state["link1.far"].velocity[:2] == pytest.approx([0.0, 0.3], abs=1e-6)


def test_torques_of_the_inverse_dynamics_are_those_of_a_driven_run():
    found = fm.joint_motion(chain(2, gravity=(0.0, -9.81)), {"link1.far": LINE}, TIMES, near={"joint1.angle": 1.0})
    driven = chain(2, gravity=(0.0, -9.81))
    fm.assemble(driven, initial=found.state(0))
    for k in range(2):
        a, b = driven.components[f"joint{k}"].frames()
        driven.drive_angle(a, b, found.tree_functions[f"joint{k}.angle"], name=f"drive{k}")
    run = fm.kinematics(driven, 2.0, steps=20)
    torques = found.drives(run.t)
    for k in range(2):
        assert run.reaction(f"drive{k}")[1] == pytest.approx(torques[f"joint{k}.angle"], abs=1e-9)


def test_a_measured_path_of_a_robot():
    robot = fm.read_urdf(robots.folder() / "six_joints.urdf", meshes=False)
    tree, frame = fm.Tree.of(robot), list(robot.links)[-1]
    dynamics = fm.TreeDynamics(tree)
    times = np.linspace(0.0, 1.0, 41)
    q = np.array([0.3, 0.6, -0.9, 0.4, 0.7, 0.2]) + 0.3 * np.sin(times[:, None] * [1.0, 1.3, 0.8, 1.1, 0.9, 1.2])
    poses = [dynamics.pose(frame, x) for x in q]
    places, turns = np.array([p.position for p in poses]), Rotation.from_matrix([p.axes for p in poses])
    found = fm.joint_motion(robot, {frame: (places, turns)}, times, near=q[0] + 0.1)
    assert found.joint_coordinates == pytest.approx(q, abs=1e-9)
    assert np.isnan(found.error)
    smooth = {frame: (tuple(fm.Spline(times, x) for x in places.T), RotationSpline(times, turns))}
    again = fm.joint_motion(robot, smooth, times, near=q[0] + 0.1)
    assert again.joint_coordinates == pytest.approx(q, abs=1e-9)
    assert again.error < 1e-4
    by_function = fm.joint_motion(
        robot, {frame: lambda t: (places[round(40 * t)], turns[round(40 * t)])}, times[::4], near=q[0] + 0.1
    )
    assert by_function.joint_coordinates == pytest.approx(q[::4], abs=1e-9)


def test_a_redundant_arm_closes_a_closed_path_in_its_joints():
    around = np.linspace(0.0, 2.0, 101)
    circle = (fm.Harmonic(0.3, np.pi, 0.5 * np.pi) + 1.0, fm.Harmonic(0.3, np.pi) + 0.8)
    found = fm.joint_motion(chain(3), {"link2.far": circle}, around, near=[0.2, 0.5, 0.5])
    assert found.joint_coordinates[-1] == pytest.approx(found.joint_coordinates[0], abs=1e-6)


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ((fm.Polynomial([0.9, 0.6]), 0.2), {}, r"at t = [\d.]+ s: .* cannot come nearer"),
        ((fm.Step(1.0, 0.9, -0.9), 0.2), {}, "'joint0.angle' moves by|'joint1.angle' moves by"),
        ((fm.Polynomial([0.9, -0.9]), 0.0), {}, "at t = 0.8 s: .* cannot come nearer than 0.02 m"),
        ((lambda t: np.nan, 0.0), {}, "nan"),
        ([(0.9, 0.2)] * 7, {}, "7 measured rows and 81 times"),
        ((0.9, 0.2), {"times": [0.0, 1.0]}, "give four at least"),
        ((0.9, 0.2), {"times": [0.0, 1.0, 1.0, 2.0]}, "times must rise; after 1 comes 1"),
        ((0.9, 0.2, 0.1, 0.1), {}, "shape"),
    ],
)
def test_bad_paths_are_refused_by_name(path, options, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.joint_motion(chain(2), {"link1.far": path}, **{"times": TIMES, "near": {"joint1.angle": 1.0}, **options})


def test_a_singular_place_is_named_with_time_and_direction():
    m = chain(2)
    path = (fm.Polynomial([0.9 * 1.8, 0.1 * 1.8, -0.025 * 1.8]), 0.0)  # reaches its full length at t = 2 s
    with pytest.raises(
        fm.errors.InitialConditionError,
        match=r"at t = 2 s the path passes a singular .* cannot move along \(-?1, 0\)",
    ):
        fm.joint_motion(m, {"link1.far": path}, np.linspace(0.0, 2.0, 401), near={"joint1.angle": 1.0})


def test_functions_are_what_computed_torque_takes_and_drives_with_states_are_no_joints():
    m = chain(2, gravity=(0.0, -9.81))
    joints = [m.components[f"joint{k}"] for k in range(2)]
    for joint in joints:
        m.joint_force(joint, 0.0, name=f"{joint.name} motor")
    found = fm.joint_motion(m, {"link1.far": LINE}, TIMES, near={"joint1.angle": 1.0})
    law = fm.control.ComputedTorque(m, found.tree_functions, fm.control.Gains.of(10.0))
    state = found.state(40)
    q, v = fm.Tree.of(m).of_state(state)
    e, rate = law.errors(q, v, state.t)
    assert np.abs([*e, *rate]).max() < 1e-9
    torques = found.drives()
    assert law.drives(q, v, state.t) == pytest.approx([torques[f"joint{k}.angle"][40] for k in range(2)], abs=1e-8)
    rough = chain(2)
    bristles = fm.LuGre(stiffness=1e3, coulomb=0.1)
    rough.joint_force(rough.components["joint0"], 0.0, friction=bristles, name="motor")
    same = fm.joint_motion(rough, {"link1.far": LINE}, TIMES, near={"joint1.angle": 1.0})
    assert sorted(same.functions) == ["joint0.angle", "joint1.angle"]
    assert sorted(same.drives()) == ["joint0.angle", "joint1.angle"]
    assert same.state(3)["link1.far"].position == pytest.approx(found.state(3)["link1.far"].position, abs=1e-9)
