"""Euler angles, Euler parameters and rotation vectors of tracks in space, and their rates."""

from __future__ import annotations

import csv
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import AccuracyWarning, ModelError
from flexmb.quantities.of_frames import TURNS
from flexmb.results.tracks.spatial_track import Track
from tests.models.tops import precession, top


def track(t, turns, omega):
    """A track with rotations and angular velocities in the axes of the ground."""
    values = np.zeros((len(t), 19))
    values[:, 3:7], values[:, 10:13] = np.roll(turns.as_quat(), 1, axis=1), omega
    return Track("body", t, values)


def precessing(count, spin=3.0, tilt=0.5):
    t = np.linspace(0.0, 2.0, count)
    e, omega = precession(t, spin=spin, tilt=tilt)
    turns = Rotation.from_quat(np.roll(e, -1, axis=1))
    return track(t, turns, turns.apply(omega))


@pytest.mark.parametrize("sequence", ["ZXZ", "zxz", "ZYX", "xyz", "YZY", "yzx"])
def test_euler_angles_say_the_orientation_and_go_on_without_jumps(sequence):
    moving = precessing(2001)
    angles, rates = moving.euler_angles(sequence), moving.euler_angle_rates(sequence)
    off = moving.orientation.inv() * Rotation.from_euler(sequence, angles)
    assert np.max(off.magnitude()) < 1e-14
    h = moving.t[1] - moving.t[0]
    slopes = (angles[2:] - angles[:-2]) / (2 * h)
    assert np.max(np.abs(slopes - rates[1:-1])) < 2e-4 * np.max(np.abs(rates))
    np.testing.assert_allclose(moving.in_own_axes().euler_angle_rates(sequence), rates, atol=1e-11)


def test_whole_turns_between_times_are_counted():
    fine, coarse = precessing(2001, spin=40.0), precessing(11, spin=40.0)  # 8 rad between the coarse times
    np.testing.assert_allclose(coarse.euler_angles("ZXZ"), fine.euler_angles("ZXZ")[::200], atol=1e-10)
    assert np.ptp(fine.euler_angles("ZXZ")[:, 2]) > 70.0


def test_through_positions_where_angles_are_not_determined():
    """A turn about x: φ = ψ = 0 in 3-1-3, and θ is counted through all of its singular positions."""
    t = np.linspace(0.0, 2.0, 41)
    theta = 0.1 + 5.0 * t
    moving = track(t, Rotation.from_rotvec(theta[:, None] * [1, 0, 0]), np.tile([5.0, 0, 0], (41, 1)))
    np.testing.assert_allclose(moving.euler_angles("ZXZ"), theta[:, None] * [0, 1, 0], atol=1e-13)
    np.testing.assert_allclose(moving.euler_angle_rates("ZXZ"), np.tile([0, 5, 0], (41, 1)), atol=1e-12)


def test_where_angles_are_not_determined_they_are_none_and_it_is_said():
    t = np.linspace(0.0, 1.0, 11)
    moving = track(t, Rotation.from_rotvec(t[:, None] * [1, 0, 0]), np.tile([1.0, 0, 0], (11, 1)))
    with pytest.warns(AccuracyWarning, match="track 'body': .*'ZXZ' are not determined at t = 0 s, where"):
        angles = moving.euler_angles("ZXZ")
    np.testing.assert_allclose(angles[1:], t[1:, None] * [0, 1, 0], atol=1e-14)
    assert np.isnan(angles[0]).tolist() == [True, False, True] and angles[0, 1] == 0.0
    spinning = track(t, Rotation.from_rotvec(t[:, None] * [0, 0, 1]), np.tile([0, 0, 1.0], (11, 1)))
    with pytest.warns(AccuracyWarning, match="t = 0 s and 10 more times"):
        assert np.isnan(spinning.euler_angle_rates("ZXZ")).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(spinning.euler_angles("xyz"), t[:, None] * [0, 0, 1], atol=1e-14)


def test_euler_parameters_keep_their_signs():
    moving = precessing(2001, spin=20.0)
    p = moving.euler_parameters
    assert np.max(np.abs(np.diff(p, axis=0))) < 0.02 and p[:, 0].min() < -0.5
    h = moving.t[1] - moving.t[0]
    assert np.max(np.abs((p[2:] - p[:-2]) / (2 * h) - moving.euler_parameter_rates[1:-1])) < 2e-3
    np.testing.assert_allclose(moving.in_own_axes().euler_parameter_rates, moving.euler_parameter_rates, atol=1e-13)


def test_rotation_vectors():
    moving = precessing(51)
    assert np.max((Rotation.from_rotvec(moving.rotation_vector).inv() * moving.orientation).magnitude()) < 1e-14
    assert np.max(np.linalg.norm(moving.rotation_vector, axis=1)) <= np.pi


def test_own_axes_are_taken_once():
    own = precessing(5).in_own_axes()
    assert own.axes == "body" and own.in_own_axes() is own


@pytest.mark.parametrize(
    ("sequence", "message"), [("ZXz", "no sequence 'ZXz'"), (3, "sequence, and 3 is none"), ("XXY", "twice in a row")]
)
def test_wrong_sequences(sequence, message):
    with pytest.raises(ModelError, match=f"track 'body': .*{message}"):
        precessing(3).euler_angles(sequence)


@pytest.fixture(scope="module")
def spun():
    return fm.simulate(top(), 0.1, step=1e-3, progress=False)


def test_by_name_and_in_tables(spun, tmp_path):
    angles, rates = spun["top"].euler_angles("YXY"), spun["top"].euler_angle_rates("YXY")
    names = ["top.YXY3", "top.YXY3 rate", "top.rotation_y", "top.tip.yxy1"]
    path = spun.to_csv(tmp_path / "table.csv", names)
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head == ["t [s]", "top.YXY3 [rad]", "top.YXY3 rate [rad/s]", "top.rotation_y [rad]", "top.tip.yxy1 [rad]"]
    table = np.array(rows, dtype=float)
    assert np.array_equal(table[:, 1], angles[:, 2]) and np.array_equal(table[:, 2], rates[:, 2])
    assert np.array_equal(table[:, 3], spun["top"].rotation_vector[:, 1])
    assert np.array_equal(table[:, 4], spun["top.tip"].euler_angles("yxy")[:, 0])
    assert len(TURNS) == 3 + 2 * 12 * 6


def test_a_state_gives_the_same_without_time():
    place = fm.assemble(top())["top"]
    own = place.in_own_axes()
    assert place.euler_parameters.shape == (4,) and place.rotation_vector.shape == (3,)
    turn = Rotation.from_euler("XYZ", place.euler_angles("XYZ"))
    assert (turn.inv() * place.orientation).magnitude() < 1e-15
    np.testing.assert_allclose(place.orientation.apply(own.angular_velocity), place.angular_velocity, atol=1e-12)
    assert place.euler_angle_rates("XYZ").shape == (3,)
