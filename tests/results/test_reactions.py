"""Forces of joints against Newton's and Euler's laws."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError
from tests.results.mechanisms import flexible, pendulum

G = np.array([0.0, -9.81])


def test_the_hinge_of_a_rigid_pendulum():
    s = fm.simulate(pendulum(), 1.5, "projection", progress=False, tolerance=1e-11, absolute_tolerance=1e-11)
    force, moment = s.reaction("hinge")
    theta = s["bob"].angle
    e = np.column_stack([np.cos(theta), np.sin(theta)])
    across = np.column_stack([-e[:, 1], e[:, 0]])
    omega2 = -2 * 2.0 * 9.81 * np.sin(theta) / 2.1
    alpha = -2.0 * 9.81 * np.cos(theta) / 2.1
    expected = 2.0 * (alpha[:, None] * across - omega2[:, None] * e - G)
    assert np.allclose(force, expected, rtol=0, atol=2e-8)
    assert np.allclose(moment, 0.0, atol=1e-12)
    back, _ = s.reaction("hinge", frame="ground")
    assert np.allclose(back, -force, rtol=0, atol=1e-12)
    assert np.array_equal(s.multipliers_of("hinge"), s.multipliers)


def test_a_weld_of_two_instances_moves_the_moment_to_the_frame():
    """Only the weld and its weight act on the body at the tip."""
    s = fm.simulate(flexible(), 0.4, step=0.002, progress=False)
    force, moment = s.reaction("seam")
    bob = s["bob"]
    arm = s["bob.left"].position - bob.position
    assert np.allclose(force, 1.0 * (bob.acceleration - G), rtol=0, atol=1e-8)
    about_center = moment + arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    assert np.allclose(about_center, 0.1 * bob.angular_acceleration, rtol=0, atol=1e-8)
    assert np.ptp(moment) > 0.1
    other, turned = s.reaction(s.model.component("seam"), frame=s.model.component("rod").end)
    assert np.allclose(other, -force, rtol=0, atol=1e-10) and np.allclose(turned, -moment, rtol=0, atol=1e-6)


def test_a_drive_is_a_moment():
    m = fm.PlanarModel("shaft")
    wheel = m.add_body("wheel", mass=1.0, inertia=0.5)
    m.revolute(m.ground, wheel.frame)
    m.drive_angle(m.ground, wheel.frame, fm.Harmonic(0.3, 2.0), name="drive")
    s = fm.simulate(m, 1.0, "projection", progress=False)
    force, moment = s.reaction("drive")
    assert np.allclose(moment, -0.5 * 0.3 * 4.0 * np.sin(2.0 * s.t), rtol=0, atol=1e-9)
    assert not force.any()


def test_of_a_beam_one_must_say_the_frame():
    m = fm.PlanarModel("cable", gravity=(0, -9.81))
    rod = m.add_beam(
        "rod", m.ground, (1, 0), properties=fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=0.5), theory="ancf"
    )
    s = fm.simulate(m, 0.01, step=0.001, progress=False)
    with pytest.raises(NamingError, match="frame="):
        s.reaction("rod")
    with pytest.raises(NamingError, match=r"'rod\.end'|'rod\.start'"):
        s.reaction("rod", frame="rod.stat")
    assert np.isfinite(s.reaction("rod", frame=rod.start)[0]).all()
