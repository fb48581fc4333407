"""Wheels turn in pictures as their coordinates or their speeds say, and round bodies have marks."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.visual import View
from flexmb.visual.stage.pieces import InFront, Rigid
from flexmb.visual.stage.solids import disk_of_inertia
from tests.visual.pieces import only

TILT = Rotation.from_euler("xyz", [0.3, -0.5, 0.7])
AXIS = np.array([0.6, 0.0, 0.8])


@pytest.fixture(scope="module")
def satellite():
    """A hull that turns, with wheels of constant speed, of a torque, of a disk's mass, and of inertia alone."""
    m = fm.SpatialModel("satellite")
    hull = m.add_body("hull", shape=fm.Box((1.2, 1.0, 1.5)), mass=300.0, position=(3.0, 2.0, 1.0), orientation=TILT)
    seat = hull.attach("seat", (0.8, 0.1, 0.2), TILT)
    disk = fm.Cylinder(diameter=0.6, length=0.1, axis=AXIS, position=(0.05, 0.0, 0.0))
    m.add_wheel("constant", seat, inertia=0.05, axis=AXIS, speed=4.0, shape=disk)
    m.add_wheel(
        "driven", seat, inertia=0.05, axis="y", torque=0.4, shape=fm.Cylinder(diameter=0.4, length=0.1, axis="y")
    )
    m.add_wheel("heavy", hull.frame, inertia=0.4, axis="y", mass=5.0, transverse=0.2 + 5.0 * 0.09 / 12.0, speed=1.0)
    m.add_wheel("bare", hull.attach("top", (0.0, 0.0, 1.0)), inertia=0.05, axis="x", friction=0.01)
    hull.move((0.1, 0.2, 0.3), (0.2, 0.4, 0.3))
    return fm.simulate(m, 2.0, step=0.01, progress=False)


def test_wheels_turn_on_their_bodies(satellite):
    """In the axes of the body that carries it, a point of a wheel goes round its axis, through the frame's origin."""
    t = np.array([0.0, 0.7, 1.9])
    pieces, seen = View(satellite).stage(t), satellite.at(t)
    angles = {"constant": (4.0 * t, AXIS), "driven": (seen.coordinate("driven.rotor"), np.array([0.0, 1.0, 0.0]))}
    assert np.ptp(angles["driven"][0]) > 1.0
    for name, (angle, axis) in angles.items():
        for role in ("body", "mark"):
            wheel = only(pieces, name, Rigid, role)
            seat = seen["hull.seat"]
            own = [seat.orientation[k].inv().apply(wheel.points(k) - seat.position[k]) for k in range(3)]
            for k in range(3):
                turned = Rotation.from_rotvec((angle[k] - angle[0]) * axis).apply(own[0])
                assert np.allclose(own[k], turned, atol=1e-9)
    bare = only(pieces, "bare", InFront, "motor")
    out = bare.points(2) - seen["hull.top"].position[2]
    x = seen["hull"].orientation[2].apply([1.0, 0.0, 0.0])
    assert np.abs(out @ x).max() < 0.013 * View(satellite).scales.unit, "a small flywheel about its axis"


def test_a_wheel_without_shape_is_the_disk_of_its_inertia(satellite):
    """J₁ = ½ m r², J₂ = m (3 r² + h²)/12 with r = 0.4 m, h = 0.3 m."""
    assert np.allclose(disk_of_inertia(5.0, 0.4, 0.2 + 5.0 * 0.09 / 12.0), [0.4, 0.4, 0.15])
    pieces, seen = View(satellite).stage([1.0]), satellite.at(1.0)
    own = (
        seen["hull"].orientation[0].inv().apply(only(pieces, "heavy", Rigid, "body").points(0) - seen["hull"].position)
    )
    assert np.abs(own[:, 1]).max() == pytest.approx(0.15)
    assert np.linalg.norm(own[:, [0, 2]], axis=1).max() == pytest.approx(0.4)


def test_turning_wheels_from_files_and_for_paraview(satellite, tmp_path):
    filed = fm.load(satellite.save(tmp_path / "run.h5"))
    one, two = (View(s, forces=False).stage([0.3, 1.7]) for s in (satellite, filed))
    assert [(p.name, p.role) for p in one] == [(p.name, p.role) for p in two]
    for mine, theirs in zip(one, two):
        assert np.allclose(mine.points(1), theirs.points(1), atol=1e-9), mine.name
    fm.export_vtk(filed, tmp_path / "vtk", [1.0, 1.0001])
    first, second = (meshio.read(path) for path in sorted((tmp_path / "vtk").glob("*.vtu")))
    rate = (second.points - first.points) / 0.0001
    assert np.abs(rate).max() > 1.0
    assert np.allclose(rate, 0.5 * (first.point_data["velocity"] + second.point_data["velocity"]), atol=1e-4)


def test_roads_have_no_velocity_in_paraview(tmp_path):
    """The piece that is drawn goes along with the wheel, from one round place to the next."""
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    disk = m.add_body("disk", shape=fm.Cylinder(diameter=0.6, length=0.02, axis="y"), mass=1.0, position=(0, 0, 0.3))
    m.rolling_wheel(m.ground, disk.frame, 0.3, name="road")
    disk.move((1.0, 0, 0), (0, 1.0 / 0.3, 0))
    run = fm.simulate(m, 0.5, step=0.05, progress=False)
    fm.export_vtk(run, tmp_path / "vtk")
    seen = meshio.read(sorted((tmp_path / "vtk").glob("*.vtu"))[3])
    cells = {block.type: np.unique(block.data) for block in seen.cells}
    speed = seen.point_data["velocity"][cells["line"]]
    on_road = np.isnan(speed).all(axis=1)
    place = seen.points[cells["line"]]
    assert on_road.sum() == 2 * 14 and np.allclose(place[on_road, 2], 0.0)
    # the rim turns about the point where it touches the road
    rim = place[~on_road]
    turned = np.cross([0, 1.0 / 0.3, 0], rim - run.at(run.t[3])["disk"].position + [0, 0, 0.3])
    assert np.isfinite(speed[~on_road]).all() and np.allclose(speed[~on_road], turned, atol=0.02)
    speeds = np.linalg.norm(seen.point_data["velocity"][cells["triangle"]], axis=1)
    assert speeds.max() == pytest.approx(2.0, rel=1e-2), "the top of the wheel"


def test_round_bodies_that_turn_have_a_mark():
    m = fm.SpatialModel("m")
    for k, spin in enumerate(((0.0, 0.0, 2.0), (2.0, 0.0, 0.0))):
        ring = fm.HollowCylinder(outer_diameter=0.6, inner_diameter=0.4, length=0.2)
        for name, shape in (("can", fm.Cylinder(diameter=0.6, length=0.4)), ("ring", ring),
                            ("ball", fm.Sphere(diameter=0.6)), ("box", fm.Box((0.3, 0.3, 0.3)))):  # fmt: skip
            body = m.add_body(f"{name} {k}", shape=shape, mass=1.0, position=(2.0 * k, len(m.frames), 0.0))
            body.move(angular_velocity=spin)
    view = View(fm.simulate(m, 1.0, step=0.1, progress=False))
    marks = {p.name: p for p in view.stage([0.0, 0.5]) if p.role == "mark"}
    assert set(marks) == {"can 0", "ring 0", "ball 0", "ball 1"}, (
        "those that turn about an axis of symmetry do not show"
    )
    local = marks["ring 0"].local
    radius = np.linalg.norm(local[:, :2] * [1.0, 0.0], axis=1)
    assert 0.19 < radius.min() < 0.2 < 0.3 < radius.max() < 0.31
    assert not [p for p in View(m).stage([0.0]) if p.role == "mark"], "a model turns nothing"
    assert len({view.look.color("mark", k) for k in range(5)}) == 5


def test_wheels_of_constant_speed_stand_still_in_modes():
    """The period of a mode has nothing to do with theirs; a wheel with a coordinate takes part."""
    m = fm.SpatialModel("m")
    hull = m.add_body("hull", mass=10.0, inertia=(1.0, 2.0, 3.0))
    m.bushing(m.ground, hull.frame, stiffness=(1e3,) * 3 + (1e2,) * 3)
    m.add_wheel("still", hull.frame, inertia=0.05, axis="y", speed=3.0)
    m.add_wheel("free", hull.frame, inertia=0.05, axis="x", friction=0.1)
    view = View(fm.complex_modes(m), mode=2)
    pieces = view.stage(view.frame_times(9))
    seen = view.solution.at(view.frame_times(9))
    turns = Rotation.from_quat(np.roll(only(pieces, "still", InFront).poses[:, 3:], -1, axis=1))
    assert np.abs((seen["hull"].orientation.inv() * turns).magnitude()).max() < 1e-9


def test_rotors_of_motors_turn_on_their_stators(tmp_path):
    """By their own angle, many times as fast as what they drive."""
    m = fm.SpatialModel("m")
    base = m.add_body("base", mass=10.0, inertia=(1.0, 1.0, 1.0), orientation=TILT)
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), orientation=TILT)
    m.revolute(base.frame, arm.frame, axis=AXIS, name="hinge")
    m.motor(base.frame, arm.frame, axis=AXIS, inertia=1e-3, ratio=20.0, torque=0.1, name="drive")
    run = fm.simulate(m, 0.6, step=0.01, progress=False)
    filed = fm.load(run.save(tmp_path / "run.h5"))
    t = np.array([0.0, 0.4, 0.6])
    seen = run.at(t)
    assert seen.coordinate("drive.rotor")[-1] > 3.0
    for solution in (run, filed):
        rotor = only(View(solution).stage(t), "drive", Rigid, "rotor")
        own = [seen["base"].orientation[k].inv().apply(rotor.points(k) - seen["base"].position[k]) for k in range(3)]
        for k in range(3):
            turn = Rotation.from_rotvec(seen.coordinate("drive.rotor")[k] * AXIS)
            assert np.allclose(own[k], turn.apply(own[0]), atol=1e-9)
