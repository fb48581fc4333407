"""What a tree answers to further rows, against mass matrix and rows of the system in its own coordinates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.bearing import bearing_of, put_in_speeds
from flexmb.solvers.coordinates.joints.further_rows import rows_beyond
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_system, speeds_along, take_joints
from flexmb.solvers.coordinates.joints.multipliers import fill_entries
from flexmb.solvers.coordinates.joints.responses import respond
from tests.models.linkages import dense
from tests.solvers.coordinates.joints.models import MODELS

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints", name="counted")
def test_responses_are_those_of_the_mass_matrix(name, formulation):
    """Δ and G B Δ of N, the motions that all rows but the further ones allow: −N (Nᵀ M N)⁻¹ Nᵀ Gᵀ."""
    model = MODELS[name]()
    system = fm.simulate(model, 1e-3, "dop853", progress=False).source.system
    j = joint_coordinates(system, formulation).joints
    if not len(j.rows.numbers):  # the formulation closes the loops
        assert FORMULATIONS[formulation].takes_loops
        assert {row.owner for row in system.rows} == {*fm.Tree.of(system).joints, *fm.Tree.of(system).chords}
        return
    rng, n = np.random.default_rng(0), system.n
    x, u = j.x.copy(), j.u + rng.uniform(-1.0, 1.0, len(j.u))
    if not FORMULATIONS[formulation].takes_loops:  # other formulations know loops as they are where these are closed
        x += 0.05 * rng.uniform(-1.0, 1.0, len(x))
    take_joints(j, x, u)
    q, v = system.initial.copy(), np.zeros(system.plan.total)
    put_system(j, q, v)
    assert joint_rates(j, system.scratch, 0.3, q, v, 0.0, 0.0) == 0
    G, M = dense(system.jacobian(0.3, q[: system.nq])), dense(system.mass_matrix(0.3, q[: system.nq]))
    N = scipy.linalg.null_space(np.delete(G, j.rows.numbers, axis=0), rcond=1e-10)
    G = G[j.rows.numbers] / system.row_scale[j.rows.numbers, None]
    wanted = -N @ np.linalg.solve(N.T @ M @ N, N.T @ G.T)
    np.testing.assert_allclose(j.rows.matrix, G @ wanted, atol=1e-10 * np.abs(G @ wanted).max())
    firm = np.setdiff1d(np.arange(n), j.followers.loose)
    for k in range(len(j.rows.numbers)):
        ud, a = np.zeros(j.links.joints.nv), np.zeros(system.plan.total)
        respond(j, np.eye(len(j.rows.numbers))[k], ud)
        speeds_along(j, ud, a)
        np.testing.assert_allclose(a[firm], wanted[firm, k], atol=1e-9 * np.abs(wanted[:, k]).max())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints", name="counted")
def test_rows_in_joint_speeds(name):
    """C = G B, with those of loose coordinates, of the speeds that each joint speed makes."""
    system = fm.simulate(MODELS[name](), 1e-3, "dop853", progress=False).source.system
    j, tree = joint_coordinates(system, "aba").joints, fm.Tree.of(system)
    plan, numbers = rows_beyond(system, tree, False, j.followers.followed)
    bearing = bearing_of(plan, numbers, tree, j.followers, None, None)
    rng = np.random.default_rng(1)
    take_joints(j, j.x + 0.05 * rng.uniform(-1.0, 1.0, len(j.x)), np.zeros(len(j.u)))  # rows of tires ask for speeds
    q, v = system.initial.copy(), np.zeros(system.plan.total)
    put_system(j, q, v)
    fill_entries(bearing.entries, bearing.entries_at, plan, system.scratch, 0.3, q, v, j.work.zero)
    C = np.zeros((len(numbers), j.links.joints.nv))
    put_in_speeds(j, plan, bearing, numbers, C)
    G, B = dense(system.jacobian(0.3, q[: system.nq]))[numbers], np.zeros((system.n, j.links.joints.nv))
    for k in range(j.links.joints.nv):
        v = np.zeros(system.plan.total)
        speeds_along(j, np.eye(j.links.joints.nv)[k], v)
        B[:, k] = v[: system.n]
    np.testing.assert_allclose(C, G @ B / system.row_scale[numbers, None], atol=1e-12 * np.abs(C).max())
    assert not j.acting.wrench.any() and not j.acting.tau.any() and len(numbers) > 0
