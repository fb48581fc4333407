"""Screws, gears, belts, racks: closed forms of mechanics, trains of wheels, a thousand turns, sensitivities, files."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.spatial import SpatialModel

G = 9.81
LEAD = 0.05


def nut(pitch=LEAD, inertia=0.02, mass=2.0):
    m = SpatialModel("nut", gravity=(0.0, 0.0, -G))
    body = m.add_body("nut", mass=mass, inertia=(0.1, 0.1, inertia))
    m.screw(m.ground, body.frame, pitch, name="thread")
    return m


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "dop853", "baumgarte", "projection"])
def test_a_nut_falls_as_its_inertia_lets_it(method):
    solution = fm.simulate(nut(), 1.0, method=method, progress=False)
    a = -G * 2.0 / (2.0 + 0.02 / LEAD**2)  # ½ (m + J/h²) ż² + m g z = 0
    assert solution["nut"].position[-1] == pytest.approx([0.0, 0.0, 0.5 * a], abs=1e-7)
    assert solution.coordinate("thread.turn")[-1] == pytest.approx(0.5 * a / LEAD, abs=1e-5)
    force, moment = solution.reaction("thread")
    assert force[-1] == pytest.approx([0.0, 0.0, 2.0 * (a + G)], abs=1e-5)
    assert moment[-1] == pytest.approx([0.0, 0.0, 0.02 * a / LEAD], abs=1e-5)


@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by")
def test_a_thousand_turns_of_a_screw():
    m = SpatialModel("m")
    body = m.add_body("nut", mass=2.0, inertia=(0.1, 0.1, 0.02), position=(0.0, 0.3, 0.0))
    m.screw(m.ground, body.attach("hole", (0.0, -0.3, 0.0)), -LEAD, axis="x", name="thread")
    m.drive_angle(m.ground, body.frame, fm.Polynomial([0.0, -20.0 * np.pi]), axis="x", name="motor")
    solution = fm.simulate(m, 100.0, step=0.005, progress=False)
    assert solution.coordinate("thread.turn")[-1] == pytest.approx(-2000.0 * np.pi, rel=1e-12)
    assert solution["nut.hole"].position[-1] == pytest.approx([100.0 * np.pi, 0.0, 0.0], rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("by", ["pitch", "inertia"])
def test_sensitivities_of_a_falling_nut(by):
    given = {"pitch": LEAD, "inertia": 0.02}
    found = fm.sensitivity(nut, given, 1.0, final="nut.z", step=0.01)

    def fall(**changed):
        p = {**given, **changed}
        return -0.5 * G * 2.0 / (2.0 + p["inertia"] / p["pitch"] ** 2)

    h = 1e-5 * given[by]
    slope = (fall(**{by: given[by] + h}) - fall(**{by: given[by] - h})) / (2.0 * h)
    assert found["nut.z", by] == pytest.approx(slope, rel=1e-6)


def wheels(ratio=-0.4, torque=0.0):
    """Bevel wheels about z and x, a weight's torque on the first."""
    m = SpatialModel("bevel", gravity=(0.0, -G, 0.0))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.0, 0.0, 0.2))
    b = m.add_body("b", mass=1.0, inertia=(0.3, 0.2, 0.2), position=(0.4, 0.0, 0.0))
    m.revolute(m.ground, a.attach("apex", (0.0, 0.0, -0.2)), axis="z")
    m.revolute(m.ground, b.attach("apex", (-0.4, 0.0, 0.0)), axis="x")
    m.gear(a.frame, b.frame, ratio, axis="z", axis_b="x", name="pair")
    m.torsion_spring(m.ground, a.frame, axis="z", stiffness=2.0, free_angle=1.0, name="spiral")
    return m


def test_bevel_wheels_swing_with_their_common_inertia():
    solution = fm.simulate(wheels(), 2.0, step=1e-3, progress=False)
    omega = np.sqrt(2.0 / (0.2 + 0.16 * 0.3))
    expected = 1.0 - np.cos(omega * solution.t)
    assert np.max(np.abs(solution.coordinate("pair.turn_a") - expected)) < 2e-5
    assert np.max(np.abs(solution.coordinate("pair.turn_b") + 0.4 * expected)) < 1e-5
    # the torque on b about x is J α = −λ
    force, moment = solution.reaction("pair")
    alpha = -0.4 * omega**2 * np.cos(omega * solution.t)
    assert np.max(np.abs(moment[:, 0] - 0.3 * alpha)) < 2e-4 and np.max(np.abs(force)) < 1e-9


def test_sensitivity_to_a_ratio():
    found = fm.sensitivity(wheels, {"ratio": -0.4}, 0.5, final="pair.turn_b", step=2e-3)

    def turned(i):
        return i * (1.0 - np.cos(0.5 * np.sqrt(2.0 / (0.2 + i * i * 0.3))))

    slope = (turned(-0.4 + 1e-5) - turned(-0.4 - 1e-5)) / 2e-5
    assert found["pair.turn_b", "ratio"] == pytest.approx(slope, rel=1e-4)


def test_a_thousand_turns_of_a_gear():
    m = SpatialModel("m")
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2))
    b = m.add_body("b", mass=1.0, inertia=(0.2, 0.1, 0.1))
    m.revolute(m.ground, a.frame, axis="z")
    m.revolute(m.ground, b.frame, axis="x")
    m.gear(a.frame, b.frame, -0.37, axis="z", axis_b="x", name="pair")
    m.drive_angle(m.ground, a.frame, fm.Polynomial([0.0, 20.0 * np.pi]), axis="z")
    solution = fm.simulate(m, 100.0, step=0.005, progress=False)
    assert solution.coordinate("pair.turn_a")[-1] == pytest.approx(2000.0 * np.pi, rel=1e-12)
    assert solution.coordinate("pair.turn_b")[-1] == pytest.approx(-740.0 * np.pi, rel=1e-12)


def test_an_epicyclic_gear_by_willis():
    """ω_sun z_sun + ω_ring z_ring = ω_carrier (z_sun + z_ring); the ring stands still."""
    m = SpatialModel("epicyclic")
    tilt = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    side = np.cross(tilt, [1.0, 0.0, 0.0])
    sun, arm = (m.add_body(n, mass=1.0, inertia=(0.1, 0.1, 0.2)) for n in ("sun", "arm"))
    planet = m.add_body("planet", mass=1.0, inertia=(0.1, 0.1, 0.2), position=side)
    m.revolute(m.ground, sun.frame, axis=tilt)
    m.revolute(m.ground, arm.frame, axis=tilt)
    m.revolute(arm.attach("pin", side), planet.frame, axis=tilt)
    m.gear(sun.frame, planet.frame, -20 / 16, axis=tilt, carrier=arm.frame, name="inner")
    m.gear(planet.frame, m.ground, 16 / 52, axis=tilt, carrier=arm.frame, name="outer")
    m.drive_angle(m.ground, sun.frame, fm.Polynomial([0.0, 10.0]), axis=tilt, name="motor")
    motion = fm.kinematics(m, 40.0, steps=200)
    speed = motion["arm"].angular_velocity @ tilt
    assert speed == pytest.approx(np.full(201, 10.0 * 20 / 72), rel=1e-10)
    assert motion["planet"].angular_velocity[-1] @ tilt - speed[-1] == pytest.approx(-1.25 * 520 / 72, rel=1e-10)


def test_a_differential_of_bevel_wheels():
    """The carrier turns half as much as both wheels together."""
    m = SpatialModel("differential")
    left = m.add_body("left", mass=1.0, inertia=(0.2, 0.1, 0.1))
    right = m.add_body("right", mass=1.0, inertia=(0.2, 0.1, 0.1))
    cage = m.add_body("cage", mass=1.0, inertia=(0.2, 0.1, 0.1))
    pinion = m.add_body("pinion", mass=0.1, inertia=(0.01, 0.01, 0.02), position=(0, 0, 0.3))
    for body in (left, right, cage):
        m.revolute(m.ground, body.frame, axis="x")
    m.revolute(cage.attach("pin", (0, 0, 0.3)), pinion.frame, axis="z")
    m.gear(left.frame, pinion.frame, -1.5, axis=(-1, 0, 0), axis_b="z", carrier=cage.frame)
    m.gear(right.frame, pinion.frame, -1.5, axis=(1, 0, 0), axis_b="z", carrier=cage.frame)
    m.drive_angle(m.ground, cage.frame, fm.Polynomial([0.0, 5.0]), axis="x")
    m.drive_angle(m.ground, left.frame, fm.Harmonic(2.0, 1.0), axis="x")
    motion = fm.kinematics(m, 3.0, steps=30)
    speeds = [motion[name].angular_velocity[:, 0] for name in ("left", "right", "cage")]
    assert np.max(np.abs(speeds[0] + speeds[1] - 2.0 * speeds[2])) < 1e-10


def test_a_rack_falls_and_turns_its_pinion():
    m = SpatialModel("m", gravity=(0.0, 0.0, -G))
    pinion = m.add_body("pinion", mass=1.0, inertia=(0.1, 0.03, 0.1))
    rack = m.add_body("rack", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.1, 0.0, 0.5))
    m.revolute(m.ground, pinion.frame, axis="y")
    m.prismatic(m.ground, rack.attach("guide", (-0.1, 0.0, 0.0)), axis="z")
    # the rack stands at +x of the pinion: y × x = −z
    m.rack_and_pinion(pinion.frame, rack.frame, 0.1, axis="y", along=(0, 0, -1), name="teeth")
    solution = fm.simulate(m, 1.0, progress=False)
    fall = 0.5 * G * 2.0 / (2.0 + 0.03 / 0.01)
    assert 0.5 - solution["rack"].position[-1, 2] == pytest.approx(fall, abs=1e-8)
    assert solution.coordinate("teeth.turn")[-1] == pytest.approx(fall / 0.1, abs=1e-7)


def test_a_car_climbs_a_rack_on_the_ground():
    """The pinion and its motor ride on the carrier, along the fixed rack."""
    m = SpatialModel("m", gravity=(0.0, 0.0, -G))
    car = m.add_body("car", mass=5.0, inertia=(1, 1, 1))
    pinion = m.add_body("pinion", mass=1.0, inertia=(0.1, 0.03, 0.1), position=(0.2, 0.0, 0.0))
    m.prismatic(m.ground, car.frame, axis="z")
    m.revolute(car.attach("axle", (0.2, 0.0, 0.0)), pinion.frame, axis="y")
    m.rack_and_pinion(pinion.frame, m.ground, 0.1, axis="y", along=(0, 0, -1), carrier=car.frame, name="teeth")
    m.drive_angle(car.frame, pinion.frame, fm.Polynomial([0.0, 2.0, 3.0]), axis="y", name="motor")
    motion = fm.kinematics(m, 2.0, steps=20)
    t = motion.t
    assert motion["car"].position[:, 2] == pytest.approx(0.1 * (2.0 * t + 3.0 * t**2), abs=1e-12)
    _, moment = motion.reaction("motor")
    assert moment[:, 1] == pytest.approx(np.full(21, 0.1 * 6.0 * (G + 0.6) + 0.03 * 6.0), rel=1e-10)


@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt(crossed):
    m = SpatialModel("m")
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.2))
    b = m.add_body("b", mass=1.0, inertia=(0.4, 0.4, 0.7))
    m.revolute(m.ground, a.frame, axis="z")
    m.revolute(m.ground, b.frame, axis="z")
    m.belt(a.frame, b.frame, 0.1, 0.25, axis="z", crossed=crossed, name="belt")
    m.drive_angle(m.ground, a.frame, fm.Polynomial([0.0, 0.0, 5.0]), axis="z")
    motion = fm.kinematics(m, 10.0, steps=50)
    sign = -1.0 if crossed else 1.0
    assert motion.coordinate("belt.turn_b") == pytest.approx(sign * 0.4 * 5.0 * motion.t**2, abs=1e-10)
    assert -motion.multipliers[:, motion.layout.rows_of("belt")[-1]] == pytest.approx(sign * 0.7 * 4.0 / 0.25, rel=1e-9)


def test_they_come_back_from_a_file(tmp_path):
    m = nut()
    solution = fm.simulate(m, 0.5, progress=False)
    solution.save(tmp_path / "nut.h5")
    again = fm.load(tmp_path / "nut.h5")
    assert np.array_equal(again.coordinate("thread.turn"), solution.coordinate("thread.turn"))
    assert np.array_equal(again.reaction("thread")[1], solution.reaction("thread")[1])


def refused():
    m = SpatialModel("m")
    a = m.add_body("a", mass=1.0, inertia=(1, 1, 1))
    return m, a, m.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m, a, b: m.screw(a.frame, b.frame, 0.0), "pitch is 0; use revolute"),
        (lambda m, a, b: m.screw(a.frame, b.frame, np.inf), "pitch is inf; give a finite number"),
        (lambda m, a, b: m.screw(a.frame, b.frame, 0.1, axis=(0, 0, 0)), "axis has no direction"),
        (lambda m, a, b: m.gear(a.frame, b.frame, 0.0), "ratio is 0; to hold an angle use lock"),
        (lambda m, a, b: m.gear(a.frame, b.frame, np.nan), "ratio is nan; give a finite number"),
        (lambda m, a, b: m.gear(a.frame, b.frame, 1.0, axis_b=(0, 0, 0)), "axis_b has no direction"),
        (lambda m, a, b: m.gear(a.frame, b.frame, 1.0, axis_b="w"), "in the axes of frame b"),
        (lambda m, a, b: m.gear(a.frame, b.frame, 1.0, carrier=a.frame), "frame 'a' is part of the carrier 'a'"),
        (lambda m, a, b: m.gear(m.ground, b.frame, 1.0), "frame 'ground' is part of the carrier 'ground'"),
        (lambda m, a, b: m.belt(a.frame, b.frame, 0.1, 0.0), "radius_b"),
        (lambda m, a, b: m.rack_and_pinion(a.frame, b.frame, -0.1), "radius"),
        (lambda m, a, b: m.rack_and_pinion(a.frame, b.frame, 0.1, along=(1, 0, 1)), "across the axis .* 45°"),
    ],
)  # fmt: skip
def test_what_cannot_be_right_is_refused(make, message):
    with pytest.raises(fm.errors.ModelError, match=message):
        make(*refused())


def test_a_screw_has_the_coordinates_of_a_joint():
    solution = fm.simulate(nut(), 1.0, progress=False)
    joint, a = solution["thread"], -G * 2.0 / (2.0 + 0.02 / LEAD**2)
    assert joint.position[-1] == pytest.approx(0.5 * a, abs=1e-8)
    assert joint.angle[-1] == pytest.approx(0.5 * a / LEAD, abs=1e-7)
    assert joint.position_rate[-1] == pytest.approx(a, abs=1e-8)
    assert joint.angle_rate[-1] == pytest.approx(a / LEAD, abs=1e-7)
