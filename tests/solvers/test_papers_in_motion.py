"""Runs by classical formulations: motion, joint forces and events are those of compiled formulations."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, DivergenceWarning, FormulationError, KernelError, ModelError, SolverError
from flexmb.formulations.flexible import kane
from flexmb.formulations.papers import CLASSICAL, FLEXIBLE
from flexmb.solvers.runs import by_paper
from flexmb.validation.formulations.classical_in_motion import floating

T_END = 0.1


def chain(loop: bool = False) -> fm.SpatialModel:
    """Two bodies on a universal joint and a hinge with a spring; a plane for its end makes a loop of it."""
    m = fm.SpatialModel("chain", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, -0.5))
    b = m.add_body("b", mass=0.7, inertia=(0.05, 0.06, 0.02), position=(0.4, 0, -1.0))
    m.universal(m.ground, a.frame.attach("top", (0, 0, 0.5)), axis="x", axis_b="y", name="u")
    m.revolute(a.frame.attach("low", (0, 0, -0.5)), b.frame.attach("in", (-0.4, 0, 0)), axis="y", name="h")
    m.point_torque(a.frame, (0.6, 0.2, 0.3))
    m.torsion_spring(a.frame.attach("k", (0, 0, -0.5)), b.frame, axis="y", stiffness=3.0)
    if loop:
        m.point_in_plane(m.ground.attach("anchor", (1.0, 0.2, -1.0)), b.frame.attach("out", (0.4, 0, 0)), name="rod")
    return m


def apart(run: fm.Solution, other: fm.Solution) -> float:
    return float(max(np.abs(run.q[-1] - other.q[-1]).max(), np.abs(run.v[-1] - other.v[-1]).max()))


@pytest.fixture(scope="module")
def compiled() -> dict[bool, fm.Solution]:
    return {
        loop: fm.simulate(
            chain(loop), T_END, "projection", tolerance=1e-5, formulation="aba", gaps="close", progress=False
        )
        for loop in (False, True)
    }


@pytest.mark.parametrize("name", [name for name in CLASSICAL if name in fm.formulations_of(chain()).taken])
def test_every_formulation_of_rigid_bodies(name, compiled):
    run = fm.simulate(chain(), T_END, formulation=name, tolerance=1e-5, progress=False)
    assert run.statistics.method == "projection" and run.trustworthy
    assert apart(run, compiled[False]) < 1e-10
    np.testing.assert_allclose(run.multipliers[-1], compiled[False].multipliers[-1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["projection", "baumgarte"])
@pytest.mark.parametrize("name", ["kane", "discos", "boland-samin-willems"])
def test_loops(name, method, compiled):
    run = fm.simulate(chain(True), T_END, method, formulation=name, tolerance=1e-5, gaps="close", progress=False)
    assert run.trustworthy and apart(run, compiled[True]) < 1e-7


def test_baumgarte_closes_the_gap_of_a_loop():
    """In the formulation itself: an error g of a row decays as g̈ = −a ġ − b g, whatever else acts."""
    tree = fm.Tree.of(chain(True))
    x, u = tree.start()
    x[0] += 0.1
    given, system = tree.state(x, u), tree.system
    row = next(k for k, row in enumerate(system.rows) if row.owner == "rod")
    g, rate, _ = (values[row] for values in system.constraint(0.0, given.q, given.v))
    for name in ("kane", "discos", "boland-samin-willems"):
        formulation = fm.formulation(tree, name)
        formulation.stabilize = (3.0, 7.0)
        a = tree.state(x, u, formulation(x, u)).a
        _, _, gamma = system.constraint(0.0, given.q, given.v)
        second = (system.jacobian(0.0, given.q) @ a)[row] - gamma[row]
        assert second == pytest.approx(-3.0 * rate - 7.0 * g, rel=1e-8), name
        assert formulation.stabilize == (3.0, 7.0)


def arm() -> fm.SpatialModel:
    """A driven body with a bending rod at its end, commanded by a controller until an event cuts the motor off."""
    steel, tube = fm.Material(7850, 1e8, 0.3), fm.Tube(outer_diameter=0.04, inner_diameter=0.034)
    side = fm.bodies.Member(("p", "q"), steel, tube)
    rod = fm.bodies.from_frame({"p": (0, 0, 0), "q": (1, 0, 0)}, [side], interfaces={"p": "p", "q": "q"}, modes=2)
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, -0.5))
    hinge = m.revolute(m.ground, a.frame.attach("top", (0, 0, 0.5)), axis="y", name="h")
    body = m.add_modal_body("rod", rod, position=(-0.5, 0, -1.0))
    m.revolute(a.frame.attach("low", (0, 0, -0.5)), body.frame, axis="y", name="elbow")
    m.point_torque(a.frame, (0, 1, 0), factor=0.0, name="motor")
    angle = fm.control.JointAngle(hinge)
    m.add_controller("servo", period=0.01, sensors=[angle], commands="motor", law=[[-5.0]])
    m.add_event(0.045, fm.Switch(off="motor"), "cut")
    return m


def test_a_flexible_tree_with_a_controller_and_an_event():
    run = fm.simulate(arm(), 0.06, formulation="kane", tolerance=1e-4, progress=False)
    exact = fm.simulate(arm(), 0.06, "projection", formulation="aba", tolerance=1e-4, progress=False)
    assert apart(run, exact) < 1e-9 and [e.t for e in run.events] == [0.045]
    np.testing.assert_allclose(run.control["servo"].u, exact.control["servo"].u, atol=1e-8)


@pytest.mark.parametrize("method", ["radau", "dop853", "generalized_alpha", "independent", "euler"])
def test_compiled_methods_refuse_and_say_which_do_not(method):
    said = f"{method!r} needs compiled equations.*take method 'baumgarte' or 'projection'"
    with pytest.raises(SolverError, match=said):
        fm.simulate(chain(), T_END, method, formulation="kane")


def test_what_a_paper_does_not_take_is_refused_by_name():
    with pytest.raises(FormulationError, match="breaks what it assumes, that hinges form a tree"):
        fm.simulate(chain(True), T_END, formulation="hooker-1970", gaps="close")
    with pytest.raises(ModelError, match="formulation is 'kanes'; choose one of"):
        fm.simulate(chain(), T_END, formulation="kanes")
    m = fm.SpatialModel("rubs", gravity=(0, 0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, -0.5))
    friction = fm.JointFriction(0.1, radius=0.02, length=0.1)
    m.revolute(m.ground, a.frame.attach("top", (0, 0, 0.5)), axis="y", name="h", friction=friction)
    with pytest.raises(FormulationError, match="'h' breaks what it assumes, that friction does not depend"):
        fm.simulate(m, T_END, formulation="kane")


def test_wrong_accelerations_are_a_doubt(monkeypatch):
    def wrong(motion):
        found = kane.solve(motion)
        return found._replace(ud=found.ud * (1.0 + 1e-5))

    paper = kane.PAPER._replace(solve=wrong)
    for papers in (CLASSICAL, FLEXIBLE):
        monkeypatch.setitem(papers, "kane", paper)
    with pytest.warns(AccuracyWarning, match="formulation 'kane' differ from those of the components by [1-9]e-06"):
        run = fm.simulate(chain(), T_END, formulation="kane", progress=False)
    assert not run.trustworthy


def test_a_long_run_is_foretold(monkeypatch, capsys):
    monkeypatch.setattr(by_paper, "LONG", 0.0)
    fm.simulate(chain(), T_END, formulation="kane")
    assert "formulation 'kane' takes" in (said := capsys.readouterr().err) and said.count("an evaluation") == 1
    fm.simulate(chain(), T_END, formulation="kane", progress=False)
    assert not capsys.readouterr().err


def test_a_force_of_the_users_that_fails_is_named_and_keeps_the_steps_so_far():
    def force(t, state):
        if t > 0.05:
            raise ValueError("no more")
        return np.zeros(3), np.zeros(3)

    m = chain()
    m.python_force(m.frame("b"), force)
    with pytest.raises(KernelError, match="no more") as caught:
        fm.simulate(m, T_END, formulation="kane", progress=False)
    assert 0.0 < caught.value.solution.t[-1] <= 0.05


def test_the_momentum_form_moves_as_the_velocity_form_and_keeps_the_momentum_to_the_last_digit():
    options = {"formulation": "jerkovsky", "tolerance": 1e-5, "progress": False}
    run = fm.simulate(floating(), 0.2, momenta=True, **options)
    exact = fm.simulate(floating(), 0.2, "dop853", tolerance=1e-11, progress=False)
    assert apart(run, exact) < 1e-8 and run.trustworthy
    momentum = sum(mass * run[name].velocity for name, mass in (("a", 1.0), ("b", 0.7), ("c", 0.4)))
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=2e-15)


def test_momenta_are_refused_by_name():
    with pytest.raises(SolverError, match="momenta are of formulation 'jerkovsky', which alone has a form in momenta"):
        fm.simulate(floating(), 0.1, "projection", formulation="kane", momenta=True)
    with pytest.raises(SolverError, match="has no option 'momenta'"):
        fm.simulate(floating(), 0.1, "baumgarte", formulation="jerkovsky", momenta=True)


def tumbling() -> fm.SpatialModel:
    """Two bodies on a hinge that turn about the y-axis."""
    m = fm.SpatialModel("tumbling")
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.15))
    b = m.add_body("b", mass=0.5, inertia=(0.05, 0.06, 0.02), position=(0.8, 0, 0))
    m.revolute(a.attach("right", (0.4, 0, 0)), b.attach("left", (-0.4, 0, 0)), axis="z", name="hinge")
    m.set_rigid_motion(angular_velocity=(0.0, 2.0, 0.0))
    return m


@pytest.mark.parametrize("options", [{"formulation": "kane"}, {"formulation": "jerkovsky", "momenta": True}])
def test_euler_angles_at_a_singular_position_end_a_run_with_place_and_time(options):
    said = r"stopped at t = 0\.78\d* s: the Euler angles 'ZYX' of 'a' are at a singular position"
    with pytest.warns(DivergenceWarning, match=said):
        run = fm.simulate(
            tumbling(), 2.0, rotations="euler_angles:ZYX", ode_method="RK23", tolerance=0.1, progress=False, **options
        )
    assert run.status == "diverged" and run.t[-1] == pytest.approx(0.25 * np.pi, abs=1e-3)
    with pytest.raises(SolverError, match="at the start the Euler angles 'ZXZ' of 'a' are at a singular position"):
        fm.simulate(tumbling(), 2.0, rotations="euler_angles", **options)


def test_momenta_ask_for_their_formulation_and_are_yes_or_no():
    with pytest.raises(SolverError, match="give formulation='jerkovsky', or leave momenta out"):
        fm.simulate(floating(), 0.1, "projection", momenta=True)
    with pytest.raises(ModelError, match="momenta is 'yes'; give True or False"):
        fm.simulate(floating(), 0.1, formulation="jerkovsky", momenta="yes")
    with pytest.raises(FormulationError, match="'rod' breaks what it assumes, that bodies are rigid"):
        fm.simulate(arm(), 0.1, formulation="jerkovsky", momenta=True)
