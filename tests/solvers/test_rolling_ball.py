"""Velocity rows on an orientation: a ball that rolls on a turntable.

With the table's rate Ω about z, the radius R and the inertia (2/5) m R² the ball does not slip if

    ṙ − R ω × z = Ω z × r,      so that  m r̈ = F,  (2/5) m R² ω̇ = −R z × F  give  r̈ = (2/7) Ω z × ṙ:

its center moves on a circle, 2/7 as fast as the table turns, and the table does work on it.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.solvers.simulate import simulate
from flexmb.spatial import SpatialModel
from flexmb.system.system import System
from tests.models.rolling import RADIUS, TABLE, Turntable

#: of the ball [kg]
MASS = 1.7
#: options of each method, and what the place [m] and the force [N] may be off by
METHODS = {
    "generalized_alpha": ({"step": 1e-3}, 3e-6, 1e-5),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-6, 1e-5),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, 1e-7),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, 1e-7),
    "rkf45": ({"step": 4e-3}, 1e-9, 1e-8),
    "radau": ({"tolerance": 1e-9}, 1e-9, 1e-8),
    "dop853": ({"tolerance": 1e-10}, 1e-9, 1e-8),
}


def ball() -> SpatialModel:
    m = SpatialModel("ball", gravity=(0, 0, -9.81))
    inertia = 0.4 * MASS * RADIUS**2
    body = m.add_body("ball", mass=MASS, inertia=(inertia, inertia, inertia), position=(0.5, 0.2, RADIUS))
    m.add(Turntable(m.ground, body.frame, name="table"))
    body.frame.node.velocity = np.array([0.4, -0.3, 0.0])
    wy = (0.4 + TABLE * 0.2) / RADIUS
    wx = (TABLE * 0.5 + 0.3) / RADIUS
    body.frame.node.angular_velocity = np.array([wx, wy, 0.7])
    return m


def circle(t):
    """The place (k, 2) and the force of the table (k, 2)."""
    rate = 2.0 / 7.0 * TABLE
    c, s = np.cos(rate * t), np.sin(rate * t)
    v = np.stack([0.4 * c + 0.3 * s, 0.4 * s - 0.3 * c], axis=-1)
    start = np.array([0.5, 0.2])
    place = start + (np.stack([v[:, 1], -v[:, 0]], axis=-1) - np.array([-0.3, -0.4])) / rate
    return place, MASS * rate * np.stack([-v[:, 1], v[:, 0]], axis=-1)


def test_its_slopes_are_those_of_differences():
    m = ball()
    system = System(m)
    rng = np.random.default_rng(1)
    q = system.retract(system.q0, 0.3 * rng.standard_normal(6))
    v, lam = rng.standard_normal(6), rng.standard_normal(3)
    matrices = [
        np.asarray(system.matrix(0.0, q, v, np.zeros(6), lam, w))
        for w in ((0, 0, 0, 0), (0, 0, 0, 1.0), (0, 0, 1.0, 0))
    ]
    G, H = matrices[0][6:, :6], (matrices[1] - matrices[0])[6:, :6]
    K = (matrices[2] - matrices[0])[:6, :6]
    h = 1e-6
    for j, y in enumerate(h * np.eye(6)):
        sides = [system.constraint(0.0, system.retract(q, sign * y), v)[1] for sign in (1, -1)]
        np.testing.assert_allclose(H[:2, j], (sides[0] - sides[1])[:2] / (2 * h), atol=1e-8)
        pulls = [np.asarray(system.jacobian(0.0, system.retract(q, sign * y))).T @ lam for sign in (1, -1)]
        np.testing.assert_allclose(K[:, j], (pulls[0] - pulls[1]) / (2 * h), atol=1e-8)
        np.testing.assert_allclose(
            G[:, j], (system.constraint(0.0, q, v + y)[1] - system.constraint(0.0, q, v)[1]) / h, atol=1e-8
        )
    _, rate, gamma = system.constraint(0.0, q, v)
    later = system.constraint(0.0, system.retract(q, h * v), v)[1]
    np.testing.assert_allclose((rate - later) / h, gamma, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_the_ball_moves_on_a_circle(method):
    options, off, force_off = METHODS[method]
    run = simulate(ball(), 3.0, method, progress=False, **options)
    assert run.status == "finished"
    place, force = circle(run.t)
    np.testing.assert_allclose(run.q[:, :2], place, atol=off)
    np.testing.assert_allclose(-run.multipliers[:, :2], force, atol=force_off)
    assert run.statistics.velocity_drift < 1e-7
    if "step" in options:  # the ledger's integrals need short steps
        assert run.trustworthy and run.energy.error < 1e-6
        assert np.max(np.abs(run.energy.drives)) > 0.1  # the table works on the ball


def test_generalized_alpha_keeps_its_order():
    errors = []
    for h in (0.02, 0.01, 0.005):
        run = simulate(ball(), 3.0, step=h, progress=False)
        place, force = circle(run.t)
        errors.append([np.max(np.abs(run.q[:, :2] - place)), np.max(np.abs(-run.multipliers[:, :2] - force))])
        assert run.statistics.iterations < 6 * run.statistics.steps
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert np.all(orders > 1.85)
