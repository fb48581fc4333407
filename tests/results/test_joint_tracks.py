"""Coordinates of joints in space and their rates, their turns, and the forces of joints, against SciPy and statics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.analyses.linear.outputs import Outputs
from flexmb.results.pictures.diagrams import rate_of
from flexmb.results.tracks.joint_track import joint_units
from tests.models.joints_in_space import AXIS, KINDS, jointed, rotation

MEASURED = {
    "revolute": {"angle"},
    "prismatic": {"position"},
    "cylindrical": {"position", "angle"},
    "universal": {"angle1", "angle2"},
    "gimbal": {"angle1", "angle2"},
    "planar_joint": {"x", "y", "angle"},
    "parallel_axes": {"x", "y", "z", "angle"},
    "point_on_line": {"position"},
    "point_in_plane": {"x", "y"},
}


def tumbling(kind, t_end=1.0, **more):
    """Two bodies that tumble with a joint between them."""
    m, joint, a, b = jointed(kind, 4, **more)
    m.components["a"].frame.move((0.3, -0.2, 0.4), (1.5, -2.0, 1.0))
    m.components["b"].frame.move((0.5, 0.2, -0.4), (-4.5, -1.0, 6.0))
    with pytest.warns(fm.errors.InitialConditionWarning):
        s = fm.simulate(m, t_end, "dop853", tolerance=1e-10, progress=False)
    return s, joint, a, b


@pytest.mark.parametrize("kind", MEASURED)
def test_coordinates_and_rates(kind):
    """They make up the position of b against a, and the rates are their slopes."""
    s, joint, a, b = tumbling(kind)
    track = s["joint"]
    assert set(track.place.coordinates) == MEASURED[kind]
    seen = s.relative(b.name, a.name)
    axis = AXIS / np.linalg.norm(AXIS)
    triad = Rotation.from_quat(np.roll(track.place.axes_a, -1))
    assert np.max(np.abs(triad.apply([0, 0, 1]) - axis)) < 1e-15
    start = rotation(a).inv() * rotation(b)
    turned = seen.orientation * start.inv()
    place = triad.apply(seen.position, inverse=True)
    for k, what in enumerate(("x", "y", "z")):
        if what in MEASURED[kind]:
            assert np.max(np.abs(getattr(track, what) - place[:, k])) < 1e-14
    if "position" in MEASURED[kind]:
        assert np.max(np.abs(track.position - seen.position @ axis)) < 1e-14
    if "angle" in MEASURED[kind]:
        assert np.max((turned.inv() * Rotation.from_rotvec(track.angle[:, None] * axis)).magnitude()) < 1e-7
        assert abs(track.angle[0]) < 1e-14
    if "angle1" in MEASURED[kind]:
        w = start.apply(joint.axis_b / np.linalg.norm(joint.axis_b))
        both = Rotation.from_rotvec(track.angle1[:, None] * axis) * Rotation.from_rotvec(track.angle2[:, None] * w)
        assert np.max((turned.inv() * both).magnitude()) < 1e-7
    names = sorted(MEASURED[kind])

    def about(h):
        seen = s.at(s.t[3:-3:5] + h)["joint"]
        return np.array([getattr(seen, what) for what in names])

    slopes = dict(zip(names, derivative(about, 1e-3)[0], strict=True))
    for what in names:
        rates = getattr(track, f"{what}_rate")[3:-3:5]
        assert np.max(np.abs(slopes[what] - rates)) < 1e-4 * max(1.0, np.max(np.abs(rates)))
        assert np.array_equal(s[f"joint.{what}"], getattr(track, what))
        assert np.array_equal(s.coordinate(f"joint.{what}"), getattr(track, what))
        assert np.array_equal(s[f"joint.{what}_rate"], getattr(track, f"{what}_rate"))


def test_rotations_in_a_spherical_joint():
    s, _, a, b = tumbling("spherical", 0.3)
    track = s["joint"]
    start = rotation(a).inv() * rotation(b)
    turned = s.relative(b.name, a.name).orientation * start.inv()
    assert np.max((turned.inv() * track.rotation).magnitude()) < 1e-14
    assert np.max(np.abs(track.rotation_vector - turned.as_rotvec())) < 1e-13
    assert np.array_equal(np.column_stack([track.rx, track.ry, track.rz]), track.rotation_vector)
    assert np.array_equal(np.column_stack([s[f"joint.{w}"] for w in ("wx", "wy", "wz")]), track.angular_velocity)
    omega = s[b.name].angular_velocity - s[a.name].angular_velocity
    assert np.max(np.abs(track.angular_velocity - s[a.name].orientation.apply(omega, inverse=True))) < 1e-13


def flywheel(speed, **more):
    m = fm.SpatialModel("flywheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.0, 0.0, 0.4))
    m.revolute(m.ground, wheel.frame.attach("end", (0.0, 0.0, -0.4)), axis="z", name="hinge", **more)
    wheel.frame.move(angular_velocity=(0.0, 0.0, speed))
    m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=0.01, name="spiral")
    return m


def test_turns_are_counted_by_the_rate():
    s = fm.simulate(flywheel(100.0), 2.0, step=0.01, progress=False)
    counted = s.coordinate("spiral.turn")
    assert counted[-1] > 30 * np.pi
    assert np.max(np.abs(s["hinge"].angle - counted)) < 1e-11
    assert np.max(np.abs(s["hinge"].rate - s["spiral.turn rate"])) < 1e-11
    thinned = s.at(s.t[::50])
    assert np.max(np.abs(thinned["hinge"].angle - counted[::50])) < 1e-9
    assert abs(s.at([1.234567])["hinge"].angle[0] - s.at([1.234567]).coordinate("spiral.turn")[0]) < 1e-9


def test_turns_in_a_file(tmp_path):
    s = fm.simulate(flywheel(100.0, count_turns=True), 1.0, step=0.01, progress=False)
    back = fm.load(s.save(tmp_path / "run.h5"))
    assert back.layout.pairs == s.layout.pairs
    assert np.array_equal(back["hinge"].angle, s["hinge"].angle)
    assert np.array_equal(back["hinge"].angle, s.coordinate("hinge.turn"))
    assert np.array_equal(back.reaction("hinge", axes="joint")[0], s.reaction("hinge", axes="joint")[0])


def test_turns_that_cannot_be_told_are_refused():
    """A motor that starts and stops between two saved times."""
    m = flywheel(0.0)
    m.components.pop("spiral")
    m.drive_angle(m.ground, m.components["wheel"].frame, fm.SpinUp(speed=60.0, duration=0.5), axis="z", name="drive")
    s = fm.simulate(m, 1.0, step=0.01, progress=False)
    turns = s.coordinate("drive.turn")
    assert np.max(np.abs(s["hinge"].angle - turns)) < 1e-9
    coarse = fm.Solution(s.layout, s.source, s.t[::20], s.q[::20], s.v[::20], s.a[::20], s.basic_multipliers[::20])
    with pytest.raises(fm.errors.NamingError, match=r"angle of joint 'hinge': from t = 0(\.\d)? to .*save more often"):
        coarse["hinge.angle"]
    assert np.max(np.abs(coarse["hinge.rate"] - s["hinge.rate"][::20])) == 0.0
    m = flywheel(0.0, count_turns=True)
    m.components.pop("spiral")
    m.drive_angle(m.ground, m.components["wheel"].frame, fm.SpinUp(speed=60.0, duration=0.5), axis="z", name="drive")
    s = fm.simulate(m, 1.0, step=0.01, progress=False)
    coarse = fm.Solution(s.layout, s.source, s.t[::20], s.q[::20], s.v[::20], s.a[::20], s.basic_multipliers[::20])
    assert np.max(np.abs(coarse["hinge"].angle - turns[::20])) < 1e-9


@pytest.mark.parametrize("kind", ["planar_joint", "cylindrical", "parallel_axes"])
def test_owned_turns_of_other_joints(kind):
    s, *_ = tumbling(kind, count_turns=True)
    wrapped = s["joint"].rotation.as_matrix()
    angle = np.arctan2(wrapped[:, 1, 0], wrapped[:, 0, 0])
    assert np.max(np.abs(np.sin(0.5 * (angle - s["joint"].angle)))) < 1e-9
    assert np.array_equal(s["joint"].angle, s.coordinate("joint.turn"))


def test_names_that_there_are_not():
    s = fm.simulate(flywheel(1.0), 0.1, step=0.01, progress=False)
    with pytest.raises(AttributeError, match=r"joint 'hinge': there is no attribute 'angel' \(did you mean 'angle'"):
        _ = s["hinge"].angel
    with pytest.raises(fm.errors.NamingError, match=r"'hinge\.angel' \(did you mean 'hinge\.angle'"):
        s["hinge.angel"]
    with pytest.raises(fm.errors.NamingError, match=r"no coordinate 'hinge\.angel'"):
        s.coordinate("hinge.angel")
    m, *_ = jointed("weld", grounded=True)
    with pytest.raises(fm.errors.NamingError, match="'joint'"):
        fm.assemble(m)["joint"]


@pytest.mark.parametrize("kind", MEASURED)
def test_accelerations_are_slopes_of_rates(kind):
    """By differences of the rates between saved times, which follow from those of the motion by other formulas."""
    s, *_ = tumbling(kind, 0.2)
    t, h = 0.5 * (s.t[0] + s.t[-1]), 1e-3
    seen = s.at(t + h * np.arange(-2, 3))["joint"]
    for what in seen.place.coordinates:
        before2, before, _, after, after2 = getattr(seen, f"{what}_rate")
        slope = (8.0 * (after - before) - (after2 - before2)) / (12.0 * h)
        found = getattr(seen, f"{what}_acceleration")[2]
        assert abs(found - slope) < 1e-5 * (1.0 + abs(slope)), (what, found, slope)


def test_accelerations_by_name():
    s, *_ = tumbling("revolute", 0.1)
    track = s["joint"]
    assert np.array_equal(s["joint.acceleration"], track.acceleration)
    assert np.array_equal(track.acceleration, track.angle_acceleration)
    assert s.series("joint.acceleration").unit == "rad/s²"
    assert rate_of(s, "joint.rate").name == "joint.acceleration"
    assert rate_of(s, "joint.angle_rate").name == "joint.angle_acceleration"
    with pytest.raises(fm.errors.NamingError, match=r"did you mean 'joint\.acceleration'"):
        s["joint.acelleration"]


def test_accelerations_of_a_ball_are_slopes_of_its_angular_velocity():
    s, *_ = tumbling("spherical", 0.2)
    t, h = 0.5 * (s.t[0] + s.t[-1]), 1e-3
    seen = s.at(t + h * np.arange(-2, 3))["joint"]
    for axis, found in zip("xyz", seen.angular_acceleration[2]):
        before2, before, _, after, after2 = getattr(seen, f"w{axis}")
        assert abs(found - (8.0 * (after - before) - (after2 - before2)) / (12.0 * h)) < 1e-5
        assert found == getattr(seen, f"alpha_{axis}")[2]


@pytest.mark.parametrize("kind", ["gimbal", "planar_joint"])
def test_coordinates_as_outputs(kind):
    """Their derivatives against those of the state, by differences of another kind."""
    m, *_ = jointed(kind, 4)
    system = fm.System(m)
    names = [f"joint.{what}" for what in joint_units(fm.assemble(m).solution["joint"].place)]
    outputs = Outputs(system, names)
    state = fm.assemble(m)
    found = outputs.derivatives(state)

    def moved(h, e):
        q = system.retract(state.q, h * e)[None, :]
        return outputs.values(np.zeros(1), q, state.v[None, :], state.a[None, :], np.zeros((1, system.m)))[0]

    for k, e in enumerate(np.eye(system.n)):
        slopes, error = derivative(lambda h, e=e: moved(h, e), 0.02)
        assert np.max(np.abs(slopes - found.q[:, k])) < 1e-8 + np.max(error)
    assert set(outputs.units) <= {"m", "m/s", "m/s²", "N", "rad", "rad/s", "rad/s²", "Nm"}


# -- forces ----------------------------------------------------------------------------------------------------------


def test_a_welded_bar_is_held_against_its_weight():
    """At rest the wall holds m g up, and a moment s × m g, wherever the frames stand and however they are turned."""
    gravity = np.array([1.0, -2.0, -9.0])
    m, _, a, b = jointed("weld", 3, grounded=True)
    state = fm.assemble(m)
    force, moment = state.reaction("joint")
    weight = 1.5 * gravity
    arm = m.components["b"].frame.position - b.position
    assert np.max(np.abs(force + weight)) < 1e-12
    assert np.max(np.abs(moment + np.cross(arm, weight))) < 1e-12
    own = state.reaction("joint", axes="joint")
    assert np.max(np.abs(rotation(a).apply(own[0]) - force)) < 1e-12
    assert np.max(np.abs(rotation(a).apply(own[1]) - moment)) < 1e-12
    back = state.reaction("joint", frame=a)
    assert np.max(np.abs(back[0] + force)) < 1e-12 and np.max(np.abs(back[1] + moment)) < 1e-12


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("distance",)])
def test_reactions_do_no_work_and_keep_bodies_moving(kind):
    """Newton and Euler for b at an instant of a tumbling motion; nothing along or about what is free."""
    m, joint, a, b = jointed(kind, 4)
    m.components["a"].frame.move((0.3, -0.2, 0.4), (1.5, -2.0, 1.0))
    s = fm.simulate(m, 0.3, "dop853", tolerance=1e-10, progress=False)
    force, moment = s.reaction("joint")
    body = s["b"]
    arm = s[b.name].position - body.position
    assert np.max(np.abs(force - 1.5 * (body.acceleration - m.gravity))) < 1e-7
    own = body.in_own_axes()
    J = np.array([0.3, 0.4, 0.5])
    euler = J * own.angular_acceleration + np.cross(own.angular_velocity, J * own.angular_velocity)
    about = body.orientation.apply(euler)
    assert np.max(np.abs(moment + np.cross(arm, force) - about)) < 1e-7
    f, n = s.reaction("joint", axes="joint")
    free = {
        "revolute": n[:, 2],
        "prismatic": f[:, 2],
        "cylindrical": np.hypot(f[:, 2], n[:, 2]),
        "spherical": n,
        "planar_joint": np.column_stack([f[:, :2], n[:, 2]]),
        "parallel_axes": np.column_stack([f, n[:, 2]]),
        "point_on_line": np.column_stack([f[:, 2], n]),
        "point_in_plane": np.column_stack([f[:, :2], n]),
        "lock of a place": np.column_stack([f[:, :2], n]),
        "lock of an angle": f,
    }.get(kind, np.zeros(1))
    assert np.max(np.abs(free)) < 1e-9
    if kind in ("universal", "gimbal"):  # the moment is about the normal of the cross
        u = s[a.name].orientation.apply(AXIS / np.linalg.norm(AXIS))
        w = s[b.name].orientation.apply(joint.axis_b / np.linalg.norm(joint.axis_b))
        normal = np.cross(u, w)
        assert np.max(np.abs(np.cross(moment, normal))) < 1e-9 * np.max(np.abs(moment)) + 1e-12
        assert np.max(np.abs(moment)) > 1e-3


def test_a_rod_has_no_axes_of_its_own():
    m, *_ = jointed("distance", grounded=True)
    with pytest.raises(fm.errors.NamingError, match="no axes of 'joint' are known; leave out axes='joint'"):
        fm.assemble(m).reaction("joint", axes="joint")


def test_reactions_that_are_not_unique_are_the_smallest():
    """A door on two hinges: the weight is carried by both alike, and the forces along the line are marked."""
    m = fm.SpatialModel("door", gravity=(0.0, 0.0, -9.81))
    door = m.add_body("door", mass=10.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.0, 1.0))
    for name, z in (("low", -0.5), ("high", 0.5)):
        at = m.add_frame(f"frame {name}", (0.0, 0.0, 1.0 + z), fixed=True)
        m.revolute(at, door.attach(name, (-0.5, 0.0, z)), axis="z", name=name)
    with pytest.warns(fm.errors.RedundancyWarning):
        s = fm.simulate(m, 0.1, step=0.01, progress=False)
    assert s.joints_not_unique and not s.unique_reactions("low")
    low, high = (s.reaction(name, axes="joint") for name in ("low", "high"))
    assert np.max(np.abs(low[0][:, 2] - 49.05)) < 1e-8 and np.max(np.abs(high[0][:, 2] - 49.05)) < 1e-8
    total = low[1] + high[1] + np.cross([0, 0, -0.5], low[0]) + np.cross([0, 0, 0.5], high[0])
    assert np.max(np.abs(total - [0.0, -10.0 * 9.81 * 0.5, 0.0])) < 1e-7


@pytest.mark.parametrize("by_joint", [False, True])
def test_the_moment_of_a_drive_is_about_z_of_its_joint(by_joint):
    """J φ̈ about the axis of the hinge, which lies along y of the ground and not along z of frame a."""
    m = fm.SpatialModel("m")
    fan = m.add_body("fan", mass=1.0, inertia=(0.3, 0.2, 0.3))
    hinge = m.revolute(m.ground, fan.frame, axis="y")
    speeding_up = fm.Polynomial([0.0, 0.0, 2.5])
    if by_joint:
        m.drive_joint(hinge, speeding_up, name="drive")
    else:
        m.drive_angle(m.ground, fan.frame, speeding_up, axis="y", name="drive")
    s = fm.simulate(m, 0.5, step=0.05, progress=False)
    force, moment = s.reaction("drive", axes="joint")
    np.testing.assert_allclose(moment, np.tile([0.0, 0.0, 0.2 * 5.0], (len(s.t), 1)), atol=1e-9)
    assert np.max(np.abs(force)) < 1e-9


def test_axes_of_joints_in_the_plane():
    m = fm.PlanarModel("slide", gravity=(0.0, -9.81))
    slide = m.add_body("slide", mass=2.0, inertia=0.1)
    m.prismatic(m.ground, slide.frame, axis=0.3, name="rail")
    s = fm.simulate(m, 0.2, step=0.01, progress=False)
    along, across = s.reaction("rail", axes="joint")[0].T
    assert np.max(np.abs(along)) < 1e-12 and np.max(np.abs(across - 2.0 * 9.81 * np.cos(0.3))) < 1e-9
    with pytest.raises(fm.errors.ModelError, match="axes is 'body'; choose one of 'ground', 'joint'"):
        s.reaction("rail", axes="body")


def test_a_universal_joint_turns_shafts_as_cardan_says():
    """ω₂/ω₁ = cos β/(1 − sin²β sin²θ), θ the angle of the first shaft from where its pin lies across both shafts."""
    beta = 0.6
    m = fm.SpatialModel("cardan")
    bend = Rotation.from_rotvec([0.0, beta, 0.0])
    first = m.add_body("first", mass=1.0, inertia=(0.1, 0.2, 0.2))
    second = m.add_body("second", mass=1.0, inertia=(0.1, 0.2, 0.2), orientation=bend)
    m.revolute(m.ground, first.frame, axis="x", name="in")
    m.cylindrical(m.ground, second.frame, axis=bend.apply([1.0, 0.0, 0.0]), name="out")
    m.universal(first.frame, second.frame, axis="y", axis_b="z", name="cross")
    m.drive_angle(m.ground, first.frame, fm.Polynomial((0.0, 3.0)), axis="x")
    with pytest.warns(fm.errors.RedundancyWarning):
        s = fm.simulate(m, 4.0, "dop853", tolerance=1e-10, progress=False)
    theta = 3.0 * s.t
    ratio = np.cos(beta) / (1.0 - np.sin(beta) ** 2 * np.sin(theta) ** 2)
    assert np.max(np.abs(s["out"].angle_rate / 3.0 - ratio)) < 1e-8


def test_phase_planes_of_joints_take_the_rates_that_are_known():
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    m.revolute(m.ground, arm.attach("eye", (-0.5, 0, 0)), axis="y", name="hinge")
    run = fm.simulate(m, 0.3, step=0.01, progress=False)
    name, values = rate_of(run, "hinge.angle").name, rate_of(run, "hinge.angle").values
    assert name == "hinge.angle_rate" and np.array_equal(values, run["hinge"].rate)
    ball = fm.SpatialModel("m")
    body = ball.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    ball.spherical(ball.ground, body.frame, name="joint")
    with pytest.raises(fm.errors.NamingError, match=r"of 'joint\.rx' no rate is known"):
        rate_of(fm.simulate(ball, 0.1, step=0.05, progress=False), "joint.rx")
