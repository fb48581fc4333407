"""Sampled controllers: exact holds, delays, sensors, noise, failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ControlError, DivergenceWarning, KernelError, ModelError, NamingError
from flexmb.feedback.frame_sensors import Accelerometer, Speedometer
from flexmb.feedback.laws import LinearLaw
from flexmb.feedback.sensors import MotorAngle, MotorRate, Reference, RelativeAngle, RelativeRate
from flexmb.feedback.strain_gauge import StrainGauge
from tests.models.pendulums import flexible_pendulum

PERIOD = 0.01
GAINS = np.array([[-4.0, -2.0, 4.0]])


def wheel(law: object = GAINS, **options: object) -> fm.PlanarModel:
    """A wheel of inertia 1 that a controlled torque turns to one radian."""
    model = fm.PlanarModel("wheel")
    body = model.add_body("wheel", mass=2.0, inertia=1.0)
    model.revolute(model.ground, body.frame, name="axle")
    model.point_torque(body.frame, 0.0, name="motor")
    sensors = [RelativeAngle(model.ground, body.frame), RelativeRate(model.ground, body.frame), Reference(1.0)]
    model.add_controller("servo", period=PERIOD, sensors=sensors, commands="motor", law=law, **options)
    return model


def held(steps: int, h: float = PERIOD, late: int = 0, limit: float = np.inf) -> np.ndarray:
    """The wheel between samples, exactly: angle and rate (steps + 1, 2); commands come `late` samples later."""
    x = np.zeros(2)
    found, waiting = [x], [0.0] * late
    for _ in range(steps):
        waiting.append(float(np.clip(GAINS[0] @ [*x, 1.0], -limit, limit)))
        u = waiting.pop(0)
        x = np.array([x[0] + h * x[1] + 0.5 * h * h * u, x[1] + h * u])
        found.append(x)
    return np.array(found)


@pytest.mark.parametrize("options", [{"step": PERIOD}, {"step": 0.0031}, {"tolerance": 1e-6}])
def test_commands_are_held_exactly_whatever_the_steps(options):
    solution = fm.simulate(wheel(), 2.0, progress=False, **options)
    exact = held(200)
    log = solution.control["servo"]
    np.testing.assert_allclose(log.t, np.arange(len(log.t)) * PERIOD, atol=1e-12)
    np.testing.assert_allclose(log.y[:, :2], exact[: len(log.t)], atol=1e-12)
    assert solution["wheel"].angle[-1] == pytest.approx(exact[-1, 0], abs=1e-12)


def test_delay_of_two_samples_and_limits():
    solution = fm.simulate(wheel(delay=2 * PERIOD, limits=[[-1.0, 2.0]]), 1.0, progress=False, step=PERIOD)
    x, waiting = np.zeros(2), [0.0, 0.0]
    for _ in range(100):
        waiting.append(float(np.clip(GAINS[0] @ [*x, 1.0], -1.0, 2.0)))
        u = waiting.pop(0)
        x = np.array([x[0] + PERIOD * x[1] + 0.5 * PERIOD**2 * u, x[1] + PERIOD * u])
    assert solution["wheel"].angle[-1] == pytest.approx(x[0], abs=1e-12)
    assert np.max(solution.control["servo"].u) == 2.0


def test_a_delay_between_two_instants():
    """Half a period late: each command acts from the middle of one period to the middle of the next."""
    solution = fm.simulate(wheel(delay=0.5 * PERIOD), 0.5, progress=False, step=PERIOD)
    x, u, h = np.zeros(2), 0.0, 0.5 * PERIOD
    for _ in range(50):
        command = float(GAINS[0] @ [*x, 1.0])
        for value in (u, command):
            x = np.array([x[0] + h * x[1] + 0.5 * h * h * value, x[1] + h * value])
        u = command
    assert solution["wheel"].angle[-1] == pytest.approx(x[0], abs=1e-12)


def test_a_law_in_python_is_the_gain():
    gain = fm.simulate(wheel(), 1.0, progress=False, step=PERIOD)
    python = fm.simulate(wheel(lambda t, y: GAINS @ y), 1.0, progress=False, step=PERIOD)
    np.testing.assert_allclose(python["wheel"].angle, gain["wheel"].angle, atol=1e-13)


def test_a_law_with_memory():
    """u[k] = Σ y[j] over the past: a discrete integrator, against the same in Python."""
    linear = wheel(LinearLaw(A=[[1.0]], B=[[-0.1, 0.0, 0.1]], C=[[1.0]], D=[[-4.0, -2.0, 4.0]]))
    memory = [0.0]

    def law(t: float, y: np.ndarray) -> list[float]:
        u = memory[0] + float(GAINS[0] @ y)
        memory[0] += 0.1 * (y[2] - y[0])
        return [u]

    a = fm.simulate(linear, 1.0, progress=False, step=PERIOD)["wheel"].angle
    np.testing.assert_allclose(fm.simulate(wheel(law), 1.0, progress=False, step=PERIOD)["wheel"].angle, a, atol=1e-13)
    # memory starts at zero in every run
    np.testing.assert_array_equal(fm.simulate(linear, 1.0, progress=False, step=PERIOD)["wheel"].angle, a)


def test_two_controllers_with_periods_of_their_own():
    model = wheel()
    body = model.frames["wheel"]
    model.point_torque(body, 0.0, name="brake")
    model.add_controller(
        "brake", period=0.037, sensors=[RelativeRate(model.ground, body)], commands="brake", law=[[-0.5]]
    )
    solution = fm.simulate(model, 1.0, progress=False, step=PERIOD)
    brake = solution.control["brake"]
    np.testing.assert_allclose(np.diff(brake.t), 0.037, atol=1e-12)
    rate = solution.at(brake.t)["wheel"].angular_velocity
    np.testing.assert_allclose(brake.u[:, 0], -0.5 * rate, atol=2e-4)


def test_the_ledger_knows_what_was_held():
    solution = fm.simulate(wheel(), 2.0, progress=False, step=1e-3)
    exact = held(200)
    torque = exact[:-1] @ GAINS[0, :2] + GAINS[0, 2]
    work = np.sum(torque * np.diff(exact[:, 0]))
    assert solution.energy.input[-1] == pytest.approx(work, rel=2e-3)
    assert solution.energy.error < 1e-3


# -- sensors ----------------------------------------------------------------------------------------------------------


def sensed(**options: object) -> tuple[fm.PlanarModel, fm.Solution]:
    model = flexible_pendulum("cms", modes=2)
    model.components["rod"].properties = fm.planar.BeamProperties(EA=2000.0, EI=1.5, rhoA=0.4, outer_fiber=0.01)
    rod = model.components["rod"]
    tip = rod.end.attach("probe", (0.1, 0.05), 0.3)
    model.point_torque(rod.start, 0.0, name="torque")
    sensors = [
        Accelerometer(tip, 0.5, **options),
        Accelerometer(tip, 0.5, with_gravity=True),
        Speedometer(tip, np.pi / 2),
        StrainGauge(rod.at(0.3)),
        StrainGauge(rod.at(0.3), height=-0.02),
        RelativeAngle(model.ground, tip),
    ]
    model.add_controller("log", period=0.01, sensors=sensors, commands="torque", law=np.zeros((1, 6)))
    return model, fm.simulate(model, 0.5, step=1e-3, progress=False)


@pytest.mark.warns(fm.errors.AccuracyWarning, "is that of the mean axial force of an element")
def test_sensors_say_what_the_solution_says():
    _, solution = sensed()
    y = solution.control["log"].y
    seen = solution.at(solution.control["log"].t)
    track = seen["probe"]
    turn = track.angle + 0.5
    along = np.column_stack([np.cos(turn), np.sin(turn)])
    np.testing.assert_allclose(y[:, 0], np.sum(track.acceleration * along, axis=1), atol=1e-9)
    np.testing.assert_allclose(y[:, 1], np.sum((track.acceleration + [0.0, 9.81]) * along, axis=1), atol=1e-9)
    across = np.column_stack([-np.sin(track.angle), np.cos(track.angle)])
    np.testing.assert_allclose(y[:, 2], np.sum(track.velocity * across, axis=1), atol=1e-9)
    strain, curvature = seen["rod@0.3.strain"], seen["rod@0.3.curvature"]
    np.testing.assert_allclose(y[:, 3], strain - 0.01 * curvature, atol=1e-12)
    np.testing.assert_allclose(y[:, 4], strain + 0.02 * curvature, atol=1e-12)
    np.testing.assert_allclose(y[:, 5], track.angle, atol=1e-12)


def test_motor_sensors_see_the_rotor():
    model = fm.PlanarModel("drive")
    arm = model.add_body("arm", mass=1.0, inertia=2.0)
    model.revolute(model.ground, arm.frame)
    motor = model.motor(model.ground, arm.frame, inertia=1e-3, ratio=50.0, name="motor")
    law = LinearLaw(D=[[0.0, -1e-3]])
    model.add_controller("servo", period=0.01, sensors=[MotorAngle(motor), MotorRate(motor)], commands=motor, law=law)
    arm.move(angular_velocity=0.2)
    solution = fm.simulate(model, 0.2, step=1e-3, progress=False)
    log = solution.control["servo"]
    seen = solution.at(log.t)
    np.testing.assert_allclose(log.y[:, 0], 50.0 * seen["arm"].angle, atol=1e-8)
    np.testing.assert_allclose(log.y[:, 1], 50.0 * seen["arm"].angular_velocity, atol=1e-7)
    assert log.u[0, 0] == pytest.approx(-1e-3 * 50.0 * 0.2)


def test_noise_is_normal_and_the_same_in_every_run():
    _, first = sensed(noise=0.2)
    _, second = sensed(noise=0.2)
    _, without = sensed()
    a, b, c = (s.control["log"].y[:, 0] for s in (first, second, without))
    np.testing.assert_array_equal(a, b)
    noise = a - c
    assert abs(np.mean(noise)) < 0.1
    assert 0.12 < np.std(noise) < 0.28


def test_resolution_rounds():
    _, solution = sensed(resolution=0.25)
    y = solution.control["log"].y[:, 0]
    np.testing.assert_allclose(y / 0.25, np.round(y / 0.25), atol=1e-12)


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_nan_ends_the_run_with_what_there_is():
    model = wheel(lambda t, y: [np.nan if t > 0.5 else 1.0])
    with pytest.warns(DivergenceWarning, match="controller 'servo' commands NaN"):
        solution = fm.simulate(model, 1.0, progress=False, step=PERIOD)
    assert 0.5 <= solution.t[-1] < 0.53


def test_an_exception_and_a_wrong_size_are_reported():
    with pytest.raises(KernelError, match="controller 'servo': its law gave 2 commands; there are 1"):
        fm.simulate(wheel(lambda t, y: [1.0, 2.0]), 1.0, progress=False)
    with pytest.raises(KernelError, match="ZeroDivisionError"):
        fm.simulate(wheel(lambda t, y: [1 / 0]), 1.0, progress=False)


class OwnError(ControlError):
    """An error of a user's own, with more than a text."""

    def __init__(self, why: str, code: int) -> None:
        super().__init__(why)
        self.code = code


def fails(error: Exception) -> Any:
    def law(t, *y):
        raise error

    return law


def test_errors_of_flexmb_in_a_law_keep_their_type():
    for build in (wheel, with_states):
        with pytest.raises(ControlError, match=r"(controller 'servo'|states 'lag'): no path"):
            fm.simulate(build(fails(ControlError("no path"))), 1.0, progress=False)
        with pytest.raises(OwnError, match="no path") as caught:
            fm.simulate(build(fails(OwnError("no path", 7))), 1.0, progress=False)
        assert caught.value.code == 7 and "raised by the" in caught.value.__notes__[0]


def with_states(law: Any) -> fm.PlanarModel:
    model = wheel()
    model.add_states("lag", law, start=0.0)
    return model


def test_wrong_input():
    with pytest.raises(ModelError, match="2 inputs and 1 outputs; there are 3 sensors"):
        wheel([[1.0, 2.0]])
    model = wheel()
    body = model.frames["wheel"]
    with pytest.raises(NamingError, match="did you mean 'motor'"):
        model.add_controller("other", period=0.1, sensors=[], commands="motr", law=[[]])
    with pytest.raises(ModelError, match="commanded by controller 'servo'"):
        model.add_controller("other", period=0.1, sensors=[Reference(0.0)], commands="motor", law=[[1.0]])
    with pytest.raises(NamingError, match="already"):
        model.add_controller("servo", period=0.1, sensors=[Reference(0.0)], commands="motor", law=[[1.0]])
    with pytest.raises(ModelError, match="period"):
        model.add_controller("new", period=0.0, sensors=[Reference(0.0)], commands="motor", law=[[1.0]])
    with pytest.raises(ModelError, match="is no sensor"):
        model.add_controller("new", period=0.1, sensors=[body], commands="motor", law=[[1.0]])


def test_logs_are_filed(tmp_path):
    solution = fm.simulate(wheel(delay=0.005), 0.2, progress=False, step=PERIOD)
    again = fm.load(solution.save(tmp_path / "wheel.h5"))
    for what in ("t", "y", "u"):
        np.testing.assert_array_equal(getattr(again.control["servo"], what), getattr(solution.control["servo"], what))
    assert again.control["servo"].sensors == solution.control["servo"].sensors
    assert again.energy.input[-1] == solution.energy.input[-1]


def test_accelerations_behind_commands_are_those_of_the_equations():
    """The mass matrix of an earlier position corrects them, as often as it takes."""
    model = fm.PlanarModel("arm", gravity=(0.0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    model.revolute(model.ground, bar.attach("pivot", (-0.5, 0.0)), name="hinge")
    push = model.point_torque(bar.frame, 0.0, name="push")
    angle = fm.control.RelativeAngle(model.ground, bar.frame)
    model.add_controller("servo", period=0.05, sensors=angle, commands=push, law=lambda t, y: [5.0 * np.sin(40.0 * t)])
    usual, exact = (fm.simulate(model, 0.6, step=0.01, progress=False, **x) for x in ({}, {"newton_tolerance": 1e-13}))
    np.testing.assert_allclose(usual["bar.angle"], exact["bar.angle"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(usual["hinge.fy"], exact["hinge.fy"], rtol=0, atol=1e-5)
