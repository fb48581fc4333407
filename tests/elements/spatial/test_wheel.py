"""Wheels: the same motion with and without a coordinate, momentum and energy, torques, messages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError, SolverError

HULL = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
AXIS, SPIN = (0.3, -0.2, 1.0), 40.0
CLOSE = {"method": "dop853", "tolerance": 1e-10, "progress": False}


def satellite(gravity=(0.0, 0.0, 0.0), **wheel):
    m = fm.SpatialModel("satellite", gravity=gravity)
    hull = m.add_body("hull", mass=5.0, inertia=HULL, position=(1.0, 0.0, 0.2), orientation=LEAN)
    hull.move((0.1, 0.2, -0.3), (0.5, -0.7, 0.4))
    seat = hull.attach("seat", (0.1, -0.2, 0.3), Rotation.from_rotvec([0.5, 0.1, 0.2]))
    given = {"inertia": 0.05, "axis": AXIS, "mass": 0.8, "transverse": 0.03} | wheel
    m.add_wheel("wheel", seat, **given)
    return m


def test_a_wheel_of_constant_speed_moves_as_one_whose_angle_is_driven():
    constant = fm.simulate(satellite((0, 0, -1.0), speed=SPIN), 1.0, **CLOSE)
    driven = fm.simulate(satellite((0, 0, -1.0), angle=fm.Polynomial((0.0, SPIN))), 1.0, **CLOSE)
    times = np.linspace(0.0, 1.0, 11)
    one, other = constant.at(times), driven.at(times)
    np.testing.assert_allclose(one["hull"].position, other["hull"].position, atol=1e-8)
    assert np.max((one["hull"].orientation.inv() * other["hull"].orientation).magnitude()) < 1e-8
    for what, tol in (("kinetic", 1e-7), ("drives", 1e-6)):
        a, b = getattr(one.energy, what), getattr(other.energy, what)
        np.testing.assert_allclose(a, b, atol=tol)
    assert np.ptp(constant.energy.drives) > 0.1
    assert constant.energy.error < 1e-11


@pytest.mark.parametrize(
    "wheel",
    [{"speed": SPIN}, {"speed": SPIN, "torque": 0.4, "friction": 0.01}, {"angle": fm.Harmonic(1.3, 2.5)}],
    ids=["constant", "torque", "angle"],
)
def test_momentum_in_space_stays(wheel):
    model = satellite(**wheel)
    system = fm.System(model)
    run = fm.simulate(model, 2.0, max_step=0.02, **CLOSE)
    momenta = np.array([system.momentum(*state) for state in zip(run.t, run.q, run.v)])
    np.testing.assert_allclose(momenta, momenta[[0]].repeat(len(run.t), 0), atol=1e-7)
    assert run.energy.error < 1e-7
    omega = system.v0[3:6]
    axis = fm.spatial.Wheel.direction(model.components["wheel"])
    rate = SPIN if "speed" in wheel else 1.3 * 2.5
    # by hand, at the start
    e, s = np.outer(axis, axis), np.array([0.1, -0.2, 0.3])
    own = HULL + 0.05 * e + 0.03 * (np.eye(3) - e)
    velocity = LEAN.inv().apply((0.1, 0.2, -0.3))
    both = [5.0 * velocity, 0.8 * (velocity + np.cross(omega, s))]
    moment = own @ omega + 0.05 * rate * axis + np.cross(s, both[1])
    about = np.cross((1.0, 0.0, 0.2), LEAN.apply(both[0] + both[1])) + LEAN.apply(moment)
    np.testing.assert_allclose(momenta[0], [*LEAN.apply(both[0] + both[1]), *about], atol=1e-12)


def test_at_chosen_times_the_work_of_drives_is_that_of_the_whole_run():
    whole = fm.simulate(satellite(speed=SPIN), 1.0, step=2e-3, progress=False)
    some = fm.simulate(satellite(speed=SPIN), 1.0, step=2e-3, times=np.linspace(0.0, 1.0, 6), progress=False)
    np.testing.assert_allclose(some.energy.drives, whole.energy.drives[::100], atol=1e-12)
    np.testing.assert_allclose(some.energy.kinetic, whole.energy.kinetic[::100], atol=1e-12)
    assert some.energy.error < 1e-5


def test_runs_with_wheels_come_back_from_files(tmp_path):
    m = satellite((0, 0, -1.0), speed=SPIN)
    m.add_wheel("other", m.frames["hull"], inertia=0.1, axis="x", speed=3.0, torque=0.2, friction=0.01)
    run = fm.simulate(m, 0.2, step=2e-3, progress=False)
    run.save(tmp_path / "run.h5")
    again = fm.load(tmp_path / "run.h5")
    for what in ("kinetic", "drives", "input", "dissipated"):
        np.testing.assert_array_equal(getattr(again.energy, what), getattr(run.energy, what))
    for what in ("other.rotor", "other.rotor rate", "wheel.vx"):
        np.testing.assert_array_equal(again.series(what).values, run.series(what).values)
    assert again.layout.bodies["wheel"] == run.layout.bodies["wheel"]


def test_a_torque_spins_wheel_and_hull_against_each_other():
    m = fm.SpatialModel("plain")
    hull = m.add_body("hull", mass=1.0, inertia=(2.0, 2.5, 3.0))
    m.add_wheel("wheel", hull.frame, inertia=0.2, torque=0.3, friction=0.05)
    run = fm.simulate(m, 3.0, **CLOSE)
    # relative speed: J τ̇ = … with the reduced inertia 1/(1/0.2 + 1/3)
    reduced = 1.0 / (1.0 / 0.2 + 1.0 / 3.0)
    rate = 0.3 / 0.05 * (1.0 - np.exp(-0.05 / reduced * run.t))
    np.testing.assert_allclose(run.series("wheel.rotor rate").values, rate, atol=1e-8)
    np.testing.assert_allclose(run["hull"].wz, -0.2 / 3.2 * rate, atol=1e-8)


def test_a_wheel_as_input_of_a_linear_model():
    m = fm.SpatialModel("plain")
    hull = m.add_body("hull", mass=1.0, inertia=(2.0, 2.5, 3.0))
    seat = m.add_frame("seat", fixed=True)
    m.bushing(seat, hull.frame, stiffness=(10.0,) * 3 + (4.0,) * 3)
    m.add_wheel("wheel", hull.frame, inertia=0.2, torque=0.0, friction=0.05)
    linear = fm.linearize(m, "wheel", ["hull.wz", "wheel.rotor rate"])
    reduced = 1.0 / (1.0 / 0.2 + 1.0 / 3.0)
    np.testing.assert_allclose(linear.C @ linear.B, [[-1.0 / 3.0], [1.0 / reduced]], atol=1e-12)


def test_undamped_modes_leave_no_wheel_out_of_account():
    m = satellite(speed=SPIN)
    with pytest.raises(SolverError, match="wheel 'wheel' turns, and gyroscopic forces act; use complex_modes"):
        fm.modes(m)
    fm.modes(satellite(speed=0.0))  # it stands still
    with pytest.warns(
        fm.errors.BalanceWarning, match="bodies or rotors turn.*without the gyroscopic forces; linearize"
    ):
        fm.complex_modes(satellite(speed=SPIN, torque=0.0))


def test_a_controller_brings_a_wheel_to_its_speed():
    """τ = k (Ω₀ − Ω), sampled: each period the speed comes nearer by the factor 1 − k h/J of the reduced inertia."""
    m = fm.SpatialModel("plain")
    hull = m.add_body("hull", mass=1.0, inertia=(2.0, 2.5, 3.0))
    wheel = m.add_wheel("wheel", hull.frame, inertia=0.2, torque=0.0)
    law = fm.control.LinearLaw(D=[[-0.5, 0.5]])
    sensors = [fm.control.MotorRate(wheel), fm.control.Reference(20.0)]
    m.add_controller("servo", period=0.1, sensors=sensors, commands=wheel, law=law)
    run = fm.simulate(m, 2.0, "rkf45", step=0.01, progress=False)
    factor = 1.0 - 0.5 * 0.1 * (1.0 / 0.2 + 1.0 / 3.0)
    found = run.at(np.arange(20) * 0.1).series("wheel.rotor rate").values
    np.testing.assert_allclose(found, 20.0 * (1.0 - factor ** np.arange(20)), atol=1e-9)
    assert run.energy.error < 1e-9


def test_mass_and_shape_of_a_wheel():
    shape = fm.Cylinder(diameter=0.4, length=0.1, axis=AXIS)
    run = fm.simulate(satellite(speed=SPIN, shape=shape), 0.01, step=1e-3, progress=False)
    place = run.layout.bodies["wheel"]
    assert place.mass == 0.8 and place.frame == "hull.seat" and place.shape.sizes == (0.4, 0.1)
    bare = fm.simulate(satellite(speed=SPIN, mass=0.0), 0.01, step=1e-3, progress=False)
    place = bare.layout.bodies["wheel"]
    assert place.mass == 0.0 and place.shape is None, "it has a name, and pictures show a small flywheel"
    assert place.spin.axis == pytest.approx(np.array(AXIS) / np.linalg.norm(AXIS)) and place.spin.speed == SPIN


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inertia": 0.0}, "wheel 'wheel': inertia is 0; it must be positive"),
        ({"transverse": 0.02}, "inertia 0.05 about its axis is more than twice the transverse one, 0.02"),
        ({"axis": (0, 0, 0)}, "wheel 'wheel': axis has no direction"),
        ({"mass": -1.0}, "wheel 'wheel': mass is -1; it must not be negative"),
        ({"speed": fm.Harmonic(1.0, 2.0)}, "wheel 'wheel': speed must be a number"),
        ({"speed": 2.0, "angle": 1.0}, "wheel 'wheel': its angle says its speed; leave speed out"),
        ({"friction": -0.1}, "wheel 'wheel': friction is -0.1; it must not be negative"),
    ],
)
def test_bad_wheels(given, message):
    with pytest.raises(ModelError, match=message):
        satellite(**given)
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match="wheel 'w': frame 'ground' is fixed"):
        m.add_wheel("w", m.ground, inertia=1.0)


def build(axial: float, speed: float, torque: float, friction: float) -> fm.SpatialModel:
    m = fm.SpatialModel("both", gravity=(0, 0, -9.81))
    box = m.add_body("box", mass=2.0, inertia=HULL, position=(0, 1, 0))
    m.bushing(m.ground, box.attach("tip", (0, -1, 0)), stiffness=(300.0,) * 3 + (0.0,) * 3)
    m.add_wheel("momentum", box.frame, inertia=axial, axis=AXIS, speed=speed, mass=0.1, transverse=axial)
    m.add_wheel("reaction", box.frame, inertia=axial, axis="x", torque=torque, friction=friction, speed=2.0)
    return m


def test_sensitivities_of_wheels_against_whole_runs():
    nominal = {"axial": 0.2, "speed": 20.0, "torque": 0.5, "friction": 0.03}
    outputs = ["box.x", "box.e2", "box.alpha_z", "reaction.rotor rate"]
    direct = fm.sensitivity(build, nominal, 0.3, final=outputs, step=0.01)
    adjoint = fm.sensitivity(build, nominal, 0.3, final=outputs, step=0.01, derivatives="adjoint")

    def ends(**changed):
        run = fm.simulate(build(**{**nominal, **changed}), 0.3, step=0.01, newton_tolerance=1e-13, progress=False)
        return np.array([run.series(name).values[-1] for name in outputs])

    for k, (name, value) in enumerate(nominal.items()):
        h = 1e-3 * value
        parts = [ends(**{name: value + j * h}) for j in (1, -1, 2, -2)]
        slope = (8.0 * (parts[0] - parts[1]) - (parts[2] - parts[3])) / (12.0 * h)
        np.testing.assert_allclose(direct.matrix[:, k], slope, atol=1e-6 * np.max(np.abs(slope)))
    np.testing.assert_allclose(adjoint.matrix, direct.matrix, atol=1e-9 * np.max(np.abs(direct.matrix)))
