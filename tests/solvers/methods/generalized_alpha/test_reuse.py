"""Factors that are used again: they save work and cost no accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.rows import index_one as index_one
from flexmb.system import evaluation
from flexmb.system.accelerations import work_for
from flexmb.system.system import System
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum


def dense(system: System, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a, λ by Skyenginlab (n.d.), eq. (14), with NumPy."""
    G = np.asarray(system.jacobian(0.0, q))
    M = np.asarray(system.mass_matrix(0.0, q))
    whole = np.block([[M, G.T], [G, np.zeros((system.m, system.m))]])
    _, _, gamma = system.constraint(0.0, q, v)
    x = np.linalg.solve(whole, np.concatenate([-system.residual(0.0, q, v, np.zeros(system.n)), gamma]))
    return x[: system.n], x[system.n :]


def test_forces_and_rates_are_those_of_the_jacobian():
    system = System(chain())
    rng = np.random.default_rng(1)
    q, a, lam = system.q0 + 0.1 * rng.normal(size=system.n), rng.normal(size=system.n), rng.normal(size=system.m)
    r, y = np.zeros(system.plan.total), np.zeros(system.m)
    state = (system.full_q(q), system.full(0.0 * q), system.full(a))
    evaluation.add_forces_and_rates(system.plan, system.scratch, 0.0, *state, lam, np.zeros(3), r, y)
    G = np.asarray(system.jacobian(0.0, q))
    np.testing.assert_allclose(r[: system.n], G.T @ lam, atol=1e-13)
    np.testing.assert_allclose(y, G @ a, atol=1e-13)


def test_accelerations_after_a_jump_with_factors_of_another_state():
    system = System(chain())
    rng = np.random.default_rng(2)
    memory = np.full(3, np.inf)
    anew = []
    for away in (0.0, 1e-5, 1e-4, 1.0, 1.0 + 1e-5):
        q, v = system.q0 + away * np.sin(np.arange(system.n)), rng.normal(size=system.n)
        a, lam = system.full(rng.normal(size=system.n)), rng.normal(size=system.m)
        state = (0.0, system.full_q(q), system.full(v), a, lam)
        index_one.jumped_accelerations(
            system.plan,
            system.scratch,
            system.linear,
            system.mass_scale,
            *state,
            system.scale,
            work_for(system.plan),
            memory,
        )
        right, multipliers = dense(system, q, v)
        np.testing.assert_allclose(a[: system.n], right, atol=1e-8 * np.max(np.abs(right)))
        np.testing.assert_allclose(lam, multipliers, atol=1e-7 * np.max(np.abs(multipliers)))
        anew.append(memory[index_one.RATE] == 0.0)
    assert anew == [True, False, False, True, False]


@pytest.mark.parametrize("build", [chain, flexible_pendulum])
def test_kept_matrices_cost_no_accuracy(build):
    loose = fm.simulate(build(), 1.0, step=1e-3, progress=False)
    tight = fm.simulate(build(), 1.0, step=1e-3, progress=False, newton_tolerance=1e-13)
    assert loose.statistics.factorizations < loose.statistics.steps
    np.testing.assert_allclose(loose.q, tight.q, atol=1e-8)
    np.testing.assert_allclose(loose.a, tight.a, atol=1e-6 * np.max(np.abs(tight.a)))
    assert loose.statistics.velocity_drift < 1e-9


def bricks(count: int) -> fm.SpatialModel:
    """A chain in space, released level, too large for a dense matrix."""
    model = fm.SpatialModel("chain of bricks", gravity=(0.0, -6.0, -8.0))
    end: fm.spatial.Frame = model.ground
    for k in range(count):
        inertia = (6.5e-6, 5.45e-5, 5.2e-5)
        brick = model.add_body(f"brick {k}", mass=0.06, inertia=inertia, position=(0.1 * k + 0.05, 0.0, 0.0))
        model.spherical(end, brick.attach("left", (-0.05, 0.0, 0.0)))
        end = brick.attach("right", (0.05, 0.0, 0.0))
    return model


def test_large_systems_make_matrices_when_they_pay():
    model = bricks(8)
    loose = fm.simulate(model, 0.2, step=1e-3, progress=False)
    tight = fm.simulate(model, 0.2, step=1e-3, progress=False, newton_tolerance=1e-13)
    assert 2 < loose.statistics.factorizations < loose.statistics.steps / 2
    assert loose.statistics.iterations < 3 * loose.statistics.steps
    np.testing.assert_allclose(loose.q, tight.q, atol=2e-7)
    np.testing.assert_allclose(loose.v, tight.v, atol=1e-4)
    assert loose.statistics.velocity_drift < 1e-7


def wheels() -> fm.PlanarModel:
    """Two wheels on a bar, driven by sampled torques."""
    model = fm.PlanarModel("wheels", gravity=(0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=0.2)
    model.revolute(model.ground, bar.frame)
    for k, place in enumerate(((1.0, 0.0), (0.0, 0.7))):
        wheel = model.add_body(f"wheel {k}", mass=0.5, inertia=0.01 * (k + 1), position=place)
        model.revolute(bar.attach(f"axle {k}", place), wheel.frame)
        motor = model.point_torque(wheel.frame, 0.0, name=f"motor {k}")
        rate = fm.control.RelativeRate(bar.frame, wheel.frame)
        model.add_controller(
            f"servo {k}",
            period=0.004 * (k + 1),
            sensors=[rate, fm.control.Reference(5.0)],
            commands=motor,
            law=[[-0.5, 0.5]],
        )
    return model


def test_sampled_loops_keep_their_matrices_and_repeat_to_the_bit():
    runs = [fm.simulate(wheels(), 2.0, step=2e-3, progress=False) for _ in range(2)]
    for what in ("t", "q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(runs[0], what), getattr(runs[1], what))
    tight = fm.simulate(wheels(), 2.0, step=2e-3, progress=False, newton_tolerance=1e-13)
    np.testing.assert_allclose(runs[0].q, tight.q, atol=1e-8)
    assert runs[0].statistics.factorizations < 0.7 * runs[0].statistics.steps


@pytest.mark.parametrize("options", [{"step": 1e-3}, {"tolerance": 1e-6}, {"step": 1e-3, "newton_tolerance": 1e-12}])
@pytest.mark.warns(fm.errors.AccuracyWarning, "at half a turn its moment jumps")
def test_forces_of_a_mechanism_that_its_drives_move(options):
    """Nothing has to be corrected but the forces of the hinge, whose axes turn with the body; springs pull at a point
    of it, F = −(10 x, 20 y, 0)."""
    m = fm.SpatialModel("driven")
    body = m.add_body("body", mass=1.0, inertia=(0.2, 0.25, 0.3))
    m.revolute(m.ground, body.frame, axis="x", name="hinge")
    m.drive_angle(m.ground, body.frame, fm.Polynomial([0.0, 3.0]), axis="x")
    body.move((0.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    m.bushing(m.ground, body.attach("eye", (0.5, 0.3, 0.0)), stiffness=(10.0, 20.0, 0, 0, 0, 0), free=(0.0, 0.0, 0.0))
    run = fm.simulate(m, 2.0, progress=False, **options)
    force, moment = run.reaction("hinge")
    place = np.stack([0.5 + 0.0 * run.t, 0.3 * np.cos(3.0 * run.t), 0.3 * np.sin(3.0 * run.t)], axis=1)
    pull = -place * (10.0, 20.0, 0.0)
    np.testing.assert_allclose(force, -pull, atol=1e-6)
    np.testing.assert_allclose(moment[:, 1:], -np.cross(place, pull)[:, 1:], atol=1e-6)
