"""A screw whose friction truly sticks: it holds its load or lets it down, breaks away; smooth laws tend to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.references.screw import Thread
from flexmb.validation.screw_friction import build

METHODS = ("generalized_alpha", "radau", "independent", "baumgarte", "projection", "dop853", "rkf45")
THREAD = Thread()


@pytest.mark.parametrize("pitch", [0.002, -0.002])
@pytest.mark.parametrize("method", METHODS)
def test_a_load_drives_the_screw_or_is_held(method: str, pitch: float) -> None:
    driven = replace(THREAD, coefficient=0.19, pitch=pitch)
    run = fm.simulate(build(driven, smoothing=0.0), 1.0, method, progress=False)
    fall = np.sign(pitch) * replace(driven, pitch=0.002).fall
    assert run["load"].angular_acceleration[-1, 2] == pytest.approx(fall, rel=1e-6)
    assert run.energy.error < 1e-9
    held = replace(driven, coefficient=0.21)
    run = fm.simulate(build(held, smoothing=0.0), 2.0, method, progress=False)
    assert np.ptp(run["load"].position[:, 2]) < 1e-20
    force, moment = run.reaction("thread")
    assert force[-1, 2] == pytest.approx(held.mass * held.weight, rel=1e-9)
    assert abs(moment[-1, 2]) < 1e-9


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_it_breaks_away_at_the_torque_that_raises(method: str) -> None:
    """A torque that grows raises the load from m g r tan(α + φ_S) on, φ_S of the static coefficient."""
    m = fm.SpatialModel("jack", gravity=(0.0, 0.0, -THREAD.weight))
    load = m.add_body("load", mass=THREAD.mass, inertia=(0.02, 0.02, THREAD.inertia))
    law = fm.JointFriction(0.25, static=0.3, radius=THREAD.radius, smoothing=0.0, small_force=1e-9)
    m.screw(m.ground, load.frame, THREAD.pitch, axis="z", friction=law, name="thread")
    m.point_torque(load.frame, (0.0, 0.0, 1.0), factor=fm.Polynomial([0.0, 0.5]))
    run = fm.simulate(m, 1.5, method, progress=False)
    (event,) = run.events
    assert event.done == ["slides forward"]
    assert event.t == pytest.approx(replace(THREAD, coefficient=0.3).torque(True) / 0.5, rel=1e-6)
    assert np.ptp(run["load"].position[run.t < event.t, 2]) < 1e-15
    assert run["load"].velocity[-1, 2] > 0.0


def test_a_thread_that_is_driven_needs_the_torques_of_the_closed_form() -> None:
    for speed, raising in ((20.0, True), (-20.0, False)):
        run = fm.simulate(build(THREAD, speed, 0.0), 0.1, "radau", progress=False)
        assert run.reaction("drive")[1][-1, 2] == pytest.approx(THREAD.torque(raising), rel=1e-8)


def nut_on_an_arm(smoothing: float) -> fm.SpatialModel:
    """An eccentric nut on a left-handed screw that a swinging arm carries askew."""
    m = fm.SpatialModel("nut", gravity=(0.0, 0.0, -9.81))
    arm = m.add_body("arm", mass=1.0, inertia=(0.02, 0.03, 0.02), position=(0.3, 0.0, 0.0))
    m.revolute(m.ground, arm.attach("o", (-0.3, 0.0, 0.0)), axis="y")
    nut = m.add_body("nut", mass=2.0, inertia=(0.02, 0.02, 0.01), position=(0.6, 0.02, 0.0))
    law = fm.JointFriction(
        0.2, static=0.3, stribeck_speed=0.05, viscous=0.3, preload=1.0, smoothing=smoothing, radius=0.02, length=0.05,
        small_force=1e-8,
    )  # fmt: skip
    ends = arm.attach("p", (0.3, 0.0, 0.0)), nut.attach("q", (0.0, -0.02, 0.0))
    m.screw(*ends, -0.03, axis=(1.0, 0.2, 0.3), friction=law, name="thread")
    m.point_torque(nut.frame, (0.5, 0.1, 0.2))
    return m


def test_smooth_laws_tend_to_it() -> None:
    """Radial forces, moments, preload and what is viscous included; the force of the joint as well."""
    run = fm.simulate(nut_on_an_arm(0.0), 1.0, "radau", tolerance=1e-9, progress=False)
    assert [event.done[0] for event in run.events] == ["sticks", "slides backward"]
    off = []
    for smoothing in (1e-4, 1e-5):
        smooth = fm.simulate(nut_on_an_arm(smoothing), 1.0, "radau", tolerance=1e-9, progress=False)
        off.append(np.abs(smooth["nut"].position[-1] - run["nut"].position[-1]).max())
        for own, other in zip(run.reaction("thread"), smooth.reaction("thread")):
            assert own[-1] == pytest.approx(other[-1], abs=5e3 * smoothing)
    assert off[1] < 0.2 * off[0] < 1e-4


@pytest.mark.parametrize(("part", "jams"), [(0.99, True), (1.01, False)])
def test_a_light_nut_that_locks_itself_jams_as_it_turns_down(part: float, jams: bool) -> None:
    """Below J = m h r (μ cos α − sin α)/(cos α + μ sin α) its deceleration presses it harder than it is braked."""
    mu, sine, cosine = 0.3, np.sin(THREAD.lead), np.cos(THREAD.lead)
    lever = THREAD.pitch * THREAD.radius
    limit = THREAD.mass * lever * (mu * cosine - sine) / (cosine + mu * sine)
    model = build(replace(THREAD, coefficient=mu, inertia=part * limit), smoothing=0.0)
    load = model.components["load"]
    load.frame.move((0.0, 0.0, -5.0 * THREAD.pitch), (0.0, 0.0, -5.0))
    if jams:
        with pytest.raises(fm.errors.SolverError, match=r"joint 'thread': .* it jams"):
            fm.simulate(model, 0.1, progress=False)
    else:
        assert [e.done[0] for e in fm.simulate(model, 0.1, progress=False).events] == ["sticks"]
