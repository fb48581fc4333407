"""Spheres and rollers on and in round bodies, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import ModelError

GRAVITY, OUTER, INNER, MASS = 9.81, 0.6, 0.1, 0.7
ACCURATE = {"tolerance": 1e-9, "progress": False}


def sphere(position, velocity=(0, 0, 0), omega=(0, 0, 0), part=0.4):
    """A round body of inertia `part` m r²."""
    m = fm.SpatialModel("round", gravity=(0, 0, -GRAVITY))
    ball = m.add_body("ball", mass=MASS, inertia=[part * MASS * INNER**2] * 3, position=position)
    ball.frame.move(velocity, omega)
    return m, ball.frame


def pendulum(angle, length, t):
    """The angle of a mathematical pendulum from rest."""
    return solve_ivp(
        lambda t, y: [y[1], -GRAVITY / length * np.sin(y[0])],
        (0, t),
        [angle, 0],
        rtol=1e-12,
        atol=1e-12,
        method="DOP853",
    ).y[0, -1]


@pytest.mark.parametrize("way", ["bowl", "trough", "roller"])
def test_what_rolls_in_a_bowl_is_a_pendulum(way):
    """(1 + J/(m r²)) (R − r) φ̈ = −g sin φ."""
    part = 0.5 if way == "roller" else 0.4
    m, ball = sphere((0.3, 0.0, -0.4), part=part)
    if way == "bowl":
        joint = m.rolling_on_sphere(m.ground, ball, OUTER, INNER, inside=True)
        np.testing.assert_allclose(joint.axis_of_a(), [0, 1, 0])  # across the plane in which it falls
    else:
        m.rolling_on_cylinder(m.ground, ball, OUTER, INNER, axis="y", inside=True, parallel=way == "roller")
    run = fm.simulate(m, 2.0, "radau", **ACCURATE)
    place = run["ball"].position[-1]
    wanted = pendulum(np.arctan2(0.3, 0.4), (1 + part) * (OUTER - INNER), 2.0)
    np.testing.assert_allclose(place, 0.5 * np.array([np.sin(wanted), 0, -np.cos(wanted)]), atol=1e-7)
    assert run.energy.error < 1e-8


def test_a_ball_in_a_vertical_pipe_comes_up_again():
    """Its middle goes round at the constant rate Ω, and up and down as a harmonic motion of √(2/7) Ω (the golfer's
    problem: Neĭmark and Fufaev (1972))."""
    rate = 9.0
    inner = OUTER - INNER
    m, ball = sphere((inner, 0, 0), (0, rate * inner, 0), (0, 0, -rate * inner / INNER))
    m.rolling_on_cylinder(m.ground, ball, OUTER, INNER, inside=True)
    run = fm.simulate(m, 3.0, "radau", **ACCURATE)
    slow = np.sqrt(2 / 7) * rate
    # z̈ + slow² z = −(5/7) g with the rate of the spin about the normal zero at the start
    place = run["ball"].position
    np.testing.assert_allclose(place[:, 2], -5 / 7 * GRAVITY / slow**2 * (1 - np.cos(slow * run.t)), atol=1e-7)
    np.testing.assert_allclose(place[:, 1], inner * np.sin(rate * run.t), atol=1e-7)
    # the pipe holds it on its circle
    np.testing.assert_allclose(-run.multipliers[:, 0], MASS * inner * rate**2, rtol=1e-7)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
def test_a_ball_rolls_off_a_ball_until_the_force_pulls():
    """From the top: cos φ = 10/17 where the normal force of a uniform sphere vanishes."""
    angle = 1e-3
    m, ball = sphere(0.7 * np.array([np.sin(angle), 0, np.cos(angle)]))
    m.rolling_on_sphere(m.ground, ball, OUTER, INNER, name="hill")
    run = fm.simulate(m, 3.0, "radau", times=np.linspace(0, 3.0, 3001), **ACCURATE)
    push = -run.multipliers_of("hill")[:, 0]
    k = int(np.flatnonzero(push < 0)[0])
    weight = push[k - 1] / (push[k - 1] - push[k])
    height = run["ball"].position[k - 1 : k + 1, 2] @ [1 - weight, weight] / 0.7
    assert abs(height - 10 / 17 * np.cos(angle)) < 1e-6


@pytest.mark.filterwarnings("ignore::flexmb.errors.InitialConditionWarning", "ignore::flexmb.errors.AccuracyWarning")
def test_two_free_spheres_roll_on_each_other():
    """Momentum, angular momentum and energy of two spheres in free fall stay."""
    m, ball = sphere((0.42, 0, 0.56), (0.2, 0.3, -0.15), (1.0, -2.0, 3.0))
    other = m.add_body("other", mass=2.0, inertia=[0.3] * 3)
    other.frame.move(angular_velocity=(0.5, 0.3, -1.0))
    m.rolling_on_sphere(other.frame, ball, OUTER, INNER, free_spin=False)
    run = fm.simulate(m, 2.0, "dop853", tolerance=1e-11, progress=False)
    assert run.status == "finished" and run.energy.error < 1e-9
    falls = MASS + 2.0
    momentum = MASS * run["ball"].velocity + 2.0 * run["other"].velocity
    np.testing.assert_allclose(momentum - momentum[0], run.t[:, None] * [0, 0, -falls * GRAVITY], atol=1e-8)
    spin = run["ball"].angular_velocity - run["other"].angular_velocity
    between = run["ball"].position - run["other"].position
    np.testing.assert_allclose(np.sum(spin * between, axis=1), 0.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(between, axis=1), OUTER + INNER, atol=1e-9)


def test_a_wheel_on_a_drum():
    """Two wheels on hinges turn as friction wheels do; a torque on the drum accelerates both."""
    m = fm.SpatialModel("drum", gravity=(0, 0, -GRAVITY))
    drum = m.add_body("drum", mass=5.0, inertia=(0.2, 0.4, 0.2))
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.01, 0.02, 0.01), position=(0, 0, OUTER + INNER))
    arm = m.add_body("arm", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.5, 0, OUTER + INNER))
    m.revolute(m.ground, drum.frame, axis="y")
    post = m.add_frame("post", (1.0, 0, OUTER + INNER), fixed=True)
    m.revolute(post, arm.attach("pivot", (0.5, 0, 0)), axis="y")
    m.revolute(arm.attach("end", (-0.5, 0, 0)), wheel.frame, axis="y")
    m.rolling_on_cylinder(drum.frame, wheel.frame, OUTER, INNER, axis="y", name="contact")
    m.point_torque(drum.frame, (0, 0.3, 0))
    with pytest.warns(fm.errors.RedundancyWarning, match=r"contact.*row along"):  # both hinges hold it already
        run = fm.simulate(m, 1.0, "radau", **ACCURATE)
    rate = 0.3 / (0.4 + 0.02 * (OUTER / INNER) ** 2)
    np.testing.assert_allclose(run["drum"].angular_velocity[-1], [0, rate, 0], atol=1e-8)
    np.testing.assert_allclose(run["wheel"].angular_velocity[-1], [0, -rate * OUTER / INNER, 0], atol=1e-8)
    # the friction force turns the wheel
    force = run.multipliers_of("contact")[-1, 1]
    assert abs(abs(force) - 0.02 * rate * OUTER / INNER / INNER) < 1e-7


@pytest.mark.parametrize("method", ["radau", "generalized_alpha", "dop853"])
def test_directions_that_change_over_at_a_pole(method):
    """Through the lowest point of the bowl, where the directions of friction turn round at once."""
    m, ball = sphere((0.3, 0.0, -0.4))
    m.rolling_on_sphere(m.ground, ball, OUTER, INNER, inside=True, axis="z")
    run = fm.simulate(m, 2.0, method, progress=False)
    wanted = pendulum(np.arctan2(0.3, 0.4), 1.4 * (OUTER - INNER), 2.0)
    off = np.abs(run["ball"].position[-1] - 0.5 * np.array([np.sin(wanted), 0, -np.cos(wanted)]))
    assert run.status == "finished" and np.max(off) < 1e-4


def test_bad_input():
    m, ball = sphere((0.3, 0.0, -0.4))
    for verb, options, text in (
        ("rolling_on_sphere", (OUTER, INNER), "reaches 0.2 m below the sphere"),
        ("rolling_on_sphere", (0.1, 0.1), "ends 0.3 m above the sphere"),
        ("rolling_on_sphere", (0.0, 0.1), "radius_a is 0"),
        ("rolling_on_cylinder", (0.1, -0.1), "radius is -0.1"),
    ):
        with pytest.raises(ModelError, match=text):
            getattr(m, verb)(m.ground, ball, *options)
    with pytest.raises(ModelError, match="does not fit into a body"):
        m.rolling_on_sphere(m.ground, ball, OUTER, 0.7, inside=True)
    with pytest.raises(ModelError, match="at a pole of its axis"):
        m.rolling_on_sphere(m.ground, ball, OUTER, INNER, inside=True, axis=(0.6, 0.0, -0.8))
    with pytest.raises(ModelError, match="leave out free_spin=False"):
        m.rolling_on_cylinder(m.ground, ball, OUTER, INNER, axis="y", inside=True, parallel=True, free_spin=False)
