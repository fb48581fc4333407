"""Reduced equations in joint coordinates where loops, drives and wheels hold more than the joints of a tree do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.examples.four_bar import build as parallelogram_model
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations, speeds_along
from flexmb.solvers.methods.independent.problem import Problem
from flexmb.solvers.methods.independent.reduced_equations import part_of_move
from flexmb.validation.references import parallelogram
from tests.models.drives import driven
from tests.models.four_bars import four_bar, four_bar_in_space, four_bar_with_rotors
from tests.models.linkages import rod_on_a_string, rods_between_balls
from tests.models.parallelograms import four_bars
from tests.models.rolling import ball
from tests.models.vehicles import skate
from tests.solvers.comparison import agree, run
from tests.solvers.methods.independent.problems import assert_jacobian_is_that_of_differences, problem_of

MODELS: dict[str, Any] = {
    "four-bar": four_bar, "four-bar in space": four_bar_in_space, "driven": driven, "balls": rods_between_balls,
    "string": rod_on_a_string, "blade": skate, "rolling": ball,
}  # fmt: skip


def _problem(name: str, monkeypatch: pytest.MonkeyPatch, formulation: str = "aba") -> Problem:
    return problem_of(MODELS[name](), monkeypatch, formulation=formulation)


def _speeds_of_joints(problem: Problem) -> np.ndarray:
    """B (n, nv): the speeds of the system that each joint speed alone makes."""
    system, j = problem.run.system, problem.f.coordinates.joints
    B = np.zeros((system.n, j.links.joints.nv))
    for k, u in enumerate(np.eye(j.links.joints.nv)):
        v = np.zeros(system.plan.total)
        speeds_along(j, u, v)
        B[:, k] = v[: system.n]
    return B


pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")


@pytest.mark.parametrize("formulation", ["aba", "ada"])
@pytest.mark.parametrize("name", MODELS)
def test_a_state_is_closed_along_its_dependent_coordinates(name, formulation, monkeypatch):
    """Far from a state of the motion: all rows of the system hold, and what was put stays."""
    problem = _problem(name, monkeypatch, formulation)
    system, t, e, f = problem.run.system, problem.run.t, problem.equations, problem.f
    rng, x = np.random.default_rng(1), problem.start()
    x += 2e-2 * rng.uniform(-1.0, 1.0, len(x)) * problem.scale
    assert problem.reach(t, x)
    n, nq = system.n, system.nq
    g, gd, gamma = system.constraint(t, f.q[:nq], f.v[:n])
    g[system.at_speed] = 0.0
    G = dense(system.jacobian(t, f.q[:nq]))
    for left, near in ((g, 1e-12), (gd, 1e-11), (G @ f.a[:n] - gamma, 1e-9)):
        np.testing.assert_allclose(left, 0.0, atol=near * system.length_scale)
    carried = problem.partition.carried
    np.testing.assert_allclose(carried.positions(e.own.q)[: carried.fours], x[: carried.fours], atol=1e-14)
    single = len(carried.plain)
    np.testing.assert_allclose(carried.positions(e.own.q)[single:], x[single : len(carried.scale)], atol=1e-14)
    np.testing.assert_array_equal(e.own.v[e.fast], x[len(carried.scale) :])
    rest = system.residual(t, f.q[:nq], f.v[:n], f.a[:n], f.lam)
    np.testing.assert_allclose(rest, 0.0, atol=1e-8)
    # the formulation's accelerations are those of the system
    joints, a = f.coordinates.joints, f.a.copy()
    put_accelerations(joints, a)
    np.testing.assert_allclose(a[:n], f.a[:n], atol=1e-8)


@pytest.mark.parametrize("name", MODELS)
def test_how_far_dependent_coordinates_follow(name, monkeypatch):
    """By the speeds of the system that joint speeds make, and all of its rows."""
    problem = _problem(name, monkeypatch)
    system, run, partition, e = problem.run.system, problem.run, problem.partition, problem.equations
    assert problem.arrive(run.t, problem.start())
    G, j = dense(system.jacobian(run.t, run.q[: system.nq])), problem.f.coordinates.joints
    B = _speeds_of_joints(problem)
    T = np.eye(j.links.joints.nv)  # in charts
    for at in partition.carried.chart.partial[:, 0] if len(partition.carried.chart.partial) else ():
        y = partition.carried.chart.y[at : at + 3]
        turns = [Rotation.from_rotvec(y).inv() * Rotation.from_rotvec(y + 1e-6 * d) for d in np.eye(3)]
        T[at : at + 3, at : at + 3] = 1e6 * np.array([turn.as_rotvec() for turn in turns]).T
    sizes, moves = e.own.scale, np.array([part_of_move(k) for k in range(j.links.joints.nv)])
    position = ~system.at_speed
    largest = 0.0
    for C, held in ((G @ B, partition.dependent_speeds), ((G @ B @ T)[position], partition.dependent)):
        w = moves * sizes
        w[held] = 0.0
        follow, *_ = np.linalg.lstsq(C[:, held], -C @ w, rcond=None)
        largest = max(largest, np.max(np.abs(follow) / sizes[held], initial=0.0))
    assert e.found.stretch == pytest.approx(largest, rel=1e-5)


@pytest.mark.parametrize("name", [*MODELS, "rotors"])
def test_rows_of_joint_speeds(name, monkeypatch):
    """Those of the system times the speeds that each joint speed makes."""
    monkeypatch.setitem(MODELS, "rotors", four_bar_with_rotors)
    problem = _problem(name, monkeypatch)
    system, run, c = problem.run.system, problem.run, problem.equations.loops
    assert problem.arrive(run.t, problem.start())
    j = problem.f.coordinates.joints
    assert (name == "rotors") == bool(len(j.followers.follower) and j.links.joints.inner)
    B = _speeds_of_joints(problem)
    wanted = (dense(system.jacobian(run.t, run.q[: system.nq])) @ B) / system.row_scale[:, None]
    np.testing.assert_allclose(c.C, wanted[c.numbers], atol=1e-13)
    assert np.abs(wanted[c.numbers]).max() > 0.1


@pytest.mark.parametrize("name", MODELS)
def test_jacobian_is_that_of_differences(name, monkeypatch):
    problem = _problem(name, monkeypatch)
    assert_jacobian_is_that_of_differences(problem, problem.start(), 1e-5, 1e-5)


@pytest.mark.parametrize("method", ["independent", "independent, radau", "radau"])
@pytest.mark.parametrize("name", ["balls", "string"])
def test_ball_joints_of_which_a_part_is_free(name, method):
    """Charts end and are chosen anew on the way."""
    one, other = run(MODELS[name](), "projection"), run(MODELS[name](), method, "aba")
    agree(one, other)
    assert other.statistics.repartitions > 0


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("method", ["independent", "independent, radau", "radau"])
def test_the_error_of_a_run_is_at_most_ten_times_the_tolerance(method, rtol):
    method, _, integrator = method.partition(", ")
    options: dict[str, Any] = {"tolerance": rtol}
    if integrator:
        options["integrator"] = integrator
    solution = fm.simulate(parallelogram_model(), 3.0, method, progress=False, formulation="aba", **options)
    off = np.abs(0.5 * np.pi - solution["left"].angle - parallelogram.angle(solution.t))
    assert np.max(off) < 10.0 * rtol
    assert solution.statistics.position_drift < 1e-12


@pytest.mark.parametrize("make", [four_bar, four_bar_in_space, driven, rods_between_balls])
def test_radau_is_of_fifth_order(make):
    """Errors at the end by the number of steps."""
    exact = fm.simulate(make(), 0.8, "dop853", tolerance=1e-12, progress=False)
    steps, errors = [], []
    for tolerance in (1e-4, 1e-8):
        solution = fm.simulate(make(), 0.8, "radau", progress=False, formulation="aba", tolerance=tolerance)
        steps.append(solution.statistics.steps)
        errors.append([np.abs(a[-1] - b[-1]).max() for a, b in ((solution.q, exact.q), (solution.v, exact.v))])
    orders = np.log(np.array(errors[0]) / errors[1]) / np.log(steps[1] / steps[0])
    assert np.all(orders > 4.5) and np.all(orders < 6.0)


def pushed_crank() -> fm.PlanarModel:
    """A rod on a crank, whose angle follows time."""
    m = fm.PlanarModel("pushed", gravity=(0, -9.81))
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.5, 0))
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, crank.attach("start", (-0.5, 0)), name="first")
    m.revolute(crank.attach("end", (0.5, 0)), rod.attach("start", (-0.5, 0)), name="second")
    m.drive_angle(m.ground, crank.frame, fm.Harmonic(0.5, 4.0), name="drive")
    return m


def test_independent_joint_coordinates_by_name():
    for name in ("A.angle", "D.angle"):
        given = {"t_end": 0.5, "times": np.linspace(0.0, 0.5, 6)}  # at 0.565 s A is at its farthest
        agree(
            run(four_bar(), "independent", **given), run(four_bar(), "independent", "aba", coordinates=[name], **given)
        )
    with pytest.raises(
        fm.errors.SolverError, match=r"1 degrees of freedom, and 2 .* give 1 of: A.angle, D.angle, B.angle"
    ):
        run(four_bar(), "independent", "aba", coordinates=["A.angle", "D.angle"])
    with pytest.raises(
        fm.errors.SolverError, match=r"first\.angle cannot be the independent coordinates .* choose others"
    ):
        run(pushed_crank(), "independent", "aba", coordinates=["first.angle"])


@pytest.mark.parametrize("given", [{"coordinates": ["left.angle"]}, {"coordinates": ["A.angle"], "formulation": "aba"}])
@pytest.mark.parametrize("integrator", ["cvode", "radau"])
@pytest.mark.parametrize("rtol", [1e-3, 1e-7])
def test_a_coordinate_by_name_ends_the_run_at_its_dead_center(rtol, integrator, given):
    with pytest.warns(
        fm.errors.DivergenceWarning, match=r"stopped at t = 0\.566.* s: coordinates=.*angle.*dead center"
    ):
        solution = fm.simulate(
            four_bar(), 1.0, "independent", integrator=integrator, tolerance=rtol, progress=False, **given
        )
    assert solution.status == "diverged" and 0.56 < solution.t[-1] < 0.57


def _servo(m: Any, body: Any, wanted: float) -> Any:
    """A body held by a sampled controller that reads its angle."""
    motor = m.point_torque(body, 0.0, name="servo motor")
    sensors = [
        fm.control.RelativeAngle(m.ground, body),
        fm.control.RelativeRate(m.ground, body),
        fm.control.Reference(wanted),
    ]
    m.add_controller("servo", period=0.02, delay=0.005, sensors=sensors, commands=motor, law=[[-40.0, -6.0, 40.0]])
    return m


def held() -> fm.PlanarModel:
    """A crank on a drive, without freedom, against which a controller pushes."""
    m = fm.PlanarModel("held", gravity=(0, -9.81))
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.revolute(m.ground, crank.attach("start", (-0.5, 0)), name="hinge")
    m.drive_angle(m.ground, crank.frame, fm.Harmonic(0.5, 4.0), name="drive")
    return m


@pytest.mark.parametrize(("make", "body"), [(four_bar, "left"), (driven, "rod"), (held, "crank")])
def test_sampled_controllers_in_radau(make, body):
    made = (make(), make())
    one, other = (_servo(m, m.component(body).frame, 1.5) for m in made)
    agree(run(one, "radau"), run(other, "radau", "aba"))
    logs = run(one, "radau").control["servo"], run(other, "radau", "aba").control["servo"]
    assert len(logs[0].t) == len(logs[1].t) == 40
    assert logs[0].u == pytest.approx(logs[1].u, abs=1e-7 * np.abs(logs[0].u).max())


@pytest.mark.parametrize("own", [{}, {"formulation": "aba"}])
@pytest.mark.parametrize(("make", "body"), [(four_bar, "left"), (driven, "rod")])
def test_sampled_controllers_in_the_reduced_equations(make, body, own):
    """Generalized-α comes nearer to them by the square of its step, so that both have one limit."""

    def controlled(method: str, **options: Any) -> fm.Solution:
        m = make()
        _servo(m, m.component(body).frame, 1.2)
        return fm.simulate(m, 0.8, method, times=np.linspace(0.0, 0.8, 9), progress=False, **options)

    found = controlled("independent", integrator="radau", tolerance=1e-9, **own)
    assert found.status == "finished" and len(found.control["servo"].t) == 40
    apart = []
    for step in (5e-4, 2.5e-4):
        by_steps = controlled("generalized_alpha", step=step, newton_tolerance=1e-13)
        logs = by_steps.control["servo"].u, found.control["servo"].u
        apart.append([np.abs(a - b).max() for a, b in ((by_steps.q, found.q), logs)])
    assert np.divide(*apart) == pytest.approx(4.0, rel=0.03)
    by_cvode = controlled("independent", tolerance=1e-9, **own)
    assert by_cvode.q == pytest.approx(found.q, rel=0, abs=1e-9)
    u = found.control["servo"].u
    assert by_cvode.control["servo"].u == pytest.approx(u, rel=0, abs=1e-9 * np.abs(u).max())


@pytest.mark.parametrize("formulation", ["aba", "ada"])
@pytest.mark.parametrize(("make", "t_end"), [(held, 1.0), (lambda: four_bars(2, driven=-3.0), 4.0)])
def test_mechanisms_without_freedom_follow_their_drives(make, t_end, formulation):
    """The second one goes through flat, again and again."""
    given = {"t_end": t_end, "times": np.linspace(0.0, t_end, 9)}
    agree(run(make(), "independent", **given), run(make(), "radau", formulation, **given))


def test_too_many_joint_coordinates_are_refused(monkeypatch):
    monkeypatch.setattr("flexmb.solvers.methods.independent.reduced_radau_run.DENSE_LIMIT", 0)
    with pytest.raises(
        fm.errors.SolverError, match=r"1 independent joint coordinates, .* up to 0; take method 'independent'"
    ):
        fm.simulate(four_bar(), 0.1, "radau", formulation="aba", progress=False)
