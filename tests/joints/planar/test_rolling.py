"""Circles that roll on lines and circles in the plane."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, ModelError, NamingError

GRAVITY = 9.81
ACCURATE = {"tolerance": 1e-9, "progress": False}
METHODS = ("generalized_alpha", "independent", "baumgarte", "projection", "rkf45", "radau", "dop853", "rosenbrock")


def cylinder(place, angle=0.0, gravity=(0.0, -GRAVITY)):
    m = fm.PlanarModel("m", gravity=gravity)
    return m, m.add_body("roll", mass=2.0, inertia=2.0 * 0.2**2 / 2, position=place, angle=angle)


@pytest.mark.parametrize("method", METHODS)
def test_down_a_slope(method):
    """ẍ = ⅔ g sin β, with friction of a third of the weight along the slope."""
    slope = 0.4
    m, roll = cylinder((0, 0.2), gravity=(GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope)))
    road = m.rolling_on_line(m.ground, roll.frame, 0.2, name="road")
    run = fm.simulate(m, 3.0, method, progress=False)
    np.testing.assert_allclose(run["roll"].x, GRAVITY * np.sin(slope) * run.t**2 / 3, atol=2e-5)
    np.testing.assert_allclose(run["roll.angle"], -run["roll"].x / 0.2, atol=1e-9)  # counted through all turns
    np.testing.assert_allclose(run["road.fy"], 2.0 * GRAVITY * np.cos(slope), rtol=1e-6)
    np.testing.assert_allclose(road.friction_needed(run), np.tan(slope) / 3, rtol=1e-5)
    assert not run.doubts


@pytest.mark.filterwarnings("ignore::flexmb.errors.InitialConditionWarning")
@pytest.mark.warns(fm.errors.AccuracyWarning, "would have to pull")
def test_on_a_line_of_a_body_that_turns():
    """Momentum, angular momentum and energy of two bodies in free flight."""
    m, roll = cylinder((0.3, 0.5), gravity=(0, 0))
    board = m.add_body("board", mass=1.0, inertia=0.3, position=(0.1, 0.2))
    edge = board.frame.attach("edge", (0.0, 0.1), 0.2)
    m.rolling_on_line(edge, roll.frame, float(0.2 * np.cos(0.2) - 0.2 * np.sin(0.2)), axis=0.0)
    board.rigid_motion((0.1, 0.2), 1.5, (0.0, 0.0))
    roll.rigid_motion((0.3, 0.2), -3.0, (0.0, 0.0))
    run = fm.simulate(m, 2.0, "dop853", tolerance=1e-11, progress=False)
    a, b = run["board"], run["roll"]
    momentum = a.velocity + 2.0 * b.velocity
    np.testing.assert_allclose(momentum, momentum[:1] + 0 * momentum, atol=1e-9)
    moment = 0.3 * a.angular_velocity + 0.04 * b.angular_velocity
    for track, mass in ((a, 1.0), (b, 2.0)):
        moment = moment + mass * (track.x * track.vy - track.y * track.vx)
    np.testing.assert_allclose(moment, moment[0], atol=1e-9)
    assert run.energy.error < 1e-9


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize("inside", [False, True])
def test_round_and_round_a_circle(inside):
    """A planet that is driven round its sun 20 times: its own turns follow."""
    between = 0.3 if inside else 0.7
    m, roll = cylinder((between, 0), gravity=(0, 0))
    arm = m.add_body("arm", mass=1.0, inertia=0.1)
    m.revolute(m.ground, arm.frame)
    m.revolute(arm.frame.attach("end", (between, 0)), roll.frame)
    m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0, 0.0, 40.0 * np.pi]))
    m.rolling_on_circle(m.ground, roll.frame, 0.5, 0.2, inside=inside, name="mesh")
    with pytest.warns(fm.errors.RedundancyWarning):
        run = fm.simulate(m, 1.0, "radau", progress=False)
    ratio = -0.3 / 0.2 if inside else 0.7 / 0.2
    np.testing.assert_allclose(run["roll.angle"], ratio * run["arm.angle"], atol=1e-6)
    assert abs(run["arm.angle"][-1] - 40.0 * np.pi) < 1e-6


def test_a_roller_in_a_hollow_is_a_pendulum():
    """(3/2) (R − r) φ̈ = −g sin φ: small motions about the lowest place."""
    m, roll = cylinder((0.0, -0.3))
    m.rolling_on_circle(m.ground, roll.frame, 0.5, 0.2, inside=True)
    rest = fm.equilibrium(m)
    np.testing.assert_allclose(fm.modes(rest).omegas[0], np.sqrt(GRAVITY / (1.5 * 0.3)), rtol=1e-9)


def test_rolling_off_a_circle_pulls_at_last():
    """A cylinder on a cylinder comes off at cos φ = 4/7."""
    m, roll = cylinder((0.7 * np.sin(0.01), 0.7 * np.cos(0.01)))
    m.rolling_on_circle(m.ground, roll.frame, 0.5, 0.2, name="hill")
    with pytest.warns(
        AccuracyWarning, match=r"'hill': its surfaces would have to pull, by up to .* N, to stay in touch"
    ):
        run = fm.simulate(m, 2.2, "radau", times=np.linspace(0, 2.2, 2201), **ACCURATE)
    push = -run.multipliers_of("hill")[:, 0]
    k = int(np.flatnonzero(push < 0)[0])
    part = push[k - 1] / (push[k - 1] - push[k])
    height = run["roll"].y[k - 1 : k + 1] @ [1 - part, part] / 0.7
    assert abs(height - 4 / 7 * np.cos(0.01)) < 1e-6


def test_a_line_above_pulls_in_an_equilibrium():
    m, roll = cylinder((0, -0.2))
    m.rolling_on_line(m.ground, roll.frame, 0.2, axis=np.pi, name="ceiling")
    m.bushing(m.ground, roll.frame, stiffness=(100.0, 0.0, 0.0))
    with pytest.warns(AccuracyWarning, match=r"would have to pull, by up to 19.6 N"):
        fm.equilibrium(m)


def test_forces_have_the_names_of_those_of_contacts(tmp_path):
    """Down a slope: N = m g cos β, and friction m g sin β/3 of a cylinder."""
    m, roll = cylinder((0, 0.2), gravity=(GRAVITY * np.sin(0.2), -GRAVITY * np.cos(0.2)))
    road = m.rolling_on_line(m.ground, roll.frame, 0.2, name="road")
    run = fm.simulate(m, 0.5, "radau", **ACCURATE)
    weight = roll.mass * GRAVITY
    for solution in (run, fm.load(run.save(tmp_path / "run.h5"))):
        np.testing.assert_allclose(solution["road.normal_force"], weight * np.cos(0.2), rtol=1e-9)
        np.testing.assert_allclose(solution["road.friction_force"], weight * np.sin(0.2) / 3, rtol=1e-9)
    np.testing.assert_allclose(road.friction_needed(run), np.tan(0.2) / 3, rtol=1e-9)
    assert run.series("road.normal_force").unit == "N"
    with pytest.raises(NamingError, match=r"road\.normal_force"):
        run["road.normal"]


def test_bad_input():
    m, roll = cylinder((0, 0.3))
    for verb, given, text in (
        ("rolling_on_line", (0.2,), "the circle of frame 'roll' ends 0.1 m above the line of frame 'ground'"),
        ("rolling_on_line", (-0.2,), "radius is -0.2"),
        ("rolling_on_circle", (0.2, 0.2), "reaches 0.1 m below the circle"),
        ("rolling_on_circle", (0.0, 0.2), "radius_a is 0"),
    ):
        with pytest.raises(ModelError, match=text):
            getattr(m, verb)(m.ground, roll.frame, *given)
    with pytest.raises(ModelError, match="to the right of the line"):
        m.rolling_on_line(m.ground, roll.frame, 0.3, axis=np.pi)
    with pytest.raises(ModelError, match="exchange the frames"):
        m.rolling_on_circle(m.ground, roll.frame, 0.2, 0.5, inside=True)
