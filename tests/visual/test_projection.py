"""Drawings and films of mechanisms in space: points as a camera sees them, outlines of bodies."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.visual.cameras import camera_axes
from flexmb.visual.projection import outline, projected

TILT = Rotation.from_euler("xyz", [0.3, -0.5, 0.7])
ISOTROPIC = (0.1, 0.1, 0.1)
Z = np.array([0.0, 0.0, 1.0])


def yard():
    m = fm.SpatialModel("yard", gravity=(0.0, 0.0, -9.81))
    door = m.add_body("door", shape=fm.Box((0.8, 0.05, 1.2)), mass=10.0, position=(0.4, 0.0, 0.0))
    m.revolute(m.ground, door.attach("edge", (-0.4, 0.0, 0.0)), axis=(0.3, 0.0, 1.0), name="hinge")
    m.torsion_spring(m.ground, door.frame, axis=(0.3, 0.0, 1.0), stiffness=3.0)
    ball = m.add_body("ball", shape=fm.Sphere(diameter=0.2), mass=1.0, position=(0.8, 0.3, 0.0))
    m.spring_damper(door.attach("corner", (0.4, 0.0, 0.0)), ball.frame, stiffness=200.0, name="spring")
    can = m.add_body(
        "can", shape=fm.Cylinder(diameter=0.2, length=0.5), mass=1.0, position=(0.0, 1.0, 0.0), orientation=TILT
    )
    m.prismatic(m.ground.attach("rail", (0.0, 1.0, 0.0)), can.frame, axis="x", name="slide")
    m.distance(ball.frame, can.frame, name="rod")
    m.distance_stop(m.ground, ball.frame, upper=1.0, stiffness=1e5, name="rope")
    return m


@pytest.fixture(scope="module")
def falling():
    return fm.simulate(yard(), 0.3, step=0.01, progress=False)


def test_outlines_are_hulls_of_projected_points():
    generator = np.random.default_rng(3)
    points = generator.normal(size=(4, 30, 2))
    for k, found in enumerate(outline(points)):
        # corners that stick out by less than a step of the directions may be left out
        assert ConvexHull(found).volume == pytest.approx(ConvexHull(points[k]).volume, rel=2e-3)
    assert np.array_equal(outline(points[:, :1]), points[:, :1])


@pytest.mark.parametrize("camera", ["front", "top", (1.0, -2.0, 0.7)])
def test_points_are_where_the_camera_sees_them(falling, camera):
    given = camera if isinstance(camera, str) else np.array(camera) / np.linalg.norm(camera)
    axes = camera_axes(given, Z)
    seen = falling.at([0.0, 0.21])
    scene = projected(seen, camera)
    (spring,), (rod,), (rope,) = scene.springs, scene.rods, scene.lines
    assert np.allclose(spring[:, 1], seen["ball"].position @ axes[:2].T)
    assert np.allclose(rod[:, 1], seen["can"].position @ axes[:2].T)
    assert np.allclose(rope[:, -1], spring[:, 1]) and rope.shape[1] > 10
    assert np.allclose(scene.pins[0][:, 0], seen["door.edge"].position @ axes[:2].T)
    assert np.allclose(scene.blocks[0][:, 0], rod[:, 1]) and np.allclose(scene.guides[0], rod[:, 1])
    middles = {name: seen[name].position @ axes[:2].T for name in ("ball", "door", "can")}
    for k in range(2):
        sizes = {}
        for name, middle in middles.items():
            body = min(scene.bodies, key=lambda x: np.linalg.norm(x[k].mean(axis=0) - middle[k]))
            sizes[name] = body[k] - middle[k]
        assert np.allclose(np.linalg.norm(sizes["ball"], axis=1), 0.1, rtol=0.02), "a ball is a circle"
        corners = np.array([(x, y, z) for x in (-0.4, 0.4) for y in (-0.025, 0.025) for z in (-0.6, 0.6)])
        corners = seen["door"].orientation[k].apply(corners) @ axes[:2].T
        gaps = np.linalg.norm(sizes["door"][:, None] - corners, axis=2)
        assert gaps.min(axis=1).max() < 1e-9, "corners of the outline are corners of the box"
        assert sizes["door"].max(axis=0) == pytest.approx(corners.max(axis=0))
        # half the width of a cylinder along a direction: r √(1 − (d·e)²) + h |d·e|
        axis = seen["can"].orientation[k].apply(Z)
        for row, reach in zip(axes[:2], sizes["can"].max(axis=0)):
            wide = 0.1 * np.sqrt(1.0 - (row @ axis) ** 2) + 0.25 * abs(row @ axis)
            assert reach == pytest.approx(wide, abs=3e-4)


def test_labels_say_which_axes_are_seen(falling):
    assert projected(falling, "front").labels == ("x [m]", "z [m]")
    assert projected(falling, "top").labels == ("x [m]", "y [m]")
    assert projected(falling, (0.0, 1.0, 0.0)).labels == ("−x [m]", "z [m]")
    assert projected(falling).labels == ("to the right [m]", "up [m]")


def test_pictures_of_all_kinds(falling, tmp_path):
    figure = falling.draw([0.0, 0.3], trails="ball", path=tmp_path / "run.png", camera="front")
    assert figure.axes[0].get_xlabel() == "x [m]" and figure.axes[0].get_ylabel() == "z [m]"
    film = falling.animate(tmp_path / "run.gif", fps=10, camera="isometric", trails="ball")
    assert Image.open(film).n_frames > 2
    still = fm.SpatialModel("door")
    door = still.add_body("door", mass=1.0, inertia=ISOTROPIC, position=(0.5, 0.0, 0.0))
    still.revolute(still.ground, door.attach("edge", (-0.5, 0.0, 0.0)), axis="z", name="hinge")
    still.torsion_spring(still.ground, door.frame, axis="z", stiffness=3.0, name="closer")
    push = still.point_force(door.frame, (0.0, 1.0, 0.0), axes="body", name="push")
    fm.equilibrium_path(still, push, factor=1.0).draw(4, path=tmp_path / "path.png", camera="top", background="dark")
    still.switch_off(push)
    panel = fm.modes(still).plot(path=tmp_path / "modes.png", camera="top").axes[0]
    assert panel.get_ylabel() == "y [m]"
    assert len(list(tmp_path.iterdir())) == 4


def test_wrong_cameras_are_refused(falling, tmp_path):
    flat = fm.PlanarModel("flat")
    flat.add_body("b", mass=1.0, inertia=0.1)
    run = fm.simulate(flat, 0.1, step=0.05, progress=False)
    with pytest.raises(ModelError, match="camera is for mechanisms in space, and this one is in the plane"):
        run.draw(camera="front")
    with pytest.raises(ModelError, match=r"camera is 'frnt'; .* 'front'"):
        falling.draw(camera="frnt")
    with pytest.raises(ModelError, match="up has no direction"):
        falling.animate(tmp_path / "a.gif", up=(0.0, 0.0, 0.0))
    assert not list(tmp_path.iterdir())
