"""Linear systems against numpy's own solutions, determinants and least squares."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from flexmb.algebra.factors import Factors, bordered, saddle_solver

RNG = np.random.default_rng(5)
KINDS = {"dense": np.asarray, "sparse": sp.csc_array}


def random_matrix(k, *, complex_=False):
    """A matrix with about a third of its entries, far from singular."""
    A = np.where(RNG.random((k, k)) < 0.3, RNG.normal(size=(k, k)), 0.0) + np.diag(RNG.choice([-3.0, 3.0], k))
    return A[RNG.permutation(k)] * (np.exp(1j * RNG.random((k, k))) if complex_ else 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("complex_", [False, True])
def test_both_ways_and_several_columns(kind, complex_):
    A = random_matrix(30, complex_=complex_)
    b = RNG.normal(size=(30, 3)).astype(A.dtype)
    factors = Factors(KINDS[kind](A))
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(A, b), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(factors.solve_transposed(b[:, 0]), np.linalg.solve(A.T, b[:, 0]), rtol=1e-9, atol=1e-12)
    assert factors.solve(b[:, :0]).shape == (30, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sign_of_the_determinant(kind):
    signs = []
    for k in (*range(2, 12), 30):
        A = random_matrix(k)
        signs.append(np.linalg.slogdet(A)[0])
        assert Factors(KINDS[kind](A)).sign == signs[-1]
    assert set(signs) == {-1.0, 1.0}


@pytest.mark.parametrize("kind", KINDS)
def test_a_pivot_that_is_zero_is_told(kind):
    with pytest.raises(np.linalg.LinAlgError):
        Factors(KINDS[kind](np.array([[1.0, 2.0], [2.0, 4.0]])))


def test_nothing_to_solve():
    assert Factors(np.zeros((0, 0))).solve(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_borders(kind):
    A, below, right, corner = (RNG.normal(size=shape) for shape in ((4, 4), (2, 4), (4, 2), (2, 2)))
    whole = bordered(KINDS[kind](A), below, right, corner)
    assert isinstance(whole, np.ndarray) == (kind == "dense")
    np.testing.assert_array_equal(
        whole if kind == "dense" else whole.toarray(), np.block([[A, right], [below, corner]])
    )
    saddle = bordered(KINDS[kind](A), below)
    wanted = np.block([[A, below.T], [below, np.zeros((2, 2))]])
    np.testing.assert_array_equal(saddle if kind == "dense" else saddle.toarray(), wanted)


def test_a_saddle_point_is_the_least_energy_under_constraints():
    K = np.diag(10.0 ** RNG.uniform(0.0, 9.0, 12))
    G, b = RNG.normal(size=(4, 12)), RNG.normal(size=12)
    Z = np.linalg.svd(G)[2][4:].T
    x = saddle_solver(sp.csc_array(K), sp.csc_array(G))(b)
    np.testing.assert_allclose(x, Z @ np.linalg.solve(Z.T @ K @ Z, Z.T @ b), rtol=1e-6, atol=1e-12)
    assert np.abs(G @ x).max() <= 1e-14
    assert saddle_solver(sp.csc_array(K), sp.csc_array(np.vstack([G, np.zeros(12)]))) is None
