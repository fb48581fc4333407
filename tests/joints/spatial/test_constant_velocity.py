"""Constant velocity joint: equal speeds at every bend, also while it changes; the universal joint beside it."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.spatial import SpatialModel


def shafts(joint, bend=0.4, swing=0.5):
    """A shaft about z, and another one in a fork that swings about y."""
    m = SpatialModel("shafts")
    way = np.array([np.sin(bend), 0.0, np.cos(bend)])
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.0, 0.0, -1.0))
    fork = m.add_body("fork", mass=1.0, inertia=(0.3, 0.3, 0.3))
    b = m.add_body("b", mass=1.0, inertia=(0.2, 0.2, 0.2), position=way)
    m.revolute(m.ground, a.attach("bearing", (0.0, 0.0, 1.0)), axis="z", count_turns=True, name="first")
    m.revolute(m.ground, fork.frame, axis="y", name="swing")
    m.revolute(fork.attach("bearing", way), b.frame, axis=way, count_turns=True, name="second")
    joint(m, a.attach("end", (0.0, 0.0, 1.0)), b.attach("end", -way), way)
    m.drive_angle(m.ground, fork.frame, fm.Harmonic(swing, 3.0), axis="y", name="steer")
    m.drive_angle(m.ground, a.frame, fm.Polynomial([0.0, 20.0]), axis="z", name="motor")
    return m


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_speeds_are_equal_at_every_bend():
    """The fork swings in the plane of both shafts; so the turn of b in it is that of a, also while the bend changes."""
    m = shafts(lambda m, a, b, way: m.constant_velocity(a, b, axis="z", axis_b=way, name="ball"))
    motion = fm.kinematics(m, 20.0, steps=2000)
    assert motion.coordinate("second.turn") == pytest.approx(20.0 * motion.t, abs=1e-9)
    solution = fm.simulate(m, 4.0, step=2e-3, progress=False)
    assert solution.coordinate("second.turn")[-1] == pytest.approx(80.0, abs=1e-8)


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_a_single_universal_joint_does_not_do_so():
    def cross(m, a, b, way):
        m.universal(a, b, axis="y", axis_b=np.cross(way, (0, 1, 0)), name="cross")

    m = shafts(cross, swing=0.0)
    motion = fm.kinematics(m, 1.0, steps=400)
    ratio = motion["b"].angular_velocity @ [np.sin(0.4), 0.0, np.cos(0.4)] / 20.0
    # the pin of a stands along y at the start, across the plane of the shafts
    c, s = np.cos(0.4), np.sin(0.4)
    assert ratio == pytest.approx(c / (1.0 - s * s * np.sin(20.0 * motion.t) ** 2), abs=1e-9)


@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_its_moment_lies_along_the_bisector():
    m = shafts(lambda m, a, b, way: m.constant_velocity(a, b, axis="z", axis_b=way, name="ball"), swing=0.0)
    m.components["motor"].angle = fm.Polynomial([0.0, 0.0, 3.0])
    motion = fm.kinematics(m, 2.0, steps=20)
    _, moment = motion.reaction("ball")
    bisector = np.array([np.sin(0.4), 0.0, 1.0 + np.cos(0.4)])
    # about the shaft of b it turns the inertia 0.2 by 6 rad/s²
    assert moment == pytest.approx(np.tile(1.2 / (1.0 + np.cos(0.4)) * bisector, (21, 1)), abs=1e-9)


def test_shafts_against_each_other_are_refused():
    m = SpatialModel("m")
    a, b = (m.add_body(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    with pytest.raises(fm.errors.ModelError, match="points 180° away from axis"):
        m.constant_velocity(a.frame, b.frame, axis="z", axis_b=(0, 0, -1))
