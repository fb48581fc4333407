"""Lyapunov's equation by what is left of it, and the units of stiff matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units, solve_lyapunov

RNG = np.random.default_rng(2)
#: three vibrations of very different frequencies, lightly damped
STIFF = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.diag([1.0, 1e4, 1e9]), -np.diag([0.02, 2.0, 600.0])]])


def test_like_units_change_no_eigenvalue():
    A, scale = in_like_units(STIFF)
    np.testing.assert_array_equal(A * scale[:, None] / scale, STIFF)
    assert np.all(scale == 2.0 ** np.round(np.log2(scale)))
    rows, columns = np.abs(A).sum(axis=1), np.abs(A).sum(axis=0)
    assert np.all((rows < 4.0 * columns) & (columns < 4.0 * rows))
    assert np.abs(STIFF).sum(axis=1).max() > 1e8 * np.abs(STIFF).sum(axis=0).min()


def test_of_a_stiff_vibration_each_mode_has_its_own_variance():
    """White noise of intensity w on a mode of frequency ω and damping 2ζω: variances w/(4ζω³) and w/(4ζω)."""
    W = np.diag([0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    squares, rates, w = -np.diag(STIFF[3:, :3]), -np.diag(STIFF[3:, 3:]), np.diag(W)[3:]
    V = solve_lyapunov(STIFF, W)
    np.testing.assert_allclose(np.diag(V), np.concatenate([w / (2 * rates * squares), w / (2 * rates)]), rtol=1e-9)
    np.testing.assert_array_equal(V, V.T)


@pytest.mark.parametrize("period", [None, 0.1])
def test_the_equation_holds(period):
    A = RNG.normal(size=(5, 5)) - 4.0 * np.eye(5)
    A = A if period is None else scipy.linalg.expm(period * A)
    root = RNG.normal(size=(5, 5))
    W = root @ root.T
    V = solve_lyapunov(A, W, discrete=period is not None)
    left = A @ V + V @ A.T + W if period is None else A @ V @ A.T - V + W
    np.testing.assert_allclose(left, 0.0, atol=1e-11 * np.abs(W).max())
