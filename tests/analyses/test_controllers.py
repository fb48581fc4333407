"""What analyses make of controllers: refused by name, left out on request, or the sampled loop closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.errors import ModelError

PERIOD = 0.01


def arm(law: Any = None, delay: float = 0.0, period: float = PERIOD, **options: Any) -> fm.PlanarModel:
    """A bar on a hinge with a torsion spring, its torque commanded."""
    model = fm.PlanarModel("arm", gravity=(0.0, -9.81))
    bar = model.add_body("bar", mass=1.0, inertia=0.1, position=(0.0, -0.5))
    model.revolute(model.ground, bar.attach("pivot", (0.0, 0.5)), name="hinge")
    model.torsion_spring(model.ground, bar.frame, stiffness=2.0, damping=0.05)
    push = model.point_torque(bar.frame, 0.0, name="push")
    model.point_torque(bar.frame, 0.0, name="disturbance")
    sensors = [fm.control.RelativeAngle(model.ground, bar.frame), fm.control.RelativeRate(model.ground, bar.frame)]
    law = [[-8.0, -0.6]] if law is None else law
    model.add_controller("servo", period=period, sensors=sensors, commands=push, law=law, delay=delay, **options)
    return model


ANALYSES: dict[str, Callable[..., Any]] = {
    "equilibrium": lambda m, **k: fm.equilibrium(m, **k),
    "load path": lambda m, **k: fm.equilibrium_path(m, "disturbance", **k),
    "quasi-static": lambda m, **k: fm.quasi_static(m, 1.0, steps=2, **k),
    "modes": lambda m, **k: fm.modes(m, **k),
    "complex modes": lambda m, **k: fm.complex_modes(m, **k),
    "linear model": lambda m, **k: fm.linearize(m, "disturbance", "bar.angle", **k),
    "frequency response": lambda m, **k: fm.frequency_response(m, "disturbance", "bar.angle", [0.5], **k),
    "kinematics": lambda m, **k: fm.kinematics(driven(m), 1.0, steps=2, progress=False, **k),
}


def driven(model: fm.PlanarModel) -> fm.PlanarModel:
    """The arm with a drive instead of its freedom."""
    model.drive_angle(model.ground, model.frame("bar"), fm.Polynomial([0.0, 0.3]), name="drive")
    return model


@pytest.mark.parametrize("name", ANALYSES)
def test_controllers_are_refused_by_name_or_held(name):
    with pytest.raises(
        fm.errors.ControlError, match=rf"{name}.* of model 'arm': it has the controller 'servo'.*'held'"
    ):
        ANALYSES[name](arm())
    ANALYSES[name](arm(), controllers="held")
    with pytest.raises(ModelError, match="controllers is 'off'"):
        ANALYSES[name](arm(), controllers="off")


def test_held_is_the_plant_alone():
    free = arm()
    free.controllers.clear()
    plant = fm.linearize(arm(), "disturbance", "bar.angle", controllers="held")
    np.testing.assert_allclose(plant.A, fm.linearize(free, "disturbance", "bar.angle").A, atol=1e-12)
    rest = fm.equilibrium(arm(), controllers="held")
    assert fm.modes(rest).frequencies[0] == pytest.approx(fm.modes(free).frequencies[0], rel=1e-12)  # remembered


@pytest.mark.parametrize("delay", [0.0, 0.3 * PERIOD, PERIOD, 2.4 * PERIOD])
@pytest.mark.parametrize(
    "law",
    [
        [[-8.0, -0.6]],
        fm.control.LinearLaw([[1.0]], [[PERIOD, 0.0]], [[-20.0]], [[-8.0, -0.6]]),  # with an integral
    ],
)
def test_the_closed_loop_moves_as_the_mechanism_does(law, delay):
    model = arm(law, delay)
    loop = fm.linearize(model, "disturbance", ["bar.angle", "hinge.fx"], controllers="closed")
    assert loop.period == PERIOD
    start = 1e-5
    x = np.zeros(len(loop))
    x[loop.states.index("bar.angle")] = start
    state = loop.restore(x)
    run = fm.simulate(model, 0.5, initial=fm.State(state.system, 0.0, state.q, state.v, state.a, state.lam), step=1e-3)
    t = PERIOD * np.arange(51)
    linear = loop.simulate(t, np.zeros((51, 1)), x)
    np.testing.assert_allclose(run.at(t)["bar.angle"], linear["bar.angle"], atol=2e-4 * start)


def test_poles_are_those_of_the_sampled_plant():
    """z of  x[k+1] = (Φ − Γ K) x[k]  by the matrix exponential."""
    loop = fm.linearize(arm(), "disturbance", "bar.angle", controllers="closed")
    J = 0.1 + 0.25
    A = np.array([[0.0, 1.0], [-(2.0 + 9.81 * 0.5) / J, -0.05 / J]])
    block = np.zeros((3, 3))
    block[:2, :2], block[1, 2] = A, 1.0 / J
    E = scipy.linalg.expm(PERIOD * block)
    exact = np.linalg.eigvals(E[:2, :2] + np.outer(E[:2, 2], [-8.0, -0.6]))
    found = loop.poles[np.abs(loop.poles) > 1e-6]
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(exact), atol=1e-8)
    assert loop.stable
    assert not fm.linearize(arm([[50.0, 0.0]]), "push", "bar.angle", controllers="closed").stable


def test_an_accelerometer_feels_the_command_of_before():
    """Its feedthrough closes the loop over an instant: the exact recursion u[k] = −g a[k], a[k] with u[k−1]."""
    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=2.0, inertia=1.0)
    model.prismatic(model.ground, cart.frame)
    push = model.point_force(cart.frame, (1.0, 0.0), factor=0.0, name="push")
    model.spring_damper(model.ground.attach("wall", (-1.0, 0.0)), cart.frame, stiffness=8.0)
    model.add_controller(
        "servo", period=0.05, sensors=[fm.control.Accelerometer(cart.frame)], commands=push, law=[[-0.8]]
    )
    loop = fm.linearize(model, "push", "cart.x", controllers="closed")
    x = np.zeros(len(loop))
    x[loop.states.index("cart.x")] = 1e-3
    run = fm.simulate(model, 1.0, initial=loop.restore(x), step=5e-4, progress=False)
    t = 0.05 * np.arange(21)
    np.testing.assert_allclose(
        run.at(t)["cart.x"], loop.simulate(t, np.zeros((21, 1)), x)["cart.x"], atol=2e-6 * 1e-3 + 1e-8
    )


def test_loops_that_cannot_be_closed_are_told():
    with pytest.raises(fm.errors.ControlError, match="controller 'servo': its law is PythonLaw, which is not linear"):
        fm.linearize(arm(lambda t, y: [0.0]), "push", "bar.angle", controllers="closed")
    model = arm()
    model.add_controller("slow", period=0.02, sensors=[fm.control.Reference(0.0)], commands="disturbance", law=[[1.0]])
    with pytest.raises(
        fm.errors.ControlError, match=r"'slow' is sampled every 0.02 s and controller 'servo' every 0.01 s"
    ):
        fm.linearize(model, "push", "bar.angle", controllers="closed")
    free = arm()
    free.controllers.clear()
    with pytest.raises(ModelError, match="no controllers that could close a loop"):
        fm.linearize(free, "push", "bar.angle", controllers="closed")


def test_static_sensitivities_refuse_sampled_commands():
    def build(stiffness: float) -> fm.PlanarModel:
        return arm([[-stiffness, -0.6]])

    with pytest.raises(fm.errors.ControlError, match="'servo'"):
        fm.static_sensitivity(build, {"stiffness": 8.0}, "bar.angle")
