"""Pictures show the mechanism where it is."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import matplotlib
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb.errors import AccuracyWarning, MissingExtraError, ModelError, NamingError
from flexmb.model.appearance import MeshPlace
from flexmb.results.pictures.deforming import outlines
from flexmb.results.pictures.outlines import hull
from flexmb.results.pictures.scene import scene_of
from flexmb.results.subject import PATH_SECONDS
from flexmb.visual.drawings import zigzag
from tests.results.mechanisms import ROD, flexible

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def solution():
    return fm.simulate(flexible(), 0.2, step=0.005, progress=False)


def lines_of(axes):
    return [np.column_stack(line.get_data()) for line in axes.lines]


def test_parts_and_joints_have_their_colors_paler_at_earlier_times(tmp_path):
    model = fm.PlanarModel("ram", gravity=(0, -9.81))
    crank = model.add_body("crank", mass=1.0, inertia=0.1, position=(0.2, 0.0))
    model.revolute(model.ground, crank.attach("foot", (-0.2, 0.0)), name="pin")
    hook, end = model.ground.attach("hook", (0.0, 1.0)), crank.attach("end", (0.2, 0.0))
    model.spring_damper(hook, end, stiffness=50.0, free_length=1.0, name="coil")
    run = fm.simulate(model, 0.2, progress=False)
    given = {"crank": "#c8372d", "coil": "#2A8C6E", "pin": "#112233"}
    figure = run.draw([0.0, 0.2], colors=given, path=tmp_path / "colors.png")
    shown = {matplotlib.colors.to_hex(line.get_color()) for line in figure.axes[0].lines}
    edges = {matplotlib.colors.to_hex(line.get_markeredgecolor()) for line in figure.axes[0].lines}
    assert {"#c8372d", "#2a8c6e"} <= shown and "#112233" in edges
    pale = [0.65 * x + 0.35 for x in matplotlib.colors.to_rgb("#c8372d")]  # on white paper, the first of two
    assert any(np.allclose(matplotlib.colors.to_rgb(color), pale, atol=0.01) for color in shown)
    film = run.animate(tmp_path / "ram.gif", fps=5, colors=given)
    assert film.exists()
    with pytest.raises(NamingError, match="no part or joint to color 'crnk'"):
        run.draw(colors={"crnk": "#c8372d"})
    with pytest.raises(ModelError, match="the color of 'pin' is 'red'; give '#rrggbb'"):
        run.animate(tmp_path / "red.gif", colors={"pin": "red"})


def test_plots_have_a_panel_for_each_unit(solution, tmp_path):
    figure = solution.plot("rod.end.x", "rod.end.y", "rod@0.5.angle", path=tmp_path / "plot.png")
    length, angle = figure.axes
    assert [line.get_label() for line in length.lines] == ["rod.end.x", "rod.end.y"]
    assert np.array_equal(lines_of(angle)[0], np.column_stack([solution.t, solution["rod@0.5.angle"]]))
    assert angle.get_ylabel() == "rod@0.5.angle [rad]" and angle.get_xlabel() == "t [s]"
    assert length.get_ylabel() == "[m]"
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    with pytest.raises(NamingError, match=r"rod\.end\.y"):
        solution.plot("rod.end.z")
    with pytest.raises(NamingError, match="name what"):
        solution.plot()


def test_drawings_show_the_bent_axis(solution, tmp_path):
    times = [0.0, 0.1, 0.2]
    figure = solution.draw(times, trails="bob", path=tmp_path / "draw.png")
    drawn = [x for x in lines_of(figure.axes[0]) if len(x) == 41]
    axis = solution.at(times).axis("rod")
    assert len(drawn) == 3
    for k in range(3):
        assert np.array_equal(drawn[k], axis[k])
    assert figure.axes[0].get_aspect() == 1.0
    assert figure.axes[1].get_ylabel() == "t [s]"
    assert len(solution.draw(0.1, path=tmp_path / "one.png").axes) == 1
    loaded = fm.load(solution.save(tmp_path / "run.h5"))
    assert loaded.draw(times, path=tmp_path / "loaded.png")


def test_times_of_a_sweep_are_named_after_its_drive(tmp_path):
    m = fm.PlanarModel("crank")
    crank = m.add_body("crank", mass=1.0, inertia=0.1)
    m.revolute(m.ground, crank.frame, name="axle")
    m.drive_angle(m.ground, crank.attach("rim", (1.0, 0.0)), 0.0, name="motor")
    sweep = fm.kinematics(m, drive="motor", over=(0.0, 2.0), steps=20, progress=False)
    label = "value of motor [rad]"
    for shown in (sweep, sweep.at([0.5, 1.0]), fm.load(sweep.save(tmp_path / "sweep.h5"))):
        assert shown.draw().axes[1].get_ylabel() == label
        assert shown.plot_phase("crank.rim.x", "crank.rim.y").axes[1].get_ylabel() == label
        assert shown.plot("crank.rim.x").axes[0].get_xlabel() == label
        assert shown.to_csv(tmp_path / "table.csv").read_text().startswith(f"{label},")
        assert shown.to_pandas().attrs["units"]["t"] == "rad"
        assert shown.to_xarray().time.attrs == {"units": "rad", "long_name": "value of motor"}
        assert shown.load_time == 0.0 and shown.subject().seconds == PATH_SECONDS
    assert sweep.draw(1.0).axes[0].get_title("left") == "crank, value of motor = 1 rad"


def test_films(solution, tmp_path, monkeypatch):
    from PIL import Image

    path = solution.animate(tmp_path / "film.gif", fps=25, trails=["bob"])
    with Image.open(path) as images:
        assert images.n_frames == 6
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'flexmb\[film\]'.*\.gif"):
        solution.animate(tmp_path / "film.mp4")
    with pytest.raises(ModelError, match=r"\.avi"):
        solution.animate(tmp_path / "film.avi")


@pytest.mark.parametrize("end, size", [((4, 0), None), ((0, 4), None), ((4, 0), (3.0, 6.0)), ((0, 4), (8.0, 3.0))])
def test_a_film_has_the_shape_of_what_it_shows_and_is_full_of_it(tmp_path, end, size):
    """A beam that hardly moves is drawn completely, as large as possible and in true proportions, in a picture of a
    fitting size or of a given one."""
    from PIL import Image

    m = fm.PlanarModel("mast")
    rod = m.add_beam("rod", (0, 0), end, properties=ROD)
    m.weld(m.ground, rod.start)
    run = fm.simulate(m, 0.1, step=0.05, progress=False)
    with Image.open(run.animate(tmp_path / "film.gif", fps=10, size=size)) as images:
        pixels = np.asarray(images.convert("RGB"), dtype=int)
    height, width, _ = pixels.shape
    assert np.all(pixels[0] > 250)
    blue = np.argwhere(np.all(np.abs(pixels - [0x1F, 0x4E, 0x8C]) < 12, axis=2))
    long = max(np.ptp(blue, axis=0))  # [pixel]
    room_high, room_wide = height - 98, width - 98  # without scales and title, see MARGINS
    if size is None:
        assert (width > 1.4 * height) if end[0] else (height > 1.4 * width)
        assert long > 0.85 * (room_wide if end[0] else room_high)
    else:
        assert (width, height) == (100 * size[0], 100 * size[1])
        assert long > 0.85 * (room_wide if end[0] else room_high)
    assert min(blue[:, 0].min(), blue[:, 1].min()) > 20 and blue[:, 0].max() < height - 50
    assert blue[:, 1].max() < width - 20


def test_what_is_seen_of_a_mechanism():
    m = fm.PlanarModel("all", gravity=(0, -9.81))
    plate = m.add_body("plate", mass=1.0, inertia=0.1, position=(1, 0))
    for k, corner in enumerate([(0.1, 0.1), (-0.1, 0.1), (0.0, -0.1)]):
        plate.attach(f"corner{k}", corner)
    m.add_body("ball", mass=1.0, inertia=0.1, position=(0, 2))
    post = m.add_frame("post", (0, 1), fixed=True)
    m.spring_damper(post, plate.frame, stiffness=10.0)
    m.prismatic(m.ground, plate.frame)
    scene = scene_of(fm.simulate(m, 0.01, step=0.005, progress=False))
    assert sorted(body.shape[1] for body in scene.bodies) == [1, 3]
    assert scene.springs[0][0].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert [x.tolist() for x in scene.grounds] == [[0.0, 1.0]]
    assert scene.guides[0][0].tolist() == [1.0, 0.0]


def test_hulls():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [1.0, 1.0]])
    assert hull(square).tolist() == [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    assert hull(np.array([[0.3, 0.3], [0.1, 0.1], [0.7, 0.7 + 1e-11]])).tolist() == [[0.1, 0.1], [0.7, 0.7 + 1e-11]]
    assert hull(np.array([[1.0, 2.0], [1.0, 2.0 + 1e-14]])).tolist() == [[1.0, 2.0]]
    spring = zigzag(np.array([[0.0, 0.0], [2.0, 0.0]]), 0.1)
    assert spring[0].tolist() == [0.0, 0.0] and spring[-1].tolist() == [2.0, 0.0]
    assert np.max(np.abs(spring[:, 1])) == pytest.approx(0.1)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("mesh", [skfem.MeshTri, skfem.MeshQuad])
def test_the_outline_of_a_meshed_body_goes_all_around_it(mesh, order):
    """Triangles of a mesh turn left and right, as they come."""
    plate = mesh.init_tensor(np.linspace(0, 1, 7), np.linspace(0, 0.3, 4))
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
    foot = {"foot": fm.bodies.on_plane((0, 0), (1, 0))}
    model = fm.PlanarModel("plate")
    stiff = pytest.warns(AccuracyWarning, match="first order are too stiff") if order == 1 else nullcontext()
    with stiff:
        body = fm.bodies.from_mesh(plate, steel, interfaces=foot, modes=1, order=order, thickness=0.01)
    model.add_modal_body("plate", body)
    (around,) = scene_of(fm.assemble(model).solution).bodies
    x, y = around[0].T
    assert 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) == pytest.approx(0.3, rel=1e-9)
    assert len(x) == 18 * order


def test_parts_that_touch_at_one_node_have_one_outline():
    nodes = np.array([[0.0, 0], [1, 0], [1, 1], [2, 1], [2, 2]])
    faces = np.array([[0, 1, 2], [2, 4, 3]])
    (around,) = outlines(MeshPlace(nodes, (), np.zeros((5, 2, 0)), np.zeros((0, 0, 0)), faces))
    assert sorted(around.tolist()) == [0, 1, 2, 2, 3, 4]
