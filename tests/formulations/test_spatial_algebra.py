"""Identities of six-vectors, Takahashi (2012), appendix A, with matrices of NumPy; arms and axes are random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.formulations import spatial_algebra as sa
from tests.models.trees import random_inertia

Array = np.ndarray


def tilde(u: Any) -> Array:
    """The matrix of u ×."""
    return np.cross(np.eye(3), np.asarray(u))


def six(pair: Any) -> Array:
    """A six-vector as an array."""
    return np.concatenate(pair)


def pair(values: Any) -> Any:
    """Six numbers as a six-vector of kernels."""
    return tuple(map(float, values[:3])), tuple(map(float, values[3:]))


def matrix(A: Any) -> Array:
    """An inertia as a matrix (6, 6)."""
    J, H, M = (np.array(x).reshape(3, 3) for x in (sa.full(A[0]), A[1], sa.full(A[2])))
    return np.block([[J, H], [H.T, M]])


def inertia(M: Array) -> Any:
    """A symmetric matrix (6, 6) as an inertia of kernels."""
    return symmetric(M[:3, :3]), tuple(M[:3, 3:].ravel().tolist()), symmetric(M[3:, 3:])


def symmetric(J: Array) -> Any:
    return tuple(float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


@pytest.fixture(params=range(3), name="rng")
def _rng(request):
    return np.random.default_rng(request.param)


@pytest.fixture(name="d")
def _d(rng):
    return tuple(rng.normal(size=3).tolist())


def any_inertia(rng: np.random.Generator) -> Any:
    root = rng.normal(size=(6, 6))
    return inertia(root @ root.T)


def shift(d: Any) -> Array:
    """X of motions."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [tilde(d), np.eye(3)]])


def same(found: Any, wanted: Any) -> None:
    assert np.asarray(found) == pytest.approx(np.asarray(wanted), abs=1e-12)


def test_the_power_of_a_force_on_a_motion_does_not_depend_on_the_origin(rng, d):
    """A.2: τ = Jᵀ F; ω · n + v · f."""
    m, f = pair(rng.normal(size=6)), pair(rng.normal(size=6))
    assert sa.power(m, f) == pytest.approx(six(m) @ six(f), rel=1e-13)
    assert sa.power(sa.motion_at(m, d), sa.force_at(f, d)) == pytest.approx(sa.power(m, f), rel=1e-12)
    assert sa.power(m, sa.sum_of(f, sa.multiple(2.0, f))) == pytest.approx(3.0 * sa.power(m, f), rel=1e-13)


def test_transforms_of_motions_and_forces(rng, d):
    """A.14 to A.19: X, X* = X⁻ᵀ, in other axes and about another origin."""
    m, f = pair(rng.normal(size=6)), pair(rng.normal(size=6))
    same(six(sa.motion_at(m, d)), shift(d) @ six(m))
    same(six(sa.force_at(f, d)), np.linalg.inv(shift(d)).T @ six(f))
    R = Rotation.random(random_state=3).as_matrix()
    both = np.kron(np.eye(2), R)
    same(six(sa.turned_six(tuple(R.ravel().tolist()), m)), both @ six(m))
    X = both @ shift(d)
    turned_force = sa.turned_six(tuple(R.ravel().tolist()), sa.force_at(f, d))
    same(six(turned_force), np.linalg.inv(X).T @ six(f))


def test_cross_products(rng):
    """A.42 to A.44: V×, V×* = −(V×)ᵀ; Jacobi's identity; the rate of a transformed motion."""
    V, m, f = (pair(rng.normal(size=6)) for _ in range(3))
    w, v = map(tilde, V)
    of_motions = np.block([[w, np.zeros((3, 3))], [v, w]])
    same(six(sa.motion_cross(V, m)), of_motions @ six(m))
    same(six(sa.force_cross(V, f)), -of_motions.T @ six(f))
    same(six(sa.motion_cross(V, V)), np.zeros(6))
    same(sa.power(sa.motion_cross(V, m), f), -sa.power(m, sa.force_cross(V, f)))
    U = pair(rng.normal(size=6))
    jacobi = [sa.motion_cross(a, sa.motion_cross(b, c)) for a, b, c in ((U, V, m), (V, m, U), (m, U, V))]
    same(sum(six(x) for x in jacobi), np.zeros(6))


def test_the_inertia_of_a_body_and_its_inverse(rng):
    """A.29 and A.34: I_O with D = c̃, and Φ_O = I_O⁻¹."""
    mass, c, J_C = float(rng.uniform(0.5, 2.0)), rng.normal(size=3), random_inertia(rng)
    J = symmetric(J_C - mass * tilde(c) @ tilde(c))
    moment = tuple((mass * c).tolist())
    wanted = np.block([[J_C + mass * tilde(c) @ tilde(c).T, mass * tilde(c)], [mass * tilde(c).T, mass * np.eye(3)]])
    I = matrix(sa.rigid_inertia(mass, moment, J))
    same(I, wanted)
    same(sa.inertia_about_center(mass, moment, J), symmetric(J_C))
    same(matrix(sa.inverse_rigid_inertia(mass, moment, J)) @ I, np.eye(6))


def test_momentum_is_the_inertia_times_the_motion(rng, d):
    """A.26: [L; p] = I V about any origin, which transforms as a force."""
    A, m = any_inertia(rng), pair(rng.normal(size=6))
    same(six(sa.inertia_applied(A, m)), matrix(A) @ six(m))
    there = sa.inertia_applied(sa.inertia_at(A, d), sa.motion_at(m, d))
    same(six(there), six(sa.force_at(sa.inertia_applied(A, m), d)))


def test_transforms_of_inertias_and_inverse_inertias(rng, d):
    """A.37 and A.40: X* I X⁻¹ and X Φ Xᵀ; one remains the inverse of the other."""
    A, X = any_inertia(rng), shift(d)
    star = np.linalg.inv(X).T
    same(matrix(sa.inertia_at(A, d)), star @ matrix(A) @ np.linalg.inv(X))
    same(matrix(sa.force_to_motion_at(A, d)), X @ matrix(A) @ X.T)
    inverse = inertia(np.linalg.inv(matrix(A)))
    product = matrix(sa.inertia_at(A, d)) @ matrix(sa.force_to_motion_at(inverse, d))
    assert product == pytest.approx(np.eye(6), abs=1e-9)
    R = Rotation.random(random_state=7).as_matrix()
    both = np.kron(np.eye(2), R)
    same(matrix(sa.inertia_turned(tuple(R.ravel().tolist()), A)), both @ matrix(A) @ both.T)


def test_sums_of_inertias_and_what_a_joint_takes_from_them(rng):
    A, B, U = any_inertia(rng), any_inertia(rng), pair(rng.normal(size=6))
    same(matrix(sa.inertia_plus(A, B)), matrix(A) + matrix(B))
    same(matrix(sa.inertia_without(A, 0.3, U)), matrix(A) - 0.3 * np.outer(six(U), six(U)))


def test_symmetric_matrices(rng, d):
    J, u = symmetric(random_inertia(rng)), rng.normal(size=3)
    full = np.array(sa.full(J)).reshape(3, 3)
    R = Rotation.random(random_state=5).as_matrix()
    same(sa.symmetric_applied(J, tuple(u)), full @ u)
    same(sa.symmetric_turned(tuple(R.ravel().tolist()), J), symmetric(R @ full @ R.T))
    same(np.array(sa.full(sa.symmetric_inverse(J))).reshape(3, 3) @ full, np.eye(3))
    same(sa.full(sa.symmetric_square(tuple(u))), np.outer(u, u).ravel())
    same(np.array(sa.tilde_symmetric(d, J)).reshape(3, 3), tilde(d) @ full)
    K = rng.normal(size=(3, 3))
    Kd = K @ tilde(d)
    same(sa.minus_tilde_twice(J, tuple(K.ravel().tolist()), d), symmetric(full - Kd - Kd.T))


def test_six_vectors_and_inertias_go_into_rows_and_back(rng):
    A, m = any_inertia(rng), pair(rng.normal(size=6))
    rows, sixes = np.zeros((2, 21)), np.zeros((2, 6))
    sa.put_inertia(rows, 1, A)
    sa.put_six(sixes, 1, m)
    same(matrix(sa.inertia_in(rows, 1)), matrix(A))
    same(six(sa.six_in(sixes, 1)), six(m))
    same(sa.symmetric_in(sixes, 1), six(m))
    sa.put_numbers(rows, 0, (1.0, 2.0, 3.0))
    same(rows[0, :4], (1.0, 2.0, 3.0, 0.0))
    same(sa.nine_in(rows, 0), (1.0, 2.0, 3.0, *np.zeros(6)))
