"""Friction by the joints' own forces in all methods: jamming, forces that are not unique, commands, large systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.system.linear import determinant_sign, factorize
from flexmb.validation import journal_pendulum
from flexmb.validation.references.journal_pendulum import JournalPendulum
from tests.models.rubbing import arm_that_goes_out, block_on_rail, door
from tests.solvers.every_method import METHODS_WITH_OPTIONS


@pytest.mark.parametrize(("method", "options"), METHODS_WITH_OPTIONS)
def test_a_joint_that_jams_ends_the_run_by_its_name(method: str, options: dict[str, Any]) -> None:
    with pytest.warns(fm.errors.DivergenceWarning):
        solution = fm.simulate(arm_that_goes_out(), 1.0, method, progress=False, **options)
    assert solution.status == "diverged"
    assert "joint 'rail' jams at t = 0.66" in solution.message
    assert "Painlevé" in solution.message
    assert solution.t[-1] == pytest.approx(2.0 / 3.0, abs=2e-3)


def test_a_start_that_jams_is_refused() -> None:
    m = fm.SpatialModel("drawer", gravity=(0.0, 1.0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.3, 0.0, 0.0))
    body.frame.move((0.0, 0.0, -0.5))
    friction = fm.JointFriction(0.3, length=0.1)
    m.prismatic(m.ground, body.attach("bush", (-0.3, 0.0, 0.0)), friction=friction, name="rail")
    with pytest.raises(fm.errors.SolverError, match=r"model 'drawer': joint 'rail' jams at t = 0 s"):
        fm.simulate(m, 1.0, progress=False)


def test_a_drawer_that_locks_itself_creeps_below_the_limit() -> None:
    """The weight beyond the bearing presses it so that friction holds it: μ tanh(u/ε) stays at L/(2 c) and below."""
    m = fm.SpatialModel("drawer", gravity=(0.0, 1.0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.3, 0.0, 0.0))
    friction = fm.JointFriction(0.3, length=0.1, smoothing=0.01)
    m.prismatic(m.ground, body.attach("bush", (-0.3, 0.0, 0.0)), friction=friction, name="rail")
    for method in ("generalized_alpha", "radau", "independent"):
        solution = fm.simulate(m, 1.0, method, progress=False)
        assert solution.status == "finished"
        assert solution["body"].velocity[-1, 2] == pytest.approx(-0.01 * np.arctanh(1.0 / 1.8), rel=1e-3)


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_friction_of_forces_that_are_not_unique_is_refused() -> None:
    with pytest.raises(
        fm.errors.RedundancyError, match=r"joint 'upper': friction by the joint's own force, which is not det"
    ):
        fm.simulate(door(fm.JointFriction(0.1, radius=0.01)), 0.1, progress=False)


@pytest.mark.parametrize("smoothing", [1e-3, 0.0])
@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_a_joint_that_repeats_others_is_not_switched_on_beside_friction(smoothing: float) -> None:
    m = fm.SpatialModel("pendulum", gravity=(0.0, -9.81, 0.0))
    bob = m.add_body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(1.0, 0.0, 0.0))
    end = bob.attach("end", (-1.0, 0.0, 0.0))
    law = fm.JointFriction(0.3, radius=0.05, length=0.1, smoothing=smoothing)
    m.revolute(m.ground, end, axis="z", friction=law, name="hinge")
    m.switch_off(m.spherical(m.ground, end, name="ball"))
    m.add_event(0.1, fm.Switch(on="ball"))
    with pytest.raises(
        fm.errors.SwitchingError, match=r"joint 'hinge': friction by the joint's own force, which is not det"
    ):
        fm.simulate(m, 0.2, progress=False)


def test_rows_that_repeat_each_other_are_named_right_behind_a_switch() -> None:
    """The rows of what is switched off stand before those of the others."""
    m = fm.SpatialModel("shed", gravity=(0.0, 0.0, -9.81))
    stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    hook = m.lock(m.ground, stone.frame, "x", 3.0, name="hook")
    door(None, m)
    m.prismatic(m.ground, stone.frame, axis="x", friction=fm.JointFriction(0.2, smoothing=1e-3), name="rail")
    m.add_event(0.05, fm.Switch(off=hook))
    with pytest.warns(fm.errors.RedundancyWarning):
        solution = fm.simulate(m, 0.1, progress=False)
    assert solution.status == "finished"


def test_rows_left_out_elsewhere_do_not_matter() -> None:
    m = door(None)
    stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    friction = fm.JointFriction(0.2, smoothing=1e-3, small_force=1e-6)
    m.prismatic(m.ground, stone.frame, axis="x", friction=friction, name="rail")
    stone.frame.move((1.0, 0.0, 0.0))
    for method in ("generalized_alpha", "radau", "dop853", "independent"):
        with pytest.warns(fm.errors.RedundancyWarning):
            solution = fm.simulate(m, 0.1, method, progress=False)
        assert solution["stone"].velocity[-1, 0] == pytest.approx(1.0 - 0.2 * 9.81 * 0.1, rel=1e-6)


@pytest.mark.parametrize(("method", "options"), [*METHODS_WITH_OPTIONS[:6], ("generalized_alpha", {"step": 1e-3})])
def test_a_block_that_is_pushed_slides(method: str, options: dict[str, Any]) -> None:
    wanted = (7.0 - 0.25 * 2.0 * 9.81) / 2.0
    solution = fm.simulate(block_on_rail(), 1.0, method, progress=False, **options)
    assert solution["block"].velocity[-1, 0] == pytest.approx(wanted, rel=2e-3)  # the start takes a step
    lost = 0.25 * 2.0 * 9.81 * solution["block"].position[-1, 0]
    assert solution.energy.dissipated[-1] == pytest.approx(lost, rel=1e-3)


def test_large_matrices_and_small_ones_say_the_same() -> None:
    m = block_on_rail()
    small, large = fm.System(m), fm.System(m, dense_limit=0)
    v = np.zeros(small.n)
    v[0] = 0.3
    lam = np.random.default_rng(2).uniform(-5.0, 5.0, small.m)
    state = (0.0, small.q0, v, np.zeros(small.n), lam, (1.0, 0.3, 0.2))
    assert small.matrix(*state) == pytest.approx(large.matrix(*state).toarray(), abs=1e-13)


@pytest.mark.parametrize("limit", [0, 100])
def test_the_sign_of_a_determinant(limit: int) -> None:
    system = fm.System(arm_that_goes_out(), dense_limit=limit)
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = rng.normal(size=len(system.linear.values))
        system.linear.values[:] = values
        A = system.shaped(values.copy())
        A = A if limit else A.toarray()
        factorize(system.plan, system.linear)
        assert determinant_sign(system.plan, system.linear) == np.sign(np.linalg.det(A))


def test_a_controller_pushes_a_block_with_friction() -> None:
    m = block_on_rail()
    m.add_controller("push more", period=0.01, sensors=fm.control.Reference(0.1), commands="push", law=[[2.0]])
    runs = [
        fm.simulate(m, 0.5, method, tolerance=1e-9, progress=False)["block"].velocity[-1, 0]
        for method in ("radau", "dop853")
    ]
    assert runs[0] == pytest.approx(runs[1], rel=1e-5)


SLOPE, COEFFICIENT, SMOOTHING, WEIGHT = 0.9, 0.2, 1e-3, 9.81


@pytest.fixture(scope="module")
def exact() -> tuple[np.ndarray, float]:
    """Angles of the pendulum on its journal at three times, and how far a block has slid from rest."""

    def rate(_: float, y: np.ndarray) -> list[float]:
        return [y[1], WEIGHT * (np.sin(SLOPE) - COEFFICIENT * np.cos(SLOPE) * np.tanh(y[1] / SMOOTHING))]

    slid = solve_ivp(rate, (0.0, 0.5), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-15, max_step=1e-3).y[0, -1]
    return JournalPendulum().angle([0.5, 1.0, 2.0]), slid


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_radau_keeps_its_tolerance(tolerance: float, exact: tuple[np.ndarray, float]) -> None:
    """The forces of joints in its stages are of second order, and left 150 tolerances at 1e-8 and 1900 at 1e-10; and of
    a slide that starts from rest the first step did not know how friction begins: up to 110."""
    angles, slid = exact
    times, model = np.linspace(0.0, 2.0, 81), journal_pendulum.build(JournalPendulum())
    run = fm.simulate(model, 2.0, "radau", tolerance=tolerance, times=times, progress=False)
    assert np.max(np.abs(run["bearing"].angle[[20, 40, 80]] - angles)) < 5.0 * tolerance

    m = fm.PlanarModel("slide", gravity=(0.0, -WEIGHT))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    rubs = fm.JointFriction(COEFFICIENT, radius=0.1, length=0.3, smoothing=SMOOTHING)
    m.prismatic(m.ground, block.frame, axis=-SLOPE, friction=rubs)
    down = np.array([np.cos(SLOPE), -np.sin(SLOPE)])
    run = fm.simulate(m, 0.5, "radau", tolerance=tolerance, progress=False)
    assert abs(run["block"].position[-1] @ down - slid) < 10.0 * tolerance
