"""Stops: limits of joints and of distances, in the plane and in space, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError

G = 9.81


def door(space: bool, speed: float) -> tuple[Any, Any]:
    """A door that turns on its hinge."""
    if space:
        m = fm.SpatialModel("door")
        body = m.add_body("door", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
        hinge = m.revolute(m.ground, body.attach("edge", (-1, 0, 0)), axis="z", name="hinge")
        m.set_rigid_motion(angular_velocity=(0, 0, speed), components=[body])
        return m, hinge
    p = fm.PlanarModel("door")
    plank = p.add_body("door", mass=1.0, inertia=0.1, position=(1, 0))
    hinge = p.revolute(p.ground, plank.attach("edge", (-1, 0)), name="hinge")
    p.set_rigid_motion(angular_velocity=speed, components=[plank])
    return p, hinge


@pytest.mark.parametrize("space", [False, True])
def test_a_door_is_thrown_back_at_its_restitution(space: bool, tmp_path: Path) -> None:
    m, hinge = door(space, 2.0)
    m.joint_stop(hinge, lower=-0.5, upper=1.0, stiffness=1e6, restitution=0.6, impact_speed=2.0, name="buffer")
    solution = fm.simulate(m, 1.2, progress=False)
    track = solution["door"]
    rate = track.angular_velocity[:, 2] if space else track.angular_velocity
    assert rate[-1] == pytest.approx(-1.2, rel=1e-3)
    buffer = solution["buffer"]
    assert isinstance(buffer, fm.StopTrack)
    # the largest force: ∫ N dt = J (2 + 1.2), J = 1.1
    impulse = float(np.trapezoid(buffer.force, buffer.t))
    assert impulse == pytest.approx(-1.1 * 3.2, rel=2e-3)
    assert buffer.value[0] == 0.0 and np.max(buffer.value) > 1.0
    assert buffer.gap[0] == 0.5 and solution.series("buffer.force").unit == "Nm"
    assert np.min(buffer.gap) == pytest.approx(1.0 - np.max(buffer.value))
    loaded = fm.load(solution.save(tmp_path / "run.h5"))
    assert loaded["buffer"].force == pytest.approx(buffer.force)
    assert loaded["buffer.gap"] == pytest.approx(buffer.gap)
    assert solution.trustworthy


def test_limits_many_turns_away() -> None:
    m, hinge = door(True, 30.0)
    m.joint_stop(hinge, lower=-1.0, upper=25.0, stiffness=1e6, name="buffer")
    solution = fm.simulate(m, 1.5, progress=False)
    # k δ^2.5/2.5 = ½ J ω²; the touch lasts 2.9433 δ/ω (Hertz)
    depth = (1.25 * 1.1 * 30.0**2 / 1e6) ** 0.4
    left = 1.5 - 25.0 / 30.0 - 2.9433 * depth / 30.0
    assert solution["buffer"].value[-1] == pytest.approx(25.0 - 30.0 * left, abs=2e-3)
    assert np.max(solution["buffer"].value) == pytest.approx(25.0 + depth, abs=1e-3)


@pytest.mark.parametrize("space", [False, True])
def test_a_slide_between_two_buffers(space: bool) -> None:
    """A slide along a tilted rail: it comes back and forth with its full speed."""
    if space:
        m: Any = fm.SpatialModel("slide")
        body = m.add_body("slide", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0.4, 0))
        body.frame.move((0.6, 0.8, 0))
        rail = m.prismatic(m.ground, body.frame, axis=(3, 4, 0))
    else:
        m = fm.PlanarModel("slide")
        body = m.add_body("slide", mass=2.0, inertia=0.1, position=(0.3, 0.4))
        body.frame.move((0.6, 0.8))
        rail = m.prismatic(m.ground, body.frame, axis=math.atan2(4, 3))
    m.joint_stop(rail, lower=0.2, upper=0.7, stiffness=1e9, exponent=1.0, name="ends")
    solution = fm.simulate(m, 2.1, progress=False)
    ends = solution["ends"]
    assert ends.value[0] == pytest.approx(0.5) and ends.rate[0] == pytest.approx(1.0)
    # a half period π √(m/k) in each of four touches; 0.2 + 4 · 0.5 of way, and what is left
    touches = math.pi * math.sqrt(2.0 / 1e9)
    left = 2.1 - 4 * touches - 0.2 - 3 * 0.5
    assert ends.value[-1] == pytest.approx(0.2 + left, abs=1e-3)
    assert ends.rate[-1] == pytest.approx(1.0, rel=1e-3)
    assert solution.energy.error < 2e-3
    force = ends.force
    assert np.max(force) > 0.0 > np.min(force)


@pytest.mark.parametrize("space", [False, True])
def test_a_rope_is_slack_and_then_holds(space: bool) -> None:
    at = (0.0, 0.0, -0.5) if space else (0.0, -0.5)
    if space:
        m: Any = fm.SpatialModel("rope", gravity=(0, 0, -G))
        bob = m.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=at)
    else:
        m = fm.PlanarModel("rope", gravity=(0, -G))
        bob = m.add_body("bob", mass=1.0, inertia=0.1, position=at)
    m.distance_stop(m.ground, bob.frame, upper=1.0, stiffness=1e4, exponent=1.0, damping=2.0, name="rope")
    solution = fm.simulate(m, 4.0, progress=False)
    rope = solution["rope"]
    slack = solution.t < math.sqrt(2 * 0.5 / G)
    assert np.all(rope.force[slack] == 0.0)
    assert rope.force[-1] == pytest.approx(-G, rel=0.02)
    assert np.min(rope.force) < -10 * G
    assert solution["bob"].position[-1, -1] == pytest.approx(-1.0 - G / 1e4, abs=1e-4)


def test_a_screw_that_runs_into_its_end() -> None:
    m = fm.SpatialModel("screw")
    nut = m.add_body("nut", mass=1.0, inertia=(0.01, 0.01, 0.01))
    thread = m.screw(m.ground, nut.frame, 0.01, axis="z")
    m.set_rigid_motion((0, 0, 0.2), (0, 0, 20.0), components=[nut])
    by_angle = m.joint_stop(thread, upper=15.0, coordinate="angle", stiffness=1e5, name="angle")
    solution = fm.simulate(m, 1.5, progress=False)
    assert solution["angle"].value[-1] == pytest.approx(0.0, abs=0.3)
    del m.components[by_angle.name]
    m.joint_stop(thread, upper=0.15, coordinate="position", stiffness=1e9, name="position")
    solution = fm.simulate(m, 1.5, progress=False)
    assert solution["position"].value[-1] == pytest.approx(0.0, abs=3e-3)
    assert solution["nut"].wz[-1] == pytest.approx(-20.0, rel=1e-3)


def test_an_arm_rests_on_its_stop() -> None:
    m = fm.PlanarModel("arm", gravity=(0, -G))
    arm = m.add_body("arm", mass=1.0, inertia=0.1, position=(1, 0))
    hinge = m.revolute(m.ground, arm.attach("edge", (-1, 0)))
    m.joint_stop(hinge, lower=-0.1, stiffness=1e4, exponent=1.0, damping=0.5, name="stop")
    rest = fm.equilibrium(m)
    angle = rest["stop"].value
    assert 1e4 * (-0.1 - angle) == pytest.approx(G * math.cos(angle), rel=1e-9)
    assert rest["stop"].force == pytest.approx(G * math.cos(angle), rel=1e-9)
    # k + the weight's own stiffness
    stiffness = 1e4 - G * math.sin(angle) * -1.0 * -1.0
    assert fm.modes(rest).frequencies[0] == pytest.approx(math.sqrt(stiffness / 1.1) / (2 * math.pi), rel=1e-6)


def test_what_is_refused() -> None:
    m, hinge = door(False, 0.0)
    with pytest.raises(ModelError, match=r"at the start angle is 0 rad, 0.2 rad beyond upper, -0.2 rad"):
        m.joint_stop(hinge, upper=-0.2, stiffness=1e4)
    with pytest.raises(ModelError, match="give lower, upper or both"):
        m.joint_stop(hinge, stiffness=1e4)
    with pytest.raises(ModelError, match="lower must be smaller"):
        m.joint_stop(hinge, lower=0.2, upper=0.1, stiffness=1e4)
    with pytest.raises(ModelError, match="stiffness"):
        m.joint_stop(hinge, lower=-0.2, stiffness=0.0)
    with pytest.raises(ModelError, match="no coordinate that a stop could limit"):
        m.joint_stop(m.weld(m.ground, m.components["door"].frame.attach("x", (1, 1))), lower=-0.2, stiffness=1.0)
    with pytest.raises(ModelError, match="no coordinate that a stop could limit"):
        m.joint_stop("hinge", lower=-0.2, stiffness=1.0)
    with pytest.raises(ModelError, match="coordinate of joint 'hinge'"):
        m.joint_stop(hinge, lower=-0.2, stiffness=1.0, coordinate="position")
    pin = m.pin_in_slot(m.ground, m.components["door"].frame, name="pin")
    with pytest.raises(ModelError, match="has the coordinates position, angle; say which one"):
        m.joint_stop(pin, lower=-0.2, stiffness=1.0)
    with pytest.raises(ModelError, match=r"the distance is 1 m, 0.5 m beyond upper"):
        m.distance_stop(m.ground, m.components["door"].frame, upper=0.5, stiffness=1.0)
    with pytest.raises(ModelError, match="lower"):
        m.distance_stop(m.ground, m.components["door"].frame, lower=-0.5, stiffness=1.0)
    assert not any(name.startswith("stop") for name in m.components)
    s, hinge = door(True, 0.0)
    tip = s.components["door"].frame.attach("tip", (-1, 0, 0))
    with pytest.raises(ModelError, match="no single angle that a stop could limit"):
        s.joint_stop(s.spherical(s.ground, tip), lower=-1.0, stiffness=1.0, coordinate="rx")
    with pytest.raises(ModelError, match=r"position is 0 m, 0.1 m beyond lower"):
        s.joint_stop(s.prismatic(s.ground, tip, name="slide"), lower=0.1, stiffness=1.0)


def test_joints_that_are_brought_together_beyond_a_stop_are_refused() -> None:
    m = fm.PlanarModel("m")
    a = m.add_body("a", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = m.revolute(m.ground, a.frame.attach("foot", (-0.5, 0)), name="hinge")
    m.joint_stop(hinge, lower=-0.1, upper=0.1, stiffness=1e4, name="stop")
    m.distance(m.ground.attach("peg", (math.cos(0.5), math.sin(0.5))), a.frame.attach("tip", (0.5, 0)), 0.2)
    with pytest.raises(fm.errors.InitialConditionError, match=r"stop 'stop' is 0\.[0-9]+ beyond its limit there"):
        fm.simulate(m, 0.1, progress=False)
