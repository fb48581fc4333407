"""Tensors of inertia: the nearest one that a body can have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import flexmb as fm
from flexmb.model.geometry.inertia import check_tensor, nearest_possible


def moments(J):
    """Σ = ½ tr(J) 1 − J."""
    return 0.5 * np.trace(J) * np.eye(3) - J


@pytest.mark.parametrize("seed", range(6))
def test_no_body_is_nearer(seed):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3, 3)) + 0.5 * np.eye(3)
    J = J + J.T
    near = nearest_possible(J, "body")
    check_tensor(near, "body")

    def distance(x):  # of bodies Σ = L Lᵀ, by their Cholesky factors
        L = np.zeros((3, 3))
        L[np.tril_indices(3)] = x
        return float(np.sum((L @ L.T - moments(J)) ** 2))

    best = min(minimize(distance, rng.normal(size=6), tol=1e-14).fun for _ in range(5))
    assert np.sum((moments(near) - moments(J)) ** 2) == pytest.approx(best, rel=1e-5)


def test_it_turns_with_its_axes():
    from scipy.spatial.transform import Rotation

    R, J = Rotation.from_rotvec([0.3, -1.1, 0.4]).as_matrix(), np.diag([0.1, 0.2, 0.5])
    assert np.allclose(nearest_possible(R @ J @ R.T, "body"), R @ nearest_possible(J, "body") @ R.T)


def test_what_is_near_to_no_body():
    with pytest.raises(fm.errors.ModelError, match=r"body: .*no possible inertia is near"):
        nearest_possible(-np.eye(3), "body")
