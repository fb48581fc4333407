"""Meshes for ParaView, read back."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import MissingExtraError, ModelError, ResultFileError
from flexmb.io import meshes
from flexmb.visual import export_vtk, export_xdmf
from flexmb.visual.paraview import KINDS, line_rates

TIMES = [0.0, 0.03, 0.08]


def test_a_file_a_step_and_their_collection(work, tmp_path):
    collection = export_vtk(work, tmp_path / "steps", TIMES)
    entries = ElementTree.parse(collection).getroot().findall("Collection/DataSet")
    assert [float(e.get("timestep")) for e in entries] == TIMES
    assert sorted(p.name for p in collection.parent.iterdir()) == sorted(
        [collection.name, *(e.get("file") for e in entries)]
    )
    seen = work.at(TIMES)
    axis = seen.axis("jib", 41)
    for k, entry in enumerate(entries):
        mesh = meshes.library().read(collection.parent / entry.get("file"))
        assert np.allclose(mesh.points[:41, :2], axis[k], rtol=0.0, atol=1e-14)
        assert np.allclose(mesh.point_data["displacement"][:41, :2], axis[k] - axis[0], rtol=0.0, atol=1e-14)
        for name in ("bending_moment", "axial_force", "shear_force", "curvature", "stress", "stress_top"):
            assert np.allclose(mesh.point_data[name][:41], seen.along("jib", name, 41)[k], rtol=1e-14)
            assert np.all(np.isnan(mesh.point_data[name][41:]))
        velocity = np.stack([seen.along("jib", name, 41)[k] for name in ("vx", "vy")], axis=1)
        assert np.allclose(mesh.point_data["velocity"][:41, :2], velocity)
        assert [len(x) for x in mesh.cells_dict["line"][:40]] == [2] * 40


def test_bodies_links_and_grounds_are_in_it(work, tmp_path):
    collection = export_vtk(work, tmp_path / "steps", TIMES)
    mesh = meshes.library().read(collection.with_name("yard_2.vtu"))
    cells = {kind: mesh.cells_dict[kind] for kind in ("vertex", "line", "triangle")}
    kinds = dict(zip([block.type for block in mesh.cells], mesh.cell_data["kind"]))
    seen = work.at(TIMES)
    plate = mesh.points[cells["triangle"][0]]
    assert kinds["triangle"].tolist() == [KINDS["body"]]
    expected = [seen[f"plate.{name}"].position[2] for name in ("corner", "low", "other")]
    assert np.allclose(sorted(plate[:, :2].tolist()), sorted(np.array(expected).tolist()))
    corner = cells["triangle"][0][np.argmax(plate[:, 1])]
    assert np.allclose(mesh.point_data["velocity"][corner, :2], seen["plate.corner"].velocity[2])
    link = cells["line"][kinds["line"] == KINDS["link"]][0]
    assert np.allclose(mesh.points[link, :2], [seen["crank.rim"].position[2], seen["plate.corner"].position[2]])
    spring = cells["line"][kinds["line"] == KINDS["spring"]][0]
    assert np.allclose(mesh.points[spring, :2], [seen["jib.end"].position[2], seen["car"].position[2]])
    grounds = mesh.points[cells["vertex"][kinds["vertex"] == KINDS["ground"]][:, 0], :2]
    assert sorted(map(tuple, grounds)) == [(0.0, 0.0), (0.4, 0.7), (0.9, 0.8)]
    parts = np.concatenate(mesh.cell_data["part"])
    assert sorted(set(parts)) == list(range(len(set(parts))))


def test_a_time_series_in_one_file(work, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "series"
    folder.mkdir()
    path = export_xdmf(work, folder / "yard.xdmf", TIMES)
    assert sorted(p.name for p in folder.iterdir()) == ["yard.xdmf", "yard_data.h5"]
    assert [p.name for p in tmp_path.iterdir()] == ["series"], "nothing is left in the working directory"
    seen = work.at(TIMES)
    axis = seen.axis("jib", 41)
    monkeypatch.chdir(folder)
    with meshes.library().xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        assert [block.type for block in cells] == ["line"]
        assert np.allclose(points[:41, :2], axis[0])
        assert reader.num_steps == 3
        for k in range(3):
            t, point_data, cell_data = reader.read_data(k)
            assert t == TIMES[k]
            assert np.allclose(points[:41, :2] + point_data["displacement"][:41, :2], axis[k], rtol=0.0, atol=1e-14)
            assert np.allclose(point_data["bending_moment"][:41], seen.along("jib", "bending_moment", 41)[k])
            assert len(cell_data["kind"][0]) == len(cells[0].data)


def test_vtk_reads_both(work, tmp_path):
    pyvista = pytest.importorskip("pyvista")
    steps = pyvista.get_reader(str(export_vtk(work, tmp_path / "steps", TIMES)))
    assert steps.time_values == TIMES
    steps.set_active_time_value(0.08)
    mesh = steps.read()[0]
    assert np.allclose(mesh.points[40, :2], work.at(0.08)["jib.end"].position[0])
    assert mesh.point_data["bending_moment"][0] == pytest.approx(work.at(0.08)["jib@0.bending_moment"][0])


def test_results_from_a_file_and_equilibria_are_exported(swing, tmp_path):
    filed = fm.load(swing.save(tmp_path / "run.h5", points=11))
    mesh = meshes.library().read(export_vtk(filed, tmp_path / "steps", [0.3]).with_name("pendulum_0.vtu"))
    assert np.allclose(mesh.points[:11, :2], swing.at(0.3).axis("rod", 11)[0], atol=1e-6)
    assert export_vtk(swing, tmp_path / "all").read_text().count("<DataSet") == len(swing.t)


def test_what_cannot_be_written_is_said(swing, tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"use \.xdmf"):
        export_xdmf(swing, tmp_path / "run.vtk")
    with pytest.raises(ResultFileError, match="no folder"):
        export_xdmf(swing, tmp_path / "nowhere" / "run.xdmf")
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultFileError, match="file"):
        export_vtk(swing, tmp_path / "file")
    with pytest.raises(ModelError, match="outside the run"):
        export_vtk(swing, tmp_path / "steps", [9.0])
    with pytest.raises(ModelError, match="nothing to be seen"):
        export_vtk(_frame(), tmp_path / "steps")
    for name in meshes.LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="pip install"):
        export_vtk(swing, tmp_path / "unwritten")
    assert not (tmp_path / "unwritten").exists()


def _frame():
    """A model with a frame that carries nothing."""
    m = fm.PlanarModel("frame")
    m.add_frame("frame")
    return m


def test_models_and_modes_are_exported(tmp_path):
    m = fm.PlanarModel("mast")
    rod = m.add_beam("rod", (0, 0), (0, 2), properties=fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=1.0))
    m.weld(m.ground, rod.start, name="clamp")
    mesh = meshes.library().read(fm.export_vtk(m, tmp_path / "model", points=5).with_name("mast_0.vtu"))
    assert np.allclose(mesh.points[:5], np.column_stack([np.zeros(5), np.linspace(0, 2, 5), np.zeros(5)]))
    swing = fm.modes(m, 1).motion(0, count=5)
    collection = fm.export_vtk(swing, tmp_path / "mode", points=5)
    ends = [meshes.library().read(collection.with_name(f"mast_{k}.vtu")).points[4, 0] for k in range(5)]
    assert ends[0] == pytest.approx(-ends[2])
    assert ends[1] == pytest.approx(0.0, abs=1e-12)
    assert abs(ends[0]) > 0.1


def test_lines_have_one_speed_on_both_sides_of_an_instant():
    """A run has an instant twice where something is switched."""
    t = np.array([0.0, 0.1, 0.3, 0.3, 0.4])
    line = np.stack([2.0 * t, -t], axis=1)[:, None] + np.array([[0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(line_rates(line, t), np.broadcast_to([2.0, -1.0], line.shape))
    assert not line_rates(line[:1], t[:1]).any()


def test_flexmb_starts_without_what_draws():
    """Neither flexmb nor its pictures import VTK, pyvista or the writers of meshes before they are needed."""
    heavy = ("vtkmodules", "pyvista", *meshes.LIBRARIES)
    text = f"import sys, flexmb, flexmb.visual; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
