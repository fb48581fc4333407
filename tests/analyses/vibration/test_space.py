"""Small motions of bodies in space about rest, against closed forms and matrices made by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.spatial import SpatialModel
from tests.models.box_on_mounts import INERTIA, MASS, MOUNTS, TURN, Wrench, box, jacobian

M = np.diag([MASS] * 3 + INERTIA.tolist())
K = sum(jacobian(arm).T @ np.diag(stiffness) @ jacobian(arm) for arm, stiffness in MOUNTS.values())


def test_six_frequencies_of_a_plate_on_four_springs():
    """With springs k in all directions at corners (±b, ±d, 0):  4 k/m,  4 k d²/I₁,  4 k b²/I₂,  4 k (b² + d²)/I₃."""
    k, b, d, inertia = 700.0, 0.6, 0.4, np.array([0.9, 1.3, 2.0])
    model = SpatialModel("plate")
    plate = model.add_body("plate", mass=11.0, inertia=inertia, orientation=TURN)
    for n, (x, y) in enumerate([(b, d), (b, -d), (-b, d), (-b, -d)]):
        corner = plate.frame.attach(f"corner{n}", (x, y, 0.0))
        seat = model.add_frame(f"seat{n}", TURN.apply([x, y, 0.0]), fixed=True)
        model.bushing(seat, corner, stiffness=(k, k, k, 0, 0, 0))
    found = fm.modes(model)
    expected = np.sort([4 * k / 11.0] * 3 + (4 * k * np.array([d**2, b**2, b**2 + d**2]) / inertia).tolist())
    np.testing.assert_allclose(found.omega_squared, expected, rtol=1e-11)


def test_modes_of_the_box():
    found = fm.modes(box())
    values, shapes = scipy.linalg.eigh(K, M)
    np.testing.assert_allclose(found.omega_squared, values, rtol=1e-11)
    np.testing.assert_allclose(np.abs(found.shapes.T @ M @ shapes), np.eye(6), atol=1e-9)
    # by name: shifts and turns along the axes of the ground
    arm = MOUNTS["a"][0]
    for k in range(6):
        expected = np.append(jacobian(arm) @ found.shapes[:, k], TURN.apply(found.shapes[3:, k]))
        np.testing.assert_allclose(found.shape(k)["a"], expected, atol=1e-12)


def test_a_mode_as_a_motion():
    """Speeds and accelerations of the pictures belong to their positions, however far these are."""
    found = fm.modes(box())
    motion = found.motion(2, 0.3, count=801)
    assert np.ptp(motion["box"].position, axis=0).max() <= 0.6
    h = motion.t[1] - motion.t[0]
    R = motion["box"].orientation
    for k in (100, 333, 640):
        rates = (R[k - 1].inv() * R[k + 1]).as_rotvec() / (2 * h)
        omega = R[k].inv().apply(motion["box"].angular_velocity[k])
        size = np.max(np.abs(motion["box"].angular_velocity))
        np.testing.assert_allclose(rates, omega, atol=1e-4 * size)
        w = motion["box"].angular_velocity
        slope = (w[k + 1] - w[k - 1]) / (2 * h)
        np.testing.assert_allclose(motion["box"].angular_acceleration[k], slope, atol=1e-3 * size / h / 100)


@pytest.mark.parametrize("dense", [True, False])
def test_complex_modes_with_damping(dense):
    found = fm.complex_modes(box(damping=0.004), dense=dense, count=4)
    A = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.linalg.solve(M, K), -0.004 * np.linalg.solve(M, K)]])
    values = np.linalg.eigvals(A)
    values = values[values.imag > 0.0]
    expected = values[np.argsort(np.abs(values))][:4]
    np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-9)


def test_about_an_equilibrium_far_from_the_drawing():
    """Frequencies where the weight has turned the box: the second differences of energy along turns about any axes."""
    model = box(gravity=(120.0, -90.0, -300.0))
    rest = fm.equilibrium(model)
    track = rest["box"]
    place, turn = track.position, track.orientation
    assert (turn * TURN.inv()).magnitude() > 0.2

    def energy(y):
        r, R = place + y[:3], turn * Rotation.from_rotvec(y[3:])
        off = [(r + R.apply(arm) - np.array(model.frames[f"seat {n}"].position)) for n, (arm, _) in MOUNTS.items()]
        springs = sum(0.5 * np.sum(np.array(k) * x**2) for x, (_, k) in zip(off, MOUNTS.values()))
        return springs - MASS * r @ [120.0, -90.0, -300.0]

    H, e = np.empty((6, 6)), 1e-3 * np.eye(6)
    for i in range(6):
        for j in range(6):
            signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
            H[i, j] = sum(a * b * energy(a * e[i] + b * e[j]) for a, b in signs) / 4e-6
    np.testing.assert_allclose(fm.modes(rest).omega_squared, scipy.linalg.eigvalsh(H, M), rtol=1e-4)


def test_out_of_balance_moments_are_named():
    model = box()
    corner = model.frames["box"].attach("corner", (0.4, 0.2, 0.3))
    model.add(Wrench(corner, force=(30.0, -20.0, 25.0), name="push"))
    with pytest.raises(SolverError, match=r"not symmetric.*not an equilibrium and moments turn bodies in space"):
        fm.modes(model)
    assert fm.modes(fm.equilibrium(model)).stable


def test_a_moment_about_an_axis_of_the_ground_has_no_potential():
    model = box()
    model.add(Wrench(model.frames["box"], moment=(5.0, 20.0, 0.0), name="twist"))
    rest = fm.equilibrium(model)
    with pytest.raises(SolverError, match=r"not symmetric.*use complex_modes"):
        fm.modes(rest)
    found = fm.complex_modes(rest)
    state = rest.state
    own = state.system.tangent(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 1.0))
    assert np.max(np.abs(own - own.T)) > 10.0
    values = np.linalg.eigvals(np.linalg.solve(M, own))
    np.testing.assert_allclose(np.sort(np.abs(found.eigenvalues)), np.sort(np.sqrt(np.abs(values))), rtol=1e-9)


def test_what_spins_has_no_modes_of_rest():
    model = SpatialModel("wheel")
    wheel = model.add_body("wheel", mass=2.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 1.0))
    wheel.frame.move((0.0, 0.0, 0.5), (0.0, 0.0, 30.0))
    with pytest.raises(SolverError, match=r"the state turns steadily at 30 rad/s.*use complex_modes"):
        fm.modes(model)
    found = fm.complex_modes(model)  # in axes that turn along: a tilt stays in space, and (C − A)/A Ω
    assert found.stable and found.rotation.spin == pytest.approx(30.0, rel=1e-12)
    np.testing.assert_allclose(found.eigenvalues[~found.rigid], [30.0j, 30.0j], atol=1e-10)
    wheel.frame.move((0.0, 0.0, 0.5), (5.0, 0.0, 30.0))  # it tumbles: speeds are left aside, as in the plane
    assert np.all(fm.modes(model).rigid)


def test_a_flywheel_in_a_housing_on_springs():
    """J s² ∓ j H s + k = 0 with J = 0.2, H = 10, k = 10 about both axes across its own."""
    m = SpatialModel("flywheel")
    housing = m.add_body("housing", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.bushing(m.ground, housing.frame, stiffness=(1e3, 1e3, 1e3, 10.0, 10.0, 10.0))
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute(housing.frame, wheel.frame, axis=(0, 0, 1))
    wheel.frame.move(angular_velocity=(0, 0, 50.0))
    found = fm.complex_modes(m)
    poles = np.abs(fm.linearize(m, "housing.mx", "housing.wx", steady=False).poles)
    for omega in (25.0 + np.sqrt(675.0), -25.0 + np.sqrt(675.0)):
        assert np.min(np.abs(np.abs(found.eigenvalues) - omega)) < 1e-9
        assert np.min(np.abs(poles - omega)) < 1e-9
    assert found.rotation.spin == 0.0 and found.stable
    as_asked = fm.complex_modes(fm.equilibrium(m, rotors={"wheel": (0, 0, 50.0)}))
    np.testing.assert_allclose(as_asked.eigenvalues, found.eigenvalues, atol=1e-9)
    with pytest.raises(SolverError, match=r"what spins in it turns steadily at 50 rad/s"):
        fm.modes(m)
    lopsided = SpatialModel("lopsided")
    housing = lopsided.add_body("housing", mass=1.0, inertia=(0.1, 0.1, 0.1))
    lopsided.bushing(lopsided.ground, housing.frame, stiffness=(1e3, 1e3, 1e3, 10.0, 14.0, 10.0))
    wheel = lopsided.add_body("wheel", mass=1.0, inertia=(0.1, 0.15, 0.2))
    lopsided.revolute(housing.frame, wheel.frame, axis=(0, 0, 1))
    wheel.frame.move(angular_velocity=(0, 0, 50.0))
    with pytest.warns(fm.errors.BalanceWarning, match=r"without the gyroscopic forces; linearize"):
        fm.complex_modes(lopsided)
    with pytest.raises(SolverError, match=r"what spins needs equal inertia and supports across its axis"):
        fm.complex_modes(fm.equilibrium(lopsided, rotors={"wheel": (0, 0, 50.0)}))


def test_a_pendulum_on_a_hinge_has_modes_about_its_equilibrium():
    m = SpatialModel("door", gravity=(0.0, -9.81, 0.0))
    door = m.add_body("door", mass=10.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.0, 0.0))
    m.revolute(m.ground, door.frame.attach("edge", (-0.5, 0.0, 0.0)))
    wanted = np.sqrt(10.0 * 9.81 * 0.5 / (1.0 + 10.0 * 0.5**2))  # a turn about its own x has no stiffness but round-off
    assert fm.modes(fm.equilibrium(m)).omegas == pytest.approx([wanted], rel=1e-9)


def test_what_is_left_of_an_equilibriums_search_is_no_moment_out_of_balance():
    """A ball on a floor holds a door by a bar that no hinge but its own carries: K has no size about other axes."""
    model = fm.SpatialModel("door", gravity=(0.0, -9.81, 0.0))
    bar = model.add_body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    pivot, tip = bar.attach("pivot", (-0.5, 0.0, 0.0)), bar.attach("tip", (0.5, 0.0, 0.0))
    model.revolute(model.ground, pivot, axis="z")
    model.torsion_spring(model.ground, pivot, axis="z", stiffness=12.0, free_angle=-0.4)
    floor = model.ground.attach("floor", (0.0, -0.06, 0.0))
    model.contact(floor, tip, fm.HalfSpace(normal="y"), fm.Sphere(diameter=0.05), stiffness=2e4, damping=50.0)
    rest = fm.equilibrium(model)
    overlap, arm = -rest["contact 1.gap"], rest["bar.tip.x"] - rest["bar.pivot.x"]
    # V″ of ½ 12 (θ + 0.4)² + ⅖ 2e4 δ^2.5 + 9.81 ½ sin θ with the overlap δ = −0.01 − sin θ
    stiffness = 12.0 + 3e4 * overlap**0.5 * arm**2 + 2e4 * overlap**1.5 * rest["bar.tip.y"] - 9.81 * rest["bar.y"]
    assert fm.modes(rest, 1).omega_squared[0] == pytest.approx(stiffness / (0.1 + 0.25), rel=1e-6)
