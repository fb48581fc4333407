"""Sparse LU: against scipy, on the matrices of mechanisms, and at its limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.algebra import sparse_factor, sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.sparse_order import analyse
from flexmb.kernels.compilation import compiled


def analyzed(A, **options):
    return analyse(A.shape[0], A.shape[1], A.indptr, A.indices, **options)


def factorized(A, **options):
    status, lu = sparse_lu.factorize_growing(sparse_storage.allocate(analyzed(A), **options), A.data)
    assert status == sparse_storage.OK
    return lu


def solution(lu, b):
    x = b.copy()
    sparse_solve.solve(lu, x, np.full_like(b, np.nan))
    return x


def triangles(lu):
    """L, U and the scaled, permuted matrix as dense arrays."""
    n, m = lu.pattern.column_order.size, lu.rows.order.size
    lower, upper = np.eye(m, n), np.diag(1.0 / lu.pivot_inverse)
    for k in range(n):
        span = slice(lu.lower.start[k], lu.lower.start[k + 1])
        assert np.all(np.diff(lu.lower.row[span].astype(int)) > 0) and np.all(lu.lower.row[span] > k)
        lower[lu.lower.row[span], k] = lu.lower.value[span]
        span = slice(lu.upper.start[k], lu.upper.start[k + 1])
        assert np.all(np.diff(lu.upper.row[span].astype(int)) > 0) and np.all(lu.upper.row[span] < k)
        upper[lu.upper.row[span], k] = lu.upper.value[span]
    return lower, upper


def permuted(lu, A):
    return (lu.rows.scale[:, None] * A.toarray())[lu.rows.order][:, lu.pattern.column_order]


def assert_solves(A, lu, rng):
    """Backward error near rounding."""
    n = A.shape[0]
    size = abs(A).sum(axis=1).max() + abs(A).sum(axis=0).max()
    b = rng.standard_normal(n)
    x = solution(lu, b)
    assert np.abs(A @ x - b).max() <= 1e-11 * (size * np.abs(x).max() + 1.0)


def random_matrix(rng, n, density):
    """Nonsingular with unsymmetric pattern: a permutation plus noise."""
    A = sp.random(n, n, density, random_state=rng, data_rvs=rng.standard_normal)
    P = sp.csc_matrix((rng.uniform(1.0, 2.0, n), (rng.permutation(n), np.arange(n))), shape=(n, n))
    A = (A + P).tocsc()
    A.sort_indices()
    return A


def saddle_point(rng, bodies, per_body=3, constraints=2):
    """[S Gᵀ; G 0] of a chain of bodies, neighbors being joined by constraints."""
    n = bodies * per_body
    blocks = rng.standard_normal((bodies, per_body, per_body)) + 4.0 * np.eye(per_body)
    S = sp.block_diag(list(blocks))
    G = sp.lil_matrix(((bodies - 1) * constraints, n))
    for i in range(bodies - 1):
        G[i * constraints : (i + 1) * constraints, i * per_body : (i + 2) * per_body] = rng.standard_normal(
            (constraints, 2 * per_body)
        )
    A = sp.bmat([[S, G.T], [G, None]]).tocsc()
    A.sort_indices()
    return A


def beam_chain(rng, elements, nodal=4, constraints=3):
    n = nodal * (elements + 1)
    A = sp.lil_matrix((n + constraints, n + constraints))
    for e in range(elements):
        d = slice(nodal * e, nodal * (e + 2))
        B = rng.standard_normal((2 * nodal, 2 * nodal))
        A[d, d] = A[d, d] + B @ B.T + np.eye(2 * nodal)
    for c in range(constraints):
        A[n + c, c] = A[c, n + c] = 1.0
    A = A.tocsc()
    A.sort_indices()
    return A


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(0.0, 0.4), st.integers(0, 2**31))
def test_random_matrices(n, density, seed):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, n, density)
    lu = factorized(A)
    lower, upper = triangles(lu)
    np.testing.assert_allclose(lower @ upper, permuted(lu, A), atol=1e-10 * np.abs(upper).max())
    assert np.abs(lower).max() <= 10.0 * (1.0 + 1e-12)
    assert_solves(A, lu, rng)
    assert np.all(lu.work == 0.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 14), st.integers(1, 6), st.data())
def test_saddle_points(bodies, per_body, data):
    constraints = data.draw(st.integers(0, per_body - 1)) if per_body > 1 else 0
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    A = saddle_point(rng, bodies, per_body, constraints)
    lu = factorized(A)
    assert_solves(A, lu, rng)
    if np.linalg.cond(A.toarray()) < 1e6:
        b = rng.standard_normal(A.shape[0])
        np.testing.assert_allclose(solution(lu, b), sp.linalg.spsolve(A, b), rtol=1e-7, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 30), st.floats(0.0, 0.4), st.integers(0, 2**31))
def test_refactor_equals_factor(n, density, seed):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, n, density)
    lu = factorized(A)
    order = lu.rows.order.copy()
    B = A.copy()
    B.data = A.data * rng.uniform(0.99, 1.01, A.nnz)
    if sparse_lu.refactor(lu, B.data) == sparse_storage.OK:
        lower, upper = triangles(lu)
        np.testing.assert_array_equal(lu.rows.order, order)
        np.testing.assert_allclose(lower @ upper, permuted(lu, B), atol=1e-10 * np.abs(upper).max())
        assert_solves(B, lu, rng)
    assert np.all(lu.work == 0.0)

    # with the same values it gives what the choice of pivots gave
    assert sparse_factor.factor(lu, A.data) == sparse_storage.OK
    expected = [a.copy() for a in (lu.lower.value, lu.upper.value, lu.pivot_inverse)]
    assert sparse_lu.refactor(lu, 2.0 * A.data) == sparse_storage.OK
    assert sparse_lu.refactor(lu, A.data) == sparse_storage.OK
    for got, wanted in zip((lu.lower.value, lu.upper.value, lu.pivot_inverse), expected):
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("nodal", [1, 2, 3, 4, 5, 7])
def test_groups_of_like_columns(nodal):
    """Every size of group, in elimination and solution."""
    rng = np.random.default_rng(nodal)
    A = beam_chain(rng, 9, nodal, constraints=min(nodal, 2))
    lu = factorized(A)
    assert sparse_lu.refactor(lu, 2.0 * A.data) == sparse_storage.OK
    assert sparse_lu.refactor(lu, A.data) == sparse_storage.OK
    lower, upper = triangles(lu)
    np.testing.assert_allclose(lower @ upper, permuted(lu, A), atol=1e-12 * np.abs(upper).max())
    assert_solves(A, lu, rng)
    sizes = lu.segments.size[: lu.segments.start[-1]]
    assert sizes.max() == min(max(nodal, sizes.max()), 4)


@pytest.mark.parametrize("kind", [float, complex])
def test_columns_before_the_first_with_other_values_are_left_as_they_are(kind):
    """The factors are those of an elimination of all columns, and the first ones are not even touched."""
    rng = np.random.default_rng(11)
    A = beam_chain(rng, 9)
    values = A.data.astype(kind) * (1.0 if kind is float else 1.0 + 0.3j)
    whole, later = (sparse_storage.allocate(analyzed(A), kind=kind) for _ in range(2))
    for lu in (whole, later):
        assert sparse_lu.factorize(lu, values) == sparse_storage.OK
    for first in (0, 17, 30, len(later.pattern.column_order) - 1):
        changed = np.isin(np.repeat(np.arange(A.shape[1]), np.diff(A.indptr)), later.pattern.column_order[first:])
        values = np.where(changed, 1.01 * values, values)
        assert sparse_lu.refactor(whole, 3.0 * values) == sparse_storage.OK
        assert sparse_lu.refactor(whole, values) == sparse_storage.OK
        assert sparse_lu.refactor(later, values) == sparse_storage.OK
        both = [(lu.lower.value, lu.upper.value, lu.pivot_inverse, lu.known) for lu in (later, whole)]
        for got, wanted in zip(*both):
            np.testing.assert_array_equal(got, wanted)
    kept = later.pivot_inverse[:17].copy()
    later.pivot_inverse[:17] = 7.0
    values[A.indptr[later.pattern.column_order[17]]] *= 1.001
    assert sparse_lu.refactor(later, values) == sparse_storage.OK
    np.testing.assert_array_equal(later.pivot_inverse[:17], 7.0)
    assert not np.any(later.pivot_inverse[17:] == 7.0)
    later.pivot_inverse[:17] = kept
    B = sp.csc_matrix((values, A.indices, A.indptr), shape=A.shape).toarray()
    b = rng.standard_normal(len(B)).astype(kind)
    np.testing.assert_allclose(solution(later, b), np.linalg.solve(B, b), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("nodal", [1, 3, 4, 6, 8])
def test_two_systems_at_once(nodal):
    """A real one and a complex one, of other sizes and patterns, against dense solutions."""
    rng = np.random.default_rng(nodal)
    A, B = beam_chain(rng, 7, nodal, 1), beam_chain(rng, 4, nodal, 0)
    B = (B + 0.5j * B.multiply(rng.uniform(0.0, 1.0, B.shape))).tocsc()
    B.sort_indices()
    lu, pair = factorized(A), factorized(B, kind=complex)
    for one, other in ((A, B), (B, A)):
        b, c = (rng.standard_normal(M.shape[0]).astype(M.dtype) for M in (one, other))
        x, y = b.copy(), c.copy()
        first, second = (pair, lu) if one is B else (lu, pair)
        sparse_solve.solve_both(first, x, np.full_like(x, np.nan), second, y, np.full_like(y, np.nan))
        np.testing.assert_allclose(x, np.linalg.solve(one.toarray(), b), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(y, np.linalg.solve(other.toarray(), c), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("zeros", [0, 1, 4, 11, 29, 42, 43])
def test_right_hand_sides_that_begin_with_zeros(zeros):
    rng = np.random.default_rng(zeros)
    A = beam_chain(rng, 9)
    lu = factorized(A)
    b = np.zeros(A.shape[0])
    b[lu.rows.order[zeros:]] = rng.standard_normal(len(b) - zeros)
    np.testing.assert_allclose(solution(lu, b), np.linalg.solve(A.toarray(), b), rtol=1e-10, atol=1e-12)


def test_pattern_does_not_depend_on_values():
    """Entries that are zero at first are reserved all the same."""
    rng = np.random.default_rng(5)
    A = beam_chain(rng, 6)
    start = A.copy()
    column = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    ordinary = (A.indices < 28) & (column < 28) & (A.indices != column)
    start.data[ordinary] = 0.0
    lu = factorized(start)
    status = sparse_lu.factorize(lu, A.data)
    assert status == sparse_storage.OK
    assert_solves(A, lu, rng)


def test_poor_pivot_is_noticed_and_mended():
    A = sp.csc_matrix(np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]))
    lu = factorized(A)
    first = lu.pattern.column_order[0]
    for bad in (0.0, 1e-5, np.nan, np.inf):
        B = A.copy()
        B[first, first] = bad
        assert sparse_factor.factor(lu, A.data) == sparse_storage.OK
        assert sparse_lu.refactor(lu, B.data) == sparse_storage.POOR
        assert lu.state[sparse_storage.VALID] == 0
        assert np.all(lu.work == 0.0)
        factors = lu.state[sparse_storage.FACTORS]
        status = sparse_lu.factorize(lu, B.data)
        assert lu.state[sparse_storage.FACTORS] == factors + 1
        if np.isfinite(bad):
            assert status == sparse_storage.OK
            np.testing.assert_allclose(B @ solution(lu, np.ones(3)), 1.0, rtol=1e-13)
        else:
            assert status == sparse_storage.SINGULAR


def test_diagonal_is_preferred_up_to_the_threshold():
    for diagonal, kept in ((0.11, True), (0.09, False)):
        A = sp.csc_matrix(np.array([[diagonal, 1.0], [1.0, diagonal]]))
        lu = factorized(A)
        assert (lu.rows.order[0] == lu.pattern.column_order[0]) == kept


def test_scaling_of_rows():
    rng = np.random.default_rng(3)
    A = saddle_point(rng, 6)
    scale = 10.0 ** rng.integers(-8, 9, A.shape[0])
    b = rng.standard_normal(A.shape[0])
    x = solution(factorized(A), b)
    lu = factorized(sp.csc_matrix(sp.diags(scale) @ A))
    np.testing.assert_allclose(solution(lu, scale * b), x, rtol=1e-9, atol=1e-11)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**31))
def test_singular_column_is_named(n, seed):
    """A dependent column: the one named depends on those eliminated before it."""
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, n)) + 3.0 * np.eye(n)
    dependent = rng.integers(n)
    others = np.delete(np.arange(n), dependent)
    dense[:, dependent] = dense[:, others] @ rng.uniform(0.5, 1.0, n - 1)
    A = sp.csc_matrix(dense)
    # elimination with pivots of a tenth of the largest leaves round-off of some hundred times 1e-16
    lu = sparse_storage.allocate(analyzed(A), singular_tolerance=1e-12)
    assert sparse_factor.factor(lu, A.data) == sparse_storage.SINGULAR
    # all columns take part in the dependence: the last one in the order shows it
    assert lu.state[sparse_storage.COLUMN] == lu.pattern.column_order[-1]
    assert np.all(lu.work == 0.0)


def test_column_of_zeros_is_named():
    for zero in range(4):
        A = sp.csc_matrix(np.array([[4.0, 1, 0, 1], [1, 4, 1, 0], [0, 1, 4, 1], [1, 0, 1, 4]]))
        lu = factorized(A)
        A.data[A.indptr[zero] : A.indptr[zero + 1]] = 0.0
        assert sparse_lu.factorize(lu, A.data) == sparse_storage.SINGULAR
        assert lu.state[sparse_storage.COLUMN] == zero


def test_structurally_singular_pattern():
    A = sp.csc_matrix((np.ones(3), ([0, 1, 2], [0, 1, 1])), shape=(3, 3))
    lu = sparse_storage.allocate(analyzed(A))
    assert sparse_factor.factor(lu, A.data) == sparse_storage.SINGULAR
    assert lu.state[sparse_storage.COLUMN] == 2


def test_redundant_constraint_is_named():
    """Three constraints on four coordinates, the third being the sum of the others."""
    G = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 3.0], [1.0, 3.0, 1.0, 4.0]]) * np.sqrt(2.0) / 3.0
    A = sp.csc_matrix(G.T)
    lu = sparse_storage.allocate(analyzed(A))
    assert sparse_factor.factor(lu, A.data) == sparse_storage.SINGULAR
    assert lu.state[sparse_storage.COLUMN] == lu.pattern.column_order[-1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10), st.integers(1, 12), st.integers(0, 2**31))
def test_rectangular_picks_independent_rows(n, extra, seed):
    rng = np.random.default_rng(seed)
    m = n + extra
    A = sp.random(m, n, 0.2, random_state=rng, data_rvs=rng.standard_normal)
    rows = rng.permutation(m)[:n]
    A = sp.csc_matrix(A + sp.csc_matrix((rng.uniform(1.0, 2.0, n), (rows, np.arange(n))), shape=(m, n)))
    A.sort_indices()
    status, lu = sparse_lu.factorize_growing(sparse_storage.allocate(analyzed(A)), A.data)
    assert status == sparse_storage.OK
    assert sorted(lu.rows.order) == list(range(m))
    lower, upper = triangles(lu)
    np.testing.assert_allclose(lower @ upper, permuted(lu, A), atol=1e-11)
    assert np.abs(lower).max(initial=1.0) <= 1.0  # the largest entry is the pivot
    if n:
        chosen = A.toarray()[lu.rows.order[:n]]
        assert np.linalg.matrix_rank(chosen) == n


def test_rows_of_rectangular_matrices_are_not_scaled():
    """A row of tiny entries is no candidate for a pivot."""
    A = sp.csc_matrix(np.array([[1e-9, 2e-9], [1.0, 0.0], [0.5, 1.0]]))
    assert 0 not in factorized(A).rows.order[:2]


def test_growth_of_room():
    rng = np.random.default_rng(8)
    A = saddle_point(rng, 12, 4, 2)
    lu = sparse_storage.allocate(analyzed(A), room=0.0)
    small = lu.lower.row.size
    assert sparse_lu.factorize(lu, A.data) == sparse_storage.NO_ROOM
    assert lu.state[sparse_storage.NEED_LOWER] + lu.state[sparse_storage.NEED_UPPER] > 2 * small
    assert np.all(lu.work == 0.0)
    status, lu = sparse_lu.factorize_growing(lu, A.data)
    assert status == sparse_storage.OK
    assert lu.lower.row.size > small
    assert_solves(A, lu, rng)
    assert lu.lower.row.size < 3 * lu.lower.start[-1]


def _arrays(parts):
    """All arrays of a tuple of arrays and of such tuples."""
    return [array for x in parts for array in ([x] if isinstance(x, np.ndarray) else _arrays(x))]


def test_an_enlarged_copy_leaves_the_old_factors_alone():
    """Whoever keeps them goes on with them, though the copy has another order of pivots."""
    rng = np.random.default_rng(9)
    A = saddle_point(rng, 12, 4, 2)
    status, old = sparse_lu.factorize_growing(sparse_storage.allocate(analyzed(A)), A.data)
    assert status == sparse_storage.OK
    before = [array.copy() for array in _arrays(old)]
    new = sparse_storage.enlarge(old)
    assert sparse_lu.factorize(new, rng.standard_normal(A.nnz)) == sparse_storage.OK
    assert not np.array_equal(new.rows.order, old.rows.order)
    for array, was in zip(_arrays(old), before, strict=True):
        np.testing.assert_array_equal(array, was)
    assert_solves(A, old, rng)


@pytest.mark.parametrize("shuffled", [False, True])
def test_chain_stays_banded(shuffled):
    rng = np.random.default_rng(2)
    A = beam_chain(rng, 60)
    if shuffled:
        order = rng.permutation(A.shape[0])
        A = A[order][:, order].tocsc()
        A.sort_indices()
    lu = factorized(A)
    n = A.shape[0]
    assert lu.lower.start[-1] + lu.upper.start[-1] + n <= 1.5 * A.nnz
    reach = [lu.lower.row[lu.lower.start[k + 1] - 1] - k for k in range(n - 1)]
    assert max(reach) <= 16
    # blocks of the size of a node: segments are a few, not single columns
    assert lu.segments.start[-1] <= 0.5 * lu.upper.start[-1]


def test_rcond_estimate():
    A = sp.csc_matrix(np.array([[1.0, 1.0, 0.0], [0.0, 1e-6, 1.0], [1.0, 0.0, 0.0]]))
    assert 0.0 < sparse_solve.rcond_estimate(factorized(A)) <= 1.0
    assert sparse_solve.rcond_estimate(factorized(sp.identity(4, format="csc"))) == 1.0
    near = sp.csc_matrix(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9]]))
    assert sparse_solve.rcond_estimate(factorized(near)) == pytest.approx(1e-9, rel=1e-5)


@compiled
def _newton_step(lu, values, b, work):
    status = sparse_lu.factorize(lu, values)
    if status == sparse_storage.OK:
        sparse_solve.solve(lu, b, work)
    return status


def test_call_from_compiled_code():
    rng = np.random.default_rng(6)
    A = saddle_point(rng, 5)
    lu = factorized(A)
    b = rng.standard_normal(A.shape[0])
    x = b.copy()
    assert _newton_step(lu, A.data, x, np.empty(b.size)) == sparse_storage.OK
    np.testing.assert_allclose(A @ x, b, atol=1e-10)
    assert lu.state[sparse_storage.REFACTORS] == 1


def test_bad_patterns_are_refused():
    with pytest.raises(ValueError, match="fewer rows"):
        analyse(1, 2, [0, 1, 1], [0])
    with pytest.raises(ValueError, match="colptr"):
        analyse(2, 2, [0, 1], [0])
    with pytest.raises(ValueError, match="rowind"):
        analyse(2, 2, [0, 1, 2], [0])
    with pytest.raises(ValueError, match="out of range"):
        analyse(2, 2, [0, 1, 2], [0, 2])
    with pytest.raises(ValueError, match="twice"):
        analyse(2, 2, [0, 2, 2], [0, 0])


def test_a_complex_pivot_that_vanishes_is_no_error_where_the_order_is_used_again():
    A = sp.csc_matrix(np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], dtype=complex))
    lu = factorized(A, kind=complex)
    again = sp.csc_matrix(np.array([[2.0, 1.0, 0.0], [4.0, 2.0, 1.0], [0.0, 1.0, 2.0]], dtype=complex))
    for changed in (again, again.T.tocsc()):
        assert sparse_lu.factorize(lu, changed.data) == sparse_storage.OK
        b = np.array([1.0, 2.0, 3.0 + 1.0j])
        x = b.copy()
        sparse_solve.solve(lu, x, np.zeros(3, dtype=complex))
        assert np.allclose(changed @ x, b)
    first = A.data.copy()
    first[A.indices == 0] = 0.0
    assert sparse_lu.factorize(lu, first) == sparse_storage.SINGULAR
