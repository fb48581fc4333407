"""The motor against equations of two degrees of freedom written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing import Recorder

J, N, k, c, d = 2e-3, 50.0, 300.0, 0.7, 1e-3


def drive(stator_fixed: bool = True, **options: object) -> tuple[fm.PlanarModel, Recorder]:
    m = fm.PlanarModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=0.4, angle=0.3)
    base = m.ground if stator_fixed else m.add_body("base", mass=2.0, inertia=0.9, angle=-0.2).frame
    return m, Recorder.of(m.motor(base, arm.frame, **options))


def columns(recorder: Recorder) -> list[int]:
    """Places of θ_a, θ_b and φ."""
    return [2, 5, 6]


def test_on_ground_it_is_rotor_spring_and_arm() -> None:
    """J φ̈ + d φ̇ + (k δ + c δ̇)/N = τ and −(k δ + c δ̇) on the arm, δ = φ/N − (θ − θ₀)."""
    _, motor = drive(inertia=J, ratio=N, stiffness=k, damping=c, friction=d, torque=0.25)
    theta, rate, phi, speed, acceleration = 0.41, 0.6, 4.2, 31.0, -8.0
    q, v, a = np.zeros(7), np.zeros(7), np.zeros(7)
    q[5], q[6], v[5], v[6], a[6] = theta, phi, rate, speed, acceleration
    moment = k * (phi / N - (theta - 0.3)) + c * (speed / N - rate)
    r = motor.residual(0.0, q, v, a)
    assert r[5] == pytest.approx(-moment, rel=1e-13)
    assert r[6] == pytest.approx(J * acceleration + d * speed + moment / N - 0.25, rel=1e-13)


def test_locked_arm_frequency() -> None:
    """The rotor on the reducer's spring: ω² = k/(N² J)."""
    _, motor = drive(inertia=J, ratio=N, stiffness=k)
    zero = np.zeros(7)
    mass = motor.tangent(0.0, motor.q, zero, zero, (1.0, 0.0, 0.0))[6, 6]
    stiffness = motor.tangent(0.0, motor.q, zero, zero, (0.0, 0.0, 1.0))[6, 6]
    assert math.sqrt(stiffness / mass) == pytest.approx(math.sqrt(k / J) / N, rel=1e-13)


def test_a_free_stator_feels_the_reaction() -> None:
    """Free base and arm: angular momentum of rotor, base and arm is kept, and the stator feels
    −τ + d φ̇ − (1 − 1/N) M."""
    _, motor = drive(False, inertia=J, ratio=N, stiffness=k, damping=c, friction=d, torque=0.25)
    q, v = motor.q.copy(), np.zeros(7)
    q[2], q[5], q[6], v[2], v[5], v[6] = 0.1, 0.5, 3.0, -0.4, 0.6, 20.0
    delta, rate = 3.0 / N - (0.5 - 0.1) + (0.3 + 0.2), 20.0 / N - 0.6 - 0.4
    moment = k * delta + c * rate
    absolute = (0.25 - d * 20.0 - moment / N) / J  # θ̈_a + φ̈ by the rotor's own equation
    a = np.zeros(7)
    a[6] = absolute
    r = motor.residual(0.0, q, v, a)
    assert r[6] == pytest.approx(0.0, abs=1e-12)
    assert r[5] == pytest.approx(-moment, rel=1e-12)
    assert -r[2] == pytest.approx(-0.25 + d * 20.0 - (1.0 - 1.0 / N) * moment, rel=1e-12)


def test_rotor_energy_is_that_of_its_spin_in_space() -> None:
    _, motor = drive(False, inertia=J, ratio=-N, stiffness=k)
    v = np.zeros(7)
    v[2], v[6] = 3.0, 10.0
    assert motor.energy(0.0, motor.q, v)[0] == pytest.approx(0.5 * J * 13.0**2, rel=1e-14)


def test_a_rigid_reducer_is_a_constraint() -> None:
    _, motor = drive(False, inertia=J, ratio=N)
    (reducer,) = [part for part in motor.instances if part.rows]
    q, v = np.array([0.1, 0.5, 0.0]), np.array([1.0, 3.0, 0.0])
    q[2], v[2] = N * (0.5 - 0.1 - 0.5), N * 2.0
    assert reducer.call("constraint", 0.0, q, v)[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-14)
    assert reducer.call("jacobian", 0.0, q, v)[0].tolist() == [1.0, -1.0, 1.0 / N]


def test_a_rotor_with_a_given_angle_starts_at_that_angle() -> None:
    _, motor = drive(inertia=J, ratio=N, stiffness=k, angle=fm.Harmonic(0.5, 4.0, mean=2.0))
    assert (motor.q[6], motor.v[6]) == (2.0, 2.0)
    assert motor.energy(0.0, motor.q, np.zeros(7))[1] == pytest.approx(0.0, abs=1e-25)
    (rotor,) = [part for part in motor.instances if part.rows]
    out = rotor.call("constraint", 0.3, np.array([2.6]), np.array([0.1]))[0]
    expected = [0.6 - 0.5 * math.sin(1.2), 0.1 - 2.0 * math.cos(1.2), -8.0 * math.sin(1.2)]
    assert out == pytest.approx(expected, rel=1e-13)


def test_rotor_speed_starts_with_the_joint() -> None:
    m = fm.PlanarModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=0.4)
    arm.move(angular_velocity=0.5)
    assert Recorder.of(m.motor(m.ground, arm.frame, inertia=J, ratio=N, stiffness=k)).v[6] == 0.5 * N


def test_a_driven_arm_moves_as_its_two_equations_say() -> None:
    """Rotor and arm written by hand, integrated by SciPy: J φ̈ = τ − d φ̇ − M/N, I θ̈ = M."""
    inertia, amplitude, frequency = 0.4, 0.25, 3.0

    def by_hand(t: float, y: np.ndarray) -> list[float]:
        phi, theta, speed, rate = y
        moment = k * (phi / N - theta) + c * (speed / N - rate)
        torque = amplitude * math.sin(frequency * t)
        return [speed, rate, (torque - d * speed - moment / N) / J, moment / inertia]

    m = fm.PlanarModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=inertia)
    m.revolute(m.ground, arm.frame)
    torque = fm.Harmonic(amplitude, frequency)
    options = {"inertia": J, "ratio": N, "stiffness": k, "damping": c, "friction": d, "torque": torque}
    m.motor(m.ground, arm.frame, name="drive", **options)
    solution = fm.simulate(m, 1.0, method="independent", tolerance=1e-10, absolute_tolerance=1e-12, progress=False)
    wanted = solve_ivp(by_hand, (0.0, 1.0), np.zeros(4), "DOP853", solution.t, rtol=1e-12, atol=1e-13).y
    for name, angle in zip(("drive.rotor", "arm.angle"), wanted[:2], strict=True):
        got = solution.q[:, solution.coordinate_names.index(name)]
        np.testing.assert_allclose(got, angle, rtol=0.0, atol=2e-9 * np.max(np.abs(angle)))


def test_a_free_stator_turns_back_by_what_momentum_says() -> None:
    """Base and arm on one hinge, given rotor angle, rigid reducer: θ_b − θ_a = Δα/N, and since the sum of
    (I_a + J) θ̇_a + I_b θ̇_b + J φ̇ stays zero, θ_a = −(I_b/N + J) Δα/(I_a + I_b + J)."""
    m = fm.PlanarModel("m")
    base, arm = (m.add_body(name, mass=1.0, inertia=x) for name, x in (("base", 0.9), ("arm", 0.4)))
    m.revolute(m.ground, base.frame)
    m.revolute(base.frame, arm.frame)
    m.motor(base.frame, arm.frame, inertia=0.02, ratio=-7.0, angle=fm.SmoothStep(0.0, 1.0, 0.5, 9.0))
    solution = fm.simulate(m, 1.0, method="independent", tolerance=1e-10, absolute_tolerance=1e-12, progress=False)
    angles = [solution.q[-1, solution.coordinate_names.index(f"{x}.angle")] for x in ("base", "arm")]
    back = -(0.4 / -7.0 + 0.02) * 8.5 / (0.9 + 0.4 + 0.02)
    assert angles == pytest.approx([back, back + 8.5 / -7.0], rel=1e-8)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"inertia": J, "ratio": 0.0}, "motor 'motor 1': ratio is 0"),
        ({"stiffness": k}, "motor 'motor 1': inertia is 0; it must be positive"),
        ({"inertia": J, "stiffness": -1.0}, "motor 'motor 1': stiffness is -1; it must be positive"),
        ({"inertia": J, "damping": 1.0}, "motor 'motor 1': damping of a reducer that cannot twist"),
        ({"inertia": J, "friction": -1.0}, "motor 'motor 1': friction is -1; it must not be negative"),
    ],
)
def test_wrong_data_are_named(options: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        drive(**options)


@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_a_rotor_turns_with_its_stator():
    """Its angle is against the stator; two free wheels with a motor between them keep their momentum."""
    m = fm.PlanarModel("wheels")
    a, b = (m.add_body(name, mass=1.0, inertia=inertia) for name, inertia in (("a", 0.5), ("b", 0.3)))
    m.revolute(a.frame, b.frame)
    dry = fm.Friction(coulomb=0.05)
    m.motor(a.frame, b.frame, inertia=1e-3, ratio=20.0, stiffness=50.0, damping=0.1, friction=dry, torque=0.3)
    run, system = fm.simulate(m, 2.0, step=1e-3, progress=False), fm.System(m)
    momentum = np.array([system.momentum(t, q, v) for t, q, v in zip(run.t, run.q, run.v)])
    assert np.ptp(run["b.angular_velocity"]) > 1.0
    np.testing.assert_allclose(momentum, 0.0, atol=1e-12)


def test_in_steady_rotation_a_rotor_has_no_friction():
    m = fm.PlanarModel("turning")
    hub = m.add_body("hub", mass=1.0, inertia=0.5)
    arm = m.add_body("arm", mass=1.0, inertia=0.1, position=(2.0, 0.0))
    m.revolute(m.ground, hub.frame)
    m.revolute(hub.attach("shoulder", (1.0, 0.0)), arm.attach("pivot", (-1.0, 0.0)))
    m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, 5.0]))
    m.motor(hub.frame, arm.frame, inertia=1e-3, ratio=10.0, stiffness=100.0, friction=0.5, name="motor")
    rest = fm.equilibrium(m, spin=5.0)
    assert rest["arm.angle"] == pytest.approx(0.0, abs=1e-12)
    assert rest["motor.rotor"] == pytest.approx(0.0, abs=1e-12)
    run = fm.simulate(
        m, 1.0, initial=rest, method="independent", tolerance=1e-10, absolute_tolerance=1e-12, progress=False
    )
    np.testing.assert_allclose(run["arm.angle"] - run["hub.angle"], 0.0, atol=1e-9)
