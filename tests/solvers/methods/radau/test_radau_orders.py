"""Orders of Radau IIA: of the two forms for constrained mechanisms, by plain Newton iterations, and of the method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.solvers.methods.radau.radau_coefficients import ERROR, PAIR, POINTS, RATES, REAL, STAGES, VARIABLES, WEIGHTS
from flexmb.validation import heavy_top
from flexmb.validation.references import heavy_top as top

GRAVITY = 9.81


def test_numbers():
    """The conditions of collocation, Σ aᵢⱼ cⱼᵏ⁻¹ = cᵢᵏ/k, the eigenvalues, and the estimate's order."""
    A = np.linalg.inv(RATES)
    for k in (1, 2, 3):
        np.testing.assert_allclose(A @ POINTS ** (k - 1), POINTS**k / k, atol=1e-15)
    np.testing.assert_allclose(WEIGHTS, A[2], atol=1e-15)
    np.testing.assert_allclose(VARIABLES @ STAGES, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(VARIABLES[0] @ RATES, REAL * VARIABLES[0], atol=1e-13)
    pair = VARIABLES[1] + 1j * VARIABLES[2]
    np.testing.assert_allclose(pair @ RATES, PAIR * pair, atol=1e-13)
    # a quadrature with the slope at the start, of third order: Σ E Y/h + ẏ₀ vanishes for y = t, t² and t³
    for power, slope in ((1, 1.0), (2, 0.0), (3, 0.0)):
        assert abs(ERROR @ POINTS**power + slope) < 1e-13


def newton(equations, x):
    """A solution, with differences for derivatives."""
    for _ in range(30):
        error = equations(x)
        moves = np.maximum(1e-6 * np.abs(x), 1e-8)
        J = np.array([(equations(x + d) - equations(x - d)) / (2 * d.max()) for d in np.diag(moves)]).T
        step = np.linalg.solve(J, -error)
        x = x + step
        if np.max(np.abs(step)) < 1e-13:
            break
    return x


def forces(q, v):
    """Acceleration and multiplier of a pendulum of 1 m and 1 kg with ½ (q·q − 1) = 0."""
    pull = np.array([0.0, -GRAVITY])
    lam = (q @ pull + v @ v) / (q @ q)
    return pull - lam * q, lam


def by_positions(q, v, h):
    a, lam = forces(q, v)

    def equations(x):
        u, lams = h * h * x[:6].reshape(3, 2), x[6:]
        y = q + h * np.outer(POINTS, v) + u
        second = RATES @ (RATES @ u) / h**2
        r = second + [0.0, GRAVITY] + lams[:, None] * y
        return np.concatenate([r.ravel(), (0.5 * np.sum(y * y, axis=1) - 0.5) / h**2])

    x = newton(equations, np.concatenate([np.outer(0.5 * POINTS**2, a).ravel(), [lam] * 3]))
    u = h * h * x[:6].reshape(3, 2)
    end, speed = q + h * v + u[2], v + (RATES @ u / h)[2]
    return end, speed, speed - end * (end @ speed) / (end @ end), x[8]


def stabilized(q, v, h):
    a, lam = forces(q, v)

    def equations(x):
        y, w = q + x[:6].reshape(3, 2), v + x[6:12].reshape(3, 2)
        lams, mus = x[12:15], x[15:]
        first = RATES @ (y - q) / h - w + mus[:, None] * y
        second = RATES @ (w - v) / h + [0.0, GRAVITY] + lams[:, None] * y
        return np.concatenate(
            [first.ravel(), second.ravel(), (0.5 * np.sum(y * y, axis=1) - 0.5) / h, np.sum(y * w, axis=1)]
        )

    start = np.concatenate([np.outer(POINTS * h, v).ravel(), np.outer(POINTS * h, a).ravel(), [lam] * 3, [0.0] * 3])
    x = newton(equations, start)
    return q + x[4:6], v + x[10:12], v + x[10:12], x[14]


def errors(step, count):
    """Of positions, speeds, speeds on their constraint, λ of the last stage and of the equations, after 1 s."""
    q, v, lam = np.array([1.0, 0.0]), np.array([0.0, 0.5]), 0.0
    for _ in range(count):
        q, own, v, lam = step(q, v, 1.0 / count)
    way = solve_ivp(
        lambda t, y: [y[1], -GRAVITY * np.cos(y[0])], (0, 1), [0.0, 0.5], method="DOP853", rtol=1e-12, atol=1e-13
    )
    angle, rate = way.y[:, -1]
    place, speed = np.array([np.cos(angle), np.sin(angle)]), rate * np.array([-np.sin(angle), np.cos(angle)])
    force = forces(place, speed)[1]
    parts = (q - place, own - speed, v - speed, lam - force, forces(q, v)[1] - force)
    return np.array([np.max(np.abs(part)) for part in parts])


@pytest.mark.parametrize(
    ("step", "orders", "sizes"),
    [
        (by_positions, (5, 3, 5, 2, 5), (5.4e-9, 8.0e-6, 1.6e-8, 4.9e-3, 7.4e-9)),
        (stabilized, (5, 5, 5, 3, 5), (6.6e-9, 1.9e-8, 1.9e-8, 8.8e-5, 8.7e-9)),
    ],
)
def test_constraints_of_positions_lose_nothing_once_speeds_are_moved(step, orders, sizes):
    coarse, fine = errors(step, 32), errors(step, 64)
    np.testing.assert_allclose(np.log2(coarse / fine), orders, atol=0.3)
    np.testing.assert_allclose(fine, sizes, rtol=0.05)


def test_places_speeds_and_forces_of_a_top_are_of_fifth_order():
    found = []
    for h in (2.5e-3, 1.25e-3):
        solution = fm.simulate(
            heavy_top.build(), 0.1, "radau", tolerance=1e-3, newton_tolerance=1e-16, max_step=h, progress=False
        )
        assert solution.statistics.rejected == 0
        q, omega = top.motion(solution.t)
        off = solution["top"].position - top.center(q)
        forces_off = -solution.multipliers - top.force(q, omega)
        found.append([np.max(np.abs(x)) for x in (off, solution.v[:, 3:6] - omega, forces_off)])
    np.testing.assert_allclose(np.log2(np.divide(*found)), 5.0, atol=0.2)
