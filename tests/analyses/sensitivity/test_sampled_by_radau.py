"""Derivatives by Radau IIA through sampled controllers: a closed form, differences of whole runs."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.errors import ControlError, SolverError

GIVEN = {"K1": 30.0, "K2": 4.0, "m": 1.2, "k": 20.0}


def held(K1: float, K2: float, m: float, k: float, **more: float) -> fm.PlanarModel:
    """An oscillator under a sampled proportional law, u = −K₁ x − K₂ v held over 0.05 s."""
    model = fm.PlanarModel("held")
    body = model.add_body("body", mass=m, inertia=1.0, position=(1.0, 0.0))
    rail = model.prismatic(model.ground, body.frame, name="rail")
    model.spring_damper(model.ground.attach("wall", (-2.0, 0.0)), body.frame, stiffness=k, free_length=2.0)
    push = model.joint_force(rail, 0.0, name="push")
    sensors = [fm.control.NamedQuantity(model, name) for name in ("body.x", "body.vx")]
    model.add_controller("servo", period=0.05, sensors=sensors, commands=push, law=[[-K1, -K2]], **more)
    return model


def test_a_sampled_oscillator_against_its_recursion():
    found = fm.sensitivity(held, GIVEN, 0.98, outputs="body.x", times=[0.98])
    assert found.method == "radau" and found["body.x"][0] == pytest.approx(0.2483562178, abs=1e-7)
    exact = [0.0041974224, -0.1143205614, 0.2517717867, 0.0014616715]
    np.testing.assert_allclose(
        found.jacobian[0, 0] * list(GIVEN.values()), exact * np.array(list(GIVEN.values())), atol=1e-6
    )


def arm(gain: float, integral: float, mass: float, delay: float = 0.0) -> fm.SpatialModel:
    """An arm in space with a drive, whose controller has a memory, and commands come late."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    link = m.add_body("link", mass=mass, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
    joint = m.revolute(m.ground, link.frame.attach("near", (-0.5, 0, 0)), axis="y", name="joint")
    motor = m.joint_force(joint, 0.0, name="motor")
    law = fm.control.LinearLaw([[1.0]], [[0.02, 0.0]], [[-integral]], [[-gain, -0.3 * gain]])
    sensors = [fm.control.NamedQuantity(m, name) for name in ("joint.angle", "joint.rate")]
    m.add_controller("servo", period=0.02, sensors=sensors, commands=motor, law=law, delay=delay)
    return m


@pytest.mark.parametrize("delay", [0.0, 0.013, 0.05])
def test_laws_with_memory_and_delay_against_whole_runs(delay):
    given, times = {"gain": 8.0, "integral": 20.0, "mass": 1.5}, [0.011, 0.2, 0.33]
    outputs = ["link.z", "joint.rate"]

    def build(**values: float) -> fm.SpatialModel:
        return arm(**values, delay=delay)

    found = fm.sensitivity(build, given, 0.33, outputs=outputs, times=times, tolerance=1e-8)
    for p, (name, value) in enumerate(given.items()):
        e, ends = 1e-3 * value, []
        for offset in OFFSETS:
            model = build(**{**given, name: value + offset * e})
            run = fm.simulate(model, 0.33, tolerance=1e-10, times=times, progress=False)
            ends.append(np.stack([run[output] for output in outputs], axis=1))
        near = slope(ends, e)
        np.testing.assert_allclose(found.jacobian[:, :, p], near, atol=2e-6 * max(1.0, np.abs(near).max()))


def test_what_is_refused():
    with pytest.raises(ControlError, match="another period, delay or kind"):
        fm.sensitivity(lambda delay: held(**GIVEN, delay=delay), {"delay": 0.01}, 0.2, final="body.x")

    def switched(m: float) -> fm.PlanarModel:
        model = held(**{**GIVEN, "m": m})
        push = model.point_force(model.frames["body"], (1.0, 0.0), factor=1.0, name="more")
        model.switch_off(push)
        model.add_event(fm.crossing("body.x", 0.5, "down"), fm.Switch(on=push), name="half", once=True)
        return model

    with pytest.raises(SolverError, match="event 'half' beside controllers"):
        fm.sensitivity(switched, {"m": 1.2}, 0.2, final="body.x", method="radau")
