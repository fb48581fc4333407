"""Assembly: large systems stay sparse, small ones dense, and both are the same matrix."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.system.rank import scaled_rows_in
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum


def test_a_long_chain_has_nearly_banded_factors():
    system = fm.System(chain(300))
    assert system.pattern is not None
    assert system.pattern.nnz < 40 * system.plan.size
    assert system.linear.sparse.lower.row.size + system.linear.sparse.upper.row.size < 60 * system.plan.size


def test_dense_and_sparse_matrices_are_the_same():
    rng = np.random.default_rng(1)
    for model in (chain(3), flexible_pendulum("ancf", elements=3), flexible_pendulum(elements=2)):
        dense, sparse = fm.System(model, dense_limit=1000), fm.System(model, dense_limit=0)
        q, v, a = dense.q0 + 0.1 * rng.normal(size=dense.n), rng.normal(size=dense.n), rng.normal(size=dense.n)
        lam = rng.normal(size=dense.m)
        weights = (1.0, 0.3, 0.7)
        wanted = np.asarray(dense.matrix(0.0, q, v, a, lam, weights))
        np.testing.assert_allclose(sparse.matrix(0.0, q, v, a, lam, weights).toarray(), wanted, atol=1e-12)


def test_fixed_frames_are_no_unknowns():
    model = fm.PlanarModel("m")
    model.add_frame("anchor", (1.0, 2.0), 0.5, fixed=True)
    model.add_body("body", mass=1.0, inertia=1.0)
    system = fm.System(model)
    assert system.names == ["body.x", "body.y", "body.angle"]


def test_momentum_of_a_rigid_motion():
    model = fm.PlanarModel("m")
    model.add_body("body", mass=2.0, inertia=0.5, position=(1.0, 0.0), center=(0.5, 0.0))
    model.set_rigid_motion((3.0, 0.0), 4.0, about=(0.0, 0.0))
    system = fm.System(model)
    momentum = system.momentum(0.0, system.q0, system.v0)
    np.testing.assert_allclose(momentum, [6.0, 2.0 * 4.0 * 1.5, 0.5 * 4.0 + 2.0 * 1.5 * 6.0])


def test_what_is_cut_out_of_a_sparse_matrix_is_that_of_the_dense_one():
    rng = np.random.default_rng(2)
    for model in (chain(3), flexible_pendulum("ancf", elements=3)):
        dense, sparse = fm.System(model, dense_limit=1000), fm.System(model, dense_limit=0)
        q = dense.q0 + 0.1 * rng.normal(size=dense.n)
        np.testing.assert_allclose(sparse.diagonal(q, (1.0, 0.2, 0.3)), dense.diagonal(q, (1.0, 0.2, 0.3)), rtol=1e-12)
        rest = np.zeros(dense.n), np.zeros(dense.n), np.zeros(dense.m)
        values = sparse.matrix(0.0, q, *rest, (0.0, 0.0, 0.0)).data
        wanted = dense.jacobian(0.0, q) / dense.row_scale[:, None] * dense.scale
        assert abs(wanted).max() > 0.5
        np.testing.assert_allclose(scaled_rows_in(sparse, values), wanted, rtol=1e-12, atol=1e-15)
