"""The bushing in space, called by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.forces.spatial.bushing import LENGTH, SPATIAL_BUSHING, WORK
from tests.by_hand import Instance, agree, check_power, check_tangent, quaternion, rotation

ARM_A, ARM_B, FREE = np.array([0.3, -0.5, 0.2]), np.array([-0.1, 0.4, 0.7]), np.array([0.2, 0.1, -0.3])
AXES_A, AXES_B = Rotation.from_rotvec([0.4, -0.2, 0.9]), Rotation.from_rotvec([-0.3, 0.6, 0.1])


def matrices():
    X, Y = np.random.default_rng(7).normal(size=(2, 6, 6))
    return X @ X.T, Y @ Y.T


def bushing(stiffness, damping):
    p = [ARM_A, ARM_B, quaternion(AXES_A), quaternion(AXES_B), FREE, stiffness, damping]
    p = np.concatenate([np.ravel(x) for x in p])
    assert len(p) == LENGTH
    return Instance(SPATIAL_BUSHING, p, 2, work=WORK)


@pytest.mark.parametrize("seed", range(6))
def test_tangent_and_power(seed):
    instance = bushing(*matrices())
    q, v, a = instance.state(seed)
    check_tangent(instance, q, v, a)
    check_power(instance, q, v, a)


def test_without_force_at_its_free_place():
    instance = bushing(*matrices())
    A = Rotation.from_rotvec([1.0, 2.0, -0.4])
    B = A * AXES_A * AXES_B.inv()
    r_a = np.array([0.5, -0.2, 0.1])
    r_b = r_a + A.apply(ARM_A + AXES_A.apply(FREE)) - B.apply(ARM_B)
    q = np.concatenate([r_a, quaternion(A), r_b, quaternion(B)])
    agree(instance.call("residual", q)[0], np.zeros(12), 0.0, 1e-13)
    check_tangent(instance, q, np.zeros(12), np.zeros(12))
    # there its K is that of a potential
    K = instance.call("tangent", q, w=(0, 0, 1))[1]
    agree(K, K.T, 0.0, 1e-13)
    assert np.sum(np.linalg.eigvalsh(K) > 1e-9) == 6  # all motions but those of both bodies together


@pytest.mark.parametrize("angle", [1e-6, 1.0, 3.0])
def test_moment_about_one_axis(angle):
    """A turn about an axis of the bushing is met by the stiffness of that axis times the angle."""
    stiffness = np.diag([0, 0, 0, 2.0, 3.0, 5.0])
    instance = bushing(stiffness, np.zeros((6, 6)))
    A = Rotation.from_rotvec([1.0, 2.0, -0.4])
    B = A * AXES_A * Rotation.from_rotvec([0, angle, 0]) * AXES_B.inv()
    q = np.concatenate([np.zeros(3), quaternion(A), np.zeros(3), quaternion(B)])
    out = instance.call("residual", q)[0]
    axis = np.array([0, 3.0 * angle, 0])
    agree(out[3:6], -AXES_A.apply(axis), 0.0, 4e-15)
    agree(out[9:], AXES_B.apply(axis), 0.0, 4e-15)


def test_forces_and_moments_balance():
    instance = bushing(*matrices())
    q, v, a = instance.state(5)
    out = instance.call("residual", q, v, a)[0]
    A, B = (rotation(q[k + 3 : k + 7]) for k in (0, 7))
    agree(out[:3] + out[6:9], np.zeros(3), 0.0, 1e-14)
    moment = A.apply(out[3:6]) + B.apply(out[9:]) + np.cross(q[:3], out[:3]) + np.cross(q[7:10], out[6:9])
    agree(moment, np.zeros(3), 0.0, 1e-13)


@pytest.mark.parametrize(("speed", "jumps"), [(2.0, False), (10.0, True)])
def test_a_run_warns_of_a_moment_that_jumps_at_half_a_turn(speed, jumps):
    """ω² J = k φ² at the largest angle φ: 2 rad for ω = 2, and no end of it for ω = 10."""
    m = fm.SpatialModel("rubber")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.bushing(m.ground, body.frame, stiffness=(1e3, 1e3, 1e3, 0.1, 0.1, 0.1), name="mount")
    body.move(angular_velocity=(0.0, 0.0, speed))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = fm.simulate(m, 2.0, progress=False)
    assert solution.status == "finished"
    said = [str(w.message) for w in caught if "bushing 'mount' turns by up to 3." in str(w.message)]
    assert len(said) == jumps
    if jumps:
        start = float(said[0].split("from t = ")[1].split(" s")[0])
        assert start == pytest.approx(0.9 * np.pi / 10.0, abs=0.03)  # the samples are 0.01 s apart
    else:
        assert np.max(solution["body"].orientation.magnitude()) == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize(
    ("stiffness", "says"),
    [
        ((1.0, 1.0, 1.0), r"bushing 'bushing 1': stiffness must be six finite numbers .* or a matrix \(6, 6\)"),
        (np.triu(np.ones((6, 6))), "bushing 'bushing 1': the matrix of stiffness is not symmetric"),
        ((1.0, 1.0, 1.0, 1.0, 1.0, -2.0), "bushing 'bushing 1': stiffness has the eigenvalue -2"),
        ((1.0, np.nan, 1.0, 1.0, 1.0, 1.0), r"bushing 'bushing 1': stiffness\[1\] is nan"),
    ],
)
def test_wrong_matrices_are_named(stiffness, says):
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(fm.errors.ModelError, match=says):
        m.bushing(m.ground, body.frame, stiffness=stiffness)
