"""Methods whose steps SciPy and CVODE make, at the instants of sampled controllers: steps end there, commands are held
between them, as in the compiled loop."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ControlError, DivergenceWarning, KernelError
from tests.solvers.sampled_wheel import DELAY, GAINS, by_hand, wheel

#: methods whose march is in Python, with options
IN_PYTHON = [
    ("projection", {}),
    ("projection", {"formulation": "aba"}),
    ("projection", {"ode_method": "LSODA"}),
    ("projection", {"ode_method": "Radau"}),
    ("projection", {"ode_method": "BDF"}),
    ("baumgarte", {}),
    ("independent", {"tolerance": 1e-9}),
]
NAMES = [" ".join((method, *map(str, options.values()))) for method, options in IN_PYTHON]


@pytest.mark.parametrize(("method", "options"), IN_PYTHON, ids=NAMES)
def test_commands_are_held_and_delayed(method, options):
    run = fm.simulate(wheel(delay=DELAY), 1.0, method, progress=False, **options)
    log, exact = run.control["servo"], by_hand(50)
    np.testing.assert_allclose(log.t, 0.02 * np.arange(50), atol=1e-12)
    np.testing.assert_allclose(log.y[:, :2], exact[:, :2], atol=1e-7)
    np.testing.assert_allclose(log.u[:, 0], exact[:, 2], atol=1e-5)
    for instant in (*log.t[1:], *(log.t + DELAY)):
        assert np.min(np.abs(run.t - instant)) < 1e-9
    assert run.trustworthy and run.t[-1] == 1.0


def held_up(loop: bool = False, noise: float = 0.0) -> fm.PlanarModel:
    """A rod that a motor holds up against gravity; with a second rod it is a four-bar."""
    model = fm.PlanarModel("held up", gravity=(0.0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0))
    model.revolute(model.ground, rod.attach("near", (-0.5, 0.0)), name="shoulder")
    if loop:
        far = model.add_body("far", mass=1.0, inertia=1 / 12, position=(0.5, 1.0))
        side = model.add_body("side", mass=1.0, inertia=1 / 12, position=(1.0, 0.5), angle=0.5 * np.pi)
        model.revolute(model.ground.attach("above", (0.0, 1.0)), far.attach("near", (-0.5, 0.0)))
        model.revolute(rod.attach("tip", (0.5, 0.0)), side.attach("low", (-0.5, 0.0)))
        model.revolute(far.attach("tip", (0.5, 0.0)), side.attach("high", (0.5, 0.0)))
    motor = model.point_torque(rod.frame, 0.0, name="motor")
    sensors = [
        fm.control.RelativeAngle(model.ground, rod.frame, noise=noise),
        fm.control.RelativeRate(model.ground, rod.frame),
    ]
    model.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-30.0, -4.0]], seed=3)
    return model


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
@pytest.mark.parametrize(("method", "options"), IN_PYTHON[:2] + IN_PYTHON[-2:], ids=NAMES[:2] + NAMES[-2:])
def test_agrees_with_compiled_steps(method, options, loop):
    exact = fm.simulate(held_up(loop, 1e-4), 0.5, "dop853", tolerance=1e-10, progress=False)
    run = fm.simulate(held_up(loop, 1e-4), 0.5, method, progress=False, **options)
    assert run["rod"].angle[-1] == pytest.approx(exact["rod"].angle[-1], abs=1e-7)
    np.testing.assert_allclose(run.control["servo"].u, exact.control["servo"].u, atol=1e-5)
    # joint forces jump with the commands, also inside of steps
    t = np.linspace(0.0, 0.495, 12)
    at, at_exact = run.at(t), exact.at(t)
    np.testing.assert_allclose(at.multipliers, at_exact.multipliers, atol=2e-5)
    assert run.trustworthy


@pytest.mark.parametrize(("method", "options"), [IN_PYTHON[0], IN_PYTHON[-1]], ids=["projection", "independent"])
def test_goes_on(method, options):
    whole = fm.simulate(held_up(noise=1e-4), 0.4, method, progress=False, **options)
    half = fm.simulate(held_up(noise=1e-4), 0.205, method, progress=False, **options)
    rest = fm.simulate(held_up(noise=1e-4), 0.4, method, t_start=0.205, initial=half, progress=False, **options)
    assert rest["rod"].angle[-1] == pytest.approx(whole["rod"].angle[-1], abs=1e-7)
    np.testing.assert_allclose(rest.control["servo"].u[-1], whole.control["servo"].u[-1], atol=1e-5)


def test_an_event_at_an_instant_switches_before_the_command():
    def model():
        m = held_up()
        m.add_event(0.2, fm.Switch(off=["motor"]), "late")
        return m

    exact = fm.simulate(model(), 0.5, "dop853", tolerance=1e-10, progress=False)
    run = fm.simulate(model(), 0.5, "projection", progress=False)
    assert run["rod"].angle[-1] == pytest.approx(exact["rod"].angle[-1], abs=1e-7)


@pytest.mark.parametrize("method", ["projection", "independent"])
def test_commands_that_grow_stop_the_run(method):
    with pytest.warns(DivergenceWarning, match="commands of controller 'servo' grew from .* the loop is unstable"):
        run = fm.simulate(wheel(100.0 * GAINS), 20.0, method, progress=False)
    assert run.status == "diverged" and run.t[-1] < 5.0


def test_a_law_that_fails_stops_the_run():
    def law(t, y):
        if t > 0.1:
            raise ValueError("no more")
        return -y[:1]

    model = held_up()
    model.controllers.clear()
    angle = fm.control.RelativeAngle(model.ground, model.frame("rod"))
    model.add_controller("own", period=0.02, sensors=angle, commands="motor", law=law)
    with pytest.raises((KernelError, ControlError), match="no more"):
        fm.simulate(model, 0.5, "projection", progress=False)
