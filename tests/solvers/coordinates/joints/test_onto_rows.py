"""Ends of steps in joint coordinates, moved onto the rows beyond those of the tree."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_system, take_joints
from flexmb.solvers.coordinates.joints.onto_rows import closest_combination, leave_along, put_onto_rows
from flexmb.solvers.rows.index_one import project
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import work_for
from tests.models.linkages import dense
from tests.solvers.coordinates.joints.models import MODELS

#: how far joints are opened, and how long after the start
OPENED, T = 1e-5, 0.3
#: models whose further rows hold places
PLACES = ["four-bar", "parallelograms", "driven", "beam in a loop", "driven beam"]


def opened(name: str, formulation: str = "aba"):
    """A system, its motion in joint coordinates that are a little off the rows, and q and v that belong to them."""
    system = fm.simulate(MODELS[name](), 1e-3, "dop853", progress=False).source.system
    j = joint_coordinates(system, formulation).joints
    assert j.rows.meets == 1
    rng = np.random.default_rng(0)
    q, v = system.initial.copy(), np.zeros(system.plan.total)
    take_joints(j, j.x.copy(), j.u + 0.1)
    put_system(j, q, v)
    put_onto_rows(j, system.scratch, T, q, v, 1e-13, 20, False)
    x = j.x + OPENED * rng.uniform(-1.0, 1.0, len(j.x))
    take_joints(j, x, j.u + OPENED * rng.uniform(-1.0, 1.0, len(j.u)))
    put_system(j, q, v)
    return system, j, q, v


@pytest.mark.parametrize("formulation", ["aba", "lagrange"])
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("name", PLACES)
def test_the_way_is_that_of_absolute_coordinates(name, near, formulation):
    system, j, q, v = opened(name, formulation)
    if near:  # the responses of a state near by serve as well
        assert joint_rates(j, system.scratch, T, q, v, 0.0, 0.0) == 0
    q0, v0, q1, v1 = q.copy(), v.copy(), q.copy(), v.copy()
    work, lam = work_for(system.plan), np.zeros(system.m)
    status, _, _ = project(
        system.plan, system.scratch, system.linear, system.mass_scale, T, q1, v1, lam, system.row_scale, work, 1e-13, 4,
        True,
    )  # fmt: skip
    assert status == OK
    status, left = put_onto_rows(j, system.scratch, T, q, v, 1e-13, 4, near)
    assert status == 0 and left <= 1e-13
    g, gd, _ = system.constraint(T, q[: system.nq], v[: system.n])
    assert np.abs(g / system.row_scale).max() < 2e-13 and np.abs(gd / system.row_scale).max() < 1e-12
    np.testing.assert_allclose(q, q1, atol=1e-3 * np.abs(q1 - q0).max())
    moved = 2.0 * OPENED * np.abs(v).max()  # joint speeds and speeds of bodies are not both kept while places move
    np.testing.assert_allclose(v, v1, atol=1e-3 * np.abs(v1 - v0).max() + moved)


def test_velocity_rows_move_speeds_alone():
    system, j, q, v = opened("blade")
    before = q.copy()
    status, left = put_onto_rows(j, system.scratch, T, q, v, 1e-13, 4, False)
    assert (status, left) == (0, 0.0)
    np.testing.assert_array_equal(q, before)
    assert np.abs(system.constraint(T, q[: system.nq], v[: system.n])[1]).max() < 1e-13


@pytest.mark.parametrize("name", PLACES)
def test_what_is_left_of_an_error_lies_along_the_rows(name):
    """G e = 0, and what was taken away is at right angles to all motions that the rows allow, in the metric of M."""
    system, j, q, v = opened(name)
    assert joint_rates(j, system.scratch, T, q, v, 0.0, 0.0) == 0
    G, M = dense(system.jacobian(T, q[: system.nq])), dense(system.mass_matrix(T, q[: system.nq]))
    allowed, tree = scipy.linalg.null_space(G, rcond=1e-10), np.delete(G, j.rows.numbers, axis=0)
    error = scipy.linalg.null_space(tree, rcond=1e-10) @ np.random.default_rng(1).normal(size=j.links.joints.nv)
    left = error.copy()
    leave_along(j, system.scratch, T, q, v, left, True)
    np.testing.assert_allclose(G @ left, 0.0, atol=1e-9 * np.abs(G @ error).max())
    np.testing.assert_allclose(allowed.T @ M @ (left - error), 0.0, atol=1e-9 * np.abs(M @ (left - error)).max())


@pytest.mark.parametrize("name", PLACES)
def test_sigma_is_the_smallest_singular_value_of_the_rows_on_the_tree(name):
    system, j, q, v = opened(name)
    assert joint_rates(j, system.scratch, T, q, v, 0.0, 0.0) == 0
    u = np.ones(system.m)
    for _ in range(60):
        sigma = closest_combination(j, u)
    wanted = np.sqrt(np.linalg.eigvalsh(-system.mass_scale * j.rows.matrix)[0])
    assert sigma == pytest.approx(wanted, rel=1e-6)
    assert np.flatnonzero(u).tolist() == sorted(j.rows.numbers[u[j.rows.numbers] != 0.0].tolist())
    assert np.linalg.norm(u) == pytest.approx(1.0)


def carried_arm() -> fm.SpatialModel:
    """An arm of three links on a base that moves and turns as is prescribed."""
    m = fm.SpatialModel("arm on a moving base", gravity=(3.0, 5.0, -8.0))
    base = m.add_body("base", mass=20.0, inertia=(2.0, 2.0, 2.0))
    place = fm.Harmonic(0.1, 2.0), fm.Harmonic(0.05, 3.0), fm.Harmonic(0.05, 2.5)
    m.drive_position(m.ground, base.frame, place, relative_to_start=True, name="move")
    turn = fm.Harmonic(0.1, 2.0), fm.Harmonic(0.1, 1.5), fm.Harmonic(0.2, 1.0)
    m.drive_rotation(m.ground, base.frame, turn, sequence="xyz", relative_to_start=True, name="turn")
    at = base.frame
    for k in range(3):
        link = m.add_body(f"link {k}", mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0, 0, 0.3 * k + 0.15))
        low = link.attach(f"low {k}", (0, 0, -0.15))
        m.revolute(at, low, axis="zy"[k % 2], name=f"hinge {k}")
        m.torsion_spring(at, low, axis="zy"[k % 2], stiffness=30.0, damping=2.0)
        at = link.attach(f"high {k}", (0, 0, 0.15))
    return m


@pytest.mark.parametrize(
    ("method", "near", "of_work"),
    [("generalized_alpha", 2e-5, 2e-5), ("dop853", 1e-7, 5e-6), ("radau", 1e-5, 1e-6)],
)
def test_a_base_whose_motion_is_prescribed(method, near, of_work):
    """Motion, forces of all joints and drives, and the work of the drives, which is summed from step to step, are those
    of absolute coordinates."""
    times = np.linspace(0.0, 1.0, 11)
    one = fm.simulate(carried_arm(), 1.0, "radau", tolerance=1e-9, times=times, progress=False)
    other = fm.simulate(
        carried_arm(), 1.0, method, tolerance=1e-6, times=times, formulation="aba", progress=False
    )  # fmt: skip
    assert other.status == "finished" and not other.doubts
    for name in ("q", "v", "a", "multipliers"):
        wanted = getattr(one, name)
        np.testing.assert_allclose(getattr(other, name), wanted, atol=near * max(1.0, np.abs(wanted).max()))
    np.testing.assert_allclose(other.energy.drives, one.energy.drives, atol=of_work * np.abs(one.energy.drives).max())
    assert np.ptp(one.energy.drives) > 1.0
    assert other.statistics.position_drift < 1e-11 and other.statistics.velocity_drift < 1e-11


def test_closing_asks_for_no_more_evaluations_than_a_fixed_base():
    """Two trials of Newton's method, and the end of the step."""
    solution = fm.simulate(carried_arm(), 1.0, "generalized_alpha", formulation="aba", progress=False)
    assert solution.statistics.evaluations <= 3.1 * solution.statistics.steps
