"""Observers are the best there are, know their limits, and have the margins that the mechanism has."""

from __future__ import annotations

import control
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.control.estimating.noise import over_period
from flexmb.errors import ControlError, ModelError

PERIOD = 0.01


def random_plant(seed: int, k: int = 5, inputs: int = 2, outputs: int = 2, direct: bool = False) -> fm.LinearModel:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, k)) * 4.0
    D = 0.2 * rng.normal(size=(outputs, inputs)) if direct else np.zeros((outputs, inputs))
    return fm.LinearModel(A, rng.normal(size=(k, inputs)), rng.normal(size=(outputs, k)), D)


def mass() -> fm.LinearModel:
    return fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]], inputs=["motor"], outputs=["place"])


def cart(**options: object) -> fm.PlanarModel:
    """A mass on a rail with a motor and a load of its own, which nothing else moves."""
    model = fm.PlanarModel("cart")
    body = model.add_body("cart", mass=1.0, inertia=1.0)
    model.prismatic(model.ground, body.frame, name="rail")
    model.point_force(body.frame, (1.0, 0.0), factor=0.0, name="motor")
    model.point_force(body.frame, (1.0, 0.0), factor=options.get("load", 0.0), name="load")
    return model


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-3, 0.3))
def test_noise_over_a_period_is_its_integral(seed, period):
    rng = np.random.default_rng(seed)
    A, root = 5.0 * rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
    W = root @ root.T
    nodes, weights = np.polynomial.legendre.leggauss(40)
    times = 0.5 * period * (nodes + 1.0)
    wanted = sum(0.5 * period * w * (E := scipy.linalg.expm(A * s)) @ W @ E.T for w, s in zip(weights, times))
    assert over_period(A, W, period) == pytest.approx(wanted, rel=1e-9, abs=1e-11 * np.abs(wanted).max())


def test_noise_of_fast_decay_does_not_overflow():
    Q = over_period(np.diag([-1.0, -1e6]), np.eye(2), 1.0)
    assert np.diag(Q) == pytest.approx([0.5 * (1.0 - np.exp(-2.0)), 0.5e-6], rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_the_filter_is_that_of_another_program_and_no_other_gain_errs_less(seed):
    plant = random_plant(seed)
    rng = np.random.default_rng(seed)
    W, V = np.diag(rng.uniform(0.5, 2.0, 5)), np.diag(rng.uniform(0.1, 1.0, 2))
    seen = fm.control.kalman(plant, W, V, PERIOD)
    A, C = scipy.linalg.expm(plant.A * PERIOD), plant.C
    Q = over_period(plant.A, W, PERIOD)
    _, P, _ = control.dlqe(A, np.eye(5), C, Q, V)
    assert seen.expected == pytest.approx(P, rel=1e-7, abs=1e-9 * np.abs(P).max())
    assert np.sort(np.abs(seen.poles)) == pytest.approx(
        np.sort(np.abs(np.linalg.eigvals(A - A @ seen.L @ C))), rel=1e-9
    )
    for _ in range(3):
        other = seen.L + 0.02 * rng.normal(size=seen.L.shape)
        F = np.eye(5) - other @ C
        if np.abs(np.linalg.eigvals(A @ F)).max() < 1.0:
            G = scipy.linalg.solve_discrete_lyapunov(A @ F, A @ other @ V @ other.T @ A.T + Q)
            assert np.trace(F @ G @ F.T + other @ V @ other.T) > np.trace(seen.error)


@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize("direct", [False, True])
def test_poles_of_the_loop_are_those_of_regulator_and_observer(direct, predictive):
    plant = random_plant(3, direct=direct)
    best = fm.control.lqg(plant, np.eye(5), np.eye(2), 1.0, 0.01, PERIOD, predictive=predictive)
    loop = fm.control.loop_at(best.observer.plant, "u1", best.controller) if not direct else None
    n, law, sampled = 5, best.law.linear, plant.discrete(PERIOD)
    before = np.zeros((2, len(law.A)))
    if direct:
        before[:, -2:] = np.eye(2)
    y = np.hstack([plant.C, plant.D @ before])
    u = np.hstack([np.zeros((2, n)), law.C]) + law.D @ y
    whole = np.vstack(
        [np.hstack([sampled.A, np.zeros((n, len(law.A)))]) + sampled.B @ u,
         np.hstack([np.zeros((len(law.A), n)), law.A]) + law.B @ y]
    )  # fmt: skip
    found = np.sort_complex(np.linalg.eigvals(whole))
    found = found[np.abs(found) > 1e-9] if direct else found  # the commands that are remembered
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(best.poles)), rel=1e-9)
    if loop is not None:
        assert fm.control.stability_margins(loop).stable


def test_in_the_mechanism_the_loop_has_the_poles_and_margins_of_the_design():
    model = cart()
    plant = fm.linearize(model, "motor", ["cart.x"])
    best = fm.control.lqg(plant, plant.C.T @ plant.C, 1e-3, 1.0, 1e-6, PERIOD)
    sensor = fm.control.NamedQuantity(model, "cart.x")
    model.add_controller("lqg", period=PERIOD, sensors=sensor, commands="motor", law=best.law)
    closed = fm.linearize(model, controllers="closed")
    found = np.sort(np.abs(closed.poles[np.abs(closed.poles) > 1e-12]))
    assert found == pytest.approx(np.sort(np.abs(best.poles)), rel=1e-9)
    inside = fm.control.stability_margins(fm.control.loop_at(model, "motor"))
    outside = fm.control.stability_margins(fm.control.loop_at(best.observer.plant, "motor", best.controller))
    assert (inside.gain, inside.phase, inside.delay) == pytest.approx((outside.gain, outside.phase, outside.delay))


def test_covariances_are_what_many_steps_come_to():
    plant = random_plant(11)
    best = fm.control.lqg(plant, np.eye(5), np.eye(2), 1.0, 0.01, PERIOD)
    rng = np.random.default_rng(0)
    seen, law, runs = best.observer, best.law.linear, 4000
    A, B = seen.plant.A, seen.plant.B
    x, memory = np.zeros((runs, 5)), np.zeros((runs, 5))
    for _ in range(300):
        y = x @ plant.C.T + rng.multivariate_normal(np.zeros(2), seen.measurement, runs)
        u = memory @ law.C.T + y @ law.D.T
        memory = memory @ law.A.T + y @ law.B.T
        last = x
        x = x @ A.T + u @ B.T + rng.multivariate_normal(np.zeros(5), seen.process, runs)
    spread = np.sqrt(2.0 / runs)  # of a variance, as a part of it
    assert np.var(last, axis=0) == pytest.approx(np.diag(best.covariance), rel=5.0 * spread)
    assert np.var(last @ plant.C.T, axis=0) == pytest.approx(np.diag(best.output_covariance), rel=5.0 * spread)
    assert np.var(u, axis=0) == pytest.approx(np.diag(best.command_covariance), rel=5.0 * spread)


def test_a_disturbance_observer_leaves_no_error_under_a_constant_load():
    left = {}
    for disturbance in (None, 1.0):
        model = cart(load=3.0)
        plant = fm.linearize(cart(), "motor", ["cart.x"])
        best = fm.control.lqg(plant, plant.C.T @ plant.C, 1e-3, 1e-2, 1e-8, PERIOD, disturbance=disturbance)
        sensor = fm.control.NamedQuantity(model, "cart.x")
        model.add_controller("lqg", period=PERIOD, sensors=sensor, commands="motor", law=best.law)
        run = fm.simulate(model, 6.0, step=PERIOD)
        left[disturbance] = abs(run["cart.x"][-1])
    assert left[None] > 0.05
    assert left[1.0] < 1e-6
    assert run["lqg.motor"][-1] == pytest.approx(-3.0, abs=1e-5)


def test_limits_wind_nothing_up():
    """With the limits known to the observer a cart goes home without overshoot; told nothing of them, it does not."""
    far = {}
    for known in (True, False):
        model = cart()
        plant = fm.linearize(model, "motor", ["cart.x"])
        weights = {"Q": plant.C.T @ plant.C, "R": 1e-3, "process": 1e-2, "measurement": 1e-8, "disturbance": 10.0}
        best = fm.control.lqg(plant, period=PERIOD, limits=(-1.0, 1.0) if known else None, **weights)
        sensors = [fm.control.NamedQuantity(model, "cart.x")]
        limits = None if known else (-1.0, 1.0)
        model.add_controller("lqg", period=PERIOD, sensors=sensors, commands="motor", law=best.law, limits=limits)
        start = fm.assemble(model)
        run = fm.simulate(model, 20.0, step=PERIOD, initial=_moved(model, start, 2.0))
        far[known] = -run["cart.x"].min()
        assert np.abs(run["lqg.motor"]).max() <= 1.0
    assert far[True] < 0.3 * far[False]


def _moved(model: fm.PlanarModel, start: fm.State, way: float) -> fm.State:
    q = start.q.copy()
    q[start.system.names.index("cart.x")] += way
    return fm.State(start.system, 0.0, q, start.v, start.a, start.lam, held=True)


def test_what_follows_wanted_values_is_driven_to_them():
    model = cart()
    plant = fm.linearize(model, "motor", ["cart.x"])
    best = fm.control.lqg(plant, plant.C.T @ plant.C, 1e-4, 1e-2, 1e-8, PERIOD, follow=True)
    read = [fm.control.NamedQuantity(model, "cart.x"), fm.control.Reference(0.7)]
    model.add_controller("lqg", period=PERIOD, sensors=read, commands="motor", law=best.law)
    assert fm.simulate(model, 5.0, step=PERIOD)["cart.x"][-1] == pytest.approx(0.7, abs=1e-4)
    assert fm.linearize(model, controllers="closed").stable


def test_about_a_trim_the_law_commands_what_the_trim_does():
    model = fm.PlanarModel("arm", gravity=(0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=0.1, center=(0.5, 0))
    hinge = model.revolute(model.ground, arm.frame, name="hinge")
    model.joint_force(hinge, 0.0, name="motor")
    held = fm.control.trim(model, "motor", {"hinge.angle": 0.5})
    plant = fm.linearize(held, "motor", ["hinge.angle"])
    best = fm.control.lqg(plant, np.eye(2), 0.1, 1.0, 1e-6, PERIOD, limits=(-20.0, 20.0))
    assert best.law.commands == pytest.approx([held.commands["motor"]])
    model.add_controller("lqg", period=PERIOD, sensors=fm.control.JointAngle(hinge), commands="motor", law=best.law)
    run = fm.simulate(model, 1.0, step=PERIOD, initial=held)
    assert np.abs(run["hinge.angle"] - 0.5).max() < 1e-9
    with pytest.raises(ControlError, match=r"limits -1 and 1 exclude command number 1 of the operating point, 8\.6"):
        fm.control.lqg(plant, np.eye(2), 0.1, 1.0, 1e-6, PERIOD, limits=(-1.0, 1.0))


SWINGS = [[0.0, 1.0], [-400.0, 0.0]]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"measurement": 0.0}, ControlError, "noise of place is not positive"),
        ({"measurement": [[-1.0]]}, ControlError, "negative eigenvalue|not positive"),
        ({"process": 0.0}, ControlError, "process is 0; noise that moves"),
        ({"process": np.zeros((2, 2))}, ControlError, "process is zero"),
        ({"process": [1.0, -1.0]}, ControlError, "negative eigenvalue"),
        ({"process": np.eye(3)}, ControlError, "shape \\(3, 3\\)"),
        ({"period": None}, ControlError, "give the period"),
        ({"period": 1.0, "plant": "swings"}, ControlError, "too long for modes .*at 3.18 Hz.*less than 0.157 s"),
        ({"plant": "blind"}, ControlError, "do not see 1 of the modes.*without stiffness"),
        ({"plant": "quiet", "process": [0.0, 0.0, 1.0]}, ControlError, "process does not move.*3.18 Hz"),
        ({"plant": "steps"}, ControlError, "leave out period"),
    ],
)  # fmt: skip
def test_what_cannot_be_observed_is_named(change, error, words):
    one = np.array([[1.0, 0.0]])
    plants = {
        "mass": mass(),
        "swings": fm.LinearModel(SWINGS, one.T[::-1], one, [[0.0]]),
        "blind": fm.LinearModel([[0, 1.0], [0, -1.0]], [[0], [1.0]], [[0.0, 1.0]], [[0.0]]),
        "quiet": fm.LinearModel(scipy.linalg.block_diag(SWINGS, -1.0), [[0], [1.0], [1.0]], [[1.0, 0.0, 1.0]], [[0.0]]),
        "steps": mass().discrete(PERIOD),
    }
    arguments = {"plant": "mass", "process": 1.0, "measurement": 1e-4, "period": PERIOD, **change}
    arguments["plant"] = plants[arguments["plant"]]
    with pytest.raises(error, match=words):
        fm.control.kalman(**arguments)


def test_disturbances_that_cannot_be_told_apart_are_named():
    two = fm.LinearModel([[-1.0]], [[1.0, 2.0]], [[1.0]], [[0.0, 0.0]], inputs=["motor", "load"])
    with pytest.raises(ControlError, match=r"do not see 1 of the modes.*disturbance"):
        fm.control.disturbance_observer(two, 1.0, 0.1, 1.0, PERIOD)
    assert fm.control.disturbance_observer(two, 1.0, 0.1, 1.0, PERIOD, at="load").disturbances == ["load"]
    with pytest.raises(ControlError, match="wanders"):
        fm.control.disturbance_observer(two, 1.0, 0.1, 0.0, PERIOD, at="load")
    with pytest.raises(ModelError, match="no input 'wind'"):
        fm.control.disturbance_observer(two, 1.0, 0.1, 1.0, PERIOD, at="wind")


def test_modes_too_fast_for_the_period_may_be_gone_or_out_of_reach():
    A = scipy.linalg.block_diag([[0, 1.0], [0, 0]], [[0, 1.0], [-1e6, -1e3]])
    B, C = np.array([[0], [1.0], [0], [1.0]]), np.array([[1.0, 0, 1.0, 0]])
    assert len(fm.control.kalman(fm.LinearModel(A, B, C, [[0.0]]), 1.0, 1e-4, PERIOD).poles) == 4
    A[3, 3] = -1.0
    B[3] = 0.0  # no input reaches it
    assert len(fm.control.kalman(fm.LinearModel(A, B, C, [[0.0]]), 1.0, 1e-4, PERIOD).poles) == 4
