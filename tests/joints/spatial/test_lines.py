"""The lines of gears, belts, racks, wheels and roads: points that geometry gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.joints.spatial.lines import belt_line, gear_lines, pitch_points, teeth_of
from flexmb.results.pictures.roads import roads, spacing_of
from flexmb.results.pictures.scene import component_lines

Z = np.array([0.0, 0.0, 1.0])
TILT = Rotation.from_euler("xyz", [0.3, -0.5, 0.7])
ISOTROPIC = (0.1, 0.1, 0.1)


def wheel(m, name, place, axis="z", turn=None):
    """A body on a hinge about an axis through its origin."""
    body = m.add_body(name, mass=1.0, inertia=ISOTROPIC, position=place, orientation=turn)
    m.revolute(m.ground.attach(f"seat {name}", place, turn), body.frame, axis=axis)
    return body


def test_pitch_circles_of_parallel_axes():
    """Outer teeth: r_a + r_b = d; inner teeth: r_b − r_a = d; always r_a = |i| r_b."""
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.6, 3.0])
    for ratio, radii in ((-2.0, (0.4, 0.2)), (0.25, (0.2, 0.8)), (4.0, (0.8, 0.2))):
        first, second = pitch_points([a, b], [Z, Z], ratio)
        assert np.allclose(first, second)
        assert [np.linalg.norm(first - x) for x in (a, b)] == pytest.approx(radii)
    first, _ = pitch_points([a, b], [Z, -Z], 2.0)
    assert np.linalg.norm(first - a) == pytest.approx(0.4), "opposite axes turn the sign of the ratio"
    assert pitch_points([a, b], [Z, Z], 1.0) is None, "wheels that turn alike have no pitch point"
    assert pitch_points([a, b], [Z, Z], 0.95) is None, "a ring of 19 distances is none that one builds"


def test_pitch_cones_of_bevel_gears():
    """Cones that roll on one another: tan δ_a = sin Σ/(1/|i| + cos Σ) for axes at an angle Σ that leave the apex."""
    for sigma, ratio in ((0.5 * np.pi, -0.5), (1.1, -1.5)):
        apex, u_b = np.array([0.2, 0.1, -0.4]), np.array([np.sin(sigma), 0.0, np.cos(sigma)])
        cone = np.arctan(np.sin(sigma) / (1.0 / abs(ratio) + np.cos(sigma)))
        places = apex + 0.5 * Z, apex + 0.3 * u_b
        points = pitch_points(places, [Z, u_b], ratio)
        radii = 0.5 * np.tan(cone), 0.3 * np.tan(sigma - cone)
        assert [np.linalg.norm(p - x) for p, x in zip(points, places)] == pytest.approx(radii)


def test_numbers_of_teeth():
    for ratio in (-2.0, 0.75, -1.0, 3.5, -20 / 40, 17 / 53):
        a, b = teeth_of(ratio)
        assert a / b == pytest.approx(abs(ratio), abs=1e-12) and min(a, b) >= 14


@pytest.mark.parametrize("ratio", [-2.0, -0.75, 0.4])
def test_teeth_mesh_as_the_wheels_turn(ratio):
    """In a plane that goes along with none of them, no tooth of one wheel enters the other: where one outline is above
    its pitch circle at the pitch point, the other is below its own."""
    m = fm.SpatialModel("m")
    place = np.array([1.0, 2.0, 3.0])
    a = wheel(m, "a", place, turn=TILT)
    b = wheel(m, "b", place + TILT.apply([0.6, 0.0, 0.0]), turn=TILT)
    pair = m.gear(a.frame, b.frame, ratio, name="pair")
    a.move(angular_velocity=TILT.apply([0, 0, 1.0]))
    b.move(angular_velocity=TILT.apply([0, 0, ratio]))
    run = fm.simulate(m, 8.0, step=0.01, progress=False)
    lines = pair.drawn(run)
    pitch, _ = pitch_points([a.frame.position, b.frame.position], [TILT.apply(Z)] * 2, ratio)
    out = [TILT.inv().apply(pitch - body.frame.position) for body in (a, b)]
    heights = []
    for body, line, arm in zip((a, b), lines, out):
        seen = TILT.inv().apply((line - body.frame.position).reshape(-1, 3)).reshape(line.shape)
        assert np.abs(seen[..., 2]).max() < 1e-9
        r, turn = np.linalg.norm(seen, axis=2), np.arctan2(seen[..., 1], seen[..., 0]) - np.arctan2(arm[1], arm[0])
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        order = np.argsort(turn, axis=1)
        at = [np.interp(0.0, turn[k, order[k]], r[k, order[k]]) for k in range(len(run.t))]
        heights.append(np.array(at) - np.linalg.norm(arm))
    inside = 1.0 if ratio > 0.0 else -1.0
    assert np.ptp(heights[0]) > 0.01
    assert np.allclose(heights[0], inside * heights[1], atol=0.05 * np.ptp(heights[0]))


def test_gears_that_couple_hinges_of_two_carriers_have_no_teeth():
    m = fm.SpatialModel("m")
    a, b = wheel(m, "a", (0.0, 0.0, 0.0)), wheel(m, "b", (0.5, 0.0, 0.0))
    own = m.add_body("own", mass=1.0, inertia=ISOTROPIC)
    m.weld(m.ground, own.frame)
    pair = m.gear(a.frame, b.frame, -1.0, carrier=m.ground, carrier_b=own.frame)
    assert pair.drawn(fm.View(m).solution) == []
    assert gear_lines([a.frame, b.frame], [Z, Z], 1.0) == []


@pytest.mark.parametrize("crossed", [False, True])
def test_belts_are_as_long_as_theory_says(crossed):
    """Open: 2 √(d² − (r_a − r_b)²) + π (r_a + r_b) + 2 (r_a − r_b) asin((r_a − r_b)/d); crossed: with r_a + r_b."""
    a, b, radii = np.array([1.0, 2.0, 3.0]), TILT.apply([0.8, 0.3, 0.0]) + [1.0, 2.0, 3.0], (0.25, 0.1)
    axis = TILT.apply(Z)
    d, part = np.hypot(0.8, 0.3), radii[0] + (radii[1] if crossed else -radii[1])
    wanted = 2.0 * np.sqrt(d**2 - part**2) + np.pi * (radii[0] + radii[1]) + 2.0 * part * np.arcsin(part / d)
    for other in (axis, -axis):
        line = belt_line([a, b], [axis, other], radii, crossed if other is axis else not crossed, 400)
        assert np.allclose(line[0], line[-1])
        assert np.sum(np.linalg.norm(np.diff(line, axis=0), axis=1)) == pytest.approx(wanted, rel=1e-5)
        for k, (place, radius) in enumerate(zip((a, b), radii)):
            assert np.allclose(np.linalg.norm(line[400 * k : 400 * (k + 1)] - place, axis=1), radius)
        strand = line[400] - line[399]
        assert abs(strand @ (line[399] - a)) < 1e-9 and abs(strand @ (line[400] - b)) < 1e-9, "it leaves tangentially"


def test_a_rack_meshes_with_its_pinion():
    m = fm.SpatialModel("m")
    pinion = wheel(m, "pinion", (0.0, 0.0, 0.0))
    rack = m.add_body("rack", mass=1.0, inertia=ISOTROPIC, position=(0.0, -0.15, 0.0))
    m.prismatic(m.ground.attach("guide", (0.0, -0.15, 0.0)), rack.frame, axis="x")
    teeth = m.rack_and_pinion(pinion.frame, rack.frame, 0.1, axis="z", along="x")
    pinion.move(angular_velocity=(0, 0, 2.0))
    rack.move((0.2, 0.0, 0.0))
    run = fm.simulate(m, 1.0, step=0.01, progress=False)
    wheel_line, rack_line = teeth.drawn(run)
    assert np.allclose(rack_line[:, 0] - rack_line[0, 0], run["rack"].position - run["rack"].position[0], atol=1e-9)
    low = [np.interp(0.0, x[:, 0], x[:, 1]) + 0.1 for x in rack_line]
    down = []
    for x in wheel_line:
        angle = np.arctan2(x[:, 0], -x[:, 1])
        order = np.argsort(angle)
        down.append(0.1 - np.interp(0.0, angle[order], np.linalg.norm(x, axis=1)[order]))
    assert np.ptp(low) > 0.015
    assert np.allclose(low, down, atol=0.06 * np.ptp(low)), "a tooth is in a gap, on the pitch line y = −r"


def test_roads_lie_still_below_what_rolls():
    """Lines at round places of the plane, around the place of contact; rims touch the road."""
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    disk = m.add_body(
        "disk", shape=fm.Cylinder(diameter=0.6, length=0.02, axis="y"), mass=1.0, position=(0.05, 0.13, 0.3)
    )
    road = m.rolling_wheel(m.ground, disk.frame, 0.3, name="road")
    disk.move((1.0, 0, 0), (0, 1.0 / 0.3, 0))
    run = fm.simulate(m, 1.0, step=0.02, progress=False)
    (rim,), lines = component_lines(run)[road.name], roads(run)[road.name]
    assert rim[..., 2].min() == pytest.approx(0.0, abs=1e-3) and len(lines) == 14
    spacing = spacing_of(0.3)
    for line in lines[:7]:
        assert np.allclose(line[..., 2], 0.0) and np.allclose(line[:, 0, 0], line[:, 1, 0])
        assert np.allclose(line[:, 0, 0] / spacing, np.round(line[:, 0, 0] / spacing))
    middle = np.mean([line[:, :, 0].mean(axis=1) for line in lines], axis=0)
    assert np.abs(middle - run["disk"].position[:, 0]).max() <= 0.5 * spacing + 1e-9
