"""The loop of Radau IIA: the error that was asked for, stiff and large models, controllers, drives with kinks, ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.algebra import sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.sparse_order import analyse
from flexmb.errors import DivergenceWarning, SolverError
from flexmb.feedback.sensors import RelativeRate
from flexmb.solvers.methods.radau.first_guess import weights_of_integral
from flexmb.solvers.methods.radau.radau_coefficients import POINTS
from flexmb.validation import andrews
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum, pendulum


def difference(run, exact):
    return float(np.max(np.abs(run.q[-1] - exact.q[-1])))


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.warns(fm.errors.AccuracyWarning, "rounding may have left an error")
def test_the_tolerance_is_the_error(tolerance):
    """Of a pendulum after 5 s, and of the stiff motion of Andrews' squeezer, whose angles are fast."""
    run = fm.simulate(pendulum(), 5.0, "radau", tolerance=tolerance, progress=False)
    way = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.cos(y[0]) / 1.1], (0, 5), [0, 0], "DOP853", run.t, rtol=1e-12, atol=1e-13
    )
    assert np.max(np.abs(run["bob.angle"] - way.y[0])) < 10.0 * tolerance
    exact = fm.simulate(andrews.build(), 0.03, "radau", tolerance=1e-11, progress=False)
    run = fm.simulate(andrews.build(), 0.03, "radau", tolerance=tolerance, progress=False)
    assert difference(run, exact) < 10.0 * tolerance


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact", "floating"])
def test_beams_and_their_joint_forces(theory):
    """Vibration along and in shear, of up to 1e4 rad/s and 5e-7 rad, is damped until the steps resolve it."""
    exact = fm.simulate(
        flexible_pendulum(theory), 0.5, "projection", tolerance=1e-10, absolute_tolerance=1e-12, progress=False
    )
    run = fm.simulate(flexible_pendulum(theory), 0.5, "radau", tolerance=1e-9, progress=False)
    assert difference(run, exact) < 1e-7
    np.testing.assert_allclose(run.multipliers[-1], exact.multipliers[-1], atol=2e-4)
    assert run.statistics.velocity_drift < 1e-11 and run.statistics.position_drift < 1e-11


def test_stiff_members_are_not_followed():
    """Axial waves of 5e4 rad/s: some hundred steps for a second, with the tip on its way."""
    model = fm.PlanarModel("rod", gravity=(0, -9.81))
    stiff = fm.Material(density=7850.0, youngs_modulus=7850e9)
    rod = model.add_beam(
        "rod", (0, 0), (1, 0), material=stiff, section=fm.Rectangle(0.01, 0.01), elements=8, theory="ancf"
    )
    model.revolute(model.ground, rod.start)
    run = fm.simulate(model, 1.0, "radau", tolerance=1e-5, progress=False)
    assert run.trustworthy and run.statistics.steps < 600
    way = solve_ivp(lambda t, y: [y[1], -1.5 * 9.81 * np.cos(y[0])], (0, 1), [0, 0], rtol=1e-10, atol=1e-12)
    angle = np.arctan2(*run["rod.end"].position[-1][::-1])
    assert np.exp(1j * angle) == pytest.approx(np.exp(1j * way.y[0, -1]), abs=2e-5)


def test_a_large_model_has_sparse_matrices():
    model = flexible_pendulum("ancf", elements=60)
    assert fm.System(model).pattern is not None
    run = fm.simulate(model, 0.1, "radau", tolerance=1e-6, progress=False)
    same = fm.simulate(model, 0.1, "generalized_alpha", step=2e-5, progress=False)
    assert run.status == "finished" and difference(run, same) < 2e-5


def test_complex_factors():
    rng = np.random.default_rng(3)
    real = fm.System(flexible_pendulum("ancf", elements=60))
    matrix = real.matrix(0.0, real.q0, real.v0, real.v0, np.zeros(real.m), (1.0, 0.0, 1e-4))
    values = matrix.data + 0.3j * rng.standard_normal(len(matrix.data)) * (matrix.data != 0.0)
    A = matrix.astype(complex)
    A.data = values
    lu = sparse_storage.allocate(analyse(*A.shape, A.indptr, A.indices), kind=complex, room=0.1)
    status, lu = sparse_lu.factorize_growing(lu, A.data)
    assert status == sparse_storage.OK and lu.lower.value.dtype == complex
    b = rng.standard_normal(A.shape[0]) + 1j * rng.standard_normal(A.shape[0])
    x = b.copy()
    sparse_solve.solve(lu, x, np.zeros(len(b), dtype=complex))
    assert np.max(np.abs(A @ x - b)) < 1e-10 * np.max(np.abs(x))


def test_a_controller_acts_as_in_the_other_loop():
    def held(method, **options):
        m = fm.PlanarModel("held", gravity=(0.0, -9.81))
        body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
        m.revolute(m.ground, body.attach("eye", (-1.0, 0.0)), name="hinge")
        m.point_torque(body.frame, 0.0, name="brake")
        sensors = [RelativeRate(m.ground, body.frame)]
        m.add_controller("law", period=0.02, sensors=sensors, commands="brake", law=[[-3.0]])
        return fm.simulate(m, 1.0, method, progress=False, **options)

    run, other = held("radau", tolerance=1e-9), held("generalized_alpha", step=1e-4)
    assert difference(run, other) < 1e-5
    np.testing.assert_allclose(run.control["law"].u, other.control["law"].u, atol=1e-4)
    assert np.isin(np.round(0.02 * np.arange(51), 12), np.round(run.t, 12)).all()


def test_drives_with_kinks():
    """A trapezium of speed: accelerations jump four times, and positions are those of the drive."""
    model = fm.PlanarModel("wheel")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1)
    tip = wheel.attach("tip", (1.0, 0.0))
    bob = model.add_body("bob", mass=0.1, inertia=0.01, position=(2.0, 0.0))
    model.revolute(model.ground, wheel.frame)
    model.revolute(tip, bob.attach("eye", (-1.0, 0.0)))
    model.drive_angle(model.ground, wheel.frame, fm.TrapezoidalSpeed(3.0, 0.25, 0.4, 0.25))
    exact = fm.simulate(model, 1.2, "radau", tolerance=1e-12, max_step=1e-3, progress=False)
    for tolerance in (1e-4, 1e-7):
        run = fm.simulate(model, 1.2, "radau", tolerance=tolerance, progress=False)
        assert run["wheel.angle"][-1] == pytest.approx(3.0, abs=1e-12)
        assert difference(run, exact) < 10.0 * tolerance


def test_a_force_without_end_is_named():
    """It grows beyond all bounds at 0.5 s."""
    model = fm.PlanarModel("wall")
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.python_force(body.frame, lambda t, x, v: (1.0 / (0.5 - t) ** 3, 0.0, 0.0))
    with pytest.warns(DivergenceWarning, match=r"steps shrink to nothing, worst in 'body.x': a force .* jumps"):
        run = fm.simulate(model, 1.0, "radau", progress=False)
    assert run.status == "diverged" and 0.499 < run.t[-1] <= 0.5


@pytest.mark.parametrize("tolerance", [0.0, -1e-6, 1e-14, "small"])
def test_tolerances_that_cannot_be(tolerance):
    with pytest.raises((SolverError, fm.errors.ModelError), match="tolerance"):
        fm.simulate(chain(1), 0.1, "radau", tolerance=tolerance, progress=False)


def test_positions_go_on_as_the_integral_of_speeds():
    """Of speeds that are a polynomial of third order in a step, its stages lead to exact positions behind it."""
    speeds = np.polynomial.Polynomial([0.0, 0.7, -1.3, 0.4])
    way = speeds.integ()
    for part in (1.0, 1.2, 2.0, 3.5):
        found = np.dot(weights_of_integral(part), speeds(POINTS))
        assert found == pytest.approx(way(part) - way(1.0) - (part - 1.0) * speeds(1.0), rel=1e-12, abs=1e-14)
