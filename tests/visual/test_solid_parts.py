"""Solids for ParaView and meshio, read back: parts by name, where a view has them, with their quantities."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies
from flexmb.errors import ModelError
from flexmb.io import meshes
from flexmb.results.pictures.deforming import deforming
from flexmb.visual import View, export_vtk, export_xdmf
from flexmb.visual.solid_parts import KINDS, solid_parts
from tests.models.solid_bodies import ALUMINIUM, PATCHES, bracket_mesh
from tests.visual.mixed import mixed_run

TIMES = [0.0, 0.03, 0.08]


@pytest.fixture(scope="module")
def mixed():
    return mixed_run()


def blocks(collection, k):
    """The files of parts by their names at one of the times."""
    entries = ElementTree.parse(collection).getroot().findall("Collection/DataSet")
    whole = ElementTree.parse(collection.parent / entries[k].get("file")).getroot()
    assert whole.get("type") == "vtkMultiBlockDataSet"
    own = whole.findall("vtkMultiBlockDataSet/DataSet")
    assert [int(x.get("index")) for x in own] == list(range(len(own)))
    return {x.get("name"): collection.parent / x.get("file") for x in own}


def seen_points(view, times, k, name):
    """The points of the triangles that a view shows of a part at an instant."""
    return np.concatenate([p.points(k)[p.faces].reshape(-1, 3) for p in view.stage(times) if p.name == name])


def test_parts_of_the_plane_are_where_a_view_has_them(work, tmp_path):
    collection = export_vtk(work, tmp_path / "solid", TIMES, solid=True)
    view = View(work, forces=False)
    for k in range(3):
        found = blocks(collection, k)
        assert {"ground", "jib", "slide", "crank", "plate", "spring", "coil", "link", "motor"} <= set(found)
        for name, path in found.items():
            mesh = meshes.library().read(path)
            assert [block.type for block in mesh.cells] == ["triangle"]
            corners = mesh.points[mesh.cells[0].data].reshape(-1, 3)
            assert np.allclose(corners, seen_points(view, TIMES, k, name), rtol=0.0, atol=1e-6), name
    files = [path.name for path in collection.parent.iterdir()]
    assert sum("ground" in name for name in files) == 1 and sum("crank" in name for name in files) == 3
    kinds = {name: set(meshes.library().read(path).cell_data["kind"][0].tolist()) for name, path in found.items()}
    assert kinds["jib"] == {KINDS["beam"]} and kinds["spring"] == {KINDS["spring"]}


def test_tubes_of_beams_carry_the_quantities_of_their_sections(work, tmp_path):
    collection = export_vtk(work, tmp_path / "solid", TIMES, points=21, solid=True)
    mesh = meshes.library().read(blocks(collection, 2)["jib"])
    ring = 8
    moments = work.at(TIMES).along("jib", "bending_moment", 21)[2]
    assert np.allclose(mesh.point_data["bending_moment"][: 21 * ring], np.repeat(moments, ring), rtol=1e-13)
    assert mesh.point_data["bending_moment"][-1] == pytest.approx(moments[-1])
    first = meshes.library().read(blocks(collection, 0)["jib"])
    assert np.allclose(mesh.point_data["displacement"], mesh.points - first.points, rtol=0.0, atol=1e-12)


def test_bodies_that_deform_carry_deformation_and_stresses(tmp_path):
    reduction = bodies.Reduction(progress=False)
    solid = bodies.from_mesh(bracket_mesh(), ALUMINIUM, interfaces=PATCHES, modes=2, reduction=reduction)
    model = fm.SpatialModel("bracket", gravity=(0.0, 0.0, -9.81))
    bracket = model.add_modal_body("bracket", solid)
    model.weld(model.ground.attach("bed", bracket.at("A").position), bracket.at("A"))
    model.point_force(bracket.at("B"), (50.0, 0.0, 0.0), name="push")
    run, times = fm.simulate(model, 2e-3, progress=False), [0.0, 1e-3, 2e-3]
    mesh = next(deforming(run.at(times), stressed=True))
    found = meshes.library().read(blocks(export_vtk(run, tmp_path / "solid", times, solid=True), 2)[mesh.name])
    # each point of the surface is one of the nodes, or one of several in one place at a sharp edge
    places = mesh.points(2)
    nearest = np.argmin(np.linalg.norm(found.points[:, None] - places[None], axis=2), axis=1)
    assert np.allclose(found.points, places[nearest], rtol=0.0, atol=1e-9)
    for name in ("deformation", "von_mises"):
        wanted = mesh.quantity(name, 2)[nearest]
        assert np.max(wanted) > 0.0
        assert np.allclose(found.point_data[name], wanted, rtol=1e-9, atol=1e-9 * np.max(wanted))
    assert found.point_data["principal_stresses"].shape == (len(found.points), 3)


def test_a_series_in_one_file_has_all_parts_with_their_names(mixed, tmp_path):
    path = export_xdmf(mixed, tmp_path / "mixed.xdmf", [0.0, 0.1, 0.2], solid=True)
    parts = solid_parts(mixed, mixed.at([0.0, 0.1, 0.2]), 41)
    with meshes.library().xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        t, point_data, cell_data = reader.read_data(2)
    assert t == 0.2 and [block.type for block in cells] == ["triangle"]
    wanted = np.concatenate([part.points[2] for part in parts])
    assert np.allclose(points + point_data["displacement"], wanted, rtol=0.0, atol=1e-9)
    listed = ElementTree.parse(path).getroot().find("Domain/Information[@Name='parts']").get("Value")
    names = dict(entry.split(" ", 1) for entry in listed.split("; "))
    assert set(names.values()) == {part.name for part in parts} >= {"arm", "blob", "ball", "coil"}
    arm = next(int(number) for number, name in names.items() if name == "arm")
    own = cells[0].data[cell_data["part"][0] == arm]
    assert np.all(np.isfinite(point_data["bending_moment_y"][own]))
    assert np.all(np.isnan(point_data["deformation"][own]))
    blob = cells[0].data[cell_data["part"][0] == [*names.values()].index("blob")]
    assert np.max(point_data["deformation"][blob]) > 0.01


def test_vtk_reads_the_blocks_by_their_names(mixed, tmp_path):
    """In a process of its own, since VTK writes to the terminal what it does not understand."""
    collection = export_vtk(mixed, tmp_path / "solid", [0.0, 0.1], solid=True)
    program = (
        "import sys\nfrom vtkmodules.vtkIOXML import vtkXMLMultiBlockDataReader as R\n"
        "from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet as C\n"
        "r = R(); r.SetFileName(sys.argv[1]); r.Update(); d = r.GetOutput()\n"
        "n = d.GetNumberOfBlocks()\n"
        "print([(d.GetMetaData(k).Get(C.NAME()), d.GetBlock(k).GetNumberOfCells()) for k in range(n)])"
    )
    file = next(p for p in collection.parent.iterdir() if p.suffix == ".vtm")
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    parts = solid_parts(mixed, mixed.at([0.0]), 41)
    assert done.stdout.strip() == str([(part.name, len(part.faces)) for part in parts])


def test_what_is_no_choice_is_refused(work, tmp_path):
    with pytest.raises(ModelError, match="solid"):
        export_vtk(work, tmp_path / "solid", TIMES, solid="yes")
    with pytest.raises(ModelError, match="solid"):
        export_xdmf(work, tmp_path / "solid.xdmf", TIMES, solid=2)
    assert not list(tmp_path.iterdir())
