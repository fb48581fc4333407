"""Runs in joint coordinates where rows are beyond those of a tree: singular positions, switched joints, rolling."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_system
from tests.models.four_bars import four_bar, four_bar_in_space
from tests.models.parallelograms import falling, four_bars
from tests.models.rolling import ball
from tests.models.swings import swing, swing_angle, swing_of_a_reduced_body
from tests.models.vehicles import skate
from tests.solvers.comparison import agree

TIMES = np.linspace(0.0, 1.0, 11)
FINE = {
    "dop853": {"tolerance": 1e-10}, "rkf45": {"step": 5e-4}, "independent": {"tolerance": 1e-9},
    "projection": {"tolerance": 1e-11, "absolute_tolerance": 1e-12}, "radau": {"tolerance": 1e-10},
}  # fmt: skip


def run(model, method, **more):
    return fm.simulate(model, 1.0, method, times=TIMES, progress=False, **FINE[method], **more)


@pytest.mark.parametrize(
    ("method", "options", "near"),
    [
        ("dop853", {}, 1e-5), ("rkf45", {"step": 1e-3}, 1e-8), ("projection", {}, 1e-6), ("baumgarte", {}, 1e-6),
        ("generalized_alpha", {"step": 1e-3}, 1e-4), ("independent", {}, 1e-6), ("radau", {}, 2e-6),
    ],
)  # fmt: skip
def test_parallelograms_go_through_flat(method, options, near):
    times = np.linspace(0.0, 3.0, 31)
    for count, formulation in ((1, "aba"), (2, "lagrange")):
        model = four_bars(count)
        solution = fm.simulate(model, 3.0, method, times=times, progress=False, formulation=formulation, **options)
        assert solution.status == "finished" and solution.trustworthy, solution.message
        truth = falling(count, times)
        assert np.ptp(truth) > 2.0 * np.pi
        for k in range(count + 1):
            assert solution[f"crank{k}"].angle == pytest.approx(truth, abs=near)


def release():
    m = fm.PlanarModel("release", gravity=(0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0))
    two = m.add_body("two", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, one.attach("start", (-0.5, 0)), name="first")
    m.revolute(one.attach("end", (0.5, 0)), two.attach("start", (-0.5, 0)), name="second")
    m.add_event(fm.crossing("one.angle", -0.5), fm.Switch(off=["second"]), "go")
    return m


@pytest.mark.parametrize("method", FINE)
@pytest.mark.parametrize("make", [release, skate, ball])
def test_switched_joints_blades_and_rolling(make, method):
    one, other = run(make(), method), run(make(), method, formulation="aba")
    agree(one, other)
    assert len(one.events) == len(other.events)


def opened():
    """A four-bar whose coupler comes off one of its cranks."""
    m = four_bar()
    m.add_event(fm.crossing("left.angle", 1.75), fm.Switch(off=["C"]), "open")
    return m


@pytest.mark.parametrize("method", ["dop853", "projection", "independent", "radau"])
@pytest.mark.parametrize("formulation", ["aba", "ada"])
def test_loops_that_open(method, formulation):
    one, other = run(opened(), method), run(opened(), method, formulation=formulation)
    agree(one, other)
    assert len(one.events) == len(other.events) == 1
    for a, b in zip(one.events, other.events):
        assert a.t == pytest.approx(b.t, abs=1e-9)


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize(("method", "formulation"), [("independent", "aba"), ("radau", "lagrange"), ("radau", "ada")])
def test_rows_that_fade_are_exchanged(method, formulation):
    """A plate on three cranks, of whose rows one or another repeats the rest."""
    solution = fm.simulate(swing(3), 5.0, method, progress=False, formulation=formulation)
    assert solution.status == "finished" and solution.trustworthy
    assert solution.statistics.other_rows > 3
    for k in range(3):
        assert solution[f"crank{k}"].angle == pytest.approx(swing_angle(3, solution.t), abs=1e-5)


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "make", [lambda: swing(3), lambda: swing(4), four_bar_in_space, lambda: swing_of_a_reduced_body(3)]
)
def test_rows_that_repeat_one_another_do_not_hold_what_is_open_by_a_little(make, formulation):
    """Accelerations are those of the closed mechanism, but for what is in proportion to the gaps."""
    system = fm.simulate(make(), 0.01, "dop853", progress=False).source.system
    j = joint_coordinates(system, formulation).joints
    x, u = j.x.copy(), j.u.copy()
    rng = np.random.default_rng(0)
    away = [rng.uniform(-1.0, 1.0, len(numbers)) for numbers in (x, u)]
    found = []
    for gap in (0.0, 1e-5, 1e-3):
        j.x[:], j.u[:] = x + gap * away[0], u + gap * away[1]
        q, v = system.initial.copy(), np.zeros(system.plan.total)
        put_system(j, q, v)
        assert joint_rates(j, system.scratch, 0.0, q, v, 0.0, 0.0) == 0
        found.append(j.ud.copy())
    size = np.abs(found[0]).max()
    assert np.abs(found[1] - found[0]).max() < 50.0 * 1e-5 * size
    assert np.abs(found[2] - found[0]).max() < 50.0 * 1e-3 * size


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("formulation", ["aba", "ada", "dca"])
@pytest.mark.parametrize("count", [3, 4])
def test_errors_where_rows_repeat_one_another(count, formulation):
    for tolerance in (1e-4, 1e-6, 1e-8, 3e-9, 1e-9):
        solution = fm.simulate(
            swing(count), 5.0, "dop853", progress=False, tolerance=tolerance, formulation=formulation
        )
        for k in range(count):
            off = solution[f"crank{k}"].angle - swing_angle(count, solution.t)
            assert np.abs(off).max() < 5.0 * tolerance


def test_a_run_goes_on_from_another_one():
    half = fm.simulate(ball(), 0.5, "dop853", progress=False, tolerance=1e-10, formulation="aba")
    rest = fm.simulate(
        ball(), 1.0, "dop853", t_start=0.5, initial=half, progress=False, tolerance=1e-10, formulation="aba"
    )
    assert rest.q[-1] == pytest.approx(run(ball(), "dop853").q[-1], abs=1e-7)


@pytest.mark.parametrize("formulation", [None, "aba", "ada", "lagrange"])
def test_nothing_keeps_a_run_whose_solution_is_gone(formulation):
    """Not even until garbage is collected: many runs do not fill the memory between two collections."""
    gc.disable()
    try:
        model = four_bar()
        options = {} if formulation is None else {"formulation": formulation}
        solution = fm.simulate(model, 0.01, "dop853", progress=False, **options)
        system = weakref.ref(solution.source.system)
        assert system() is not None
        del solution
        assert system() is None
    finally:
        gc.enable()
