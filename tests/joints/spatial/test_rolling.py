"""Wheels and spheres that roll on planes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError
from tests.models.rolled import center

RADIUS, GRAVITY, RATE, LEAN = 0.5, 9.81, 3.0, np.pi / 3
A, C = RADIUS**2 / 4, RADIUS**2 / 2
#: (C + m r²) ω₃ ψ̇ sin θ − A ψ̇² sin θ cos θ + m g r cos θ = 0
SPIN = -2.267247173666769
CIRCLE = 0.377874528944462
TILT = Rotation.from_rotvec([0.1, 0.2, 0.3])
#: options of each method, and what the place [m] may be off by
METHODS = {
    "generalized_alpha": ({"step": 1e-3}, 1e-5),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 2e-7),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8),
    "rkf45": ({"step": 4e-3}, 1e-9),
    "radau": ({"tolerance": 1e-9}, 1e-10),
    "dop853": ({"tolerance": 1e-10}, 1e-10),
}


def disk(lean: float = LEAN, rate: float = RATE, spin: float = SPIN, **options) -> fm.SpatialModel:
    """A disk with the angle `lean` between its plane and the ground, whose axis goes round at a rate."""
    m = fm.SpatialModel("disk", gravity=(0, 0, -GRAVITY))
    s, c = np.sin(lean), np.cos(lean)
    turn = Rotation.from_rotvec([np.pi / 2 - lean, 0, 0])
    body = m.add_body("disk", mass=1.0, inertia=(A, C, A), position=(0, 0, RADIUS * s), orientation=turn)
    down = np.array([0, c, -s])
    omega = spin * np.array([0, s, c]) - rate * s * down
    body.frame.move(velocity=-RADIUS * np.cross(omega, down), angular_velocity=omega)
    m.rolling_wheel(m.ground, body.frame, RADIUS, name="road", **options)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_disk_goes_round_a_circle(method):
    options, off = METHODS[method]
    run = fm.simulate(disk(), 3.0, method, progress=False, **options)
    assert run.status == "finished"
    angle = RATE * run.t
    circle = CIRCLE * np.stack([-np.sin(angle), np.cos(angle) - 1.0], axis=1)
    np.testing.assert_allclose(run.q[:, :2], circle, atol=off)
    np.testing.assert_allclose(run.q[:, 2], RADIUS * np.sin(LEAN), atol=off)
    # the ground carries the weight, and pulls it to the middle of the circle
    np.testing.assert_allclose(-run.multipliers, [[GRAVITY, 0.0, -CIRCLE * RATE**2]] * len(run.t), atol=10 * off)
    assert run.statistics.velocity_drift < 1e-7


@pytest.mark.filterwarnings("ignore::flexmb.errors.InitialConditionWarning", "ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize("crown", [0.0, 0.1])
def test_the_point_of_contact_does_not_slip(crown):
    """On a plane that moves: seen from it, the point of the wheel that touches it rests, and the next one does soon."""
    m = fm.SpatialModel("two", gravity=(0, 0, -GRAVITY))
    table = m.add_body("table", mass=3.0, inertia=(0.5, 0.6, 0.7), position=(0, 0, -1), orientation=TILT)
    wheel = m.add_body("wheel", mass=1.0, inertia=(A, C, A), orientation=Rotation.from_rotvec([0.4, 0.1, 0.3]))
    n, u = table.frame.orientation.apply([0, 0, 1]), wheel.frame.orientation.apply([0, 1, 0])
    height = (RADIUS - crown) * np.linalg.norm(np.cross(u, n)) + crown
    wheel.frame.node.position = table.frame.position + height * n
    table.frame.move((0.1, 0.2, 0.3), (0.3, -0.5, 0.4))
    wheel.frame.move((0.1, 0.2, 0.3), (0.5, 2.0, 0.1))
    m.rolling_wheel(table.frame, wheel.frame, RADIUS, crown=crown, name="road")
    run = fm.simulate(m, 0.5, "dop853", tolerance=1e-11, progress=False)
    assert run.status == "finished" and run.energy.error < 1e-8
    a, b = run["table"], run["wheel"]
    n, u = a.orientation.apply([0, 0, 1]), b.orientation.apply([0, 1, 0])
    sine = np.sum(n * u, axis=1, keepdims=True)
    down = sine * u - n
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    arm = (RADIUS - crown) * down - crown * n
    place = b.position + arm
    np.testing.assert_allclose(m.components["road"].contact_points(run), place, atol=1e-12)
    np.testing.assert_allclose(np.sum(n * (place - a.position), axis=1), 0.0, atol=1e-9)
    on_b = b.velocity + np.cross(b.angular_velocity, arm)
    on_a = a.velocity + np.cross(a.angular_velocity, place - a.position)
    np.testing.assert_allclose(on_b, on_a, atol=1e-8)


def test_a_castor_slips_sideways():
    m = disk(lean=np.pi / 2, rate=0.0, spin=4.0, lateral=False)
    m.components["disk"].frame.node.velocity[1] = 1.5
    run = fm.simulate(m, 1.0, "radau", progress=False)
    np.testing.assert_allclose(run["disk"].velocity[-1], [4.0 * RADIUS, 1.5, 0.0], atol=1e-9)


def test_a_sphere_that_does_not_spin():
    m = fm.SpatialModel("ball", gravity=(0, 0, -GRAVITY))
    ball = m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, RADIUS))
    turn = m.add_body("turn", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.revolute(m.ground, turn.frame)
    m.rolling_sphere(turn.frame, ball.frame, RADIUS, free_spin=False)
    m.point_torque(turn.frame, (0, 0, 0.3))
    run = fm.simulate(m, 1.0, "radau", tolerance=1e-8, progress=False)
    # on the axis of the table: both turn together
    np.testing.assert_allclose(run["ball"].angular_velocity[-1], [0, 0, 0.3 / 0.2], atol=1e-8)


def test_a_wheel_that_falls_flat_says_so():
    with pytest.warns(fm.errors.DivergenceWarning):
        run = fm.simulate(disk(rate=0.0, spin=0.0), 2.0, "radau", progress=False)
    assert run.status == "diverged" and "joint 'road' lies flat on its plane" in run.message


def test_bad_input():
    m = fm.SpatialModel("bad")
    body = m.add_body("disk", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0.6))
    for options, text in (
        ({"radius": 0.0}, "radius is 0; it must be positive"),
        ({"radius": 0.5}, "the wheel of frame 'disk' ends 0.1 m above the plane of frame 'ground'"),
        ({"radius": 0.7}, "the wheel of frame 'disk' reaches 0.1 m below the plane of frame 'ground'"),
        ({"radius": 0.6, "axle": "z"}, "the wheel lies flat"),
        ({"radius": 0.6, "axle": (0, 0, 0)}, "axle has no direction"),
        ({"radius": 0.6, "normal": "w"}, "normal is 'w'"),
        ({"radius": 0.6, "crown": 0.6}, "a ball rolls by rolling_sphere"),
        ({"radius": 0.6, "crown": -0.1}, "crown is -0.1"),
        ({"radius": 0.6, "lateral": 1}, "lateral is 1"),
    ):
        with pytest.raises(ModelError, match=text):
            m.rolling_wheel(m.ground, body.frame, **options)
    with pytest.raises(ModelError, match="the sphere of frame 'disk' ends"):
        m.rolling_sphere(m.ground, body.frame, 0.5)
    m.rolling_sphere(m.ground, center(m.ground, body.frame, (1.0, 2.0, 0.1)), 0.1)


def test_statics_refuses_rolling():
    with pytest.raises(fm.FlexmbError, match="road"):
        fm.equilibrium(disk(rate=0.0, spin=0.0))
