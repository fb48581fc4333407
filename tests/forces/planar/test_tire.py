"""A vehicle in the plane on two tires."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError

MASS, INERTIA, FRONT, REAR, SPEED, LENGTH = 1500.0, 2500.0, 1.2, 1.4, 20.0, 0.6
STIFFNESS = (80e3, 100e3)
METHODS = ("generalized_alpha", "independent", "baumgarte", "projection", "rkf45", "radau", "dop853", "rosenbrock")


def car(steer=0.0, speed=SPEED, friction=1e6, **data):
    """A single-track car; with so much friction its tires are linear."""
    m = fm.PlanarModel("car")
    body = m.add_body("car", mass=MASS, inertia=INERTIA)
    front, rear = (
        fm.TireLaw(load=7e3, cornering_stiffness=c, relaxation_length=LENGTH, friction=friction, **data)
        for c in STIFFNESS
    )
    m.tire(m.ground, body.frame.attach("nose", (FRONT, 0)), front, angle=steer, name="front")
    m.tire(m.ground, body.frame.attach("tail", (-REAR, 0)), rear, name="rear")
    body.frame.node.velocity = np.array([speed, 0.0])
    return m


def test_the_poles_are_those_of_the_linear_car():
    """v̇, ω̇ and the two deflections: u̇ + V/σ u + v ± x ω = 0, F = C/σ u."""
    k = np.array(STIFFNESS) / LENGTH
    A = np.array(
        [
            [0.0, -SPEED, k[0] / MASS, k[1] / MASS],
            [0.0, 0.0, FRONT * k[0] / INERTIA, -REAR * k[1] / INERTIA],
            [-1.0, -FRONT, -SPEED / LENGTH, 0.0],
            [-1.0, REAR, 0.0, -SPEED / LENGTH],
        ]
    )
    linear = fm.linearize(car(smoothing=1e-4), "car.moment", "car.angle")
    assert len(linear) == 4 + 4  # places and their speeds but for those of the deflections, which rows determine
    for pole in np.linalg.eigvals(A):
        assert np.min(np.abs(linear.poles - pole)) < 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_it_drives_in_a_circle_at_last(method):
    """ω = V δ/(L + K V²) with K = m/L (b/C_f − a/C_r), for small angles."""
    steer = 1e-4
    run = fm.simulate(car(steer), 4.0, method, progress=False)
    whole = FRONT + REAR
    K = MASS / whole * (REAR / STIFFNESS[0] - FRONT / STIFFNESS[1])
    rate = run["car"].angular_velocity[-1]
    np.testing.assert_allclose(rate, SPEED * steer / (whole + K * SPEED**2), rtol=2e-3)
    assert run.energy.error < 1e-3


def test_forces_and_energy():
    m = car(0.05, friction=0.7, tread_damping=200.0)
    run = fm.simulate(m, 3.0, "radau", tolerance=1e-8, progress=False)
    front, rear = (m.components[name].forces(run) for name in ("front", "rear"))
    heading = run["car"].angle + 0.05
    push = front.aside[:, None] * np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    push += rear.aside[:, None] * np.stack([-np.sin(heading - 0.05), np.cos(heading - 0.05)], axis=1)
    np.testing.assert_allclose(MASS * run["car"].acceleration, push, atol=1e-6 * np.max(np.abs(push)))
    np.testing.assert_array_less(np.abs(front.aside), 0.7 * 7e3)
    assert run.energy.error < 1e-6 and not np.any(run.multipliers)


def test_it_slides_to_a_stand():
    """Pushed sideways: friction 2 μ N, and it stands when that has taken the momentum."""
    m = car(friction=0.7, speed=0.0)
    m.components["car"].frame.node.velocity = np.array([0.0, 5.0])
    run = fm.simulate(m, 2.5, "radau", progress=False)
    k = int(np.searchsorted(run.t, 0.3))
    slowing = (run["car"].vy[0] - run["car"].vy[k]) / run.t[k]
    np.testing.assert_allclose(slowing, 2 * 0.7 * 7e3 / MASS, rtol=0.1)
    assert abs(run["car"].vy[-1]) < 1.0 and run.energy.error < 1e-4


def test_bad_input_and_what_it_cannot():
    m = car()
    with pytest.raises(FlexmbError, match="front"):
        fm.equilibrium(m)
    with pytest.raises(ModelError, match=r"give a flexmb.TireLaw"):
        m.tire(m.ground, m.components["car"].frame, 3.0)
