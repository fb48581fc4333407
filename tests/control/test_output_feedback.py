"""Lyapunov's equation, and feedback of outputs by minimum error excitation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ControlError, UnstableLoopWarning


def stable(seed: int, k: int = 4) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(k, k))
    return A - (np.linalg.eigvals(A).real.max() + 0.5) * np.eye(k)


def test_lyapunov_is_the_integral_that_it_stands_for():
    A, W = stable(1), np.diag([1.0, 0.0, 2.0, 0.5])
    h = 0.01
    weights = np.full(4001, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    step, at, total = scipy.linalg.expm(h * A), np.eye(4), np.zeros((4, 4))
    for w in weights:
        total += h / 3.0 * w * at @ W @ at.T
        at = step @ at
    np.testing.assert_allclose(fm.control.lyapunov(A, W), total, rtol=1e-7, atol=1e-9)


def test_lyapunov_of_steps_is_the_sum():
    A = 0.4 * stable(2) / np.abs(np.linalg.eigvals(stable(2))).max()
    total, at = np.zeros((4, 4)), np.eye(4)
    for _ in range(200):
        total += at @ at.T
        at = A @ at
    np.testing.assert_allclose(fm.control.lyapunov(A, np.eye(4), discrete=True), total, rtol=1e-10)


def test_what_does_not_decay_has_no_covariance():
    with pytest.raises(ControlError, match=r"not stable.*real part 0"):
        fm.control.lyapunov([[0.0, 1.0], [0.0, -1.0]], np.eye(2))
    with pytest.raises(ControlError, match="square and alike"):
        fm.control.lyapunov(np.eye(2), np.eye(3))


def plant_and_gain(seed: int, outputs: int = 2) -> tuple[fm.LinearModel, np.ndarray]:
    rng = np.random.default_rng(seed)
    plant = fm.LinearModel(stable(seed), rng.normal(size=(4, 2)), rng.normal(size=(outputs, 4)), np.zeros((outputs, 2)))
    return plant, fm.control.lqr(plant, 1.0, 1.0).K


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
@pytest.mark.filterwarnings("ignore::flexmb.errors.UnstableLoopWarning")
def test_no_other_output_gain_is_nearer_to_the_states(seed):
    plant, K = plant_and_gain(seed)
    W = np.diag([1.0, 0.2, 0.5, 2.0])
    F = fm.control.minimum_error_excitation(plant, K, W)
    # states of the loop, excited step by step: the mean square of F y − K x is the least for F
    A = plant.A - plant.B @ K
    V = scipy.linalg.solve_sylvester(A, A.T, -W)

    def error(F: np.ndarray) -> float:
        difference = F @ plant.C - K
        return float(np.trace(difference @ V @ difference.T))

    rng = np.random.default_rng(seed)
    for _ in range(4):
        assert error(F + 0.01 * rng.normal(size=F.shape)) > error(F)


def test_with_all_states_seen_nothing_is_lost():
    plant, K = plant_and_gain(3, outputs=4)
    F = fm.control.minimum_error_excitation(plant, K)
    np.testing.assert_allclose(F @ plant.C, K, rtol=1e-8)
    np.testing.assert_allclose(
        np.sort(plant.closed(F).poles.real), np.sort(np.linalg.eigvals(plant.A - plant.B @ K).real)
    )


def test_a_loop_that_is_not_stable_is_told():
    """A force behind two equal masses, measured at the far one only: the classical case that is not collocated."""
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = [[-1.0, 1.0], [1.0, -1.0]]
    plant = fm.LinearModel(A, [[0], [0], [1.0], [0]], [[0, 1.0, 0, 0], [0, 0, 0, 1.0]], np.zeros((2, 1)))
    K = fm.control.lqr(plant, [1.0, 1.0, 0, 0], 0.01).K
    with pytest.warns(UnstableLoopWarning, match="not stable: a mode at"):
        fm.control.minimum_error_excitation(plant, K)


def test_bad_input():
    plant, K = plant_and_gain(5)
    with pytest.raises(ControlError, match="shape"):
        fm.control.minimum_error_excitation(plant, K[:, :2])
    with pytest.raises(ControlError, match="excitation has the shape"):
        fm.control.minimum_error_excitation(plant, K, np.eye(3))
    direct = fm.LinearModel(plant.A, plant.B, plant.C, np.ones((2, 2)), outputs=["angle", "acceleration"])
    with pytest.raises(ControlError, match=r"angle, acceleration answer at once.*filter"):
        fm.control.minimum_error_excitation(direct, K)
    twice = fm.LinearModel(plant.A, plant.B, plant.C[[0, 0]], np.zeros((2, 2)))
    with pytest.raises(ControlError, match="say the same"):
        fm.control.minimum_error_excitation(twice, K)
    blind = fm.LinearModel(plant.A, plant.B, np.vstack([plant.C[0], np.zeros(4)]), np.zeros((2, 2)), outputs=["a", "b"])
    with pytest.raises(ControlError, match="does not move b"):
        fm.control.minimum_error_excitation(blind, K)
