"""Ropes, stops, plates and supports in space stand where limits, travels and joints say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.visual import View
from flexmb.visual.stage.pieces import BentTube, Rigid
from tests.visual.pieces import center_line, only

TILT = Rotation.from_euler("xyz", [0.3, -0.5, 0.7])
ISOTROPIC = (0.1, 0.1, 0.1)


def grounds(pieces):
    return sorted(tuple(piece.poses[0, :3].round(9).tolist()) for piece in pieces if piece.role == "ground")


def test_a_slack_rope_hangs_down_as_long_as_it_is():
    m = fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))
    bob = m.add_body("bob", mass=1.0, inertia=ISOTROPIC, position=(0.5, 0.0, -0.2))
    m.distance_stop(m.ground, bob.frame, upper=0.9, stiffness=1e6, name="rope")
    run = fm.simulate(m, 0.25, progress=False)
    rope = only(View(run).stage([0.0, 0.1, 0.25]), "rope", BentTube)
    for k, t in enumerate((0.0, 0.1, 0.25)):
        line = center_line(rope, k, rope.axis.shape[1])
        assert np.allclose(line[[0, -1]], [[0.0, 0.0, 0.0], run.at(t)["bob"].position[0]], atol=1e-9)
        length = np.sum(np.linalg.norm(np.diff(line, axis=0), axis=1))
        assert length == pytest.approx(0.9, abs=1e-6)
        assert line[:, 2].min() < line[-1, 2] and np.abs(line[:, 1]).max() < 1e-9


def test_collars_stand_at_the_limits_of_a_slide():
    m = fm.SpatialModel("m")
    rail = m.ground.attach("rail", (1.0, 2.0, 3.0), TILT)
    car = m.add_body("car", mass=1.0, inertia=ISOTROPIC, position=(1.0, 2.0, 3.0), orientation=TILT)
    slide = m.prismatic(rail, car.frame, axis="x", name="slide")
    m.joint_stop(slide, lower=-0.3, upper=0.5, stiffness=1e4, name="ends")
    view = View(m)
    pieces, unit = view.stage([0.0]), view.scales.unit
    own = TILT.inv().apply(only(pieces, "ends", Rigid, "rail").points(0) - [1.0, 2.0, 3.0])
    room = 0.042 * unit
    for middle in (-0.3 - room, 0.5 + room):  # half a block beyond the limit of its middle
        assert np.abs(np.abs(own[:, 0] - middle) - 0.004 * unit).min() < 1e-9
    assert (own[:, 0].min(), own[:, 0].max()) == pytest.approx((-0.3 - room - 0.004 * unit, 0.5 + room + 0.004 * unit))
    rails = TILT.inv().apply(only(pieces, "slide", Rigid, "rail").points(0) - [1.0, 2.0, 3.0])[:, 0]
    assert rails.min() < own[:, 0].min() and rails.max() > own[:, 0].max(), "the rails reach as far"


def test_a_pointer_turns_between_the_pins_of_a_hinge():
    m = fm.SpatialModel("m")
    post = m.ground.attach("post", (1.0, 2.0, 3.0), TILT)
    door = m.add_body("door", mass=1.0, inertia=ISOTROPIC, position=(1.0, 2.0, 3.0), orientation=TILT)
    hinge = m.revolute(post, door.frame, axis="y", name="hinge")
    m.joint_stop(hinge, lower=-0.5, upper=1.0, stiffness=1e4, name="buffer")
    door.move(angular_velocity=TILT.apply([0.0, 1.5, 0.0]))
    run = fm.simulate(m, 0.5, progress=False)
    pieces = View(run).stage([0.0, 0.4])
    pointer, pins = only(pieces, "buffer", Rigid, "joint"), only(pieces, "buffer", Rigid, "rail")
    ends = [piece.points(k) - [1.0, 2.0, 3.0] for piece in (pointer, pins) for k in (0, 1)]
    axis = TILT.apply([0.0, 1.0, 0.0])
    far = np.argmax(np.linalg.norm(ends[0], axis=1))
    tips = [points[far] - (points[far] @ axis) * axis for points in ends[:2]]
    turned = np.arctan2(axis @ np.cross(tips[0], tips[1]), tips[0] @ tips[1])
    assert turned == pytest.approx(0.6, abs=1e-6)
    assert np.allclose(ends[2], ends[3]), "the pins stay on a"


def test_plates_reach_as_far_as_they_are_used():
    m = fm.SpatialModel("m")
    b = m.add_body("b", mass=1.0, inertia=ISOTROPIC, position=(1.0, 0.0, 0.5))
    m.planar_joint(m.ground.attach("floor", (0.0, 0.0, 0.5)), b.frame, axis="z", name="floor joint")
    b.move((3.0, -2.0, 0.0))
    view = View(fm.simulate(m, 1.0, step=0.1, progress=False))
    plate, room = only(view.stage([0.0, 1.0]), "floor joint", role="rail"), 0.05 * view.scales.unit
    points = plate.points(0)
    assert points.min(axis=0)[:2] == pytest.approx([1.0 - room, -2.0 - room])
    assert points.max(axis=0)[:2] == pytest.approx([4.0 + room, 0.0 + room])
    assert np.abs(points[:, 2] - 0.5).max() == pytest.approx(0.003 * view.scales.unit)


def test_supports_stand_where_something_is_held():
    """Not at the origin of a frame from which a place or an angle is only measured."""
    m = fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))
    names = ("welded", "driven", "parallel", "locked", "slid", "hung")
    bodies = {x: m.add_body(x, mass=1.0, inertia=ISOTROPIC, position=(k, 0.0, 1.0)) for k, x in enumerate(names)}
    m.weld(m.ground.attach("foot", (0.0, 0.0, 1.0)), bodies["welded"].frame)
    m.drive_position(m.ground, bodies["driven"].frame, (1.0, 0.0, 1.0))
    m.parallel_axes(m.ground, bodies["parallel"].frame, axis="z")
    m.lock(m.ground, bodies["locked"].frame, "z")
    joint = m.prismatic(m.ground.attach("rail", (4.2, 0.0, 1.0)), bodies["slid"].frame, axis="x")
    m.drive_joint(joint, fm.Polynomial([-0.2, 0.1]))
    m.spring_damper(m.ground.attach("hook", (5.0, 0.0, 2.0)), bodies["hung"].frame, stiffness=100.0)
    assert grounds(View(m).stage([0.0])) == [(0.0, 0.0, 1.0), (5.0, 0.0, 2.0)]
