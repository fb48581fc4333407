"""Joint forces and drift that a run in joint coordinates leaves to whoever reads them, against those found at each
step."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.coordinates.joints.late_forces import LateForces
from flexmb.solvers.methods.explicit import explicit_run
from flexmb.validation.performance import arm as upright

METHODS = [
    ("rkf45", {"step": 1e-2}),
    ("rkf45", {"tolerance": 1e-6}),
    ("dop853", {}),
    ("euler", {"step": 1e-2, "second_run": False}),
    ("rosenbrock", {"step": 1e-2, "second_run": False}),
    ("generalized_alpha", {"step": 1e-2, "second_run": False}),
]


def arm(count):
    """An arm that falls from where it stands upright, since gravity pulls it aside as well."""
    model = upright.arm(count)
    model.gravity = (3.0, 2.0, -9.81)
    return model


def run(model, method, options, **more):
    return fm.simulate(model, 0.2, method, progress=False, formulation="aba", **options, **more)


def controlled():
    """The arm with torques in its joints, which two controllers command, one of them with a delay."""
    model, torques = arm(3), []
    for k in range(3):
        torques.append(model.joint_force(model.components[f"hinge {k}"], 0.0, name=f"torque {k}"))
    for k, (torque, period, delay) in enumerate(zip(torques, (0.02, 0.015), (0.0, 0.011))):
        hinge = model.components[f"hinge {k}"]
        sensors = [fm.control.JointAngle(hinge), fm.control.JointRate(hinge)]
        model.add_controller(
            f"servo {k}", period=period, delay=delay, sensors=sensors, commands=torque, law=[[-300.0, -8.0]]
        )
    return model


def at_once(monkeypatch, model, method, options, **more):
    """A run that finds joint forces at each step."""
    with monkeypatch.context() as patch:
        patch.setattr(explicit_run, "can_wait", lambda *given: False)
        return run(model, method, options, **more)


def read_later(monkeypatch):
    """A list to which the numbers of states are added whose forces are found later."""
    tried, forces = [], LateForces.multipliers
    monkeypatch.setattr(LateForces, "multipliers", lambda self, *x: tried.append(len(x[0])) or forces(self, *x))
    return tried


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_forces_found_later_are_those_found_at_each_step(monkeypatch, method, options):
    model = arm(3)
    known = at_once(monkeypatch, model, method, options)
    tried = read_later(monkeypatch)
    late = run(model, method, options)
    assert sum(tried) < 66, "the check of energy reads some of them"
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(late, name), getattr(known, name)), name
    assert sum(tried) == len(late.t) - 1, "each is found once"
    assert np.all(np.abs(late.multipliers[1:]).max(axis=1) > 0.0)
    assert late.energy.error == known.energy.error and late.doubts == known.doubts
    assert late.statistics.position_drift == known.statistics.position_drift < 1e-13
    assert late.statistics.velocity_drift == known.statistics.velocity_drift < 1e-13
    assert 0.0 < late.statistics.position_drift + late.statistics.velocity_drift


def test_a_step_of_a_simulator_knows_its_forces():
    model = arm(3)
    simulator = fm.Simulator(model, "rkf45", step=1e-2, formulation="aba")
    for _ in range(3):
        state = simulator.step(1e-2)
    whole = run(model, "rkf45", {"step": 1e-2})
    assert state.lam == pytest.approx(whole.multipliers[3], rel=1e-9, abs=1e-9)
    assert np.abs(state.lam).max() > 1.0


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_forces_under_the_commands_of_controllers(monkeypatch, method, options):
    model = controlled()
    known = at_once(monkeypatch, model, method, options)
    tried = read_later(monkeypatch)
    late = run(model, method, options)
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(late, name), getattr(known, name)), name
    assert 0 < len(late.t) - 1 <= sum(tried)
    commands = late.control["servo 0"]["torque 0"]
    assert np.ptp(commands) > 0.01 and late.energy.error == known.energy.error


@pytest.mark.parametrize("build", [arm, lambda count: controlled()])
def test_forces_at_chosen_times_are_found_of_the_steps_around_them(monkeypatch, build):
    model, options, times = build(3), {"step": 1e-3, "second_run": False}, [0.0105, 0.0502, 0.1, 0.2]
    known = at_once(monkeypatch, model, "rkf45", options, times=times)
    tried = read_later(monkeypatch)
    late = run(model, "rkf45", options, times=times)
    assert np.array_equal(late.q, known.q) and late.multipliers == pytest.approx(known.multipliers, rel=1e-9, abs=1e-9)
    assert 0 < sum(tried) <= 10 * len(times) and np.abs(late.multipliers).max() > 1.0
    assert late.energy.error == pytest.approx(known.energy.error, rel=1e-6)
    assert late.statistics.position_drift == known.statistics.position_drift
    assert late.statistics.velocity_drift == known.statistics.velocity_drift


def test_forces_are_found_at_each_step_where_they_are_asked_for(monkeypatch):
    """By events, and by the sensors of controllers."""
    step, falling, tried = {"step": 1e-2}, arm(3), read_later(monkeypatch)
    pull = float(run(falling, "rkf45", step)["hinge 0.fx"][10])
    falling.add_event(fm.crossing("hinge 0.fx", pull), fm.StopRun())
    assert run(falling, "rkf45", {"tolerance": 1e-6}).t[-1] == pytest.approx(0.1, abs=1e-5)
    model = controlled()
    cell = fm.control.LoadCell(model.components["hinge 0"], "x")
    model.add_controller("watch", period=0.05, sensors=[cell], commands=model.components["torque 2"], law=[[1e-3]])
    tried.clear()
    read = run(model, "rkf45", step)
    assert not tried and np.abs(read.control["watch"]["torque 2"]).max() > 0.0
