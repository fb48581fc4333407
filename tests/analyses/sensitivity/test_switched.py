"""Derivatives of runs through events that switch components: against references and differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.errors import AccuracyWarning, SolverError


def locking(m2: float = 0.6, g: float = 9.81, k: float = 40.0) -> fm.PlanarModel:
    """Two links whose elbow locks, at the angle that it has then, when the first one hangs down far enough."""
    m = fm.PlanarModel("locking", gravity=(0, -g))
    first, second = (np.array([np.cos(x), np.sin(x)]) for x in (-0.5, -0.3))
    a = m.add_body("a", mass=1.0, inertia=1 / 12, position=0.5 * first, angle=-0.5)
    b = m.add_body("b", mass=m2, inertia=m2 * 0.64 / 12, position=first + 0.4 * second, angle=-0.3)
    m.revolute(m.ground, a.attach("s", (-0.5, 0)), name="shoulder")
    m.revolute(a.attach("e", (0.5, 0)), b.attach("f", (-0.4, 0)), name="elbow")
    m.torsion_spring(a.frame, b.frame, stiffness=k, damping=0.15, free_angle=0.0)
    m.torsion_spring(m.ground, a.frame, stiffness=0.0, damping=0.2, free_angle=0.0)
    m.point_torque(a.frame, fm.Harmonic(6.0, 3.0) + fm.Harmonic(2.0, 11.0))
    latch = m.lock(a.frame, b.frame, "angle", name="latch")
    m.switch_off(latch)
    m.add_event(fm.crossing("a.angle", -1.2, "down"), fm.Switch(on=latch), name="close", once=True)
    return m


def test_a_joint_that_locks_where_it_is():
    found = fm.sensitivity(locking, {"m2": 0.6}, 1.2, outputs=["a.angle", "b.angle"], times=[0.5, 1.2])
    np.testing.assert_allclose(found.values[-1], [-1.9224758849, -1.9024665644], atol=1e-6)
    assert found["a.angle", "m2"][-1] == pytest.approx(-0.7320396659, abs=1e-6)


def hooked(mass: float, stiffness: float, place: float) -> fm.PlanarModel:
    """A body that falls, is caught by a spring as it passes a place, and lets it go at a speed."""
    m = fm.PlanarModel("hooked", gravity=(0, -9.81))
    body = m.add_body("body", mass=mass, inertia=1.0)
    m.prismatic(m.ground, body.frame, axis=0.5 * np.pi)
    anchor = m.ground.attach("anchor", (0, 1.0))
    hook = m.spring_damper(anchor, body.frame, stiffness=stiffness, free_length=1.1, name="hook")
    m.switch_off(hook)
    m.add_event(fm.crossing("body.y", -place, "down"), fm.Switch(on=hook), name="caught", once=True)
    m.add_event(
        fm.crossing(lambda t, r, v: v[1], 0.5, "up", frames=body.frame), fm.Switch(off=hook), name="free", once=True
    )
    m.add_event(0.05, fm.Note(), name="noted")
    return m


def struck(mass: float, distance: float, when: float) -> fm.PlanarModel:
    """A body that takes a second one along when it has come a distance, and leaves it at a time."""
    m = fm.PlanarModel("struck")
    one = m.add_body("one", mass=mass, inertia=1.0)
    two = m.add_body("two", mass=2.0, inertia=1.0, position=(1.0, 0.2))
    m.bushing(m.ground, two.frame, stiffness=(30.0, 20.0, 5.0))
    one.frame.move((2.0, 0.0))
    coupling = m.weld(one.frame, two.frame, name="coupling")
    m.switch_off(coupling)
    m.add_event(fm.crossing("one.x", distance, "up"), fm.Switch(on=coupling), name="met", once=True)
    m.add_event(when, fm.Switch(off=coupling), name="left")
    return m


def differences(build: Callable[..., Any], given: dict[str, float], t: list[float], outputs: list[str]) -> np.ndarray:
    columns = []
    for name, value in given.items():
        e = 1e-3 * value
        ends = []
        for offset in OFFSETS:
            model = build(**{**given, name: value + offset * e})
            run = fm.simulate(model, t[-1], tolerance=1e-10, times=t, progress=False)
            ends.append(np.stack([run[output] for output in outputs], axis=1))
        columns.append(slope(ends, e))
    return np.stack(columns, axis=2)


CASES: dict[str, tuple[Callable[..., Any], dict[str, float], list[float], list[str]]] = {
    "hooked": (hooked, {"mass": 2.0, "stiffness": 200.0, "place": 0.3}, [0.1, 0.4, 0.9, 1.2], ["body.y", "body.vy"]),
    "struck": (struck, {"mass": 3.0, "distance": 0.6, "when": 1.1}, [0.2, 0.6, 1.3], ["one.x", "two.x", "two.vx"]),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_go_through_events(name):
    build, given, times, outputs = CASES[name]
    found = fm.sensitivity(build, given, times[-1], outputs=outputs, times=times, tolerance=1e-7)
    near = differences(build, given, times, outputs)
    assert found.method == "radau"
    size = np.abs(near).max(axis=(0, 2))[:, None]
    np.testing.assert_allclose(found.jacobian / size, near / size, atol=2e-6)


def test_integrals_over_an_event_that_moves():
    given = {"mass": 2.0, "place": 0.3}

    def build(mass: float, place: float) -> fm.PlanarModel:
        return hooked(mass, 200.0, place)

    found = fm.sensitivity(build, given, 1.0, integrals=["body.vy", "body.ay"], final=["body.y", "body.vy"])
    for name in given:  # the integrals of rates are the ends
        assert found["∫ body.vy dt", name] == pytest.approx(found["body.y", name], abs=1e-5)
        assert found["∫ body.ay dt", name] == pytest.approx(found["body.vy", name], abs=1e-4)


def grazing(height: float) -> fm.PlanarModel:
    """A point thrown up to just above a height, where something is switched."""
    m = fm.PlanarModel("grazing", gravity=(0, -10.0))
    body = m.add_body("body", mass=1.0, inertia=1.0)
    body.move((0.0, 2.0))
    push = m.point_force(body.frame, (1.0, 0.0), factor=1.0, name="push")
    m.switch_off(push)
    m.add_event(fm.crossing("body.y", height, "up"), fm.Switch(on=push), name="top", once=True)
    return m


def test_events_that_hardly_cross():
    with pytest.raises(SolverError, match="event 'top' touches its value and hardly crosses it"):
        fm.sensitivity(grazing, {"height": 0.1995}, 1.0, final="body.x")
    with pytest.warns(AccuracyWarning, match="is about to turn back"):
        fm.sensitivity(grazing, {"height": 0.197}, 1.0, final="body.x")


def test_events_without_a_derivative():
    def forced(mass: float) -> fm.PlanarModel:
        m = fm.PlanarModel("forced")
        body = m.add_body("body", mass=mass, inertia=1.0)
        m.point_force(body.frame, (1.0, 0.0), factor=fm.Harmonic(1.0, 2.0))
        push = m.point_force(body.frame, (1.0, 0.0), factor=1.0, name="push")
        m.switch_off(push)
        m.add_event(fm.crossing("body.ax", 0.5, "up"), fm.Switch(on=push), name="jerk", once=True)
        return m

    with pytest.raises(SolverError, match="event 'jerk' watches accelerations or forces"):
        fm.sensitivity(forced, {"mass": 1.0}, 1.0, final="body.x")
    with pytest.raises(SolverError, match="it has the event 'close'"):
        fm.sensitivity(locking, {"m2": 0.6}, 1.2, final="a.angle", step=1e-3)
