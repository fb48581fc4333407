"""Runs in joint coordinates, by every formulation: the motion, the forces and all else are those of absolute
coordinates."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.right_hand_side import Accelerations
from flexmb.solvers.start.initial import consistent_state
from tests.models.arms import arm, robot
from tests.models.drives import driven
from tests.models.four_bars import four_bar, four_bar_in_space
from tests.models.trees import random_tree
from tests.solvers.comparison import FINE, TIMES, agree, run


@cache
def absolute(make, method):
    """A run in absolute coordinates, which all formulations are held against."""
    return run(make(), method)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", FINE)
@pytest.mark.parametrize("make", [arm, robot])
def test_trees_move_as_in_absolute_coordinates(make, method, formulation):
    agree(absolute(make, method), run(make(), method, formulation))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_random_trees(seed, formulation):
    m = random_tree(np.random.default_rng(seed), 5, floating=seed == 1)
    agree(run(m, "dop853"), run(m, "dop853", formulation))


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", FINE)
@pytest.mark.parametrize("make", [four_bar, four_bar_in_space, driven])
def test_loops_and_drives(make, method, formulation):
    agree(absolute(make, method), run(make(), method, formulation))


@pytest.mark.parametrize("make", [arm, robot])
def test_generalized_alpha_is_of_second_order(make):
    fine = absolute(make, "dop853")
    errors = []
    for step in (1e-3, 5e-4):
        solution = fm.simulate(make(), 0.8, step=step, times=TIMES, progress=False, formulation="aba")
        assert solution.status == "finished" and solution.trustworthy
        errors.append(float(np.abs(solution.q - fine.q).max()))
    assert 3.0 < errors[0] / errors[1] < 5.0
    assert errors[1] < 1e-5


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("make", [four_bar, four_bar_in_space, driven])
def test_generalized_alpha_closes_loops(make):
    fine = absolute(make, "dop853")
    errors = []
    for step in (1e-3, 5e-4):
        solution = fm.simulate(make(), 0.8, step=step, times=TIMES, progress=False, formulation="lagrange")
        assert solution.status == "finished" and solution.statistics.position_drift < 1e-11
        errors.append(float(np.abs(solution.q - fine.q).max()))
    assert 3.0 < errors[0] / errors[1] < 5.0
    solution = fm.simulate(make(), 0.8, times=TIMES, progress=False, formulation="aba", tolerance=1e-5)
    assert np.abs(solution.q - fine.q).max() < 1e-4


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_generalized_alpha_follows_its_tolerance(formulation):
    fine = absolute(robot, "dop853")
    for tolerance in (1e-4, 1e-6):
        solution = fm.simulate(robot(), 0.8, times=TIMES, progress=False, tolerance=tolerance, formulation=formulation)
        assert np.abs(solution.q - fine.q).max() < 2.0 * tolerance


def motors(inertia):
    m = fm.PlanarModel("motors", gravity=(0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0))
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, one.attach("start", (-0.5, 0)), name="first")
    m.revolute(one.attach("end", (0.5, 0)), two.attach("start", (-0.5, 0)), name="second")
    m.motor(m.ground, one.frame, inertia=inertia, ratio=5.0, torque=fm.Harmonic(1.0, 3.0), name="motor one")
    m.motor(one.frame, two.frame, inertia=inertia, ratio=-3.0, torque=0.4, friction=0.01, name="motor two")
    return m


@pytest.mark.parametrize(("inertia", "method"), [(0.0, "dop853"), (0.0, "radau"), (1e-3, "dop853"), (1e-3, "rkf45")])
def test_rotors_with_and_without_inertia(inertia, method):
    agree(run(motors(inertia), method), run(motors(inertia), method, "aba"))


def flexible(model):
    if model.dimension == 2:
        rod = model.add_beam(
            "rod", (0, 0), (1, 0), material=fm.Material(2700, 70e9), section=fm.Rectangle(0.02, 0.02), modes=1
        )
        body = model.add_body("body", mass=1.0, inertia=0.1, position=(1.5, 0))
        model.revolute(rod.end, body.attach("start", (-0.5, 0)), name="second")
        model.revolute(model.ground, rod.start, name="first")
        return model
    rod = model.add_beam(
        "rod", (0, 0, 0), (1, 0, 0), material=fm.Material(2700, 70e9), section=fm.Rectangle(0.02, 0.02), modes=1
    )
    body = model.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0))
    model.spherical(rod.end, body.attach("start", (-0.5, 0, 0)), name="second")
    model.revolute(model.ground, rod.start, axis="y", name="first")
    return model


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("kind", [fm.PlanarModel, fm.SpatialModel])
def test_beams_with_modes(kind, method):
    gravity = (0, -9.81) if kind is fm.PlanarModel else (0, 0, -9.81)
    given = {"t_end": 0.02, "times": np.linspace(0.0, 0.02, 5)}
    one, other = (
        run(flexible(kind("m", gravity=gravity)), method, formulation, **given) for formulation in (None, "aba")
    )
    assert np.abs(one.q - other.q).max() < 1e-9
    assert np.abs(one.v - other.v).max() < 1e-7
    assert np.abs(one.multipliers - other.multipliers).max() < 1e-6


def test_files_reactions_and_the_ledger(tmp_path):
    one, other = absolute(arm, "dop853"), run(arm(), "dop853", "aba")
    for name in ("shoulder", "elbow", "rail"):
        for found, wanted in zip(other.reaction(name), one.reaction(name)):
            assert found == pytest.approx(wanted, abs=1e-6)
    assert other.energy.error < 1e-6
    other.save(tmp_path / "run.h5")
    again = fm.load(tmp_path / "run.h5")
    assert again["slide.x"] == pytest.approx(other["slide.x"])
    assert other.statistics.position_drift < 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rates", [(0.0, 0.0), (7.0, 30.0)])
@pytest.mark.parametrize("make", [four_bar, driven])
def test_baumgarte_closes_loops_by_every_formulation(make, rates, formulation):
    """g̈ + 2α ġ + β² g = 0 of rows that are open by 1e-6 m; how formulations measure gaps differs in their squares."""
    alpha, beta = rates
    whole = fm.System(make())
    system = independent_rows(whole, 0.0, whole.q0, "remove")
    q, v, *_ = consistent_state(system, 0.0, system.q0, system.v0)
    f, rng = Accelerations(system, alpha, beta, joint_coordinates(system, formulation)), np.random.default_rng(0)
    y = f.carried(q, v)
    half = len(y) // 2
    y[:half] += 1e-6 * rng.uniform(-1.0, 1.0, half)  # open, and moving as the constraints allow
    y[half:] = rng.uniform(-1.0, 1.0, half)
    q, v = f.motion(y)
    v -= np.linalg.lstsq(dense(system.jacobian(0.0, q)), system.constraint(0.0, q, v)[1], rcond=None)[0]
    y = f.carried(q, v)
    y[half:] += 1e-6 * rng.uniform(-1.0, 1.0, half)
    f.trial(0.0, y)
    put_accelerations(f.coordinates.joints, f.a)
    g, gd, gamma = system.constraint(0.0, f.q[: system.nq], f.v[: system.n])
    assert max(np.abs(g).max(), np.abs(gd).max()) > 1e-7
    found = system.jacobian(0.0, f.q[: system.nq]) @ f.a[: system.n] - gamma
    assert found == pytest.approx(-2.0 * alpha * gd - beta**2 * g, abs=2e-9)


def test_turns_are_counted_in_space():
    m = fm.SpatialModel("spin")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    hinge = m.revolute(m.ground, wheel.frame, axis="z", name="hinge")
    m.joint_force(hinge, 0.0, name="drive")
    wheel.frame.move((0, 0, 0), (0, 0, 20.0))
    for method in ("dop853", "generalized_alpha", "radau", "projection"):
        solution = fm.simulate(m, 2.0, method, progress=False, formulation="aba")
        assert solution["drive.turn"][-1] == pytest.approx(40.0, abs=1e-3)
        again = fm.simulate(m, 1.0, method, progress=False, formulation="aba", initial=solution)
        assert again["drive.turn"][-1] == pytest.approx(60.0, abs=2e-3)


def test_refusals_name_the_thing():
    with pytest.raises(fm.FlexmbError, match="formulation is 'abb'"):
        fm.simulate(arm(), 0.1, formulation="abb")
    with pytest.raises(fm.FlexmbError, match=r"no coordinate 'upper\.angle'.*it has: elbow\.angle, rail\.position, sh"):
        fm.simulate(arm(), 0.1, "independent", coordinates=["upper.angle"], formulation="aba")
    with pytest.raises(fm.errors.SolverError, match="newton_tolerance and max_iterations are those of a DAE"):
        fm.simulate(arm(), 0.1, "radau", max_iterations=5, formulation="aba")


@pytest.mark.parametrize("method", ["dop853", "rkf45", "independent", "radau", "generalized_alpha", "projection"])
def test_a_mechanism_that_cannot_move(method):
    """A bracket on the wall: nothing is carried, and its weld bears the weight."""
    m = fm.SpatialModel("bracket", gravity=(0, 0, -1))
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    m.weld(m.ground, body.attach("foot", (-1, 0, 0)), name="weld")
    solution = fm.simulate(m, 0.1, method, progress=False, formulation="aba")
    assert solution.status == "finished"
    assert solution.reaction("weld")[0][-1] == pytest.approx([0, 0, 1])
