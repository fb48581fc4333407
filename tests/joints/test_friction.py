"""Friction by the joint's own force: what is said of it, and its law."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.joints.friction import along_slip, smooth_size

LAW = fm.JointFriction(0.2, static=0.35, stribeck_speed=0.05, smoothing=0.01)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"coefficient": -0.1}, "coefficient"),
        ({"coefficient": float("nan")}, "coefficient"),
        ({"coefficient": 40.0}, "a coefficient of 40 is none of dry surfaces"),
        ({"coefficient": 0.3, "static": 0.2}, "static is 0.2, less than the coefficient"),
        ({"coefficient": 0.3, "static": 0.4, "smoothing": 0.1}, "smoothing is 0.1, stribeck_speed 0.01"),
        ({"coefficient": 0.3, "smoothing": -1.0}, "smoothing"),
        ({"coefficient": 0.3, "radius": 0.0}, "radius"),
        ({"coefficient": 0.3, "length": -1.0}, "length"),
        ({"coefficient": 0.3, "preload": -1.0}, "preload"),
        ({"coefficient": 0.3, "small_force": 0.0}, "small_force"),
        ({"coefficient": 0.3, "viscous": "much"}, "viscous"),
    ],
)
def test_bad_values_are_refused_by_name(named: dict, said: str) -> None:
    with pytest.raises(fm.errors.ModelError, match=f"joint friction.*{said}"):
        fm.JointFriction(**named)


def test_the_law_along_the_slip_is_smooth_through_rest() -> None:
    law = LAW.parameters()
    for u in (0.5e-6, 1.5e-6, 1e-4, 3e-3, 0.04, 0.5):
        c, c_by = along_slip(law, 0, u)
        assert c * u == pytest.approx(LAW.coefficient_at(u), rel=1e-8)
        if u < 1e-4 * LAW.smoothing:
            continue
        slope, error = derivative(lambda h, u=u: np.array([along_slip(law, 0, u + h)[0]]), 0.05 * u)
        assert c_by * u == pytest.approx(slope[0], rel=1e-5, abs=10 * error[0] + 1e-9 * abs(slope[0]) + 1e-7)


def test_the_size_of_a_force_has_no_kink() -> None:
    assert smooth_size(0.0, 1e-3) == (0.0, 1e3)
    assert smooth_size(9.0, 1e-3)[0] == pytest.approx(3.0 - 1e-3, rel=1e-6)


def test_a_joint_that_needs_a_radius_says_so() -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.2))
    for kind in ("revolute", "cylindrical", "spherical"):
        with pytest.raises(fm.errors.ModelError, match="its friction has no radius"):
            getattr(m, kind)(m.ground, body.frame, friction=fm.JointFriction(0.1), name=kind)
    with pytest.raises(fm.errors.ModelError, match=r"friction is 0\.3; give fm\.JointFriction"):
        m.prismatic(m.ground, body.frame, friction=0.3)


def free(kind: str, friction: fm.JointFriction, velocity: tuple, spin: tuple, **more: object) -> fm.SpatialModel:
    m = fm.SpatialModel("m", gravity=(0.0, -10.0, 0.0))
    body = m.add_body("body", mass=2.0, inertia=(0.02, 0.02, 0.02))
    body.frame.move(velocity, spin)
    getattr(m, kind)(m.ground, body.frame, friction=friction, name="joint", **more)
    return m


def test_a_sleeve_that_turns_fast_slides_along_easily() -> None:
    """Friction is along the slip: of μ N only the part ż/u acts along the axis."""
    friction = fm.JointFriction(0.3, radius=0.01, smoothing=1e-5, small_force=1e-9)
    for spin in (0.0, 30.0):
        m = free("cylindrical", friction, (0.0, 0.0, 0.4), (0.0, 0.0, spin))
        solution = fm.simulate(m, 1e-4, "dop853", tolerance=1e-10, progress=False)
        u = np.hypot(0.4, 0.01 * spin)
        assert solution["body"].acceleration[0, 2] == pytest.approx(-0.3 * 10.0 * 0.4 / u, rel=1e-7)
        wanted = -0.3 * 20.0 * 0.01 * (0.01 * spin) / u / 0.02
        assert solution["body"].angular_acceleration[0, 2] == pytest.approx(wanted, rel=1e-7, abs=1e-12)


def test_a_ball_turns_against_friction_about_any_axis() -> None:
    friction = fm.JointFriction(0.3, radius=0.02, smoothing=1e-5, small_force=1e-9)
    spin = np.array([1.0, -2.0, 2.0])
    m = free("spherical", friction, (0.0, 0.0, 0.0), tuple(spin))
    alpha = fm.simulate(m, 1e-4, "dop853", progress=False)["body"].angular_acceleration[0]
    assert alpha == pytest.approx(-0.3 * 20.0 * 0.02 / 0.02 * spin / 3.0, rel=1e-6)


def test_a_slide_presses_on_both_ends_of_its_bearing() -> None:
    """The weight acts at a distance c beyond a bearing of the length L: N = 2 c W/L where that is more than W."""
    m = fm.SpatialModel("m", gravity=(0.0, -10.0, 0.0))
    body = m.add_body("body", mass=2.0, inertia=(0.02, 0.02, 0.02), position=(0.0, 0.0, 0.3))
    body.frame.move((0.0, 0.0, 0.5))
    friction = fm.JointFriction(0.1, length=0.2, smoothing=1e-5, small_force=1e-9)
    m.prismatic(m.ground, body.attach("bush", (0.0, 0.0, -0.3)), friction=friction, name="slide")
    solution = fm.simulate(m, 1e-4, "dop853", progress=False)
    assert solution["body"].acceleration[0, 2] == pytest.approx(-0.1 * 2.0 * 0.3 / 0.2 * 10.0, rel=1e-7)
    force, moment = solution.reaction("slide")
    assert force[0] == pytest.approx([0.0, 20.0, -6.0], rel=1e-6, abs=1e-9)  # friction is part of it
    assert moment[0] == pytest.approx([-6.0, 0.0, 0.0], rel=1e-6, abs=1e-9)


def test_between_bodies_friction_keeps_the_momentum() -> None:
    m = fm.SpatialModel("free")
    a = m.add_body("a", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(0.1, 0.2, 0.3))
    b = m.add_body("b", mass=1.0, inertia=(0.1, 0.12, 0.14), position=(0.5, -0.2, 0.3))
    a.frame.move((0.0, 0.3, 0.0), (1.0, 2.0, 5.0))
    friction = fm.JointFriction(0.3, radius=0.05, length=0.1, smoothing=1e-2)
    on_b = b.attach("b", tuple(np.array([0.2, 0.4, 0.2]) - b.frame.position))
    m.revolute(a.attach("a", (0.1, 0.2, -0.1)), on_b, axis=(1, 2, 3), friction=friction)
    solution = fm.simulate(m, 0.5, "dop853", tolerance=1e-10, progress=False)
    system = fm.System(m)
    first, last = (system.momentum(0.0, solution.q[k], solution.v[k]) for k in (0, -1))
    assert last == pytest.approx(first, abs=1e-9)
    assert solution.energy.dissipated[-1] > 0.01
    assert solution.energy.error < 1e-4


@pytest.mark.parametrize("kind", ["universal", "planar_joint"])
def test_other_joints_have_no_friction(kind: str) -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.2))
    with pytest.raises(TypeError):
        getattr(m, kind)(m.ground, body.frame, friction=LAW)
