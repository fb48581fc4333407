"""Files of meshes, written by each of the packages that can do so."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import MissingExtraError, ModelError
from flexmb.io import meshes

POINTS = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
CELLS = [("triangle", np.array([[0, 1, 2]])), ("line", np.array([[0, 1], [1, 2]]))]


@pytest.fixture(params=meshes.LIBRARIES)
def library(request, monkeypatch):
    """One of the packages, while the other is hidden."""
    found = pytest.importorskip(request.param)
    for other in meshes.LIBRARIES:
        if other != request.param:
            monkeypatch.setitem(sys.modules, other, None)
    return found


def test_a_mesh_comes_back(library, tmp_path):
    assert meshes.library() is library
    height = np.array([0.5, np.nan, -1e-300])
    meshes.write_vtu(
        tmp_path / "mesh.vtu", POINTS, CELLS, {"height": height}, {"part": [np.array([7]), np.array([8, 9])]}
    )
    mesh = library.read(tmp_path / "mesh.vtu")
    np.testing.assert_array_equal(mesh.points, POINTS)
    np.testing.assert_array_equal(mesh.point_data["height"], height)
    assert {kind: rows.tolist() for kind, rows in mesh.cells_dict.items()} == {k: rows.tolist() for k, rows in CELLS}
    assert [part.tolist() for part in mesh.cell_data["part"]] == [[7], [8, 9]]


def test_a_time_series_comes_back(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines, text, numbers = CELLS[1:], io.BytesIO(), io.BytesIO()
    with meshes.xdmf_series(text, numbers, "numbers.h5", POINTS, lines) as write:
        for t in (0.0, 0.25):
            write(t, point_data={"speed": t + np.arange(3.0)})
    assert not list(tmp_path.iterdir()), "nothing is left in the working directory"
    (tmp_path / "run.xdmf").write_bytes(text.getvalue())
    (tmp_path / "numbers.h5").write_bytes(numbers.getvalue())
    with library.xdmf.TimeSeriesReader("run.xdmf") as reader:
        points, cells = reader.read_points_cells()
        np.testing.assert_array_equal(points, POINTS)
        assert [block.data.tolist() for block in cells] == [[[0, 1], [1, 2]]]
        read = [reader.read_data(k) for k in range(reader.num_steps)]
    assert [(t, data["speed"].tolist()) for t, data, _ in read] == [(0.0, [0.0, 1.0, 2.0]), (0.25, [0.25, 1.25, 2.25])]


def test_without_either_it_is_said_what_to_install(monkeypatch):
    for name in meshes.LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="meshlane or meshio: pip install meshlane"):
        meshes.library()


CORNERS = np.array([(0.0, 0, 0), (1, 0, 0), (1, 2, 0), (0, 2, 0), (0, 0, 3), (1, 0, 3), (1, 2, 3), (0, 2, 3)])
SIDES = np.array([(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)])
TRIANGLES = np.concatenate([SIDES[:, :3], SIDES[:, [0, 2, 3]]])


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "vtu"])
def test_surfaces_of_bodies_come_from_files(library, tmp_path, ending):
    path = tmp_path / f"brick.{ending}"
    cells = (
        [("triangle", TRIANGLES)]
        if ending == "stl"
        else [("quad", SIDES[:3]), ("triangle", TRIANGLES[[3, 4, 5, 9, 10, 11]])]
    )
    library.Mesh(1000.0 * CORNERS, cells).write(path)
    brick = fm.read_surface(path, scale=1e-3, position=(0.0, 0.0, 1.0))
    assert brick.volume == pytest.approx(6.0, rel=1e-6)
    np.testing.assert_allclose(brick.center, (0.5, 1.0, 2.5), rtol=1e-6)
    np.testing.assert_allclose(brick.gyration, np.diag([13.0, 10.0, 5.0]) / 12.0, atol=1e-6)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([("triangle", TRIANGLES[1:])], "surface 'mesh.vtu': it is open: 3 of its 18 edges"),
        ([("line", TRIANGLES[:, :2])], "it has no triangles; give the surface of a body"),
        ([("tetra", SIDES[:1])], "it has cells of the type 'tetra'; give its surface"),
    ],
)
def test_files_that_are_no_surface_of_a_body(library, tmp_path, cells, message):
    library.Mesh(CORNERS, cells).write(tmp_path / "mesh.vtu")
    with pytest.raises(ModelError, match=message):
        fm.read_surface(tmp_path / "mesh.vtu")


def test_files_that_are_no_meshes(library, tmp_path):
    (tmp_path / "mesh.stl").write_bytes(b"\x00\x01")
    with pytest.raises(ModelError, match=r"mesh.stl: the file cannot be read"):
        fm.read_surface(tmp_path / "mesh.stl")
    (tmp_path / "mesh.txt").write_text("hello")
    with pytest.raises(ModelError, match=r"mesh.txt: the file cannot be read"):
        fm.read_surface(tmp_path / "mesh.txt")
    with pytest.raises(fm.errors.ResultFileError, match="there is no such file"):
        fm.read_surface(tmp_path / "none.stl")
