"""Friction of motors against closed forms: coasting down, breaking away, creeping, its heat."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmb as fm
from flexmb import testing
from flexmb.errors import ModelError
from flexmb.testing import Recorder

J = 0.02
STRIBECK = {"coulomb": 0.2, "static": 0.35, "stribeck_speed": 0.6, "viscous": 0.004, "smoothing": 0.01}
#: from creeping over the peak to speeds where only Coulomb's and the viscous part are left
SPEEDS = (-30.0, -0.4, -0.02, -1e-3, 0.0, 2e-3, 0.03, 0.7, 12.0)


def by_hand(rate: float) -> float:
    """The torque for :data:`STRIBECK`; tanh x = 1 − 2/(e^2x + 1)."""
    drop = 0.15 * math.exp(-(rate**2) / 0.36)
    step = math.copysign(1.0 - 2.0 / (math.exp(min(2.0 * abs(rate) / 0.01, 700.0)) + 1.0), rate)
    return (0.2 + drop) * step + 0.004 * rate


def bench(friction: Any, torque: float = 0.0, speed: float = 0.0) -> fm.PlanarModel:
    """A rotor that drives a very light wheel, without a reducer."""
    m = fm.PlanarModel("bench")
    wheel = m.add_body("wheel", mass=1.0, inertia=1e-9)
    m.revolute(m.ground, wheel.frame)
    wheel.move(angular_velocity=speed)
    m.motor(m.ground, wheel.frame, inertia=J, friction=friction, torque=torque, name="motor")
    return m


def spin(friction: Any, t_end: float, torque: float = 0.0, speed: float = 0.0) -> fm.Solution:
    return fm.simulate(bench(friction, torque, speed), t_end, tolerance=1e-8, progress=False)


def motor(friction: Any) -> Recorder:
    """On ground; coordinates are those of ground and arm (3 each), then the rotor's."""
    m = fm.PlanarModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=0.4)
    return Recorder.of(m.motor(m.ground, arm.frame, inertia=J, ratio=5.0, stiffness=30.0, friction=friction))


@pytest.mark.parametrize("rate", SPEEDS)
def test_the_torque_is_the_printed_formula(rate: float) -> None:
    friction = fm.Friction(**STRIBECK)
    assert friction.torque(rate) == pytest.approx(by_hand(rate), rel=1e-12, abs=1e-15)
    recorder, v = motor(friction), np.zeros(7)
    v[6] = rate
    r = recorder.residual(0.0, recorder.q, v, np.zeros(7))
    assert r[6] == pytest.approx(by_hand(rate), rel=1e-12, abs=1e-15), "against the rotor"
    assert not np.any(r[:6]), "stator and output feel the reaction through torque and reducer alone"
    assert recorder.energy(0.0, recorder.q, v)[3] == pytest.approx(by_hand(rate) * rate, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("rate", SPEEDS)
def test_the_tangent_is_exact(rate: float) -> None:
    """Against differences of eighth order with a step far below ε."""
    recorder, v, h = motor(fm.Friction(**STRIBECK)), np.zeros(7), 2e-4
    v[6] = rate
    found = recorder.tangent(0.0, recorder.q, v, np.zeros(7), (0.0, 1.0, 0.0))[6, 6]
    weights = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
    slope = sum(w * (by_hand(rate + k * h) - by_hand(rate - k * h)) for k, w in enumerate(weights, 1)) / h
    assert found == pytest.approx(slope, rel=1e-9, abs=1e-10)


def test_torques_of_many_speeds_and_that_friction_never_gives_energy() -> None:
    speeds = np.linspace(-3.0, 3.0, 602).reshape(2, 301)
    friction = fm.Friction(0.1, 0.4, stribeck_speed=0.3)
    torque = friction.torque(speeds)
    assert torque.shape == speeds.shape
    assert np.all(torque * speeds >= 0.0)
    np.testing.assert_array_equal(friction.torque(-speeds), -torque)


def test_the_largest_torque_is_nearly_the_static_one() -> None:
    """ε = ω_S/100: with x = ω/ε what is missing is 2 T_S e^(−2x) + (T_S − T_C) x²/10⁴, least where
    2 T_S e^(−2x) = (T_S − T_C) x/10⁴."""
    largest = np.max(fm.Friction(0.3, 0.4, stribeck_speed=1.0, smoothing=0.01).torque(np.linspace(0.0, 0.2, 2001)))
    x = brentq(lambda x: 0.8 * math.exp(-2.0 * x) - 0.1 * x / 1e4, 1.0, 10.0)
    assert (0.4 - largest) / 0.1 == pytest.approx(x / 1e4 + x**2 / 1e4, rel=0.01)


@pytest.mark.parametrize("smoothing", [0.5, 0.1])
def test_a_motor_with_friction_conforms(smoothing: float) -> None:
    m = fm.PlanarModel("m")
    base, arm = (m.add_body(name, mass=1.0, inertia=x) for name, x in (("base", 0.9), ("arm", 0.4)))
    m.revolute(base.frame, arm.frame)
    friction = fm.Friction(0.2, 0.3, 0.8, 0.01, smoothing)
    testing.conformance(m.motor(base.frame, arm.frame, inertia=0.01, ratio=-5.0, stiffness=30.0, friction=friction))
    testing.check_system(m)


def test_a_motor_without_dry_friction_has_no_instance_for_it() -> None:
    assert [part.kernels.name for part in motor(0.3).instances] == ["rotor", "spring on coordinates"]
    assert [part.kernels.name for part in motor(fm.Friction()).instances] == [
        "rotor",
        "rotor friction",
        "spring on coordinates",
    ]


def test_coulomb_friction_stops_a_rotor_evenly() -> None:
    """ω = ω₀ − T_C t/J until it stands."""
    solution = spin(fm.Friction(coulomb=0.05), 6.0, speed=10.0)
    rate = solution["motor.rotor rate"]
    moving = solution.t < 3.9
    np.testing.assert_allclose(rate[moving], 10.0 - 0.05 / J * solution.t[moving], atol=1e-5)
    assert abs(rate[-1]) < 1e-6
    heat = solution.energy.dissipated
    assert heat[-1] == pytest.approx(0.5 * J * 10.0**2, rel=1e-5), "all of its energy became heat"
    assert np.all(np.diff(heat) >= -1e-12)


def test_viscous_friction_alone_is_the_plain_number() -> None:
    one, two = (
        spin(friction, 1.0, speed=10.0)["motor.rotor rate"][-1] for friction in (0.03, fm.Friction(viscous=0.03))
    )
    assert one == pytest.approx(10.0 * math.exp(-0.03 / J), rel=1e-5)
    assert two == pytest.approx(one, rel=1e-12)


def test_below_the_static_torque_a_rotor_creeps_and_above_it_breaks_away() -> None:
    friction = fm.Friction(coulomb=0.1, static=0.2, stribeck_speed=0.5, smoothing=1e-3)
    creep = spin(friction, 3.0, torque=0.15)["motor.rotor rate"][-1]
    assert creep == pytest.approx(1e-3 * math.atanh(0.15 / 0.2), rel=1e-3)
    run = spin(friction, 3.0, torque=0.25)
    # once fast, only Coulomb's torque is left
    late = run.t > 1.0
    slope = np.polyfit(run.t[late], run["motor.rotor rate"][late], 1)[0]
    assert slope == pytest.approx((0.25 - 0.1) / J, rel=1e-4)


def test_what_a_spring_leaves_to_friction_creeps_away() -> None:
    """Small against T_S: T_S φ̇/ε = −k φ, so φ = φ₀ exp(−ε k t/T_S)."""
    k, largest, smoothing, start = 3.0, 0.2, 1e-2, 2e-3
    m = bench(fm.Friction(largest, smoothing=smoothing))
    m.torsion_spring(m.ground, m.frame("wheel"), stiffness=k, free_angle=-start)
    t_end = largest / (smoothing * k)
    angle = fm.simulate(m, t_end, "independent", tolerance=1e-8, absolute_tolerance=1e-12, progress=False)[
        "wheel"
    ].angle[-1]
    assert start + angle == pytest.approx(start * math.exp(-1.0), rel=1e-3)


def test_the_output_feels_the_torque_as_many_times_as_the_reducer_reduces() -> None:
    """Rigid reducer: (I + N² J) θ̈ = −N T_C."""
    inertia, N = 0.4, -7.0
    m = fm.PlanarModel("m")
    arm = m.add_body("arm", mass=1.0, inertia=inertia)
    m.revolute(m.ground, arm.frame)
    arm.move(angular_velocity=1.0)
    m.motor(m.ground, arm.frame, inertia=J, ratio=N, friction=fm.Friction(0.05))
    solution = fm.simulate(m, 1.0, tolerance=1e-8, progress=False)
    late = 1.0 - 7.0 * 0.05 / (inertia + N**2 * J)
    assert solution["arm"].angular_velocity[-1] == pytest.approx(late, rel=1e-6)


def test_a_motor_without_rotor_and_reducer_is_a_joint_with_friction() -> None:
    """A wheel coasts down on its hinge: θ = ω₀²I/(2 T_C) when it stands."""
    m = fm.PlanarModel("m")
    wheel = m.add_body("wheel", mass=1.0, inertia=0.4)
    m.revolute(m.ground, wheel.frame)
    wheel.move(angular_velocity=2.0)
    m.motor(m.ground, wheel.frame, friction=fm.Friction(0.5, smoothing=1e-3))
    solution = fm.simulate(m, 2.0, tolerance=1e-8, progress=False)
    assert solution["wheel"].angle[-1] == pytest.approx(2.0**2 * 0.4 / (2.0 * 0.5), rel=1e-5)


@pytest.mark.parametrize("coulomb", [0.05, 0.0])
def test_derivatives_by_its_numbers(coulomb: float) -> None:
    """Coasting far above ε: ∂φ/∂T_C = −t²/(2J), at no friction too."""

    def build(coulomb: float, smoothing: float) -> fm.PlanarModel:
        return bench(fm.Friction(coulomb, smoothing=smoothing), speed=10.0)

    numbers = {"coulomb": coulomb, "smoothing": 0.01}
    found = fm.sensitivity(build, numbers, 1.0, final="wheel.angle", step=1e-2)
    assert found["wheel.angle", "coulomb"] == pytest.approx(-1.0 / (2.0 * J), rel=1e-6)
    assert found["wheel.angle", "smoothing"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"coulomb": -0.1}, "friction: coulomb is -0.1; it must not be negative"),
        ({"coulomb": 0.2, "static": 0.1}, "friction: static is 0.1, less than coulomb, 0.2"),
        ({"coulomb": 0.2, "smoothing": 0.0}, "friction: smoothing is 0; it must be positive"),
        ({"coulomb": 0.2, "stribeck_speed": -1.0}, "friction: stribeck_speed is -1; it must be positive"),
        ({"viscous": float("nan")}, "friction: viscous is nan"),
        ({"coulomb": "much"}, "friction: coulomb must be a number, not 'much'"),
        ({"coulomb": 0.1, "static": 0.2, "smoothing": 2.0}, "static torque would never be reached"),
    ],
)
def test_wrong_data_are_named(data: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        fm.Friction(**data)
