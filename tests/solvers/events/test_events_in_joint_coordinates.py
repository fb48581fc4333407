"""Events, controllers, contacts and joints that are switched, in joint coordinates as in absolute ones."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.pendulums import leaning_pendulum
from tests.solvers.comparison import FINE, TIMES, agree, run

METHODS = {
    "generalized_alpha": {}, "generalized_alpha, fixed": {"step": 0.005}, "radau": {}, "dop853": {},
    "rkf45": {"tolerance": 1e-8}, "rkf45, fixed": {"step": 0.005}, "independent": {"tolerance": 1e-9}, "projection": {},
    "baumgarte": {}, "rosenbrock": {},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_events_happen_at_the_same_time(method):
    times = []
    for more in ({}, {"formulation": "aba"}):
        m = leaning_pendulum()
        m.add_event(fm.crossing("bob.x", 0.0), fm.StopRun(), "bottom")
        solution = fm.simulate(m, 2.0, method.partition(",")[0], progress=False, **METHODS[method], **more)
        assert solution.status == "stopped"
        (event,) = solution.events
        times.append(event.t)
    assert times[0] == pytest.approx(times[1], abs=2e-4 if "generalized" in method else 1e-6)


@pytest.mark.parametrize("method", ["generalized_alpha", "generalized_alpha, fixed", "radau", "dop853", "rkf45, fixed"])
def test_controllers_read_and_command(method):
    logs = []
    for more in ({}, {"formulation": "aba"}):
        m = leaning_pendulum()
        bob = m.components["bob"].frame
        motor = m.point_torque(bob, 0.0, name="motor")
        sensors = [
            fm.control.RelativeAngle(m.ground, bob),
            fm.control.RelativeRate(m.ground, bob),
            fm.control.Reference(0.5),
        ]
        m.add_controller("servo", period=0.02, delay=0.005, sensors=sensors, commands=motor, law=[[-40.0, -6.0, 40.0]])
        solution = fm.simulate(m, 1.0, method.partition(",")[0], progress=False, **METHODS[method], **more)
        assert solution.status == "finished"
        logs.append(solution.control["servo"])
    assert logs[0].t == pytest.approx(logs[1].t, abs=1e-9)
    near = 1e-3 if "generalized" in method else 1e-6
    assert logs[0].y == pytest.approx(logs[1].y, abs=near)
    assert logs[0].u == pytest.approx(logs[1].u, abs=40.0 * near)


def test_contacts_and_jumping_loads():
    def ball():
        m = fm.PlanarModel("ball", gravity=(0, -9.81))
        arm = m.add_body("arm", mass=1.0, inertia=0.1, position=(0.5, 0.5))
        hinge = m.revolute(m.ground.attach("pivot", (0, 0.5)), arm.attach("start", (-0.5, 0)), name="hinge")
        m.joint_stop(hinge, lower=-0.4, stiffness=2000.0, damping=5.0, name="stop")
        m.point_torque(arm.frame, fm.Step(3.0, 0.6), name="push")
        return m

    agree(run(ball(), "dop853"), run(ball(), "dop853", "aba"), 1e-6)
    coarse = fm.simulate(ball(), 0.8, times=TIMES, progress=False, formulation="aba", tolerance=1e-6)
    assert np.abs(coarse.q - run(ball(), "dop853").q).max() < 1e-4


def released():
    """A chain of three bodies, the last of which comes off in the run: its tree has other coordinates then."""
    m = fm.PlanarModel("released", gravity=(0, -9.81))
    at = m.ground
    for k in range(3):
        body = m.add_body(f"body{k}", mass=1.0 + k, inertia=0.1, position=(k + 0.5, 0))
        joint = m.revolute(at, body.attach("start", (-0.5, 0)), name=f"joint{k}")
        at = body.attach("end", (0.5, 0))
    m.add_event(0.3, fm.Switch(off=[joint]), name="release")
    return m


@pytest.mark.parametrize("method", ["dop853", "projection", "radau"])
def test_states_between_steps_behind_a_switch(method):
    """They are as accurate as the ends of steps, accelerations too."""
    model = released()
    one, other = run(model, "dop853"), run(model, method, "aba")
    agree(one, other)
    assert np.abs(one.a - other.a).max() < 1e-6


@pytest.mark.parametrize("method", FINE)
def test_a_weld_holds_what_it_finds(method):
    """Two bodies that float past each other are held as they then are, not as they were at the start."""
    m = fm.SpatialModel("docking")
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.2, 0.3))
    two = m.add_body("two", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(3, 0, 0))
    three = m.add_body("three", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(3, 1, 0))
    for body, velocity, turning in (
        (one, (0.2, 0, 0), (0, 0, 0)),
        (two, (-1, 0, 0), (0, 0, 0)),
        (three, (-1, 0, 0), (0, 3, 0)),
    ):
        body.frame.move(velocity, turning)
    m.revolute(two.attach("r", (0, 0.5, 0)), three.attach("r", (0, -0.5, 0)), axis="y", name="hinge")
    latch = m.weld(one.attach("p", (0.5, 0, 0)), two.attach("p", (-0.5, 0, 0)), name="latch")
    m.switch_off(latch)
    m.add_event(0.3, fm.Switch(on=[latch]), name="dock")
    m.point_force(three.frame, (0, 1, 2.0), name="push")
    agree(run(m, method), run(m, method, "aba"), 1e-6)
