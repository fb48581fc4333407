"""Velocity rows in the methods of motion: order, agreement, energy, large models, rows that depend on time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import KernelError, SolverError
from flexmb.kernels import Kernels, kernel
from flexmb.model.components import Assembler
from flexmb.testing import check_system, conformance
from flexmb.validation.skate import compute as skate
from flexmb.validation.trailer import compute as trailer
from tests.models.vehicles import train

METHODS = {
    "generalized_alpha": {"step": 5e-4},
    "independent": {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
    "baumgarte": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "projection": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "rkf45": {"step": 2e-3},
    "radau": {"tolerance": 1e-9},
    "dop853": {"tolerance": 1e-10},
    "rosenbrock": {"tolerance": 1e-8},
}


def finely(method: str) -> dict[str, float]:
    """Short steps, which the integrals of the ledger need."""
    return {} if "step" in METHODS[method] else {"max_step": 2e-3}


@pytest.fixture(scope="module")
def exact():
    return fm.simulate(train(2), 2.0, "projection", tolerance=1e-12, absolute_tolerance=1e-14, progress=False)


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_on_a_train(method, exact):
    run = fm.simulate(train(2), 2.0, method, progress=False, **METHODS[method])
    assert run.status == "finished"
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=4e-7)
    np.testing.assert_allclose(run.v[-1], exact.v[-1], atol=1e-6)
    np.testing.assert_allclose(run.multipliers[-1], exact.multipliers[-1], atol=1e-5)
    assert run.statistics.velocity_drift < 1e-8


def test_generalized_alpha_is_of_second_order_in_positions_speeds_and_forces(exact):
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        run = fm.simulate(train(2), 2.0, step=h, progress=False)
        off = (run.q[-1] - exact.q[-1], run.v[-1] - exact.v[-1], run.multipliers[-1] - exact.multipliers[-1])
        errors.append([np.max(np.abs(x)) for x in off])
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.1)


def test_forces_are_of_second_order_where_steps_change_too(exact):
    """A tenth of the tolerance leaves a tenth of the error."""
    errors = []
    for tolerance in (1e-3, 1e-4, 1e-5):
        run = fm.simulate(train(2), 2.0, tolerance=tolerance, progress=False)
        errors.append(
            [np.max(np.abs(run.q[-1] - exact.q[-1])), np.max(np.abs(run.multipliers[-1] - exact.multipliers[-1]))]
        )
    falls = np.log10(np.array(errors)[:-1] / np.array(errors)[1:])
    assert np.all(falls > 0.8)


@pytest.mark.parametrize("method", METHODS)
def test_the_ledger_closes(method):
    finely = (
        {} if "step" in METHODS[method] else {"max_step": 2e-3}
    )  # the ledger's integrals take the steps as they are
    run = fm.simulate(train(2), 2.0, method, progress=False, **METHODS[method], **finely)
    assert run.trustworthy
    assert run.energy.error < 1e-6
    np.testing.assert_allclose(run.energy.drives, 0.0, atol=1e-9)


def test_a_large_train_goes_through_the_sparse_matrix():
    build = lambda: train(12)  # noqa: E731
    assert fm.System(build()).pattern is not None
    reference = fm.simulate(build(), 1.0, "rkf45", step=2e-3, progress=False)
    for method in ("generalized_alpha", "independent", "projection"):
        run = fm.simulate(build(), 1.0, method, progress=False, **METHODS[method])
        np.testing.assert_allclose(run.q[-1], reference.q[-1], atol=1e-6)
        np.testing.assert_allclose(run.multipliers[-1], reference.multipliers[-1], atol=1e-4)
    assert run.statistics.velocity_drift < 1e-9


def test_preconditioned_gmres_has_a_spread_for_positions_and_one_for_speeds(monkeypatch, exact):
    monkeypatch.setattr("flexmb.solvers.methods.independent.cvode.DENSE_LIMIT", 0)
    run = fm.simulate(train(2), 2.0, "independent", progress=False, **METHODS["independent"])
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=4e-7)


def test_independent_coordinates_by_name_are_those_of_positions(exact):
    names = ["car.x", "car.y", "car.angle", "wagon0.angle", "wagon1.angle"]
    run = fm.simulate(train(2), 2.0, "independent", coordinates=names, progress=False, **METHODS["independent"])
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=4e-7)
    with pytest.raises(SolverError, match="has 5 degrees of freedom in its positions, and 2 independent coordinates"):
        fm.simulate(train(2), 2.0, "independent", coordinates=names[:2], progress=False)


# its wheels, moved aslant, do not let it go on at the speeds of before
@pytest.mark.filterwarnings("ignore:.*the initial speeds do not fit the joints")
def test_positions_are_projected_as_if_the_velocity_rows_were_not_there():
    """The hinges of a train are pulled apart: its wagons are moved sideways too, which their wheels would not let."""
    rows = ("hinge0", "hinge1")
    q = []
    for wheels in (True, False):
        m = train(2)
        if not wheels:
            for name in ("car axle", "axle0", "axle1"):
                del m.components[name]
        m.frames["wagon1"].node.position = m.frames["wagon1"].position + np.array([0.01, 0.05])
        with pytest.warns(fm.errors.InitialConditionWarning, match="moved by up to"):
            run = fm.simulate(m, 1e-3, progress=False)
        q.append(run.q[0])
        g, _, _ = fm.System(m).constraint(0.0, q[-1], np.zeros(9))
        assert np.max(np.abs(g)) < 1e-12
        assert {row[0] for row in run.layout.rows} >= set(rows)
    np.testing.assert_allclose(*q, atol=1e-13)


@dataclass(eq=False)
class Belt(fm.planar.Joint):
    """Frame b is carried along by a belt on the x-axis of the ground at the speed c + s t, and keeps its angle: a
    velocity row that depends on time, in front of a position row of the same instance."""

    speed: float = 0.5
    growth: float = 0.3
    level: str = "velocity"
    external = True

    def assemble(self, assembly: Assembler) -> None:
        rows = [("along", "length", self.level), ("angle", "angle")]
        self.add_instance(assembly, BELT, rows, np.array([self.speed, self.growth]))


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 1] = q[iq[i, 5]] - q[iq[i, 2]]
        out[i, 2] = v[iv[i, 3]] * (1.0 + q[iq[i, 3]]) - p[i, 6] - p[i, 7] * t
        out[i, 3] = v[iv[i, 5]] - v[iv[i, 2]]
        out[i, 4] = p[i, 7] - v[iv[i, 3]] ** 2


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 3] = 1.0 + q[iq[i, 3]]
        out[i, 8] = -1.0
        out[i, 11] = 1.0
        out[i, 15] = v[iv[i, 3]]
        K[i, 3, 3] += w[2] * lam[i, 0]


BELT = Kernels("belt", constraint=constraint, jacobian=jacobian)


def on_belt() -> fm.PlanarModel:
    m = fm.PlanarModel("belt", gravity=(0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=0.1)
    m.add(Belt(m.ground, body.frame, name="belt"))
    m.bushing(m.ground, body.frame, stiffness=(3.0, 50.0, 0.0), damping=(0.0, 1.0, 0.0))
    return m


def test_rows_of_both_levels_in_one_family():
    """(1 + x) ẋ = c + s t, so x + x²/2 = c t + s t²/2; the power of the belt is that of its force."""
    conformance(on_belt())
    x = lambda t: np.sqrt(1.0 + 2.0 * (0.5 * t + 0.15 * t**2)) - 1.0  # noqa: E731
    speed = (0.5 + 0.3 * 1.5) / (1.0 + x(1.5))
    work = 0.5 * 2.0 * (speed**2 - 0.5**2) + 0.5 * 3.0 * x(1.5) ** 2
    for method, options in METHODS.items():
        run = fm.simulate(on_belt(), 1.5, method, progress=False, **options, **finely(method))
        np.testing.assert_allclose(run["body.x"], x(run.t), atol=2e-7)
        np.testing.assert_allclose(run["body.angle"], 0.0, atol=1e-12)
        assert run.energy.drives[-1] == pytest.approx(work, abs=1e-6)
    check_system(fm.System(on_belt(), dense_limit=0))


@pytest.mark.parametrize(
    ("level", "message"),
    [("speed", "constraint row .* is of level 'speed'; choose one of position, velocity"), ((), "is of level")],
)
def test_levels_are_checked(level, message):
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.1)
    m.add(Belt(m.ground, body.frame, level=level, name="belt"))
    with pytest.raises(KernelError, match=message):
        fm.System(m)


def test_conformance_sees_a_wrong_slope_of_a_velocity_row():
    @kernel
    def wrong(p, iq, iv, t, q, v, a, lam, w, out, K, work):
        for i in range(p.shape[0]):
            out[i, 3] = 1.0 + q[iq[i, 3]]
            out[i, 8] = -1.0
            out[i, 11] = 1.0
            out[i, 15] = 1.1 * v[iv[i, 3]]
            K[i, 3, 3] += w[2] * lam[i, 0]

    class Wrong(Belt):
        def assemble(self, assembly):
            family = Kernels("belt", constraint=constraint, jacobian=wrong)
            rows = [("along", "length", "velocity"), ("angle", "angle")]
            self.add_instance(assembly, family, rows, np.array([self.speed, self.growth]))

    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=2.0, inertia=0.1)
    with pytest.raises(AssertionError, match=r"∂ġ\[along\]/∂q\["):
        conformance(m.add(Wrong(m.ground, body.frame, name="belt")))


@pytest.mark.parametrize("compute", [skate, trailer])
def test_the_cases_hold(compute):
    assert not [check for check in compute() if not check.passed]
