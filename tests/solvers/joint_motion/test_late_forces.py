"""Joint forces and drift that a run in joint coordinates leaves to whoever reads them, against those found at each
step."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.history import History
from flexmb.solvers.joint_motion.late_forces import LateForces
from flexmb.validation.performance import arm as upright

METHODS = [
    ("rkf45", {"step": 1e-2}),
    ("rkf45", {"tolerance": 1e-6}),
    ("dop853", {}),
    ("euler", {"step": 1e-2, "second_run": False}),
    ("generalized_alpha", {"step": 1e-2, "second_run": False}),
]


def arm(count):
    """An arm that falls from where it stands upright, since gravity pulls it aside as well."""
    model = upright.arm(count)
    model.gravity = (3.0, 2.0, -9.81)
    return model


def run(model, method, options, **more):
    return fm.simulate(model, 0.2, method, progress=False, formulation="aba", **options, **more)


def at_once(monkeypatch, model, method, options):
    """A run that finds joint forces at each step."""
    with monkeypatch.context() as patch:
        patch.setattr(History, "keeps_all", False)
        return run(model, method, options)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize(("method", "options"), METHODS)
def test_forces_found_later_are_those_found_at_each_step(monkeypatch, method, options):
    model, tried = arm(3), []
    known = at_once(monkeypatch, model, method, options)
    forces = LateForces.multipliers
    monkeypatch.setattr(LateForces, "multipliers", lambda self, *x: tried.append(len(x[0])) or forces(self, *x))
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


def test_forces_are_found_at_each_step_where_they_are_asked_for():
    """At chosen times, between which steps are dropped, and by events."""
    step = {"step": 1e-2}
    times = run(arm(3), "rkf45", step, times=[0.05, 0.1])
    assert times.multipliers == pytest.approx(run(arm(3), "rkf45", step).multipliers[[5, 10]], rel=1e-6, abs=1e-6)
    falling = arm(3)
    pull = float(run(falling, "rkf45", step)["hinge 0.fx"][10])
    falling.add_event(fm.crossing("hinge 0.fx", pull), fm.StopRun())
    assert run(falling, "rkf45", {"tolerance": 1e-6}).t[-1] == pytest.approx(0.1, abs=1e-5)
