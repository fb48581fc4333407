"""Roads below what rolls: one for all that roll on a plane near to each other."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.results.pictures.roads import FAR, PATCH, roads, spacing_of, still_roads
from flexmb.visual.projection import projected

RADIUS = 0.3
SPACING = spacing_of(RADIUS)
RUBBER = fm.TireLaw(load=20.0 * 9.81, cornering_stiffness=2e3, relaxation_length=0.3, vertical_stiffness=2e4)


def wheels(*places, heights=(0.0, 0.0), speed=1.0, ground=None):
    """Disks that roll along x, each on a plane of its own height."""
    m = fm.SpatialModel("wheels", gravity=(0, 0, -9.81))
    for k, (place, height) in enumerate(zip(places, heights)):
        disk = m.add_body(f"disk {k}", mass=1.0, inertia=(0.02, 0.04, 0.02), position=(*place, height + RADIUS))
        disk.move((speed, 0, 0), (0, speed / RADIUS, 0))
        plane = m.ground.attach(f"plane {k}", (0, 0, height)) if height else m.ground
        m.rolling_wheel(plane, disk.frame, RADIUS, name=f"road {k}")
    return m


def run_of(m, end=1.0):
    return fm.simulate(m, end, step=0.05, progress=False)


def corners(lines):
    """The corners (k, 2, 2) of roads along x and y, in numbers of lines."""
    points = np.concatenate(lines, axis=-2)[..., :2] / SPACING
    return np.stack([points.min(axis=-2), points.max(axis=-2)], axis=-2)


def test_two_wheels_that_share_a_plane_have_one_road_below_both():
    run = run_of(wheels((0.05, 0.13), (1.3, 0.4)))
    found = roads(run)
    assert list(found) == ["road 0"]
    low, high = np.swapaxes(corners(found["road 0"]), 0, 1)
    first, second = (np.round(run[f"disk {k}"].position[:, :2] / SPACING) for k in (0, 1))
    assert np.array_equal(low.round(6), first - PATCH) and np.array_equal(high.round(6), second + PATCH)


def test_the_larger_wheel_says_how_far_apart_lines_are():
    m = wheels((0, 0))
    large = m.add_body("large", mass=1.0, inertia=(0.02, 0.04, 0.02), position=(2.0, 0, 1.0))
    m.rolling_wheel(m.ground, large.frame, 1.0, name="large road")
    run = run_of(m, 0.1)
    (lines,) = roads(run).values()
    across = np.unique([line[0, :, 0].round(9) for line in lines if np.ptp(line[0, :, 0]) == 0.0])
    assert spacing_of(1.0) == 0.5 and np.allclose(np.diff(across), 0.5)


@pytest.mark.parametrize("second, height, count", [((2.0, 0), 0.0, 1), ((2.0, 0), 0.1, 2), ((2 * FAR, 0), 0.0, 2)])
def test_what_rolls_elsewhere_has_a_road_of_its_own(second, height, count):
    found = roads(run_of(wheels((0, 0), second, heights=(0.0, height)), 0.2))
    assert list(found) == [f"road {k}" for k in range(count)]
    assert {float(line[0, 0, 2].round(9)) for line in found.get("road 1", [])} <= {height}


def test_a_wheel_that_is_switched_off_has_no_road_with_one_that_rolls_on():
    m = wheels((0, 0), (2.0, 0))
    m.switch_off(m.components["road 1"])
    found = roads(run_of(m, 0.2))
    assert list(found) == ["road 0", "road 1"]


def test_a_road_reaches_below_ghosts_that_are_near():
    run = run_of(wheels((0, 0)), 2.0)
    last = run.at([2.0])
    (alone,), (near,) = roads(last).values(), roads(last, run.at([0.5, 1.0])).values()
    (low, high), (near_low, near_high) = corners(alone)[0], corners(near)[0]
    assert near_low[0] == pytest.approx(low[0] - 1.5 / SPACING, abs=1.0) and np.array_equal(near_high, high)
    far = run_of(wheels((0, 0), speed=20.0), 1.0)
    (alone,), (beside,) = roads(far.at([1.0])).values(), roads(far.at([1.0]), far.at([0.0])).values()
    assert np.array_equal(corners(alone), corners(beside)), "a road below both would have too many lines"


def test_a_tire_has_a_road():
    m = fm.SpatialModel("car", gravity=(0, 0, -9.81))
    body = m.add_body("wheel", mass=20.0, inertia=(0.5, 0.9, 0.5), position=(0, 0, RADIUS - 0.00981))
    m.parallel_axes(m.ground, body.frame, axis="y")
    m.tire(m.ground, body.frame, RUBBER, RADIUS, name="tire")
    run = run_of(m, 0.1)
    (lines,) = roads(run).values()
    assert len(lines) == 2 * (2 * PATCH + 1) and np.allclose(np.concatenate(lines)[..., 2], 0.0)
    threads = [piece for piece in run.view().stage([0.1]) if piece.role == "rail"]
    assert {piece.name for piece in threads} == {"tire"} and len(threads) == len(lines)


def test_a_result_from_a_file_has_no_roads(tmp_path):
    run = fm.load(run_of(wheels((0, 0)), 0.1).save(tmp_path / "run.h5"))
    assert roads(run) == {} and still_roads(run) == {}


def test_a_drawing_of_several_times_has_one_road_that_stands_still():
    run = run_of(wheels((0, 0)), 2.0)
    (lines,) = still_roads(run).values()
    low, high = corners(lines)
    assert np.array_equal(low.round(6), [-PATCH, -PATCH])
    assert np.array_equal(high.round(6), [2.0 / SPACING + PATCH, PATCH])
    scene = projected(run.at([0.0, 1.0, 2.0]), "top")
    assert len(scene.roads) == len(lines) and all(line.shape == (2, 2) for line in scene.roads)
    assert len(scene.lines) == 1, "the rim alone is drawn at each time"
    assert len(run.draw([0.0, 1.0, 2.0], camera="top").axes[0].lines) == len(lines) + 3


def test_a_long_road_has_fewer_lines():
    (lines,) = still_roads(run_of(wheels((0, 0), speed=100.0), 2.0)).values()
    low, high = corners(lines)
    assert low[0] <= 0 and high[0] >= 200.0 / SPACING and len(lines) <= FAR + 5
    across = np.unique([line[0, 0].round(6) for line in lines if line[0, 0] == line[1, 0]])
    assert np.ptp(np.diff(across)) < 1e-6 and np.allclose(across / SPACING, np.round(across / SPACING))


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial positions did not meet the joints")
def test_a_road_on_a_body_that_moves_goes_along_in_drawings():
    m = fm.SpatialModel("table", gravity=(0, 0, -9.81))
    table = m.add_body("table", shape=fm.Cylinder(diameter=4.0, length=0.02), mass=50.0, position=(0, 0, -0.01))
    m.revolute(m.ground, table.frame, axis="z")
    table.frame.move((0, 0, 0), (0, 0, 0.3))
    ball = m.add_body("ball", mass=1.0, inertia=(0.02,) * 3, position=(0.5, 0, RADIUS))
    m.rolling_sphere(table.frame.attach("top", (0, 0, 0.01)), ball.frame, RADIUS, name="road")
    run = run_of(m, 0.5)
    assert still_roads(run) == {} and list(roads(run)) == ["road"]
    scene = projected(run.at([0.0, 0.5]), "top")
    assert not scene.roads and len(scene.lines) >= len(roads(run.at([0.0, 0.5]))["road"])


def test_a_blade_has_no_radius_and_no_road():
    m = fm.SpatialModel("skate", gravity=(0, 0, -9.81))
    body = m.add_body("skate", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.knife_edge(m.ground, body.frame, name="blade")
    m.parallel_axes(m.ground, body.frame)
    assert fm.View(m).stage([0.0]) and roads(fm.View(m).solution) == {}
