"""Joint forces that a run in joint coordinates leaves to whoever reads them, where rows beyond the tree have
multipliers of their own, which each step keeps: against those found at each step."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.coordinates.joints.late_forces import LateForces
from flexmb.solvers.methods.explicit import explicit_run
from flexmb.validation.performance import arm as upright
from tests.solvers.coordinates.joints.models import MODELS


def mimicking() -> fm.SpatialModel:
    """An arm that falls aside, whose last hinge turns by half as much as the first, with a motor in the second."""
    m = upright.arm(3)
    m.gravity = (3.0, 2.0, -9.81)
    m.coupling(m.components["hinge 0"], m.components["hinge 2"], 0.5, name="mimic")
    m.joint_force(m.components["hinge 1"], fm.Harmonic(2.0, 5.0), name="motor")
    return m


def flat() -> fm.PlanarModel:
    """Two arms and a bar on them, a parallelogram, which swing down and lie flat on their way."""
    m = fm.PlanarModel("parallelogram", gravity=(0.0, -9.81))
    bar = m.add_body("bar", mass=2.0, inertia=0.3, position=(1.0, 1.0))
    bar.move((-6.0, 0.0))
    for k, x in enumerate((0.0, 2.0)):
        arm = m.add_body(f"arm {k}", mass=1.0, inertia=0.1, position=(x, 0.5), angle=0.5 * np.pi)
        arm.move((-3.0, 0.0), 6.0)
        m.revolute(m.ground.attach(f"base {k}", (x, 0.0)), arm.attach("root", (-0.5, 0.0)), name=f"base {k}")
        m.revolute(arm.attach("end", (0.5, 0.0)), bar.attach(f"eye {k}", (x - 1.0, 0.0)), name=f"eye {k}")
    return m


MECHANISMS = {"mimicking": mimicking, "flat": flat, **{name: MODELS[name] for name in ("four-bar", "driven", "blade")}}
METHODS = [
    ("rkf45", {"step": 2e-3, "second_run": False}),
    ("dop853", {}),
    ("euler", {"step": 2e-3, "second_run": False}),
    ("generalized_alpha", {"step": 2e-3, "second_run": False}),
]


def run(build, method="rkf45", options=METHODS[0][1], t_end=0.4, **more):
    return fm.simulate(build(), t_end, method, progress=False, formulation="aba", **options, **more)


def at_once(monkeypatch, *given, **more):
    """A run that finds joint forces at each step."""
    with monkeypatch.context() as patch:
        patch.setattr(explicit_run, "can_wait", lambda *_: False)
        return run(*given, **more)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize(("method", "options"), METHODS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_forces_found_later_are_those_found_at_each_step(monkeypatch, name, method, options):
    known = at_once(monkeypatch, MECHANISMS[name], method, options)
    late = run(MECHANISMS[name], method, options)
    for part in ("t", "q", "v", "a", "multipliers"):
        one, other = (getattr(x, part)[1:] for x in (late, known))
        if name == "flat" and part == "multipliers":  # those of a passage are found anew
            assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * np.abs(other).max())
        else:
            assert np.array_equal(one, other), part
    assert np.abs(late.multipliers).max() > 1e-3
    assert late.energy.error == known.energy.error and late.doubts == known.doubts
    assert np.array_equal(late.energy.drives, known.energy.drives)
    for drift in ("position_drift", "velocity_drift"):
        assert getattr(late.statistics, drift) == getattr(known.statistics, drift) > 0.0


def test_a_parallelogram_passes_its_flat_position_while_forces_wait():
    late = run(flat, t_end=0.7)
    assert late.status == "finished" and np.ptp(late["bar"].x) == pytest.approx(2.0, rel=0.01)
    assert np.all(np.diff(late["arm 0"].angle) != 0.0)


@pytest.mark.parametrize("name", ["mimicking", "driven"])
def test_forces_at_chosen_times_and_the_work_of_drives_until_then(monkeypatch, name):
    times = [0.0105, 0.0502, 0.1, 0.2]
    known, late = (f(times=times, t_end=0.2) for f in (
        lambda **more: at_once(monkeypatch, MECHANISMS[name], **more), lambda **more: run(MECHANISMS[name], **more),
    ))  # fmt: skip
    assert np.array_equal(late.q, known.q)
    assert late.multipliers == pytest.approx(known.multipliers, rel=1e-9, abs=1e-9)
    assert late.energy.drives == pytest.approx(known.energy.drives, rel=1e-9, abs=1e-12)
    assert np.abs(late.energy.drives).max() > 0.0 or name == "mimicking"


def test_a_step_of_a_simulator_knows_its_forces():
    simulator = fm.Simulator(mimicking(), "rkf45", step=1e-2, formulation="aba")
    for _ in range(3):
        state = simulator.step(1e-2)
    whole = run(mimicking, options={"step": 1e-2, "second_run": False}, t_end=0.05)
    assert state.lam == pytest.approx(whole.multipliers[3], rel=1e-9, abs=1e-9)
    assert np.abs(state.lam).max() > 1.0


def test_no_forces_are_found_where_nobody_reads_them(monkeypatch):
    """The check of energy reads those of the start and of the end, for what counts as still."""
    tried, forces = [], LateForces.multipliers
    monkeypatch.setattr(LateForces, "multipliers", lambda self, *x: tried.append(len(x[0])) or forces(self, *x))
    late = run(mimicking)
    assert sum(tried) <= 2
    assert late.energy.error < 1e-6 and sum(tried) <= 2
    assert np.abs(late["hinge 1.fx"]).max() > 1.0 and sum(tried) == len(late.t) - 1
