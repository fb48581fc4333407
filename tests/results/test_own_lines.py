"""A user's own components are drawn as the lines that they give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.examples.own_elements import RADIUS, WALL_AT, Wall, build
from flexmb.io import meshes
from flexmb.results.pictures.scene import component_lines, scene_of


@pytest.fixture(scope="module")
def run() -> fm.Solution:
    with pytest.warns(fm.errors.AccuracyWarning, match="the estimated error of its motion"):
        return fm.simulate(build(), 0.5, step=0.002, progress=False)


def test_rope_wheel_and_wall_are_where_they_are(run):
    lines = component_lines(run)
    assert sorted(lines) == ["rope", "track", "wall"]
    (rope,), (rim, spoke), (wall,) = (lines[name] for name in ("rope", "track", "wall"))
    np.testing.assert_allclose(rope[:, -1], run["wheel"].position, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*(rim - run["wheel"].position[:, None]).transpose(2, 0, 1)), RADIUS)
    # the wheel rolls: the distance on the ground is the distance on the rim
    way = run["wheel"].x - run["wheel"].x[0]
    turned = np.unwrap(np.arctan2(*(spoke[:, 1] - spoke[:, 0]).T[::-1]))
    np.testing.assert_allclose(turned - turned[0], -way / RADIUS, atol=1e-6)
    assert wall.shape == (len(run.t), 2, 2) and np.all(wall[:, :, 0] == WALL_AT)


def test_they_are_in_drawings_films_and_pictures(run, tmp_path):
    scene = scene_of(run.at([0.0, 0.5]))
    assert len(scene.lines) == 4
    low, high = scene.bounds()
    assert low[1] < -0.4 and high[1] > 1.9, "the wall and the post"
    threads = [piece for piece in run.view().stage([0.5]) if piece.role == "rod"]
    assert len(threads) == 4
    rope = next(piece for piece in threads if piece.name == "rope").points(0)
    assert np.min(np.hypot(*(rope[:, :2] - run["wheel"].position[-1]).T)) < 0.03
    mesh = meshes.library().read(next(iter(sorted(fm.export_vtk(run, tmp_path / "out", [0.5]).parent.glob("*.vtu")))))
    rope = component_lines(run.at([0.5]))["rope"][0][0]
    for point in rope:
        assert np.min(np.hypot(*(mesh.points[:, :2] - point).T)) < 1e-6
    assert run.draw(path=tmp_path / "drawing.png").axes


def test_a_result_from_a_file_goes_without(run, tmp_path):
    assert component_lines(fm.load(run.save(tmp_path / "run.h5"))) == {}


def test_the_arrows_of_the_wall_carry_its_impulse():
    m = fm.PlanarModel("ball")
    ball = m.add_body("ball", mass=2.0, inertia=0.1, position=(0.3, 1.0))
    ball.move((-1.0, 0.0))
    wall = m.add(Wall(ball.frame, 0.25, (0.0, 0.0), (1.0, 0.0), 1e4, 0.1, name="wall"))
    run = fm.simulate(m, 0.2, step=2e-4, progress=False)
    (load,) = wall.loads(run, run.t, np.ones(len(run.t)))
    np.testing.assert_allclose(load.places, run["ball"].position - [0.25, 0.0])
    impulse = trapezoid(load.forces, run.t, axis=0)
    assert run["ball.vx"][-1] > 0.8
    np.testing.assert_allclose(impulse, [2.0 * (run["ball.vx"][-1] + 1.0), 0.0], rtol=1e-4)


def test_a_line_of_a_wrong_shape_is_told(run, monkeypatch):
    monkeypatch.setattr(run.model.component("wall"), "drawn", lambda solution: [np.zeros((3, 4))], raising=False)
    with pytest.raises(ModelError, match=r"wall 'wall': drawn gave a line of shape \(3, 4\).*\(251, p, 2\)"):
        scene_of(run)
