"""Damaged files of every kind that flexmb reads: flexmb's errors, and no others."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb.errors import ModelError, ResultFileError
from tests.damaged_files import FILES, damages
from tests.models.worlds import STEEL, World

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
CUBE = skfem.MeshTet.init_tensor(*3 * [np.linspace(0, 1, 2)])
HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_refused(kind, tmp_path):
    write, read = FILES[kind]
    path = write(tmp_path, World())
    refused = 0
    for what, damaged in damages(path.read_bytes()):
        path.write_bytes(damaged)
        try:
            read(path)
        except fm.FlexmbError:
            refused += 1
        except BaseException as error:
            error.add_note(f"{kind}: {what}")
            raise
    assert refused > 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1000000000 1000000000 1000000000\n1 1 1.0\n", "says 1000000000 entries, which need 4 GB"),
        (HEAD + "3 3 2\n1 1 1.0\n", "cut short, damaged or of another kind"),
        (HEAD + "3 3 1\n3000000000 1 1.0\n", "cut short, damaged or of another kind"),
        (HEAD + "3000000000 3000000000 1\n3000000000 3000000000 1.0\n", "3000000000 rows of K.mtx need about"),
        ("%%MatrixMarket matrix array real general\n100000 100000\n1.0\n", "says 10000000000 entries"),
    ],
)
def test_heads_of_matrix_market_that_ask_for_more_than_the_file_has(text, message, tmp_path, monkeypatch):
    monkeypatch.setattr(fm.machine.memory, "machine_memory", lambda: 8e9)
    (tmp_path / "K.mtx").write_text(text)
    with pytest.raises((ModelError, fm.errors.SizeError), match=message):
        fm.bodies.read_matrices(tmp_path / "K.mtx", tmp_path / "K.mtx", np.zeros((1, 3)))


def test_a_head_of_ply_without_end(tmp_path):
    (tmp_path / "part.ply").write_bytes(b"ply\nformat ascii 1.0\nelement vertex 3\n")
    for read in (fm.read_surface, lambda path: fm.bodies.mesh_model(path, STEEL)):
        with pytest.raises(ModelError, match="the head of this PLY file has no end"):
            read(tmp_path / "part.ply")


@pytest.mark.parametrize(
    ("points", "cells", "message"),
    [
        (np.where(CORNERS == 1.0, np.nan, CORNERS), [0, 1, 2, 3], r"points of its mesh\[1, 0\] is nan"),
        (CORNERS, [0, 1, 2, 7], "of the kind 'tetra' name points that it has not; it has 4"),
        (CORNERS, [0, 1, 2, -1], "of the kind 'tetra' name points that it has not"),
        (CORNERS * (1, 1, 0), [0, 1, 2, 3], "degenerate, without volume"),
        (CORNERS, [0, 1, 1, 1], "degenerate, without volume"),
    ],
)
def test_meshes_with_holes(points, cells, message):
    with pytest.raises(ModelError, match=message):
        fm.bodies.mesh_model(meshio.Mesh(points, [("tetra", [cells])]), STEEL)


def test_meshes_of_scikit_fem_with_holes():
    cells, points = CUBE.t.copy(), CUBE.p.copy()
    cells[0, 0], points[0, 3] = 999, np.nan
    with pytest.raises(ModelError, match="'MeshTet' name points that it has not; it has 8"):
        fm.bodies.mesh_model(skfem.MeshTet(CUBE.p, cells, validate=False), STEEL)
    with pytest.raises(ModelError, match=r"points of its mesh\[3, 0\] is nan"):
        fm.bodies.mesh_model(skfem.MeshTet(points, CUBE.t), STEEL)


def test_bytes_that_are_no_op2(tmp_path):
    (tmp_path / "job.op2").write_bytes(bytes(range(256)))
    (tmp_path / "job.bdf").write_text("GRID,1,,0.,0.,0.\n")
    with pytest.raises(ResultFileError, match=r"job.op2: the file cannot be read"):
        fm.bodies.read_nastran(tmp_path / "job.op2", tmp_path / "job.bdf")
