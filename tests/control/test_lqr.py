"""The regulator is the best there is, and says which modes keep it from being."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ControlError, FlexmbError


def random_plant(seed: int, k: int = 5, m: int = 2, period: float | None = None) -> fm.LinearModel:
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(k, k)), rng.normal(size=(k, m))
    if period is not None:
        A /= 2.0
    return fm.LinearModel(A, B, np.eye(k), np.zeros((k, m)), period=period)


def cost(plant: fm.LinearModel, K: np.ndarray, Q: np.ndarray, R: np.ndarray, count: int = 60) -> float:
    """∫ (xᵀ Q x + uᵀ R u) dt from starts of covariance 1, by summing doubled steps of the closed loop."""
    A = plant.A - plant.B @ K
    weight = Q + K.T @ R @ K
    h = 1e-3 / max(1.0, np.linalg.norm(A, 2))
    # ∫ over one short step, to fourth order, then doubled again and again
    step = np.eye(len(A)) + h * A @ (
        np.eye(len(A)) + h / 2 * A @ (np.eye(len(A)) + h / 3 * A @ (np.eye(len(A)) + h / 4 * A))
    )
    half = np.eye(len(A)) + h / 2 * A @ (np.eye(len(A)) + h / 4 * A @ (np.eye(len(A)) + h / 6 * A))
    P = h / 6 * (weight + 4.0 * half.T @ weight @ half + step.T @ weight @ step)
    for _ in range(count):
        P = P + step.T @ P @ step
        step = step @ step
        if np.abs(step).max() < 1e-30:
            break
    return float(np.trace(P))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_no_other_gain_near_costs_less(seed):
    plant = random_plant(seed)
    Q, R = np.diag([1.0, 2.0, 0.5, 1.0, 3.0]), np.diag([1.0, 0.3])
    found = fm.control.lqr(plant, np.diag(Q), np.diag(R))
    best = cost(plant, found.K, Q, R)
    assert best == pytest.approx(np.trace(found.P), rel=1e-6)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        other = found.K + 0.02 * rng.normal(size=found.K.shape)
        assert cost(plant, other, Q, R) > best


def test_in_steps_it_is_what_backward_recursion_comes_to():
    plant = random_plant(4, period=0.1)
    Q, R = np.eye(5), np.eye(2)
    P = Q.copy()
    for _ in range(2000):
        K = np.linalg.solve(R + plant.B.T @ P @ plant.B, plant.B.T @ P @ plant.A)
        P = Q + plant.A.T @ P @ (plant.A - plant.B @ K)
    np.testing.assert_allclose(fm.control.lqr(plant, 1.0, 1.0).K, K, rtol=1e-9, atol=1e-12)


def test_units_of_states_do_not_matter():
    plant = random_plant(7)
    scale = np.array([1e-4, 1.0, 1e5, 1e-2, 1e3])
    other = plant.transformed(np.diag(scale), np.diag(1.0 / scale), plant.states)
    K = fm.control.lqr(plant, 1.0, 1.0).K
    np.testing.assert_allclose(fm.control.lqr(other, scale**2, 1.0).K, K * scale, rtol=1e-8)


def two_carts(damping: float = 0.0) -> fm.LinearModel:
    """Two carts on springs that do not touch; the force acts on the first."""
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-4, 0, 0, 0], [0, -25.0, 0, -damping]])
    return fm.LinearModel(
        A, [[0], [0], [1.0], [0]], np.eye(4), np.zeros((4, 1)),
        states=["first.x", "second.x", "first.x rate", "second.x rate"], inputs=["push"],
    )  # fmt: skip


def test_modes_that_no_input_reaches_are_named():
    with pytest.raises(ControlError, match=r"push do not reach 1 .*at 0\.796 Hz, undamped \(second\.x\)"):
        fm.control.lqr(two_carts(), 1.0, 1.0)
    found = fm.control.lqr(two_carts(damping=0.1), 1.0, 1.0)
    assert np.all(found.poles.real < 0.0), "what decays by itself needs no input"
    np.testing.assert_allclose(found.K[0, [1, 3]], 0.0, atol=1e-12)


def test_modes_that_cost_nothing_are_named():
    plant = fm.LinearModel(
        two_carts().A, [[0], [0], [1.0], [1.0]], np.eye(4), np.zeros((4, 1)), states=two_carts().states
    )
    with pytest.raises(ControlError, match=r"Q does not see at 0\.796 Hz, undamped \(second\.x\)"):
        fm.control.lqr(plant, [1.0, 0.0, 0.0, 0.0], 1.0)


@pytest.mark.parametrize(
    ("Q", "R", "message"),
    [
        (np.eye(3), 1.0, r"Q has the shape \(3, 3\)"),
        (1.0, 0.0, "R must be positive"),
        (-1.0, 1.0, "Q has a negative eigenvalue"),
        (np.triu(np.ones((5, 5))), 1.0, "Q is not symmetric"),
        (np.nan, 1.0, "LQR: Q is nan"),
        ("much", 1.0, "must be a matrix"),
        ([1j], 1.0, "LQR: Q must be a matrix"),
    ],
)
def test_bad_weights(Q, R, message):
    with pytest.raises(FlexmbError, match=message):
        fm.control.lqr(random_plant(1), Q, R)


def test_as_python_control_has_it():
    control = pytest.importorskip("control")
    plant = random_plant(11)
    K, _, _ = control.lqr(plant.A, plant.B, np.eye(5), np.eye(2))
    np.testing.assert_allclose(fm.control.lqr(plant, 1.0, 1.0).K, K, rtol=1e-9)
