"""Closed forms of an arm with point masses, against differences and general solvers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from flexmb.validation.references import two_point_masses as reference

Q = np.array([0.4, 0.9])


def _places(q):
    elbow = reference.LENGTHS[0] * np.array([np.cos(q[0]), np.sin(q[0])])
    return elbow, reference.hand(q)


def _jacobian(place, q, h=1e-6):
    return np.column_stack([(place(q + h * e) - place(q - h * e)) / (2.0 * h) for e in np.eye(2)])


def test_inertia_and_weight_are_those_of_the_masses():
    J = [_jacobian(lambda q, k=k: _places(q)[k], Q) for k in (0, 1)]
    M = sum(m * j.T @ j for m, j in zip(reference.MASSES, J))
    assert reference.mass_matrix(Q) == pytest.approx(M, abs=1e-8)
    lift = sum(m * reference.GRAVITY * j[1] for m, j in zip(reference.MASSES, J))
    assert reference.weight(Q) == pytest.approx(lift, abs=1e-8)
    assert reference.inertia_at_hand(Q) == pytest.approx(np.linalg.inv(J[1] @ np.linalg.solve(M, J[1].T)), rel=1e-7)


def test_errors_decay_by_their_equation():
    t, h = np.array([0.1, 0.5]), 1e-4
    e = [reference.critical_decay(t + k * h, 7.0) for k in (-1, 0, 1)]
    second, rate = (e[0] - 2.0 * e[1] + e[2]) / h**2, (e[2] - e[0]) / (2.0 * h)
    assert second + 14.0 * rate + 49.0 * e[1] == pytest.approx(np.zeros(2), abs=1e-5)
    assert reference.critical_decay(np.zeros(1), 7.0) == 1.0


def test_where_it_rests_torques_hold_the_whole_weight():
    q = reference.joints_at_rest(Q, 0.2, 80.0)
    law = 80.0 * reference.mass_matrix(q) @ (Q - q) + reference.weight(q)
    whole = (reference.MASSES[0], reference.MASSES[1] + 0.2)
    assert law == pytest.approx(reference.weight(q, whole), abs=1e-9)
    place = reference.hand_at_rest(Q, 0.2, 80.0)
    assert 0.0 < reference.hand(Q)[1] - place[1] < 0.2 * reference.GRAVITY / 80.0 / reference.MASSES[1]


def test_the_sag_of_a_beam_with_a_load_beyond_its_end():
    """The fourth derivative is w/EI, with a force and a moment at the end, downwards; by a general solver."""
    w, P, M, L, EI, beyond = 3.0, 2.0, 0.7, 0.8, 50.0, 0.3

    def rates(x, y):
        return np.vstack([y[1:], np.full_like(x, w / EI)])

    def ends(a, b):
        return np.array([a[0], a[1], b[2] - M / EI, b[3] + P / EI])

    x = np.linspace(0.0, L, 9)
    end = solve_bvp(rates, ends, x, np.zeros((4, 9)), tol=1e-10).y[:, -1]
    assert reference.sag(w, P, M, L, EI, beyond) == pytest.approx(end[0] + beyond * end[1], rel=1e-8)
