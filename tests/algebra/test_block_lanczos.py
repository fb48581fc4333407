"""Lanczos's method in blocks against eigenvalues in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from flexmb.algebra.block_lanczos import lowest_modes


def membrane(cells):
    """K, M and K⁻¹ of a square membrane on springs, whose modes come in pairs of one frequency."""
    line = sp.diags([-np.ones(cells - 1), 2.0 * np.ones(cells), -np.ones(cells - 1)], [-1, 0, 1])
    K = sp.kron(line, sp.eye(cells)) + sp.kron(sp.eye(cells), line)
    each = 4.0 * np.sin(0.5 * np.pi * np.arange(1, cells + 1) / (cells + 1)) ** 2
    return K.tocsc(), np.sort(np.add.outer(each, each).ravel()) / 2.0


def test_eigenvalues_that_come_in_pairs():
    K, wanted = membrane(20)
    M = 2.0 * sp.eye(400)
    told = []
    values, shapes = lowest_modes(scipy.sparse.linalg.splu(K).solve, M, 12, tolerance=1e-9, most=400, tell=told.append)
    assert values == pytest.approx(wanted[:12], rel=1e-12)
    assert shapes.T @ (M @ shapes) == pytest.approx(np.eye(12), abs=1e-12)
    assert np.abs(K @ shapes - M @ shapes * values).max() < 1e-8
    assert told == sorted(told) and told[-1] < 150


def test_all_there_are():
    """A mass in three coordinates alone makes three modes."""
    K, _ = membrane(15)
    M = sp.diags(np.where(np.arange(225) % 100 == 7, 1.0, 0.0))
    values, shapes = lowest_modes(scipy.sparse.linalg.splu(K).solve, M, 5, tolerance=1e-9, most=225)
    F = scipy.sparse.linalg.splu(K).solve(np.eye(225)[:, [7, 107, 207]])[[7, 107, 207]]
    assert values == pytest.approx(1.0 / np.linalg.eigvalsh(F)[::-1], rel=1e-10)
    assert shapes.shape == (225, 3)
