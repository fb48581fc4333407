"""Symmetric matrices factorized within their envelope, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.envelope import backwards, factorize, forwards, order_from


def chain(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A positive matrix of six units that hang together in a chain and a branch, and of two others, in the order of its
    factors; where its rows begin, and the widths of the units."""
    widths, cliques = [3, 2, 3, 1, 2, 3, 1, 2], [(0, 1, 2), (2, 3, 4), (4, 5), (2, 5), (6, 7)]  # the last two alone
    place, begins = order_from(widths, cliques)
    of = np.repeat(np.arange(len(widths)), widths)
    A = np.zeros((len(of), len(of)))
    for clique in cliques:
        own = np.flatnonzero(np.isin(of, clique))
        root = rng.normal(size=(len(own), len(own)))
        A[np.ix_(own, own)] += root @ root.T + np.eye(len(own))
    ordered = np.zeros_like(A)
    ordered[np.ix_(place, place)] = A
    return ordered, begins, place


@pytest.mark.parametrize("seed", range(3))
def test_factors_and_solutions(seed):
    rng = np.random.default_rng(seed)
    A, begins, place = chain(rng)
    n = len(A)
    assert sorted(place) == list(range(n))
    assert place[:3].tolist() == [n - 3, n - 2, n - 1]  # the first unit comes last
    assert all(not A[i, : begins[i]].any() for i in range(n))
    L = A.copy()
    assert factorize(L, begins, n) == -1
    lower = np.tril(L)
    assert lower @ lower.T == pytest.approx(A, abs=1e-12)
    y = np.zeros(n)
    y[4:] = rng.normal(size=n - 4)
    known = np.linalg.solve(A, y)
    forwards(L, begins, 4, n, y)
    backwards(L, begins, n, y)
    assert y == pytest.approx(known, abs=1e-11)


def test_a_row_that_repeats_another_is_found():
    A, begins, _ = chain(np.random.default_rng(0))
    A[5] = A[4]
    A[:, 5] = A[:, 4]
    assert factorize(A.copy(), np.zeros_like(begins), len(A)) == 5
