"""References of rolling: conservation laws, and the motion seen from the turning table."""

import numpy as np
from scipy.integrate import solve_ivp

from flexmb.validation.references.rolling import Disk, TableBall
from flexmb.validation.references.tire import Steered, TwoWheels


def test_a_disk_keeps_its_energy_and_its_circle():
    times = np.linspace(0.0, 5.0, 51)
    wobbling = Disk(lean=1.2, spin=-2.9, falling=0.5)
    energy = wobbling.energy(wobbling.motion(times))
    np.testing.assert_allclose(energy, energy[0], rtol=1e-11)
    steady = Disk()
    assert abs(steady.unbalanced()) < 1e-14
    motion = steady.motion(times)
    np.testing.assert_allclose(motion[:, 0], steady.lean, atol=1e-10)
    np.testing.assert_allclose(np.hypot(motion[:, 2], motion[:, 3] + 0.377874528944462), 0.377874528944462, atol=1e-10)


def test_an_upright_disk_is_steady_from_the_known_speed_on():
    """ω₃² > A m g r/(C (C + m r²)) of a disk that rolls straight on:

    (A + m r²) ε̈ = −C (C + m r²)/A ω₃² (ε − ε₀) + m g r ε
    """
    disk = Disk(lean=np.pi / 2 + 1e-6, precession=0.0, spin=6.0)
    (A, C), square = disk.inertia, disk.mass * disk.radius**2
    righting, falling = C * (C + square) * disk.spin**2 / A, disk.mass * disk.weight * disk.radius
    wobble = np.sqrt((righting - falling) / (A + square))
    times = np.linspace(0.0, 2.0, 41)
    lean = disk.motion(times)[:, 0] - np.pi / 2
    # its heading stays as it was while it leans: it goes round slowly
    middle = 1e-6 * righting / (righting - falling)
    np.testing.assert_allclose(lean, middle + (1e-6 - middle) * np.cos(wobble * times), atol=1e-11)


def test_a_ball_on_a_table_by_the_laws_of_motion():
    """m v̇ = F, J ω̇ = −R z × F, and no slip: v − R ω × z = Ω z × r, which gives F in each instant."""
    ball = TableBall(part=0.3)
    inertia = ball.part * ball.mass * ball.radius**2

    def rates(t, y):
        v = y[2:4]
        # v̇ − R ω̇ × z = Ω z × v with ω̇ × z = −R/J F
        force = ball.rate * np.array([-v[1], v[0]]) / (1 / ball.mass + ball.radius**2 / inertia)
        return [*v, *(force / ball.mass)]

    times = np.linspace(0.0, 3.0, 7)
    y = solve_ivp(rates, (0, 3), [*ball.place, *ball.velocity], "DOP853", times, rtol=1e-12, atol=1e-12).y
    np.testing.assert_allclose(ball.motion(times)[0], y[:2].T, atol=1e-10)


def test_a_car_turns_on_its_circle_as_its_equations_say():
    car = TwoWheels()
    steady = np.linalg.solve(car.matrix(), [0.0, 0.0, -car.speed, 0.0])
    np.testing.assert_allclose(steady[1], car.turning(), rtol=1e-12)


def test_the_side_force_meets_its_equation():
    data = Steered(smoothing=1e-9)
    t, h = np.array([0.01, 0.03]), 1e-6
    force, rate = data.force(t), (data.force(t + h) - data.force(t - h)) / (2 * h)
    slips = -data.speed * np.sin(data.angle)
    left = data.speed * np.cos(data.angle) / data.length
    left += data.stiffness / data.length * abs(slips) / (data.friction * data.load)
    np.testing.assert_allclose(rate + left * force, -data.stiffness / data.length * slips, rtol=1e-6)
