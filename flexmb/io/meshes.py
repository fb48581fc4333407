"""Meshes in files: pictures in VTK and XDMF, and surfaces of bodies in all that the packages below read.

The package meshlane reads and writes them where it is installed, else meshio. Meshlane descends from meshio, which has
had no release since January 2024.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from flexmb.bodies.full_models.mesh_files import mesh_of_file
from flexmb.errors import MissingExtraError, ModelError
from flexmb.machine import files
from flexmb.model import checks
from flexmb.model.geometry.surfaces import ClosedSurface
from flexmb.model.hints import answers_calls

#: packages with the same interface, the preferred one first
LIBRARIES = ("meshlane", "meshio")

#: the cells of each type; a row holds the numbers of a cell's points
Cells = Sequence[tuple[str, np.ndarray]]


def library() -> ModuleType:
    """The package that reads and writes meshes.

    >>> library().__name__ in LIBRARIES
    True
    """
    for name in LIBRARIES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingExtraError(
        f"meshes are read and written by the package {' or '.join(LIBRARIES)}: pip install {LIBRARIES[0]}"
    )


@answers_calls
def read_surface(path: str | Path, *, scale: float = 1.0, **place: Any) -> ClosedSurface:
    """The closed surface in a file of triangles and quadrilaterals: STL, OBJ, PLY, VTK, Gmsh and others.

    Arguments: `path`; `scale`, meters for each unit of the file, 1e-3 for millimeters; `position` and `orientation` as
    for a :class:`~flexmb.model.geometry.surfaces.ClosedSurface`.

    >>> import tempfile
    >>> corners, faces = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "part.stl"
    ...     library().Mesh(np.array(corners, dtype=float), [("triangle", np.array(faces))]).write(file, binary=True)
    ...     part = read_surface(file, scale=1e-3)
    >>> round(part.volume * 1e9, 6)
    0.166667
    """
    source = files.path_to_read(path, "read_surface")
    where = f"read_surface {source}"
    scale = checks.positive(scale, "scale", where)
    mesh = mesh_of_file(library(), source, where)
    faces = []
    for cells in mesh.cells:
        if cells.type == "triangle":
            faces.append(cells.data)
        elif cells.type == "quad":
            faces += [cells.data[:, [0, 1, 2]], cells.data[:, [0, 2, 3]]]
        elif cells.type not in ("vertex", "line"):
            raise ModelError(f"{where}: it has cells of the type {cells.type!r}; give its surface, triangles and quads")
    if not faces:
        raise ModelError(f"{where}: it has no triangles; give the surface of a body")
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    return ClosedSurface(scale * points, np.concatenate(faces), name=source.name, **place)


def write_vtu(
    path: Path,
    points: np.ndarray,
    cells: Cells,
    point_data: Mapping[str, np.ndarray],
    cell_data: Mapping[str, Sequence[np.ndarray]],
) -> None:
    """Write a mesh into a .vtu file: points (p, 3) [m], cells, data of the points (p, …), and of the cells by type.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "bar.vtu"
    ...     write_vtu(file, np.eye(3)[:2], [("line", np.array([[0, 1]]))], {"speed": np.ones(2)}, {})
    ...     library().read(file).point_data["speed"].tolist()
    [1.0, 1.0]
    """
    library().Mesh(points, cells, point_data=point_data, cell_data=cell_data).write(path, "vtu", binary=True)


@contextmanager
def xdmf_series(
    text: Any, numbers: Any, name: str, points: np.ndarray, cells: Cells, parts: Sequence[str] = ()
) -> Iterator[Callable[..., None]]:
    """Write a mesh with data that change in time into two open files: `text` (.xdmf), and `numbers` (HDF5), which the
    text calls `name`; the names of `parts` stand in an Information of the text. The context gives `write(t,
    point_data=…, cell_data=…)`, to be called for each time [s] in turn."""
    import h5py

    # by default the writer would put its numbers into the working directory
    writer = library().xdmf.TimeSeriesWriter(name, data_format="HDF")
    writer.filename, writer.h5_filename = text, name
    with h5py.File(numbers, "w") as writer.h5_file:
        writer.write_points_cells(points, cells)
        if parts:
            listed = "; ".join(f"{number} {part}" for number, part in enumerate(parts))
            ElementTree.SubElement(writer.domain, "Information", Name="parts", Value=listed)
        yield writer.write_data
        writer.__exit__(None, None, None)
