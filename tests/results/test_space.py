"""Results of motions in space: tracks, names, forces of joints, other times, files and going on."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import NamingError, ResultFileError
from flexmb.results.between_steps.interpolation import Interpolation, middles
from flexmb.results.store import head
from flexmb.results.tracks.columns import frame_columns
from flexmb.results.tracks.spatial_track import Track
from flexmb.results.tracks.track import seen_from
from flexmb.solvers.binding.initial_state import initial_state
from tests.models.arms import driven_arm
from tests.models.tops import hamilton, precession, top
from tests.results.thrown_rod import thrown_rod

ORIENTATION = np.array([[0, 3]])


@pytest.fixture(scope="module")
def spun():
    return fm.simulate(top(), 0.3, step=1e-3, progress=False)


@pytest.fixture(scope="module")
def driven():
    return fm.simulate(driven_arm(), 0.5, step=1e-3, progress=False)


@pytest.fixture(scope="module")
def thrown():
    return fm.simulate(thrown_rod(), 0.4, step=2e-3, progress=False)


# -- between the steps -----------------------------------------------------------------------------------------------


def numbers(quaternions):
    """As they stand in q: the scalar part last."""
    return np.roll(quaternions, -1, axis=1)


def errors(count):
    """Largest error [rad] between `count` steps of a precession, and of the speeds in the middle of the steps."""
    t = np.linspace(0.0, 2.0, count + 1)
    times = np.linspace(0.0, 2.0, 1003)
    e, omega = precession(t)
    exact, _ = precession(times)
    there = Interpolation(t, times, "run").positions(numbers(e), omega, ORIENTATION)
    assert np.max(np.abs(np.linalg.norm(there, axis=1) - 1.0)) < 4e-16
    off = 2.0 * np.linalg.norm(there - numbers(exact), axis=1)  # signs are kept, so that none has to be looked for
    places, speeds = middles(numbers(e), omega, np.diff(t), ORIENTATION)
    middle, turning = precession(0.5 * (t[:-1] + t[1:]))
    assert np.max(np.abs(places - numbers(middle))) < np.max(off)
    return np.max(off), np.max(np.abs(speeds - turning))


def test_orientations_between_steps_are_of_fourth_order():
    coarse, fine, finest = errors(40), errors(80), errors(160)
    assert finest[0] < 2e-7
    for before, after in ((coarse, fine), (fine, finest)):
        assert before[0] / after[0] == pytest.approx(16.0, rel=0.1)
        assert before[1] / after[1] > 7.5


def test_saved_orientations_come_back_with_their_signs():
    t = np.linspace(0.0, 3.0, 31)
    e, omega = precession(t, spin=20.0)
    assert (e[:, 0] < 0.0).any() and (e[:, 0] > 0.0).any()
    there = Interpolation(t, t, "run").positions(numbers(e), omega, ORIENTATION)
    np.testing.assert_allclose(there, numbers(e), rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("turn", [2.9, 2.0 * np.pi, 4.0 * np.pi, 21.0])
def test_whole_turns_within_a_step_are_counted(turn):
    """About a fixed axis an angle of third degree is met exactly, however many turns there are in a step of 1 s."""
    axis, step = np.array([0.6, 0.0, 0.8]), 1.0
    t = np.array([0.0, step])

    def angle(s):
        return turn * (0.8 * s + 0.5 * s**2 - 0.3 * s**3)

    def at(s):
        half = 0.5 * angle(np.asarray(s))
        return np.column_stack([np.sin(half)[:, None] * axis, np.cos(half)])

    omega = turn * np.outer(0.8 + t - 0.9 * t**2, axis)
    times = np.linspace(0.0, 1.0, 23)
    there = Interpolation(t, times, "run").positions(at(t), omega, ORIENTATION)
    np.testing.assert_allclose(there, at(times), rtol=0.0, atol=1e-13)


def test_equilibria_are_joined_by_steady_turns():
    e, omega = precession(np.array([0.0, 1.0]), rate=0.0, spin=1.0)
    there = Interpolation(np.array([0.0, 1.0]), np.array([0.25]), "path")
    halfway = there.positions(numbers(e), 5.0 * omega, ORIENTATION, straight=True)
    np.testing.assert_allclose(halfway, numbers(precession(np.array([0.25]), rate=0.0, spin=1.0)[0]), atol=1e-15)


def test_a_run_at_other_times(spun):
    every = np.arange(0, 301, 4)
    coarse = fm.simulate(top(), 0.3, step=1e-3, save_every=4, progress=False)
    assert np.array_equal(coarse.q, spun.q[every])
    between = coarse.at(spun.t)
    assert np.max(np.abs(between.q - spun.q)) < 2e-6  # 0.16 rad a step: (0.16/4)⁴, and some nutation
    assert np.max(np.abs(between["top.tip"].position)) < 2e-6
    assert np.array_equal(between.q[every], coarse.q) or np.max(np.abs(between.q[every] - coarse.q)) < 4e-16


# -- tracks ----------------------------------------------------------------------------------------------------------


def moving(t, rate, spin, tilt, offset, name):
    """The track of a frame on a body that precesses while its node moves along a curve."""
    e, omega = precession(t, rate, spin, tilt)
    _, w0 = precession(t - 1e-6, rate, spin, tilt)
    _, w1 = precession(t + 1e-6, rate, spin, tilt)
    place = np.stack([np.sin(t), np.cos(2 * t), 0.3 * t**2], axis=1)
    speed = np.stack([np.cos(t), -2 * np.sin(2 * t), 0.6 * t], axis=1)
    a = np.stack([-np.sin(t), -4 * np.cos(2 * t), 0.6 + 0 * t], axis=1)
    q, v = np.hstack([place, e]), np.hstack([speed, omega])
    node = q, v, np.hstack([a, (w1 - w0) / 2e-6])
    return Track(name, t, frame_columns(t, node, offset, np.array([0.8, 0, 0.6, 0])))


def check_rates(track, early, late, h, tol):
    """Rates of a track against differences of two that are h earlier and later."""
    for place, rate in ((slice(0, 3), slice(7, 10)), (slice(7, 10), slice(13, 16)), (slice(10, 13), slice(16, 19))):
        np.testing.assert_allclose(
            (late.values[:, place] - early.values[:, place]) / (2 * h), track.values[:, rate], rtol=0.0, atol=tol
        )
    turn = (late.orientation * early.orientation.inv()).as_rotvec() / (2 * h)
    np.testing.assert_allclose(turn, track.angular_velocity, rtol=0.0, atol=tol)


def test_rates_of_a_track_and_of_what_an_observer_sees():
    t, h = np.linspace(0.1, 2.0, 7), 1e-5
    one, other = (3.0, -7.0, 0.5, np.array([0.2, -0.4, 0.7])), (-2.0, 4.0, 0.9, np.array([-0.3, 0.1, 0.5]))
    tracks = [[moving(t + x, *who, "w") for x in (0.0, -h, h)] for who in (one, other)]
    check_rates(*tracks[0], h, 1e-6)
    check_rates(*(seen_from(a, b) for a, b in zip(*tracks)), h, 2e-6)
    seen = seen_from(tracks[0][0], tracks[1][0])
    back = tracks[1][0].orientation.apply(seen.position) + tracks[1][0].position
    np.testing.assert_allclose(back, tracks[0][0].position, atol=1e-14)


def test_tracks_of_a_run(spun):
    body, tip = spun["top"], spun["top.tip"]
    assert isinstance(body, Track) and np.max(np.abs(tip.position)) < 1e-9
    assert np.array_equal(body.values[:, 3:7], spun.q[:, [6, 3, 4, 5]])  # the quaternion, its sign included
    assert (body.e0 < 0.0).any() and (body.e0 > 0.0).any()
    np.testing.assert_allclose(body.position, body.orientation.apply([0, 0, 0.3]), atol=1e-9)
    np.testing.assert_allclose(body.in_own_axes().angular_velocity, spun.v[:, 3:6], atol=1e-12)
    assert np.array_equal(spun["top.wz"], body.angular_velocity[:, 2]) and np.array_equal(body.wz, spun["top.wz"])
    np.testing.assert_allclose(spun.relative("top.tip", "top").position, np.tile([0, 0, -0.3], (301, 1)), atol=1e-14)
    np.testing.assert_allclose(spun.relative("top", "ground").values, body.values, atol=1e-15)


def test_points_and_sections_of_a_beam_are_as_wide_as_space(thrown, tmp_path):
    for solution in (thrown, fm.load(thrown.save(tmp_path / "rod.h5", points=5))):
        np.testing.assert_allclose(solution["rod@0.25"].values, solution["rod.quarter"].values, rtol=0.0, atol=1e-13)
        assert solution["rod@0.5.torque"].tolist() == [59.0] * 201
        assert solution.axis("rod", 5).shape == (201, 5, 3)
        np.testing.assert_allclose(
            solution.along("rod", "wx", 5), np.tile(solution["rod.wx"][:, None], 5), rtol=0, atol=1e-14
        )
        other = solution.at([0.0131, 0.2777])
        np.testing.assert_allclose(other["rod@0.25"].values[:, :13], other["rod.quarter"].values[:, :13], atol=3e-6)
    with pytest.raises(NamingError, match="twist"):
        thrown["rod@0.5.twst"]
    table = thrown.to_xarray(points=3)
    assert table["rod.e0"].shape == (201, 3) and table["rod.torque"].attrs["units"] == "Nm"


# -- names -----------------------------------------------------------------------------------------------------------


def test_names_of_orientations(spun):
    assert spun.coordinate_names == [f"top.{x}" for x in ("x", "y", "z", "e1", "e2", "e3", "e0")]
    for k, name in enumerate(spun.coordinate_names):
        assert np.array_equal(spun[name], spun.q[:, k])
        slope = (spun[name][2:] - spun[name][:-2]) / (spun.t[2:] - spun.t[:-2])
        np.testing.assert_allclose(spun[f"{name} rate"][1:-1], slope, rtol=0.0, atol=3e-3)  # 20³ rad³/s³ h²/6
    assert (spun.series("top.e0").unit, spun.series("top.e0 rate").unit) == ("–", "1/s")
    assert (spun.series("top.wx").unit, spun.series("top.alpha_x").unit) == ("rad/s", "rad/s²")
    assert list(spun.to_dict()) == ["t", *(f"{f}.{x}" for f in ("top", "top.tip") for x in "x y z e0 e1 e2 e3".split())]
    with pytest.raises(NamingError, match=r"top\.wx"):
        spun["top.wxx"]
    with pytest.raises(NamingError, match=r"'top' is a place; ask for .* 'top\.x' or 'top\.e3'"):
        spun.series("top")
    with pytest.raises(NamingError, match=r"socket\.mz"):
        spun["socket.mzz"]
    spun.plot("top.z", "top.e0", "socket.mx")
    spun.plot_phase("top.wx")
    assert spun.to_pandas().attrs["units"]["top.e1"] == "–"


def test_a_state_says_where_things_are_in_space():
    state = initial_state(top())
    assert state["top"].position.shape == (3,) and state["top.z"] == pytest.approx(0.3 * np.cos(0.4))
    assert isinstance(state["top"].orientation, Rotation) and state["top"].orientation.single
    assert repr(state["top"]).endswith("turned by (0.4, 0, 0) rad)")
    force, moment = state.reaction("socket")
    assert force.shape == moment.shape == (3,)


# -- forces and energy -----------------------------------------------------------------------------------------------


def test_forces_of_joints_by_newton_and_euler():
    """The socket alone and gravity act on the top. Projection solves for accelerations and forces to round-off."""
    spun = fm.simulate(top(), 0.1, "projection", progress=False)
    body, weight = spun["top"], np.array([0.0, 0.0, -9.81])
    force, moment = spun.reaction("socket")
    np.testing.assert_allclose(force, 2.0 * (body.acceleration - weight), rtol=0.0, atol=1e-12)
    assert np.max(np.abs(moment)) < 1e-13
    at_center, about = spun.reaction("socket", frame="top")
    own, J = body.in_own_axes(), np.diag([0.03, 0.03, 0.01])
    euler = own.angular_acceleration @ J + np.cross(own.angular_velocity, own.angular_velocity @ J)
    np.testing.assert_allclose(about, body.orientation.apply(euler), rtol=0.0, atol=1e-12)
    assert np.array_equal(at_center, force)
    from_ground, counter = spun.reaction("socket", frame="ground")
    np.testing.assert_allclose(from_ground, -force, rtol=0.0, atol=1e-12)
    assert np.max(np.abs(counter)) < 1e-9
    assert np.array_equal(spun["socket.fz"], force[:, 2])
    np.testing.assert_allclose(spun["socket.force"], np.linalg.norm(force, axis=1))


def test_the_moment_of_a_drive_is_that_of_the_whole(driven):
    """About the vertical through the bearing, only the drive acts on both bodies."""
    spin = 0.0
    for name, mass, J in (("column", 3.0, (0.2, 0.3, 0.4)), ("bob", 1.0, (0.05, 0.02, 0.06))):
        body = driven[name]
        own, J = body.in_own_axes(), np.diag(J)
        euler = own.angular_acceleration @ J + np.cross(own.angular_velocity, own.angular_velocity @ J)
        spin += mass * np.cross(body.position, body.acceleration)[:, 2] + body.orientation.apply(euler)[:, 2]
    moment = driven.reaction("drive")[1][:, 2] + driven.reaction("bearing")[1][:, 2]
    np.testing.assert_allclose(moment, spin, rtol=0.0, atol=1e-6)


def test_energy_balances_in_space(spun, driven):
    assert spun.energy.error < 1e-5 and spun.trustworthy
    assert driven.energy.error < 1e-4 and driven.trustworthy
    power = driven["drive.moment"]  # of one direction, the vertical
    moment, omega = driven.reaction("drive")[1][:, 2], driven["column"].wz
    np.testing.assert_allclose(np.abs(moment), power, rtol=0.0, atol=1e-9)
    work = np.concatenate(
        [[0.0], np.cumsum(0.5 * np.diff(driven.t) * (moment[1:] * omega[1:] + moment[:-1] * omega[:-1]))]
    )
    np.testing.assert_allclose(driven.energy.drives, work, rtol=0.0, atol=1e-4 * np.max(np.abs(work)))
    kinetic = 0.0
    for name, mass, J in (("column", 3.0, (0.2, 0.3, 0.4)), ("bob", 1.0, (0.05, 0.02, 0.06))):
        body = driven[name]
        kinetic += 0.5 * mass * body.speed**2 + 0.5 * np.sum(J * body.in_own_axes().angular_velocity ** 2, axis=1)
    np.testing.assert_allclose(driven.energy.kinetic, kinetic, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(driven.energy.potential, 9.81 * (3.0 * driven["column.z"] + driven["bob.z"]), atol=1e-12)


# -- files -----------------------------------------------------------------------------------------------------------


def test_a_file_gives_back_a_motion_in_space(driven, tmp_path):
    path = driven.save(tmp_path / "arm.h5")
    back = fm.load(path)
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(back, name), getattr(driven, name))
    assert back.coordinate_names == driven.coordinate_names and back.layout.kinds == driven.layout.kinds
    assert np.array_equal(back.layout.orientations, driven.layout.orientations) and len(back.layout.orientations) == 2
    for frame in ("column", "bob", "bob.eye", "ground", "column.root"):
        assert np.array_equal(back[frame].values, driven[frame].values), frame
    for joint in ("bearing", "hinge", "drive"):
        for a, b in zip(back.reaction(joint), driven.reaction(joint)):
            assert np.array_equal(a, b)
    times = [0.01234, 0.4321]
    assert np.array_equal(back.at(times).q, driven.at(times).q)
    assert np.array_equal(back.energy.balance, driven.energy.balance) and str(back) == str(driven)
    assert back["bob.e2 rate"].tolist() == driven["bob.e2 rate"].tolist()
    again = fm.load(back.save(tmp_path / "again.h5"))
    assert np.array_equal(again["bob"].values, driven["bob"].values)


def altered(path, change):
    with h5py.File(path, "r+") as file:
        change(file)
    with open(path, "r+b") as raw:
        head.seal(raw, path.stat().st_size)
    return path


def replaced(name, change):
    def alter(file):
        values = change(file[name][()])
        del file[name]
        file[name] = values

    return alter


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.attrs.__setitem__("dimension", 4), "'dimension' is 4"),
        (replaced("places/coordinates", lambda x: x + 100), "'places/coordinates' name coordinates that there are not"),
        (replaced("places/speeds", lambda x: x + 100), "'places/coordinates' name coordinates that there are not"),
        (replaced("places/axes", lambda x: x[:, :3]), "shape"),
        (replaced("blocks/0/first", lambda x: x + 100), "'blocks/0/first' names coordinates that there are not"),
        (lambda file: file.__delitem__("blocks/1"), "'blocks' do not say what the 7 coordinates with 6 speeds are"),
    ],
)
def test_files_of_space_that_do_not_fit(spun, tmp_path, change, words):
    path = altered(spun.save(tmp_path / "top.h5"), change)
    with pytest.raises(ResultFileError, match=words):
        fm.load(path)


# -- going on --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["generalized_alpha", "projection"])
def test_a_run_goes_on_from_a_solution_a_time_and_a_state(method):
    options = (
        {"tolerance": 3e-6} if method == "generalized_alpha" else {"tolerance": 1e-11, "absolute_tolerance": 1e-12}
    )
    model = top()
    whole = fm.simulate(model, 0.2, method, progress=False, **options)
    first = fm.simulate(model, 0.1, method, progress=False, **options)
    ends = [first, whole.at([0.1]), initial_state(model)]
    assert (first.q[-1, 6] < 0.0) or (first.q[-1, 3:6] != 0.0).all()
    for start, t_start in zip(ends, (0.1, 0.1, 0.0)):
        rest = fm.simulate(model, 0.2, method, t_start=t_start, initial=start, progress=False, **options)
        assert np.max(np.abs(rest.q[-1] - whole.q[-1])) < 5e-5  # the signs of the quaternions too
    assert np.max(np.abs(fm.simulate(model, 0.11, t_start=0.1, initial=first).q[0] - first.q[-1])) < 1e-12


def test_quaternions_of_runs_are_of_unit_length_and_do_not_jump(spun):
    for method in ("generalized_alpha", "independent", "baumgarte", "projection"):
        run = fm.simulate(top(), 0.2, method, progress=False)
        quaternions = run.q[:, 3:7]
        assert np.max(np.abs(np.linalg.norm(quaternions, axis=1) - 1.0)) < 1e-14, method
        assert np.max(np.linalg.norm(np.diff(quaternions, axis=0), axis=1)) < 0.9, method
        exact = Interpolation(run.t, spun.t[:200], "run").positions(run.q, run.v, run.layout.orientations)
        assert np.max(np.abs(exact - spun.q[:200])) < 2e-3, method


def test_hamilton_is_scipys(spun):
    p, q = precession(np.linspace(0, 1, 5))[0], precession(np.linspace(1, 2, 5))[0]
    ours = Rotation.from_quat(numbers(hamilton(p, q)))
    theirs = Rotation.from_quat(numbers(p)) * Rotation.from_quat(numbers(q))
    assert np.max((ours.inv() * theirs).magnitude()) < 1e-15


# -- shapes ------------------------------------------------------------------------------------------------------------


def test_shapes_of_bodies_come_back_from_files(tmp_path):
    m = fm.SpatialModel("shapes", gravity=(0, 0, -9.81))
    turn = Rotation.from_rotvec([0.3, 0.2, -0.4])
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    shapes = {
        "box": fm.Box((1, 2, 3), position=(0.1, 0.2, 0.3), orientation=turn),
        "cylinder": fm.Cylinder(diameter=0.1, length=1.0, axis="x"),
        "tube": fm.HollowCylinder(outer_diameter=0.2, inner_diameter=0.1, length=1.0, position=(0, 0, 1)),
        "ball": fm.Sphere(diameter=0.3),
        "part": fm.ClosedSurface(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
    }
    for name, shape in shapes.items():
        m.add_body(name, shape=shape, density=10.0)
    m.add_body("plain", mass=1.0, inertia=(1, 1, 1))
    fm.simulate(m, 0.01, step=1e-3, progress=False).save(tmp_path / "run.h5")
    bodies = fm.load(tmp_path / "run.h5").layout.bodies
    assert bodies["plain"].shape is None
    for name, shape in shapes.items():
        found, given = bodies[name].shape, shape.drawn
        for what in ("kind", "sizes", "position", "axes"):
            assert getattr(found, what) == getattr(given, what)
        np.testing.assert_array_equal(found.vertices, given.vertices)
        np.testing.assert_array_equal(found.faces, given.faces)
        np.testing.assert_allclose(bodies[name].center, shape.center, atol=1e-15)
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["shapes/4/faces"][0, 0] = 17
    with open(tmp_path / "run.h5", "r+b") as raw:
        head.seal(raw, (tmp_path / "run.h5").stat().st_size)
    with pytest.raises(ResultFileError, match="'shapes/4/faces' names no vertices, or some that there are not"):
        fm.load(tmp_path / "run.h5")
