"""All methods give the same motion, with the order that they should have."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum

TIGHT = {
    "independent": {"tolerance": 1e-10, "absolute_tolerance": 1e-12, "max_order": 5},
    "baumgarte": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "projection": {"tolerance": 1e-11, "absolute_tolerance": 1e-13},
    "rkf45": {"step": 1e-3},
    "radau": {"tolerance": 1e-10},
    "dop853": {"tolerance": 1e-10},
}


@pytest.fixture(scope="module")
def exact():
    return {
        build: fm.simulate(build(), 1.0, "projection", tolerance=1e-12, absolute_tolerance=1e-14, progress=False)
        for build in (chain, flexible_pendulum)
    }


@pytest.mark.parametrize("method", TIGHT)
def test_methods_agree_on_the_chain(method, exact):
    run = fm.simulate(chain(), 1.0, method, progress=False, **TIGHT[method])
    assert run.status == "finished"
    np.testing.assert_allclose(run.q[-1], exact[chain].q[-1], atol=3e-8)
    np.testing.assert_allclose(run.multipliers[-1], exact[chain].multipliers[-1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", TIGHT)
def test_methods_agree_on_a_flexible_pendulum(method, exact):
    options = TIGHT[method] | ({"step": 1e-4} if method == "rkf45" else {})
    run = fm.simulate(flexible_pendulum(), 1.0, method, progress=False, **options)
    np.testing.assert_allclose(run.q[-1], exact[flexible_pendulum].q[-1], atol=2e-7)


@pytest.mark.parametrize("ode_method", ["RK23", "RK45", "Radau", "BDF", "LSODA"])
def test_projection_takes_every_method_of_scipy_and_keeps_the_constraints(ode_method, exact):
    tolerance = 1e-6 if ode_method == "RK23" else 1e-8
    options = {"tolerance": tolerance, "absolute_tolerance": tolerance * 1e-2}
    run = fm.simulate(chain(), 1.0, "projection", ode_method=ode_method, progress=False, **options)
    np.testing.assert_allclose(run.q[-1], exact[chain].q[-1], atol=300 * tolerance)
    bound = 1e-11 if ode_method != "LSODA" else 1e-5
    assert run.statistics.position_drift < bound


@pytest.mark.parametrize(("method", "order", "step"), [("generalized_alpha", 2, 4e-3), ("rkf45", 5, 1.6e-2)])
def test_order_of_fixed_step_methods(method, order, step, exact):
    errors = []
    for h in (step, step / 2):
        run = fm.simulate(chain(), 0.96, method, step=h, progress=False)
        reference = fm.simulate(chain(), 0.96, "projection", tolerance=1e-12, absolute_tolerance=1e-14, progress=False)
        assert abs(run.t[-1] - 0.96) < 1e-12
        errors.append(np.max(np.abs(run.q[-1] - reference.q[-1])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_rkf45_reports_the_error_of_its_steps():
    errors = [fm.simulate(chain(), 0.2, "rkf45", step=h, progress=False).statistics.step_error for h in (2e-2, 1e-2)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.6)


def test_multipliers_of_generalized_alpha_have_second_order(exact):
    errors = []
    for h in (4e-3, 2e-3):
        run = fm.simulate(chain(), 1.0, step=h, progress=False)
        errors.append(np.max(np.abs(run.multipliers[-1] - exact[chain].multipliers[-1])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.35)


def test_error_control_follows_the_tolerance(exact):
    errors = []
    for tolerance in (1e-5, 1e-7):
        run = fm.simulate(flexible_pendulum(), 1.0, tolerance=tolerance, progress=False)
        errors.append(np.max(np.abs(run.q[-1] - exact[flexible_pendulum].q[-1])))
    assert errors[0] < 3e-2
    assert errors[1] < errors[0] / 10


def test_positions_and_velocities_both_keep_their_constraints():
    run = fm.simulate(chain(5), 1.0, step=2e-3, progress=False)
    system = fm.System(chain(5))
    for t, q, v in zip(run.t[::50], run.q[::50], run.v[::50]):
        g, gd, _ = system.constraint(t, q, v)
        assert np.max(np.abs(g)) < 1e-8
        assert np.max(np.abs(gd)) < 1e-6


def test_runs_repeat_bit_by_bit():
    a, b = (fm.simulate(flexible_pendulum(), 0.5, progress=False) for _ in range(2))
    assert np.array_equal(a.q, b.q) and np.array_equal(a.t, b.t)


def test_sparse_and_dense_linear_algebra_agree(monkeypatch):
    from flexmb.system import system as module

    options = {"step": 2e-3, "newton_tolerance": 1e-13, "progress": False}
    dense = fm.simulate(chain(5), 0.3, **options)
    original = fm.System.__init__
    monkeypatch.setattr(
        module.System, "__init__", lambda self, model, **kw: original(self, model, **kw | {"dense_limit": 5})
    )
    sparse = fm.simulate(chain(5), 0.3, **options)
    np.testing.assert_allclose(sparse.q, dense.q, atol=2e-8)
    partitioned = fm.simulate(
        chain(5), 0.3, "independent", tolerance=1e-9, absolute_tolerance=1e-11, max_order=5, progress=False
    )
    np.testing.assert_allclose(partitioned.q[-1], dense.q[-1], atol=1e-4)


def test_krylov_and_dense_newton_of_the_partitioned_method_agree(monkeypatch):
    from flexmb.solvers.methods.independent import cvode as independent

    options = {"tolerance": 1e-9, "absolute_tolerance": 1e-11, "max_order": 5, "progress": False}
    dense = fm.simulate(chain(4), 0.5, "independent", **options)
    monkeypatch.setattr(independent, "DENSE_LIMIT", 1)
    krylov = fm.simulate(chain(4), 0.5, "independent", **options)
    np.testing.assert_allclose(krylov.q[-1], dense.q[-1], atol=1e-6)


def test_partition_changes_when_its_pivots_wear_out():
    model = chain(1)
    model.component("link0").move((0.0, 2.0), 4.0)
    run = fm.simulate(model, 3.0, "independent", tolerance=1e-8, absolute_tolerance=1e-10, progress=False)
    reference = fm.simulate(model, 3.0, "projection", tolerance=1e-11, absolute_tolerance=1e-13, progress=False)
    np.testing.assert_allclose(run.q[-1], reference.q[-1], atol=1e-4)
    named = fm.simulate(
        model, 3.0, "independent", tolerance=1e-8, absolute_tolerance=1e-10, coordinates=["link0.angle"], progress=False
    )
    np.testing.assert_allclose(named.q[-1], reference.q[-1], atol=1e-4)


def test_a_driven_mechanism_without_freedom_follows_its_drive():
    """Also between its steps, which nothing shortens."""
    angle = fm.SpinUp(6.0, 0.5)
    for method in ("generalized_alpha", *TIGHT):
        model = chain(1)
        model.drive_angle(model.ground, model.frame("link0"), angle)
        run = fm.simulate(model, 2.0, method, progress=False)
        between = run.at(np.linspace(0.0, 2.0, 777))
        np.testing.assert_allclose(between["link0"].angle, [angle(t) for t in between.t], atol=3e-7)
        assert run.q[-1, run.coordinate_names.index("link0.angle")] == pytest.approx(6.0 * 1.75, abs=1e-9)
        np.testing.assert_allclose(np.hypot(*run["link0"].position.T), 0.5, atol=1e-9)


@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_a_beam_may_turn_many_times():
    model = fm.PlanarModel("propeller")
    rod = model.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e6, EI=200.0, rhoA=0.4))
    model.revolute(model.ground, rod.start)
    model.set_rigid_motion((0.0, 0.0), 60.0)
    run = fm.simulate(model, 2.0, step=5e-4, progress=False)
    turned = run["rod.start"].angle
    assert turned[-1] == pytest.approx(120.0, rel=0.002)
    assert np.max(np.abs(np.diff(turned))) < 0.1
    np.testing.assert_allclose(run["rod@0"].angle, turned, atol=1e-9)
