"""Lanes: runs that begin and march without Python, to the bit as `simulate` makes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import flexmb as fm
from flexmb.batches.lane_image import LaneImage, NoLaneError
from flexmb.batches.lanes import Lane
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.one_run import asked_of
from flexmb.solvers.statuses import DONE, OK
from flexmb.validation.performance.arm import arm

FIXED = {"step": 1e-3, "second_run": False}
OF_TREES = [
    ("rkf45", {**FIXED, "formulation": "aba"}),
    ("euler", {**FIXED, "formulation": "aba"}),
    ("dop853", {"formulation": "aba"}),
    ("generalized_alpha", {"formulation": "aba"}),
    ("generalized_alpha", FIXED),
    ("newmark", {**FIXED, "beta": 0.3025, "gamma": 0.6}),
    ("rkf45", FIXED),
    ("dop853", {}),
    ("radau", {}),
]


def image_of(model, t_end, method, initial=None, second_run=True, **options):
    bound = Bound(model, method, options, Choices(second_run=second_run), "batch of", again=True)
    return LaneImage(bound, asked_of(bound, t_end, 0.0, initial, None, False))


def end_of(lane, state):
    """Run a lane from a state to the end; the last q, v and a, or None if it needs Python."""
    system = lane.image.system
    lane.restore()
    lane.motion.q[: system.nq], lane.motion.v[: system.n] = state.q, state.v
    status = lane.begin()
    while status == OK:
        status = lane.march()
    return [x[lane.rows - 1].copy() for x in lane.saved[1:4]] if status == DONE else None


def states_of(model, count):
    tree, rng = fm.Tree.of(model), np.random.default_rng(3)
    return [tree.state(rng.uniform(-1, 1, tree.nv), rng.normal(0, 0.5, tree.nv)) for _ in range(count)]


def double_pendulum():
    m = fm.PlanarModel("double pendulum", gravity=(0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=1 / 12, position=(0.5, 0))
    b = m.add_body("b", mass=1.0, inertia=1 / 12, position=(1.5, 0))
    m.revolute(m.ground, a.attach("a0", (-0.5, 0)), name="h1")
    m.revolute(a.attach("a1", (0.5, 0)), b.attach("b0", (-0.5, 0)), name="h2")
    return m


@pytest.mark.parametrize("method, options", OF_TREES, ids=lambda x: x if isinstance(x, str) else "-".join(x) or "plain")
@pytest.mark.parametrize("build", [double_pendulum, lambda: arm(3)], ids=["plane", "space"])
def test_a_run_in_a_lane_has_the_bits_of_a_single_one(build, method, options):
    model = build()
    states = states_of(model, 3)
    lane = Lane(image_of(model, 0.2, method, states[0], **options), rows=64)
    for state in states[::-1]:
        alone = fm.simulate(model, 0.2, method, initial=state, progress=False, **options)
        for got, wanted in zip(end_of(lane, state), (alone.q, alone.v, alone.a)):
            np.testing.assert_array_equal(got, wanted[-1])


def test_a_run_after_one_that_diverged_and_in_two_threads():
    model = double_pendulum()
    states = states_of(model, 6)
    image = image_of(model, 0.5, "dop853", states[0])
    lanes = [Lane(image), Lane(image)]
    wild = fm.Tree.of(model).state(np.zeros(2), np.full(2, 1e200))
    assert end_of(lanes[0], wild) is None
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda k: [end_of(lanes[k], state) for state in states[k::2]], range(2)))
    for k, state in enumerate(states):
        alone = fm.simulate(model, 0.5, "dop853", initial=state, progress=False)
        np.testing.assert_array_equal(found[k % 2][k // 2][0], alone.q[-1])


@pytest.mark.parametrize("method, options", [("rkf45", FIXED), ("dop853", {}), ("radau", {}), ("euler", FIXED)])
def test_commands_are_held_for_a_period(method, options):
    """A torque u for half of a second each turns a wheel by ½ u t²/I, which every method but Euler's finds exactly."""
    m = fm.PlanarModel("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    m.revolute(m.ground, wheel.frame, name="axle")
    m.point_torque(wheel.frame, 0.0, name="motor")
    lane = Lane(image_of(m, 10.0, method, **options), rows=500)
    places = lane.image.system.strength_places("motor")
    assert lane.begin() == OK
    for k, torque in enumerate((4.0, -4.0)):
        lane.p[places] = torque
        lane.commanded()
        assert lane.march(0.5 * (k + 1)) == DONE
        assert lane.t == 0.5 * (k + 1)
    angle = 2  # after x and y
    np.testing.assert_allclose(lane.motion.q[angle], 0.5, rtol=1e-2 if method == "euler" else 1e-9)
    np.testing.assert_allclose(lane.motion.v[angle], 0.0, atol=1e-9)


def test_a_controller_in_a_lane():
    m = fm.PlanarModel("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    m.set_rigid_motion(angular_velocity=1.0)
    m.revolute(m.ground, wheel.frame, name="axle")
    m.point_torque(wheel.frame, 0.0, name="motor")
    slow = fm.control.LinearLaw(D=[[-3.0]])
    m.add_controller(
        "slow", period=0.01, sensors=fm.control.RelativeRate(m.ground, wheel.frame), commands=["motor"], law=slow
    )
    lane = Lane(image_of(m, 1.0, "radau"))
    for _ in range(2):
        lane.restore()
        status = lane.begin()
        while status == OK:
            status = lane.march()
        assert status == DONE
        np.testing.assert_array_equal(lane.motion.v[:3], fm.simulate(m, 1.0, "radau", progress=False).v[-1])


def test_what_needs_python_is_said():
    m = double_pendulum()
    m.add_event(0.1, fm.Note())
    with pytest.raises(NoLaneError, match="events"):
        image_of(m, 1.0, "dop853")
    with pytest.raises(NoLaneError, match="marches in Python"):
        image_of(double_pendulum(), 1.0, "independent")
