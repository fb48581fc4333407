"""States of first order of a user's own, against exact solutions of linear loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, KernelError, ModelError
from flexmb.testing import conformance
from tests.models.states import PLANAR_SENSORS, arm, cart, cart_after, in_plane, of_functions, wheel, wheel_after

METHODS = [
    ("generalized_alpha", {"step": 1e-3}, 1e-5),
    ("radau", {"tolerance": 1e-9}, 1e-8),
    ("dop853", {"tolerance": 1e-10}, 1e-9),
    ("rkf45", {"tolerance": 1e-10}, 1e-8),
    ("rosenbrock", {"tolerance": 1e-8}, 1e-7),
    ("independent", {"tolerance": 1e-9}, 2e-8),
    ("independent", {"integrator": "radau", "tolerance": 1e-9}, 1e-8),
    ("baumgarte", {"tolerance": 1e-10}, 1e-8),
    ("projection", {"tolerance": 1e-10}, 1e-8),
    ("dop853", {"tolerance": 1e-10, "formulation": "aba"}, 1e-9),
    ("dop853", {"tolerance": 1e-10, "formulation": "dca"}, 1e-9),
]


@pytest.mark.parametrize("method, options, error", METHODS)
def test_a_filter_in_the_loop_follows_the_exact_solution(method: str, options: Any, error: float) -> None:
    m, _, A = cart()
    run = fm.simulate(m, 3.0, method, progress=False, **options)
    found = [run[name][-1] for name in ("cart.x", "cart.vx", "filter.x1", "filter.x2")]
    np.testing.assert_allclose(found, cart_after(A, 3.0), atol=error)


@pytest.mark.parametrize("kind", PLANAR_SENSORS)
def test_states_of_the_plane_conform(kind: str) -> None:
    conformance(in_plane(kind))


def test_generalized_alpha_is_of_second_order() -> None:
    m, _, A = cart()
    runs = [fm.simulate(m, 1.0, step=step, progress=False, second_run=False) for step in (4e-3, 2e-3)]
    errors = [abs(run["filter.x2"][-1] - cart_after(A, 1.0)[3]) for run in runs]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_what_follows_a_reading_at_once_acts_at_once() -> None:
    m, states, A = cart(commands_at_once=True)
    run = fm.simulate(m, 2.0, tolerance=1e-9, method="radau", progress=False)
    found = [run[name][-1] for name in ("cart.x", "cart.vx", "filter.x1", "filter.x2")]
    np.testing.assert_allclose(found, cart_after(A, 2.0), atol=1e-8)
    assert states.strength is None
    x = np.stack([run["filter.x1"], run["filter.x2"]])
    law = states.law
    np.testing.assert_allclose(states.decided(run)[:, 0], law.C[0] @ x + law.D[0, 0] * run["cart.x"], atol=1e-12)
    np.testing.assert_allclose(states.readings(run)[:, 0], run["cart.x"], atol=1e-12)


@pytest.mark.parametrize("method, options", [("radau", {}), ("dop853", {}), ("generalized_alpha", {})])
def test_an_input_that_jumps_is_a_jump_of_a_rate(method: str, options: Any) -> None:
    m, _, A, b = wheel(feed=fm.Step(0.7, 0.0, 1.0))
    run = fm.simulate(m, 2.0, method, tolerance=1e-7, progress=False, **options)
    found = [run[name][-1] for name in ("wheel.angle", "wheel.angular_velocity", "lag.x1")]
    np.testing.assert_allclose(found, wheel_after(A, b, 1.3), atol=1e-6)


def test_a_sampled_controller_commands_an_input() -> None:
    m, states, A, b = wheel()
    read = [fm.control.RelativeAngle(m.ground, m.components["wheel"].frame), fm.control.StateValue(states)]
    m.add_controller("servo", period=0.1, sensors=[*read, fm.control.Reference(1.0)], commands=states,
                     law=[[0.3, 0.1, -0.3]])  # fmt: skip
    run = fm.simulate(m, 2.0, "radau", tolerance=1e-9, progress=False)
    z = np.zeros(3)
    for _ in range(20):
        z = wheel_after(A, (0.3 * z[0] - 0.3 + 0.1 * z[2]) * b, 0.1, z)
    found = [run[name][-1] for name in ("wheel.angle", "wheel.angular_velocity", "lag.x1")]
    np.testing.assert_allclose(found, z, atol=1e-9)
    closed = fm.linearize(m, "motor", "wheel.angle", controllers="closed")
    assert "lag.x1" in closed.states and closed.stable


def test_a_linear_model_has_the_states_and_no_more() -> None:
    m, _, A = cart()
    linear = fm.linearize(m, "push", ["cart.x", "filter.x1"])
    assert linear.states == ["cart.x", "cart.x rate", "filter.x1", "filter.x2"]
    np.testing.assert_allclose(linear.A, A, atol=1e-9)
    np.testing.assert_allclose(linear.C, [[1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-12)
    m, _, A, b = wheel()
    linear = fm.linearize(m, "lag", "wheel.angle", coordinates=["wheel.angle"])
    np.testing.assert_allclose(linear.A, A, atol=1e-12)
    np.testing.assert_allclose(linear.B[:, 0], b, atol=1e-12)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_sensitivities_go_through_the_states(method: str) -> None:
    def build(gain: float, delay: float) -> fm.PlanarModel:
        return wheel(gain, delay, feed=1.0)[0]

    def after(gain: float, delay: float) -> np.ndarray:
        return wheel_after(*wheel(gain, delay)[2:], 1.5)[[0, 2]]

    found = fm.sensitivity(
        build, {"gain": -2.0, "delay": 0.5}, 1.5, final=["wheel.angle", "lag.x1"], step=1e-3, derivatives=method
    )
    h = 1e-5
    for name, (up, down) in {
        "gain": (after(-2.0 + h, 0.5), after(-2.0 - h, 0.5)),
        "delay": (after(-2.0, 0.5 + h), after(-2.0, 0.5 - h)),
    }.items():
        got = [found["wheel.angle", name], found["lag.x1", name]]
        np.testing.assert_allclose(got, (up - down) / (2.0 * h), atol=1e-6)


def swinging(tau: float, gain: float, start: float, stiffness: float, bias: float) -> fm.PlanarModel:
    """A pendulum with nonlinear states that push it, a lag behind them, and a sampled controller that reads one."""
    m = fm.PlanarModel("swing", gravity=(0, -9.81))
    rod = m.add_body("rod", mass=1.5, inertia=0.3, position=(0.7, 0))
    m.revolute(m.ground, rod.attach("top", (-0.7, 0)), name="hinge")
    m.torsion_spring(m.ground, rod.frame, stiffness=stiffness)
    torque, push = m.point_torque(rod.frame, 0.0), m.point_torque(rod.frame, fm.Harmonic(0.3, 3.0), name="push")
    angle = fm.control.RelativeAngle(m.ground, rod.frame, bias=bias)

    def rates(t, y, x):
        return (-x[0] + np.sin(y[0]) * y[1]) / tau, x[0] * x[1] - 0.5 * x[1] + 0.3 * np.cos(t)

    def decide(t, y, x):
        return (-gain * x[0] * x[1] - 0.1 * y[1] ** 3,)

    read = [angle, fm.control.RelativeRate(m.ground, rod.frame)]
    own = m.add_states("own", rates, sensors=read, commands=torque, decide=decide, start=(start, 0.4))
    lag = fm.control.transfer_function([1.0], [tau, 1.0])
    m.add_states("lag", lag, sensors=fm.control.StateValue(own), commands=push)
    sensors = [fm.control.StateValue(own), angle]
    m.add_controller("servo", period=0.05, sensors=sensors, commands=push, law=[[-0.5, -0.7]])
    return m


def test_sensitivities_are_differences_of_runs() -> None:
    values = {"tau": 0.3, "gain": 2.0, "start": 0.2, "stiffness": 4.0, "bias": 0.05}
    outputs = ["rod.angle", "own.x1", "own.x2", "lag.x1"]

    def ends(**changed: float) -> np.ndarray:
        run = fm.simulate(
            swinging(**{**values, **changed}), 0.5, step=5e-3, newton_tolerance=1e-13, progress=False, second_run=False
        )
        return np.array([run[name][-1] for name in outputs])

    found = {
        method: fm.sensitivity(swinging, values, 0.5, final=outputs, step=5e-3, derivatives=method).matrix
        for method in ("direct", "adjoint")
    }
    np.testing.assert_allclose(found["direct"], found["adjoint"], atol=1e-9)
    for k, (name, value) in enumerate(values.items()):
        h = 1e-3 * value
        wide, near = (ends(**{name: value + w * h}) - ends(**{name: value - w * h}) for w in (2.0, 1.0))
        np.testing.assert_allclose(found["direct"][:, k], (8.0 * near - wide) / (12.0 * h), atol=1e-6)


def test_a_saved_run_goes_on(tmp_path: Path) -> None:
    m, states, _, _ = wheel(feed=1.0)
    given = {"method": "radau", "tolerance": 1e-8, "progress": False}
    fm.simulate(m, 1.0, **given).save(tmp_path / "half.h5")
    half = fm.load(tmp_path / "half.h5")
    on, whole = fm.simulate(m, 2.0, initial=half, t_start=1.0, **given), fm.simulate(m, 2.0, **given)
    assert on["lag.x1"][-1] == pytest.approx(whole["lag.x1"][-1], abs=1e-9)
    assert on["wheel.angle"][-1] == pytest.approx(whole["wheel.angle"][-1], abs=1e-9)
    assert states.decided(half).shape == (len(half.t), 1)
    assert "lag.x1" in half.layout.states


def test_events_read_states_and_switch_what_they_command() -> None:
    m, _, A, b = wheel(feed=1.0)
    m.add_event(fm.crossing("lag.x1", 0.2, "up"), fm.Note(), name="there")
    m.add_event(1.5, fm.Switch(off=["motor"]), name="off")
    run = fm.simulate(m, 3.0, "radau", tolerance=1e-9, progress=False)
    there, off = run.events
    assert wheel_after(A, b, there.t)[2] == pytest.approx(0.2, abs=1e-8)
    assert run["wheel.angular_velocity"][-1] == pytest.approx(wheel_after(A, b, off.t)[1], abs=1e-8)
    assert run.energy.error < 1e-6


@pytest.mark.parametrize(
    "method, options",
    [("dop853", {"formulation": "aba"}), ("dop853", {"formulation": "ada"}), ("radau", {"formulation": "lagrange"})],
)
def test_joint_coordinates_give_the_run_of_absolute_ones(method: str, options: Any) -> None:
    m = arm()
    names = ("h1.angle", "h2.angle", "wheel.rotor", "ctl.x1", "ctl.x2")
    runs = [fm.simulate(m, 0.5, method, tolerance=1e-9, progress=False, **more) for more in ({}, options)]
    found, wanted = ([run[name][-1] for name in names] for run in reversed(runs))
    np.testing.assert_allclose(found, wanted, atol=1e-7)
    assert abs(wanted[4]) > 1e-3
    assert all(run.energy.error < 1e-4 for run in runs)


def test_states_read_states_and_command_their_inputs() -> None:
    m = fm.PlanarModel("room")
    m.add_body("stone", mass=1.0, inertia=1.0)
    lag = fm.control.transfer_function([1.0], [0.5, 1.0])
    second = m.add_states("second", lag)
    m.add_states("first", lag, commands=second, feed=1.0)
    third = m.add_states("third", lag, sensors=fm.control.StateValue(second))
    run = fm.simulate(m, 1.0, "radau", tolerance=1e-9, progress=False)
    t, T = run.t, 0.5
    wanted = 1.0 - np.exp(-t / T) * (1.0 + t / T)  # two lags one behind the other
    gain = lag.C[0, 0]
    np.testing.assert_allclose(gain * run["second.x1"], wanted, atol=1e-7)
    np.testing.assert_allclose(third.readings(run)[:, 0], run["second.x1"], atol=1e-14)


def test_compiled_functions_give_the_run_of_plain_ones() -> None:
    def rates(t: float, y: Any, x: Any) -> Any:
        return (t - x[0] ** 3 - y[0],)

    runs = [
        fm.simulate(of_functions(rates, compiled=compiled), 1.0, "radau", tolerance=1e-8, progress=False)
        for compiled in (False, True)
    ]
    assert runs[0]["lag.x1"][-1] == pytest.approx(runs[1]["lag.x1"][-1], abs=1e-12)


def test_functions_without_commands_have_their_own_tangent() -> None:
    m = fm.PlanarModel("chain of lags")
    wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, wheel.frame)
    wheel.move(angular_velocity=1.0)
    lags = m.add_states(
        "lags", lambda t, y, x: np.array([y[0], *x[:-1]]) - x, sensors=fm.control.RelativeRate(m.ground, wheel.frame),
        start=[0.0] * 4,
    )  # fmt: skip
    conformance(m)
    linear = fm.linearize(m, "wheel.moment", "lags.x4")
    rows = [linear.states.index(f"lags.x{k}") for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(linear.A[np.ix_(rows, rows)], np.eye(4, k=-1) - np.eye(4), atol=1e-9)
    np.testing.assert_allclose(linear.A[rows, linear.states.index("wheel.angle rate")], [1, 0, 0, 0], atol=1e-9)
    run = fm.simulate(m, 2.0, "radau", tolerance=1e-9, progress=False)
    # four lags of one second behind a step: 1 − e⁻ᵗ (1 + t + t²/2 + t³/6)
    assert run["lags.x4"][-1] == pytest.approx(1.0 - np.exp(-2.0) * (1.0 + 2.0 + 2.0 + 8.0 / 6.0), abs=1e-7)
    assert lags.decided(run).shape == (len(run.t), 0)


def test_errors_are_measured_by_the_sizes_of_states() -> None:
    steps = []
    for size in (1.0, 1e5, 1e-6):
        m = of_functions(lambda t, y, x, size=size: 10.0 * (size * np.sin(3.0 * t) - x), sizes=size, start=(0.0,))
        m.components["lag"].commands = []
        run = fm.simulate(m, 3.0, "radau", progress=False)
        t, w = run.t, 0.3
        exact = (np.sin(3.0 * t) - w * np.cos(3.0 * t) + w * np.exp(-10.0 * t)) / (1.0 + w * w)
        np.testing.assert_allclose(run["lag.x1"], size * exact, atol=1e-6 * size)
        steps.append(run.statistics.steps)
    assert np.ptp(steps) <= 4
    small = of_functions(lambda t, y, x: 10.0 * (1e-6 * np.sin(3.0 * t) - x), start=(0.0,))
    small.components["lag"].commands = []
    with pytest.warns(AccuracyWarning, match=r"state lag\.x1 is 9\.\de-07 at most, and the run's errors are"):
        fm.simulate(small, 3.0, "radau", progress=False)
    hot = of_functions(lambda t, y, x: -x, start=(300.0,))
    system = fm.System(hot)
    assert system.scale[system.names.index("lag.x1 integral")] == 300.0
    with pytest.raises(ModelError, match="2 sizes are given; it has 1 states"):
        of_functions(lambda t, y, x: -x, sizes=(1.0, 2.0))


@pytest.mark.parametrize(
    "law, more, message",
    [
        (lambda t, y, x: (1, 2), {}, "its law gave (1, 2); give one number"),
        (lambda t, y, x: None, {}, "its law gave None; give one number"),
        (lambda t, y, x: (-x[0], 1.0), {"compiled": True}, "its law gave"),
        (lambda t, y, x: 1 / 0, {}, "its function raised ZeroDivisionError"),
        (
            lambda t, y, x: -x,
            {"decide": lambda t, y, x: (1, 2, 3)},
            "its function decide gave (1, 2, 3); give one number",
        ),
        (3, {}, "its law 3 is neither a linear model in continuous time nor a function"),
        (lambda t, y, x: -x, {"start": None}, "give start=…"),
        (lambda t, y, x: -x, {"start": (1, 2)}, "it has 2 states and 1 commands; give decide=…"),
        (lambda t, y, x: -x, {"names": ["a", "b"]}, "2 names are given; it has 1 states"),
        (lambda t, y, x: -x, {"names": ["a.b"]}, "give a text without a point"),
        (lambda t, y, x: -x, {"feed": 1.0}, "give it as a sensor"),
    ],
)
def test_bad_laws_are_refused_by_name(law: Any, more: Any, message: str) -> None:
    with pytest.raises((ModelError, KernelError)) as error:
        fm.simulate(of_functions(law, **more), 1.0, progress=False)
    assert message in str(error.value) and "states 'lag'" in str(error.value)


def test_a_rate_that_is_no_number_ends_the_run_by_name() -> None:
    m = of_functions(lambda t, y, x: x * (np.nan if t > 0.5 else -1.0))
    with pytest.warns(fm.errors.DivergenceWarning, match="states 'lag': its residual gives nan"):
        run = fm.simulate(m, 1.0, progress=False)
    assert run.status == "diverged" and 0.4 < run.t[-1] < 0.51


def test_sensors_that_cannot_be_read_at_every_instant_are_refused() -> None:
    m = fm.SpatialModel("m")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1))
    hinge = m.revolute(m.ground, a.frame, axis="z", name="hinge")
    law = fm.control.transfer_function([1.0], [0.5, 1.0])
    for k, sensor in enumerate((
        fm.control.Accelerometer(a.frame), fm.control.LoadCell(hinge), fm.control.WholeSensor(m, "force.z"),
        fm.control.JointAngle(hinge), fm.control.AttitudeAngle(a.frame, "ZYX", 1),
    )):  # fmt: skip
        states = m.add_states(f"states {k}", law, sensors=sensor)
        why = "out of the same equations as the rates" if k < 3 else "states of first order read at every instant"
        with pytest.raises(ModelError, match=why):
            fm.System(m)
        del m.components[states.name]
    with pytest.raises(ModelError, match="noise or a resolution"):
        m.add_states("noisy", law, sensors=fm.control.Gyro(a.frame, noise=0.1))
    with pytest.raises(ModelError, match="linear model in discrete time"):
        m.add_states("sampled", law.discrete(0.1), sensors=fm.control.Gyro(a.frame))


def test_analyses_without_a_place_for_states_refuse_them() -> None:
    m, states, _, _ = wheel()
    for analysis in (
        fm.equilibrium, fm.complex_modes, fm.equilibrium_path, lambda m: fm.modes(m, 1),
        lambda m: fm.kinematics(m, 1.0), lambda m: fm.quasi_static(m, 1.0), lambda m: fm.equilibrium(m, spin=1.0),
        lambda m: fm.frequency_response(m, "motor", "wheel.angle", [1.0]),
        lambda m: fm.linearize(m, "motor", "wheel.angle", modes=1),
    ):  # fmt: skip
        with pytest.raises(ModelError, match="states 'lag' follow equations of first order"):
            analysis(m)
    with pytest.raises(ModelError, match="cannot be switched off"):
        m.switch_off(states)
        fm.System(m)
