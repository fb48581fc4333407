"""Unstable loops stop with what they have and say why; motions that are only fast, or only grow, go on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import DivergenceWarning, ModelError
from flexmb.examples.two_link_arm import build
from flexmb.feedback.sensors import MotorAngle, MotorRate, Reference, RelativeAngle, RelativeRate
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.system.sampling import GROWTH, LEVELS, _grows

PERIOD = 0.01


def grows(commands: np.ndarray) -> np.ndarray:
    """Whether commands grow exponentially, instant by instant, by the compiled rule."""
    windows = np.zeros((LEVELS, 4))
    return np.array([_grows(windows, k, float(abs(u))) for k, u in enumerate(commands)])


def grows_by_definition(commands: np.ndarray) -> np.ndarray:
    """The same from the words of the rule: windows of 1, 2, 4, … instants that end where whole ones end."""
    size = np.abs(commands)
    found = np.zeros(len(size), dtype=bool)
    n = 1
    while 4 * n <= len(size):
        w = size[: len(size) // n * n].reshape(-1, n).max(axis=1)
        passes = (w[1:] / GROWTH >= w[:-1]) & (w[:-1] > 0.0)
        for k in range(3, len(w)):
            found[(k + 1) * n - 1] |= passes[k - 3 : k].all()
        n *= 2
    return found


@given(st.lists(st.floats(-1e9, 1e9), max_size=40), st.floats(0.3, 9.0))
def test_windows_are_those_of_the_rule(noise, ratio):
    commands = np.array(noise) * ratio ** np.arange(len(noise))
    np.testing.assert_array_equal(grows(commands), grows_by_definition(commands))


@given(st.floats(1.02, 1e3), st.sampled_from([1.0, -1.0]))
def test_exponential_growth_is_seen_at_any_rate(ratio, sign):
    least = int(np.ceil(8 * np.log(GROWTH) / np.log(ratio))) + 8
    assert grows((sign * ratio) ** np.arange(min(least, int(600 / np.log10(ratio) / 2)))).any()


@given(st.floats(0.0, 3.0), st.floats(0.0, 1.0))
def test_powers_of_time_bounded_and_decaying_commands_do_not_count_as_growth(power, start):
    k = np.arange(3000)
    assert not grows((k + start) ** power).any()
    assert not grows(np.sin(0.3 * k) + 2.0).any()
    assert not grows(np.where(k < 100, 1e-6, 1e3)).any()


# -- whole runs -------------------------------------------------------------------------------------------------------


def wheel(gains: list[float], angle: float = 0.01, **options: object) -> fm.PlanarModel:
    """A wheel of inertia 1 on an axle, turned by a torque from its angle and its rate."""
    model = fm.PlanarModel("wheel")
    body = model.add_body("wheel", mass=2.0, inertia=1.0, angle=angle)
    model.revolute(model.ground, body.frame, name="axle")
    motor = model.point_torque(body.frame, 0.0, name="motor")
    sensors = [RelativeAngle(model.ground, body.frame), RelativeRate(model.ground, body.frame)]
    model.add_controller("servo", period=PERIOD, sensors=sensors, commands=motor, law=[gains], **options)
    return model


def held(gains: list[float], instants: int) -> tuple[np.ndarray, np.ndarray]:
    """Rates and commands of the wheel at the instants, exactly."""
    angle, rate = 0.01, 0.0
    rates, commands = [], []
    for _ in range(instants):
        u = gains[0] * angle + gains[1] * rate
        rates.append(rate)
        commands.append(u)
        angle, rate = angle + PERIOD * rate + 0.5 * PERIOD**2 * u, rate + PERIOD * u
    return np.array(rates), np.array(commands)


@pytest.mark.parametrize("gains", [[100.0, 0.0], [2.0, 0.0], [-4.0, -230.0], [-4.0, -500.0]])
@pytest.mark.parametrize("options", [{"step": PERIOD}, {"tolerance": 1e-4}])
def test_an_unstable_loop_stops_where_the_rule_says(gains, options):
    with pytest.warns(DivergenceWarning, match="the loop is unstable"):
        solution = fm.simulate(wheel(gains), 60.0, progress=False, **options)
    rates, commands = held(gains, 5000)
    with np.errstate(over="ignore"):
        fast = 0.5 * rates**2 > 0.5 * 2.0 * (10.0 / PERIOD) ** 2  # mass 2, and the length of a single point is 1
    last = int(np.argmax(grows_by_definition(np.where(np.isfinite(commands), commands, 0.0)) & fast))
    assert last > 0
    assert solution.status == "diverged"
    assert solution.t[-1] == pytest.approx(last * PERIOD, abs=1e-9)
    assert len(solution.control["servo"].t) == last + 1
    assert np.all(np.isfinite(solution.q))


@pytest.mark.parametrize(
    "gains, says",
    [([100.0, 0.0], "look at the sign of its gains"), ([-4.0, -500.0], "the gains are too large for the period")],
)
def test_the_message_names_the_controller_and_what_to_do(gains, says):
    with pytest.warns(DivergenceWarning, match="controller 'servo' grew from"):
        solution = fm.simulate(wheel(gains), 60.0, step=PERIOD, progress=False)
    assert says in solution.message
    assert "a period shorter than 0.01 s" in solution.message
    assert ("of alternating sign" in solution.message) == (gains[0] < 0.0)


def test_the_rule_can_be_switched_off_and_moved():
    model = wheel([100.0, 0.0])
    model.controllers["servo"].runaway = None
    with pytest.warns(DivergenceWarning, match=r"'wheel.angle' turns at .* too fast for a step of 0.01 s"):
        beyond = fm.simulate(model, 3.0, step=PERIOD, progress=False)
    ends = []
    for runaway in (1.0, 10.0):
        model.controllers["servo"].runaway = runaway
        with pytest.warns(DivergenceWarning):
            ends.append(fm.simulate(model, 3.0, step=PERIOD, progress=False).t[-1])
    # a growth by 10 at a rate of 10 / s takes 0.23 s, to within the last window of 16 instants
    assert ends[1] - ends[0] == pytest.approx(0.1 * np.log(10.0), abs=16 * PERIOD)
    assert beyond.t[-1] > ends[1]
    model.controllers["servo"].runaway = -1.0
    with pytest.raises(ModelError, match=r"controller .servo.*runaway"):
        fm.simulate(model, 3.0, step=PERIOD, progress=False)


def test_commands_within_limits_may_swing_for_ever():
    solution = fm.simulate(wheel([-4.0, -500.0], limits=[(-5.0, 5.0)]), 5.0, step=PERIOD, progress=False)
    assert np.max(np.abs(solution.control["servo"].u)) <= 5.0
    assert solution.status == "finished"


def inverted(law: list[list[float]], tilt: float) -> fm.PlanarModel:
    """A bar of one meter upside down on a hinge with a motor."""
    model = fm.PlanarModel("inverted pendulum", gravity=(0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=1.0 / 12.0, position=(0.0, 0.5))
    foot = bar.attach("foot", (0.0, -0.5))
    model.revolute(model.ground, foot)
    push = model.point_torque(bar.frame, 0.0, name="push")
    model.add_controller(
        "balance",
        period=PERIOD,
        sensors=[RelativeAngle(model.ground, bar.frame), RelativeRate(model.ground, bar.frame), Reference(tilt)],
        commands=push,
        law=law,
    )
    return model


def test_a_pendulum_pushed_the_wrong_way_stops_and_one_that_falls_does_not():
    with pytest.warns(DivergenceWarning, match="look at the sign"):
        wrong = fm.simulate(inverted([[40.0, 4.0, -40.0]], 1e-3), 20.0, progress=False)
    assert wrong.status == "diverged"
    assert wrong.t[-1] < 10.0
    # from a push of 1e-12 the fall, and the damping torque with it, grow exponentially by twelve orders of magnitude
    falling = fm.simulate(inverted([[0.0, -0.2, 1e-9]], 1e-3), 15.0, step=PERIOD, progress=False)
    u = falling.control["balance"].u[:, 0]
    assert grows_by_definition(u).any()
    assert np.max(np.abs(u)) > 1e10 * abs(u[0])
    assert falling.status == "finished"


def test_a_flywheel_that_is_sampled_rarely_spins_up_from_rest():
    model = fm.PlanarModel("flywheel")
    body = model.add_body("wheel", mass=2.0, inertia=1.0)
    model.revolute(model.ground, body.frame)
    motor = model.point_torque(body.frame, 0.0, name="motor")
    speed = Polynomial([0.0, 0.0, 0.0, 0.004])
    sensors = [RelativeRate(model.ground, body.frame), Reference(speed), Reference(speed, 1)]
    servo = model.add_controller("servo", period=1.0, sensors=sensors, commands=motor, law=[[-0.5, 0.5, 1.0]])
    solution = fm.simulate(model, 60.0, step=0.5, progress=False)
    assert servo.runaway is not None
    assert 0.5 * solution["wheel.angular_velocity"][-1] ** 2 > 0.5 * 2.0 * servo.runaway**2
    assert solution.status == "finished"


# -- a flexible arm ---------------------------------------------------------------------------------------------------


def arm(factor: float) -> fm.PlanarModel:
    """The two-link arm with rotors that follow their references, gains times a factor."""
    made = build()
    angles = (np.radians(45.0), np.radians(-60.0))
    for motor, angle, (kp, kd) in zip(made.motors, angles, ((0.6, 0.03), (0.2, 0.01)), strict=True):
        way = fm.TrapezoidalSpeed(angle * motor.ratio, 0.5, 0.5, 0.5)
        sensors = [MotorAngle(motor), MotorRate(motor), Reference(way), Reference(way, 1)]
        gains = factor * np.array([[-kp, -kd, kp, kd]])
        made.model.add_controller(f"{motor.name} servo", period=1e-3, sensors=sensors, commands=motor, law=gains)
    return made.model


@pytest.mark.parametrize("factor", [30.0, 1000.0])
def test_the_arm_with_gains_that_are_too_large(factor):
    with pytest.warns(DivergenceWarning, match="motor servo' grew from"):
        solution = fm.simulate(arm(factor), 4.0, step=1e-3, progress=False)
    assert solution.status == "diverged"
    assert 1 < len(solution.t)
    assert solution.t[-1] < 0.1
    assert "the gains are too large for the period" in solution.message
    assert len(solution.control["shoulder motor servo"].t) >= round(solution.t[-1] / 1e-3)


def test_the_arm_with_its_gains_goes_on():
    solution = fm.simulate(arm(1.0), 0.5, step=1e-3, progress=False)
    assert solution.status == "finished"


def robot(damping: float) -> fm.SpatialModel:
    """A flexible link on a driven hub, turning, whose motor is damped by a sampled controller of 1 kHz."""
    m = fm.SpatialModel("robot")
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    hub = m.add_body("hub", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    hinge = m.revolute(m.ground, hub.frame, axis="z", name="shoulder")
    m.add_beam("link", hub.frame, (1.0, 0, 0), material=steel, section=fm.Rectangle(0.01, 0.005))
    m.joint_force(hinge, 0.0, name="motor")
    sensors = [fm.control.JointAngle(hinge), fm.control.JointRate(hinge)]
    m.add_controller("servo", period=1e-3, sensors=sensors, commands="motor", law=[[-1000.0, -damping]])
    hub.frame.move(angular_velocity=(0, 0, 1.0))
    return m


@pytest.mark.parametrize("damping", [5.0, 20.0, 100.0, 1000.0])
@pytest.mark.parametrize("method", ["generalized_alpha", "dop853", "radau"])
def test_an_unstable_loop_is_found_in_few_steps(method, damping):
    """Within some periods, most steps lie between the last two of which: it took up to 340 000 of them."""
    with pytest.warns(DivergenceWarning, match="controller 'servo'"):
        solution = fm.simulate(robot(damping), 0.5, method, progress=False)
    assert solution.statistics.steps < 10_000
    assert solution.t[-1] < 0.01


def test_what_turns_too_fast_to_follow_is_told():
    model = fm.PlanarModel("top")
    body = model.add_body("top", mass=1.0, inertia=1.0)
    body.move(angular_velocity=1e12)
    with pytest.warns(DivergenceWarning, match=r"'top.angle' turns at 1e\+12 rad/s"):
        assert fm.simulate(model, 1.0, progress=False).status == "diverged"


def test_commands_that_grow_by_chance_between_many_steps_are_no_unstable_loop():
    """As noise makes them, on a wheel that is fast: its speed would have to double while they are held."""
    model, sent = wheel([0.0, 0.0]), itertools.count()
    model.set_rigid_motion(angular_velocity=5e3)
    sensors = [RelativeRate(model.ground, model.components["wheel"].frame)]
    law = fm.control.PythonLaw(lambda t, y: [1e-6 * (-20.0) ** (next(sent) % 3)])
    model.controllers.clear()
    model.add_controller("noisy", period=PERIOD, sensors=sensors, commands="motor", law=law)
    run = fm.simulate(model, 12 * PERIOD, "dop853", max_step=PERIOD / 4000, progress=False)
    assert run.status == "finished" and run.statistics.steps > 12 * 3500
